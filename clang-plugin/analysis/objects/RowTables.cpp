// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/objects/RowTables.h"

#include "analysis/code/Calls.h"
#include "muster/abi.h"
#include "source/AstVisitor.h"
#include "source/LibraryTypes.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

// Without casts to types that differ in const, and the temporaries that hold what they give.
static const Expr* withoutQualifications(const Expr* expr) {
  for (;;) {
    expr = expr->IgnoreParens();
    auto* cast = dyn_cast<CastExpr>(expr);
    auto* temporary = dyn_cast<MaterializeTemporaryExpr>(expr);
    if (!temporary && (!cast || cast->getCastKind() != CK_NoOp)) return expr;
    expr = temporary ? temporary->getSubExpr() : cast->getSubExpr();
  }
}

const VarDecl* tableOf(const Expr* expr, const Objects& objects, const ObjectBindings& bindings) {
  const Expr* place = withoutQualifications(expr);
  if (!place->isGLValue()) {  // else an argument for a reference
    auto* cast = dyn_cast<ImplicitCastExpr>(place);
    if (!cast || (cast->getCastKind() != CK_LValueToRValue && cast->getCastKind() != CK_ArrayToPointerDecay))
      return nullptr;
    place = cast->getSubExpr()->IgnoreParens();
  }
  const VarDecl* var = objects.variable(place, bindings);
  if (!var && isa<MemberExpr, UnaryOperator>(place)) var = objects.member(place, bindings);
  if (var && objects.find(var) && var->getType()->isArrayType()) return nullptr;  // each u[k] is a member (Objects)
  if (auto* reference = dyn_cast<DeclRefExpr>(place); reference && !var) {
    var = reference->hasQualifier() ? nullptr : dyn_cast<VarDecl>(reference->getDecl());
    if (var && var->hasGlobalStorage() && bindings.isCallee) return nullptr;  // functions would see the user's
  }
  return var && !rowElement(var->getType()).isNull() ? var : nullptr;
}

namespace {

class AssignmentFinder : public AstVisitor {
 public:
  AssignmentFinder(const Objects& objects, std::set<const VarDecl*>& found) : objects_(objects), found_(found) {}
  bool VisitBinaryOperator(BinaryOperator* op) override {
    auto* entry = dyn_cast<ArraySubscriptExpr>(op->getLHS()->IgnoreParens());
    if (op->getOpcode() != BO_Assign || !entry || !entry->getType()->isPointerType()) return true;
    const VarDecl* table = tableOf(entry->getBase(), objects_, {});
    if (table && table->getType()->isPointerType() && rowLevels(table->getType()) == 1) found_.insert(table);
    return true;
  }

 private:
  const Objects& objects_;
  std::set<const VarDecl*>& found_;
};

}  // namespace

std::set<const VarDecl*> assignedTables(const Stmt* statement, const Objects& objects) {
  std::set<const VarDecl*> found;
  AssignmentFinder(objects, found).TraverseStmt(const_cast<Stmt*>(statement));
  return found;
}

// The vector of vectors whose member is called.
static const Expr* vectorsOf(const CallExpr* call) {
  const Expr* object = objectOf(call);
  return object && object->isGLValue() && !rowVectorElement(object->getType()).isNull() ? object : nullptr;
}

static std::optional<RowUse> entryPlace(const Expr* place, const Objects& objects, const ObjectBindings& bindings);

// The entry of a table, or of one that is an entry itself.
static std::optional<RowUse> useOf(const Expr* base, const Expr* index, const Objects& objects,
                                   const ObjectBindings& bindings) {
  if (const VarDecl* table = tableOf(base, objects, bindings)) {
    auto* name = dyn_cast<DeclRefExpr>(base->IgnoreParenImpCasts());
    return RowUse{table, {index}, name && name->getDecl() == table};
  }
  auto* read = dyn_cast<ImplicitCastExpr>(withoutQualifications(base));
  if (!read || read->getCastKind() != CK_LValueToRValue) return std::nullopt;
  auto use = entryPlace(read->getSubExpr(), objects, bindings);
  if (use) use->indexes.push_back(index);
  return use;
}

std::optional<RowUse> rowPlace(const Expr* place, const Objects& objects, const ObjectBindings& bindings) {
  auto use = entryPlace(place, objects, bindings);
  return use && use->indexes.size() == rowLevels(use->table->getType()) ? use : std::nullopt;
}

