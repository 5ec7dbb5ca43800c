// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/records/Records.h"

#include "analysis/code/Functions.h"
#include "analysis/code/UpdateParts.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/records/Locks.h"
#include "analysis/teams/TeamVariables.h"
#include "analysis/updates/Updates.h"
#include "clang/Basic/OpenMPKinds.h"
#include "source/AstVisitor.h"
#include "source/ElementTypes.h"

namespace muster::plugin {

using namespace clang;

namespace {

const VarDecl* variableOf(const Expr* expr) {
  auto* reference = dyn_cast<DeclRefExpr>(bareExpr(expr));
  return reference && !reference->hasQualifier() ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

struct Assignment {
  const VarDecl* var;
  const Expr* value;
};

// `{ a = x; b = y; }`; empty: something else.
std::vector<Assignment> assignmentsOf(const Stmt* statement) {
  std::vector<Assignment> found;
  auto* block = dyn_cast<CompoundStmt>(statement);
  if (!block || block->getLBracLoc().isMacroID() || block->getRBracLoc().isMacroID()) return {};
  for (const Stmt* child : block->body()) {
    auto* expr = dyn_cast<Expr>(child);
    auto* op = expr ? dyn_cast<BinaryOperator>(bareExpr(expr)) : nullptr;
    const VarDecl* var = op && op->getOpcode() == BO_Assign ? variableOf(op->getLHS()) : nullptr;
    const bool twice = llvm::any_of(found, [&](const Assignment& other) { return other.var == var; });
    if (!var || twice || !isScalarType(var->getType().getNonReferenceType())) return {};
    found.push_back({var, op->getRHS()});
  }
  std::set<const VarDecl*> vars;
  for (const Assignment& assignment : found) vars.insert(assignment.var);
  for (const Assignment& assignment : found)
    if (mentions(assignment.value, vars)) return {};
  return found;
}

// A comparison of a variable with the value that it is assigned.
struct Comparison {
  const VarDecl* var = nullptr;
  bool less = true;    // the value is the smaller one
  bool equal = false;  // or equal, or only equal
};

std::optional<Comparison> comparisonOf(const ASTContext& ast, const Expr* expr, bool isEquality,
                                       const std::vector<Assignment>& assignments) {
  auto* op = dyn_cast<BinaryOperator>(bareExpr(expr));
  if (!op || !(isEquality ? op->getOpcode() == BO_EQ : op->isRelationalOp())) return std::nullopt;
  for (const bool valueFirst : {true, false}) {
    const Expr *value = valueFirst ? op->getLHS() : op->getRHS(), *place = valueFirst ? op->getRHS() : op->getLHS();
    const VarDecl* var = variableOf(place);
    const auto found = llvm::find_if(assignments, [&](const Assignment& other) { return other.var == var; });
    if (!var || found == assignments.end() || !isSame(ast, found->value, value)) continue;
    const QualType type = var->getType().getNonReferenceType();
    if (!canBeMerged(ast, type) || !convertsExactly(ast, found->value, type)) continue;
    const BinaryOperatorKind relation = op->getOpcode();
    const bool less = relation == BO_LT || relation == BO_LE;
    return Comparison{var, less == valueFirst, relation == BO_LE || relation == BO_GE || relation == BO_EQ};
  }
  return std::nullopt;
}

// `v < best`, or `v < best || (v == best && i < at)`.
std::optional<RecordFact> choiceOf(const ASTContext& ast, const IfStmt* statement) {
  if (statement->getElse() || statement->getInit() || statement->getConditionVariable()) return std::nullopt;
  const std::vector<Assignment> assignments = assignmentsOf(statement->getThen());
  if (assignments.size() < 2) return std::nullopt;
  RecordFact record;
  const Expr* condition = bareExpr(statement->getCond());
  auto* either = dyn_cast<BinaryOperator>(condition);
  if (either && either->getOpcode() == BO_LOr) {
    auto* both = dyn_cast<BinaryOperator>(bareExpr(either->getRHS()));
    if (!both || both->getOpcode() != BO_LAnd) return std::nullopt;
    const auto equal = comparisonOf(ast, both->getLHS(), true, assignments);
    const auto tie = comparisonOf(ast, both->getRHS(), false, assignments);
    condition = either->getLHS();
    const auto first = comparisonOf(ast, condition, false, assignments);
    if (!equal || !tie || !first || first->equal || first->var != equal->var || tie->var == equal->var)
      return std::nullopt;
    record.tie = tie->var;
    record.tieLeast = tie->less;
    record.latest = tie->equal;
  }
  const auto key = comparisonOf(ast, condition, false, assignments);
  if (!key) return std::nullopt;
  record.vars.push_back(key->var);
  record.least = key->less;
  record.latest |= key->equal;
  for (const Assignment& assignment : assignments)
    if (assignment.var != key->var) record.vars.push_back(assignment.var);
  record.choices.push_back(statement);
  return record;
}

class UseCounter : public AstVisitor {
 public:
  std::map<const VarDecl*, unsigned> uses;
  std::set<const VarDecl*> declared;
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    if (auto* var = dyn_cast<VarDecl>(reference->getDecl())) ++uses[var];
    return true;
  }
  bool VisitVarDecl(VarDecl* var) override {
    declared.insert(var);
    return true;
  }
};

std::map<const VarDecl*, unsigned> usesIn(const Stmt* statement) {
  UseCounter counter;
  counter.TraverseStmt(const_cast<Stmt*>(statement));
  return counter.uses;
}

// The choices of a body, those under `omp critical`, and tests in front of `critical` that repeat that of the choice.
class ChoiceFinder : public AstVisitor {
 public:
  ChoiceFinder(const ASTContext& ast, const LoopFacts& facts) : ast_(ast), facts_(facts) {}
  std::vector<RecordFact> found;
  std::map<const IfStmt*, const OMPCriticalDirective*> criticals;
  std::map<const IfStmt*, const Expr*> tests;

