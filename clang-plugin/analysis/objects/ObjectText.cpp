// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How objects outside of a loop, and their members, are spelled at the launch site.
#include "analysis/objects/Objects.h"
#include "clang/AST/DeclCXX.h"
#include "pragma/ManagedTypes.h"
#include "source/Compat.h"
#include "source/LibraryTypes.h"

namespace muster::plugin {

using namespace clang;
using StepKind = ObjectPath::StepKind;

static std::string nameOfField(const FieldDecl* field) {
  auto* record = dyn_cast<CXXRecordDecl>(field->getParent());
  if (!record || !record->isLambda()) return field->getNameAsString();
  const LambdaCapture& capture = record->captures_begin()[field->getFieldIndex()];
  return capture.capturesVariable() ? capture.getCapturedVar()->getNameAsString() : "this";
}

static QualType typeOfParent(const FieldDecl* field) {
  return compat::recordType(field->getASTContext(), field->getParent());
}

std::string Objects::nameOf(const ObjectPath& path, bool qualified) const {
  std::string text = path.root ? (qualified && path.root->hasGlobalStorage() && !path.root->isStaticLocal()
                                      ? path.root->getQualifiedNameAsString()
                                      : path.root->getNameAsString())
                               : "this";
  const char* access = ".";
  std::string base;
  for (const ObjectPath::Step& step : path.steps) {
    if (step.kind == StepKind::Pointer || step.kind == StepKind::Smart) {
      if (*access == '-') text = "(*" + text + ")";
      access = "->";
    }
    if (step.kind == StepKind::Base && qualified) {
      PrintingPolicy policy = ast_.getPrintingPolicy();
      policy.SuppressTagKeyword = true;
      base = step.type.getCanonicalType().getUnqualifiedType().getAsString(policy) + "::";
    }
    if (step.kind == StepKind::Element) text += elementText(step);
    // What a std::array calls its elements is nobody's business.
    const bool isNamed = step.field && (qualified || stdArrayElement(typeOfParent(step.field)).isNull());
    const std::string name = isNamed ? nameOfField(step.field) : "";
    if (name.empty()) continue;
    text += access + base + name;
    access = ".";
    base.clear();
  }
  return *access == '-' ? "*" + text : text;
}

std::string Objects::textOf(const ObjectPath& path) const {
  bool spelled = true;
  for (const ObjectPath::Step& step : path.steps) spelled &= step.isPublic;
  const bool endsInBase = !path.steps.empty() && path.steps.back().kind == StepKind::Base;
  if (spelled && !endsInBase) return nameOf(path, true);
  return "(*" + pointerTo(path) + ")";
}

std::string Objects::pointerTo(const ObjectPath& path) const {
  PrintingPolicy policy = ast_.getPrintingPolicy();
  policy.SuppressTagKeyword = true;
  const QualType pointer = ast_.getPointerType(ast_.getConstType(path.type())).getCanonicalType();
  return "reinterpret_cast<" + pointer.getAsString(policy) + ">(" + addressOf(path) + ")";
}

std::string Objects::pointersTo(const ObjectPath& path) const {
  std::string pointers;
  ObjectPath prefix = path;
  prefix.steps.clear();
  for (const ObjectPath::Step& step : path.steps) {
    const bool isThis = !prefix.root && prefix.steps.empty();
    if (!isThis && (step.kind == StepKind::Pointer || step.kind == StepKind::Smart))
      pointers += (pointers.empty() ? "" : " && ") + textOf(prefix);
    if (step.index)
      pointers += (pointers.empty() ? "(unsigned long)(" : " && (unsigned long)(") + indexText(step) + ") < " +
                  std::to_string(step.count);
    prefix.steps.push_back(step);
  }
  return pointers;
}

// As a pointer to characters; it needs no access to the members on the way.
std::string Objects::addressOf(const ObjectPath& path) const {
  ObjectPath outer = path;
  outer.steps.resize(path.blockSteps());
  std::string start;
  if (outer.steps.empty()) {
    start = "__builtin_addressof(" + nameOf(outer, true) + ")";
  } else {
    const StepKind kind = outer.steps.back().kind;
    outer.steps.pop_back();
    const std::string holder = outer.steps.empty() && !outer.root ? "this" : textOf(outer);
    const bool spelled = llvm::all_of(outer.steps, [](const ObjectPath::Step& step) { return step.isPublic; });
    // A reference is kept as a pointer.
    if (kind == StepKind::Reference || (kind == StepKind::Pointer && !spelled))
      start = "*reinterpret_cast<const char *const *>(" + addressOf(outer) + ")";
    else
      start = holder + (kind == StepKind::Smart ? ".get()" : "");
  }
  return "reinterpret_cast<const char *>(" + start + ") + " + std::to_string(path.offsetInBlock());
}

}  // namespace muster::plugin
