// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays inside of objects outside of a loop: `g->u[i]`, `this->u[i]`, `a[i]` of a std::array. Native code has
// stand-ins of objects, which do not hold such arrays. So the memory of the array, as the chunk has it, takes the place
// of an object of which the loop uses nothing else, or the body's text names the array itself.
#include "analysis/objects/EmbeddedArrays.h"

#include "analysis/code/Instances.h"
#include "analysis/objects/Objects.h"
#include "pragma/ManagedTypes.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

namespace {

class EmbeddedArray {
 public:
  EmbeddedArray(LoopContext& context, unsigned array, const ObjectPath& path)
      : context_(context), array_(array), fact_(context.facts.arrays[array]), path_(path) {}

  bool place() {
    const bool writes = fact_.written || fact_.updated;
    if (writes && path_.isInUnion()) return refuse(say::UnionMemberOfObject);
    fact_.embedded = isMarked();
    if (writes && !fact_.embedded && !isStdArrayOfOthers())
      return refuse(say::WritesEmbeddedArray(name(), declaredName()));
    if (writes && isUsedAsWhole()) return refuse(say::WritesPartOfWhole(name()));
    const ObjectPath block = path_.prefix(path_.blockSteps());
    const bool isCopy = block.steps.empty() && !context_.ast.getLangOpts().CPlusPlus;
    if (!isCopy && isAlone(block)) {
      context_.objects().overlay({block, array_, {}});
      return true;
    }
    return placeInText(block);
  }

 private:
  std::string name() const { return fact_.var->getNameAsString(); }
  bool refuse(std::string what) { return context_.refuse(fact_.var->getLocation(), std::move(what)); }

  std::string declaredName() const {
    for (std::size_t i = path_.steps.size(); i > 0; --i) {
      const FieldDecl* field = path_.steps[i - 1].field;
      if (field && stdArrayElement(path_.prefix(i - 1).type()).isNull()) return field->getNameAsString();
    }
    return path_.root->getNameAsString();
  }
  bool isMarked() const {
    const bool isField = llvm::any_of(path_.steps, [&](const ObjectPath::Step& step) {
      return step.field && context_.managedFields.count(patternOf(step.field));
    });
    return isField || (path_.root && llvm::any_of(context_.managed, [&](const VarDecl* managed) {
                         return managed->getCanonicalDecl() == path_.root->getCanonicalDecl();
                       }));
  }
  // A std::array that a function is given may be any, as what a pointer points to.
  bool isStdArrayOfOthers() const {
    const bool isBehind = path_.root && (path_.rootType->isPointerType() || path_.root->getType()->isReferenceType());
    const std::size_t steps = path_.root && path_.rootType->isPointerType() ? 2 : 1;
    return isBehind && path_.steps.size() == steps && !stdArrayElement(path_.prefix(steps - 1).type()).isNull();
  }
  bool isUsedAsWhole() const {
    return llvm::any_of(context_.facts.scalars, [&](const ScalarFact& scalar) {
      const ObjectMember* member = context_.objects().find(scalar.var);
      if (!scalar.byValue) return false;
      return member ? path_.startsWith(member->path) : path_.root == scalar.var;
    });
  }

  // The loop uses nothing of the object, or by way of it, but the array.
  bool isAlone(const ObjectPath& object) const {
    const auto isOther = [&](const VarDecl* var) {
      const ObjectMember* member = var == fact_.var ? nullptr : context_.objects().find(var);
      return member ? member->path.startsWith(object) : object.steps.empty() && var == object.root;
    };
    return llvm::none_of(context_.facts.arrays, [&](const ArrayFact& array) { return isOther(array.var); }) &&
           llvm::none_of(context_.facts.scalars, [&](const ScalarFact& scalar) { return isOther(scalar.var); }) &&
           llvm::none_of(context_.objects().named(), [&](const ObjectPath& named) {
             return named.startsWith(object) && named.blockSteps() > object.steps.size();
           });
  }

  // Native code keeps the text of the body. A member that is named without `this` gets that name there.
  bool isPlainText(const Expr* expr) const {
    auto* member = dyn_cast<MemberExpr>(expr);
    if (member && member->isImplicitAccess()) return true;
    const SourceManager& sources = context_.ast.getSourceManager();
    const SourceRange body = context_.facts.body->getSourceRange();
    return expr->getBeginLoc().isFileID() && expr->getEndLoc().isFileID() &&
           !sources.isBeforeInTranslationUnit(expr->getBeginLoc(), sources.getFileLoc(body.getBegin())) &&
           !sources.isBeforeInTranslationUnit(sources.getFileLoc(body.getEnd()), expr->getEndLoc());
  }

  bool placeInText(const ObjectPath& block) {
    std::vector<ObjectOverlay> overlays;
    const auto add = [&](const ObjectUse& use) {
      for (ObjectOverlay& known : overlays)
        if (known.path == use.path) return known.texts.push_back(use.expr);
      overlays.push_back({use.path, array_, {use.expr}});
    };
    for (const ObjectUse& use : context_.objects().uses()) {
      const bool isArray = use.path == path_;
      if (!path_.startsWith(use.path) || (!isArray && !context_.objects().isUsedInCallee(fact_.var))) continue;
      const bool canBe = use.path.startsWith(block) && use.expr->isGLValue() && (isArray || isAlone(use.path));
      if (!canBe) return refuse(say::CalleeUsesEmbeddedArray(name()));
      if (!isPlainText(use.expr)) return refuse(say::EmbeddedArrayInMacro(name()));
      add(use);
    }
    for (ObjectOverlay& overlay : overlays) context_.objects().overlay(std::move(overlay));
    return true;
  }

  LoopContext& context_;
  const unsigned array_;
  ArrayFact& fact_;
  const ObjectPath path_;
};

}  // namespace

// In C, native code copies an object under its name.
static bool refuseLargeCopies(LoopContext& context) {
  static constexpr std::int64_t mostBytes = 65536;
  if (context.ast.getLangOpts().CPlusPlus) return true;
  const auto isLarge = [&](const VarDecl* var) {
    const ObjectMember* member = context.objects().find(var);
    const VarDecl* root = member && member->path.blockSteps() == 0 ? member->path.root : nullptr;
    if (!root || context.ast.getTypeSizeInChars(root->getType()).getQuantity() <= mostBytes) return false;
    context.refuse(root->getLocation(), say::ObjectTooLarge(root->getNameAsString()));
    return true;
  };
  return llvm::none_of(context.facts.scalars, [&](const ScalarFact& scalar) { return isLarge(scalar.var); }) &&
         llvm::none_of(context.facts.arrays, [&](const ArrayFact& array) {
           return array.form != ArrayForm::ConstantArray && isLarge(array.var);
         });
}

bool placeEmbeddedArrays(LoopContext& context) {
  if (!refuseLargeCopies(context)) return false;
  for (unsigned i = 0; i < context.facts.arrays.size(); ++i) {
    const ArrayFact& array = context.facts.arrays[i];
    const ObjectMember* member = context.objects().find(array.var);
    if (array.form != ArrayForm::ConstantArray || !member) continue;
    if (!EmbeddedArray(context, i, member->path).place()) return false;
  }
  return true;
}

}  // namespace muster::plugin
