// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The native code of a loop: the user's body over the logical iterations of a chunk, as OpenMP code that the
// vectoriser sees as it saw the user's loop. Shared values become firstprivate, so that they stay in registers.
#include "analysis/ClauseText.h"
#include "analysis/Context.h"
#include "analysis/Iterators.h"
#include "analysis/PointerLoop.h"
#include "analysis/RowLengths.h"
#include "analysis/RowTables.h"
#include "analysis/SourceText.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/Basic/OpenMPKinds.h"
#include "clang/Lex/Lexer.h"
#include "muster/abi.h"
#include "rewrite/LoopBlocks.h"
#include "rewrite/LoopText.h"
#include "rewrite/StandIns.h"

namespace muster::plugin {

using namespace clang;

const char* reductionOperator(unsigned kind) {
  static const char* const names[] = {"+", "*", "&", "|", "^", "&&", "||", "min", "max"};
  return names[kind];
}

// What a C++ program calls std::numeric_limits<T>::max() or lowest().
static std::string limitInC(const ASTContext& context, QualType type, bool largest) {
  if (type->isFloatingType()) {
    const char* name = type->isSpecificBuiltinType(BuiltinType::Float)    ? "__FLT_MAX__"
                       : type->isSpecificBuiltinType(BuiltinType::Double) ? "__DBL_MAX__"
                                                                          : "__LDBL_MAX__";
    return (largest ? "" : "-") + std::string(name);
  }
  if (type->isBooleanType()) return largest ? "1" : "0";
  const unsigned bits = context.getTypeSize(type);
  const std::string ones = "(~0ULL >> " + std::to_string(64 - bits) + ")";
  if (type->isUnsignedIntegerOrEnumerationType()) return largest ? ones : "0";
  return (largest ? "(long long)" : "-1 - (long long)") + std::string("(") + ones + " >> 1)";
}

std::string identityOf(const Spelling& spelling, unsigned kind, QualType type, const std::string& typeName) {
  auto limit = [&](bool largest) {
    if (spelling.dialect().isC()) return limitInC(spelling.context(), type.getCanonicalType(), largest);
    return "std::numeric_limits<" + typeName + (largest ? ">::max()" : ">::lowest()");
  };
  switch (kind) {
    case MUSTER_REDUCE_MUL:
    case MUSTER_REDUCE_LAND:
      return "1";
    case MUSTER_REDUCE_AND:
      return "~0";
    case MUSTER_REDUCE_MIN:
      return limit(true);
    case MUSTER_REDUCE_MAX:
      return limit(false);
    default:
      return "0";
  }
}

std::string combination(const Spelling& spelling, unsigned kind, const std::string& type) {
  switch (kind) {
    case MUSTER_LASTPRIVATE:
      return "*muster_a = muster_b;";
    case MUSTER_REDUCE_MIN:
      return "if (muster_b < *muster_a) *muster_a = muster_b;";
    case MUSTER_REDUCE_MAX:
      return "if (*muster_a < muster_b) *muster_a = muster_b;";
    default:
      return "*muster_a = " +
             spelling.dialect().cast(type, "*muster_a " + std::string(reductionOperator(kind)) + " muster_b") + ";";
  }
}

namespace {

class NativeWriter {
 public:
  NativeWriter(const Spelling& spelling, const KernelPlan& kernel, const std::string& owner, CodeText& code)
      : spelling_(spelling),
        dialect_(spelling.dialect()),
        context_(spelling.context()),
        facts_(*kernel.facts),
        owner_(owner),
        code_(code),
        standIns_(spelling, *kernel.facts) {}

  void write() {
    if (!dialect_.isC()) standIns_.writeTypes(code_);
    code_.open("static void " + dialect_.functionName(owner_, "run") + "(const muster_chunk *muster_c) {");
    if (dialect_.isC()) standIns_.writeTypes(code_);
    declareArrays();
    declareScalars();
    declareResults();
    for (const VarDecl* var : facts_.privates)
      code_.line((spelling_.inTemplate() ? spelling_.valueType(var) + " " + name(var)
                                         : spelling_.declare(var->getType().getNonReferenceType(), name(var))) +
                 ";");
    standIns_.writeLargeObjects(code_);
    if (facts_.collapsed == 1)
      writeLoop();
    else
      writeNest();
    endRowPointers();
    writeResults();
    code_.close();
    for (const ResultFact& result : facts_.results) writeCombine(result);
  }

