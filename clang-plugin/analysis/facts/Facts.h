// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the analysis finds out about one parallel loop: a value that the plan, the OpenCL printer and the
// rewriter read. Pointers are into the AST of the nested compile, which outlives all stages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/code/Library.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/StmtOpenMP.h"

namespace muster::plugin {

// A product of symbols (launch-invariant scalars), sorted; empty is 1. A symbol is an index into
// LoopFacts::symbols.
using Monomial = std::vector<unsigned>;
// sum of coefficient * monomial: what a coefficient of an affine form is made of. {} is 0.
using Polynomial = std::map<Monomial, std::int64_t>;

// sum over variables (dims first, then inner) of factor * variable, plus constant.
struct AffineExpr {
  std::map<unsigned, Polynomial> factors = {};
  Polynomial constant = {};
  std::set<unsigned> guards = {};  // indexes into LoopFacts::guards: the form is right while these hold
};

// The value of `form` lies in [low, high] in all iterations. Machine arithmetic would wrap otherwise; what cannot be
// shown here is checked at the launch, which stays on the host if it does not hold.
struct GuardFact {
  AffineExpr form;
  std::int64_t low = 0, high = 0;
};

// An integer that does not change during the launch: evaluated at the launch site.
struct Symbol {
  const clang::Expr* expr = nullptr;  // printable in the scope of the launch site; nullptr: a signed 64-bit number
  std::string text;                   // its source text there
  std::string name;                   // for people, where that is not the text
};

// How the user's variable reaches the elements.
// Rows: a table of pointers to them, T **a, or of pointers to such tables (analysis/objects/RowTables.h).
// Starts: a table whose entries lead anywhere into one array, or to its end, as the numbers of the elements there.
enum class ArrayForm { Pointer, ConstantArray, Vector, PointerToArray, Rows, Starts };

struct ArrayFact {
  const clang::VarDecl* var = nullptr;
  ArrayForm form = ArrayForm::Pointer;
  clang::QualType element;                 // innermost element type, unqualified
  std::vector<std::int64_t> extents = {};  // inner extents of an n-D array (all but the first)
  bool read = false, written = false, updated = false;
  bool embedded = false;    // inside of an object, and a directive names it
  bool byPointers = false;  // Rows: native code needs the pointers to the rows, not just an array of rows; Starts: true
  std::set<unsigned> anyRow =
      {};  // Rows: levels whose entries are chosen by a computed number, which may be that of any
  // Arrays of one number (0: none) have pointers that the loop compares with each other; `ordered`: not only for
  // equality. They have to be pointers into one array, unless only equality counts.
  unsigned compared = 0;
  bool ordered = false;
  // A table whose entries the loop assigns, and does nothing else with: `element` is a pointer to elements of arrays,
  // which leads there on rank 0 alone.
  bool addresses = false;
  // The table of form Starts whose entries lead into this array, which has no name of the user's: `var` was made here.
  const clang::VarDecl* table = nullptr;

  // A launch looks at its entries, and may find that the loop has to stay plain.
  bool isTable() const { return form == ArrayForm::Rows || form == ArrayForm::Starts; }
  // How many tables lead from `var` to elements.
  unsigned tableLevels() const { return form == ArrayForm::Rows ? extents.size() : form == ArrayForm::Starts ? 1 : 0; }
};

struct ScalarFact {
  const clang::VarDecl* var = nullptr;
  bool global = false;      // has static storage and is not a compile-time constant
  bool inCallee = false;    // read by a function that the body calls
  bool vectorSize = false;  // `var` is a vector of `arrays`; the value is its size(), named "<var>_size"
  bool byValue = false;     // `var` is a small array of the launch site, which travels with the launch
};

struct ResultFact {
  const clang::VarDecl* var = nullptr;
  unsigned kind = 0;  // muster_result_kind
  // A flag: all that iterations do with the variable is to assign this constant. The kind is an or (and, if it is 0).
  const clang::Expr* constant = nullptr;
  bool byClause = true;                                      // otherwise the body's updates show that it is a reduction
  const clang::OMPDeclareReductionDecl* declared = nullptr;  // by an operator of the user's
  // Of a struct whose members the body adds up each on its own: muster_result_kind of each, or untouchedMember.
  std::vector<unsigned> members = {};

