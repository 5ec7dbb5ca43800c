// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop's body and the functions that it calls refer to, and what keeps them from running on another rank.
#include "analysis/ClauseText.h"
#include "analysis/Iterators.h"
#include "analysis/Parameters.h"
#include "analysis/Recursion.h"
#include "analysis/RowTables.h"
#include "analysis/SourceText.h"
#include "analysis/ThisUses.h"
#include "analysis/Updates.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "muster/abi.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Trivial structs and arithmetic types, arrays of them, pointers to arithmetic types, and references to these.
bool isLocalType(const ASTContext& ast, QualType type) {
  type = type.getNonReferenceType();
  if (type->isIncompleteArrayType()) return false;
  if (auto* array = ast.getAsArrayType(type)) return isLocalType(ast, array->getElementType());
  if (type->isPointerType()) {
    QualType pointee = type->getPointeeType();
    if (auto* array = ast.getAsConstantArrayType(pointee)) pointee = ast.getBaseElementType(array);
    return isScalarType(pointee) || pointee->isRecordType();
  }
  return isScalarType(type) || isCopiedByBytes(type);
}

// What a statement expression cannot do if it is to be an expression for the analysis, too.
bool hasJumps(const Stmt* statement) {
  if (isa<BreakStmt, ContinueStmt, ReturnStmt>(statement)) return true;
  return llvm::any_of(statement->children(), [](const Stmt* part) { return part && hasJumps(part); });
}

class ReferenceFinder : public RecursiveASTVisitor<ReferenceFinder> {
 public:
  ReferenceFinder(LoopContext& context, const FunctionDecl* function, std::vector<const FunctionDecl*> stack,
                  ObjectBindings bindings)
      : context_(context),
        parameters_(context),
        function_(function),
        stack_(std::move(stack)),
        bindings_(std::move(bindings)) {}

  bool shouldVisitImplicitCode() const { return false; }

  // One reason for each statement that native code in another place, or another process, would not do alike.
  bool VisitStmt(Stmt* statement) {
    if (const char* what = unsupported(statement)) return context_.refuse(statement->getBeginLoc(), what);
    return true;
  }

  bool VisitVarDecl(VarDecl* var) {
    context_.declaredInside.insert(var);
    std::string name = "'" + var->getNameAsString() + "'";
    if (context_.managed.count(var)) return context_.refuse(var->getLocation(), "declares the managed array " + name);
    if (var->isStaticLocal() || isThreadLocal(var)) {
      if (var->isConstexpr() || parameters_.constantRole(var)) return true;
      return context_.refuse(var->getLocation(), "declares the static variable " + name);
    }
    if (!iteratorPointee(var->getType()).isNull() && !var->getType()->getContainedAutoType())
      return context_.refuse(
          var->getLocation(),
          "declares " + name + " by the type of an iterator, which is a pointer there; write 'auto'");
    auto* decomposition = dyn_cast<DecompositionDecl>(var);
    if (decomposition && bindings_.objects.count(var) && decomposition->bindings().front()->getHoldingVar())
      return context_.refuse(var->getLocation(), "binds names to the members of a tuple outside of the loop");
    if (var->getType().isVolatileQualified() || (!bindings_.knows(var) && !isLocalType(context_.ast, var->getType())))
      return context_.refuse(var->getLocation(),
                             "declares " + name + " of type '" + var->getType().getAsString() + "'");
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr* reference) {
    if (auto* binding = dyn_cast<BindingDecl>(reference->getDecl())) {
      if (!context_.declaredInside.count(cast<VarDecl>(binding->getDecomposedDecl())))
        return context_.refuse(reference->getLocation(),
                               "uses the structured binding '" + reference->getDecl()->getNameAsString() + "'");
      return binding->getHoldingVar() || TraverseStmt(binding->getBinding());
    }
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (!var) return true;
    if (bindings_.objects.count(var)) return addWhole(reference, var->getNameAsString());
    const std::string name = "'" + var->getNameAsString() + "'";
    if (bindings_.rowTables.count(var))
      return context_.refuse(reference->getLocation(),
                             "uses " + name + ", a table of rows, for something else than elements of its rows");
    if (context_.declaredInside.count(var)) return true;
    if (const VarDecl* captured = context_.objects().variable(reference, bindings_)) {
      noteUse(captured, reference);
      return parameters_.addMember(reference->getLocation(), captured);
    }
    return function_ ? parameters_.addFromCallee(reference, var, function_) : parameters_.addFromBody(reference, var);
  }

