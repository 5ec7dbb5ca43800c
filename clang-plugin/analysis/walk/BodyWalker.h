// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An abstract execution of one iteration: statements in order, both branches of conditions, loop bodies once, calls
// followed into their definitions. It keeps for each integer and pointer variable what it may be, in terms of loop
// variables and launch-invariant symbols, and records every access to an array parameter.
//
// Why affine forms may stand for machine integers: signed arithmetic may not overflow (where -fwrapv or -ftrapv changes
// that, it is treated as unsigned). Arithmetic in 64-bit unsigned types wraps modulo 2^64, and so does the address
// computation that an index ends in, so the form is right modulo 2^64, which is all that an address needs; a bound of a
// loop needs the true value and is taken only if it cannot be negative. Where a result in a
// narrower type might wrap, or a conversion change the value, the form gets a guard, which the launch checks.
#pragma once

#include "analysis/loops/Labels.h"
#include "analysis/objects/RowTables.h"
#include "analysis/updates/Updates.h"
#include "clang/AST/ExprCXX.h"

namespace muster::plugin {

// The operands of an operator that compares or subtracts pointers to data.
using ComparedPointers = std::pair<const clang::Expr*, const clang::Expr*>;
std::optional<ComparedPointers> comparedPointers(const clang::BinaryOperator* op);

class BodyWalker {
 public:
  explicit BodyWalker(LoopContext& context) : context_(context) {}
  void run();
  // A function by itself, whose pointers are into these arrays of the facts.
  void runFunction(const clang::FunctionDecl* function, const std::map<const clang::ParmVarDecl*, unsigned>& arrays,
                   std::optional<unsigned> object);
  // The elements of it that the function may touch, from one to another; none: any.
  std::optional<std::pair<std::int64_t, std::int64_t>> reachOf(unsigned array) const;

 private:
  struct State {
    std::map<const clang::VarDecl*, Value> values;
    std::map<const clang::VarDecl*, Place> references;
  };
  struct Returned {
    bool any = false;
    Value value;
    Place place;
  };
  // A loop, or a switch, around the current statement, and what pointers were assumed to be at its start.
  struct Enclosing {
    const State& assumed;
    bool isLoop;
  };

  // ControlFlow.cpp
  void walk(const clang::Stmt* statement);
  void walkDeclaration(const clang::VarDecl* var);
  void walkIf(const clang::IfStmt* statement);
  void walkBranch(const clang::IfStmt* statement, bool taken);
  std::set<unsigned> conditions();
  void walkSwitch(const clang::SwitchStmt* statement);
  void walkRangeFor(const clang::CXXForRangeStmt* loop);
  void walkFor(const clang::ForStmt* loop);
  void walkCountedLoop(const DimFact& dim);
  void walkOtherLoop(const clang::Stmt* condition, const clang::Stmt* body, const clang::Expr* increment,
                     bool testsFirst);
  void walkLabel(const clang::LabelStmt* label);
  void walkReturn(const clang::ReturnStmt* statement);
  // Runs `part` as code that may not happen, and joins what it leaves with the state before it.
  template <class Part>
  void maybe(Part part) {
    State before = state_;
    ++conditional_;
    part();
    --conditional_;
    join(before);
  }

  // States.cpp
  void forget(const std::set<const clang::VarDecl*>& variables);
  static void forget(Value& value);
  void checkPointers(const State& assumed, clang::SourceLocation loc);
  void checkStays(const State& assumed, clang::SourceLocation loc);
  void leave(bool continues, clang::SourceLocation loc);
  void forgetPointersTo(const clang::VarDecl* object);
  void join(const State& other);
  // What a statement may change, apart from objects outside of the loop: their members do not change in it.
  std::set<const clang::VarDecl*> changedIn(const clang::Stmt* statement) const;
  std::set<const clang::VarDecl*> reachedIn(const clang::Stmt* statement,
                                            const std::set<const clang::VarDecl*>& changed) const;

  // LoopBounds.cpp
  void addDirectiveLoop(const DimFact& dim);
  LoopVariable boundsOf(const DimFact& dim);
  std::optional<AffineExpr> boundForm(const clang::Expr* expr, bool upper, bool& exact);
  std::optional<AffineExpr> directiveBound(const clang::Expr* expr, clang::QualType type);
  std::optional<LoopVariable::Stride> strideOf(const DimFact& dim, const AffineExpr& first);

