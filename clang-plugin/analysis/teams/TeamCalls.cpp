// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/teams/TeamCalls.h"

#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "analysis/code/Library.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "source/ElementTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

bool isSystemCode(const ASTContext& ast, const Decl* decl) {
  const SourceLocation loc = decl->getLocation();
  return loc.isInvalid() || ast.getSourceManager().isInSystemHeader(loc);
}

namespace {

bool asksForThreads(llvm::StringRef name) {
  return llvm::is_contained({"omp_get_thread_num",
                             "omp_get_num_threads",
                             "omp_in_parallel",
                             "omp_get_team_size",
                             "omp_get_ancestor_thread_num",
                             "omp_get_level",
                             "omp_get_active_level",
                             "omp_get_place_num",
                             "omp_get_partition_num_places",
                             "omp_get_partition_place_nums",
                             "get_id",
                             "gettid",
                             "sched_getcpu",
                             "getcpu",
                             "syscall",
                             "pthread_self",
                             "pthread_getspecific",
                             "pthread_setspecific",
                             "thrd_current",
                             "tss_get",
                             "tss_set"},
                            name);
}

// Locks and what concerns other threads than those of the team are harmless.
bool waitsForThreads(llvm::StringRef name) {
  return llvm::is_contained({"pthread_barrier_wait", "pthread_cond_wait", "pthread_cond_timedwait",
                             "pthread_cond_clockwait", "pthread_join", "pthread_kill", "cnd_wait", "cnd_timedwait",
                             "sem_wait", "sem_timedwait", "sem_clockwait", "thrd_join"},
                            name) ||
         (name.starts_with("__atomic_") && (name.contains("load") || name.contains("exchange"))) ||
         (name.starts_with("__sync_") && (name.contains("compare_and_swap") || name.contains("test_and_set")));
}

bool isOfWaitingClass(const FunctionDecl* function) {
  auto* method = dyn_cast<CXXMethodDecl>(function);
  if (!method || isa<CXXConstructorDecl, CXXDestructorDecl>(method)) return false;
  const CXXRecordDecl* record = method->getParent();
  return record->isInStdNamespace() && record->getIdentifier() &&
         llvm::is_contained({"barrier", "latch", "counting_semaphore", "condition_variable", "condition_variable_any",
                             "future", "__basic_future", "shared_future"},
                            record->getName());
}

class CallReader {
 public:
  CallReader(const ASTContext& ast, bool byLibrary) : ast_(ast), byLibrary_(byLibrary) {}
  CalledCode called;

  void read(const Expr* use);
  void end(QualType type);
  void add(const FunctionDecl* function, llvm::ArrayRef<const Expr*> arguments);

 private:
  void readCall(const CallExpr* call);
  bool readPointerCall(const CallExpr* call);
  void readDelete(const CXXDeleteExpr* expr);
  void addLibrary(const FunctionDecl* function, llvm::ArrayRef<const Expr*> arguments);
  void addArgument(const Expr* argument);
  // What the arguments of a template lead to: types of the user's, and functions that are called through pointers.
  struct Given {
    std::vector<const TagDecl*> types;
    bool functions = false;
  };
  void collect(const TemplateArgumentList* arguments, Given& given) const;
  void collect(const TemplateArgument& argument, Given& given) const;
  void collect(QualType type, Given& given) const;
  void addCallable(const TagDecl* type);
  bool isSystem(const Decl* decl) const { return isSystemCode(ast_, decl); }
  void refuse(std::string what) {
    if (called.obstacle.empty()) called.obstacle = std::move(what);
  }

  const ASTContext& ast_;
  const bool byLibrary_;
  llvm::SmallPtrSet<const CXXRecordDecl*, 8> ended_;  // a class may hold, by way of a container, objects of its own
};

// The method that a call surely runs; nullptr: that depends on the object.
const CXXMethodDecl* methodOf(const CallExpr* call, const CXXMethodDecl* method) {
  if (!method->isVirtual()) return method;
  if (auto* member = dyn_cast<MemberExpr>(call->getCallee()->IgnoreParens()); member && member->hasQualifier())
    return method;
  const Expr* object = objectOf(call);
  return object ? method->getDevirtualizedMethod(object, false) : nullptr;
}

// The functions that a variable of a function may point to: all that is done with it is to assign functions, and to
// call them.
class PointedFunctions {
 public:
  explicit PointedFunctions(const VarDecl* var) : var_(var) {}
  std::vector<const FunctionDecl*> found;