  // Its value travels with a mark that there is one.
  bool isBoxed() const { return declared || !members.empty(); }
};

inline constexpr unsigned untouchedMember = ~0U;

// Variables that belong together, such as a minimum and its place: statements `if (value < key) { key = value; ... }`
// assign them, and nothing else in the body uses them. Every thread and device goes on from the values before the loop;
// of the winners of each, the best one is kept, of equal ones the one that the serial loop keeps.
struct RecordFact {
  std::vector<const clang::VarDecl*> vars;  // the key first
  bool least = true;                        // the smaller key is better
  bool latest = false;                      // of equal keys the last one is kept: `<=`
  // Of equal keys, the smaller (`tieLeast`) or larger value of this variable is better.
  const clang::VarDecl* tie = nullptr;
  bool tieLeast = true;
  std::vector<const clang::IfStmt*> choices;
};

// One loop of the nest that becomes a dimension of the NDRange, outermost first. `lower` and `upper` are as
// the user wrote them and do not change during the launch.
struct DimFact {
  const clang::ForStmt* loop = nullptr;
  const clang::CXXForRangeStmt* range = nullptr;  // instead of `loop`
  const clang::VarDecl* var = nullptr;
  bool declaredInLoop = true;
  const clang::Expr* lower = nullptr;
  const clang::Expr* bound = nullptr;
  clang::BinaryOperatorKind relation = clang::BO_LT;  // var RELATION bound: LT, LE, GT, GE, NE
  const clang::Expr* step = nullptr;                  // magnitude; nullptr is 1
  bool down = false;                                  // the variable is decreased
  bool byDirective = true;  // part of the user's collapse nest; otherwise found independent by us
  // A loop over a pointer (analysis/loops/PointerLoop.h): `var` was made for it and counts from 0 or more, and every
  // iteration has the user's `pointer`, which is `value`: base + var; of a range-based loop it is *(base + var).
  const clang::VarDecl* pointer = nullptr;
  const clang::Expr *base = nullptr, *value = nullptr;
  const clang::Expr* limit = nullptr;  // of the pointer, as the user wrote it
  // Where what it starts from is no plain name: `base` is this pointer, which the launch site declares with that value.
  const clang::VarDecl* start = nullptr;

  bool isUnit() const { return !step && !down; }  // one iteration further, the variable is greater by one
  // What `base` is, of names at the launch site.
  const clang::Expr* origin() const { return start ? start->getInit() : base; }