  // Counters.cpp
  struct Counter {
    const clang::VarDecl* var;
    const clang::BinaryOperator* test;
    AffineExpr low, high;
  };
  void followInductions(const clang::ForStmt* loop, const LoopVariable& variable, const State& before);
  std::optional<Counter> counterOf(const clang::BinaryOperator* test, const clang::Stmt* body,
                                   const clang::Expr* increment, const std::set<const clang::VarDecl*>& changed);
  std::vector<Counter> countersOf(const clang::Stmt* condition, const clang::Stmt* body, const clang::Expr* increment,
                                  const std::set<const clang::VarDecl*>& changed);

  // Ranges.cpp
  std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>> rangeOf(const AffineExpr& form) const;
  bool notNegative(const Polynomial& number, const Polynomial* assumed) const;
  // The largest or smallest number that a form can be, made of symbols. `assumed`: a number that is not negative.
  std::optional<Polynomial> extremeOf(AffineExpr form, bool upper, const Polynomial* assumed) const;
  bool provablyAtLeast(const AffineExpr& form, const AffineExpr& low, const Polynomial* assumed = nullptr) const;
  bool wraps(clang::QualType type) const;
  bool isNumber(const AffineExpr& form, clang::QualType type) const;
  bool followsSplit(const AffineExpr& form) const;
  bool isOneValue(const AffineExpr& form) const;
  void addVariables(const AffineExpr& form, std::set<unsigned>& variables) const;
  const AffineExpr& bestBound(const std::vector<AffineExpr>& bounds) const;
  AffineExpr withoutBrackets(const AffineExpr& form, bool upper) const;
  std::string describe(const AffineExpr& form) const;
  Value between(const AffineExpr& low, const AffineExpr& high, const std::string& name);
  Value bracket(LoopVariable variable, const std::string& name);
  Value ofType(clang::QualType type, const std::string& name);  // any value of a narrow type
  // Guards the form; false if it may not fit the type and a guard would be of no use.
  bool keepsValue(AffineExpr& form, clang::QualType type);
  bool fitsUnsigned(const AffineExpr& form, unsigned bits) const;
  // Adds a guard to `form` unless it surely fits the type, one of less than 64 bits.
  void guard(AffineExpr& form, clang::QualType type);
  void guard(AffineExpr& form, std::int64_t low, std::int64_t high);

  // Brackets.cpp
  enum class Rounding { TowardsZero, Down };
  struct Division {
    AffineExpr dividend, divisor;
    bool isSigned;
    Rounding rounding;
    std::vector<unsigned> enclosing;  // loops around it
    std::optional<AffineExpr> quotient, remainder;
  };
  std::optional<AffineExpr> divisorOf(const Value& value, clang::QualType type);
  Division& divisionOf(const AffineExpr& dividend, const AffineExpr& divisor, bool isSigned,
                       Rounding rounding = Rounding::TowardsZero);
  bool notNegativeFor(const AffineExpr& number, const AffineExpr& divisor, const Polynomial& assumed,
                      std::int64_t& needed) const;
  Value turns(const AffineExpr& dividend, const AffineExpr& divisor, bool isSigned, const Polynomial& assumed);
  Value remainder(const Value& left, const Value& right, clang::QualType type);
  std::optional<AffineExpr> exactQuotient(const AffineExpr& dividend, const AffineExpr& divisor,
                                          const Polynomial& assumed) const;
  AffineExpr mostQuotient(const AffineExpr& dividend, const AffineExpr& divisor, const Polynomial& assumed) const;
  std::optional<AffineExpr> quotientOf(const AffineExpr& dividend, const AffineExpr& divisor, Rounding rounding,
                                       bool positive, const Polynomial& assumed);
  Value quotient(const Value& left, const Value& right, Rounding rounding, clang::QualType type);
  AffineExpr recombined(AffineExpr form) const;
  bool naturals(AffineExpr& left, AffineExpr& right, clang::QualType type);
  Value maskedBy(const Value& left, std::int64_t mask, clang::QualType type);
  Value bitwise(clang::BinaryOperatorKind opcode, const Value& left, const Value& right, clang::QualType type);
  Value shifted(bool back, const Value& left, const Value& right, clang::QualType type);
  std::vector<AffineExpr> numbersOf(const std::vector<AffineExpr>& bounds, clang::QualType type) const;
  Value extremum(const Value& left, const Value& right, bool minimum, clang::QualType type);
  Value settled(const Value& value, const char* name);
  Value magnitude(const Value& value, clang::QualType type);