  // Members, and methods of objects outside of the loop, do not come here.
  bool VisitCXXThisExpr(CXXThisExpr* expr) {
    return !context_.objects().pointee(expr, bindings_) || addWhole(expr, "this");
  }

  // What names an object outside of the loop is bound to it; only its members count.
  bool TraverseVarDecl(VarDecl* var) {
    if (!context_.objects().bindLocal(var, bindings_)) return RecursiveASTVisitor::TraverseVarDecl(var);
    if (const auto table = bindings_.rowTables.find(var); table != bindings_.rowTables.end())
      return parameters_.addTable(var->getLocation(), table->second, true) && VisitVarDecl(var);
    if (!function_) context_.objects().name(bindings_.objects.at(var));
    return VisitVarDecl(var);
  }

  bool TraverseDecompositionDecl(DecompositionDecl* var) {
    if (!context_.objects().bindLocal(var, bindings_)) return RecursiveASTVisitor::TraverseDecompositionDecl(var);
    return TraverseVarDecl(var);
  }

  bool TraverseMemberExpr(MemberExpr* member, DataRecursionQueue* = nullptr) {
    if (const VarDecl* var = context_.objects().member(member, bindings_)) {
      noteUse(var, member);
      return parameters_.addMember(member->getMemberLoc(), var);
    }
    return RecursiveASTVisitor::TraverseMemberExpr(member);
  }

  bool TraverseArraySubscriptExpr(ArraySubscriptExpr* subscript, DataRecursionQueue* = nullptr) {
    const VarDecl* var =
        subscript->getType()->isPointerType() ? context_.objects().member(subscript, bindings_) : nullptr;
    if (!var) return RecursiveASTVisitor::TraverseArraySubscriptExpr(subscript);
    return parameters_.addMember(subscript->getExprLoc(), var) && TraverseStmt(subscript->getIdx());
  }

