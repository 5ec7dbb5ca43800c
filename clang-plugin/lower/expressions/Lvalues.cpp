// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables, members, elements, and pointers to them.
#include "analysis/objects/RowLengths.h"
#include "llvm/ADT/StringExtras.h"
#include "lower/expressions/Expressions.h"
#include "lower/types/Constants.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

const clang::Expr* withoutFullExpr(const clang::Expr* expr) {
  expr = expr->IgnoreParens();
  while (const auto* full = llvm::dyn_cast<clang::FullExpr>(expr)) expr = full->getSubExpr()->IgnoreParens();
  return expr;
}

}  // namespace

bool isMemberText(const clang::Expr* expr) {
  return llvm::isa<clang::MemberExpr>(expr) ||
         (llvm::isa<clang::ArraySubscriptExpr>(expr) && expr->getType()->isPointerType()) ||
         (llvm::isa<clang::UnaryOperator>(expr) && isSmartArray(expr->getType()));
}

const clang::VarDecl* variableOf(const Program& program, const Spaces& spaces, const clang::Expr* expr) {
  Objects& objects = *program.facts.objects;
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expr);
  if (!reference) return isMemberText(expr) ? objects.member(expr, spaces.bindings()) : nullptr;
  if (const clang::VarDecl* copy = Objects::copyNamed(reference, spaces.bindings())) return copy;
  const clang::VarDecl* stands = objects.variable(reference, spaces.bindings());
  return stands ? stands : llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
}

// Whether a variable's entries are numbers of elements, no pointers.
static bool hasStarts(const LoopFacts& facts, const clang::VarDecl* var) {
  return llvm::any_of(facts.arrays,
                      [&](const ArrayFact& array) { return array.var == var && array.form == ArrayForm::Starts; });
}

Expression Expressions::variable(const clang::VarDecl* var, const clang::Expr* at) {
  if (hasStarts(program_.facts, var)) return refuse(at, say::StartsForMoreThanRows(var->getName()));
  if (const std::string name = scope_.variable(var); !name.empty())
    return scope_.isReference(var) ? ir::target(ir::name(name)) : ir::name(name);
  if (const std::string table = program_.table(var); !table.empty()) return ir::name(table);
  if (const auto folded = program_.foldedVariable(var)) return *folded;
  if (const std::string name = scope_.outerName(var); !name.empty())
    return scope_.isReference(var) ? ir::target(ir::name(name)) : ir::name(name);
  return refuse(at, say::VariableNotPassed(var->getName()));
}

// The array with rows of unknown length that an expression names, nullptr if it does not.
static const ArrayFact* arrayOfRows(const LoopFacts& facts, const clang::ValueDecl* decl) {
  for (const ArrayFact& array : facts.arrays)
    if (array.var == decl && hasUnknownLengths(array)) return &array;
  return nullptr;
}

static const ArrayFact* arrayOfRows(const LoopFacts& facts, const clang::Expr* expr) {
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expr);
  return reference ? arrayOfRows(facts, reference->getDecl()) : nullptr;
}

Expression Expressions::VisitDeclRefExpr(const clang::DeclRefExpr* ref) {
  if (const auto* var = llvm::dyn_cast<clang::VarDecl>(ref->getDecl())) {
    if (arrayOfRows(program_.facts, ref)) return refuse(ref, say::StartsForMoreThanRows(var->getName()));
    return variable(variableOf(program_, scope_.spaces, ref), ref);
  }
  if (const auto* enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(ref->getDecl())) {
    const Scalar scalar = scalarOfType(ref);
    if (scalar != Scalar::None) return integerText(enumerator->getInitVal(), scalar);
  }
  if (const auto* binding = llvm::dyn_cast<clang::BindingDecl>(ref->getDecl()); binding && binding->getBinding())
    return Visit(binding->getBinding());
  return refuse(ref, say::NameWithoutCounterpart(ref->getNameInfo().getAsString()));
}

Expression Expressions::VisitMemberExpr(const clang::MemberExpr* member) {
  if (const clang::VarDecl* var = program_.facts.objects->member(member, scope_.spaces.bindings()))
    return variable(var, member);
  if (const auto* var = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl())) return variable(var, member);
  if (const auto* enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(member->getMemberDecl()))
    return integerText(enumerator->getInitVal(), scalarOfType(member));
  const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  if (!field) return VisitStmt(member);
  const std::string name = program_.types.field(field);
  if (member->isArrow()) return ir::arrow(Visit(member->getBase()), name);
  const Expression base = member->getBase()->isGLValue() ? lvalue(member->getBase()) : Visit(member->getBase());
  if (base.is(ir::ExpressionKind::Prefix, "*") && base.part(0).kind() == ir::ExpressionKind::Name)
    return ir::arrow(base.part(0), name);
  return ir::member(base, name);
}