  // False: it may point to others.
  bool run() {
    const DeclContext* context = var_->getDeclContext();
    while (context && !isa<FunctionDecl>(context)) context = context->getParent();
    return context && (!var_->getInit() || add(var_->getInit())) && visit(cast<FunctionDecl>(context)->getBody());
  }

 private:
  bool isVariable(const Expr* expr) const {
    auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParens());
    return reference && reference->getDecl() == var_;
  }
  bool add(const Expr* value) {
    value = value->IgnoreParenCasts();
    if (auto* choice = dyn_cast<ConditionalOperator>(value))
      return add(choice->getTrueExpr()) && add(choice->getFalseExpr());
    if (auto* address = dyn_cast<UnaryOperator>(value); address && address->getOpcode() == UO_AddrOf)
      value = address->getSubExpr()->IgnoreParenCasts();
    if (isa<CXXNullPtrLiteralExpr>(value)) return true;
    auto* reference = dyn_cast<DeclRefExpr>(value);
    auto* function = reference ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr;
    if (function) found.push_back(function);
    return function != nullptr;
  }
  bool visit(const Stmt* statement) {
    if (!statement) return true;
    if (auto* captured = dyn_cast<CapturedStmt>(statement)) return visit(captured->getCapturedStmt());
    if (auto* directive = dyn_cast<OMPExecutableDirective>(statement))
      return !directive->hasAssociatedStmt() || visit(directive->getRawStmt());
    if (auto* assignment = dyn_cast<BinaryOperator>(statement);
        assignment && assignment->getOpcode() == BO_Assign && isVariable(assignment->getLHS()))
      return add(assignment->getRHS());
    if (auto* cast = dyn_cast<ImplicitCastExpr>(statement);
        cast && cast->getCastKind() == CK_LValueToRValue && isVariable(cast->getSubExpr()))
      return true;
    if (auto* expr = dyn_cast<Expr>(statement); expr && isVariable(expr)) return false;
    return llvm::all_of(statement->children(), [&](const Stmt* child) { return visit(child); });
  }

  const VarDecl* var_;
};

// A call through a pointer that is known to lead to some functions. False: to any.
bool CallReader::readPointerCall(const CallExpr* call) {
  const Expr* callee = call->getCallee()->IgnoreParenImpCasts();
  if (auto* target = dyn_cast<UnaryOperator>(callee); target && target->getOpcode() == UO_Deref)
    callee = target->getSubExpr()->IgnoreParenImpCasts();
  auto* reference = dyn_cast<DeclRefExpr>(callee);
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!var || !var->isLocalVarDecl() || !var->getType()->isFunctionPointerType()) return false;
  PointedFunctions pointed(var);
  if (!pointed.run()) return false;
  for (const FunctionDecl* function : pointed.found) add(function, llvm::ArrayRef(call->getArgs(), call->getNumArgs()));
  return true;
}

void CallReader::readCall(const CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  if (!function) {
    if (!byLibrary_ && readPointerCall(call)) return;
    if (!byLibrary_ && !isa<CXXPseudoDestructorExpr>(call->getCallee()->IgnoreParens()))
      refuse(say::PointerMayDependOnTeam);
    return;
  }
  if (auto* method = dyn_cast<CXXMethodDecl>(function); method && method->isInstance()) {
    const CXXMethodDecl* exact = methodOf(call, method);
    if (!exact && !isSystem(method)) return refuse(say::VirtualMethodUnseen(method->getNameAsString()));
    if (exact) function = exact;
  }
  add(function, llvm::ArrayRef(call->getArgs(), call->getNumArgs()));
}

void CallReader::readDelete(const CXXDeleteExpr* expr) {
  if (const FunctionDecl* freed = expr->getOperatorDelete()) add(freed, {});
  const QualType type = expr->getDestroyedType();
  const CXXRecordDecl* record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
  const CXXDestructorDecl* destructor = record && record->hasDefinition() ? record->getDestructor() : nullptr;
  const bool isFinal = record && record->hasAttr<FinalAttr>();
  if (destructor && destructor->isVirtual() && !isFinal && !isSystem(record))
    return refuse(say::VirtualMethodUnseen(destructor->getNameAsString()));
  if (record) end(type);
}

