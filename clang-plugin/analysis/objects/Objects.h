// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects outside of a loop whose members it uses (docs/decisions/0007): which expressions of the body, and of the
// functions that it calls, denote a member of such an object, and the variable that stands for the member in the facts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

// A way from a variable of the launch site, or from `this`, to an object. It leads to the same object in all
// iterations.
struct ObjectPath {
  enum class StepKind {
    Field,
    Base,       // the part of an object that is a base class
    Pointer,    // from a pointer to what it points to
    Smart,      // the same for std::unique_ptr and std::shared_ptr
    Reference,  // from a member that is a reference to what it refers to
    Element,    // of an array of pointers or objects in the object, with an index that no iteration changes
  };
  struct Step {
    StepKind kind = StepKind::Field;
    const clang::FieldDecl* field = nullptr;
    clang::QualType type;                   // behind the step
    std::int64_t offset = 0;                // Field, Base, Element: of the part, in bytes
    bool isPublic = true;                   // the step can be spelled anywhere
    const clang::VarDecl* index = nullptr;  // Element: the variable that chooses it; `offset` is then 0
    std::int64_t number = 0;                // which element, or what is added to the variable
    std::uint64_t count = 0;                // Element: how many the array has
    friend bool operator==(const Step& left, const Step& right) {
      return left.kind == right.kind && left.field == right.field && left.index == right.index &&
             left.number == right.number && left.type.getCanonicalType() == right.type.getCanonicalType();
    }
  };
  const clang::VarDecl* root = nullptr;  // nullptr: `this`
  clang::QualType rootType;              // not a reference; of `this`: the pointer
  std::vector<Step> steps;

  clang::QualType type() const { return steps.empty() ? rootType : steps.back().type; }
  bool isMember() const {
    return !steps.empty() && (steps.back().kind == StepKind::Field || steps.back().kind == StepKind::Reference ||
                              steps.back().kind == StepKind::Element);
  }
  // How many steps lead to the object in memory that holds the last part.
  std::size_t blockSteps() const;
  static bool staysInBlock(StepKind kind) {
    return kind == StepKind::Field || kind == StepKind::Base || kind == StepKind::Element;
  }
  // The start of the way, of so many steps.
  ObjectPath prefix(std::size_t count) const;
  bool startsWith(const ObjectPath& other) const;
  // Of the last part in that object, with the elements that are chosen by constants.
  std::int64_t offsetInBlock() const;
  // The last part shares its bytes with others, which have other values on a device if it is a pointer.
  bool isInUnion() const;
  friend bool operator==(const ObjectPath&, const ObjectPath&) = default;
};

// The objects that `this`, references, pointers and copies of a function's body are bound to.
struct ObjectBindings {
  bool isCallee = false;                                     // `this` is not that of the launch site
  std::optional<ObjectPath> self = {};                       // the object of the method
  std::map<const clang::VarDecl*, ObjectPath> objects = {};  // of a pointer: what it points to
  // Parameters and local pointers that are tables of rows of the launch site (analysis/objects/RowTables.h).
  std::map<const clang::VarDecl*, const clang::VarDecl*> rowTables = {};
  // Variables around a lambda of which its body sees a copy.
  std::map<const clang::VarDecl*, const clang::VarDecl*> copies = {};
  bool knows(const clang::VarDecl* var) const { return objects.count(var) || rowTables.count(var); }
  std::string key() const;  // the same for the same bindings
};

// A member that is a variable of its own.
struct ObjectMember {
  const clang::VarDecl* var = nullptr;  // its name is the path: "g->u"
  ObjectPath path;
  std::string text;  // C++ that denotes it at the launch site
  std::string name;  // an identifier for it in native code
};

// Where the text of the body (not of a function that it calls) denotes an object, an array in one, or a pointer to it.
struct ObjectUse {
  ObjectPath path;
  const clang::Expr* expr = nullptr;
};

// An object whose bytes that the loop uses are all in one array: the array's memory is in its place, in native code.
// With `texts`: only where the body denotes it so; without: for all that reaches it.
struct ObjectOverlay {
  ObjectPath path;
  unsigned array = 0;  // index into LoopFacts::arrays
  std::vector<const clang::Expr*> texts;
};

class Objects {
 public:
  static constexpr std::uint64_t mostElements = 6;

