// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch site of a loop, after its static descriptors: what is known only now - dims, affine forms, arguments.
#include "analysis/code/ClauseValues.h"
#include "analysis/code/Instances.h"
#include "analysis/loops/CanonicalLoop.h"
#include "analysis/loops/PointerLoop.h"
#include "analysis/objects/ClauseText.h"
#include "analysis/objects/RowLengths.h"
#include "analysis/objects/RowTables.h"
#include "clang/AST/OpenMPClause.h"
#include "llvm/ADT/StringExtras.h"
#include "muster/abi.h"
#include "rewrite/launch/LaunchForms.h"
#include "rewrite/launch/UnseenCalls.h"
#include "source/Compat.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

namespace {

// The launch gets the address of a copy, where it can: a variable whose address is known elsewhere stays in memory, and
// all code of its function gets slower, that of loops that step back first.
bool isPlainLocal(const LoopFacts& facts, const VarDecl* var) {
  const QualType type = var->getType();
  return var->hasLocalStorage() && type->isScalarType() && !type.isVolatileQualified() && !facts.objects->find(var);
}

class LaunchWriter {
 public:
  LaunchWriter(const Spelling& spelling, const KernelPlan& kernel, const std::string& owner,
               const std::string& launched, CodeText& code)
      : spelling_(spelling),
        dialect_(spelling.dialect()),
        context_(spelling.context()),
        kernel_(kernel),
        facts_(*kernel.facts),
        owner_(owner),
        launched_(launched),
        code_(code),
        forms_(spelling, kernel, code) {}

  void write() {
    declareBoxes(spelling_, facts_, owner_, true, code_);
    const bool callsUnseen = !facts_.unseen.empty();
    if (callsUnseen) code_.raw(callsText(spelling_, facts_.directive->getBeginLoc(), facts_.unseen));
    writeDescriptors(spelling_, kernel_, owner_, code_);
    if (callsUnseen) code_.open("if (muster_can_launch(&muster_this_kernel" + tag_ + ")) {");
    if (facts_.onlyApart) {
      writeTable(code_, "void *const", "muster_named", arrayTexts());
      code_.open("if (muster_are_apart(&muster_this_kernel" + tag_ + ", muster_named)) {");
    }
    code_.beginTheirs();
    // In front of the bounds, as plain OpenMP does; but a table of rows may still leave the loop to that.
    if (!forms_.hasRows()) writeClauseValues();
    writeDims();
    forms_.write();
    if (forms_.hasRows()) code_.open("if (" + spread() + ") {");
    declareSections(spelling_, facts_, code_);
    if (forms_.hasRows()) writeClauseValues();
    code_.beginOurs();
    writeArguments();
    writeCall();
    combineSections(spelling_, facts_, code_);
    for (const ResultFact& result : facts_.results)
      if (const std::string line = afterLaunch(spelling_, facts_, result); !line.empty()) code_.line(line);
    for (const ResultFact& result : facts_.results)
      if (result.isBoxed()) code_.line(name(result.var) + " = " + boxOf(result) + ".muster_value;");
    storeRecords(facts_, code_);
    writeLastValues();
    if (!launched_.empty()) code_.line(launched_ + " = " + dialect_.truth(true) + ";");
    if (forms_.hasRows()) code_.close(), code_.close();
    if (facts_.onlyApart) code_.close();
    if (callsUnseen) code_.close();
  }

 private:
  static std::string name(const VarDecl* var) { return var->getNameAsString(); }
  std::string text(const VarDecl* var) const { return siteText(facts_, var); }
  void writeDims();
  std::string spread();
  void writeClauseValues();
  const Expr* condition() const;
  std::vector<std::string> arrayTexts() const;
  void writeArguments();
  void hideConstant(const VarDecl* var, const std::string& pointer, std::string& entry);
  void writeCall();
  std::string chunkOfAllDims() const;
  std::string guardText(const std::string& forms);
  const SectionFact* sectionOf(unsigned array) const {
    const auto found = llvm::find_if(facts_.sections, [&](const auto& section) { return section.array == array; });
    return found == facts_.sections.end() ? nullptr : &*found;
  }
  void writeLastValues();
  std::string argument(const Expr* expr) const { return argumentText(context_, expr); }
  std::string bound(const DimFact& dim, const Expr* expr) const {
    if (!dim.byDirective && !dialect_.isC()) {
      std::string text = invariantText(context_, *facts_.objects, expr);
      if (text != sourceText(context_, expr)) return text;
    }
    return expr == dim.lower ? sourceText(context_, expr) : argument(expr);
  }