void CallReader::read(const Expr* use) {
  if (auto* call = dyn_cast<CallExpr>(use)) {
    readCall(call);
  } else if (auto* construct = dyn_cast<CXXConstructExpr>(use)) {
    add(construct->getConstructor(), llvm::ArrayRef(construct->getArgs(), construct->getNumArgs()));
  } else if (auto* inherited = dyn_cast<CXXInheritedCtorInitExpr>(use)) {
    add(inherited->getConstructor(), {});
  } else if (auto* allocation = dyn_cast<CXXNewExpr>(use)) {
    if (const FunctionDecl* function = allocation->getOperatorNew()) add(function, {});
  } else if (auto* deletion = dyn_cast<CXXDeleteExpr>(use)) {
    readDelete(deletion);
  } else if (auto* temporary = dyn_cast<CXXBindTemporaryExpr>(use)) {
    end(temporary->getType());
  } else if (auto* atomic = dyn_cast<AtomicExpr>(use)) {
    const std::string name = atomic->getOpAsString().str();
    if (waitsForThreads(name)) refuse(say::ThreadsMayWait(name));
  }
}

void CallReader::end(QualType type) {
  const CXXRecordDecl* record = ast_.getBaseElementType(type)->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || record->hasTrivialDestructor()) return;
  if (!ended_.insert(record->getCanonicalDecl()).second) return;
  const CXXDestructorDecl* destructor = record->getDestructor();
  if (isSystem(record)) {
    if (destructor) addLibrary(destructor, {});
    return;
  }
  if (destructor && destructor->isUserProvided()) add(destructor, {});
  for (const FieldDecl* field : record->fields()) end(field->getType());
  for (const CXXBaseSpecifier& base : record->bases()) end(base.getType());
}

void CallReader::add(const FunctionDecl* function, llvm::ArrayRef<const Expr*> arguments) {
  const FunctionDecl* definition = nullptr;
  if (function->hasBody(definition) && !isSystem(definition)) {
    (definition->isWeak() ? called.unseen : called.functions).push_back(definition);
    return;
  }
  if (function->isTrivial() || function->hasAttr<ConstAttr>()) return;
  if (definition || function->getBuiltinID() != 0 || isSystem(function)) return addLibrary(function, arguments);
  if (auto* constructor = dyn_cast<CXXConstructorDecl>(function))
    return refuse(say::UndefinedConstructorMayDependOnTeam(constructor->getParent()->getNameAsString()));
  if (isa<CXXDestructorDecl>(function)) return refuse(say::UndefinedCalleeMayDependOnTeam(function->getNameAsString()));
  called.unseen.push_back(function);
}

void CallReader::addLibrary(const FunctionDecl* function, llvm::ArrayRef<const Expr*> arguments) {
  if (!byLibrary_) {
    const std::string name = nameOfCallee(function);
    if (asksForThreads(name)) return refuse(dependsOnTeam(function));
    if (waitsForThreads(name) || isOfWaitingClass(function)) return refuse(say::ThreadsMayWait(name));
    for (const Expr* argument : arguments) addArgument(argument);
  }
  Given given;
  collect(function->getTemplateSpecializationArgs(), given);
  const DeclContext* context = function->getDeclContext();
  for (; context && context->isRecord(); context = context->getParent())
    if (auto* specialization = dyn_cast<ClassTemplateSpecializationDecl>(context))
      collect(&specialization->getTemplateArgs(), given);
  auto* method = dyn_cast<CXXMethodDecl>(function);
  if (!byLibrary_ && given.functions && method && method->isInstance()) return refuse(say::PointerMayDependOnTeam);
  if (given.types.empty()) return;
  for (const TagDecl* type : given.types) addCallable(type);
  const FunctionDecl* definition = nullptr;
  if (function->hasBody(definition)) called.functions.push_back(definition);
}

