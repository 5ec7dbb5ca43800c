// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The native code of a loop: the user's body over the logical iterations of a chunk, as OpenMP code that the
// vectoriser sees as it saw the user's loop. Shared values become firstprivate, so that they stay in registers.
#include "analysis/code/ClauseValues.h"
#include "analysis/independence/SharedElements.h"
#include "analysis/loops/Iterators.h"
#include "analysis/loops/PointerLoop.h"
#include "analysis/objects/ClauseText.h"
#include "clang/AST/DeclOpenMP.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "muster/abi.h"
#include "rewrite/native/CopiedCallees.h"
#include "rewrite/native/LoopBlocks.h"
#include "rewrite/native/NativeVariables.h"
#include "rewrite/native/StandIns.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

namespace {

// "+", "min", "user_s".
std::string operatorOf(const ResultFact& result) {
  if (!result.members.empty()) return memberOperator(result);
  if (!result.declared) return reductionOperator(result.kind);
  const DeclarationName name = result.declared->getDeclName();
  const OverloadedOperatorKind op = name.getCXXOverloadedOperator();
  return op == OO_None ? name.getAsString() : getOperatorSpelling(op);
}

class NativeWriter {
 public:
  NativeWriter(const Spelling& spelling, const KernelPlan& kernel, const std::string& owner, CodeText& code)
      : spelling_(spelling),
        dialect_(spelling.dialect()),
        context_(spelling.context()),
        facts_(*kernel.facts),
        owner_(owner),
        code_(code),
        order_(nativeOrder(kernel, context_)),
        inBlocks_(runsInBlocks(facts_, order_.back(), context_)),
        isSimd_(mayBeSimd(facts_)),
        standIns_(spelling, *kernel.facts, owner),
        variables_(spelling, *kernel.facts, code) {}

  void write() {
    if (!dialect_.isC()) standIns_.writeTypes(code_);
    writeRecordTypes(spelling_, facts_, owner_, code_);
    writeBoxes(spelling_, facts_, owner_, code_);
    writeCalleeCopies(spelling_, facts_, owner_, code_);
    code_.open("static void " + dialect_.functionName(owner_, "run") + "(const muster_chunk *muster_c) {");
    if (dialect_.isC()) standIns_.writeTypes(code_);
    variables_.declare();
    standIns_.writeLargeObjects(code_);
    declareRecords(spelling_, facts_, owner_, false, code_);
    declareBoxes(spelling_, facts_, owner_, false, code_);
    if (facts_.collapsed == 1)
      writeLoop();
    else
      writeNest();
    variables_.endRowPointers();
    writeResults();
    code_.close();
    for (const ResultFact& result : facts_.results) writeCombine(spelling_, owner_, name(result.var), result, code_);
  }

 private:
  std::string name(const VarDecl* var) const { return variables_.name(var); }
  void writeLoop();
  void writeCounted(const std::string& counter);
  void writeIterationNumber(const std::string& first);
  void openBlocks(const std::string& counter, const std::string& count);
  void writeBlocks(const std::string& counter);
  void writeNest();
  void writeCollapsed(const std::vector<std::string>& counters);
  void writeRuns(const std::vector<std::string>& counters);
  void writeBody();
  void writeRemade();
  void writeLinear();
  void writeResults();
  void writePragma();
  std::string pragma() const;
  std::string scheduleText(const OMPScheduleClause* schedule, bool hasLastValues) const;
  std::string sectionText(const SectionFact& section) const;
  std::string declareLoopVariable(unsigned dim, const std::string& counter) const;
  std::string stepText(unsigned dim) const;
  std::string counterType(const DimFact& dim) const;
  bool countFitsInt(const DimFact& dim) const;
  bool runsInPieces() const { return !countFitsInt(facts_.dims.front()) && !needsOneLoop(); }
  bool needsOneLoop() const;

