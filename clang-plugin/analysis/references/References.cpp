// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The roles of all variables that a loop's body, its clauses and the functions that it calls refer to.
#include "analysis/references/References.h"

#include "analysis/code/ClauseValues.h"
#include "analysis/code/ThisUses.h"
#include "analysis/loops/Iterators.h"
#include "analysis/objects/ClauseText.h"
#include "analysis/references/ReferenceFinder.h"
#include "analysis/updates/DeclaredReductions.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/OpenMPClause.h"
#include "muster/abi.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

namespace {

// A vector whose size() the body asks for needs it as a parameter.
class SizeFinder : public AstVisitor {
 public:
  explicit SizeFinder(std::set<const VarDecl*>& sized) : sized_(sized) {}
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr* call) override {
    auto* object = dyn_cast<DeclRefExpr>(call->getImplicitObjectArgument()->IgnoreParenImpCasts());
    auto* method = call->getMethodDecl();
    if (!object || !method || !method->getDeclName().isIdentifier()) return true;
    llvm::StringRef name = method->getName();
    if (name == "size" || name == "empty" || name == "back" || name == "at" || name == "end" || name == "cend")
      note(object);
    return true;
  }
  // std::end
  bool VisitCallExpr(CallExpr* call) override {
    if (call->getNumArgs() == 1 && !isa<CXXMemberCallExpr>(call)) note(call->getArg(0));
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* loop) override {
    note(loop->getRangeInit());
    return true;
  }

 private:
  void note(const Expr* vector) {
    auto* reference = dyn_cast<DeclRefExpr>(vector->IgnoreParenImpCasts());
    auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (var && !vectorElement(var->getType()).isNull()) sized_.insert(var);
  }

  std::set<const VarDecl*>& sized_;
};

// A pointer leads to one object, which has a stand-in, or to elements.
bool checkPointers(LoopContext& context) {
  const Objects& objects = context.objects();
  for (const ArrayFact& array : context.facts.arrays) {
    const ObjectMember* member = objects.find(array.var);
    const ObjectPath pointer = member ? member->path : ObjectPath{array.var, array.var->getType(), {}};
    auto leadsOn = [&](const ObjectPath& path) {
      if (path.root != pointer.root || path.steps.size() <= pointer.steps.size()) return false;
      const auto next = path.steps[pointer.steps.size()].kind;
      return (next == ObjectPath::StepKind::Pointer || next == ObjectPath::StepKind::Smart) &&
             std::equal(pointer.steps.begin(), pointer.steps.end(), path.steps.begin());
    };
    const bool isBoth = llvm::any_of(objects.named(), leadsOn) ||
                        llvm::any_of(objects.members(), [&](const auto& other) { return leadsOn(other->path); });
    if (isBoth)
      return context.refuse(array.var->getLocation(), say::ArrayAndPointerToOne(array.var->getNameAsString()));
  }
  return true;
}

}  // namespace

// The operator of the user's that a reduction has: other ranks know no more than its operands.
static bool readDeclared(LoopContext& context, ReferenceFinder& finder, const ResultFact& result) {
  if (!result.declared) return true;
  const LoopFacts& facts = context.facts;
  const std::size_t others = facts.arrays.size() + facts.scalars.size();
  const OMPDeclareReductionDecl* declared = result.declared;
  for (const VarDecl* own : {combinerIn(declared), combinerOut(declared), initialPrivate(declared)})
    if (own) context.declaredInside.insert(own);
  const Expr* call = initialCall(declared);
  const Expr* value = originalOf(facts, result) ? nullptr : call ? call : initialValue(declared);
  for (const Expr* part : {declared->getCombiner(), value})
    if (part && !finder.TraverseStmt(const_cast<Expr*>(part))) return false;
  return facts.arrays.size() + facts.scalars.size() == others ||
         context.refuse(declared->getLocation(), say::OperatorUsesMore);
}

bool readReferences(LoopContext& context) {
  LoopFacts& facts = context.facts;
  ReferenceFinder finder(context, nullptr, {}, {});
  for (const DimFact& dim : facts.dims) {
    if (!dim.pointer) continue;
    // Native code declares an iterator by `auto`.
    const bool isIterator = !iteratorPointee(dim.pointer->getType()).isNull();
    if (!finder.TraverseStmt(const_cast<Expr*>(dim.base)) ||
        (!isIterator && !finder.VisitVarDecl(const_cast<VarDecl*>(dim.pointer))))
      return false;
    context.declaredInside.erase(dim.pointer);  // the body may not change it
  }
  for (const LinearFact& linear : facts.linears)
    if (!finder.TraverseStmt(const_cast<Expr*>(linear.value))) return false;
  for (const VarDecl* object : facts.remade)
    if (!finder.TraverseVarDecl(const_cast<VarDecl*>(object))) return false;
  if (!facts.remade.empty())
    facts.refuseKernel(facts.remade.front()->getLocation(),
                       say::RemadeForEachIteration(facts.remade.front()->getNameAsString()));
  if (!finder.traverseBody(facts.body)) return false;
  // Arrays with a reduction, and what their sections' bounds need.
  for (SectionFact& section : facts.sections) {
    const std::size_t others = facts.arrays.size() - context.arrayOf.count(section.var);
    if (!finder.TraverseStmt(const_cast<Expr*>(section.item))) return false;
    auto array = context.arrayOf.find(section.var);
    if (array == context.arrayOf.end() || facts.arrays.size() != others + 1)
      return context.refuse(section.item->getExprLoc(), say::SectionWithoutScalarBounds);
    section.array = array->second;
    const QualType element = facts.arrays[section.array].element;
    if (!canBeMerged(context.ast, element))
      return context.refuse(section.item->getExprLoc(), say::ReductionOverElements(element.getAsString()));
    if (facts.arrays[section.array].element->isBooleanType()) {
      if (section.kind == MUSTER_REDUCE_AND) section.kind = MUSTER_REDUCE_LAND;
      if (section.kind == MUSTER_REDUCE_OR) section.kind = MUSTER_REDUCE_LOR;
    }
  }
  for (const ResultFact& result : facts.results)
    if (!readDeclared(context, finder, result)) return false;
  // Values that the native code's own clauses need.
  for (const OMPClause* clause : facts.directive->clauses()) {
    const Expr* value = valueOfClause(clause);
    if (!value || isForLaunchOnly(context.ast, value)) continue;
    if (!finder.TraverseStmt(const_cast<Expr*>(value))) return false;
    if (!clauseText(context.ast, context.objects(), clause))
      return context.refuse(clause->getBeginLoc(), say::ClauseValueNotSimple);
  }
  const ThisUses uses = thisUses(facts.body);
  for (const auto* names : {&uses.keywords, &uses.prefixed})
    for (SourceLocation loc : *names)
      if (loc.isMacroID()) return context.refuse(loc, say::ThisInMacro);
  for (const ThisCapture& capture : uses.captures)
    if (capture.loc.isMacroID()) return context.refuse(capture.loc, say::CapturesThisInMacro);
  std::set<const VarDecl*> sized;
  SizeFinder(sized).TraverseStmt(const_cast<Stmt*>(facts.body));
  for (const ArrayFact& array : facts.arrays)
    if (sized.count(array.var) && !array.isTable() && !context.objects().find(array.var))
      facts.scalars.push_back({array.var, false, false, true});
  if (!checkPointers(context)) return false;
  // A kernel reduces in place, where another name of the array would show it.
  facts.needsDistinct = !facts.sections.empty() && facts.arrays.size() > 1;
  return true;
}

}  // namespace muster::plugin
