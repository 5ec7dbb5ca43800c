// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the printing of one function's code shares: names of its variables, spaces of its pointers, temporaries.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "lower/program/Program.h"

namespace muster::plugin::lower {

class Scope {
 public:
  explicit Scope(Program& program) : spaces(program), program_(program) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  Spaces spaces;

  // Gives a variable a name and returns it.
  std::string declare(const clang::VarDecl* var);
  // The same for one that is a value in this function even where the user's is a reference: the kernel's arguments and
  // copies.
  std::string declareValue(const clang::VarDecl* var);
  bool isReference(const clang::VarDecl* var) const {
    return (var->getType()->isReferenceType() || isOuterValue(var)) && !values_.count(var->getCanonicalDecl());
  }
  // The name of a variable of this function, or of an argument of the kernel (which becomes a capture, unless this is
  // the kernel); empty for others.
  std::string variable(const clang::VarDecl* var);
  // Whether the code has had that name for it.
  bool isNamed(const clang::VarDecl* var, const std::string& name) const {
    const auto found = names_.find(var->getCanonicalDecl());
    return found != names_.end() && found->second == name;
  }

  // The kernel's own text is in no other function's.
  void setOutermost() { isOutermost_ = true; }
  bool isOutermost() const { return isOutermost_; }
  // The name of a variable of a function around this one, for lambdas and what calls them: of a pointer to it, or of a
  // copy of a pointer. Empty: it is none.
  std::string outerName(const clang::VarDecl* var);
  clang::QualType outerType(const clang::VarDecl* var) const;
  bool isOuter(const clang::VarDecl* var) const { return llvm::is_contained(outer_, var->getCanonicalDecl()); }
  // An argument for such a parameter of a called function; none if there is none.
  ir::Expression outerArgument(const clang::VarDecl* var);
  const std::vector<const clang::VarDecl*>& outer() const { return outer_; }

  void setVectorSize(const clang::VarDecl* vector, std::string name) { vectorSizes_[vector] = std::move(name); }
  // Empty if the kernel does not get it; a function other than the kernel captures it.
  std::string vectorSize(const clang::VarDecl* vector);

  std::string thisName() const { return this_; }
  void setThisName(std::string name) { this_ = std::move(name); }

  // A private variable without value; its definition goes to the start of the function.
  std::string temporary(clang::QualType type, clang::SourceLocation loc);
  // The same for a variable of the user's.
  std::string declareTemporary(const clang::VarDecl* var);
  const std::vector<std::string>& temporaries() const { return temporaries_; }

  // An iteration that ends the program (analysis/references/ProgramEnds.h) writes that to global memory,
  // muster_end_out, and leaves all functions that it is in; these say so in what muster_ended is, or points to.
  void noteEnd() { ends_ = true; }
  bool ends() const { return ends_; }
  static constexpr const char* endParameters = "__global int *muster_end_out, int *muster_ended";
  ir::Expression endFlag() const {
    return isOutermost_ ? ir::name("muster_ended") : ir::target(ir::name("muster_ended"));
  }
  std::vector<ir::Expression> endArguments() const { return {ir::name("muster_end_out"), ir::addressOf(endFlag())}; }

  const std::vector<const clang::VarDecl*>& captures() const { return captures_; }
  const std::vector<const clang::VarDecl*>& capturedSizes() const { return capturedSizes_; }

 private:
  static bool isPointer(const clang::VarDecl* var);
  bool isOuterValue(const clang::VarDecl* var) const { return isOuter(var) && !isPointer(var); }

  Program& program_;
  std::map<const clang::VarDecl*, std::string> names_;
  std::set<const clang::VarDecl*> values_;
  std::map<const clang::VarDecl*, std::string> vectorSizes_;
  std::string this_;
  std::vector<std::string> temporaries_;
  std::vector<const clang::VarDecl*> captures_, capturedSizes_, outer_;
  bool isOutermost_ = false, ends_ = false;
};

}  // namespace muster::plugin::lower
