// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which called functions the analysis knows, and which variables a statement may change.
#include "analysis/code/Functions.h"

#include "analysis/code/Library.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringSet.h"
#include "source/AstVisitor.h"
#include "source/ElementTypes.h"

namespace muster::plugin {

using namespace clang;

bool isMaths(const FunctionDecl* function) {
  // clang-format off
  static const llvm::StringSet<> names = {
      "sqrt", "cbrt", "hypot", "pow", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan",
      "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor", "ceil", "round",
      "trunc", "rint", "nearbyint", "fmod", "remainder", "fma", "fmin", "fmax", "fdim", "fabs", "abs", "labs",
      "llabs", "copysign", "isnan", "isinf", "isfinite", "signbit", "erf", "erfc", "tgamma", "lgamma", "ldexp",
      "lround", "llround", "lrint", "llrint", "min", "max", "clamp", "isnormal", "exp10", "logb", "ilogb",
      "nextafter", "scalbn", "isgreater", "isgreaterequal", "isless", "islessequal", "islessgreater", "isunordered",
      "frexp", "modf", "remquo", "clz", "clzl", "clzll", "ctz", "ctzl", "ctzll", "popcount", "popcountl",
      "popcountll", "is_constant_evaluated", "constant_p", "unreachable", "expect", "inf", "huge_val", "nan",
      "cabs", "carg", "cexp", "creal", "cimag", "conj", "cproj", "csqrt", "clog", "cpow", "csin", "ccos", "ctan",
      "csinh", "ccosh", "ctanh", "casin", "cacos", "catan", "casinh", "cacosh", "catanh"};
  // clang-format on
  if (!function->getDeclName().isIdentifier() || !isLibrary(function)) return false;
  llvm::StringRef name = function->getName();
  name.consume_front("__builtin_");
  if (names.contains(name)) return true;
  return (name.ends_with("f") || name.ends_with("l")) && names.contains(name.drop_back());
}

bool isForwarding(const FunctionDecl* function) {
  if (!function->getDeclName().isIdentifier() || !function->isInStdNamespace() || function->getNumParams() != 1)
    return false;
  const llvm::StringRef name = function->getName();
  return name == "move" || name == "forward" || name == "as_const";
}

// std::sort and std::unique of numbers, as GCC's parallel mode (_GLIBCXX_PARALLEL) makes them.
static bool isOfParallelMode(const FunctionDecl* function) {
  const auto* space = dyn_cast<NamespaceDecl>(function->getDeclContext());
  if (!space || !space->getDeclName() || space->getName() != "__parallel" || !function->isInStdNamespace())
    return false;
  const auto isNumbers = [](const ParmVarDecl* parameter) {
    return parameter->getType()->isPointerType() && isScalarType(parameter->getType()->getPointeeType());
  };
  return (function->getName() == "sort" || function->getName() == "unique") && function->getNumParams() == 2 &&
         llvm::all_of(function->parameters(), isNumbers);
}

bool isMemoryFunction(const FunctionDecl* function) {
  if (!function->getDeclName().isIdentifier() || !isLibrary(function)) return false;
  if (isOfParallelMode(function) || (function->getName() == "qsort" && function->getNumParams() == 4)) return true;
  if (function->getNumParams() != 3) return false;
  llvm::StringRef name = function->getName();
  name.consume_front("__builtin_");
  return name == "memcpy" || name == "memmove" || name == "memset";
}

bool isSeeded(const FunctionDecl* function) {
  return function->getDeclName().isIdentifier() && isLibrary(function) && function->getName() == "rand_r" &&
         function->getNumParams() == 1;
}

bool isAssertion(const FunctionDecl* function) {
  if (!function->getDeclName().isIdentifier() || !isLibrary(function)) return false;
  const llvm::StringRef name = function->getName();
  return name == "__assert_fail" ||
         (function->isInStdNamespace() && function->isNoReturn() && name.starts_with("__throw_"));
}

bool isSwap(const FunctionDecl* function) {
  return function->getDeclName().isIdentifier() && function->getName() == "swap" && function->isInStdNamespace() &&
         function->getNumParams() == 2;
}

const FunctionDecl* definitionOf(const FunctionDecl* function) {
  const FunctionDecl* definition = nullptr;
  if (!function || !function->hasBody(definition) || definition->isVariadic() || definition->isDependentContext())
    return nullptr;
  return definition;
}

const Expr* onlyExpression(const FunctionDecl* definition) {
  auto* body = dyn_cast_or_null<CompoundStmt>(definition->getBody());
  const Stmt* only = body && body->size() == 1 ? body->body_front() : nullptr;
  if (auto* result = dyn_cast_or_null<ReturnStmt>(only)) return result->getRetValue();
  return dyn_cast_or_null<Expr>(only);
}

// What each unit and each device has alike.
static bool isPlainData(const ASTContext& ast, QualType type) {
  return !type->isAnyComplexType() && canBeElement(ast, type).empty();
}

static bool canBePassed(const ASTContext& ast, QualType type) {
  const QualType given = givenAway(type);
  return !type.isVolatileQualified() && !type->isVariablyModifiedType() &&
         isPlainData(ast, given.isNull() ? type : given);
}

bool passesPlainData(const FunctionDecl* function) {
  const ASTContext& ast = function->getASTContext();
  if (function->isVariadic() || isa<CXXConstructorDecl, CXXDestructorDecl, CXXConversionDecl>(function)) return false;
  if (auto* method = dyn_cast<CXXMethodDecl>(function); method && method->isInstance())
    if (method->isVirtual() || method->isVolatile() || !isPlainData(ast, ast.getRecordType(method->getParent())))
      return false;
  const QualType result = function->getReturnType();
  return (result->isVoidType() || isPlainData(ast, result)) &&
         llvm::all_of(function->parameters(),
                      [&](const ParmVarDecl* parameter) { return canBePassed(ast, parameter->getType()); });
}

bool isOfOtherUnit(const FunctionDecl* function) {
  return !function->hasBody() && !isLibrary(function) && !function->isDependentContext() && !function->isTrivial() &&
         !function->isDefaulted() && function->isExternallyVisible() && passesPlainData(function);
}

std::vector<const FunctionDecl*> lambdaBodies(QualType type) {
  auto* record = type.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->isLambda()) return {};
  std::vector<const FunctionDecl*> bodies;
  if (auto* generic = record->getDependentLambdaCallOperator()) {
    for (const FunctionDecl* instance : generic->specializations())
      if (instance->getBody()) bodies.push_back(instance);
  } else if (const CXXMethodDecl* method = record->getLambdaCallOperator(); method && method->getBody()) {
    bodies.push_back(method);
  }
  return bodies;
}