  // Their operands name variables that native code has to know, but nothing is called.
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr* expr, DataRecursionQueue* = nullptr) {
    return unevaluated([&] { return RecursiveASTVisitor::TraverseUnaryExprOrTypeTraitExpr(expr); });
  }
  // Of _Generic, one branch counts; the others name what native code has to know, too.
  bool TraverseGenericSelectionExpr(GenericSelectionExpr* expr, DataRecursionQueue* = nullptr) {
    const Expr* chosen = expr->getResultExpr();
    auto others = [&](Stmt* part) { return part == chosen || TraverseStmt(part); };
    return unevaluated([&] { return llvm::all_of(expr->children(), others); }) &&
           TraverseStmt(const_cast<Expr*>(chosen));
  }
  template <class... Flags>  // Clang 22 passes one
  bool TraverseTypeOfExprTypeLoc(TypeOfExprTypeLoc type, Flags... flags) {
    return unevaluated([&] { return RecursiveASTVisitor::TraverseTypeOfExprTypeLoc(type, flags...); });
  }

  template <class... Flags>
  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc type, Flags... flags) {
    return unevaluated([&] { return RecursiveASTVisitor::TraverseDecltypeTypeLoc(type, flags...); });
  }

  // Where only the body names a table of rows, native code declares it as an array of rows, which has no pointers.
  bool TraverseImplicitCastExpr(ImplicitCastExpr* cast, DataRecursionQueue* = nullptr) {
    const auto use = rowUse(cast, context_.objects(), bindings_);
    if (!use || context_.declaredInside.count(use->table)) return RecursiveASTVisitor::TraverseImplicitCastExpr(cast);
    const bool isText = use->isNamed && !function_ && stack_.empty();
    if (!parameters_.addTable(cast->getExprLoc(), use->table, !isText)) return false;
    return !use->index || TraverseStmt(const_cast<Expr*>(use->index));
  }

  bool TraverseCallExpr(CallExpr* call, DataRecursionQueue* = nullptr) { return traverseCall(call); }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr* call, DataRecursionQueue* = nullptr) { return traverseCall(call); }
  bool TraverseCXXOperatorCallExpr(CXXOperatorCallExpr* call, DataRecursionQueue* = nullptr) {
    return traverseCall(call);
  }

  bool VisitCXXConstructExpr(CXXConstructExpr* construct) {
    if (withPointers(context_.ast, construct)) return true;
    const CXXConstructorDecl* constructor = construct->getConstructor();
    if (constructor->isTrivial()) return true;
    const FunctionDecl* definition = definitionOf(constructor);
    if (!definition)
      return context_.refuse(construct->getBeginLoc(),
                             "constructs an object of type '" + construct->getType().getAsString() + "'");
    ObjectBindings inside;
    inside.isCallee = true;
    return addCallee(construct->getBeginLoc(), definition, std::move(inside));
  }

  // Its body is followed where it is called.
  bool TraverseLambdaExpr(LambdaExpr* lambda, DataRecursionQueue* = nullptr) {
    context_.objects().addLambda(lambda, bindings_);
    context_.lambdas[lambda->getLambdaClass()] = function_;
    if (lambda->isMutable()) return context_.refuse(lambda->getBeginLoc(), "contains a mutable lambda expression");
    return llvm::all_of(lambda->captures(), [&](const LambdaCapture& capture) { return addCapture(lambda, capture); });
  }

  bool TraverseCXXForRangeStmt(CXXForRangeStmt* loop, DataRecursionQueue* = nullptr) {
    if (!TraverseStmt(loop->getInit())) return false;
    const bool isVector = !vectorElement(loop->getRangeInit()->getType()).isNull();
    if (isVector && !loop->getRangeInit()->IgnoreImplicit()->isGLValue())
      return context_.refuse(loop->getBeginLoc(), "contains a range-based 'for' over a vector without a name");
    auto* range = cast<VarDecl>(loop->getRangeStmt()->getSingleDecl());
    // A view in native code, and no type that a variable of the body may have.
    if (isVector) context_.declaredInside.insert(range);
    if (isVector ? !TraverseStmt(loop->getRangeInit()) : !TraverseVarDecl(range)) return false;
    // The visitor leaves out what the user did not write.
    for (DeclStmt* statement : {loop->getBeginStmt(), loop->getEndStmt()})
      if (!TraverseVarDecl(cast<VarDecl>(statement->getSingleDecl()))) return false;
    return TraverseStmt(loop->getCond()) && TraverseStmt(loop->getInc()) && TraverseStmt(loop->getLoopVarStmt()) &&
           TraverseStmt(loop->getBody());
  }

 private:
  template <class Action>
  bool unevaluated(Action traverse) {
    ++unevaluated_;
    const bool goOn = traverse();
    --unevaluated_;
    return goOn;
  }
  const char* unsupported(const Stmt* statement) const;
  bool traverseCall(CallExpr* call);
  bool traverseAll(llvm::iterator_range<Stmt::child_iterator> parts) {
    return llvm::all_of(parts, [&](Stmt* part) { return TraverseStmt(part); });
  }
  bool addWhole(const Expr* expr, const std::string& name) {
    const VarDecl* var = context_.objects().variable(expr, bindings_);
    if (var && context_.ast.getLangOpts().CPlusPlus) return parameters_.addObject(expr->getExprLoc(), var);
    return context_.refuse(expr->getExprLoc(), "uses '" + name +
                                                   "', an object outside of the loop, as a whole; name the members "
                                                   "that are meant");
  }
  bool addCapture(const LambdaExpr* lambda, const LambdaCapture& capture);
  // Arrays inside of objects are not where native code's stand-ins are.
  void noteUse(const VarDecl* member, const Expr* expr) {
    if (!member->getType()->isArrayType()) return;
    if (function_)
      context_.objects().useInCallee(member);
    else if (const ObjectMember* found = context_.objects().find(member))
      context_.objects().use(found->path, expr);
  }
  void nameObjects(const ObjectBindings& bindings) {
    if (bindings.self) context_.objects().name(*bindings.self);
    for (const auto& [parameter, path] : bindings.objects) context_.objects().name(path);
  }
  bool addMethod(CallExpr* call, const CXXMethodDecl* method, bool& follow);
  bool addCallee(SourceLocation loc, const FunctionDecl* definition, ObjectBindings inside);

  LoopContext& context_;
  Parameters parameters_;
  const FunctionDecl* function_;  // whose text it is; nullptr: the body itself
  std::vector<const FunctionDecl*> stack_;
  ObjectBindings bindings_;
  unsigned unevaluated_ = 0;  // how many operands deep
};

