// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/code/Instances.h"
#include "analysis/objects/RowTables.h"
#include "clang/AST/ASTLambda.h"
#include "plan/Classes.h"
#include "pragma/Allocation.h"
#include "pragma/ManagedTypes.h"
#include "source/AstVisitor.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"
#include "source/Remarks.h"

namespace muster::plugin {

using namespace clang;

namespace {

StorageKind storageOf(AllocationKind kind) {
  switch (kind) {
    case AllocationKind::Malloc:
      return StorageKind::Malloc;
    case AllocationKind::Calloc:
      return StorageKind::Calloc;
    case AllocationKind::AlignedAlloc:
      return StorageKind::AlignedAlloc;
    case AllocationKind::PosixMemalign:
      return StorageKind::PosixMemalign;
    case AllocationKind::Call:
      return StorageKind::Scope;
    default:
      return StorageKind::New;
  }
}

ArrayPlan planArray(const ASTContext& context, const ManagedVar& managed) {
  ArrayPlan plan;
  plan.decl = managed.decl();
  plan.loc = managed.loc;
  plan.name = managed.name;
  plan.part = managed.part;
  plan.rowPlace = managed.rowPlace;
  QualType type = managed.type.getNonReferenceType();
  if (QualType element = rowVectorElement(type); !element.isNull()) {
    plan.storage = StorageKind::RowVectors;
    plan.element = element;
    return plan;
  }
  if (QualType element = vectorElement(type); !element.isNull()) {
    plan.storage = StorageKind::Vector;
    plan.element = element;
    return plan;
  }
  if (QualType element = dependentVectorElement(type); !element.isNull()) {
    plan.storage = StorageKind::Vector;
    plan.element = element;
    return plan;
  }
  if (QualType element = uniquePointerElement(type); !element.isNull()) {
    plan.storage = StorageKind::Scope;
    plan.element = context.getBaseElementType(element).getUnqualifiedType();
    return plan;
  }
  plan.element = context.getBaseElementType(type->isPointerType() ? type->getPointeeType() : type).getUnqualifiedType();
  if (QualType element = stdArrayElement(type); !element.isNull()) plan.element = element;
  if (managed.field && type->isDependentType() && !type->isPointerType()) {
    plan.storage = StorageKind::Embedded;
    return plan;
  }
  if (type->isArrayType() || type->isRecordType()) {
    plan.storage = !managed.var                      ? StorageKind::Embedded
                   : managed.var->hasGlobalStorage() ? StorageKind::StaticArray
                                                     : StorageKind::LocalArray;
    return plan;
  }
  plan.allocation = managed.assignedAllocation;
  plan.value = managed.assignedValue;
  plan.storage = storageOf(plan.allocation ? allocationKind(plan.allocation) : AllocationKind::New);
  return plan;
}

std::string identifier(llvm::StringRef text) {
  std::string result;
  for (char c : text) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return result;
}

// What people call the function: that which holds the lambda.
std::string functionName(const FunctionDecl* function) {
  for (const DeclContext* context = function; context; context = context->getParent())
    if (auto* named = dyn_cast<FunctionDecl>(context); named && named->getDeclName().isIdentifier())
      return named->getNameAsString();
  return isLambdaCallOperator(function) ? "lambda" : function->getNameAsString();
}

class KernelPlanner {
 public:
  explicit KernelPlanner(const ASTContext& context) : context_(context), sources_(context.getSourceManager()) {}

  KernelPlan plan(const LoopFacts& facts) {
    KernelPlan kernel;
    kernel.facts = &facts;
    kernel.schedule = makeSchedule(context_, facts);
    const PresumedLoc loc = sources_.getPresumedLoc(facts.directive->getBeginLoc());
    kernel.name =
        unusedName("muster_" + identifier(functionName(facts.function)) + "_" + std::to_string(loc.getLine()));
    kernel.copy = lines_[loc.getLine()]++;
    return kernel;
  }

 private:
  // Two loops of one line (in one function) get names of their own.
  std::string unusedName(const std::string& wanted) {
    const unsigned uses = ++names_[wanted];
    return uses == 1 ? wanted : wanted + "_" + std::to_string(uses);
  }

  const ASTContext& context_;
  const SourceManager& sources_;
  std::map<std::string, unsigned> names_;
  std::map<unsigned, unsigned> lines_;
};

// Variables outside of a directive through which it reaches elements.
class OuterArrays : public AstVisitor {
 public:
  std::vector<const VarDecl*> found;

  // Clauses hold copies of variables that have no name; what a clause names occurs in the code, too.
  bool TraverseStmt(Stmt* statement) override {
    if (!isa_and_nonnull<OMPExecutableDirective>(statement)) return AstVisitor::TraverseStmt(statement);
    return llvm::all_of(statement->children(), [this](Stmt* child) { return TraverseStmt(child); });
  }
  bool VisitVarDecl(VarDecl* var) override {
    inside_.insert(var);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (!var || var->isImplicit() || inside_.count(var) || std::find(found.begin(), found.end(), var) != found.end())
      return true;
    if (reachesElements(var)) found.push_back(var);
    return true;
  }

