// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the passes over one loop share: the facts being collected and the role of each variable.
#pragma once

#include <map>
#include <set>

#include "analysis/code/Library.h"
#include "analysis/facts/Facts.h"
#include "analysis/facts/Values.h"
#include "analysis/objects/Objects.h"
#include "clang/AST/ASTContext.h"
#include "source/UserFiles.h"

namespace muster::plugin {

enum class Role {
  Loop,     // variable of a loop of the directive
  Private,  // private, lastprivate or reduction: a variable of the iteration (or thread) itself
  Firstprivate,
  Array,     // pointer, array or vector that elements are reached through
  Scalar,    // shared, read only
  Constant,  // value known at compile time
  Table,     // constant array of static storage
};

// Loops on which it depends whether an access happens in every iteration of those that become dimensions.
struct Doubt {
  std::set<unsigned> values;  // its index uses their variables, which skip values
  std::set<unsigned> runs;    // it is inside of them, and they may have no iteration
  std::size_t size() const { return values.size() + runs.size(); }
};

// What a loop does with tables of rows: uses their rows, takes the start of one for the end of another, or more.
enum class TableUse { None, Rows, Ends, Whole };

struct TeamScope;
class Aliases;

struct LoopContext {
  clang::ASTContext& ast;
  LoopFacts& facts;
  std::map<const clang::VarDecl*, Role> roles;        // of every variable declared outside the body
  std::map<const clang::VarDecl*, unsigned> arrayOf;  // index into facts.arrays
  std::set<const clang::VarDecl*> declaredInside;
  std::set<const clang::VarDecl*> changed;   // in the body
  std::set<const clang::VarDecl*> managed;   // variables that a directive names
  std::vector<LoopVariable> variables;       // in the order of the walk; finishDims renumbers
  std::map<std::size_t, Doubt> doubts = {};  // by access, until finishDims
  const TeamScope* team = nullptr;           // of a worksharing loop in a parallel region or function
  // Functions whose references are known, for the objects that they were called with.
  std::set<std::pair<const clang::FunctionDecl*, std::string>> followed = {};

  // The function whose text a lambda of the loop is part of; nullptr: the body itself.
  std::map<const clang::CXXRecordDecl*, const clang::FunctionDecl*> lambdas = {};
  const Aliases* aliases = nullptr;
  std::set<const clang::FieldDecl*> managedFields = {};  // that a directive names

  std::vector<FollowedCall> calls = {};  // innermost last
  const SkippedText* skipped = nullptr;  // of a loop of the file

  bool unevenRows = false;  // tables of rows have form Starts
  TableUse tables = TableUse::None;
  std::set<const clang::VarDecl*> assignedTables = {};  // whose entries the body assigns

  Objects& objects() const { return *facts.objects; }

  // Keeps the first refusal. Always false, so that passes can `return context.refuse(...)`.
  bool refuse(clang::SourceLocation loc, std::string what) {
    if (facts.refusal) return false;
    putInWords(ast, calls, loc, what);
    facts.refusal = Refusal{loc, std::move(what)};
    return false;
  }
  bool refused() const { return facts.refusal.has_value(); }
};

// Element type of a pointer, array or vector (innermost), null if it is none of them.
clang::QualType vectorElement(clang::QualType type);

// The function around the directive, its loops and their bounds, and the text of the body. False: refused.
bool readFunction(LoopContext& context);
bool readDims(LoopContext& context);
bool readText(LoopContext& context);

// Roles of the variables that the directive's clauses name. False: refused.
bool readClauses(LoopContext& context);

// What native code can declare again for an iteration: arithmetic types, arrays of them and pointers to them.
bool isPrivateType(const clang::ASTContext& ast, clang::QualType type);

// Roles of all other variables that the body, its callees or the clauses use; finds what native code on another
// rank could not do (I/O, goto, statics, ...). False: refused.
bool readReferences(LoopContext& context);

// C: refuses what native code at file scope could not name. False: refused.
bool readFileScope(LoopContext& context);

// True for a function of the standard library whose effect is its value alone: sqrt, abs, std::min, ...
bool isMaths(const clang::FunctionDecl* function);
// std::move, std::forward or std::as_const, which the compiler knows without their definitions.
bool isForwarding(const clang::FunctionDecl* function);
// memcpy, memmove or memset; also qsort, and std::sort and std::unique of numbers in GCC's parallel mode.
bool isMemoryFunction(const clang::FunctionDecl* function);
// What `assert`, and `at` of the standard library, calls where it fails: the process ends, because exceptions cannot
// leave the iterations of a loop.
bool isAssertion(const clang::FunctionDecl* function);
// std::swap.
bool isSwap(const clang::FunctionDecl* function);
// What a closure's calls may run: the call operator's definitions; empty for other types.
std::vector<const clang::FunctionDecl*> lambdaBodies(clang::QualType type);
// What a parameter of this type lets a function reach, innermost: of a pointer or reference; else null.
clang::QualType givenAway(clang::QualType type);
// All that goes into a function and comes out of it is numbers and structs of them, and pointers to such that go in,
// unless it uses variables of its file.
bool passesPlainData(const clang::FunctionDecl* function);
// A function that other translation units may define, and that gets and gives such data only.
bool isOfOtherUnit(const clang::FunctionDecl* function);
// The definition to follow for a call, nullptr if there is none in this translation unit.
const clang::FunctionDecl* definitionOf(const clang::FunctionDecl* function);

// What a function does that is one expression, which it may return; else nullptr.
const clang::Expr* onlyExpression(const clang::FunctionDecl* definition);

// The type below all references, pointers and arrays.
clang::QualType innermostType(clang::QualType type);
// An arithmetic type or an enumeration: what elements, scalars and results can be.
inline bool isScalarType(clang::QualType type) { return type->isArithmeticType() || type->isEnumeralType(); }

// A class whose objects the runtime may copy byte by byte.
bool isCopiedByBytes(clang::QualType type);
// Whether the compiler makes the constructor, and it does nothing (a default one) or what copying the bytes does.
bool isPlainConstructor(const clang::CXXConstructorDecl* constructor);
// Why this cannot be the element type of an array that a distributed loop uses ("are volatile"); empty if it can.
std::string canBeElement(const clang::ASTContext& ast, clang::QualType type);

// Whether `statement` (nullptr: no) names one of the variables.
bool mentions(const clang::Stmt* statement, const std::set<const clang::VarDecl*>& variables);

// Variables that `statement` may change: assigned, counted, or given away by address or reference.
std::set<const clang::VarDecl*> changedVariables(const clang::Stmt* statement);

// Pointer variables of a function that are indexed or moved there, or in functions that get them (`depth` calls deep).
std::set<const clang::VarDecl*> indexedPointers(const clang::FunctionDecl* definition, unsigned depth = 8);

// False: the loop reads, by value, what it may write.
bool checkStaleValues(LoopContext& context);

// An arithmetic value that is the same in every iteration and may be computed at the launch site.
bool isInvariant(const LoopContext& context, const clang::Expr* expr);

// Walks the body: accesses with their affine forms, inner loops, symbols. False: refused.
bool walkBody(LoopContext& context);

// Makes small arrays that are only read part of the launch: scalars instead of arrays.
void passSmallArrays(LoopContext& context);

// Which of the loop's functions native code has to copy, because they name its arrays. False: refused.
bool copyCallees(LoopContext& context);

// How native code reaches the elements of arrays inside of objects. False: refused.
bool placeEmbeddedArrays(LoopContext& context);

// Extends dims by inner loops whose iterations are independent, and renumbers the variables of all forms.
void finishDims(LoopContext& context);

}  // namespace muster::plugin