const char* ReferenceFinder::unsupported(const Stmt* statement) const {
  if (isa<OMPAtomicDirective>(statement)) return nullptr;
  if (auto* critical = dyn_cast<OMPCriticalDirective>(statement))
    return updateOf(context_.ast, critical) ? nullptr : "contains 'omp critical' around something else than one update";
  if (isa<OMPExecutableDirective>(statement)) return "contains another OpenMP directive";
  if (isa<GotoStmt, IndirectGotoStmt, LabelStmt>(statement)) return "contains 'goto' or a label";
  if (isa<AsmStmt>(statement)) return "contains inline assembly";
  if (isa<CXXThrowExpr, CXXTryStmt>(statement)) return "throws or catches exceptions";
  if (isa<CXXNewExpr, CXXDeleteExpr>(statement)) return "allocates or frees memory";
  if (isa<CXXThisExpr>(statement) && !function_) return "uses 'this' for something else than members";
  if (isa<BlockExpr>(statement) || (isa<StmtExpr>(statement) && hasJumps(statement)))
    return "contains a block or a statement expression with jumps";
  if (isa<PredefinedExpr>(statement)) return "uses the name of the function that it is in";
  if (isa<CXXTypeidExpr, CXXDynamicCastExpr>(statement)) return "uses run-time type information";
  if (isa<VAArgExpr, CoroutineBodyStmt>(statement)) return "uses variable arguments or a coroutine";
  return nullptr;
}

// Whether the method's definition is to be followed; all others have an effect that is known.
bool ReferenceFinder::addMethod(CallExpr* call, const CXXMethodDecl* method, bool& follow) {
  const Expr* object = objectOf(call);
  std::string name = method->getNameAsString();
  follow = false;
  if (object && !vectorElement(object->getType()).isNull()) {
    static const std::set<std::string> known = {"operator[]", "at",    "size", "data",   "front", "back",
                                                "empty",      "begin", "end",  "cbegin", "cend"};
    if (known.count(name)) return true;
    return context_.refuse(call->getBeginLoc(), "calls 'std::vector::" + name + "'");
  }
  if (object && !smartPointee(object->getType()).isNull()) {
    if (name == "operator[]" || name == "get") return true;
    return context_.refuse(call->getBeginLoc(), "calls '" + name + "' of a smart pointer");
  }
  if (method->isTrivial()) {  // a struct's assignment
    if (!object || !context_.objects().object(object, bindings_)) return true;
    return context_.refuse(call->getBeginLoc(), "assigns to an object outside of the loop");
  }
  if (method->isVirtual()) return context_.refuse(call->getBeginLoc(), "calls the virtual method '" + name + "'");
  follow = true;
  return true;
}

// What a lambda in the loop captures is taken for the variable itself.
bool ReferenceFinder::addCapture(const LambdaExpr* lambda, const LambdaCapture& capture) {
  const SourceLocation loc = capture.isExplicit() ? capture.getLocation() : lambda->getBeginLoc();
  if (capture.getCaptureKind() == LCK_StarThis)
    return context_.refuse(loc, "captures a copy of the object; capture 'this'");
  if (capture.capturesThis()) return true;
  auto* var = capture.capturesVariable() ? dyn_cast<VarDecl>(capture.getCapturedVar()) : nullptr;
  if (!var) return context_.refuse(loc, "captures something else than a variable");
  const std::string name = "'" + var->getNameAsString() + "'";
  if (lambda->isInitCapture(&capture)) return TraverseVarDecl(var);
  if (capture.isExplicit() && !context_.declaredInside.count(var) && parameters_.constantRole(var))
    return context_.refuse(loc, "captures the constant " + name + ", which needs no capture");
  if (capture.getCaptureKind() == LCK_ByRef) return true;
  const bool changes = function_ ? changedVariables(function_->getBody()).count(var) : context_.changed.count(var);
  return !changes || context_.refuse(loc, "captures a copy of " + name + ", which changes; capture it by reference");
}

