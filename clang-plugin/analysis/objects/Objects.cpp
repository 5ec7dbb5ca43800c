// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which expressions denote objects outside of a loop.
#include "analysis/objects/Objects.h"

#include "analysis/code/Calls.h"
#include "analysis/code/Functions.h"
#include "clang/AST/RecordLayout.h"
#include "source/Compat.h"
#include "source/ElementTypes.h"
#include "source/LibraryTypes.h"

namespace muster::plugin {

using namespace clang;
using StepKind = ObjectPath::StepKind;

// Calls whose result is an object are looked through at most so deep.
static constexpr unsigned mostCalls = 8;

std::size_t ObjectPath::blockSteps() const {
  std::size_t count = steps.size();
  while (count > 0 && staysInBlock(steps[count - 1].kind)) --count;
  return count;
}

std::int64_t ObjectPath::offsetInBlock() const {
  std::int64_t offset = 0;
  for (std::size_t i = blockSteps(); i < steps.size(); ++i) offset += steps[i].offset;
  return offset;
}

bool ObjectPath::isInUnion() const {
  return std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(blockSteps()), steps.end(),
                     [](const Step& step) { return step.field && step.field->getParent()->isUnion(); });
}

ObjectPath ObjectPath::prefix(std::size_t count) const {
  ObjectPath start = *this;
  start.steps.resize(count);
  return start;
}

bool ObjectPath::startsWith(const ObjectPath& other) const {
  return other.steps.size() <= steps.size() && prefix(other.steps.size()) == other;
}

std::string indexText(const ObjectPath::Step& step) {
  if (!step.index) return std::to_string(step.number);
  const std::string name = step.index->getNameAsString();
  if (step.number == 0) return name;
  return name + (step.number < 0 ? " - " : " + ") + std::to_string(std::abs(step.number));
}

std::string elementText(const ObjectPath::Step& step) { return "[" + indexText(step) + "]"; }

static std::string keyOf(const ObjectPath& path) {
  std::string key = path.root ? path.root->getNameAsString() : "this";
  key += "@" + std::to_string(reinterpret_cast<std::uintptr_t>(path.root));
  for (const ObjectPath::Step& step : path.steps)
    key += "/" + std::to_string(static_cast<int>(step.kind)) +
           (step.field ? std::to_string(step.field->getFieldIndex()) : "") +
           (step.kind == StepKind::Element ? elementText(step) : "") + ":" + step.type.getCanonicalType().getAsString();
  return key;
}

std::string ObjectBindings::key() const {
  std::map<std::string, std::string> entries;  // not in the order of addresses
  for (const auto& [var, path] : objects)
    entries[var->getNameAsString() + std::to_string(var->getLocation().getRawEncoding())] = keyOf(path);
  for (const auto& [var, table] : rowTables)
    entries[var->getNameAsString() + std::to_string(var->getLocation().getRawEncoding())] =
        table->getNameAsString() + "@" + std::to_string(reinterpret_cast<std::uintptr_t>(table));
  std::string key = self ? keyOf(*self) : "";
  for (const auto& [var, path] : entries) key += "|" + var + "=" + path;
  return key;
}

Objects::Objects(const ASTContext& ast, const OMPExecutableDirective* directive, const FunctionDecl* function,
                 std::set<const VarDecl*> owned)
    : ast_(ast), directive_(directive), function_(function), owned_(std::move(owned)) {
  const DeclContext* context = function;
  if (auto* captured = dyn_cast_or_null<CapturedStmt>(directive ? directive->getAssociatedStmt() : nullptr))
    context = captured->getCapturedDecl();
  for (; context; context = context->getParent()) enclosing_.insert(context->getPrimaryContext());
}

const FunctionDecl* Objects::functionOf(const VarDecl* var) {
  const DeclContext* context = var->getParentFunctionOrMethod();
  while (context && isa<CapturedDecl>(context)) context = context->getParent();
  return dyn_cast_or_null<FunctionDecl>(context);
}

bool Objects::isRecord(QualType type) {
  return type.getNonReferenceType()->isRecordType() && vectorElement(type).isNull();
}

