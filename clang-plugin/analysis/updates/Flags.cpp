// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags: variables that a loop only sets, all to one constant. Whoever sets one, and how often, makes no difference.
#include "analysis/objects/Objects.h"
#include "analysis/updates/Updates.h"
#include "clang/Basic/OpenMPKinds.h"
#include "muster/abi.h"
#include "source/AstVisitor.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Assignments of C++ of which the code uses the variable, not the value: (x = 1) += 2, int &r = (x = 1).
class UsedAssignments : public AstVisitor {
 public:
  std::set<const Expr*> found;

  bool VisitStmt(Stmt* statement) override {
    auto* cast = dyn_cast<CastExpr>(statement);
    auto* op = dyn_cast<BinaryOperator>(statement);
    const bool givesValue = cast && (cast->getCastKind() == CK_LValueToRValue || cast->getCastKind() == CK_ToVoid);
    const bool handsOn = (op && op->isCommaOp()) || (cast && cast->getCastKind() == CK_NoOp) ||
                         isa<ParenExpr, FullExpr, AbstractConditionalOperator>(statement);
    if (givesValue || handsOn || !isa<Expr, DeclStmt, ReturnStmt>(statement)) return true;
    for (const Stmt* child : statement->children())
      if (auto* expr = dyn_cast_or_null<Expr>(child)) add(expr);
    return true;
  }

 private:
  void add(const Expr* expr) {
    if (!expr->isGLValue()) return;
    expr = expr->IgnoreParenImpCasts();
    auto* op = dyn_cast<BinaryOperator>(expr);
    if (auto* choice = dyn_cast<ConditionalOperator>(expr)) {
      add(choice->getTrueExpr());
      add(choice->getFalseExpr());
    } else if (op && op->isCommaOp()) {
      add(op->getRHS());
    } else if (op && op->getOpcode() == BO_Assign) {
      found.insert(op);
    }
  }
};

class Settings : public AstVisitor {
 public:
  explicit Settings(const VarDecl* var) : var_(var) {}
  std::vector<const Expr*> values;
  std::vector<const BinaryOperator*> settings;
  unsigned uses = 0;

  bool VisitBinaryOperator(BinaryOperator* op) override {
    auto* target = dyn_cast<DeclRefExpr>(op->getLHS()->IgnoreParens());
    if (op->getOpcode() != BO_Assign || !target || target->getDecl() != var_) return true;
    values.push_back(op->getRHS());
    settings.push_back(op);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    uses += reference->getDecl() == var_;
    return true;
  }

 private:
  const VarDecl* var_;
};

// Assignments to members, by member, and how often the code names each, of whatever object.
class MemberSettings : public AstVisitor {
 public:
  std::map<const FieldDecl*, std::vector<const BinaryOperator*>> settings;
  std::map<const FieldDecl*, std::size_t> uses;

  bool VisitBinaryOperator(BinaryOperator* op) override {
    auto* target = dyn_cast<MemberExpr>(op->getLHS()->IgnoreParens());
    auto* field = target ? dyn_cast<FieldDecl>(target->getMemberDecl()) : nullptr;
    if (op->getOpcode() == BO_Assign && field && lambdas_ == 0) settings[field].push_back(op);
    return true;
  }
  bool VisitMemberExpr(MemberExpr* member) override {
    if (auto* field = dyn_cast<FieldDecl>(member->getMemberDecl())) ++uses[field];
    return true;
  }
  // Its text is that of another function.
  bool TraverseLambdaExpr(LambdaExpr* lambda) override {
    ++lambdas_;
    const bool goOn = AstVisitor::TraverseLambdaExpr(lambda);
    --lambdas_;
    return goOn;
  }

 private:
  unsigned lambdas_ = 0;
};

// Whether the settings are all that the code does with what they set.
bool areAll(const Stmt* code, const std::vector<const BinaryOperator*>& settings) {
  UsedAssignments used;
  used.TraverseStmt(const_cast<Stmt*>(code));
  return llvm::none_of(settings, [&](const BinaryOperator* setting) { return used.found.count(setting); });
}

}  // namespace

