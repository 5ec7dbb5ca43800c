// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel: arguments, the code of an iteration, results. The signature is the contract in
// docs/architecture.md.
#include "analysis/loops/SimdLoops.h"
#include "analysis/references/ProgramEnds.h"
#include "ir/Changes.h"
#include "ir/Dump.h"
#include "llvm/ADT/StringExtras.h"
#include "lower/program/Frames.h"
#include "lower/program/KernelContractions.h"
#include "lower/program/KernelGroups.h"
#include "lower/program/KernelLanes.h"
#include "lower/program/KernelMemory.h"
#include "lower/program/KernelRows.h"
#include "lower/program/KernelSteps.h"
#include "lower/program/KernelText.h"
#include "lower/program/KernelTiles.h"
#include "lower/program/Narrowing.h"
#include "lower/program/Results.h"
#include "lower/statements/Statements.h"
#include "muster/abi.h"
#include "passes/Accumulators.h"
#include "passes/LateUpdates.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

namespace lower {

namespace {

class KernelPrinter {
 public:
  KernelPrinter(Program& program, const KernelPlan& kernel, llvm::raw_ostream* ir)
      : program_(program),
        ir_(ir),
        facts_(program.facts),
        schedule_(kernel.schedule),
        name_(kernel.name),
        scope_(program) {
    scope_.setOutermost();
  }

  std::string print();
  const Schedule& schedule() const { return schedule_; }

 private:
  struct LastPrivate {
    const clang::VarDecl* var;
    std::string out;
  };

  void arrayArguments();
  void scalarArguments();
  void blockArgument(const clang::VarDecl* var);
  void dimensionArguments();
  void resultArguments();
  void add(ResultText result);
  void checkShape();

  ir::Statements iteration();
  ir::Statements body();
  std::string constants() const;
  // Of a scalar of the launch, by its name; -1: it is none.
  int numberOf(const std::string& name) const {
    unsigned value = 0;
    if (llvm::StringRef macro = name; macro.consume_front("MUSTER_VALUE_") && !macro.getAsInteger(10, value))
      return static_cast<int>(value);
    const auto number = numbers_.find(name);
    return number == numbers_.end() ? -1 : static_cast<int>(number->second);
  }
  std::string sizeAttribute(std::size_t contractions, bool hasSteps, std::string& macros) const;
  std::string guestOf(const passes::TimeStep& step);
  bool mayHost() const;
  void addGuestArguments();
  std::string collectingLoops(const Frames& frames, const ir::Statements& code, const std::string& text);
  void iterationVariables(Statements& statements);
  void lastPrivateResults(Statements& statements);

  bool isDimension(const clang::VarDecl* var) const;
  bool isInRecord(const clang::VarDecl* var) const;
  bool hasPoints() const { return schedule_.points > 1; }
  unsigned bodyDepth() const { return 1 + (schedule_.isStrided ? facts_.dims.size() : 0) + (hasPoints() ? 2 : 0); }