bool Objects::canBeNamed(QualType type) const {
  if (const QualType element = vectorElement(type); !element.isNull()) type = element;
  for (type = ast_.getBaseElementType(type); type->isPointerType();
       type = ast_.getBaseElementType(type->getPointeeType())) {
  }
  const TagDecl* tag = type->getAsTagDecl();
  if (!tag) return true;
  auto* record = dyn_cast<CXXRecordDecl>(tag);
  if (record && record->isLambda()) return false;
  const DeclContext* function = tag->getParentFunctionOrMethod();
  if (function && !enclosing_.count(const_cast<DeclContext*>(function)->getPrimaryContext())) return false;
  // The place of a class that is instantiated explicitly is that instantiation.
  if (const CXXRecordDecl* pattern = record ? record->getTemplateInstantiationPattern() : nullptr) tag = pattern;
  return directive_ && ast_.getSourceManager().isBeforeInTranslationUnit(tag->getLocation(), directive_->getBeginLoc());
}

bool Objects::isOutside(const VarDecl* var) const { return !owned_.count(var) && isOfLaunchSite(var); }

bool Objects::isOfLaunchSite(const VarDecl* var) const {
  if (var->hasGlobalStorage() && !var->isStaticLocal()) return var->getTLSKind() == VarDecl::TLS_None;
  const DeclContext* context = var->getDeclContext();
  while (context && isa<CapturedDecl>(context)) context = context->getParent();
  if (!context || !enclosing_.count(context->getPrimaryContext())) return false;
  return directive_ && ast_.getSourceManager().isBeforeInTranslationUnit(var->getLocation(), directive_->getBeginLoc());
}

const Expr* Objects::plain(const Expr* expr) {
  for (;;) {
    expr = expr->IgnoreParens();
    auto* full = dyn_cast<FullExpr>(expr);
    auto* argument = dyn_cast<CXXDefaultArgExpr>(expr);
    auto* list = dyn_cast<InitListExpr>(expr);
    if (full)
      expr = full->getSubExpr();
    else if (argument)
      expr = argument->getExpr();
    else if (list && list->getNumInits() == 1 && (list->isGLValue() || list->getType()->isPointerType()))
      expr = list->getInit(0);
    else
      return expr;
  }
}

const CXXRecordDecl* Objects::lambdaOf(const ObjectBindings& bindings) {
  auto* record = bindings.isCallee && bindings.self ? bindings.self->type()->getAsCXXRecordDecl() : nullptr;
  return record && record->isLambda() ? record : nullptr;
}

// What a lambda captured is a member of its object; nullptr: `this`.
std::optional<ObjectPath> Objects::capture(const ValueDecl* var, const ObjectBindings& bindings) const {
  llvm::DenseMap<const ValueDecl*, FieldDecl*> fields;
  FieldDecl* ofThis = nullptr;
  lambdaOf(bindings)->getCaptureFields(fields, ofThis);
  const FieldDecl* found = var ? fields.lookup(var) : ofThis;
  return found ? field(bindings.self, found) : std::nullopt;
}

std::optional<ObjectPath> Objects::object(const Expr* expr, const ObjectBindings& bindings) const {
  expr = plain(expr);
  if (auto* reference = dyn_cast<DeclRefExpr>(expr)) {
    if (auto* binding = dyn_cast<BindingDecl>(reference->getDecl()); binding && !binding->getHoldingVar())
      return object(binding->getBinding(), bindings);
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (!var) return std::nullopt;
    if (reference->refersToEnclosingVariableOrCapture() && lambdaOf(bindings)) return capture(var, bindings);
    auto bound = bindings.objects.find(var);
    if (bound != bindings.objects.end() && !var->getType()->isPointerType()) return bound->second;
    const QualType type = var->getType().getNonReferenceType();
    if (!isOutside(var) || type.isVolatileQualified()) return std::nullopt;
    // Native code declares the variable under its own name in the body; functions would still see the user's.
    if (reference->hasQualifier() || (bindings.isCallee && var->hasGlobalStorage())) return std::nullopt;
    return ObjectPath{var, type, {}};
  }
  if (auto* member = dyn_cast<MemberExpr>(expr)) {
    auto* part = dyn_cast<FieldDecl>(member->getMemberDecl());
    if (!part) return std::nullopt;
    if (member->isArrow()) return field(pointee(member->getBase(), bindings), part);
    if (!member->getBase()->isGLValue()) return std::nullopt;
    return field(object(member->getBase(), bindings), part);
  }
  if (auto* subscript = dyn_cast<ArraySubscriptExpr>(expr)) return element(subscript, bindings);
  if (auto* op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_Deref)
    return pointee(op->getSubExpr(), bindings);
  if (auto* cast = dyn_cast<CastExpr>(expr)) {
    if (!cast->getSubExpr()->isGLValue() || isa<CXXConstCastExpr>(cast)) return std::nullopt;
    if (cast->getCastKind() == CK_NoOp) return object(cast->getSubExpr(), bindings);
    return base(object(cast->getSubExpr(), bindings), cast);
  }
  if (auto* call = dyn_cast<CallExpr>(expr)) return behind(call, bindings, false);
  return std::nullopt;
}