  // `owned`: variables that belong to the iteration (private, reductions, loop variables) or that it changes.
  Objects(const clang::ASTContext& ast, const clang::OMPExecutableDirective* directive,
          const clang::FunctionDecl* function, std::set<const clang::VarDecl*> owned);
  // Takes what `T ***p` points to for a table, as a member of an object is: `(*p)[i]`.
  void followTables() { followsTables_ = true; }

  // Lambdas that are made in the loop (Closures.cpp).
  // One is made here: its body sees what the code around it does, and its copies.
  void addLambda(const clang::LambdaExpr* lambda, const ObjectBindings& bindings);
  // The class of such a lambda.
  const clang::CXXRecordDecl* ownLambda(clang::QualType type) const;
  // A variable for the copy that a lambda has of `var`, made with `value`.
  const clang::VarDecl* addCopy(const clang::LambdaExpr* lambda, const clang::VarDecl* var, clang::Expr* value);
  // The variable for a capture, if it was added; else nullptr.
  const clang::VarDecl* copyOf(const clang::CXXRecordDecl* lambda, const clang::ValueDecl* var) const;
  // The copy that a name in a lambda's body means, or nullptr.
  static const clang::VarDecl* copyNamed(const clang::DeclRefExpr* reference, const ObjectBindings& bindings);
  // Several closures have the variable at a time, with different values.
  void addManifold(const clang::VarDecl* var) { manifold_.insert(var); }
  bool isManifold(const clang::VarDecl* var) const { return manifold_.count(var); }

  // The object that a glvalue denotes, and the one that a pointer points to; none if they may differ between
  // iterations, or are volatile or bit-fields.
  std::optional<ObjectPath> object(const clang::Expr* glvalue, const ObjectBindings& bindings) const;
  std::optional<ObjectPath> pointee(const clang::Expr* pointer, const ObjectBindings& bindings) const;

  // The member that an expression denotes, if it is of a type that a variable of the facts can have.
  const clang::VarDecl* member(const clang::Expr* glvalue, const ObjectBindings& bindings) const;
  // All elements of an array of pointers in an object, one of which `s->u[k]` denotes, where iterations choose which;
  // empty for everything else, and for arrays of more than mostElements.
  std::vector<const clang::VarDecl*> elements(const clang::Expr* glvalue, const ObjectBindings& bindings) const;
  // What stands for a variable that a lambda captured around the loop, in the lambda's body, for an outside object
  // or table of rows that a variable is bound to, and for the elements of a smart pointer to an array.
  const clang::VarDecl* variable(const clang::Expr* expr, const ObjectBindings& bindings) const;
  // Binds a reference or pointer, in C also a copy, that is declared with an initial value; false: it does not name an
  // outside object or table.
  bool bind(const clang::VarDecl* var, const clang::Expr* value, ObjectBindings& bindings) const;
  // The same for a variable declared in a body; a pointer or copy that is assigned later is an ordinary one.
  bool bindLocal(const clang::VarDecl* var, ObjectBindings& bindings) const;
  // What a function sees that is called with these arguments. `object`: of a method, nullptr otherwise.
  ObjectBindings enter(const clang::FunctionDecl* definition, const clang::Expr* object,
                       const std::vector<const clang::Expr*>& arguments, const ObjectBindings& caller) const;

  // The body names an object, maybe without using a member of it.
  void name(const ObjectPath& path) { named_.push_back(path); }
  const std::vector<ObjectPath>& named() const { return named_; }
  // Of arrays in objects, and of objects that are called or passed on.
  void use(ObjectPath path, const clang::Expr* expr) { uses_.push_back({std::move(path), expr}); }
  const std::vector<ObjectUse>& uses() const { return uses_; }
  // The member is used by a function that the body calls.
  void useInCallee(const clang::VarDecl* member) { usedInCallees_.insert(member); }
  bool isUsedInCallee(const clang::VarDecl* member) const { return usedInCallees_.count(member) != 0; }
  // analysis/objects/EmbeddedArrays.cpp
  void overlay(ObjectOverlay overlay) { overlays_.push_back(std::move(overlay)); }
  const std::vector<ObjectOverlay>& overlays() const { return overlays_; }
  // nullptr for a variable that the user wrote.
  const ObjectMember* find(const clang::VarDecl* var) const;
  const std::vector<std::unique_ptr<ObjectMember>>& members() const { return members_; }
  // A variable of the launch site with members that the loop may use.
  bool isOutside(const clang::VarDecl* var) const;
  // The function that declares a local variable; nullptr for others. What OpenMP captures is no function.
  static const clang::FunctionDecl* functionOf(const clang::VarDecl* var);
  static bool isRecord(clang::QualType type);
  // T **
  static bool isTable(clang::QualType type);
  // Without parentheses, and what wraps an expression that is a whole one, a default argument, or in braces.
  static const clang::Expr* plain(const clang::Expr* expr);
  // The type of elements has a name at the launch site. In a template it may be declared later, or in a caller.
  bool canBeNamed(clang::QualType type) const;