  // Evaluate.cpp
  Value evaluate(const clang::Expr* expr);
  Value valueOf(const clang::Expr* expr);
  Value evaluateKind(const clang::Expr* expr);
  Value evaluateCast(const clang::CastExpr* cast);
  Value evaluateUnary(const clang::UnaryOperator* op);
  Value evaluateBinary(const clang::BinaryOperator* op);
  Value evaluateConditional(const clang::AbstractConditionalOperator* op);
  Value arithmetic(clang::BinaryOperatorKind opcode, const Value& left, const Value& right, clang::QualType type);
  Value linear(clang::BinaryOperatorKind opcode, const Value& left, const Value& right, clang::QualType type);
  void moveBounds(Value& value, const Value& from, const AffineExpr& by, bool back);
  Value movePointer(const Value& pointer, const Value& index, clang::QualType pointee, bool back);
  Pointer moveInside(const Pointer& pointer, const Value& index, bool back) const;
  Value convert(Value value, clang::QualType from, clang::QualType to);
  static Value addressOf(const Place& target);
  // PointerComparisons.cpp
  Value comparison(const clang::BinaryOperator* op, ComparedPointers pointers);
  void compareRows(const Pointer& left, const Pointer& right, const clang::BinaryOperator* op);
  void comparePointers(const Pointer& left, const Pointer& right, const clang::BinaryOperator* op);
  Value distance(const Value& left, const Value& right, clang::QualType type);
  Value addressAsNumber(const clang::Expr* pointer);
  // Rows.cpp
  void noteRow(unsigned array, const AffineExpr& row, unsigned level);
  Value entryOf(Pointer entry, const clang::Expr* expr);
  Value rowOf(const RowUse& use, const clang::Expr* expr);
  AffineExpr lengthOf(unsigned array, unsigned level);
  Returned callRow(const clang::CallExpr* call, const clang::Expr* index, const std::vector<Pointer>& rows);
  bool isElement(const Place& place, const clang::Expr* expr);
  Value membersOf(const clang::InitListExpr* list);
  void evaluateChildren(const clang::Expr* expr);
  Value anyOf(const std::vector<const clang::VarDecl*>& elements, const clang::Expr* index);
  Value evaluateBlock(const clang::StmtExpr* block);

  // Places.cpp
  Place place(const clang::Expr* expr);
  Place placeOfVariable(const clang::VarDecl* var) const;
  Place placeOfReference(const clang::DeclRefExpr* reference);
  Place placeOfAssignment(const clang::BinaryOperator* op);
  Place placeOfCount(const clang::UnaryOperator* op);
  Place placeBehind(const Value& pointer, const clang::Expr* expr);
  Place placeOfSubscript(const clang::ArraySubscriptExpr* subscript);
  Place placeOfMember(const clang::MemberExpr* member);
  static Place partOf(Place whole, std::int64_t count);
  const clang::VarDecl* ownObject(const Place& place) const;
  const clang::VarDecl* temporary(const clang::Expr* expr);

  // Accesses.cpp
  bool isEntry(const Pointer& pointer) const;
  bool isAddress(const Place& place) const;
  void checkAddress(const Value& value, const clang::Expr* expr);
  Value ownValue(const Pointer& pointer) const;
  Value load(const Place& place, const clang::Expr* expr);
  void checkStore(const clang::VarDecl* var, const clang::Expr* expr);
  void checkTemporary(const clang::VarDecl* var, const clang::Expr* expr);
  void store(const Place& place, const Value& value, const clang::Expr* expr);
  void record(const Pointer& pointer, AccessMode mode, bool alternative, const clang::Expr* expr);

  // UpdateSteps.cpp
  void useSections();
  bool checkSection(const Pointer& pointer, const AccessMode& mode, const clang::Expr* expr);
  bool walkSectionUpdate(const clang::Stmt* statement);
  void walkAtomicReference(const clang::VarDecl* var);
  bool walkAtomicCall(const clang::Stmt* statement);
  bool walkLocked(const clang::Stmt* statement);
  enum class LockedReads : std::uint8_t { none, ofOthers, ofUpdated };  // the last is refused
  LockedReads readsUnder(const LockFact& lock);
  void checkCritical();
  void checkLock(const LockFact& lock);
  Value walkSize(const clang::UnaryExprOrTypeTraitExpr* size);
  bool walkFetch(const clang::Expr* expr);
  bool walkExchange(const clang::CallExpr* call);
  void walkDirective(const clang::OMPExecutableDirective* directive);
  void walkSimd(const clang::OMPSimdDirective* directive);
  void walkAtomic(const clang::OMPAtomicDirective* directive);
  Place placeOfUpdate(const clang::Stmt* statement, const UpdateFact& update);
  void walkUpdate(const clang::Stmt* statement, const UpdateFact& update);
  void use(const Place& place, std::initializer_list<AccessMode> modes, const clang::Expr* expr);

