// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of what is not served of the library, and why.
#include "analysis/code/Library.h"

#include <initializer_list>

#include "analysis/code/Calls.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

using namespace clang;

namespace {

// Names that are not served for one reason.
struct Group {
  const char* reason;
  std::initializer_list<llvm::StringRef> names;
};

const std::initializer_list<Group> functions = {
    {say::WhichPrints,
     {"printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "putchar", "fputc", "putc", "fwrite", "perror",
      "fflush", "print", "println"}},
    {say::WhichReadsFile,
     {"scanf", "fscanf", "fread", "fgets", "getchar", "fgetc", "getline", "fopen", "fclose", "fseek"}},
    {say::WhoseStateIsShared, {"rand", "random", "drand48", "lrand48", "mrand48", "srand", "srand48", "srandom"}},
    {say::WhichWaits,
     {"omp_init_lock",
      "omp_destroy_lock",
      "omp_set_lock",
      "omp_unset_lock",
      "omp_test_lock",
      "omp_init_nest_lock",
      "omp_destroy_nest_lock",
      "omp_set_nest_lock",
      "omp_unset_nest_lock",
      "omp_test_nest_lock",
      "pthread_mutex_lock",
      "pthread_mutex_trylock",
      "pthread_mutex_unlock",
      "pthread_spin_lock",
      "pthread_spin_unlock",
      "call_once",
      "mtx_lock",
      "mtx_unlock",
      "sched_yield",
      "yield",
      "sleep_for",
      "sleep_until"}},
    {say::WhoseResultDependsOnThreads,
     {"omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads", "omp_in_parallel", "omp_get_level",
      "omp_get_active_level", "omp_get_ancestor_thread_num", "omp_get_team_size", "omp_get_team_num",
      "omp_get_num_teams", "omp_get_num_procs", "omp_get_place_num", "sched_getcpu", "pthread_self", "get_id"}},
    {say::WhichReadsClock, {"omp_get_wtime", "omp_get_wtick", "clock", "time", "gettimeofday", "clock_gettime", "now"}},
    {say::WhichAllocatesOrFrees,
     {"malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign", "__builtin_alloca",
      "__builtin_alloca_with_align", "__builtin_malloc", "__builtin_free", "alloca", "strdup", "make_unique",
      "make_shared"}},
    {say::WhichAllocates, {"stable_sort", "stable_partition", "inplace_merge"}},
    {say::WhichJumpsOut,
     {"setjmp", "_setjmp", "__sigsetjmp", "sigsetjmp", "longjmp", "_longjmp", "siglongjmp", "__builtin_setjmp",
      "__builtin_longjmp"}},
    {say::WhichIsCompiledElsewhere, {"random_r", "erand48", "nrand48", "jrand48"}},
    {say::WhichEachThreadHas, {"__errno_location"}},
    {say::WhichAsksTheSystem,
     {"getenv", "secure_getenv", "system", "getpid", "gethostname", "sleep", "usleep", "nanosleep"}},
    {say::WhichConvertsText,
     {"snprintf", "sprintf", "vsnprintf", "to_string", "stoi", "stol", "stod", "stof", "atoi", "atol", "atoll", "atof",
      "strtol", "strtoll", "strtoul", "strtoull", "strtof", "strtod", "strtold"}},
};

const std::initializer_list<Group> classes = {
    {say::WhichWaits,
     {"mutex",
      "recursive_mutex",
      "timed_mutex",
      "recursive_timed_mutex",
      "shared_mutex",
      "shared_timed_mutex",
      "lock_guard",
      "unique_lock",
      "shared_lock",
      "scoped_lock",
      "condition_variable",
      "condition_variable_any",
      "counting_semaphore",
      "latch",
      "barrier",
      "once_flag",
      "thread",
      "jthread",
      "future",
      "promise"}},
    {say::WhichOrdersThreads, {"atomic", "atomic_ref", "atomic_flag"}},
    {say::WhichCallsThroughPointer, {"function", "move_only_function", "packaged_task"}},
    {say::WhichMayHoldNone, {"optional"}},
    {say::WhichMayHoldSeveralTypes, {"variant", "any"}},
    {say::WhichIsTuple, {"tuple"}},
    {say::WhichAllocatesOrFrees, {"vector"}},
    {say::WhichOwnsMemory, {"unique_ptr", "shared_ptr", "weak_ptr"}},
    {say::WhichIsMadeInBody, {"span"}},
    {say::WhichIsScattered,
     {"deque", "list", "forward_list", "map", "multimap", "set", "multiset", "unordered_map", "unordered_multimap",
      "unordered_set", "unordered_multiset", "basic_string", "valarray", "stack", "queue", "priority_queue"}},
    {say::WhoseStateIsShared,
     {"mersenne_twister_engine", "linear_congruential_engine", "subtract_with_carry_engine", "discard_block_engine",
      "shuffle_order_engine", "random_device"}},
    {say::WhichPrints, {"basic_ostream", "basic_ofstream", "basic_ostringstream", "basic_stringstream"}},
    {say::WhichReadsFile, {"basic_istream", "basic_ifstream", "basic_fstream", "basic_istringstream"}},
};

std::string reasonIn(std::initializer_list<Group> groups, llvm::StringRef name) {
  for (const Group& group : groups)
    if (llvm::is_contained(group.names, name)) return group.reason;
  return "";
}

}  // namespace

bool isLibrary(const FunctionDecl* function) {
  if (function->getBuiltinID() != 0 || function->isInStdNamespace()) return true;
  const auto& sources = function->getASTContext().getSourceManager();
  return sources.isInSystemHeader(function->getLocation());
}