 private:
  std::string name(const VarDecl* var) const {
    const ObjectMember* member = facts_.objects->find(var);
    return member ? member->name : var->getNameAsString();
  }
  void declareWhole(const VarDecl* var, const std::string& address);
  void declareRows(const ArrayFact& array, const std::string& address);
  void declareRowPointers(const ArrayFact& array, const std::string& address);
  void endRowPointers();
  void declareArrays();
  void declareScalars();
  void declareResults();
  void writeLoop();
  void writeCounted(const std::string& counter);
  void writeBlocks(const std::string& counter);
  void writeNest();
  void writeBody();
  void writeResults();
  void writeCombine(const ResultFact& result);
  void writePragma();
  std::string pragma() const;
  bool isReduced(const VarDecl* var) const {
    return llvm::any_of(facts_.sections, [&](const SectionFact& section) { return section.var == var; });
  }
  std::string sectionText(const SectionFact& section) const;
  std::string declareLoopVariable(unsigned dim, const std::string& counter) const;
  std::string stepText(unsigned dim) const;
  std::string counterType(const DimFact& dim) const;
  bool countFitsInt(const DimFact& dim) const;

  const Spelling& spelling_;
  const Dialect& dialect_;
  const ASTContext& context_;
  const LoopFacts& facts_;
  const std::string owner_;
  CodeText& code_;
  StandIns standIns_;
  std::vector<std::string> firstprivate_;
};

// An object or an array of a known size: a reference to it, in C a copy, and a pointer to the array's first row.
void NativeWriter::declareWhole(const VarDecl* var, const std::string& address) {
  const QualType type = var->getType().getNonReferenceType();
  if (dialect_.isC() && type->isRecordType()) {
    const std::string plain = spelling_.type(type.getUnqualifiedType());
    code_.line(plain + " " + name(var) + " = *" + dialect_.cast("const " + plain + " *", address) + ";");
    return;
  }
  if (dialect_.isC()) {
    const QualType row = context_.getPointerType(context_.getAsArrayType(type)->getElementType());
    code_.line(spelling_.declare(row, name(var)) + " = " + dialect_.cast(spelling_.type(row), address) + ";");
    return;
  }
  if (spelling_.inTemplate() && !facts_.objects->find(var)) {
    const std::string whole = "typename std::remove_reference<decltype(" + name(var) + ")>::type";
    code_.line(whole + " &" + name(var) + " = *" + dialect_.cast(whole + " *", address) + ";");
    return;
  }
  code_.line(spelling_.declare(context_.getLValueReferenceType(type), name(var)) + " = *" +
             dialect_.cast(spelling_.type(context_.getPointerType(type)), address) + ";");
}

// A pointer to rows whose lengths came with the launch.
void NativeWriter::declareRows(const ArrayFact& array, const std::string& address) {
  std::string element;
  if (array.form != ArrayForm::Rows)
    element = spelling_.type(context_.getBaseElementType(array.var->getType()->getPointeeType()));
  else if (spelling_.inTemplate())
    element = "typename std::remove_pointer<typename std::remove_pointer<typename std::decay<decltype(" +
              name(array.var) + ")>::type>::type>::type";
  else
    element = spelling_.type(rowElement(array.var->getType()));
  std::string rows;
  for (unsigned level = 0; level < array.extents.size(); ++level) {
    const auto length = rowLength(facts_, array, level);
    rows += "[" +
            (length ? "*(const int64_t *)muster_c->scalars[" + std::to_string(*length) + "]"
                    : std::to_string(array.extents[level])) +
            "]";
  }
  // One type for both sides: to C++ two arrays whose length only the run knows are never of one type.
  const std::string row = "muster_row_" + name(array.var);
  code_.line("typedef " + element + " " + row + rows + ";");
  code_.line(row + " *" + name(array.var) + " = (" + row + " *)" + address + ";");
  firstprivate_.push_back(name(array.var));
}

// A table of pointers to the rows, as the user's.
void NativeWriter::declareRowPointers(const ArrayFact& array, const std::string& address) {
  const auto number = [&](RowNumber which) {
    return "*(const int64_t *)muster_c->scalars[" + std::to_string(*rowNumber(facts_, array, which)) + "]";
  };
  QualType type = array.var->getType().getNonReferenceType().getUnqualifiedType();
  if (type->isArrayType()) type = context_.getArrayDecayedType(type);
  const QualType element = rowElement(array.var->getType());
  const bool named = spelling_.inTemplate() && !facts_.objects->find(array.var);
  const std::string table =
      named ? "typename std::decay<decltype(" + name(array.var) + ")>::type" : spelling_.type(type);
  const auto bytes = context_.getTypeSizeInChars(element).getQuantity();
  code_.line((named ? table + " " + name(array.var) : spelling_.declare(type, name(array.var))) + " = (" + table +
             ")muster_row_pointers(" + address + ", " + number(RowNumber::Length) + " * " + std::to_string(bytes) +
             ", " + number(RowNumber::First) + ", " + number(RowNumber::Last) + ");");
  firstprivate_.push_back(name(array.var));
}

void NativeWriter::endRowPointers() {
  for (const ArrayFact& array : facts_.arrays)
    if (array.byPointers)
      code_.line("muster_row_pointers_end((void *)" + name(array.var) + ", *(const int64_t *)muster_c->scalars[" +
                 std::to_string(*rowNumber(facts_, array, RowNumber::First)) + "]);");
}

void NativeWriter::declareArrays() {
  for (unsigned i = 0; i < facts_.arrays.size(); ++i) {
    const ArrayFact& array = facts_.arrays[i];
    const QualType type = array.var->getType().getNonReferenceType();
    const std::string slot = "muster_c->arrays[" + std::to_string(i) + "]";
    switch (array.form) {
      case ArrayForm::Pointer:
      case ArrayForm::PointerToArray: {
        if (hasUnknownLengths(array)) {
          declareRows(array, slot);
          break;
        }
        const QualType plain = type.getUnqualifiedType();
        const QualType pointer = context_.getPointerType(type->getPointeeType());
        const std::string cast = spelling_.inTemplate() ? spelling_.valueType(array.var) : spelling_.type(pointer);
        code_.line((spelling_.inTemplate() ? cast + " " + name(array.var) : spelling_.declare(plain, name(array.var))) +
                   " = " + dialect_.cast(cast, slot) + ";");
        if (!isReduced(array.var)) firstprivate_.push_back(name(array.var));
        break;
      }
      case ArrayForm::Rows:
        if (array.byPointers)
          declareRowPointers(array, slot);
        else
          declareRows(array, slot);
        break;
      case ArrayForm::ConstantArray:
        declareWhole(array.var, slot);
        break;
      case ArrayForm::Vector: {
        const QualType element = type.isConstQualified() ? array.element.withConst() : array.element;
        std::string size = "0";
        for (unsigned s = 0; s < facts_.scalars.size(); ++s)
          if (facts_.scalars[s].vectorSize && facts_.scalars[s].var == array.var)
            size = "*static_cast<const std::size_t *>(muster_c->scalars[" + std::to_string(s) + "])";
        if (facts_.objects->find(array.var)) {
          const std::string pointer = spelling_.type(context_.getPointerType(element));
          code_.line(spelling_.declare(context_.getPointerType(element), name(array.var)) + " = static_cast<" +
                     pointer + ">(" + slot + ");");
          code_.line("const std::size_t " + name(array.var) + "_size = " + size + ";");
          firstprivate_.push_back(name(array.var) + "_size");
        } else {
          code_.line("const muster::VectorView<" + spelling_.type(element) + "> " + name(array.var) + "(static_cast<" +
                     spelling_.type(context_.getPointerType(element)) + ">(" + slot + "), " + size + ");");
        }
        firstprivate_.push_back(name(array.var));
        break;
      }
    }
  }
}

void NativeWriter::declareScalars() {
  for (unsigned i = 0; i < facts_.scalars.size(); ++i) {
    const ScalarFact& scalar = facts_.scalars[i];
    const bool own =
        std::find(facts_.firstprivates.begin(), facts_.firstprivates.end(), scalar.var) != facts_.firstprivates.end();
    // Globals keep their own name; the runtime stores the launch's value there.
    const bool isLength = !rowLengthText(facts_, scalar.var).empty();
    if (scalar.vectorSize || isLength || (scalar.global && !own)) continue;
    const std::string value = "muster_c->scalars[" + std::to_string(i) + "]";
    if (scalar.byValue) {
      declareWhole(scalar.var, dialect_.isC() ? value : "const_cast<void *>(" + value + ")");
      continue;
    }
    const std::string type = spelling_.scalarType(scalar.var);
    code_.line(type + " " + name(scalar.var) + " = *" + dialect_.cast("const " + type + " *", value) + ";");
    firstprivate_.push_back(name(scalar.var));
  }
  for (const VarDecl* var : facts_.constants)
    if (!isVisibleInFile(var))
      code_.line(std::string(dialect_.constant()) + " " + spelling_.scalarType(var) + " " + name(var) + " = " +
                 spelling_.constant(var) + ";");
  for (const VarDecl* var : facts_.tables)
    if (!isVisibleInFile(var))
      code_.line("static " + spelling_.declare(var->getType(), name(var)) + " = " + spelling_.constant(var) + ";");
}

void NativeWriter::declareResults() {
  for (const ResultFact& result : facts_.results) {
    const bool hasValue =
        std::find(facts_.firstprivates.begin(), facts_.firstprivates.end(), result.var) != facts_.firstprivates.end();
    if (hasValue) continue;
    const std::string type = spelling_.scalarType(result.var);
    code_.line(
        type + " " + name(result.var) + " = " +
        dialect_.cast(type, identityOf(spelling_, result.kind, result.var->getType().getNonReferenceType(), type)) +
        ";");
  }
}

// In C, an array that is named as a whole is a pointer in native code.
std::string NativeWriter::sectionText(const SectionFact& section) const {
  std::string text = sourceText(context_, section.item);
  if (!dialect_.isC()) return text;
  QualType type = section.item->getType();
  for (; type->isConstantArrayType(); type = context_.getAsArrayType(type)->getElementType())
    text += "[0:" + std::to_string(context_.getAsConstantArrayType(type)->getZExtSize()) + "]";
  return text;
}

std::string NativeWriter::pragma() const {
  std::string text = "#pragma omp parallel for";
  if (isOpenMPSimdDirective(facts_.directive->getDirectiveKind())) text += " simd";
  if (facts_.collapsed > 1) text += " collapse(" + std::to_string(facts_.collapsed) + ")";
  auto list = [&](const std::string& clause, const std::vector<std::string>& names) {
    if (!names.empty()) text += " " + clause + "(" + llvm::join(names, ", ") + ")";
  };
  list("firstprivate", firstprivate_);
  std::vector<std::string> privates, lasts;
  for (const VarDecl* var : facts_.privates) privates.push_back(name(var));
  list("private", privates);
  for (const ResultFact& result : facts_.results) {
    if (result.kind == MUSTER_LASTPRIVATE)
      lasts.push_back(name(result.var));
    else
      list("reduction", {std::string(reductionOperator(result.kind)) + " : " + name(result.var)});
  }
  for (const SectionFact& section : facts_.sections)
    list("reduction", {std::string(reductionOperator(section.kind)) + " : " + sectionText(section)});
  list("lastprivate", lasts);
  // Clang 19 loses the last value of dynamic schedules where the thread that has it asks for more iterations.
  for (const OMPClause* clause : facts_.directive->clauses())
    if (!clause->isImplicit() && (lasts.empty() || !isa<OMPScheduleClause>(clause)))
      text += *clauseText(context_, *facts_.objects, clause);
  return text;
}

// Its clauses hold text of the user's.
void NativeWriter::writePragma() {
  code_.beginTheirs();
  code_.raw(pragma());
  code_.beginOurs();
}

// False for a loop over an int that may have more iterations than an int can count.
bool NativeWriter::countFitsInt(const DimFact& dim) const {
  const bool upwards = dim.relation == BO_LT || dim.relation == BO_LE;
  if (!context_.hasSameUnqualifiedType(dim.var->getType(), context_.IntTy)) return true;
  const Expr* least = upwards ? dim.lower : dim.relation == BO_NE ? nullptr : dim.bound;
  Expr::EvalResult value;
  return least && least->EvaluateAsInt(value, context_) && !value.Val.getInt().isNegative();
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
  const std::string counter = counterType(dim);
  const bool inPieces = !countFitsInt(dim);
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
  gainsByBlocks(facts_, context_) ? writeBlocks(counter) : writeCounted(counter);
  if (inPieces) code_.close();
}

void NativeWriter::writeCounted(const std::string& counter) {
  writePragma();
  code_.open("for (" + counter + " muster_k0 = 0; muster_k0 < muster_n0; ++muster_k0) {");
  code_.line(declareLoopVariable(0, "muster_k0"));
  writeBody();
  code_.close();
}

// As many iterations for each thread as a static schedule gives it.
void NativeWriter::writeBlocks(const std::string& counter) {
  const std::string i = name(facts_.dims.front().var);
  code_.line("const int muster_blocks = " + std::string(dialect_.isC() ? "muster_blocks_of" : "muster::blocksOf") +
             "(muster_n0);");
  code_.line("const " + counter + " muster_each = muster_n0 / muster_blocks, muster_more = muster_n0 % muster_blocks;");
  writePragma();
  code_.open("for (int muster_b = 0; muster_b < muster_blocks; ++muster_b) {");
  code_.line(counter + " " + i +
             " = muster_first0 + muster_b * muster_each + (muster_b < muster_more ? muster_b : muster_more);");
  code_.line("const " + counter + " muster_end = " + i + " + muster_each + (muster_b < muster_more ? 1 : 0);");
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
  for (unsigned i = 0; i < facts_.collapsed; ++i) code_.line(declareLoopVariable(i, "muster_k" + std::to_string(i)));
  writeBody();
  code_.close();
}

// Over a vector's iterator, in whose place native code has what its view of the vector has.
static bool isIterator(const DimFact& dim) { return !dim.range && !iteratorPointee(dim.pointer->getType()).isNull(); }

// The user's own text, at its line and column.
void NativeWriter::writeBody() {
  standIns_.writeObjects(code_);
  const SourceManager& sources = context_.getSourceManager();
  const CharSourceRange range = *statementRange(context_, facts_.body);
  const PresumedLoc start = sources.getPresumedLoc(range.getBegin());
  const bool braces = !isa<CompoundStmt>(facts_.body);
  const unsigned indent = start.getColumn() - 1;
  code_.beginTheirs();
  for (const DimFact& dim : facts_.dims) {
    if (!dim.pointer) continue;
    const LoopStart start = startOf(dim);
    const std::string at = "(" + standIns_.textOf(start.expr) + start.suffix + ") + " + name(dim.var) + ";";
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
}

void NativeWriter::writeResults() {
  for (unsigned i = 0; i < facts_.results.size(); ++i) {
    const VarDecl* var = facts_.results[i].var;
    code_.line("*" + dialect_.cast(spelling_.scalarType(var) + " *", "muster_c->results[" + std::to_string(i) + "]") +
               " = " + name(var) + ";");
  }
}

void NativeWriter::writeCombine(const ResultFact& result) {
  const std::string type = spelling_.scalarType(result.var);
  code_.open("static void " + dialect_.functionName(owner_, "combine_" + name(result.var)) +
             "(void *muster_into, const void *muster_partial) {");
  code_.line(type + " *const muster_a = " + dialect_.cast(type + " *", "muster_into") + ";");
  code_.line("const " + type + " muster_b = *" + dialect_.cast("const " + type + " *", "muster_partial") + ";");
  code_.line(combination(spelling_, result.kind, type));
  code_.close();
}

}  // namespace

void writeNativeFunctions(const Spelling& spelling, const KernelPlan& kernel, const std::string& owner,
                          CodeText& code) {
  NativeWriter(spelling, kernel, owner, code).write();
}

}  // namespace muster::plugin