bool ReferenceFinder::traverseCall(CallExpr* call) {
  if (unevaluated_ > 0) return traverseAll(call->children());
  const FunctionDecl* function = call->getDirectCallee();
  if (!function) return context_.refuse(call->getBeginLoc(), "calls a function through a pointer");
  if (isMaths(function) || isSwap(function) || isMemoryFunction(function) || isForwarding(function))
    return traverseAll(call->children());
  if (isAssertion(function)) return true;
  if (withPointers(context_.ast, call)) return traverseAll(call->children());
  if (const std::string reason = unservedCall(function); !reason.empty())
    return context_.refuse(call->getBeginLoc(), "calls '" + function->getNameAsString() + "', " + reason);
  bool follow = true;
  if (auto* method = dyn_cast<CXXMethodDecl>(function); method && method->isInstance())
    if (!addMethod(call, method, follow)) return false;
  if (!follow) return traverseAll(call->children());
  const FunctionDecl* definition = definitionOf(function);
  if (!definition)
    return context_.refuse(call->getBeginLoc(), "calls '" + function->getNameAsString() +
                                                    "', which is not defined in this translation unit");
  const Expr* object = objectOf(call);
  const auto arguments = argumentsOf(call);
  ObjectBindings inside = context_.objects().enter(definition, object, arguments, bindings_);
  if (!function_) nameObjects(inside);
  if (object && !inside.self && !TraverseStmt(const_cast<Expr*>(object))) return false;
  for (const Expr* argument : arguments)
    if (!iteratorPointee(argument->getType()).isNull())
      return context_.refuse(argument->getExprLoc(), "gives an iterator to '" + function->getNameAsString() +
                                                         "'; give it a pointer, '&*it', or the element");
  if (!function_ && object && inside.self) context_.objects().use(*inside.self, object);
  for (unsigned i = 0; i < arguments.size(); ++i) {
    const ParmVarDecl* parameter = i < definition->getNumParams() ? definition->getParamDecl(i) : nullptr;
    if (const auto table = inside.rowTables.find(parameter); table != inside.rowTables.end())
      if (!parameters_.addTable(arguments[i]->getExprLoc(), table->second, true)) return false;
    const bool bound = parameter && inside.knows(parameter);
    if (!function_ && parameter && inside.objects.count(parameter))
      context_.objects().use(inside.objects.at(parameter), arguments[i]);
    if (!bound && !TraverseStmt(const_cast<Expr*>(arguments[i]))) return false;
  }
  return addCallee(call->getBeginLoc(), definition, std::move(inside));
}

bool ReferenceFinder::addCallee(SourceLocation loc, const FunctionDecl* definition, ObjectBindings inside) {
  std::string name = definition->getNameAsString();
  for (const FunctionDecl* caller : stack_)
    if (caller == definition)
      return mayRecur(definition) || context_.refuse(loc, "calls the recursive function '" + name + "'");
  if (!context_.followed.insert({definition, inside.key()}).second) return true;
  if (context_.ast.getSourceManager().isInSystemHeader(definition->getLocation()) && !definition->isConstexpr() &&
      !definition->isInlined() && !definition->isTemplateInstantiation() && !definition->isStatic())
    return context_.refuse(loc, "calls the library function '" + name + "'");
  auto stack = stack_;
  stack.push_back(definition);
  auto* method = dyn_cast<CXXMethodDecl>(definition);
  const auto lambda = method ? context_.lambdas.find(method->getParent()) : context_.lambdas.end();
  const FunctionDecl* function = lambda != context_.lambdas.end() ? lambda->second : definition;
  ReferenceFinder inner(context_, function, std::move(stack), std::move(inside));
  for (const ParmVarDecl* parameter : definition->parameters()) context_.declaredInside.insert(parameter);
  if (auto* constructor = dyn_cast<CXXConstructorDecl>(definition))
    for (const CXXCtorInitializer* part : constructor->inits())
      if (!inner.TraverseStmt(part->getInit())) return false;
  if (!inner.TraverseStmt(definition->getBody())) return false;
  if (lambda != context_.lambdas.end()) return true;
  auto& callees = context_.facts.callees;
  if (!llvm::is_contained(callees, definition)) callees.push_back(definition);
  return true;
}

