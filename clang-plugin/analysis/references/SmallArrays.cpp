// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small arrays of the launch site, such as a filter's weights, that are not managed and that the loop only reads: they
// travel with the launch by value, as scalars do, so that the loop runs on all devices.
#include "analysis/code/Functions.h"
#include "analysis/references/References.h"

#include "analysis/loops/SimdLoops.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

// All of them together. Beyond what every OpenCL device takes as arguments, the loop runs natively.
static constexpr std::int64_t mostBytes = 4096, mostArgumentBytes = 1024;

// An array that is defined here, so that it is known not to be managed.
static bool isOwn(const LoopContext& context, const ArrayFact& array) {
  const VarDecl* var = array.var;
  const QualType type = var->getType();
  if (array.form != ArrayForm::ConstantArray || array.written || array.updated || array.compared ||
      !type->isConstantArrayType())
    return false;
  if (!var->isLocalVarDecl() && !var->hasDefinition()) return false;
  return std::none_of(context.managed.begin(), context.managed.end(),
                      [&](const VarDecl* managed) { return managed->getCanonicalDecl() == var->getCanonicalDecl(); });
}

// What a kernel's other arguments take at most (docs/architecture.md, OpenCL kernel signature).
static std::int64_t otherArguments(const LoopFacts& facts) {
  return 16 * facts.arrays.size() + 8 * (facts.scalars.size() + facts.results.size()) + 3 * 32;
}

// The function that the body calls, and that names the global.
static const FunctionDecl* calleeWith(const LoopFacts& facts, const VarDecl* var) {
  if (!var->hasGlobalStorage()) return nullptr;
  for (const FunctionDecl* callee : facts.callees)
    if (mentions(callee->getBody(), {var})) return callee;
  return nullptr;
}

// Copies of arrays of variable length travel one way.
static bool changesVariableLength(LoopContext& context) {
  for (const ArrayFact& array : context.facts.arrays)
    if (array.var->getType()->isVariableArrayType() && (array.written || array.updated))
      return !context.refuse(context.facts.directive->getBeginLoc(),
                             say::ChangesVariableLength(array.var->getNameAsString()));
  return false;
}

void passSmallArrays(LoopContext& context) {
  if (changesVariableLength(context)) return;
  LoopFacts& facts = context.facts;
  std::vector<ArrayFact> arrays;
  std::map<unsigned, unsigned> numbers;
  std::vector<AccessFact> accesses;
  std::map<std::size_t, Doubt> doubts;
  std::int64_t bytes = 0;
  const auto aligned = alignedArrays(facts.body);  // values of the launch lie anywhere
  for (unsigned i = 0; i < facts.arrays.size(); ++i) {
    const ArrayFact& array = facts.arrays[i];
    const std::int64_t size = context.ast.getTypeSizeInChars(array.var->getType().getNonReferenceType()).getQuantity();
    const FunctionDecl* callee = calleeWith(facts, array.var);
    if (isOwn(context, array) && bytes + size <= mostBytes && !aligned.count(array.var)) {
      bytes += size;
      facts.scalars.push_back(
          {.var = array.var, .global = callee != nullptr, .inCallee = callee != nullptr, .byValue = true});
      context.arrayOf.erase(array.var);
      continue;
    }
    numbers[i] = arrays.size();
    context.arrayOf[array.var] = arrays.size();
    arrays.push_back(array);
  }
  std::int64_t passed = 0;
  for (const ScalarFact& scalar : facts.scalars)
    if (scalar.byValue)
      passed += context.ast.getTypeSizeInChars(scalar.var->getType().getNonReferenceType()).getQuantity();
  if (passed > 0 && passed + otherArguments(facts) > mostArgumentBytes)
    facts.openclRefusal = Refusal{facts.directive->getBeginLoc(), say::PassesTooManyBytes(passed)};
  if (bytes == 0) return;
  for (std::size_t i = 0; i < facts.accesses.size(); ++i) {
    AccessFact access = facts.accesses[i];
    auto number = numbers.find(access.array);
    if (number == numbers.end()) continue;
    access.array = number->second;
    if (auto doubt = context.doubts.find(i); doubt != context.doubts.end()) doubts[accesses.size()] = doubt->second;
    accesses.push_back(std::move(access));
  }
  for (SectionFact& section : facts.sections) section.array = numbers.at(section.array);
  for (RowFact& row : facts.rows) row.array = numbers.at(row.array);
  facts.arrays = std::move(arrays);
  facts.accesses = std::move(accesses);
  context.doubts = std::move(doubts);
}

}  // namespace muster::plugin
