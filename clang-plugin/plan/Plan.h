// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the plugin will do to a translation unit: arrays with their class, kernels with their arguments, and
// loops that step back. A value; the rewriter turns it into edits, all or none.
#pragma once

#include <string>
#include <vector>

#include "plan/Schedule.h"
#include "pragma/Directives.h"

namespace muster::plugin {

// Scope: whatever a call, or a member function of a std::unique_ptr, allocates. Embedded: an array inside of objects.
enum class StorageKind {
  New,
  Malloc,
  Calloc,
  AlignedAlloc,
  PosixMemalign,
  Scope,
  Vector,
  RowVectors,
  LocalArray,
  StaticArray,
  Embedded
};

struct ArrayPlan {
  const clang::DeclaratorDecl* decl = nullptr;  // a variable or a member, or what leads to the array's pointer
  std::string name;                             // for people: "u", "*out"
  StorageKind storage = StorageKind::New;
  const clang::Expr* allocation = nullptr;  // the new-expression or call; nullptr for vectors, unique_ptrs and arrays
  const clang::Expr* value = nullptr;       // with the allocation: the expression that is assigned
  ArrayPart part = ArrayPart::Elements;
  const clang::Expr* rowPlace = nullptr;  // of a row: what its pointer is assigned to
  clang::QualType element;
  clang::SourceLocation loc;  // of the name in the pragma
  bool replicated = false;    // class; otherwise partitioned
  std::string reason;         // why, for the remark and for the run-time report

  const clang::VarDecl* var() const { return llvm::cast<clang::VarDecl>(decl); }  // not for members
};

struct KernelPlan {
  const LoopFacts* facts = nullptr;
  std::string name;             // "muster_<function>_<line>"
  unsigned copy = 0;            // how many loops before it have its line, perhaps in another file
  std::uint64_t id = 0;         // hash of the code that it becomes (rewrite/Loops.cpp)
  std::set<unsigned> embedded;  // arrays of the facts that may lie inside of objects, and that a directive names
  std::string opencl;           // text, empty if native only
  std::string openclReason;
  Schedule schedule;        // of the OpenCL text
  bool needsFp64 = false;   // the OpenCL text does
  bool usesFloats = false;  // the OpenCL text does
  unsigned floatRules = 0;  // flags of MUSTER_KERNEL_FLOAT_RULES
};

struct StepBackPlan {
  const clang::OMPExecutableDirective* directive = nullptr;
  Refusal why;
  std::string instance;                       // of a template (instanceName)
  std::vector<const clang::VarDecl*> arrays;  // managed arrays or pointers it touches: made valid on the host first
};

struct TranslationUnitPlan {
  std::vector<ArrayPlan> arrays;
  std::vector<KernelPlan> kernels;
  std::vector<StepBackPlan> stepBacks;
  std::vector<RegionFact> regions;  // that one thread runs
  std::vector<NestedLoop> nested;   // in these
};

// `facts` must outlive the plan.
TranslationUnitPlan makePlan(clang::ASTContext& context, const DirectiveTable& table, const FileFacts& facts);
void printPlan(const TranslationUnitPlan& plan, const clang::SourceManager& sources, llvm::raw_ostream& out);

// The numbers of loops and arrays of a file.
void remarkSummary(clang::DiagnosticsEngine& engine, clang::SourceLocation loc, const TranslationUnitPlan& plan);
// One remark for each kernel and step back of the plan. (Arrays: when their storage is rewritten.)
void remarkPlan(clang::DiagnosticsEngine& engine, const TranslationUnitPlan& plan);

}  // namespace muster::plugin