std::optional<ObjectPath> Objects::pointee(const Expr* expr, const ObjectBindings& bindings) const {
  expr = plain(expr);
  if (isa<CXXThisExpr>(expr)) {
    if (lambdaOf(bindings)) {
      auto path = capture(nullptr, bindings);
      return path && path->type()->isPointerType() ? through(path) : path;
    }
    if (bindings.isCallee) return bindings.self;
    return ObjectPath{nullptr, expr->getType(), {{StepKind::Pointer, nullptr, expr->getType()->getPointeeType()}}};
  }
  if (auto* op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_AddrOf)
    return object(op->getSubExpr(), bindings);
  if (auto* call = dyn_cast<CallExpr>(expr)) return behind(call, bindings, true);
  auto* cast = dyn_cast<CastExpr>(expr);
  if (!cast || isa<CXXConstCastExpr>(cast)) return std::nullopt;
  if (cast->getCastKind() == CK_NoOp) return pointee(cast->getSubExpr(), bindings);
  if (cast->getCastKind() != CK_LValueToRValue)
    return cast->getSubExpr()->getType()->isPointerType() ? base(pointee(cast->getSubExpr(), bindings), cast)
                                                          : std::nullopt;
  if (auto* reference = dyn_cast<DeclRefExpr>(plain(cast->getSubExpr())))
    if (auto* var = dyn_cast<VarDecl>(reference->getDecl()); var && var->getType()->isPointerType())
      if (auto bound = bindings.objects.find(var); bound != bindings.objects.end()) return bound->second;
  return through(object(cast->getSubExpr(), bindings));
}

bool Objects::isTable(QualType type) {
  return type->isPointerType() && !type.isVolatileQualified() && type->getPointeeType()->isPointerType() &&
         !rowElement(type).isNull() && rowLevels(type) == 1;
}

std::optional<ObjectPath> Objects::through(std::optional<ObjectPath> path) const {
  if (!path || !path->type()->isPointerType() || path->type().isVolatileQualified()) return std::nullopt;
  if (path->isInUnion()) return std::nullopt;
  // Two indexes may choose one object, which would have two stand-ins in one place.
  for (std::size_t i = path->blockSteps(); i < path->steps.size(); ++i)
    if (path->steps[i].index) return std::nullopt;
  const QualType target = path->type()->getPointeeType();
  if (followsTables_ && isTable(target)) {
    path->steps.push_back({StepKind::Pointer, nullptr, target});
    return path;
  }
  const QualType object = target->isPointerType() ? target->getPointeeType() : target;  // *pp is a pointer to one
  if (!isRecord(object) || object->isIncompleteType() || target.isVolatileQualified()) return std::nullopt;
  path->steps.push_back({StepKind::Pointer, nullptr, target});
  return path;
}

bool Objects::isInside(const CXXRecordDecl* record) const {
  auto* method = dyn_cast<CXXMethodDecl>(function_);
  const DeclContext* context = method ? method->getParent() : nullptr;
  for (; context && context->isRecord(); context = context->getParent())
    if (cast<CXXRecordDecl>(context)->getCanonicalDecl() == record->getCanonicalDecl()) return true;
  return false;
}