  const clang::Stmt* statement() const { return range ? static_cast<const clang::Stmt*>(range) : loop; }
  const clang::Stmt* body() const { return range ? range->getBody() : loop->getBody(); }
};

// `linear(k : step)`: each iteration has its own `var`, first `value`: start + factor * times * (the loop's variable).
// The launch site declares `start`. The last one's is a result.
struct LinearFact {
  const clang::VarDecl* var = nullptr;
  const clang::VarDecl* start = nullptr;
  std::int64_t factor = 1;
  const clang::VarDecl* times = nullptr;  // nullptr: 1
  const clang::Expr* value = nullptr;
};

// A loop inside an iteration that counts up by one, and whose own iterations touch no elements that others of them
// write. But for one, perhaps, where its variable has the value `pivot`: that one writes what the others read.
struct GroupLoopFact {
  const clang::ForStmt* loop = nullptr;
  const clang::VarDecl* var = nullptr;
  bool hasPivot = false;
  AffineExpr pivot = {};                                          // by the loops around
  std::map<unsigned, const clang::VarDecl*> pivotVariables = {};  // these loops' variables
  // Numbers of the iteration's own that its iterations give each other: it is shared if it adds them up.
  std::vector<const clang::VarDecl*> carried = {};
};

// A number that occurs in indexes and lies between affine forms, inclusive: the variable of a loop inside the body (for
// strides, the number of its iteration), which takes all these values, or an expression that has some of them, such as
// `x % n`; accesses whose index uses the latter are conditional. Both bounds are divided by `divisor`, at least 1, and
// rounded down: `i / 2` lies between i and i, by 2.
struct InnerFact {
  std::string name;  // as printed: "j", "iteration of j", "(i + 1) % n"
  AffineExpr smallest, largest;
  Polynomial divisor = {{Monomial{}, 1}};
};

// How an access uses its element: it reads it, unless `write` or `update`.
struct AccessMode {
  bool write = false;
  bool update = false;   // x = x OP value, whose order does not matter and whose result is not used
  unsigned op = 0;       // of an update: muster_result_kind
  bool atomic = false;   // a read or write of `omp atomic`
  bool ordered = false;  // its value depends on the order of all updates
  friend bool operator==(const AccessMode&, const AccessMode&) = default;
};

struct AccessFact : AccessMode {
  unsigned array = 0;  // index into LoopFacts::arrays
  bool conditional = false;
  bool partial = false;  // writes a part of a struct, perhaps
  // Symbols that are 1 or 0, of conditions that are the same in all iterations: while one is 0 there is no such access.
  std::set<unsigned> onlyIf = {};
  std::optional<AffineExpr> index;  // none: cannot be bounded
  std::string reason;               // why not, for the remark
  clang::SourceLocation loc;
};

// A row that the loop uses of an array of form Rows; of tables of tables, an entry of those at a level.
struct RowFact {
  unsigned array = 0;  // index into LoopFacts::arrays
  AffineExpr row;
  unsigned level = 0;
};

// A statement that does x = x OP value, in any of its spellings.
struct UpdateFact {
  const clang::Expr* target = nullptr;               // x
  const clang::Expr* value = nullptr;                // nullptr: 1
  unsigned kind = 0;                                 // muster_result_kind, if it commutes or is a minimum or maximum
  clang::BinaryOperatorKind opcode = clang::BO_Add;  // BO_LT: minimum, BO_GT: maximum, BO_Assign: x = value
  bool valueFirst = false;                           // x = value OP x
  bool commutes = false;                             // with others of its kind, for elements of the type of x
  bool keepsNan = true;     // a minimum or maximum that leaves x as it is unless the value compares beyond it
  bool skipsNan = false;    // fmin, fmax
  bool isCall = false;      // of an atomic function, which converts the value to the type of x first
  bool returnsNew = false;  // a call whose result is x behind the update, not before
};

// One dimension of a section.
struct SectionPart {
  const clang::Expr* lower = nullptr;   // nullptr: 0
  const clang::Expr* length = nullptr;  // nullptr: to the end of the array, or one element
  bool isElement = false;               // names one element
};

// An array, or a section of one, that a reduction clause names. The body only updates its elements.
struct SectionFact {
  const clang::VarDecl* var = nullptr;
  unsigned array = 0;                   // index into LoopFacts::arrays
  unsigned kind = 0;                    // muster_result_kind
  const clang::Expr* item = nullptr;    // as the clause names it
  std::vector<SectionPart> parts = {};  // of the first dimensions; the others, if any, are whole
};

// A function that the loop calls, directly or through others, and that names global arrays of the loop: native code has
// a copy of it that gets them as further arguments (analysis/references/CalleeCopies.h).
struct CalleeCopy {
  const clang::FunctionDecl* function = nullptr;
  std::vector<const clang::VarDecl*> arrays;
};

// Updates that the body does between omp_set_lock and omp_unset_lock. Locks are in the memory of one process, so that
// the updates are made as those of `omp critical` are.
struct LockFact {
  std::vector<const clang::Stmt*> calls;      // of the library's functions, in their order
  std::vector<const clang::Stmt*> updates;    // between them
  std::vector<const clang::IfStmt*> choices;  // of records, between them
};

class Aliases;  // analysis/code/Aliases.h
class Objects;  // analysis/objects/Objects.h

// A reason why something is not done, for a remark.
struct Refusal {
  clang::SourceLocation loc;
  std::string what;  // "calls 'printf', which is not defined in this translation unit"
};

struct LoopFacts {
  const clang::OMPExecutableDirective* directive = nullptr;
  const clang::FunctionDecl* function = nullptr;  // that contains it
  std::vector<DimFact> dims;
  unsigned collapsed = 1;                   // the first `collapsed` dims are the directive's own
  const clang::Stmt* body = nullptr;        // of the innermost loop of the directive (native code keeps it as text)
  const clang::Stmt* deviceBody = nullptr;  // of the innermost dim: what one work-item runs
  // Declarations between the loops of dims, which every work-item repeats, outermost first.
  std::vector<const clang::Stmt*> prelude;

  std::vector<ArrayFact> arrays;
  std::vector<ScalarFact> scalars;
  std::vector<ResultFact> results;
  std::vector<RecordFact> records;              // results, too, behind these; their variables are firstprivate
  std::vector<const clang::VarDecl*> privates;  // declared outside, private in the loop (no value in or out)
  // Objects that each thread of a team makes in front of the loop, and that each iteration makes again, in this order.
  std::vector<const clang::VarDecl*> remade;
  std::vector<LinearFact> linears;
  std::vector<const clang::VarDecl*> firstprivates;  // also in scalars; the body may change its copy
  std::vector<InnerFact> inner;
  std::vector<AccessFact> accesses;
  std::vector<GroupLoopFact> groupLoops;
  std::vector<RowFact> rows;
  std::vector<GuardFact> guards;
  std::vector<SectionFact> sections;
  // Statements (of the body or of a callee) that a kernel has to do atomically where they touch elements.
  std::map<const clang::Stmt*, UpdateFact> updates;
  // Atomic functions whose results are used: these tell the order of all updates.
  std::map<const clang::Expr*, UpdateFact> fetches;
  // Of the body, around choices of records alone: each thread has its own, so they protect nothing.
  std::set<const clang::OMPCriticalDirective*> needlessCriticals;
  std::vector<LockFact> locks;
  // Of their updates some are none of `omp atomic`, or belong together.
  bool locksAreCritical = false;
  std::vector<Symbol> symbols;
  std::vector<const clang::FunctionDecl*> callees;  // transitive, callees before callers
  // Of other translation units, by the linker's names: whether every rank may run them is known at the launch.
  std::set<std::string> unseen;
  std::vector<CalleeCopy> copies;  // of these
  // Read in the body or a callee, not parameters: scalars whose value the compiler knows (`const int n = 9`), and
  // constant arrays of static storage with a constant initialiser, which every rank has.
  std::vector<const clang::VarDecl*> constants;
  std::vector<const clang::VarDecl*> tables;