  bool TraverseLambdaExpr(LambdaExpr*) override { return true; }
  bool VisitIfStmt(IfStmt* statement) override {
    if (const auto record = choiceOf(ast_, statement)) found.push_back(*record);
    auto* critical = dyn_cast_or_null<OMPCriticalDirective>(onlyStatement(statement->getThen()));
    auto* inner = critical ? dyn_cast_or_null<IfStmt>(onlyStatement(critical->getAssociatedStmt()))
                           : onlyLockedChoice(facts_, statement->getThen());
    if (inner && !statement->getElse() && isSame(ast_, statement->getCond(), inner->getCond()))
      tests[inner] = statement->getCond();
    return true;
  }
  bool VisitOMPCriticalDirective(OMPCriticalDirective* critical) override {
    const Stmt* held = critical->getAssociatedStmt();
    if (auto* choice = dyn_cast_or_null<IfStmt>(onlyStatement(held))) criticals[choice] = critical;
    if (auto* block = dyn_cast<CompoundStmt>(held))
      for (const Stmt* child : block->body())
        if (auto* choice = dyn_cast<IfStmt>(child)) criticals[choice] = critical;
    return true;
  }

 private:
  const ASTContext& ast_;
  const LoopFacts& facts_;
};

// Adds the choices of one key together. False: they do not agree.
bool join(RecordFact& record, const RecordFact& other) {
  if (record.least != other.least || record.latest != other.latest || record.tie != other.tie ||
      record.tieLeast != other.tieLeast)
    return false;
  for (const VarDecl* var : other.vars)
    if (!llvm::is_contained(record.vars, var)) record.vars.push_back(var);
  llvm::append_range(record.choices, other.choices);
  return true;
}

class RecordFinder {
 public:
  explicit RecordFinder(LoopContext& context) : context_(context), choices_(context.ast, context.facts) {
    choices_.TraverseStmt(const_cast<Stmt*>(context.facts.body));
    body_.TraverseStmt(const_cast<Stmt*>(context.facts.body));
  }

  void run() {
    std::vector<RecordFact> records;
    std::set<const VarDecl*> refused;
    for (const RecordFact& choice : choices_.found) {
      const auto known =
          llvm::find_if(records, [&](const RecordFact& other) { return other.vars[0] == choice.vars[0]; });
      if (known == records.end())
        records.push_back(choice);
      else if (!join(*known, choice))
        refused.insert(choice.vars[0]);
    }
    for (const RecordFact& record : records)
      if (!refused.count(record.vars[0]) && canBe(record)) add(record);
    // A `critical` that protects something else, too, stays, and has the loop refused.
    for (const auto& [choice, critical] : choices_.criticals)
      if (holdsChoicesOnly(critical)) context_.facts.needlessCriticals.insert(critical);
  }