static std::optional<RowUse> entryPlace(const Expr* place, const Objects& objects, const ObjectBindings& bindings) {
  if (!place->getType()->isPointerType()) return std::nullopt;
  place = place->IgnoreParens();
  if (auto* subscript = dyn_cast<ArraySubscriptExpr>(place))
    return useOf(subscript->getBase(), subscript->getIdx(), objects, bindings);
  auto* deref = dyn_cast<UnaryOperator>(place);
  if (!deref || deref->getOpcode() != UO_Deref) return std::nullopt;
  const Expr* pointer = deref->getSubExpr()->IgnoreParens();
  if (auto* sum = dyn_cast<BinaryOperator>(pointer); sum && sum->getOpcode() == BO_Add)
    return useOf(sum->getLHS(), sum->getRHS(), objects, bindings);
  return useOf(pointer, nullptr, objects, bindings);
}

std::optional<RowUse> rowUse(const Expr* expr, const Objects& objects, const ObjectBindings& bindings) {
  expr = withoutQualifications(expr);
  if (auto* call = dyn_cast<CallExpr>(expr)) {
    const Expr* table = vectorsOf(call);
    const llvm::StringRef name = table ? memberName(call) : "";
    const auto arguments = argumentsOf(call);
    const bool isFirst = name == "front" && arguments.empty();
    const bool isRow = (name == "operator[]" || name == "at") && arguments.size() == 1;
    return isFirst || isRow ? useOf(table, isRow ? arguments[0] : nullptr, objects, bindings) : std::nullopt;
  }
  auto* cast = dyn_cast<ImplicitCastExpr>(expr);
  if (!cast || cast->getCastKind() != CK_LValueToRValue) return std::nullopt;
  return rowPlace(cast->getSubExpr(), objects, bindings);
}

const VarDecl* rowReference(const Expr* expr) {
  auto* reference = dyn_cast<DeclRefExpr>(withoutQualifications(expr));
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!var || isa<ParmVarDecl>(var) || !var->hasLocalStorage() || !var->getType()->isReferenceType()) return nullptr;
  const bool isRow = !vectorElement(var->getType()).isNull() && rowVectorElement(var->getType()).isNull();
  return isRow && var->getInit() ? var : nullptr;
}

std::optional<RowUse> rowBehind(const VarDecl* reference, const Objects& objects, const ObjectBindings& bindings) {
  const bool isVector = reference->getType()->isReferenceType() && !vectorElement(reference->getType()).isNull() &&
                        rowVectorElement(reference->getType()).isNull();
  if (!isVector || isa<ParmVarDecl>(reference) || !reference->getInit()) return std::nullopt;
  if (const auto use = rowUse(reference->getInit(), objects, bindings)) return use;
  const VarDecl* other = rowReference(reference->getInit());
  return other ? rowBehind(other, objects, bindings) : std::nullopt;
}

const VarDecl* tableOfSize(const CallExpr* call, const Objects& objects, const ObjectBindings& bindings) {
  const Expr* table = vectorsOf(call);
  if (!table || (memberName(call) != "size" && memberName(call) != "empty")) return nullptr;
  return tableOf(table, objects, bindings);
}

std::optional<RowUse> rowOfSize(const Expr* expr, const Objects& objects, const ObjectBindings& bindings) {
  auto* call = dyn_cast<CXXMemberCallExpr>(expr->IgnoreParens());
  const Expr* row = call && memberName(call) == "size" ? call->getImplicitObjectArgument() : nullptr;
  if (!row || vectorElement(row->getType()).isNull()) return std::nullopt;
  if (const VarDecl* reference = rowReference(row)) return rowBehind(reference, objects, bindings);
  return rowUse(row, objects, bindings);
}

std::string rowSizeText(const Objects& objects, const VarDecl* table) {
  const ObjectMember* member = objects.find(table);
  return "::muster::rowSize(" + (member ? member->text : table->getNameAsString()) + ")";
}

namespace {

class RowSizePrinter : public PrinterHelper {
 public:
  explicit RowSizePrinter(const Objects& objects) : objects_(objects) {}
  bool handledStmt(Stmt* statement, llvm::raw_ostream& out) override {
    auto* expr = dyn_cast<Expr>(statement);
    const auto use = expr ? rowOfSize(expr, objects_, {}) : std::nullopt;
    if (!use) return false;
    out << rowSizeText(objects_, use->table);
    hasAny = true;
    return true;
  }
  bool hasAny = false;

 private:
  const Objects& objects_;
};

}  // namespace

std::string invariantText(const ASTContext& ast, const Objects& objects, const Expr* expr) {
  RowSizePrinter helper(objects);
  std::string text;
  llvm::raw_string_ostream out(text);
  expr->printPretty(out, &helper, ast.getPrintingPolicy());
  return helper.hasAny ? text : sourceText(ast, expr);
}

}  // namespace muster::plugin
