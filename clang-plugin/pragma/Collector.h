// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file holds that directives can be bound to: declarations and statements by their place, and every place at
// which a variable or member gets a value that may be new memory.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "source/AstVisitor.h"

namespace muster::plugin {

// What a directive can stand before.
struct Anchor {
  clang::SourceLocation begin;
  std::vector<const clang::DeclaratorDecl*> declared;  // variables or members
  const clang::Stmt* statement = nullptr;              // nullptr before a declaration
};

struct Assignment {
  const clang::DeclaratorDecl* target = nullptr;  // canonical
  bool isIndirect = false;                        // the target only leads to the place: `*p = ...`, `p[i] = ...`
  const clang::Expr* place = nullptr;             // as the target is named there; nullptr in an initializer
  const clang::Expr* value = nullptr;             // for an argument through which a function returns memory: the call
};

class Collector : public AstVisitor {
 public:
  explicit Collector(const clang::SourceManager& sources) : sources_(sources) {}

  bool VisitDeclStmt(clang::DeclStmt* statement) override;
  bool VisitVarDecl(clang::VarDecl* var) override;
  bool VisitFieldDecl(clang::FieldDecl* field) override;
  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl* constructor) override;
  bool VisitBinaryOperator(clang::BinaryOperator* operation) override;
  bool VisitCallExpr(clang::CallExpr* call) override;
  bool VisitIfStmt(clang::IfStmt* statement) override;
  bool VisitCompoundStmt(clang::CompoundStmt* block) override;

  using Position = std::pair<clang::FileID, unsigned>;  // and the offset in the file
  const std::multimap<Position, Anchor>& anchors() const { return anchors_; }
  const std::vector<Assignment>& assignments() const { return assignments_; }
  // Places that assignments in templates name, of which only an instance of the template will say what they are.
  const std::vector<const clang::Expr*>& dependentPlaces() const { return dependentPlaces_; }

  // Whether `loc` lies inside a statement of `block`, where no further statement can be put.
  bool isInsideStatement(const clang::CompoundStmt* block, clang::SourceLocation loc) const;
  // The innermost block around `loc`, or nullptr.
  const clang::CompoundStmt* blockAround(clang::SourceLocation loc) const;

 private:
  void add(clang::SourceLocation begin, Anchor anchor);
  void assign(const clang::Expr* place, const clang::Expr* value);

  const clang::SourceManager& sources_;
  std::multimap<Position, Anchor> anchors_;
  std::vector<Assignment> assignments_;
  std::vector<const clang::Expr*> dependentPlaces_;
  std::vector<const clang::CompoundStmt*> blocks_;
};

// The variable or member that an expression names, canonical; nullptr if it names neither.
const clang::DeclaratorDecl* namedBy(const clang::Expr* expr);
// That behind any number of `*` and `[...]` too.
const clang::DeclaratorDecl* leadingTo(const clang::Expr* expr);
// `a` of `a[0]` and `*a`, at most `most` times, and how often.
std::pair<const clang::Expr*, unsigned> withoutFirst(const clang::Expr& place, unsigned most);

}  // namespace muster::plugin