namespace {

class ChangeFinder : public AstVisitor {
 public:
  std::set<const VarDecl*> changed;

  bool VisitBinaryOperator(BinaryOperator* op) override {
    if (op->isAssignmentOp()) note(op->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* op) override {
    if (op->isIncrementDecrementOp() || op->getOpcode() == UO_AddrOf) note(op->getSubExpr());
    return true;
  }
  bool VisitCallExpr(CallExpr* call) override {
    const FunctionDecl* function = call->getDirectCallee();
    if (!function) return true;
    // A member operator has its object as first argument.
    const unsigned skip = isa<CXXOperatorCallExpr>(call) && isa<CXXMethodDecl>(function) ? 1 : 0;
    if (skip && !cast<CXXMethodDecl>(function)->isConst()) note(call->getArg(0));
    for (unsigned i = skip; i < call->getNumArgs() && i - skip < function->getNumParams(); ++i)
      noteBinding(function->getParamDecl(i - skip)->getType(), call->getArg(i));
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* construct) override {
    const CXXConstructorDecl* constructor = construct->getConstructor();
    for (unsigned i = 0; i < construct->getNumArgs() && i < constructor->getNumParams(); ++i)
      noteBinding(constructor->getParamDecl(i)->getType(), construct->getArg(i));
    return true;
  }
  bool VisitVarDecl(VarDecl* var) override {
    if (var->getInit()) noteBinding(var->getType(), var->getInit());
    return true;
  }
  // Whoever names a closure may call it.
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    for (const FunctionDecl* body : lambdaBodies(reference->getType()))
      if (lambdas_.insert(body).second) traverseBody(body);
    return true;
  }
  bool TraverseLambdaExpr(LambdaExpr* lambda) override {
    for (unsigned i = 0; i < lambda->capture_size(); ++i)
      TraverseLambdaCapture(lambda, lambda->capture_begin() + i, lambda->capture_init_begin()[i]);
    traverseBody(lambda->getCallOperator());
    return true;
  }

 private:
  std::set<const FunctionDecl*> lambdas_;
  // What a mutable lambda changes of its copies is no variable around it.
  void traverseBody(const FunctionDecl* body) {
    const std::set<const VarDecl*> before = changed;
    TraverseStmt(body->getBody());
    auto* lambda = cast<CXXMethodDecl>(body)->getParent();
    for (const LambdaCapture& capture : lambda->captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == LCK_ByCopy)
        if (auto* var = dyn_cast<VarDecl>(capture.getCapturedVar()); var && !var->isInitCapture() && !before.count(var))
          changed.erase(var);
  }
  void noteBinding(QualType type, const Expr* value) {
    if (type->isReferenceType() && !type->getPointeeType().isConstQualified()) note(value);
  }
  // The variable itself, not what it points to; all candidates of a conditional.
  void note(const Expr* expr) {
    expr = expr->IgnoreParenCasts();
    if (auto* reference = dyn_cast<DeclRefExpr>(expr)) {
      if (auto* var = dyn_cast<VarDecl>(reference->getDecl())) changed.insert(var);
    } else if (auto* conditional = dyn_cast<ConditionalOperator>(expr)) {
      note(conditional->getTrueExpr());
      note(conditional->getFalseExpr());
    } else if (auto* subscript = dyn_cast<ArraySubscriptExpr>(expr)) {
      if (subscript->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) note(subscript->getBase());
    } else if (auto* member = dyn_cast<MemberExpr>(expr)) {
      if (!member->isArrow()) note(member->getBase());
    } else if (auto* op = dyn_cast<BinaryOperator>(expr)) {
      if (op->isAssignmentOp()) note(op->getLHS());
      if (op->isCommaOp()) note(op->getRHS());
    } else if (auto* unary = dyn_cast<UnaryOperator>(expr)) {
      if (unary->isIncrementDecrementOp()) note(unary->getSubExpr());
    }
  }
};

class MentionFinder : public AstVisitor {
 public:
  explicit MentionFinder(const std::set<const VarDecl*>& wanted) : wanted_(wanted) {}
  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    return !var || !wanted_.count(var);  // stops at the first one
  }

 private:
  const std::set<const VarDecl*>& wanted_;
};

}  // namespace

bool mentions(const Stmt* statement, const std::set<const VarDecl*>& variables) {
  return statement && !MentionFinder(variables).TraverseStmt(const_cast<Stmt*>(statement));
}

std::set<const VarDecl*> changedVariables(const Stmt* statement) {
  ChangeFinder finder;
  if (statement) finder.TraverseStmt(const_cast<Stmt*>(statement));
  return finder.changed;
}

}  // namespace muster::plugin
