// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the walk knows where paths meet, and what it forgets of what some code may change.
#include "analysis/code/Functions.h"
#include "analysis/walk/BodyWalker.h"
#include "source/AstVisitor.h"
#include "source/LibraryTypes.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

// Adds the objects whose methods a statement calls, unless these are const.
static void addCalled(const Stmt* statement, std::set<const VarDecl*>& objects) {
  if (!statement) return;
  if (auto* call = dyn_cast<CXXMemberCallExpr>(statement); call && call->getMethodDecl())
    if (auto* object = dyn_cast<DeclRefExpr>(call->getImplicitObjectArgument()->IgnoreParenImpCasts()))
      if (auto* var = dyn_cast<VarDecl>(object->getDecl()); var && !call->getMethodDecl()->isConst())
        objects.insert(var);
  for (const Stmt* part : statement->children()) addCalled(part, objects);
}

namespace {

class NameFinder : public AstVisitor {
 public:
  std::set<const VarDecl*> found;
  bool self = false, closures = false;

  bool VisitDeclRefExpr(DeclRefExpr* reference) override {
    auto* var = dyn_cast<VarDecl>(reference->getDecl());
    if (var) found.insert(var);
    closures |= var && holdsCaptures(var->getType().getNonReferenceType());
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr*) override {
    self = true;
    return true;
  }
};

}  // namespace

// Variables of the iteration's own that a statement, which names these `changed` ones, may change under another name:
// through a pointer or a reference that it names, or that an object has which it names.
std::set<const VarDecl*> BodyWalker::reachedIn(const Stmt* statement, const std::set<const VarDecl*>& changed) const {
  NameFinder names;
  names.TraverseStmt(const_cast<Stmt*>(statement));
  names.found.insert(changed.begin(), changed.end());
  std::vector<const VarDecl*> holders(names.found.begin(), names.found.end());
  if (names.self)
    for (const Pointer& pointer : self_.pointers)
      if (pointer.local) holders.push_back(pointer.local);
  if (names.closures)  // which may have captured any of them
    for (const auto& [var, value] : state_.values) holders.push_back(var);
  std::set<const VarDecl*> seen, reached;
  const auto reach = [&](const VarDecl* var, bool mayChange) {
    if (mayChange) reached.insert(var);
    if (seen.insert(var).second) holders.push_back(var);
  };
  const auto follow = [&](QualType type, const Value& value) {
    const QualType pointee = type.getNonReferenceType()->getPointeeType();
    for (const Pointer& pointer : value.pointers)
      if (pointer.local) reach(pointer.local, pointee.isNull() || !pointee.isConstQualified());
  };
  for (std::size_t i = 0; i < holders.size(); ++i) {
    const VarDecl* holder = holders[i];
    if (const auto reference = state_.references.find(holder); reference != state_.references.end()) {
      const bool mayChange = changed.count(holder) || reached.count(holder);
      if (reference->second.variable) reach(reference->second.variable, mayChange);
      for (const Pointer& pointer : reference->second.elements)
        if (pointer.local) reach(pointer.local, mayChange);
    }
    const auto value = state_.values.find(holder);
    if (value == state_.values.end()) continue;
    follow(holder->getType(), value->second);
    for (const auto& [field, member] : value->second.members) follow(field->getType(), member);
  }
  return reached;
}

std::set<const VarDecl*> BodyWalker::changedIn(const Stmt* statement) const {
  if (!statement) return {};
  auto changed = changedVariables(statement);
  addCalled(statement, changed);
  changed.merge(reachedIn(statement, changed));
  for (auto var = changed.begin(); var != changed.end();) {
    const bool isObject = Objects::isRecord((*var)->getType()) && context_.objects().isOutside(*var);
    // Of a vector only elements can change: all else is refused.
    var = isObject || !vectorElement((*var)->getType()).isNull() ? changed.erase(var) : ++var;
  }
  return changed;
}

// What the iteration goes on with behind a loop or switch, or at the next one's start.
void BodyWalker::leave(bool continues, SourceLocation loc) {
  auto from = left_.rbegin();
  while (continues && from != left_.rend() && !from->isLoop) ++from;
  if (from != left_.rend()) checkStays(from->assumed, loc);
}