  // LibraryCalls.cpp
  Returned callVector(const clang::CallExpr* call, const clang::CXXMethodDecl* method);
  Returned callSmartPointer(const clang::CallExpr* call);
  Returned callMaths(const clang::CallExpr* call, const clang::FunctionDecl* function);
  void callSwap(const clang::CallExpr* call);
  Returned callMemory(const clang::CallExpr* call);
  Returned callSeeded(const clang::CallExpr* call);
  Returned callText(const clang::CallExpr* call);

  // FollowedCalls.cpp
  Returned call(const clang::CallExpr* call);
  Returned callAssignment(const clang::CallExpr* call);
  Value selfOf(const clang::Expr* object);
  Value construct(const clang::CXXConstructExpr* construct);
  void initialise(const clang::CXXConstructorDecl* constructor);
  Returned callFunction(const clang::CallExpr* call, const clang::FunctionDecl* definition);
  void recur(llvm::ArrayRef<const clang::Expr*> arguments);
  struct Given {
    Value pointer;
    clang::QualType type = {};  // of what it points to, innermost; null: it is a null pointer
    bool ofRows = false;
    const clang::Expr* expr = nullptr;
  };
  void giveAway(const clang::FunctionDecl* function, unsigned number, const Given& given);
  Returned callUnseen(const clang::CallExpr* call, const clang::FunctionDecl* function);
  Returned follow(const clang::Expr* use, const clang::FunctionDecl* definition,
                  llvm::ArrayRef<const clang::Expr*> arguments, ObjectBindings inside, Value self);
  void bind(const clang::VarDecl* parameter, const clang::Expr* argument);

  // Symbols.cpp
  AffineExpr symbol(const clang::Expr* expr, std::string text, std::string name = "");
  AffineExpr symbolOf(const clang::Expr* expr);
  Value initialValue(const clang::VarDecl* var, const clang::Expr* expr);

  LoopContext& context_;
  State state_;
  ObjectBindings bindings_;          // of the function being followed
  Value self_;                       // `this` in it, if that is not an outside object
  std::vector<unsigned> enclosing_;  // inner loops around the current statement; only counted ones
  std::vector<Polynomial> runs_;     // last - first of the loops around it: not negative
  std::vector<Division> divisions_;
  std::map<const clang::Expr*, const clang::VarDecl*> temporaries_;
  std::map<const clang::VarDecl*, std::size_t> madeIn_;  // how many loops and switches are around a temporary
  AtomicReferences atomicReferences_;
  unsigned conditional_ = 0;  // conditions around it
  // Those of them in the loop's own text that are the same in all iterations, and whether they hold.
  std::vector<std::pair<const clang::Expr*, bool>> invariantConditions_;
  // What the updates under locks use.
  struct LockedUse {
    const LockFact* lock;
    unsigned array;
    AccessMode mode;
    clang::SourceLocation loc;
    [[nodiscard]] bool changes() const { return mode.update || mode.write; }
  };
  std::vector<LockedUse> lockedUses_;
  const LockFact critical_;                // stands for `omp critical`, whatever its name
  const LockFact* held_ = nullptr;         // the lock around the current statement
  unsigned uncounted_ = 0;                 // loops around it that may wait for something
  bool exited_ = false;                    // an earlier `continue` or `return` may have left
  Labels labels_;                          // of the body or function being followed
  bool jumped_ = false;                    // an earlier `goto` may have passed over this
  bool jumpedBefore_ = false;              // the same, of the function being followed as a whole
  std::vector<Returned> frames_;           // of the functions being followed
  std::vector<std::vector<State>> exits_;  // the same: at each of their returns
  std::vector<Enclosing> left_;            // what `break` and `continue` leave, innermost last
  std::vector<const clang::FunctionDecl*> followed_;
  unsigned steps_ = 0;
};

}  // namespace muster::plugin