  const Spelling& spelling_;
  const Dialect& dialect_;
  const ASTContext& context_;
  const KernelPlan& kernel_;
  const LoopFacts& facts_;
  const std::string owner_, launched_;
  const std::string tag_ = mergeTag(kernel_);
  CodeText& code_;
  LaunchForms forms_;
  static constexpr const char* chunkName = "muster_chunk_size";
  unsigned places_ = 0;
  std::string threads_, chunk_;  // what clauses say, for the launch
};

void LaunchWriter::writeDims() {
  std::vector<std::string> entries;
  for (unsigned i = 0; i < facts_.dims.size(); ++i) {
    const DimFact& dim = facts_.dims[i];
    const std::string number = std::to_string(i);
    const std::string lower = "muster_lower" + number, step = "muster_step" + number;
    code_.line("const " + spelling_.type(dim.var->getType().getUnqualifiedType()) + " " + lower + " = " +
               bound(dim, dim.lower) + ";");
    code_.line("const int64_t " + step + " = " + (dim.step ? dialect_.cast("int64_t", argument(dim.step)) : "1") + ";");
    entries.push_back(
        "{" + dialect_.cast("int64_t", lower) + ", " + (dim.down ? "-" : "") + step + ", " +
        tripCountText(context_, dim, lower, dim.pointer ? boundText(context_, dim) : bound(dim, dim.bound), step) +
        "}");
  }
  writeTable(code_, "const muster_dim", "muster_dims", entries);
}

// Clang makes a constant of a table of addresses of variables of static storage: those of the originals.
void LaunchWriter::hideConstant(const VarDecl* var, const std::string& pointer, std::string& entry) {
  const ObjectMember* member = facts_.objects->find(var);
  if (member) var = member->path.root;
  if (!var || !facts_.isCopied(var)) return;
  const std::string place = "muster_place" + std::to_string(places_++);
  code_.line(pointer + place + " = " + entry + ";");
  entry = place;
}

std::vector<std::string> LaunchWriter::arrayTexts() const {
  std::vector<std::string> entries;
  for (unsigned i = 0; i < facts_.arrays.size(); ++i) {
    const ArrayFact& array = facts_.arrays[i];
    if (sectionOf(i))
      entries.push_back("muster_section_" + name(array.var) + (dialect_.isC() ? "" : ".data()"));
    else if (array.form == ArrayForm::Rows || array.table)
      entries.push_back(rowsName(facts_, array) + ".data");
    else if (array.form == ArrayForm::Starts)
      entries.push_back(rowsName(facts_, array) + ".starts");
    else
      entries.push_back("(void *)" +
                        forms_.ifThere(forms_.pointersTo(array.var),
                                       text(array.var) + (array.form == ArrayForm::Vector ? ".data()" : ""),
                                       dialect_.null()));
  }
  return entries;
}

void LaunchWriter::writeArguments() {
  writeTable(code_, "void *const", "muster_arrays", arrayTexts());
  std::vector<std::string> entries;
  for (const ScalarFact& scalar : facts_.scalars) {
    if (scalar.vectorSize) {
      const std::string size = "muster_size" + std::to_string(entries.size());
      code_.line("const std::size_t " + size + " = " +
                 forms_.ifThere(forms_.pointersTo(scalar.var), text(scalar.var) + ".size()", "0") + ";");
      entries.push_back("&" + size);
    } else if (const std::string length = rowLengthText(facts_, scalar.var); !length.empty()) {
      code_.line("const int64_t " + name(scalar.var) + " = " + length + ";");
      entries.push_back("&" + name(scalar.var));
    } else if (const std::string pointers = forms_.pointersTo(scalar.var); !pointers.empty()) {
      const std::string nothing = "muster_nothing" + std::to_string(entries.size());
      code_.line("static const char " + nothing + "[sizeof(" + text(scalar.var) + ")] = {0};");
      entries.push_back(forms_.ifThere(pointers, "(const void *)&" + text(scalar.var), "(const void *)" + nothing));
    } else if (isPlainLocal(facts_, scalar.var)) {
      const std::string value = "muster_value" + std::to_string(entries.size());
      code_.line(std::string("const ") + dialect_.deduced() + " " + value + " = " + text(scalar.var) + ";");
      entries.push_back("&" + value);
    } else {
      entries.push_back("&" + (scalar.global ? visibleName(scalar.var) : text(scalar.var)));
    }
    hideConstant(scalar.var, "const void *", entries.back());
  }
  writeTable(code_, "const void *const", "muster_scalars", entries);
  entries.clear();
  for (const ResultFact& result : facts_.results) {
    entries.push_back("&" + (result.isBoxed()  ? boxOf(result)
                             : result.constant ? flagName(facts_, result)
                                               : name(result.var)));
    if (const std::string line = beforeLaunch(spelling_, facts_, result); !line.empty()) code_.line(line);
    if (!result.isBoxed() && !result.constant) hideConstant(result.var, "void *", entries.back());
  }
  declareRecords(spelling_, facts_, owner_, true, code_);
  for (unsigned i = 0; i < facts_.records.size(); ++i) entries.push_back("&" + recordName(i));
  if (const std::string end = declareEnd(facts_, code_); !end.empty()) entries.push_back(end);
  writeTable(code_, "void *const", "muster_results", entries);
}

const Expr* LaunchWriter::condition() const {
  for (const OMPClause* clause : facts_.directive->clauses())
    if (auto* condition = dyn_cast<OMPIfClause>(clause)) return clauseValue(condition->getCondition());
  return nullptr;
}

void LaunchWriter::writeClauseValues() {
  threads_ = "0", chunk_ = "0";
  std::string limit;
  auto declare = [&](const char* name, const Expr* value) {
    code_.line("const int64_t " + std::string(name) + " = " + dialect_.cast("int64_t", argument(value)) + ";");
    return std::string(name);
  };
  for (const OMPClause* clause : facts_.directive->clauses()) {
    auto* schedule = dyn_cast<OMPScheduleClause>(clause);
    if (schedule && schedule->getScheduleKind() == OMPC_SCHEDULE_runtime &&
        !hasClause<OMPOrderClause>(facts_.directive))
      chunk_ = "MUSTER_CHUNK_RUNTIME";
    if (const Expr* given = compat::threadLimit(clause)) limit = declare("muster_limit", clauseValue(given));
    const Expr* value = valueOfClause(clause);
    if (!value || isa<OMPIfClause>(clause)) continue;
    (schedule ? chunk_ : threads_) = declare(schedule ? chunkName : "muster_threads", value);
  }
  // Threads get iterations one by one, or in an order that nobody knows.
  if (chunk_ == "0" && !hasThreadParts(facts_.directive)) chunk_ = "1";
  if (!limit.empty()) threads_ = limit + " == 1 ? 1 : " + threads_;
  if (const Expr* expr = condition())
    code_.line(std::string("const ") + dialect_.boolean() + " muster_if = (" + sourceText(context_, expr) + ");");
}

std::string LaunchWriter::guardText(const std::string& forms) {
  const std::string inner = std::to_string(facts_.inner.size()), accesses = std::to_string(facts_.accesses.size());
  if (!dialect_.isC())
    return "::muster::staysWithin(muster_ranges, " + forms + ", muster_dims, " + inner + ", " + accesses + ")";
  const std::string dims = std::to_string(facts_.dims.size());
  code_.line("muster_interval muster_intervals[" + dims + " + " + inner + "];");
  return "muster_stays_within(muster_ranges, " + std::to_string(facts_.guards.size()) + ", " + forms +
         ", muster_dims, " + dims + ", " + inner + ", " + accesses + ", muster_intervals)";
}

// Whether the forms are right.
std::string LaunchWriter::spread() {
  std::string spread = !forms_.hasForms() ? dialect_.truth(true)
                       : dialect_.isC()   ? "muster_exact"
                                          : "muster_forms.exact()";
  if (!facts_.guards.empty()) spread += " && " + guardText(dialect_.isC() ? "muster_forms" : "muster_forms.data()");
  return spread;
}

// A chunk in iterations of all dims: the directive's clause counts those of its own loops.
std::string LaunchWriter::chunkOfAllDims() const {
  std::string chunk = chunk_;
  for (unsigned i = facts_.collapsed; i < facts_.dims.size() && chunk_ == chunkName; ++i)
    chunk += " * muster_dims[" + std::to_string(i) + "].count";
  return chunk;
}

void LaunchWriter::writeCall() {
  auto pointer = [&](const char* name, bool there) { return std::string(there ? name : dialect_.null()); };
  const std::string forms = dialect_.isC() ? "muster_forms" : "muster_forms.data()";
  // Forms that are wrong may have missed rows, and the loop is not launched (write).
  std::string spread = forms_.hasRows() ? dialect_.truth(true) : this->spread();
  std::string flags = facts_.staysOnHost() ? "MUSTER_LAUNCH_HOST" : spread + " ? 0 : MUSTER_LAUNCH_HOST";
  const bool hasChunks = chunk_ == chunkName && hasKnownChunks(facts_.directive);
  const bool uneven = isUneven(facts_.directive);
  if (condition() || hasChunks || facts_.mayCarryInParts || uneven) flags = "(" + flags + ")";
  if (condition()) flags += " | (muster_if ? 0 : MUSTER_LAUNCH_SERIAL)";
  if (hasChunks) flags += " | (" + chunk_ + " > 1 ? MUSTER_LAUNCH_CHUNKS : 0)";
  if (facts_.mayCarryInParts) flags += " | MUSTER_LAUNCH_CHUNKS";
  if (uneven) flags += " | MUSTER_LAUNCH_UNEVEN";
  code_.open("const muster_launch muster_this_launch = {");
  code_.line("sizeof(muster_launch), " + dialect_.cast("uint32_t", flags) + ",");
  code_.line("&muster_this_kernel" + tag_ + ", muster_dims, " + (forms_.hasForms() ? forms : dialect_.null()) + ",");
  code_.line(pointer("muster_arrays", !facts_.arrays.empty()) + ", " +
             pointer("muster_scalars", !facts_.scalars.empty()) + ", " +
             pointer("muster_results", resultCount(facts_) > 0) + ",");
  if (threads_ != "0" || chunk_ != "0") code_.line(threads_ + ", " + chunkOfAllDims() + ",");
  code_.close("};");
  code_.line("muster_launch_loop(&muster_this_launch);");
  endProgram(spelling_, facts_, code_);
}

// A loop variable of the user's own scope that is lastprivate (as it is by itself in `simd`).
void LaunchWriter::writeLastValues() {
  std::set<const VarDecl*> last;
  auto add = [&](const auto* clause) {
    for (const Expr* expr : compat::items(clause))
      if (auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts()))
        last.insert(dyn_cast<VarDecl>(reference->getDecl()));
  };
  for (const OMPClause* clause : facts_.directive->clauses()) {
    if (auto* lastprivate = dyn_cast<OMPLastprivateClause>(clause)) add(lastprivate);
    if (auto* linear = dyn_cast<OMPLinearClause>(clause)) add(linear);
  }
  const bool simd = isOpenMPSimdDirective(facts_.directive->getDirectiveKind());
  std::string ran = "muster_dims[0].count > 0";
  for (unsigned i = 1; i < facts_.collapsed; ++i) ran += " && muster_dims[" + std::to_string(i) + "].count > 0";
  for (unsigned i = 0; i < facts_.collapsed; ++i) {
    const DimFact& dim = facts_.dims[i];
    if (dim.declaredInLoop || !(simd || last.count(dim.var))) continue;
    const std::string entry = "muster_dims[" + std::to_string(i) + "]";
    code_.line("if (" + ran + ") " + name(dim.var) + " = " +
               dialect_.cast(spelling_.type(dim.var->getType().getUnqualifiedType()),
                             entry + ".first + " + entry + ".count * " + entry + ".step") +
               ";");
  }
}

}  // namespace

