// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewriting of storage: what its parts share. Each part rewrites a construct whole or leaves it as it is, with a
// remark.
#pragma once

#include <set>
#include <string>

#include "rewrite/Rewrite.h"
#include "source/Remarks.h"

namespace muster::plugin {

class StorageRewriter {
 public:
  StorageRewriter(clang::ASTContext& context, EditList& edits)
      : context_(context), sources_(context.getSourceManager()), dialect_(context.getLangOpts()), edits_(edits) {}

  // An array whose rewriting went through gets its site and a remark on its class; else the reason is the remark.
  using Outcome = std::optional<std::string>;  // why not

  // The name of the site that describes this array; it is defined once an outcome asks for it.
  std::string siteName(const ArrayPlan& array);
  void finish(const ArrayPlan& array, const Outcome& whyNot);
  // A literal of type muster_loc.
  std::string location(clang::SourceLocation loc) const;
  std::string typeName(clang::QualType type) const {
    clang::PrintingPolicy policy = context_.getPrintingPolicy();
    policy.SuppressUnwrittenScope = true;
    return type.getAsString(policy);
  }
  // In bytes.
  std::string elementSize(const ArrayPlan& array) const;
  // An object that makes what is allocated while it lives managed memory of this array.
  std::string scope(const ArrayPlan& array);
  // A call that takes over what a vector of this array holds.
  std::string manageVector(const ArrayPlan& array, const std::string& vector);
  // Whether no pointers can lead to the elements of a vector that gets this value: not those of a variable that it is
  // moved from, nor those that a function kept. Other elements stay where they are (OwnMemory.cpp).
  bool takesOver(const ArrayPlan& array, const clang::Expr& value);
  // To be called for each use of its site: directives around that ask for it (`default(none)`) say that it is shared.
  // False: one of them is made by a macro.
  bool shareSite(const ArrayPlan& array, const clang::Stmt& use);
  // The value of the call is not used.
  bool isStatement(const clang::Expr& call);
  // "double name[4][4]"
  std::string declare(clang::QualType type, std::string name) const;
  unsigned line(clang::SourceLocation loc) const { return sources_.getPresumedLineNumber(sources_.getFileLoc(loc)); }

  clang::ASTContext& context() { return context_; }
  const clang::SourceManager& sources() const { return sources_; }
  const Dialect& dialect() const { return dialect_; }
  EditList& edits() { return edits_; }
  // While it lives, edits are this array's.
  ConstructEdits editsOf(const ArrayPlan& array) { return {edits_, Construct{array.loc, /*isArray=*/true}}; }

 private:
  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const Dialect dialect_;
  EditList& edits_;
  std::set<std::string> names_;
  std::set<clang::SourceLocation> remarked_;
  std::set<std::pair<clang::SourceLocation, std::string>> shared_;  // directives, and sites that they name
  std::map<const ArrayPlan*, std::string> sites_;
};

// new, malloc, calloc, aligned_alloc, posix_memalign, and calls that allocate.
StorageRewriter::Outcome rewriteAllocation(StorageRewriter& rewriter, const ArrayPlan& array);
// Declarations of vectors, unique_ptrs and arrays, grouped as the user declared them; reports on each array itself.
void rewriteDeclarations(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& arrays);
// What constructors and the class itself give to members that are vectors or unique_ptrs; reports on each.
void rewriteMemberInitializers(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& members);
// Calls of members that may give a vector or unique_ptr new memory.
void rewriteObjectCalls(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& objects);
// Calls that may give a vector of vectors, or one of its rows, new memory.
void rewriteRowCalls(StorageRewriter& rewriter, const std::vector<const ArrayPlan*>& tables);
// Whether an object that is declared holds the array's memory.
inline bool isObject(const ArrayPlan& array) {
  return array.storage == StorageKind::Vector || array.storage == StorageKind::RowVectors ||
         array.storage == StorageKind::Scope;
}
// main, free, realloc, delete[].
void rewriteProgram(StorageRewriter& rewriter);
// alloc_start, alloc_end.
void rewriteBlocks(StorageRewriter& rewriter, const DirectiveTable& table);

}  // namespace muster::plugin