// A vector whose size() the body asks for needs it as a parameter.
class SizeFinder : public RecursiveASTVisitor<SizeFinder> {
 public:
  explicit SizeFinder(std::set<const VarDecl*>& sized) : sized_(sized) {}
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr* call) {
    auto* object = dyn_cast<DeclRefExpr>(call->getImplicitObjectArgument()->IgnoreParenImpCasts());
    auto* method = call->getMethodDecl();
    if (!object || !method || !method->getDeclName().isIdentifier()) return true;
    llvm::StringRef name = method->getName();
    if (name == "size" || name == "empty" || name == "back" || name == "at" || name == "end" || name == "cend")
      note(object);
    return true;
  }
  // std::end
  bool VisitCallExpr(CallExpr* call) {
    if (call->getNumArgs() == 1 && !isa<CXXMemberCallExpr>(call)) note(call->getArg(0));
    return true;
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt* loop) {
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
      return context.refuse(array.var->getLocation(), "uses '" + array.var->getNameAsString() +
                                                          "' both as an array and as a pointer to one object; write "
                                                          "'[0]' for its first element");
  }
  return true;
}

}  // namespace

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
  if (!finder.TraverseStmt(const_cast<Stmt*>(facts.body))) return false;
  // Arrays with a reduction, and what their sections' bounds need.
  for (SectionFact& section : facts.sections) {
    const std::size_t others = facts.arrays.size() - context.arrayOf.count(section.var);
    if (!finder.TraverseStmt(const_cast<Expr*>(section.item))) return false;
    auto array = context.arrayOf.find(section.var);
    if (array == context.arrayOf.end() || facts.arrays.size() != others + 1)
      return context.refuse(section.item->getExprLoc(), "'reduction' over a section with bounds that are no scalars");
    section.array = array->second;
    const QualType element = facts.arrays[section.array].element;
    if (!canBeMerged(context.ast, element))
      return context.refuse(section.item->getExprLoc(),
                            "'reduction' over elements of type '" + element.getAsString() + "'");
    if (facts.arrays[section.array].element->isBooleanType()) {
      if (section.kind == MUSTER_REDUCE_AND) section.kind = MUSTER_REDUCE_LAND;
      if (section.kind == MUSTER_REDUCE_OR) section.kind = MUSTER_REDUCE_LOR;
    }
  }
  // Values that the native code's own clauses need.
  for (const OMPClause* clause : facts.directive->clauses()) {
    const Expr* value = valueOfClause(clause);
    if (!value) continue;
    if (value->HasSideEffects(context.ast))
      return context.refuse(clause->getBeginLoc(), "has a clause whose value is not a simple expression");
    const std::size_t arrays = facts.arrays.size();
    if (!finder.TraverseStmt(const_cast<Expr*>(value))) return false;
    if (facts.arrays.size() != arrays || !clauseText(context.ast, context.objects(), clause))
      return context.refuse(clause->getBeginLoc(), "has a clause whose value is not a simple expression");
  }
  const ThisUses uses = thisUses(facts.body);
  for (const auto* names : {&uses.keywords, &uses.methods})
    for (SourceLocation loc : *names)
      if (loc.isMacroID()) return context.refuse(loc, "uses 'this' in a macro");
  for (const ThisCapture& capture : uses.captures)
    if (capture.loc.isMacroID()) return context.refuse(capture.loc, "captures 'this' in a macro");
  std::set<const VarDecl*> sized;
  SizeFinder(sized).TraverseStmt(const_cast<Stmt*>(facts.body));
  for (const ArrayFact& array : facts.arrays)
    if (sized.count(array.var) && !context.objects().find(array.var))
      facts.scalars.push_back({array.var, false, false, true});
  if (!checkPointers(context)) return false;
  // A kernel reduces in place, where another name of the array would show it.
  facts.needsDistinct = !facts.sections.empty() && facts.arrays.size() > 1;
  return true;
}

}  // namespace muster::plugin