Expression Expressions::VisitArraySubscriptExpr(const clang::ArraySubscriptExpr* subscript) {
  if (isMemberText(subscript))
    if (const clang::VarDecl* var = program_.facts.objects->member(subscript, scope_.spaces.bindings()))
      return variable(var, subscript);
  if (dependOnOrder(subscript->getBase(), subscript->getIdx())) return refuse(subscript, say::SubscriptOrder);
  std::vector<const clang::Expr*> indexes;
  const clang::Expr* root = subscript;
  while (const auto* part = llvm::dyn_cast<clang::ArraySubscriptExpr>(root)) {
    indexes.insert(indexes.begin(), part->getIdx());
    root = part->getBase()->IgnoreParenImpCasts();
  }
  if (const ArrayFact* array = arrayOfRows(program_.facts, root)) {
    // OpenCL C has no such rows: the element of a flat array, or the pointer that a row decays to.
    const Expression offset = flatOffset(*array, indexes), first = ir::name(scope_.variable(array->var));
    if (indexes.size() <= array->extents.size()) return ir::binary("+", first, ir::parentheses(offset));
    return ir::subscript(first, offset);
  }
  const Expression base = Visit(subscript->getBase());
  return elementOfRow(base, Visit(subscript->getIdx()));
}

// Rows that lie one behind the other are a flat array, of which passes can tell where an element is.
Expression Expressions::elementOfRow(const Expression& row, const Expression& index) {
  const bool isSum = row.is(ir::ExpressionKind::Binary, "+") && row.part(0).kind() == ir::ExpressionKind::Name &&
                     row.part(1).kind() != ir::ExpressionKind::Subscript;
  const auto isIt = [&](const ArrayFact& array) { return scope_.isNamed(array.var, row.part(0).text()); };
  if (!isSum || llvm::none_of(program_.facts.arrays, isIt)) return ir::subscript(row, index);
  return ir::subscript(row.part(0), ir::binary("+", row.part(1), ir::cast("long", ir::parentheses(index))));
}

// How far from the first one the element is that the leading indexes name, or the first of those that they name. A null
// index is 0.
Expression Expressions::flatOffset(const ArrayFact& array, llvm::ArrayRef<const clang::Expr*> indexes) {
  Expression offset;
  for (unsigned level = 0; level <= array.extents.size(); ++level) {
    if (level > 0) {
      const auto length = rowLength(program_.facts, array, level - 1);
      offset = ir::binary("*", ir::parentheses(offset),
                          length ? ir::name(scope_.variable(program_.facts.scalars[*length].var))
                                 : ir::literal(std::to_string(array.extents[level - 1])));
    }
    if (level >= indexes.size()) continue;
    const Expression index =
        ir::cast("long", ir::parentheses(indexes[level] ? Visit(indexes[level]) : ir::literal("0")));
    offset = offset ? ir::binary("+", offset, index) : index;
  }
  return offset;
}

// The first element of a row of T **a.
Expression Expressions::row(const RowUse& use) {
  if (hasStarts(program_.facts, use.table)) {
    const clang::VarDecl* elements = program_.facts.arrays[elementsBehind(program_.facts, use.table)].var;
    const clang::Expr* index = use.indexes.front();
    return ir::binary("+", ir::name(scope_.variable(elements)),
                      ir::subscript(ir::name(scope_.variable(use.table)), index ? Visit(index) : ir::literal("0")));
  }
  const ArrayFact& array = *arrayOfRows(program_.facts, use.table);
  const Expression first = ir::name(scope_.variable(use.table));
  if (use.indexes.size() > 1) return ir::binary("+", first, ir::parentheses(flatOffset(array, use.indexes)));
  const clang::Expr* index = use.indexes.front();
  if (!index) return first;
  const clang::VarDecl* length = program_.facts.scalars[*rowLength(program_.facts, array, 0)].var;
  return ir::binary(
      "+", first, ir::binary("*", ir::cast("long", ir::parentheses(Visit(index))), ir::name(scope_.variable(length))));
}