std::optional<ObjectPath> Objects::field(std::optional<ObjectPath> path, const FieldDecl* part) const {
  const RecordDecl* record = part->getParent();
  auto* inCxx = dyn_cast<CXXRecordDecl>(record);
  const bool isCapture = inCxx && inCxx->isLambda();
  const bool hasName = part->getDeclName() || part->isAnonymousStructOrUnion() || isCapture;
  if (!path || !hasName || part->isBitField() || record->isInvalidDecl()) return std::nullopt;
  // Native code copies each member that the loop uses: of one that holds the bytes of another, the same bytes.
  if (record->isUnion() && !isCopiedByBytes(compat::recordType(ast_, record))) return std::nullopt;
  if (inCxx && (inCxx->isDependentType() || inCxx->getNumVBases() != 0)) return std::nullopt;
  QualType type = part->getType();
  if (type.isVolatileQualified()) return std::nullopt;
  const bool isReference = type->isReferenceType();
  if (!isReference && path->type().isConstQualified() && !part->isMutable()) type = ast_.getConstType(type);
  const auto& layout = ast_.getASTRecordLayout(record);
  const std::int64_t bits = static_cast<std::int64_t>(layout.getFieldOffset(part->getFieldIndex()));
  const bool isPublic = !inCxx || (!isCapture && (part->getAccess() == AS_public || isInside(inCxx)));
  path->steps.push_back({StepKind::Field, part, type.getNonReferenceType(), bits / 8, isPublic});
  if (isReference) path->steps.push_back({StepKind::Reference, nullptr, type.getNonReferenceType()});
  return path;
}

// `Block blocks[8]` of objects that hold pointers, so that it is no array of elements that could travel.
bool Objects::isArrayOfObjects(const ObjectPath& path) const {
  static constexpr std::int64_t mostBytes = 16384;
  const QualType type = path.type();
  return path.steps.empty() && isRecord(ast_.getBaseElementType(type)) &&
         ast_.getTypeSizeInChars(type).getQuantity() <= mostBytes &&
         !canBeElement(ast_, ast_.getBaseElementType(type)).empty();
}

// The array of pointers or objects in an object, of `s->u[k]`, or one of objects.
std::optional<ObjectPath> Objects::pointers(const ArraySubscriptExpr* subscript, const ObjectBindings& bindings) const {
  const QualType type = subscript->getType();
  auto* decay = dyn_cast<ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
  if (!(type->isPointerType() || isRecord(type)) || type.isVolatileQualified() || !decay ||
      decay->getCastKind() != CK_ArrayToPointerDecay)
    return std::nullopt;
  auto* array = ast_.getAsConstantArrayType(decay->getSubExpr()->getType());
  auto path = array ? object(decay->getSubExpr(), bindings) : std::nullopt;
  return path && (path->isMember() || isArrayOfObjects(*path)) && !path->isInUnion() ? path : std::nullopt;
}

// `k`, `k + 1`, `k - 1`: a variable, which comes back, and what is added to it.
static const DeclRefExpr* chosenBy(const ASTContext& ast, const Expr* index, std::int64_t& added) {
  added = 0;
  index = index->IgnoreParenImpCasts();
  if (auto* sum = dyn_cast<BinaryOperator>(index); sum && sum->isAdditiveOp()) {
    Expr::EvalResult value;
    if (!sum->getRHS()->EvaluateAsInt(value, ast) || value.Val.getInt().getSignificantBits() > 16) return nullptr;
    added = sum->getOpcode() == BO_Add ? value.Val.getInt().getExtValue() : -value.Val.getInt().getExtValue();
    index = sum->getLHS()->IgnoreParenImpCasts();
  }
  return dyn_cast<DeclRefExpr>(index);
}

