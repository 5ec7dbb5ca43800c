// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables, members, elements, and pointers to them.
#include "analysis/objects/RowLengths.h"
#include "llvm/ADT/StringExtras.h"
#include "opencl/expressions/Expressions.h"
#include "opencl/types/Constants.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::opencl {

namespace {

bool isIdentifier(llvm::StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

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

Text Expressions::variable(const clang::VarDecl* var, const clang::Expr* at) {
  if (hasStarts(program_.facts, var)) return refuse(at, say::StartsForMoreThanRows(var->getName()));
  if (const std::string name = scope_.variable(var); !name.empty())
    return scope_.isReference(var) ? deref(Text(name)) : Text(name);
  if (const std::string table = program_.table(var); !table.empty()) return Text(table);
  if (const auto folded = program_.foldedVariable(var)) return *folded;
  if (const std::string name = scope_.outerName(var); !name.empty())
    return scope_.isReference(var) ? deref(Text(name)) : Text(name);
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

Text Expressions::VisitDeclRefExpr(const clang::DeclRefExpr* ref) {
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

Text Expressions::VisitMemberExpr(const clang::MemberExpr* member) {
  if (const clang::VarDecl* var = program_.facts.objects->member(member, scope_.spaces.bindings()))
    return variable(var, member);
  if (const auto* var = llvm::dyn_cast<clang::VarDecl>(member->getMemberDecl())) return variable(var, member);
  if (const auto* enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(member->getMemberDecl()))
    return integerText(enumerator->getInitVal(), scalarOfType(member));
  const auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
  if (!field) return VisitStmt(member);
  const std::string name = program_.types.field(field);
  if (member->isArrow()) return Text(Visit(member->getBase()).at(Prec::Postfix) + "->" + name, Prec::Postfix);
  const Text base = member->getBase()->isGLValue() ? lvalue(member->getBase()) : Visit(member->getBase());
  if (base.text.front() == '*' && isIdentifier(llvm::StringRef(base.text).drop_front()))
    return Text(base.text.substr(1) + "->" + name, Prec::Postfix);
  return Text(base.at(Prec::Postfix) + "." + name, Prec::Postfix);
}

Text Expressions::VisitArraySubscriptExpr(const clang::ArraySubscriptExpr* subscript) {
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
    const std::string offset = flatOffset(*array, indexes), name = scope_.variable(array->var);
    if (indexes.size() <= array->extents.size()) return Text(name + " + (" + offset + ")", Prec::Additive);
    return Text(name + "[" + offset + "]", Prec::Postfix);
  }
  const Text base = Visit(subscript->getBase()), index = Visit(subscript->getIdx());
  return Text(base.at(Prec::Postfix) + "[" + index.text + "]", Prec::Postfix);
}

// How far from the first one the element is that the leading indexes name, or the first of those that they name. A null
// index is 0.
std::string Expressions::flatOffset(const ArrayFact& array, llvm::ArrayRef<const clang::Expr*> indexes) {
  std::string offset;
  for (unsigned level = 0; level <= array.extents.size(); ++level) {
    if (level > 0) {
      const auto length = rowLength(program_.facts, array, level - 1);
      offset =
          "(" + offset + ") * " +
          (length ? scope_.variable(program_.facts.scalars[*length].var) : std::to_string(array.extents[level - 1]));
    }
    if (level >= indexes.size()) continue;
    offset += (level == 0 ? "(long)(" : " + (long)(") + (indexes[level] ? Visit(indexes[level]).text : "0") + ")";
  }
  return offset;
}

// The first element of a row of T **a.
Text Expressions::row(const RowUse& use) {
  if (hasStarts(program_.facts, use.table)) {
    const clang::VarDecl* elements = program_.facts.arrays[elementsBehind(program_.facts, use.table)].var;
    const clang::Expr* index = use.indexes.front();
    return Text(
        scope_.variable(elements) + " + " + scope_.variable(use.table) + "[" + (index ? Visit(index).text : "0") + "]",
        Prec::Additive);
  }
  const ArrayFact& array = *arrayOfRows(program_.facts, use.table);
  const std::string name = scope_.variable(use.table);
  if (use.indexes.size() > 1) return Text(name + " + (" + flatOffset(array, use.indexes) + ")", Prec::Additive);
  const clang::Expr* index = use.indexes.front();
  if (!index) return Text(name);
  const clang::VarDecl* length = program_.facts.scalars[*rowLength(program_.facts, array, 0)].var;
  return Text(name + " + (long)(" + Visit(index).text + ") * " + scope_.variable(length), Prec::Additive);
}

// The pointer that a place holds: of a table of rows, and `c ? a[i] : a[k]`, or one that is a variable's.
Text Expressions::pointerIn(const clang::Expr* place) {
  place = place->IgnoreParens();
  if (const auto use = rowPlace(place, *program_.facts.objects, scope_.spaces.bindings());
      use && program_.isArray(use->table))
    return row(*use);
  if (const auto elements = program_.facts.objects->elements(place, scope_.spaces.bindings()); !elements.empty())
    return elementOf(elements, llvm::cast<clang::ArraySubscriptExpr>(place));
  const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(place);
  if (!choice) return Visit(place);
  return Text(condition(choice->getCond()).at(Prec::LogicalOr) + " ? " +
                  pointerIn(choice->getTrueExpr()).at(Prec::Assignment) + " : " +
                  pointerIn(choice->getFalseExpr()).at(Prec::Conditional),
              Prec::Conditional);
}

// One of the pointers in an array of an object, which are arguments of their own.
Text Expressions::elementOf(const std::vector<const clang::VarDecl*>& elements,
                            const clang::ArraySubscriptExpr* subscript) {
  if (subscript->getIdx()->HasSideEffects(program_.context)) return refuse(subscript, say::IndexChangesSomething);
  const std::string index = Visit(subscript->getIdx()).at(Prec::Postfix);
  std::string text;
  for (std::size_t i = 0; i + 1 < elements.size(); ++i)
    text += index + " == " + std::to_string(i) + " ? " + variable(elements[i], subscript).at(Prec::Assignment) + " : ";
  return Text(text + variable(elements.back(), subscript).at(Prec::Conditional), Prec::Conditional);
}

// The same of a row of a vector of vectors: a[i], or a reference to it.
Text Expressions::firstOfRow(const clang::Expr* expr) {
  if (const clang::VarDecl* reference = rowReference(expr)) return Text(scope_.variable(reference));
  return row(*rowUse(expr, *program_.facts.objects, scope_.spaces.bindings()));
}

// A block whose value is its last expression: `({ int t = x; t * t; })` is `(t = x, t * t)`.
Text Expressions::VisitStmtExpr(const clang::StmtExpr* block) {
  const auto refused = [&] { return refuse(block, say::StatementExpressionOfMore); };
  std::vector<std::string> parts;
  for (const clang::Stmt* part : block->getSubStmt()->body()) {
    if (part == block->getSubStmt()->body_back() && llvm::isa<clang::Expr>(part)) {
      parts.push_back(value(llvm::cast<clang::Expr>(part)).at(Prec::Assignment));
      break;
    }
    const auto* statement = llvm::dyn_cast<clang::DeclStmt>(part);
    if (!statement) return refused();
    for (const clang::Decl* decl : statement->decls()) {
      const auto* var = llvm::dyn_cast<clang::VarDecl>(decl);
      const bool isValue = var && var->hasLocalStorage() && var->getInit() && var->getType()->isArithmeticType();
      if (!isValue) return refused();
      // The initialiser names what the new variable hides.
      const std::string text = converted(var->getInit()).at(Prec::Assignment);
      parts.push_back(scope_.declareTemporary(var) + " = " + text);
    }
  }
  if (parts.empty()) return refused();
  return Text(llvm::join(parts, ", "), Prec::Comma);
}

Text Expressions::VisitCXXThisExpr(const clang::CXXThisExpr* expr) {
  if (scope_.thisName().empty()) return VisitStmt(expr);
  return Text(scope_.thisName());
}

Text Expressions::lvalue(const clang::Expr* expr) {
  expr = withoutFullExpr(expr);
  if (const clang::Expr* translated = withPointers(program_.context, expr)) expr = translated;
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr);
  const bool isInC = llvm::isa<clang::DeclRefExpr, clang::ArraySubscriptExpr, clang::MemberExpr, clang::CallExpr,
                               clang::CompoundLiteralExpr>(expr) ||
                     (unary && (unary->getOpcode() == clang::UO_Deref || unary->getOpcode() == clang::UO_Real ||
                                unary->getOpcode() == clang::UO_Imag));
  if (isInC && expr->isGLValue()) return Visit(expr);
  return deref(address(expr));
}

Text Expressions::address(const clang::Expr* expr) {
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
    return Text(name + " = " + converted(temporary->getSubExpr()).at(Prec::Assignment) + ", &" + name, Prec::Comma);
  }
  if (const auto* literal = llvm::dyn_cast<clang::CompoundLiteralExpr>(expr)) {
    if (!literal->getType()->isRecordType()) return refuse(expr, say::AddressOfKind(expr->getStmtClassName()));
    const std::string name = scope_.temporary(literal->getType(), expr->getExprLoc());
    return Text(name + " = " + Visit(literal).at(Prec::Assignment) + ", &" + name, Prec::Comma);
  }
  if (const auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(expr))
    return Text(condition(choice->getCond()).at(Prec::LogicalOr) + " ? " +
                    address(choice->getTrueExpr()).at(Prec::Assignment) + " : " +
                    address(choice->getFalseExpr()).at(Prec::Conditional),
                Prec::Conditional);
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expr);
      binary && binary->getOpcode() == clang::BO_Comma)
    return Text(Visit(binary->getLHS()).at(Prec::Comma) + ", " + address(binary->getRHS()).at(Prec::Assignment),
                Prec::Comma);
  if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expr)) {
    if (cast->getCastKind() == clang::CK_DerivedToBase || cast->getCastKind() == clang::CK_UncheckedDerivedToBase)
      return toBase(cast);
    if (!cast->getSubExpr()->isGLValue() ||
        (cast->getCastKind() != clang::CK_NoOp && cast->getCastKind() != clang::CK_LValueBitCast))
      return VisitStmt(expr);
    const Text sub = address(cast->getSubExpr());
    if (llvm::isa<clang::ImplicitCastExpr>(cast) && !cast->getType()->isArrayType()) return sub;
    const clang::QualType pointer = program_.context.getPointerType(cast->getType());
    return Text("(" + typeName(pointer, scope_.spaces.ofObject(expr), expr) + ")" + sub.at(Prec::Unary), Prec::Unary);
  }
  if (const clang::VarDecl* var = variableOf(program_, scope_.spaces, expr)) {
    const clang::QualType type = var->getType().getNonReferenceType();
    if (program_.isArray(var) && !type->isArrayType()) return refuse(expr, say::AddressOfArray(var->getName()));
    // In the text these are pointers to the first element.
    if (program_.isArray(var) || (type->isArrayType() && program_.scalar(var))) {
      const Space space = program_.isArray(var) ? Space::Global : Space::Private;
      return Text(
          "(" + typeName(program_.context.getPointerType(type), space, expr) + ")" + Visit(expr).at(Prec::Unary),
          Prec::Unary);
    }
  }
  const auto* call = llvm::dyn_cast<clang::CallExpr>(expr);
  if (call && isIdentity(call->getDirectCallee())) return address(call->getArg(0));
  if (call && vectorOperation(shapeOf(call)) == VectorOperation::None && !isSmartPointer(shapeOf(call))) {
    if (!call->isGLValue()) return VisitStmt(expr);
    return functionCall(shapeOf(call), call);
  }
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expr);
  if (unary && unary->getOpcode() == clang::UO_Deref) return Visit(unary->getSubExpr());
  const bool isPart = unary && (unary->getOpcode() == clang::UO_Real || unary->getOpcode() == clang::UO_Imag);
  const bool isObject =
      isPart ||
      llvm::isa<clang::DeclRefExpr, clang::ArraySubscriptExpr, clang::MemberExpr, clang::CXXOperatorCallExpr>(expr);
  if (!isObject || !expr->isGLValue()) return refuse(expr, say::AddressOfKind(expr->getStmtClassName()));
  const Text object = Visit(expr);
  if (object.text.front() == '*' && object.prec == Prec::Unary) {
    const std::string pointer = object.text.substr(1);
    return Text(pointer, isIdentifier(pointer) ? Prec::Primary : Prec::Unary);
  }
  return Text("&" + object.at(Prec::Unary), Prec::Unary);
}

}  // namespace muster::plugin::opencl