  // The object at the launch site, and a pointer to it.
  std::string textOf(const ObjectPath& path) const;
  std::string pointerTo(const ObjectPath& path) const;
  // The pointers on the way to it, which may be null where no iteration follows them: "s && s->grid"; empty: none.
  std::string pointersTo(const ObjectPath& path) const;

 private:
  // The class of the lambda whose body is followed, or nullptr.
  static const clang::CXXRecordDecl* lambdaOf(const ObjectBindings& bindings);
  std::optional<ObjectPath> behind(const clang::CallExpr* call, const ObjectBindings& bindings, bool isPointer) const;
  std::optional<ObjectPath> capture(const clang::ValueDecl* var, const ObjectBindings& bindings) const;
  std::optional<ObjectPath> field(std::optional<ObjectPath> base, const clang::FieldDecl* field) const;
  [[nodiscard]] bool isArrayOfObjects(const ObjectPath& path) const;
  std::optional<ObjectPath> pointers(const clang::ArraySubscriptExpr* subscript, const ObjectBindings& bindings) const;
  std::optional<ObjectPath> element(const clang::ArraySubscriptExpr* subscript, const ObjectBindings& bindings) const;
  const clang::VarDecl* memberAt(const ObjectPath& path, const clang::Expr* expr) const;
  std::optional<ObjectPath> base(std::optional<ObjectPath> path, const clang::CastExpr* cast) const;
  std::optional<ObjectPath> through(std::optional<ObjectPath> path) const;
  bool bindTable(const clang::VarDecl* var, const clang::Expr* value, const clang::FunctionDecl* definition,
                 const ObjectBindings& from, ObjectBindings& bindings) const;
  bool isElementPointer(const clang::FunctionDecl* definition, const clang::VarDecl* var) const;
  bool isInside(const clang::CXXRecordDecl* record) const;
  bool isOfLaunchSite(const clang::VarDecl* var) const;  // maybe owned
  std::string addressOf(const ObjectPath& path) const;
  std::string nameOf(const ObjectPath& path, bool qualified) const;

  const clang::ASTContext& ast_;
  const clang::OMPExecutableDirective* directive_;
  const clang::FunctionDecl* function_;
  std::set<const clang::VarDecl*> owned_;
  std::set<const clang::DeclContext*> enclosing_;               // the functions around the directive
  mutable std::vector<std::unique_ptr<ObjectMember>> members_;  // made when they are first asked for
  std::vector<ObjectPath> named_;
  std::vector<ObjectUse> uses_;
  std::set<const clang::VarDecl*> usedInCallees_;
  std::vector<ObjectOverlay> overlays_;
  mutable std::map<const clang::FunctionDecl*, std::set<const clang::VarDecl*>> elementPointers_;
  std::map<const clang::CXXRecordDecl*, ObjectBindings> lambdas_;  // made in the loop
  std::map<std::pair<const clang::CXXRecordDecl*, const clang::ValueDecl*>, const clang::VarDecl*> copies_;
  std::set<const clang::VarDecl*> manifold_;
  bool followsTables_ = false;
  mutable unsigned depth_ = 0;  // of calls that are looked through
};

// Whether objects of the type are closures that captured something, or hold such.
bool holdsCaptures(clang::QualType type);
// "2", "k", "k - 1", and in brackets.
std::string indexText(const ObjectPath::Step& step);
std::string elementText(const ObjectPath::Step& step);

}  // namespace muster::plugin