// What a loop leaves in a variable is unknown, but a pointer that it only moves stays in its array (checkPointers).
void BodyWalker::forget(const std::set<const VarDecl*>& variables) {
  for (const VarDecl* var : variables)
    if (const auto found = state_.values.find(var); found != state_.values.end()) forget(found->second);
}

void BodyWalker::forget(Value& value) {
  value.forms.clear(), value.atLeast.clear(), value.atMost.clear();
  for (Pointer& pointer : value.pointers) pointer.offset = std::nullopt;
  for (auto& [field, member] : value.members) forget(member);
}

// Whether the pointers of `now` are among those that were assumed.
static bool staysIn(const Value& before, const Value& now) {
  const auto isAssumed = [&](const Pointer& pointer) {
    return llvm::any_of(before.pointers, [&](const Pointer& old) {
      return old.array == pointer.array && old.local == pointer.local && old.field == pointer.field &&
             (!old.offset || samePointer(old, pointer));
    });
  };
  if (!before.pointers.empty() && (now.pointers.empty() || !llvm::all_of(now.pointers, isAssumed))) return false;
  return llvm::all_of(before.members, [&](const auto& member) {
    const auto found = now.members.find(member.first);
    return staysIn(member.second, found == now.members.end() ? Value() : found->second);
  });
}

static bool sameMembers(const Value& left, const Value& right) {
  return llvm::equal(left.members, right.members, [](const auto& one, const auto& other) {
    return one.first == other.first && llvm::equal(one.second.pointers, other.second.pointers, samePointer);
  });
}

// A loop may have no iteration, and a case may not be taken: a pointer that was unknown in front of it is so behind it.
static void keepUnknown(const Value& before, Value& now) {
  if (before.pointers.empty()) now.pointers.clear();
  for (auto member = now.members.begin(); member != now.members.end();) {
    const auto known = before.members.find(member->first);
    if (known == before.members.end()) {
      member = now.members.erase(member);
      continue;
    }
    keepUnknown(known->second, member->second);
    ++member;
  }
}

// The walk sees a loop's body once: what a pointer points to when an iteration ends must be what was assumed at its
// start.
void BodyWalker::checkStays(const State& assumed, SourceLocation loc) {
  for (const auto& [var, before] : assumed.values) {
    if (!var->getDeclName()) continue;  // a temporary, which no loop changes (store)
    const auto now = state_.values.find(var);
    if (!staysIn(before, now == state_.values.end() ? Value() : now->second))
      context_.refuse(loc, say::LoopChangesPointer(var->getNameAsString()));
  }
}

void BodyWalker::checkPointers(const State& assumed, SourceLocation loc) {
  checkStays(assumed, loc);
  for (const auto& [var, before] : assumed.values)
    if (const auto now = state_.values.find(var); now != state_.values.end()) keepUnknown(before, now->second);
  // Objects that the loop makes anew, or changes in ways that are not seen in front.
  for (auto& [var, now] : state_.values) {
    if (now.members.empty()) continue;
    const auto before = assumed.values.find(var);
    if (before == assumed.values.end() || !sameMembers(before->second, now)) forget(now);
  }
}

// A pointer to an object that is moved elsewhere does not go with it.
void BodyWalker::forgetPointersTo(const VarDecl* object) {
  const auto leadsThere = [object](const Pointer& pointer) { return pointer.local == object; };
  const auto forgetIn = [&](auto& self, Value& value) -> void {
    if (llvm::any_of(value.pointers, leadsThere)) value.pointers.clear();
    for (auto& [field, member] : value.members) self(self, member);
  };
  for (auto& [var, value] : state_.values) forgetIn(forgetIn, value);
}

void BodyWalker::join(const State& other) {
  for (auto& [var, value] : state_.values) {
    auto found = other.values.find(var);
    value = found == other.values.end() ? Value::unknown() : unite(value, found->second);
  }
  for (const auto& [var, value] : other.values) state_.values.emplace(var, Value::unknown());
}

}  // namespace muster::plugin