// Of a variable that gets these values and no others.
static std::optional<ResultFact> flagOf(const ASTContext& ast, const VarDecl* var,
                                        const std::vector<const Expr*>& values) {
  const QualType type = var->getType().getNonReferenceType();
  if (!type->isIntegerType() || type->isEnumeralType() || type.isVolatileQualified() || !canBeMerged(ast, type))
    return std::nullopt;
  std::optional<std::int64_t> constant;
  for (const Expr* value : values) {
    Expr::EvalResult result;
    if (!value->EvaluateAsInt(result, ast) || result.Val.getInt().getSignificantBits() > 32) return std::nullopt;
    const std::int64_t number = result.Val.getInt().getExtValue();
    if (constant && *constant != number) return std::nullopt;
    constant = number;
  }
  const bool isBool = type->isBooleanType();
  const unsigned kind = *constant != 0 ? (isBool ? MUSTER_REDUCE_LOR : MUSTER_REDUCE_OR)
                                       : (isBool ? MUSTER_REDUCE_LAND : MUSTER_REDUCE_AND);
  return ResultFact{var, kind, values.front()};
}

std::optional<ResultFact> flagOf(const ASTContext& ast, const Stmt* code, const VarDecl* var) {
  Settings settings(var);
  settings.TraverseStmt(const_cast<Stmt*>(code));
  if (settings.values.empty() || settings.values.size() != settings.uses || !areAll(code, settings.settings))
    return std::nullopt;
  return flagOf(ast, var, settings.values);
}

void findMemberFlags(LoopContext& context) {
  // What a target construct does to an object that it does not map is lost.
  if (isOpenMPTargetExecutionDirective(context.facts.directive->getDirectiveKind())) return;
  MemberSettings body;
  body.TraverseStmt(const_cast<Stmt*>(context.facts.body));
  for (const auto& [field, settings] : body.settings) {
    if (settings.size() != body.uses[field] || !areAll(context.facts.body, settings)) continue;
    const VarDecl* var = context.objects().member(settings.front()->getLHS(), {});
    const ObjectMember* member = var ? context.objects().find(var) : nullptr;
    if (!member || member->path.isInUnion() || context.roles.count(var)) continue;
    std::vector<const Expr*> values;
    for (const BinaryOperator* setting : settings) {
      const bool isText = setting->getLHS()->getBeginLoc().isFileID() && setting->getLHS()->getEndLoc().isFileID();
      if (isText && context.objects().member(setting->getLHS(), {}) == var) values.push_back(setting->getRHS());
    }
    const bool isFixed = llvm::all_of(member->path.steps, [](const auto& step) { return !step.index; });
    const auto flag = isFixed && values.size() == settings.size() ? flagOf(context.ast, var, values) : std::nullopt;
    if (!flag) continue;
    context.roles[var] = Role::Private;
    context.facts.results.push_back(*flag);
  }
}

bool checkMemberFlags(LoopContext& context) {
  for (const auto& [text, var] : memberFlags(context.facts)) {
    const ObjectPath& flag = context.objects().find(var)->path;
    const std::string name = "'" + var->getNameAsString() + "'";
    for (const ScalarFact& scalar : context.facts.scalars) {
      const ObjectMember* member = context.objects().find(scalar.var);
      const ObjectPath whole =
          member ? member->path : ObjectPath{scalar.var, scalar.var->getType().getNonReferenceType(), {}};
      if (scalar.byValue && flag.startsWith(whole))
        return context.refuse(text->getExprLoc(), say::WritesSharedVariable(name));
    }
  }
  return true;
}

std::vector<std::pair<const MemberExpr*, const VarDecl*>> memberFlags(const LoopFacts& facts) {
  std::vector<std::pair<const MemberExpr*, const VarDecl*>> flags;
  const bool any = llvm::any_of(facts.results, [&](const auto& result) { return facts.objects->find(result.var); });
  if (!any) return flags;
  MemberSettings body;
  body.TraverseStmt(const_cast<Stmt*>(facts.body));
  for (const auto& [field, settings] : body.settings)
    for (const BinaryOperator* setting : settings) {
      const VarDecl* var = facts.objects->member(setting->getLHS(), {});
      if (var && llvm::any_of(facts.results, [&](const ResultFact& result) { return result.var == var; }))
        flags.emplace_back(cast<MemberExpr>(setting->getLHS()->IgnoreParens()), var);
    }
  return flags;
}

}  // namespace muster::plugin
