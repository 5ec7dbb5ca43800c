// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables that stand for members of objects outside of a loop.
#include "analysis/objects/RowTables.h"
#include "source/LibraryTypes.h"

namespace muster::plugin {

using namespace clang;
using StepKind = ObjectPath::StepKind;

static std::uint64_t countOf(const ASTContext& ast, const ObjectPath& array) {
  return ast.getAsConstantArrayType(array.type())->getZExtSize();
}

std::vector<const VarDecl*> Objects::elements(const Expr* expr, const ObjectBindings& bindings) const {
  auto* subscript = dyn_cast<ArraySubscriptExpr>(plain(expr));
  const bool isPointer = subscript && subscript->getType()->isPointerType();
  const auto path = isPointer ? pointers(subscript, bindings) : std::nullopt;
  if (!path || element(subscript, bindings) || countOf(ast_, *path) > mostElements) return {};
  if (subscript->getIdx()->isIntegerConstantExpr(ast_)) return {};  // there is no such element
  std::vector<const VarDecl*> members;
  ObjectPath::Step step{.kind = StepKind::Element, .type = subscript->getType(), .count = countOf(ast_, *path)};
  for (; step.number < static_cast<std::int64_t>(step.count); ++step.number) {
    step.offset = step.number * ast_.getTypeSizeInChars(step.type).getQuantity();
    ObjectPath one = *path;
    one.steps.push_back(step);
    members.push_back(memberAt(one, subscript));
  }
  return members;
}

const VarDecl* Objects::member(const Expr* expr, const ObjectBindings& bindings) const {
  expr = plain(expr);
  if (!expr->isGLValue()) return nullptr;
  auto path = object(expr, bindings);
  const bool isVariable = path && (path->isMember() || isSmartArray(path->type()) ||
                                   (!path->steps.empty() && followsTables_ && isTable(path->type())));
  return isVariable ? memberAt(*path, expr) : nullptr;
}

const VarDecl* Objects::memberAt(const ObjectPath& path, const Expr* expr) const {
  for (const auto& known : members_)
    if (known->path == path) return known->var;
  QualType type = path.type();
  if (const QualType element = smartPointee(type); !element.isNull()) {
    if (isRecord(element) && !isSmartArray(type)) return nullptr;
    type = ast_.getPointerType(element);
  }
  auto entry = std::make_unique<ObjectMember>();
  // What has the name of a variable would be taken for it.
  const std::string name = nameOf(path, false) + (path.steps.empty() ? ".get()" : "");
  auto* context = const_cast<FunctionDecl*>(function_);
  auto& ast = const_cast<ASTContext&>(ast_);
  entry->var = VarDecl::Create(ast, context, expr->getExprLoc(), expr->getExprLoc(), &ast.Idents.get(name), type,
                               nullptr, SC_None);
  entry->path = path;
  entry->text = textOf(path);
  if (!smartPointee(path.type()).isNull()) entry->text = "(" + entry->text + ").get()";
  entry->name = "muster_m" + std::to_string(members_.size());
  entry->name += "_";
  for (char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') entry->name += c;
  members_.push_back(std::move(entry));
  return members_.back()->var;
}

const VarDecl* Objects::variable(const Expr* expr, const ObjectBindings& bindings) const {
  auto* reference = dyn_cast<DeclRefExpr>(expr);
  auto* var = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!var) return nullptr;
  if (const auto table = bindings.rowTables.find(var); table != bindings.rowTables.end()) return table->second;
  if (isSmartArray(var->getType())) return member(expr, bindings);
  const auto bound = bindings.objects.find(var);
  if (bound == bindings.objects.end())
    return reference->refersToEnclosingVariableOrCapture() && lambdaOf(bindings) ? member(expr, bindings) : nullptr;
  if (var->getType()->isPointerType()) return nullptr;
  return bound->second.steps.empty() ? bound->second.root : member(expr, bindings);
}

const ObjectMember* Objects::find(const VarDecl* var) const {
  for (const auto& known : members_)
    if (known->var == var) return known.get();
  return nullptr;
}

}  // namespace muster::plugin
