// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that a loop reads as they were before it, because they travel with the launch, although it writes where they
// are: through references and pointers to elements, also those that got their value by way of others.
#include "analysis/independence/Independence.h"
#include "analysis/objects/Objects.h"
#include "source/LibraryTypes.h"

#include "analysis/code/Aliases.h"
#include "analysis/code/Instances.h"
#include "pragma/ManagedTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

// The variable or member whose storage it is.
static const ValueDecl* ownerOf(const LoopFacts& facts, const VarDecl* var) {
  const ObjectMember* member = facts.objects->find(var);
  if (!member) return var;
  for (std::size_t i = member->path.steps.size(); i > 0; --i) {
    const FieldDecl* field = member->path.steps[i - 1].field;
    if (field && stdArrayElement(member->path.prefix(i - 1).type()).isNull()) return field;
  }
  return member->path.root;
}

bool checkStaleValues(LoopContext& context) {
  const LoopFacts& facts = context.facts;
  for (const ScalarFact& scalar : facts.scalars) {
    if (scalar.vectorSize) continue;
    const ObjectMember* member = facts.objects->find(scalar.var);
    // What leads to the value, if it is a pointer or reference, and the value itself.
    const ValueDecl* names[] = {member ? member->path.root : nullptr, ownerOf(facts, scalar.var)};
    for (const ArrayFact& array : facts.arrays) {
      if (!array.written && !array.updated) continue;
      const ValueDecl* elements = ownerOf(facts, array.var);
      for (const ValueDecl* name : names)
        if (name && elements && name != elements && context.aliases->mayShare(name, elements))
          return context.refuse(name->getLocation(), say::ReadsPartOfWrittenArray(scalar.var->getNameAsString(),
                                                                                  array.var->getNameAsString()));
    }
  }
  return true;
}

}  // namespace muster::plugin