  const Spelling& spelling_;
  const Dialect& dialect_;
  const ASTContext& context_;
  const LoopFacts& facts_;
  const std::string owner_;
  CodeText& code_;
  const std::vector<unsigned> order_;  // of the directive's loops, the innermost one last
  const bool inBlocks_, isSimd_;
  StandIns standIns_;
  NativeVariables variables_;
};

// In C, an array that is named as a whole is a pointer in native code.
std::string NativeWriter::sectionText(const SectionFact& section) const {
  std::string text = sourceText(context_, section.item);
  if (!dialect_.isC()) return text;
  QualType type = section.item->getType();
  for (; type->isConstantArrayType(); type = context_.getAsArrayType(type)->getElementType())
    text += "[0:" + std::to_string(context_.getAsConstantArrayType(type)->getZExtSize()) + "]";
  return text;
}

// Clang takes iterations of a chunk for independent, and may vectorise them, where the schedule is not static.
static bool needsOrder(const LoopFacts& facts, const OMPScheduleClause* schedule) {
  if (!facts.mayCarry || schedule->getScheduleKind() == OMPC_SCHEDULE_static ||
      schedule->getFirstScheduleModifier() != OMPC_SCHEDULE_MODIFIER_unknown)
    return false;
  return llvm::none_of(facts.directive->clauses(), [](const OMPClause* clause) { return isa<OMPOrderClause>(clause); });
}

// A chunk of one iteration has no order, unless one thread runs all of them: a region, a call or the environment may
// ask for that. Then they are one chunk.
static bool hasSingleChunks(const OMPScheduleClause* schedule) {
  return schedule->getScheduleKind() == OMPC_SCHEDULE_dynamic && !schedule->getChunkSize();
}

// Clang 19 loses the last value of dynamic schedules where the thread that has it asks for more iterations. Chunks that
// iterations may count on stay: a dynamic schedule may share them out as a static one does.
std::string NativeWriter::scheduleText(const OMPScheduleClause* schedule, bool hasLastValues) const {
  const OpenMPScheduleClauseKind kind = schedule->getScheduleKind();
  const bool isDynamic = kind == OMPC_SCHEDULE_dynamic || kind == OMPC_SCHEDULE_guided;
  const bool needsChunks = facts_.mayCarryInChunks || mayBeOneArray(facts_);
  if (hasLastValues && (!needsChunks || (isDynamic && !hasKnownChunks(facts_.directive)))) return "";
  std::string text = *clauseText(context_, *facts_.objects, schedule);
  const std::size_t name = text.find("dynamic");
  if (hasLastValues && isDynamic && name != std::string::npos) return " schedule(static" + text.substr(name + 7);
  if (needsOrder(facts_, schedule) && !hasSingleChunks(schedule)) text.insert(text.find('(') + 1, "monotonic : ");
  return text;
}

std::string NativeWriter::pragma() const {
  std::string text = "#pragma omp parallel for";
  if (!inBlocks_) {
    if (isSimd_) text += " simd";
    if (facts_.collapsed > 1) text += " collapse(" + std::to_string(facts_.collapsed) + ")";
  }
  auto list = [&](const std::string& clause, const std::vector<std::string>& names) {
    if (!names.empty()) text += " " + clause + "(" + llvm::join(names, ", ") + ")";
  };
  list("firstprivate", variables_.firstprivate());
  std::vector<std::string> privates, lasts;
  for (const VarDecl* var : facts_.privates)
    if (!variables_.isOfIteration(var)) privates.push_back(name(var));
  list("private", privates);
  for (const ResultFact& result : facts_.results) {
    if (result.kind == MUSTER_LASTPRIVATE)
      lasts.push_back(name(result.var));
    else
      list("reduction", {operatorOf(result) + " : " + name(result.var)});
  }
  for (unsigned i = 0; i < facts_.records.size(); ++i) list("reduction", {recordName(i) + "_best : " + recordName(i)});
  for (const SectionFact& section : facts_.sections)
    list("reduction", {std::string(reductionOperator(section.kind)) + " : " + sectionText(section)});
  list("lastprivate", lasts);
  for (const OMPClause* clause : facts_.directive->clauses()) {
    if (clause->isImplicit() || (isa<OMPSafelenClause, OMPSimdlenClause>(clause) && !isSimd_)) continue;
    auto* schedule = dyn_cast<OMPScheduleClause>(clause);
    text += schedule ? scheduleText(schedule, !lasts.empty()) : *clauseText(context_, *facts_.objects, clause);
  }
  return text;
}

// Its clauses hold text of the user's.
void NativeWriter::writePragma() {
  code_.beginTheirs();
  code_.markLine();
  code_.raw(pragma());
  code_.beginOurs();
  const auto* schedule = facts_.directive->getSingleClause<OMPScheduleClause>();
  if (schedule && !isSimd_ && needsOrder(facts_, schedule) && hasSingleChunks(schedule))
    code_.line("#pragma clang loop vectorize(disable) interleave(disable)");
}

// False for a loop over an int that may have more iterations than an int can count.
bool NativeWriter::countFitsInt(const DimFact& dim) const {
  const bool upwards = dim.relation == BO_LT || dim.relation == BO_LE;
  if (!context_.hasSameUnqualifiedType(dim.var->getType(), context_.IntTy)) return true;
  const Expr* least = upwards ? dim.lower : dim.relation == BO_NE ? nullptr : dim.bound;
  Expr::EvalResult value;
  return least && least->EvaluateAsInt(value, context_) && !value.Val.getInt().isNegative();
}

// Whether pieces would show: iterations may give each other values in chunks, which pieces begin anew, or in variables
// that each thread has for itself.
bool NativeWriter::needsOneLoop() const {
  return facts_.mayCarry || facts_.mayCarryInParts ||
         (mayBeOneArray(facts_) && hasClause<OMPScheduleClause>(facts_.directive));
}

// The step as a factor of a counter: a literal where it is one.
std::string NativeWriter::stepText(unsigned dim) const {
  const DimFact& loop = facts_.dims[dim];
  Expr::EvalResult value;
  if (!loop.step) return loop.down ? "-1" : "1";
  if (loop.step->EvaluateAsInt(value, context_) && value.Val.getInt().isRepresentableByInt64()) {
    llvm::SmallString<24> digits;
    value.Val.getInt().toString(digits, 10);
    const std::string text = digits.str().str();
    if (!loop.down) return text;
    return text[0] == '-' ? text.substr(1) : "-" + text;
  }
  return "muster_step" + std::to_string(dim);
}

// "int i = muster_first0 + muster_k0 * 2;"
std::string NativeWriter::declareLoopVariable(unsigned dim, const std::string& counter) const {
  const VarDecl* var = facts_.dims[dim].var;
  const std::string type = spelling_.type(var->getType().getUnqualifiedType());
  const std::string first = "muster_first" + std::to_string(dim);
  const std::string step = stepText(dim);
  std::string value = first;
  if (step == "1")
    value += " + " + counter;
  else if (step == "-1")
    value += " - " + counter;
  else
    value += " + " + counter + " * (" + step + ")";
  return type + " " + name(var) + " = " + dialect_.cast(type, value) + ";";
}

// The counter has the user's type, at least int, so that the optimiser finds the loop that it would have found.
std::string NativeWriter::counterType(const DimFact& dim) const {
  const bool narrow = context_.getTypeSize(dim.var->getType()) < context_.getTypeSize(context_.IntTy);
  return narrow ? "int" : spelling_.type(dim.var->getType().getUnqualifiedType());
}

void NativeWriter::writeLoop() {
  const DimFact& dim = facts_.dims.front();
  const bool inPieces = runsInPieces();
  const std::string counter = inPieces || countFitsInt(dim) ? counterType(dim) : "int64_t";
  const std::string first =
      "muster_c->dims[0].first + " + std::string(inPieces ? "muster_lo" : "muster_c->lo") + " * muster_c->dims[0].step";
  if (inPieces) {
    code_.line("// An int may not be able to count all iterations.");
    code_.open("for (int64_t muster_lo = muster_c->lo; muster_lo < muster_c->hi; muster_lo += 0x40000000) {");
    code_.line("const int64_t muster_left = muster_c->hi - muster_lo;");
    code_.line("const int muster_n0 = muster_left < 0x40000000 ? " + dialect_.cast("int", "muster_left") +
               " : 0x40000000;");
  } else {
    code_.line("const " + counter + " muster_n0 = " + dialect_.cast(counter, "muster_c->hi - muster_c->lo") + ";");
  }
  code_.line("const " + counter + " muster_first0 = " + dialect_.cast(counter, first) + ";");
  if (stepText(0) == "muster_step0")
    code_.line("const " + counter + " muster_step0 = " + dialect_.cast(counter, "muster_c->dims[0].step") + ";");
  inBlocks_ ? writeBlocks(counter) : writeCounted(counter);
  if (inPieces) code_.close();
}

// Of the whole launch, from 1 on, for the choices of records.
void NativeWriter::writeIterationNumber(const std::string& first) {
  if (facts_.records.empty()) return;
  std::string number = first + " + muster_k0";
  for (unsigned i = 1; i < facts_.collapsed; ++i)
    number = "(" + number + ") * muster_c->dims[" + std::to_string(i) + "].count + muster_k" + std::to_string(i);
  code_.line("const int64_t muster_iteration = " + number + " + 1;");
}

void NativeWriter::writeCounted(const std::string& counter) {
  writePragma();
  code_.open("for (" + counter + " muster_k0 = 0; muster_k0 < muster_n0; ++muster_k0) {");
  writeIterationNumber(runsInPieces() ? "muster_lo" : "muster_c->lo");
  code_.line(declareLoopVariable(0, "muster_k0"));
  writeBody();
  code_.close();
}

// As many iterations for each thread as a static schedule gives it: from muster_at, muster_size of them.
void NativeWriter::openBlocks(const std::string& counter, const std::string& count) {
  code_.line("const int muster_blocks = " + std::string(dialect_.isC() ? "muster_blocks_of" : "::muster::blocksOf") +
             "(" + count + ");");
  code_.line("const " + counter + " muster_each = " + count + " / muster_blocks, muster_more = " + count +
             " % muster_blocks;");
  writePragma();
  code_.open("for (int muster_b = 0; muster_b < muster_blocks; ++muster_b) {");
  code_.line(counter + " muster_at = muster_b * muster_each + (muster_b < muster_more ? muster_b : muster_more);");
  code_.line("const " + counter + " muster_size = muster_each + (muster_b < muster_more ? 1 : 0);");
}

void NativeWriter::writeBlocks(const std::string& counter) {
  const std::string i = name(facts_.dims.front().var), type = counterType(facts_.dims.front());
  auto value = [&](const std::string& text) { return type == counter ? text : dialect_.cast(type, text); };
  openBlocks(counter, "muster_n0");
  code_.line(type + " " + i + " = " + value("muster_first0 + muster_at") + ";");
  code_.line("const " + type + " muster_end = " + value(i + " + muster_size") + ";");
  code_.open("for (; " + i + " < muster_end; ++" + i + ") {");
  writeBody();
  code_.close();
  code_.close();
}

void NativeWriter::writeNest() {
  std::vector<std::string> counters;
  for (unsigned i = 0; i < facts_.collapsed; ++i) {
    const std::string number = std::to_string(i);
    const std::string dim = "muster_c->dims[" + number + "]";
    counters.push_back(countFitsInt(facts_.dims[i]) ? counterType(facts_.dims[i]) : "int64_t");
    auto declare = [&](const std::string& name, const std::string& value) {
      code_.line("const " + counters.back() + " " + name + number + " = " + dialect_.cast(counters.back(), value) +
                 ";");
    };
    declare("muster_n", i == 0 ? "muster_c->hi - muster_c->lo" : dim + ".count");
    declare("muster_first", dim + ".first" + (i == 0 ? " + muster_c->lo * " + dim + ".step" : ""));
    if (stepText(i) == "muster_step" + number) declare("muster_step", dim + ".step");
  }
  inBlocks_ ? writeRuns(counters) : writeCollapsed(counters);
}

// Of the innermost loop, in a block.
void NativeWriter::writeRuns(const std::vector<std::string>& counters) {
  const unsigned last = order_.back();
  const std::string n = "muster_n" + std::to_string(last), first = "muster_first" + std::to_string(last);
  std::string all = dialect_.cast("int64_t", "muster_n0");
  for (unsigned i = 1; i < order_.size(); ++i) all += " * " + dialect_.cast("int64_t", "muster_n" + std::to_string(i));
  code_.line("const int64_t muster_all = " + all + ";");
  openBlocks("int64_t", "muster_all");
  code_.line("const int64_t muster_end = muster_at + muster_size;");
  code_.open("while (muster_at < muster_end) {");
  code_.line("const int64_t muster_length = " + dialect_.cast("int64_t", n) + ";");
  code_.line("const int64_t muster_begin = muster_at % muster_length;");
  code_.line("const int64_t muster_left = muster_length - muster_begin;");
  code_.line(
      "const int64_t muster_count = muster_left < muster_end - muster_at ? muster_left : muster_end - muster_at;");
  code_.line("int64_t muster_outer = muster_at / muster_length;");
  code_.line("muster_at += muster_count;");
  for (std::size_t at = order_.size() - 1; at-- > 0;) {
    const unsigned i = order_[at];
    const std::string number = std::to_string(i), count = dialect_.cast("int64_t", "muster_n" + number);
    const std::string k = at > 0 ? "muster_outer % " + count : "muster_outer";
    code_.line("const " + counters[i] + " muster_k" + number + " = " + dialect_.cast(counters[i], k) + ";");
    if (at > 0) code_.line("muster_outer /= " + count + ";");
    code_.line(declareLoopVariable(i, "muster_k" + number));
  }
  const std::string type = counterType(facts_.dims[last]), var = name(facts_.dims[last].var);
  code_.line(type + " " + var + " = " + dialect_.cast(type, first + " + muster_begin") + ";");
  code_.line("const " + type + " muster_stop = " + dialect_.cast(type, var + " + muster_count") + ";");
  if (isSimd_) {
    code_.line("#pragma omp simd");
    code_.open("for (" + type + " muster_i = " + var + "; muster_i < muster_stop; ++muster_i) {");
    code_.line(type + " " + var + " = muster_i;");
  } else {
    code_.open("for (; " + var + " < muster_stop; ++" + var + ") {");
  }
  writeBody();
  code_.close();
  code_.close();
  code_.close();
}

void NativeWriter::writeCollapsed(const std::vector<std::string>& counters) {
  writePragma();
  for (unsigned i = 0; i < facts_.collapsed; ++i) {
    const std::string k = "muster_k" + std::to_string(i);
    const std::string head =
        "for (" + counters[i] + " " + k + " = 0; " + k + " < muster_n" + std::to_string(i) + "; ++" + k + ")";
    if (i + 1 == facts_.collapsed)
      code_.open(head + " {");
    else
      code_.line(head);
  }
  writeIterationNumber("muster_c->lo");
  for (unsigned i = 0; i < facts_.collapsed; ++i) code_.line(declareLoopVariable(i, "muster_k" + std::to_string(i)));
  writeBody();
  code_.close();
}

// Objects that the region makes in front of the loop, of the iteration's own variables.
void NativeWriter::writeRemade() {
  for (const VarDecl* object : facts_.remade) {
    std::string arguments;
    for (const Expr* argument : cast<CXXConstructExpr>(object->getInit())->arguments())
      arguments += (arguments.empty() ? "" : ", ") + standIns_.textOf(argument);
    code_.line(writtenClass(context_, object) + " " + name(object) + "(" + arguments + ");");
  }
}

// Over a vector's iterator, in whose place native code has what its view of the vector has.
static bool isIterator(const DimFact& dim) { return !dim.range && !iteratorPointee(dim.pointer->getType()).isNull(); }

// Those of `linear` clauses.
void NativeWriter::writeLinear() {
  for (const LinearFact& linear : facts_.linears) {
    const std::string type = spelling_.scalarType(linear.var);
    const std::string number = dialect_.cast("int64_t", name(facts_.dims.front().var));
    code_.line(name(linear.var) + " = " +
               dialect_.cast(type, name(linear.start) + " + " + distanceText(dialect_, linear, number)) + ";");
  }
}

// The user's own text, at its line and column.
void NativeWriter::writeBody() {
  standIns_.writeObjects(code_);
  const SourceManager& sources = context_.getSourceManager();
  const CharSourceRange range = *statementRange(context_, facts_.body);
  const PresumedLoc start = sources.getPresumedLoc(range.getBegin());
  const bool braces = !isa<CompoundStmt>(facts_.body);
  const unsigned indent = start.getColumn() - 1;
  writeLinear();
  code_.beginTheirs();
  variables_.declareOfIteration();
  writeRemade();
  for (const DimFact& dim : facts_.dims) {
    if (!dim.pointer) continue;
    const LoopStart start = startOf(dim);
    const std::string at =
        "(" + (start.expr ? standIns_.textOf(start.expr) : "") + start.suffix + ") + " + name(dim.var) + ";";
    const std::string declaration =
        (isIterator(dim) ? "auto " + name(dim.pointer) : spelling_.declare(dim.pointer->getType(), name(dim.pointer))) +
        " = ";
    // In `for (double &v : v)` the two have one name.
    if (dim.range) code_.line("auto *muster_at_" + name(dim.pointer) + " = " + at);
    code_.line(declaration + (dim.range ? "*muster_at_" + name(dim.pointer) + ";" : at));
  }
  // In a line of its own, because the text may start with a pragma.
  if (braces) code_.raw("{");
  code_.raw("#pragma clang diagnostic pop");
  code_.raw("#line " + std::to_string(start.getLine()));
  code_.raw(std::string(indent, ' ') + standIns_.textOf(range) + (braces ? "\n}" : ""));
  code_.raw("#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Weverything\"");
  code_.beginOurs();
  writeLeft(facts_, code_);
}

void NativeWriter::writeResults() {
  for (unsigned i = 0; i < facts_.results.size(); ++i) {
    const VarDecl* var = facts_.results[i].var;
    const std::string slot = "muster_c->results[" + std::to_string(i) + "]";
    if (facts_.results[i].isBoxed()) {
      const std::string type = boxType(dialect_, owner_, name(var));
      code_.line(type + " " + boxOf(facts_.results[i]) + " = {1, " + name(var) + "};");
      code_.line("*" + dialect_.cast(type + " *", slot) + " = " + boxOf(facts_.results[i]) + ";");
      continue;
    }
    code_.line("*" + dialect_.cast(spelling_.scalarType(var) + " *", slot) + " = " + name(var) + ";");
  }
  for (unsigned i = 0; i < facts_.records.size(); ++i)
    code_.line("*" +
               dialect_.cast(recordType(dialect_, owner_, i) + " *",
                             "muster_c->results[" + std::to_string(facts_.results.size() + i) + "]") +
               " = " + recordName(i) + ";");
}

}  // namespace

std::string distanceText(const Dialect& dialect, const LinearFact& linear, const std::string& number) {
  const std::string times =
      linear.times ? " * " + dialect.cast("int64_t", linear.times->getNameAsString()) : std::string();
  return std::to_string(linear.factor) + times + " * " + number;
}

void writeNativeFunctions(const Spelling& spelling, const KernelPlan& kernel, const std::string& owner,
                          CodeText& code) {
  NativeWriter(spelling, kernel, owner, code).write();
}

}  // namespace muster::plugin