// The pointer that a place holds: of a table of rows, and `c ? a[i] : a[k]`, or one that is a variable's.
Expression Expressions::pointerIn(const clang::Expr* place) {
  place = place->IgnoreParens();
  if (const auto use = rowPlace(place, *program_.facts.objects, scope_.spaces.bindings());
      use && program_.isArray(use->table))
    return row(*use);
  if (const auto elements = program_.facts.objects->elements(place, scope_.spaces.bindings()); !elements.empty())
    return elementOf(elements, llvm::cast<clang::ArraySubscriptExpr>(place));
  const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(place);
  if (!choice) return Visit(place);
  const Expression chosen = condition(choice->getCond()), yes = pointerIn(choice->getTrueExpr());
  return ir::conditional(chosen, yes, pointerIn(choice->getFalseExpr()));
}

// One of the pointers in an array of an object, which are arguments of their own.
Expression Expressions::elementOf(const std::vector<const clang::VarDecl*>& elements,
                                  const clang::ArraySubscriptExpr* subscript) {
  if (subscript->getIdx()->HasSideEffects(program_.context)) return refuse(subscript, say::IndexChangesSomething);
  const Expression index = Visit(subscript->getIdx());
  std::vector<Expression> pointers;
  for (const clang::VarDecl* element : elements) pointers.push_back(variable(element, subscript));
  Expression chosen = pointers.back();
  for (std::size_t i = pointers.size() - 1; i-- > 0;)
    chosen = ir::conditional(ir::binary("==", index, ir::literal(std::to_string(i))), pointers[i], chosen);
  return chosen;
}

// The same of a row of a vector of vectors: a[i], or a reference to it.
Expression Expressions::firstOfRow(const clang::Expr* expr) {
  if (const clang::VarDecl* reference = rowReference(expr)) return ir::name(scope_.variable(reference));
  return row(*rowUse(expr, *program_.facts.objects, scope_.spaces.bindings()));
}

// A block whose value is its last expression: `({ int t = x; t * t; })` is `(t = x, t * t)`.
Expression Expressions::VisitStmtExpr(const clang::StmtExpr* block) {
  const auto refused = [&] { return refuse(block, say::StatementExpressionOfMore); };
  std::vector<Expression> parts;
  for (const clang::Stmt* part : block->getSubStmt()->body()) {
    if (part == block->getSubStmt()->body_back() && llvm::isa<clang::Expr>(part)) {
      parts.push_back(value(llvm::cast<clang::Expr>(part)));
      break;
    }
    const auto* statement = llvm::dyn_cast<clang::DeclStmt>(part);
    if (!statement) return refused();
    for (const clang::Decl* decl : statement->decls()) {
      const auto* var = llvm::dyn_cast<clang::VarDecl>(decl);
      const bool isValue = var && var->hasLocalStorage() && var->getInit() && var->getType()->isArithmeticType();
      if (!isValue) return refused();
      // The initialiser names what the new variable hides.
      const Expression first = converted(var->getInit());
      parts.push_back(ir::assign(ir::name(scope_.declareTemporary(var)), first));
    }
  }
  if (parts.empty()) return refused();
  return ir::comma(std::move(parts));
}

Expression Expressions::VisitCXXThisExpr(const clang::CXXThisExpr* expr) {
  if (scope_.thisName().empty()) return VisitStmt(expr);
  return ir::name(scope_.thisName());
}

Expression Expressions::lvalue(const clang::Expr* expr) {
  expr = withoutFullExpr(expr);
  if (const clang::Expr* translated = withPointers(program_.context, expr)) expr = translated;
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr);
  const bool isInC = llvm::isa<clang::DeclRefExpr, clang::ArraySubscriptExpr, clang::MemberExpr, clang::CallExpr,
                               clang::CompoundLiteralExpr>(expr) ||
                     (unary && (unary->getOpcode() == clang::UO_Deref || unary->getOpcode() == clang::UO_Real ||
                                unary->getOpcode() == clang::UO_Imag));
  if (isInC && expr->isGLValue()) return Visit(expr);
  return ir::target(address(expr));
}

// What a pointer leads to: `*(p + i)` is the element p[i].
Expression Expressions::behind(const clang::Expr* pointer) {
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(pointer->IgnoreParens());
  const bool isElement = sum && sum->getOpcode() == clang::BO_Add && sum->getLHS()->getType()->isPointerType();
  return isElement ? ir::subscript(Visit(sum->getLHS()), Visit(sum->getRHS())) : ir::target(Visit(pointer));
}