// s->u[2], or s->u[k] with a variable of the launch site.
std::optional<ObjectPath> Objects::element(const ArraySubscriptExpr* subscript, const ObjectBindings& bindings) const {
  auto path = pointers(subscript, bindings);
  if (!path) return std::nullopt;
  const QualType type = subscript->getType();
  ObjectPath::Step step{
      .kind = StepKind::Element, .type = type, .count = ast_.getAsConstantArrayType(path->type())->getZExtSize()};
  const Expr* index = subscript->getIdx()->IgnoreParenImpCasts();
  Expr::EvalResult value;
  if (!index->isValueDependent() && index->EvaluateAsInt(value, ast_)) {
    const llvm::APSInt& number = value.Val.getInt();
    if (!number.isRepresentableByInt64() || number.isNegative() || number.getZExtValue() >= step.count)
      return std::nullopt;
    step.number = number.getExtValue();
    step.offset = step.number * ast_.getTypeSizeInChars(type).getQuantity();
  } else {
    const DeclRefExpr* reference = chosenBy(ast_, index, step.number);
    auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    const bool isPlain = var && var->getType()->isIntegerType() && !var->getType().isVolatileQualified() &&
                         !reference->hasQualifier() && !bindings.isCallee && !bindings.objects.count(var);
    if (!isPlain || !isOutside(var)) return std::nullopt;
    step.index = var;
  }
  path->steps.push_back(step);
  return path;
}

// `static_cast<const D&>(*this)` in a base class of D's: back to the object that it is a part of.
static std::optional<ObjectPath> derived(std::optional<ObjectPath> path, const CastExpr* cast) {
  const QualType type = cast->getType()->isPointerType() ? cast->getType()->getPointeeType() : cast->getType();
  while (path && !path->steps.empty() && path->steps.back().kind == StepKind::Base) {
    path->steps.pop_back();
    if (path->type().getCanonicalType().getUnqualifiedType() == type.getCanonicalType().getUnqualifiedType())
      return path;
  }
  return std::nullopt;
}

std::optional<ObjectPath> Objects::base(std::optional<ObjectPath> path, const CastExpr* cast) const {
  if (cast->getCastKind() == CK_BaseToDerived) return derived(std::move(path), cast);
  if (!path || (cast->getCastKind() != CK_DerivedToBase && cast->getCastKind() != CK_UncheckedDerivedToBase))
    return std::nullopt;
  auto* record = path->type()->getAsCXXRecordDecl();
  for (const CXXBaseSpecifier* specifier : cast->path()) {
    if (!record || specifier->isVirtual()) return std::nullopt;
    auto* parent = specifier->getType()->getAsCXXRecordDecl();
    const std::int64_t offset = ast_.getASTRecordLayout(record).getBaseClassOffset(parent).getQuantity();
    QualType type = specifier->getType();
    if (path->type().isConstQualified()) type = ast_.getConstType(type);
    path->steps.push_back(
        {StepKind::Base, nullptr, type, offset, specifier->getAccessSpecifier() == AS_public || isInside(record)});
    record = parent;
  }
  return path;
}

// `p.operator->()`, `*p`, `p.get()` of smart pointers, and functions that do nothing but return an object.
std::optional<ObjectPath> Objects::behind(const CallExpr* call, const ObjectBindings& bindings, bool isPointer) const {
  const FunctionDecl* function = call->getDirectCallee();
  const Expr* object = objectOf(call);
  if (!function || depth_ >= mostCalls) return std::nullopt;
  if (object && !smartPointee(object->getType()).isNull()) {
    const auto op = function->getOverloadedOperator();
    const bool isGet = function->getDeclName().isIdentifier() && function->getName() == "get";
    auto path = this->object(object, bindings);
    const QualType target = smartPointee(object->getType());
    if (!path || isSmartArray(object->getType()) || !(op == OO_Arrow || op == OO_Star || isGet) || !isRecord(target))
      return std::nullopt;
    path->steps.push_back({StepKind::Smart, nullptr, target});
    return path;
  }
  const FunctionDecl* definition = definitionOf(function);
  auto* method = dyn_cast_or_null<CXXMethodDecl>(definition);
  auto* body = definition ? dyn_cast<CompoundStmt>(definition->getBody()) : nullptr;
  if (!body || body->size() != 1 || (method && method->isVirtual())) return std::nullopt;
  auto* result = dyn_cast<ReturnStmt>(body->body_front());
  if (!result || !result->getRetValue()) return std::nullopt;
  ++depth_;
  const ObjectBindings inside = enter(definition, object, argumentsOf(call), bindings);
  auto path = isPointer                            ? pointee(result->getRetValue(), inside)
              : result->getRetValue()->isGLValue() ? this->object(result->getRetValue(), inside)
                                                   : std::nullopt;
  --depth_;
  return path;
}

}  // namespace muster::plugin