// The library calls a function that it is given.
void CallReader::addArgument(const Expr* argument) {
  QualType type = argument->getType().getNonReferenceType();
  if (type->isPointerType() || type->isBlockPointerType()) type = type->getPointeeType();
  if (!type->isFunctionType() && !type->isMemberFunctionPointerType()) return;
  argument = argument->IgnoreParenCasts();
  while (auto* address = dyn_cast<UnaryOperator>(argument)) argument = address->getSubExpr()->IgnoreParenCasts();
  if (argument->isNullPointerConstant(const_cast<ASTContext&>(ast_), Expr::NPC_ValueDependentIsNotNull)) return;
  auto* reference = dyn_cast<DeclRefExpr>(argument);
  auto* function = reference ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr;
  auto* method = dyn_cast_or_null<CXXMethodDecl>(function);
  // A lambda without captures, as a pointer.
  if (auto* conversion = dyn_cast<CXXMemberCallExpr>(argument)) {
    const auto bodies = lambdaBodies(conversion->getImplicitObjectArgument()->getType());
    called.functions.insert(called.functions.end(), bodies.begin(), bodies.end());
    if (!bodies.empty()) return;
  }
  if (!function || (method && method->isVirtual())) return refuse(say::PointerMayDependOnTeam);
  add(function, {});
}

void CallReader::collect(const TemplateArgumentList* arguments, Given& given) const {
  if (!arguments) return;
  for (const TemplateArgument& argument : arguments->asArray()) collect(argument, given);
}

void CallReader::collect(const TemplateArgument& argument, Given& given) const {
  if (argument.getKind() == TemplateArgument::Type) collect(argument.getAsType(), given);
  if (argument.getKind() == TemplateArgument::Pack)
    for (const TemplateArgument& part : argument.pack_elements()) collect(part, given);
  if (argument.getKind() == TemplateArgument::Declaration) given.functions |= isa<FunctionDecl>(argument.getAsDecl());
}

void CallReader::collect(QualType type, Given& given) const {
  type = innermostType(type.getCanonicalType());
  given.functions |= type->isFunctionType() || type->isMemberFunctionPointerType();
  const TagDecl* tag = type->getAsTagDecl();
  if (!tag) return;
  if (!isSystem(tag)) {
    if (!llvm::is_contained(given.types, tag)) given.types.push_back(tag);
  } else if (auto* specialization = dyn_cast<ClassTemplateSpecializationDecl>(tag)) {
    collect(&specialization->getTemplateArgs(), given);
  }
}

// What the library may do with an object of the user's, also through pointers of its own: call it, and end it.
void CallReader::addCallable(const TagDecl* type) {
  auto* record = dyn_cast<CXXRecordDecl>(type);
  if (!record || !record->hasDefinition()) return;
  const QualType recordType = ast_.getRecordType(record);
  for (const FunctionDecl* body : lambdaBodies(recordType)) called.functions.push_back(body);
  if (record->isLambda()) return;
  for (const CXXMethodDecl* method : record->methods())
    if (method->getOverloadedOperator() == OO_Call) add(method, {});
  end(recordType);
}

}  // namespace

std::string dependsOnTeam(const FunctionDecl* function) { return say::ResultDependsOnTeam(nameOfCallee(function)); }

CalledCode calledBy(const ASTContext& ast, const Expr* use, bool byLibrary) {
  CallReader reader(ast, byLibrary);
  reader.read(use);
  return std::move(reader.called);
}

CalledCode calledAtEnd(const ASTContext& ast, const VarDecl* var, bool byLibrary) {
  CallReader reader(ast, byLibrary);
  if (auto* cleanup = var->getAttr<CleanupAttr>()) reader.add(cleanup->getFunctionDecl(), {});
  if (!var->getType()->isReferenceType()) reader.end(var->getType());
  return std::move(reader.called);
}

std::vector<VarDecl*> objectCopies(const OMPExecutableDirective* region) {
  std::vector<VarDecl*> copies;
  const auto add = [&](const auto& list) {
    for (const Expr* copy : list)
      if (auto* reference = dyn_cast_or_null<DeclRefExpr>(copy))
        if (auto* var = dyn_cast<VarDecl>(const_cast<ValueDecl*>(reference->getDecl()));
            var && var->getType()->getBaseElementTypeUnsafe()->isRecordType())
          copies.push_back(var);
  };
  for (const OMPClause* clause : region->clauses()) {
    if (auto* own = dyn_cast<OMPPrivateClause>(clause)) add(own->private_copies());
    if (auto* first = dyn_cast<OMPFirstprivateClause>(clause)) add(first->private_copies());
    if (auto* reduction = dyn_cast<OMPReductionClause>(clause)) add(reduction->privates());
  }
  return copies;
}

}  // namespace muster::plugin