  // The directive is an `omp for` that may be called by a team or by one thread, which finds out at run time.
  bool orphaned = false;
  bool inTurn = false;               // in a region whose threads run in turn: on the first one
  bool mayHaveTeam = false;          // in a region that may keep its team when the program runs
  std::shared_ptr<Objects> objects;  // outside of the loop, whose members are among the variables above
  // Variables of static storage that the region around the loop makes private: its text has copies under their names,
  // functions have the originals.
  std::set<const clang::VarDecl*> copied;
  bool isCopied(const clang::VarDecl* var) const { return copied.count(var->getCanonicalDecl()) > 0; }

  // C: uses of arrays as such (sizeof a, &a) in the body's text, where native code has pointers to their rows.
  std::vector<const clang::DeclRefExpr*> wholeArrays;

  bool needsDistinct = false;     // dims beyond the directive's are right only if no two arrays overlap
  bool mayCarryInChunks = false;  // also within parts of the iterations that one thread gets
  // Carried within the part that a static schedule gives to a thread, which the program may compute: it uses the number
  // of threads.
  bool mayCarryInParts = false;
  bool mayCarry = false;           // iterations may give each other values (analysis/independence/SharedElements.h)
  std::optional<Refusal> refusal;  // the loop is not outlined at all: plain OpenMP on host data
  std::optional<Refusal> openclRefusal;  // outlined, but native only

  // No kernel. Of several reasons the first is the one that is said.
  void refuseKernel(clang::SourceLocation loc, std::string what) {
    if (!openclRefusal) openclRefusal = Refusal{loc, std::move(what)};
  }

  // The body reads numbers from text, whose end only the text shows.
  bool readsText = false;

  // Its launch runs on rank 0's CPUs, over the program's own memory.
  bool staysOnHost() const {
    return readsText ||
           std::any_of(arrays.begin(), arrays.end(), [](const ArrayFact& array) { return array.addresses; });
  }
  // Only the launch computes the size of its schedule's chunks, which native code cannot have: it is launched if no two
  // of its arrays are one. Otherwise iterations might give each other values in chunks.
  bool onlyApart = false;
  // Whether its rows, its arrays, and what it calls of other units, allow a launch is found out when the program runs.
  bool mayStay() const {
    const auto isTable = [](const ArrayFact& array) { return array.isTable(); };
    return onlyApart || !unseen.empty() || std::any_of(arrays.begin(), arrays.end(), isTable);
  }
};

// A worksharing loop that is not distributed, in a region that one thread runs: it becomes a `parallel for` of its own,
// in which the thread's variables have these clauses.
struct NestedLoop {
  const clang::OMPExecutableDirective* directive = nullptr;
  std::vector<const clang::VarDecl*> privates, lastprivates;
  std::vector<ResultFact> reductions;
};

// A parallel region that one thread runs, because it holds, or calls functions with, loops that are distributed.
struct RegionFact {
  const clang::OMPExecutableDirective* directive = nullptr;
  // Functions of other translation units that it calls, by the linker's names: one thread runs it only if all of them
  // turn out to be harmless when the program runs, its team otherwise.
  std::set<std::string> unseen;
  std::vector<const clang::CallExpr*> counts;  // calls for the number of threads, which is that of the plain program
  unsigned callFlags = 0;                      // MUSTER_CALLS_..., of those to the unseen functions
  // Calls for the thread's number: the region's code runs for each thread in turn (analysis/teams/ThreadSlots.h).
  std::vector<const clang::CallExpr*> slots;
};

struct FileFacts {
  std::shared_ptr<const Aliases> aliases;
  std::vector<LoopFacts> loops;  // in source order
  std::vector<RegionFact> regions;
  std::vector<NestedLoop> nested;
  // Functions all of whose worksharing loops that are in no region of theirs are launched where one thread calls them.
  std::set<const clang::FunctionDecl*> launchedOrphans;
};

}  // namespace muster::plugin