  Program& program_;
  llvm::raw_ostream* ir_;
  const LoopFacts& facts_;
  Schedule schedule_;
  std::string name_;
  Scope scope_;
  std::vector<std::string> arguments_;
  std::vector<std::vector<std::string>> names_;  // of arguments that are arrays or numbers, which are the first ones
  std::string blocks_;                           // types of arguments
  ir::Statements prologue_;                      // definitions before the first iteration
  std::vector<std::pair<const clang::VarDecl*, std::string>> initialValues_;  // of firstprivate variables
  std::map<std::string, unsigned> numbers_;                                   // of scalars, by their names
  ir::Statements copies_;                                                     // of firstprivate arrays
  std::vector<Reduction> reductions_;
  std::vector<LastPrivate> lastPrivates_;
};

void KernelPrinter::checkShape() {
  const clang::SourceLocation loc = facts_.directive ? facts_.directive->getBeginLoc() : clang::SourceLocation();
  assert(!facts_.dims.empty() && facts_.dims.size() <= 3 && "as many dimensions as OpenCL has");
  if (program_.context.getLangOpts().getSignedOverflowBehavior() == clang::LangOptions::SOB_Trapping)
    program_.refusals.add(loc, say::TrapsOverflow);
  if (!lastPrivates_.empty() && facts_.dims.size() > facts_.collapsed)
    program_.refusals.add(loc, say::LastprivateWithInnerDims);
}

bool KernelPrinter::isDimension(const clang::VarDecl* var) const {
  return llvm::any_of(facts_.dims,
                      [&](const DimFact& dim) { return dim.var->getCanonicalDecl() == var->getCanonicalDecl(); });
}

void KernelPrinter::arrayArguments() {
  for (const ArrayFact& array : facts_.arrays) {
    const clang::SourceLocation loc = array.var->getLocation();
    const std::string name = scope_.declareValue(array.var);
    const std::string buffer = program_.names.unique(name + "_buf"), origin = program_.names.unique(name + "_origin");
    clang::QualType element = array.element.getUnqualifiedType();
    if (!array.written && !array.updated) element.addConst();
    const clang::QualType pointer = program_.context.getPointerType(element);
    program_.types.checkSize(array.element, loc);
    // Compilers take a barrier for a call that leaves such memory alone, but what others of a group write changes
    // there.
    const bool isRestrict = facts_.needsDistinct && (facts_.groupLoops.empty() || (!array.written && !array.updated));
    const std::string declarator = (isRestrict ? "restrict " : "") + buffer;
    arguments_.push_back(program_.types.declare(pointer, declarator, Space::Global, loc) + ", long " + origin);
    names_.push_back({buffer, origin});
    if (schedule_.privatized.count(&array - facts_.arrays.data()))
      program_.privatized[array.var] = {buffer, program_.names.unique(name + "_own"),
                                        program_.names.unique(name + "_count"), program_.names.unique(name + "_room")};
    // The user's own type and name, for the user's own index.
    const clang::QualType seen = program_.argumentType(array.var);
    const bool isSame = program_.context.hasSameType(seen, pointer);
    const Expression first = ir::binary("+", ir::name(buffer), ir::name(origin));
    prologue_.push_back(ir::define(program_.types.declare(seen, name, Space::Global, loc),
                                   isSame ? first : ir::cast(program_.types.name(seen, Space::Global, loc), first)));
  }
}

void KernelPrinter::scalarArguments() {
  for (const ScalarFact& fact : facts_.scalars) {
    const unsigned number = &fact - facts_.scalars.data();
    if (fact.vectorSize) {
      const std::string name = program_.names.unique((fact.var->getName() + "_size").str());
      scope_.setVectorSize(fact.var, name);
      arguments_.push_back("ulong " + name);
      names_.push_back({name});
      numbers_[name] = number;
      continue;
    }
    if (fact.byValue) {
      blockArgument(fact.var);
      continue;
    }
    const clang::QualType type = program_.argumentType(fact.var);
    if (!type->isAnyComplexType()) scalarOfVariable(program_, fact.var, "variable");
    std::string name = scope_.declareValue(fact.var);
    if (isInRecord(fact.var)) {
      const std::string value = program_.names.unique(name + "_value");
      arguments_.push_back(program_.types.declare(type, value, Space::Private, fact.var->getLocation()));
      prologue_.push_back(
          ir::define(program_.types.declare(type, name, Space::Private, fact.var->getLocation()), ir::name(value)));
      continue;
    }
    if (program_.isFirstprivate(fact.var)) {
      name = program_.names.unique(name + "_value");
      initialValues_.emplace_back(fact.var, name);
    } else if (type->isIntegerType()) {
      numbers_[name] = number;
    }
    arguments_.push_back(program_.types.declare(type, name, Space::Private, fact.var->getLocation()));
    names_.push_back({name});
  }
}

// An object is a struct. An array has to be in one; the body sees a pointer to its first element.
void KernelPrinter::blockArgument(const clang::VarDecl* var) {
  const clang::SourceLocation loc = var->getLocation();
  const std::string name = scope_.declareValue(var);
  const clang::QualType array = var->getType().getNonReferenceType();
  const bool isChanged = program_.isFirstprivate(var);
  if (array->isRecordType()) {
    program_.types.checkSize(array, loc);
    const std::string argument = isChanged ? program_.names.unique(name + "_value") : name;
    arguments_.push_back(program_.types.declare(array.getUnqualifiedType(), argument, Space::Private, loc));
    if (isChanged) initialValues_.emplace_back(var, argument);
    return;
  }
  const std::string type = program_.names.unique(name + "_block"), value = program_.names.unique(name + "_value");
  blocks_ +=
      "typedef struct {\n  " + program_.types.declare(array, "elements", Space::Private, loc) + ";\n} " + type + ";\n";
  arguments_.push_back(type + " " + value);
  if (isChanged) {
    const clang::QualType element = program_.context.getBaseElementType(array).getUnqualifiedType();
    const std::string pointer = program_.types.name(program_.context.getPointerType(element), Space::Private, loc);
    const Expression number = ir::name("muster_e");
    const auto elementOf = [&](const Expression& whole) { return ir::subscript(ir::cast(pointer, whole), number); };
    const auto* whole = program_.context.getAsConstantArrayType(array);
    const clang::QualType plain = program_.context.getUnqualifiedArrayType(array);
    const std::string count = std::to_string(program_.context.getConstantArrayElementCount(whole));
    copies_.push_back(ir::define(program_.types.declare(plain, name, Space::Private, loc)));
    copies_.push_back(
        {ir::StatementKind::For,
         "",
         ir::binary("<", number, ir::literal(count)),
         ir::prefix("++", number),
         {ir::define("int muster_e", ir::literal("0"))},
         {ir::evaluate(ir::assign(elementOf(ir::name(name)), elementOf(ir::member(ir::name(value), "elements"))))}});
    return;
  }
  prologue_.push_back(
      ir::define(program_.types.declare(program_.context.getArrayDecayedType(array), name, Space::Private, loc),
                 ir::member(ir::name(value), "elements")));
}

void KernelPrinter::dimensionArguments() {
  for (std::size_t d = 0; d < facts_.dims.size(); ++d) {
    const std::string number = std::to_string(d);
    arguments_.push_back("long muster_first_" + number + ", long muster_step_" + number + ", long muster_lo_" + number +
                         ", long muster_hi_" + number);
  }
}

void KernelPrinter::resultArguments() {
  for (const ResultFact& result : facts_.results) {
    if (result.isBoxed()) {
      add(boxedResult(program_, scope_, result));
      continue;
    }
    const Scalar scalar = scalarOfVariable(program_, result.var, "result");
    const std::string base = result.var->getName().str(), out = program_.names.unique(base + "_out");
    arguments_.push_back(std::string("__global ") + scalarName(scalar) + " *" + out);
    if (result.kind == MUSTER_LASTPRIVATE) {
      lastPrivates_.push_back({result.var, out});
      continue;
    }
    Reduction reduction;
    reduction.kind = result.kind;
    reduction.type = scalarName(scalar);
    reduction.scalar = scalar;
    reduction.isBool = result.var->getType().getNonReferenceType()->isBooleanType();
    reduction.name = scope_.declareValue(result.var);
    reduction.slots = program_.names.unique(base + "_slots");
    reduction.out = out;
    prologue_.push_back(ir::define(scalarName(scalar) + std::string(" ") + reduction.name, identity(reduction)));
    reductions_.push_back(std::move(reduction));
  }
}

bool KernelPrinter::isInRecord(const clang::VarDecl* var) const {
  return llvm::any_of(facts_.records, [&](const RecordFact& record) { return llvm::is_contained(record.vars, var); });
}

void KernelPrinter::add(ResultText result) {
  blocks_ += result.types;
  arguments_.push_back(std::move(result.argument));
  for (ir::Statement& statement : result.prologue) prologue_.push_back(std::move(statement));
  reductions_.push_back(std::move(result.reduction));
}

void KernelPrinter::iterationVariables(Statements& statements) {
  for (std::size_t d = 0; d < facts_.dims.size(); ++d) {
    const clang::VarDecl* var = facts_.dims[d].var;
    const Scalar scalar = scalarOfVariable(program_, var, "loop variable");
    const std::string type = scalarName(scalar), number = std::to_string(d);
    const Expression value = iterationValue(facts_, d, ir::name("muster_k_" + number));
    const std::string name = scope_.declareValue(var);
    const bool isWide = scalar == Scalar::I64;
    statements.add(ir::define(type + " " + name, isWide ? value : narrowed(program_, scalar, value), name));
  }
  if (!facts_.records.empty()) {
    Expression number = ir::name("muster_k_0");
    for (std::size_t d = 1; d < facts_.dims.size(); ++d)
      number = ir::binary("+", ir::binary("*", ir::parentheses(number), ir::name(numbered("muster_hi_", d))),
                          ir::name(numbered("muster_k_", d)));
    statements.add(ir::define("const long muster_iteration", ir::binary("+", number, ir::literal("1"))));
  }
  const auto isFirstprivate = [&](const clang::VarDecl* var) {
    return llvm::any_of(initialValues_, [&](const auto& entry) { return entry.first == var; });
  };
  std::vector<const clang::VarDecl*> unset = facts_.privates;
  for (const LastPrivate& result : lastPrivates_)
    if (!llvm::is_contained(unset, result.var)) unset.push_back(result.var);
  for (const clang::VarDecl* var : unset) {
    if (isDimension(var) || isFirstprivate(var)) continue;
    const clang::QualType type = var->getType().getNonReferenceType().getUnqualifiedType();
    const std::string name = scope_.declareValue(var);
    const Space space = scope_.spaces.ofVariable(var);
    statements.add(ir::define(program_.types.declare(type, name, space, var->getLocation()), {}, name));
  }
  for (ir::Statement& copy : copies_) statements.add(std::move(copy));
  for (const auto& [var, value] : initialValues_)
    statements.add(ir::define(
        program_.types.declare(program_.argumentType(var), scope_.variable(var), Space::Private, var->getLocation()),
        ir::name(value)));
}

void KernelPrinter::lastPrivateResults(Statements& statements) {
  const auto of = [](const char* what, std::size_t d) { return ir::name(numbered(what, d)); };
  Expression isLast;
  for (std::size_t d = 0; d < facts_.dims.size(); ++d) {
    const Expression here =
        ir::binary("==", of("muster_k_", d), ir::binary("-", of("muster_hi_", d), ir::literal("1")));
    isLast = isLast ? ir::binary("&&", isLast, here) : here;
  }
  ir::Statements given;
  for (const LastPrivate& result : lastPrivates_) {
    Expression value = ir::name(scope_.variable(result.var));
    // A loop variable ends one step behind its last iteration.
    for (std::size_t d = 0; d < facts_.dims.size(); ++d)
      if (facts_.dims[d].var->getCanonicalDecl() == result.var->getCanonicalDecl())
        value = ir::cast(
            scalarName(scalarOf(program_.context, result.var->getType())),
            ir::binary("+", of("muster_first_", d), ir::binary("*", of("muster_hi_", d), of("muster_step_", d))));
    given.push_back(ir::evaluate(ir::assign(ir::subscript(ir::name(result.out), ir::literal("0")), value)));
  }
  statements.add(ir::choice(isLast, std::move(given)));
}

// The user's code.
ir::Statements KernelPrinter::body() {
  Statements statements(program_, scope_);
  // Where a work-item ends the program; in a kernel with reductions it meets the others of its group.
  statements.setLeave([this] { return schedule_.isStrided ? ir::jump("goto muster_left") : ir::giveBack(); });
  statements.setOuterContinue({ir::StatementKind::Next});
  for (const clang::Stmt* statement : facts_.prelude) statements.lowerInside(statement);
  statements.lowerInside(facts_.deviceBody);
  ir::Statements body = statements.take();
  if (ir_) *ir_ << "ir of " << name_ << "\n" << ir::dump(body, 1);
  applyLoops(body, [&](const std::string& name) { return numberOf(name); }, schedule_);
  // The next iteration is another work-item's, or what follows the body here.
  ir::resolveNext(body, !schedule_.privatized.empty()                                  ? ir::jump("MUSTER_NEXT")
                        : schedule_.isStrided || hasPoints() || !lastPrivates_.empty() ? ir::jump("continue")
                                                                                       : ir::giveBack());
  body = ir::rewritten(body, [&](const Expression& part) -> std::optional<Expression> {
    if (part.kind() != ir::ExpressionKind::Name) return std::nullopt;
    const int number = numberOf(part.text());
    if (number < 0 || !llvm::is_contained(schedule_.constants, number)) return std::nullopt;
    return ir::name(numbered("MUSTER_VALUE_", number));
  });
  if (ir_) *ir_ << "ir of " << name_ << " behind passes\n" << ir::dump(body, 1);
  return body;
}

// What the text has where the program's options do not say the values.
std::string KernelPrinter::constants() const {
  std::string text;
  for (const auto& [name, number] : numbers_) {
    if (!llvm::is_contained(schedule_.constants, number)) continue;
    const std::string macro = numbered("MUSTER_VALUE_", number);
    text += "#ifndef " + macro + "\n#define " + macro + " " + name + "\n#endif\n";
  }
  return text;
}

ir::Statements KernelPrinter::iteration() {
  std::vector<const clang::Stmt*> code = facts_.prelude;
  code.push_back(facts_.deviceBody);
  std::vector<Spaces::Flow> pointers;
  for (const DimFact& dim : facts_.dims)
    if (dim.pointer) pointers.emplace_back(dim.pointer, dim.value);
  scope_.spaces.infer(code, pointers);
  Statements statements(program_, scope_);
  iterationVariables(statements);
  for (const auto& [pointer, value] : pointers) statements.define(pointer, value);
  for (const LinearFact& linear : facts_.linears)
    statements.evaluate(ir::assign(ir::name(scope_.variable(linear.var)), statements.initialiser(linear.value)));
  if (lastPrivates_.empty()) {
    for (ir::Statement& statement : body()) statements.add(std::move(statement));
    return statements.take();
  }
  statements.add({ir::StatementKind::DoWhile, "", ir::literal("0"), {}, {}, body()});
  lastPrivateResults(statements);
  return statements.take();
}

// Of a work-item that collects updates: several iterations at a time, if it can be.
std::string KernelPrinter::collectingLoops(const Frames& frames, const ir::Statements& code, const std::string& text) {
  if (facts_.dims.size() != 1) return frames.stridedLoops(text);
  const auto constantOf = [&](const std::string& name) { return numberOf(name); };
  passes::LateContext context{"muster_k_0", lateStride, memoryOf(program_, scope_, constantOf)};
  const std::string row = scope_.variable(facts_.dims[0].var);
  context.memory.variables =
      passes::variablesIn(code, [&](const std::string& name) { return name == row || numberOf(name) >= 0; });
  const auto late = passes::updatesLast(code, context, facts_.dims[0].isUnit() ? row : "");
  if (!late) return frames.stridedLoops(text);
  schedule_.updatesPerRead = late->width;
  return frames.lateLoops(text, *late);
}

// What the compiler is told of work-groups, a macro's name where forms differ. NVIDIA's compiler plans registers for a
// fixed size: of use to several points in a work-item (3-D heat on an H200: 0.50 ms, with a hint 0.57), of harm to a
// long loop in one (matrix multiply: 24.8 ms, with a hint 22.1).
std::string KernelPrinter::sizeAttribute(std::size_t contractions, bool hasSteps, std::string& macros) const {
  const bool isFixed = schedule_.isStrided || hasPoints();
  const char *fixed = "reqd_work_group_size", *hint = "work_group_size_hint";
  std::vector<std::string> others;  // forms that are told the other thing
  // With a fixed size it plans more registers than several groups of these have (matrix multiply: 19.7 TFLOP/s, else
  // 27.7), whatever it is told.
  if (hasPoints() && contractions != 0)
    others.push_back("MUSTER_BLOCKS > 0 && MUSTER_BLOCKS <= " + std::to_string(contractions));
  // A launch chooses the size of groups that have several iterations.
  if (hasPoints() && schedule_.groupsHaveRows) others.push_back("MUSTER_GROUPS == 2");
  if (hasPoints() && hasSteps) others.push_back("defined(MUSTER_STEPS)");
  // Without a fixed size groups have 256 work-items at most.
  if (!isFixed && schedule_.groupsAddUp) others.push_back("defined(MUSTER_GROUPS)");
  if (others.empty()) return isFixed ? fixed : hint;
  macros += "#if " + llvm::join(others, " || ") + "\n#define MUSTER_SIZE " + (isFixed ? hint : fixed) +
            "\n#else\n#define MUSTER_SIZE " + (isFixed ? fixed : hint) + "\n#endif\n";
  return "MUSTER_SIZE";
}

std::string KernelPrinter::print() {
  program_.names.reserve(name_);
  arrayArguments();
  scalarArguments();
  dimensionArguments();
  resultArguments();
  for (unsigned i = 0; i < facts_.records.size(); ++i) add(recordResult(program_, scope_, i));
  if (mayReport(facts_)) arguments_.push_back("__global int *muster_end_out");
  checkShape();
  if (program_.refusals.any()) return "";
  const ir::Statements code = withPlainColumns(program_, scope_, schedule_, iteration());
  const auto constantOf = [&](const std::string& name) { return numberOf(name); };
  auto group = findGroups(program_, scope_, code, constantOf, schedule_);
  const bool addsUp = group && !group->slots.empty();
  if (group && !addsUp) setGroups(*group, code, constantOf, schedule_);
  const auto tiled = findTiles(program_, scope_, code, constantOf, schedule_);
  const auto apart = passes::accumulatedApart(code, memoryOf(program_, scope_, constantOf));
  const ir::Statements& sums = apart ? *apart : code;
  const auto contractions = findContractions(program_, scope_, sums, constantOf, schedule_);
  const auto lanes = findBlocks(program_, scope_, sums, constantOf, contractions.empty(), schedule_);
  for (std::size_t i = 0; i < contractions.size(); ++i)
    schedule_.blocks.insert(schedule_.blocks.begin() + i, blocksOf(contractions[i]));
  // Forms that share what they read are better than groups that add up, but those that store rows where rows are long.
  if (addsUp && schedule_.blocks.empty() && (schedule_.tiled == 0 || schedule_.tiled == MUSTER_STORED_ROWS))
    setGroups(*group, code, constantOf, schedule_);
  else if (addsUp)
    group.reset();
  const auto step = findSteps(program_, scope_, code, constantOf, schedule_);
  const std::string guest = step ? guestOf(*step) : "";
  for (Blocks& blocks : schedule_.blocks) blocks.needsDistinct |= apart && !blocks.isOne() && !facts_.needsDistinct;
  const bool hasSteps = step && step->reach != 0, isHost = mayHost();
  std::string macros = constants();
  if (hasSteps) macros += noGuest;
  if (isHost) macros += noGuests, addGuestArguments();
  const std::string size = sizeAttribute(contractions.size(), hasSteps, macros);
  const std::string last = hasSteps ? std::string("\n#ifdef MUSTER_STEPS\n    ") + stepsArgument + "\n#endif\n" : "";
  const std::string head = blocks_ + macros + "__kernel __attribute__((" + size +
                           "(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))\nvoid " + name_ + "(\n    " +
                           llvm::join(arguments_, ",\n    ") + last;
  std::string temporaries;
  for (const std::string& temporary : scope_.temporaries()) temporaries += "  " + temporary + "\n";
  const bool countsFromPoint = hasPoints() && schedule_.privatized.empty();
  const Counted counted = countsFromPoint ? countedFromPoint(facts_, schedule_, code) : Counted{code, {}};
  std::string text = print::text(counted.code, bodyDepth());
  if (isHost) text.insert(0, std::string(2 * bodyDepth(), ' ') + guestIteration + "\n");
  ir::Statements ahead = prologue_;
  ahead.insert(ahead.end(), counted.ahead.begin(), counted.ahead.end());
  const Frames frames(program_, schedule_, reductions_, ahead, scope_.ends());
  if (!schedule_.privatized.empty())
    return frames.withPrivate(head, temporaries, text, collectingLoops(frames, code, text));
  if (scope_.ends()) temporaries += "  int muster_ended = 0;\n";
  std::string other;
  const auto addForm = [&](const std::string& condition, const std::string& frame) {
    other += (other.empty() ? "#if " : "#elif ") + condition + "\n" + frame;
  };
  if (group) addForm("defined(MUSTER_GROUPS)", groupsFrame(schedule_, prologue_, *group));
  if (tiled.rows) addForm("defined(MUSTER_TILES)", tiledFrame(program_, scope_, *tiled.rows, prologue_));
  if (tiled.ragged) addForm("defined(MUSTER_TILES)", raggedFrame(program_, scope_, *tiled.ragged, prologue_));
  if (hasSteps) addForm("defined(MUSTER_STEPS)", stepsFrame(program_, scope_, schedule_, *step, prologue_));
  std::size_t number = 0;
  const auto addBlocks = [&](const std::string& frame) { addForm(numbered("MUSTER_BLOCKS == ", ++number), frame); };
  for (const passes::Contraction& contraction : contractions)
    addBlocks(contractionFrame(program_, scope_, schedule_, contraction, prologue_));
  for (const passes::Lanes& made : lanes)
    addBlocks(blocksFrame(program_, schedule_, schedule_.blocks[number], made, prologue_, code));
  const std::string kernel = head + ") {\n" + temporaries + other + (other.empty() ? "" : "#else\n") +
                             frames.frame(text) + (other.empty() ? "" : "#endif\n") + "}\n";
  return guest.empty() ? kernel : "#ifdef MUSTER_GUEST_TEXT\n" + guest + "#else\n" + kernel + "#endif\n";
}

// Behind the kernel's own ones.
void KernelPrinter::addGuestArguments() {
  const std::size_t arrays = facts_.arrays.size(), dimensions = arrays + facts_.scalars.size();
  arguments_[dimensions] = guestScalars + (" " + arguments_[dimensions]);
  arguments_[arrays] = guestArrays + (" " + arguments_[arrays]);
}

// Whether other loops' iterations may run in front of its own. They write what `restrict` says that nobody else does.
bool KernelPrinter::mayHost() const {
  return schedule_.isStrided && !facts_.needsDistinct && schedule_.privatized.empty() && lastPrivates_.empty() &&
         facts_.records.empty() && !facts_.arrays.empty() && !scope_.ends();
}

// The kernel gets places for what another loop needs that takes turns with it, and that one what this one needs.
std::string KernelPrinter::guestOf(const passes::TimeStep& step) {
  const std::size_t arrays = facts_.arrays.size(), dimensions = arrays + facts_.scalars.size();
  std::vector<Argument> own;
  for (std::size_t i = 0; i < names_.size(); ++i) own.push_back({arguments_[i], names_[i]});
  schedule_.steps.isGuest &= names_.size() == dimensions && prologue_.size() == arrays && blocks_.empty();
  if (step.reach != 0) addGuestArguments();
  return schedule_.steps.isGuest ? guestText(program_, scope_, name_, step, own, prologue_) : "";
}

}  // namespace

}  // namespace lower

KernelText printKernel(const clang::ASTContext& context, const KernelPlan& plan, llvm::raw_ostream* ir) {
  lower::Program program(context, *plan.facts, /*amongOthers=*/!plan.facts->unseen.empty());
  lower::KernelPrinter printer(program, plan, ir);
  const std::string kernel = printer.print();
  KernelText result;
  result.refusal = program.refusals.first();
  if (!result.refusal.empty()) return result;
  result.text = program.text(kernel);
  result.needsFp64 = program.types.usesFp64();
  result.schedule = printer.schedule();
  result.schedule.privatized.clear();
  for (const auto& [array, names] : lower::privatizedIn(program, plan.schedule))
    result.schedule.privatized.insert(array);
  return result;
}

}  // namespace muster::plugin