 private:
  bool canBe(const RecordFact& record) const;
  bool isUsedElsewhere(const RecordFact& record) const;
  bool isThreadsOwn(const VarDecl* var) const { return context_.team && context_.team->privates.count(var) > 0; }
  void add(const RecordFact& record);
  bool holdsChoicesOnly(const OMPCriticalDirective* critical) const {
    const Stmt* held = critical->getAssociatedStmt();
    if (auto* block = dyn_cast<CompoundStmt>(held); block && !isChoice(context_.facts, onlyStatement(held)))
      return llvm::all_of(block->body(), [&](const Stmt* child) { return isChoice(context_.facts, child); });
    return isChoice(context_.facts, onlyStatement(held));
  }

  LoopContext& context_;
  ChoiceFinder choices_;
  UseCounter body_;
};

bool RecordFinder::isUsedElsewhere(const RecordFact& record) const {
  std::map<const VarDecl*, unsigned> uses;
  auto count = [&](const Stmt* statement) {
    for (const auto& [var, number] : usesIn(statement)) uses[var] += number;
  };
  for (const IfStmt* choice : record.choices) {
    count(choice);
    if (const auto test = choices_.tests.find(choice); test != choices_.tests.end()) count(test->second);
  }
  return llvm::any_of(record.vars, [&](const VarDecl* var) { return body_.uses.at(var) != uses[var]; });
}

bool RecordFinder::canBe(const RecordFact& record) const {
  const bool own = isThreadsOwn(record.vars[0]);
  for (const VarDecl* var : record.vars) {
    const QualType type = var->getType().getNonReferenceType();
    if (body_.declared.count(var) || context_.roles.count(var) || type.isVolatileQualified() ||
        (type->isRealFloatingType() && context_.ast.getTypeSize(type) == 16) ||
        var->getTLSKind() != VarDecl::TLS_None || isThreadsOwn(var) != own)
      return false;
    if (own && !staysInBody(*context_.team, cast<OMPLoopDirective>(context_.facts.directive), var)) return false;
  }
  // Shared variables change under `critical` or a lock alone; a target construct that does not map them has copies.
  if (!own && isOpenMPTargetExecutionDirective(context_.facts.directive->getDirectiveKind())) return false;
  const auto isProtected = [&](const IfStmt* choice) {
    return choices_.criticals.count(choice) || isLockedChoice(context_.facts, choice);
  };
  if (!own && !llvm::all_of(record.choices, isProtected)) return false;
  return !isUsedElsewhere(record);
}

void RecordFinder::add(const RecordFact& record) {
  LoopFacts& facts = context_.facts;
  for (const VarDecl* var : record.vars) {
    context_.roles[var] = Role::Firstprivate;
    facts.firstprivates.push_back(var);
    facts.scalars.push_back({var});
  }
  facts.records.push_back(record);
}

}  // namespace

std::optional<unsigned> recordOf(const LoopFacts& facts, const Stmt* statement) {
  for (unsigned i = 0; i < facts.records.size(); ++i)
    if (llvm::is_contained(facts.records[i].choices, statement)) return i;
  return std::nullopt;
}

bool isChoice(const LoopFacts& facts, const Stmt* statement) { return recordOf(facts, statement).has_value(); }

std::string winsText(const RecordFact& record, const std::string& left, const std::string& right) {
  auto compared = [&](const std::string& member, const char* relation) {
    return right + "muster_" + member + relation + left + "muster_" + member;
  };
  auto better = [&](std::size_t number, bool least) { return compared(std::to_string(number), least ? " < " : " > "); };
  auto equal = [&](std::size_t number) { return compared(std::to_string(number), " == "); };
  std::string last = compared("order", record.latest ? " > " : " < ");
  if (record.tie) {
    const std::size_t tie = llvm::find(record.vars, record.tie) - record.vars.begin();
    last = "(" + better(tie, record.tieLeast) + " || (" + equal(tie) + " && " + last + "))";
  }
  return better(0, record.least) + " || (" + equal(0) + " && " + last + ")";
}

void findRecords(LoopContext& context) { RecordFinder(context).run(); }

}  // namespace muster::plugin