std::string siteText(const LoopFacts& facts, const VarDecl* var) {
  const ObjectMember* member = facts.objects->find(var);
  return member ? member->text : var->getNameAsString();
}

std::string argumentText(const ASTContext& context, const Expr* expr) {
  // Operands of sizeof may be arrays, which are pointers there if they are managed.
  if (const auto constant = constantText(context, expr)) return *constant;
  std::string text = sourceText(context, expr);
  if (auto* op = dyn_cast<BinaryOperator>(expr); op && op->isCommaOp()) text = "(" + text + ")";
  return expr->getType()->isEnumeralType() ? "+(" + text + ")" : text;
}

void writeTable(CodeText& code, const std::string& type, const std::string& name,
                const std::vector<std::string>& entries) {
  if (entries.empty()) return;
  code.open(type + " " + name + "[] = {");
  for (const std::string& entry : entries) code.line(entry + ",");
  code.close("};");
}

std::string mergeTag(const KernelPlan& kernel) {
  return isMerged(kernel.facts->function) ? "_" + llvm::utohexstr(kernel.id, true) : "";
}

void writeLaunch(const Spelling& spelling, const KernelPlan& kernel, const std::string& owner,
                 const std::string& launched, CodeText& code) {
  LaunchWriter(spelling, kernel, owner, launched, code).write();
}

}  // namespace muster::plugin