 private:
  static bool reachesElements(const VarDecl* var) {
    QualType type = var->getType().getNonReferenceType();
    if (type->isDependentType()) return false;
    if (QualType element = vectorElement(type); !element.isNull())
      return element->isArithmeticType() && !element->isBooleanType();  // bits have no data()
    if (type->isPointerType())
      return !type->getPointeeType()->isFunctionType() && !type->getPointeeType()->isPointerType();
    return type->isArrayType();
  }
  std::set<const VarDecl*> inside_;
};

StepBackPlan planStepBack(const LoopFacts& facts, bool leftOut) {
  StepBackPlan plan;
  plan.directive = facts.directive;
  plan.why = *facts.refusal;
  if (facts.function) plan.instance = instanceName(facts.function);
  if (leftOut) return plan;
  OuterArrays arrays;
  arrays.TraverseStmt(const_cast<OMPExecutableDirective*>(facts.directive));
  plan.arrays = std::move(arrays.found);
  return plan;
}

void findEmbedded(const Aliases& aliases, const std::vector<ArrayPlan>& arrays, KernelPlan& kernel) {
  const LoopFacts& facts = *kernel.facts;
  for (unsigned i = 0; i < facts.arrays.size(); ++i) {
    const bool mayBe = llvm::any_of(arrays, [&](const ArrayPlan& array) {
      return array.storage == StorageKind::Embedded && mayName(aliases, facts, facts.arrays[i], array.decl);
    });
    if (mayBe || facts.arrays[i].embedded) kernel.embedded.insert(i);
  }
}

// An array itself, not a pointer to one, whose declaration this unit sees: a directive would have to be here.
bool isOfThisUnit(const VarDecl* var) {
  return var->getType()->isArrayType() && (var->hasLocalStorage() || !var->isExternallyVisible());
}

// An array whose address a call gets stays in memory: what cannot be managed is not made valid.
void dropUnmanaged(const std::vector<ArrayPlan>& arrays, StepBackPlan& step) {
  llvm::erase_if(step.arrays, [&](const VarDecl* var) {
    return isOfThisUnit(var) && llvm::none_of(arrays, [&](const ArrayPlan& array) {
             return array.decl->getCanonicalDecl() == var->getCanonicalDecl();
           });
  });
}

// What is made here and only here, so that a directive could name it.
bool isMadeHere(const VarDecl* var) {
  const QualType type = var->getType();
  if (isa<ParmVarDecl>(var) || !vectorElement(type).isNull()) return !isa<ParmVarDecl>(var);
  const Expr* allocation = type->isPointerType() && var->getInit() ? findAllocation(var->getInit()) : nullptr;
  return allocation && allocationKind(allocation) != AllocationKind::Call;  // a function may return any
}

// A directive may name the wrong array: the names of those that the loops use instead; empty if loops use arrays that
// were made elsewhere, and so perhaps any.
std::string unmanagedNames(const FileFacts& facts, const TranslationUnitPlan& plan) {
  std::set<std::string> names;
  const auto isManaged = [&](const VarDecl* var) {
    return llvm::any_of(plan.arrays, [&](const ArrayPlan& array) { return facts.aliases->mayName(var, array.decl); });
  };
  std::vector<const VarDecl*> used;
  for (const StepBackPlan& step : plan.stepBacks) used.insert(used.end(), step.arrays.begin(), step.arrays.end());
  for (const KernelPlan& kernel : plan.kernels)
    for (const ArrayFact& array : kernel.facts->arrays) used.push_back(array.var);
  for (const VarDecl* var : used) {
    if (isManaged(var)) continue;
    if (!isMadeHere(var)) return "";
    names.insert("'" + var->getNameAsString() + "'");
  }
  return llvm::join(names, ", ");
}

void remarkUnused(ASTContext& context, const FileFacts& facts, const TranslationUnitPlan& plan) {
  const std::string names = unmanagedNames(facts, plan);
  if (names.empty()) return;
  std::set<SourceLocation> remarked;
  for (const ArrayPlan& array : plan.arrays) {
    const bool isUsed =
        llvm::any_of(plan.kernels,
                     [&](const KernelPlan& kernel) {
                       return llvm::any_of(kernel.facts->arrays, [&](const ArrayFact& used) {
                         return mayName(*facts.aliases, *kernel.facts, used, array.decl);
                       });
                     }) ||
        llvm::any_of(plan.stepBacks, [&](const StepBackPlan& step) {
          return llvm::any_of(step.arrays, [&](const VarDecl* var) { return facts.aliases->mayName(var, array.decl); });
        });
    if (isUsed || !isa<VarDecl>(array.decl) || !remarked.insert(array.loc).second) continue;
    remarkMissed(context.getDiagnostics(), array.loc, say::DirectiveNamesUnusedArray(array.name, names));
  }
}

}  // namespace

TranslationUnitPlan makePlan(ASTContext& context, const DirectiveTable& table, const FileFacts& facts) {
  TranslationUnitPlan plan;
  plan.regions = facts.regions;
  plan.nested = facts.nested;
  for (const ManagedVar& managed : table.managed) plan.arrays.push_back(planArray(context, managed));
  KernelPlanner kernels(context);
  for (const LoopFacts& loop : facts.loops) {
    if (loop.refusal)
      plan.stepBacks.push_back(
          planStepBack(loop, table.isLeftOut(context.getSourceManager(), loop.directive->getBeginLoc())));
    else
      plan.kernels.push_back(kernels.plan(loop));
  }
  const Aliases& aliases = *facts.aliases;
  for (KernelPlan& kernel : plan.kernels) findEmbedded(aliases, plan.arrays, kernel);
  classifyArrays(aliases, facts.loops, plan.stepBacks, context.getSourceManager(), plan.arrays);
  remarkUnused(context, facts, plan);
  for (StepBackPlan& step : plan.stepBacks) dropUnmanaged(plan.arrays, step);
  return plan;
}

}  // namespace muster::plugin
