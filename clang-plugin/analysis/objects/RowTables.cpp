// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/objects/RowTables.h"

#include "analysis/facts/Affine.h"
#include "analysis/objects/RowLengths.h"
#include "analysis/walk/BodyWalker.h"
#include "muster/abi.h"
#include "source/AstVisitor.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

QualType rowVectorElement(QualType type) {
  const QualType row = vectorElement(type);
  const QualType element = row.isNull() ? QualType() : vectorElement(row);
  if (element.isNull() || element->isBooleanType() || !vectorElement(element).isNull()) return {};
  return element;
}

static std::pair<QualType, unsigned> rowsOf(QualType type) {
  if (const QualType element = rowVectorElement(type); !element.isNull()) return {element, 1};
  type = type.getNonReferenceType();
  QualType row;
  if (type->isPointerType())
    row = type->getPointeeType();
  else if (type->isConstantArrayType())
    row = type->getAsArrayTypeUnsafe()->getElementType();
  if (row.isNull() || !row->isPointerType() || row.isVolatileQualified()) return {};
  QualType element = row->getPointeeType();
  unsigned levels = 1;
  for (; type->isPointerType() && element->isPointerType() && levels < MUSTER_MAX_ROW_LEVELS; ++levels) {
    if (element.isVolatileQualified()) return {};
    element = element->getPointeeType();
  }
  if (element->isPointerType() || element->isArrayType() || element->isFunctionType() || element->isVoidType())
    return {};
  return {element, levels};
}

QualType rowElement(QualType type) { return rowsOf(type).first; }

unsigned rowLevels(QualType type) { return rowsOf(type).second; }

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

static llvm::StringRef memberName(const CallExpr* call) {
  auto* method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
  if (!method) return "";
  if (method->getOverloadedOperator() == OO_Subscript) return "operator[]";
  return method->getDeclName().isIdentifier() ? method->getName() : "";
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

// That the launch has to look at a row.
void BodyWalker::noteRow(unsigned array, const AffineExpr& row, unsigned level) {
  const bool known = llvm::any_of(context_.facts.rows, [&](const RowFact& other) {
    return other.array == array && other.level == level && sameForm(other.row, row) && other.row.guards == row.guards;
  });
  if (!known) context_.facts.rows.push_back({array, row, level});
}

// What an entry of a table of form Starts points to. Every memory has the whole table, of which native code makes one
// of pointers.
Value BodyWalker::entryOf(Pointer entry, const Expr* expr) {
  ArrayFact& table = context_.facts.arrays[entry.array];
  if (entry.offset)
    noteRow(entry.array, *entry.offset, 0);
  else
    table.anyRow.insert(0);
  entry.offset = std::nullopt;
  record(entry, {}, false, expr);
  return {{}, {Pointer{nullptr, elementsBehind(context_.facts, table.var), std::nullopt}}};
}

// A pointer to the row's first element; that the row is used is recorded.
Value BodyWalker::rowOf(const RowUse& use, const Expr* expr) {
  const unsigned array = context_.arrayOf.at(use.table);
  if (context_.facts.arrays[array].form == ArrayForm::Starts) {
    Value entry{{}, {Pointer{nullptr, array, constantForm(0)}}}, result;
    const QualType row = context_.facts.arrays[elementsBehind(context_.facts, use.table)].var->getType();
    if (const Expr* index = use.indexes.front()) entry = movePointer(entry, evaluate(index), row, false);
    for (const Pointer& pointer : entry.pointers) {
      const Value leads = entryOf(pointer, expr);
      result.pointers.insert(result.pointers.end(), leads.pointers.begin(), leads.pointers.end());
    }
    return result;
  }
  std::vector<std::optional<AffineExpr>> offsets = {constantForm(0)};
  for (unsigned level = 0; level < use.indexes.size(); ++level) {
    const Expr* expr = use.indexes[level];
    const Value index = expr ? evaluate(expr) : Value::of(constantForm(0));
    if (index.forms.empty()) context_.facts.arrays[array].anyRow.insert(level);  // the launch asks how many there are
    for (const AffineExpr& row : index.forms) noteRow(array, row, level);
    std::vector<std::optional<AffineExpr>> moved;
    const AffineExpr scale = lengthOf(array, level);
    for (const auto& offset : offsets)
      for (const AffineExpr& row : index.forms) {
        const auto sum = offset ? add(*offset, row) : std::nullopt;
        moved.push_back(sum ? multiply(*sum, scale) : std::nullopt);
      }
    if (moved.empty() || moved.size() > mostAlternatives) moved = {std::nullopt};
    offsets = std::move(moved);
  }
  Value result;
  for (const auto& offset : offsets) result.pointers.push_back({nullptr, array, offset});
  return result;
}

// How many rows, or elements, lie between the rows of one entry of a table and those of the next.
AffineExpr BodyWalker::lengthOf(unsigned array, unsigned level) {
  const ArrayFact& fact = context_.facts.arrays[array];
  const VarDecl* length = context_.facts.scalars[*rowLength(context_.facts, fact, level)].var;
  return symbol(nullptr, rowLengthText(context_.facts, length),
                fact.var->getNameAsString() + (level + 1 == fact.extents.size() ? "_length" : "_rows"));
}

// A member of a row, which is a vector.
BodyWalker::Returned BodyWalker::callRow(const CallExpr* call, const Expr* index, const std::vector<Pointer>& rows) {
  const llvm::StringRef name = memberName(call);
  const ArrayFact& array = context_.facts.arrays[rows.front().array];
  const auto size = [&] {
    const ObjectMember* member = context_.objects().find(array.var);
    return symbol(nullptr, rowSizeText(context_.objects(), array.var),
                  (member ? array.var->getNameAsString() : array.var->getName().str()) + "[].size()");
  };
  const Value first{{}, rows};
  const auto at = [&](const Value& position) {
    return placeBehind(movePointer(first, position, array.element, false), call);
  };
  Returned result;
  result.any = true;
  if (name == "size") {
    result.value = Value::of(size());
  } else if (name == "data") {
    result.value = first;
  } else if (index) {
    result.place = at(evaluate(index));
  } else if (name == "front") {
    result.place.elements = rows;
  } else if (name == "back") {
    const auto last = add(size(), constantForm(-1));
    result.place = at(last ? Value::of(*last) : Value::unknown());
  } else if (name != "empty") {
    context_.refuse(call->getBeginLoc(), "calls the method '" + name.str() + "'");
  }
  return result;
}

// False: it is a whole row.
bool BodyWalker::isElement(const Place& place, const Expr* expr) {
  if (place.rows.empty()) return true;
  context_.refuse(expr->getExprLoc(), "uses '" + sourceText(context_.ast, expr) +
                                          "', a row, for something else than its elements and size");
  return false;
}

}  // namespace muster::plugin