static Expression addressOfTemporary(const std::string& name, const Expression& value) {
  return ir::comma({ir::assign(ir::name(name), value), ir::addressOf(ir::name(name))});
}

Expression Expressions::address(const clang::Expr* expr) {
  expr = withoutFullExpr(expr);
  if (const clang::Expr* translated = withPointers(program_.context, expr)) expr = translated;
  if (expr->getType()->isVariablyModifiedType()) return VisitStmt(expr);
  if (const auto* argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(expr)) return address(argument->getExpr());
  if (const auto* member = llvm::dyn_cast<clang::CXXDefaultInitExpr>(expr)) return address(member->getExpr());
  if (const auto* list = llvm::dyn_cast<clang::InitListExpr>(expr);
      list && list->isGLValue() && list->getNumInits() == 1)
    return address(list->getInit(0));
  if (const auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(expr)) {
    const std::string name = scope_.temporary(temporary->getType(), expr->getExprLoc());
    if (temporary->getType()->isArrayType()) return refuse(expr, say::TemporaryArray);
    return addressOfTemporary(name, converted(temporary->getSubExpr()));
  }
  if (const auto* literal = llvm::dyn_cast<clang::CompoundLiteralExpr>(expr)) {
    if (!literal->getType()->isRecordType()) return refuse(expr, say::AddressOfKind(expr->getStmtClassName()));
    const std::string name = scope_.temporary(literal->getType(), expr->getExprLoc());
    return addressOfTemporary(name, Visit(literal));
  }
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expr)) {
    const Expression chosen = condition(choice->getCond()), yes = address(choice->getTrueExpr());
    return ir::conditional(chosen, yes, address(choice->getFalseExpr()));
  }
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expr);
      binary && binary->getOpcode() == clang::BO_Comma) {
    const Expression first = Visit(binary->getLHS());
    return ir::comma({first, address(binary->getRHS())});
  }
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expr)) {
    if (cast->getCastKind() == clang::CK_DerivedToBase || cast->getCastKind() == clang::CK_UncheckedDerivedToBase)
      return toBase(cast);
    if (!cast->getSubExpr()->isGLValue() ||
        (cast->getCastKind() != clang::CK_NoOp && cast->getCastKind() != clang::CK_LValueBitCast))
      return VisitStmt(expr);
    const Expression sub = address(cast->getSubExpr());
    if (llvm::isa<clang::ImplicitCastExpr>(cast) && !cast->getType()->isArrayType()) return sub;
    const clang::QualType pointer = program_.context.getPointerType(cast->getType());
    return ir::cast(typeName(pointer, scope_.spaces.ofObject(expr), expr), sub);
  }
  if (const clang::VarDecl* var = variableOf(program_, scope_.spaces, expr)) {
    const clang::QualType type = var->getType().getNonReferenceType();
    if (program_.isArray(var) && !type->isArrayType()) return refuse(expr, say::AddressOfArray(var->getName()));
    // In the text these are pointers to the first element.
    if (program_.isArray(var) || (type->isArrayType() && program_.scalar(var))) {
      const Space space = program_.isArray(var) ? Space::Global : Space::Private;
      return ir::cast(typeName(program_.context.getPointerType(type), space, expr), Visit(expr));
    }
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(expr);
  if (call && isIdentity(call->getDirectCallee())) return address(call->getArg(0));
  if (call && vectorOperation(shapeOf(call)) == VectorOperation::None && !isSmartPointer(shapeOf(call))) {
    if (!call->isGLValue()) return VisitStmt(expr);
    return functionCall(shapeOf(call), call);
  }
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr);
  if (unary && unary->getOpcode() == clang::UO_Deref) return ir::addressOf(behind(unary->getSubExpr()));
  const bool isPart = unary && (unary->getOpcode() == clang::UO_Real || unary->getOpcode() == clang::UO_Imag);
  const bool isObject =
      isPart ||
      llvm::isa<clang::DeclRefExpr, clang::ArraySubscriptExpr, clang::MemberExpr, clang::CXXOperatorCallExpr>(expr);
  if (!isObject || !expr->isGLValue()) return refuse(expr, say::AddressOfKind(expr->getStmtClassName()));
  return ir::addressOf(Visit(expr));
}

}  // namespace muster::plugin::lower