std::string nameOfCallee(const FunctionDecl* function) {
  std::string name = function->getNameAsString();
  if (name == "__errno_location") return "errno";
  if (name == "_setjmp") return "setjmp";
  if (name.rfind("__sync_", 0) == 0) name = llvm::StringRef(name).rtrim("0123456789").rtrim('_').str();
  return name;
}

std::string whyUnserved(const FunctionDecl* function) {
  if (!isLibrary(function)) return "";
  const RecordDecl* result = function->getReturnType().getNonReferenceType()->getAsRecordDecl();
  if (result && result->isInStdNamespace() && result->getName() == "basic_ostream") return say::WhichPrints;
  // Methods of objects have the reason of their class.
  if (auto* method = dyn_cast<CXXMethodDecl>(function); method && method->isInstance()) return "";
  const std::string name = function->getNameAsString();
  const llvm::StringRef text = name;
  if (text.starts_with("__sync_") || text.starts_with("__atomic_") || text.starts_with("atomic_"))
    return say::WhichOrdersThreads;
  return reasonIn(functions, text);
}

std::string whyUnserved(QualType type) {
  if (type.isNull()) return "";
  type = type.getNonReferenceType();
  if (type->isPointerType()) type = type->getPointeeType();
  auto* record = type->getAsCXXRecordDecl();
  if (!record || !record->isInStdNamespace() || !record->getIdentifier()) return "";
  return reasonIn(classes, record->getName());
}

bool readsText(ASTContext& ast, const CallExpr* call) {
  const FunctionDecl* function = call->getDirectCallee();
  if (!function || !isLibrary(function) || !function->getIdentifier() || isa<CXXMethodDecl>(function)) return false;
  if (llvm::is_contained({"atoi", "atol", "atoll", "atof"}, function->getName())) return call->getNumArgs() == 1;
  return llvm::is_contained({"strtol", "strtoll", "strtoul", "strtoull", "strtof", "strtod", "strtold"},
                            function->getName()) &&
         call->getNumArgs() >= 2 && call->getArg(1)->isNullPointerConstant(ast, Expr::NPC_ValueDependentIsNotNull);
}

std::string undefinedInWords(const FunctionDecl* function) {
  const std::string name = nameOfCallee(function);
  if (const std::string why = whyUnserved(function); !why.empty())
    return name == "errno" ? say::UsesErrno(why) : say::CallsWhich(name, why);
  return say::CalleeUndefined(
      name, isLibrary(function) ? "call it before or after the loop" : "make it 'inline' in a header");
}

std::string typeInWords(const ASTContext& ast, QualType type) {
  PrintingPolicy policy(ast.getPrintingPolicy());
  policy.SuppressDefaultTemplateArgs = true;
  std::string text = type.getNonReferenceType().getUnqualifiedType().getAsString(policy);
  // Helper types of the library.
  if (text.find("__") != std::string::npos || text.find("::_") != std::string::npos || text[0] == '_')
    text = type.getNonReferenceType().getCanonicalType().getUnqualifiedType().getAsString(policy);
  return text;
}

// Of the object that is made, or whose method is called, as the user named it.
static QualType objectType(const Expr* use) {
  if (isa<CXXConstructExpr>(use)) return use->getType();
  auto* call = dyn_cast<CallExpr>(use);
  const Expr* object = call ? objectOf(call) : nullptr;
  if (!object) return {};
  const QualType type = object->IgnoreParenImpCasts()->getType();
  return type->isPointerType() ? type->getPointeeType() : type;
}

// An object outside of the loop whose state the call changes.
static std::string whyShared(const Expr* use, llvm::StringRef what) {
  auto* call = dyn_cast<CallExpr>(use);
  if (!call || !(what.contains("shared") || what.contains("whole"))) return "";
  for (const Expr* argument : call->arguments())
    if (std::string why = whyUnserved(argument->getType()); !why.empty()) return why;
  return "";
}

std::string inWords(const ASTContext& ast, const Expr* use, const FunctionDecl* callee) {
  if (auto* construct = dyn_cast<CXXConstructExpr>(use))
    return say::ConstructsObject(typeInWords(ast, construct->getType()));
  const QualType type = objectType(use);
  if (type.isNull()) return say::Calls(callee->getQualifiedNameAsString());
  return say::CallsOf(callee->getNameAsString(), typeInWords(ast, type));
}

void putInWords(const ASTContext& ast, const std::vector<FollowedCall>& calls, SourceLocation& loc, std::string& what) {
  const SourceManager& sources = ast.getSourceManager();
  if (!loc.isValid() || !sources.isInSystemHeader(loc)) return;
  const auto call = std::find_if(calls.rbegin(), calls.rend(), [&](const FollowedCall& candidate) {
    return !sources.isInSystemHeader(candidate.use->getBeginLoc());
  });
  if (call == calls.rend()) return;
  loc = call->use->getBeginLoc();
  std::string why = whyUnserved(objectType(call->use));
  if (why.empty()) why = whyUnserved(call->callee);
  // What names nothing is as true of the user's call.
  const bool isGeneral = what.find('\'') == std::string::npos && what.find("kind") == std::string::npos;
  if (why.empty() && isGeneral) why = "which " + what;
  if (why.empty()) why = whyShared(call->use, what);
  if (why.empty()) why = say::WhoseLibraryCodeCannotRun;
  what = inWords(ast, call->use, call->callee) + ", " + why;
}

}  // namespace muster::plugin
