// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch site of a loop, after its static descriptors: what is known only now - dims, affine forms, arguments.
#include "Compat.h"
#include "analysis/Affine.h"
#include "analysis/CanonicalLoop.h"
#include "analysis/ClauseText.h"
#include "analysis/Context.h"
#include "analysis/Instances.h"
#include "analysis/PointerLoop.h"
#include "analysis/RowLengths.h"
#include "analysis/SourceText.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/StringExtras.h"
#include "muster/abi.h"
#include "rewrite/LaunchText.h"

namespace muster::plugin {

using namespace clang;

namespace {

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
        code_(code) {}

  void write() {
    writeDescriptors(spelling_, kernel_, owner_, code_);
    code_.beginTheirs();
    writeDims();
    useSymbols();
    declareSymbols(/*ofRows=*/false);
    if (hasRows()) findRows();
    declareSymbols(/*ofRows=*/true);
    writeForms();
    if (hasRows()) code_.open("if (" + spread() + ") {");
    declareSections(spelling_, facts_, code_);
    writeCondition();
    code_.beginOurs();
    writeArguments();
    writeCall();
    combineSections(spelling_, facts_, code_);
    for (const ResultFact& result : facts_.results)
      if (const std::string line = afterLaunch(spelling_, result); !line.empty()) code_.line(line);
    writeLastValues();
    if (!launched_.empty()) code_.line(launched_ + " = " + dialect_.truth(true) + ";");
    if (hasRows()) code_.close(), code_.close();
  }

 private:
  static std::string name(const VarDecl* var) { return var->getNameAsString(); }
  std::string text(const VarDecl* var) const { return siteText(facts_, var); }
  std::string pointersTo(const VarDecl* var) const;
  std::string pointersTo(const Symbol& symbol) const;
  void addPointers(const Stmt* part, std::vector<std::string>& pointers) const;
  std::string ifThere(const std::string& pointers, const std::string& value, const std::string& other) const {
    return pointers.empty() ? value : "(" + pointers + " ? " + value + " : " + other + ")";
  }
  void writeDims();
  void appendInner();
  void useSymbols();
  void declareSymbols(bool ofRows);
  bool hasRows() const {
    return llvm::any_of(facts_.arrays, [](const ArrayFact& array) { return array.form == ArrayForm::Rows; });
  }
  void findRows();
  void writeForms();
  std::string spread();
  void writeCondition();
  const Expr* condition() const;
  void writeArguments();
  void writeCall();
  std::string guardText(const std::string& forms);
  const SectionFact* sectionOf(unsigned array) const {
    const auto found = llvm::find_if(facts_.sections, [&](const auto& section) { return section.array == array; });
    return found == facts_.sections.end() ? nullptr : &*found;
  }
  void writeLastValues();
  bool hasForms() const { return !facts_.inner.empty() || !facts_.accesses.empty(); }
  void appendForm(const AffineExpr* form, const std::string& comment);
  std::string number(const Polynomial& polynomial) const;
  std::string argument(const Expr* expr) const { return argumentText(context_, expr); }

  const Spelling& spelling_;
  const Dialect& dialect_;
  const ASTContext& context_;
  const KernelPlan& kernel_;
  const LoopFacts& facts_;
  const std::string owner_, launched_;
  const std::string tag_ = mergeTag(kernel_);
  std::set<unsigned> symbols_;  // that forms use
  CodeText& code_;
};

void LaunchWriter::writeDims() {
  std::vector<std::string> entries;
  for (unsigned i = 0; i < facts_.dims.size(); ++i) {
    const DimFact& dim = facts_.dims[i];
    const std::string number = std::to_string(i);
    const std::string lower = "muster_lower" + number, step = "muster_step" + number;
    code_.line("const " + spelling_.type(dim.var->getType().getUnqualifiedType()) + " " + lower + " = " +
               sourceText(context_, dim.lower) + ";");
    code_.line("const int64_t " + step + " = " + (dim.step ? dialect_.cast("int64_t", argument(dim.step)) : "1") + ";");
    entries.push_back(
        "{" + dialect_.cast("int64_t", lower) + ", " + (dim.down ? "-" : "") + step + ", " +
        tripCountText(context_, dim, lower, dim.pointer ? boundText(context_, dim) : argument(dim.bound), step) + "}");
  }
  writeTable(code_, "const muster_dim", "muster_dims", entries);
}

static std::string numberText(int64_t value) {
  return value == INT64_MIN ? "(-9223372036854775807ll - 1)" : std::to_string(value);
}

std::string LaunchWriter::number(const Polynomial& polynomial) const {
  // In C++ an operator of muster::Coefficient.
  auto join = [&](const std::string& left, const char* op, const char* function, const std::string& right) {
    if (left.empty()) return right;
    if (!dialect_.isC()) return left + op + right;
    return std::string(function) + "(&muster_exact, " + left + ", " + right + ")";
  };
  std::string sum;
  for (const auto& [monomial, coefficient] : polynomial) {
    std::string product;
    if (monomial.empty() || coefficient != 1) product = numberText(coefficient);
    for (unsigned symbol : monomial) product = join(product, " * ", "muster_mul", "muster_s" + std::to_string(symbol));
    sum = join(sum, " + ", "muster_add", product);
  }
  return sum.empty() ? "0" : sum;
}

void LaunchWriter::appendForm(const AffineExpr* form, const std::string& comment) {
  const unsigned variables = facts_.dims.size() + facts_.inner.size();
  std::string numbers;
  for (unsigned i = 0; i < variables; ++i) numbers += (form ? number(factorOf(*form, i)) : "0") + ", ";
  code_.line(numbers + (form ? number(form->constant) : "0") + ",  // " + comment);
}

void LaunchWriter::appendInner() {
  for (const InnerFact& inner : facts_.inner) {
    appendForm(&inner.smallest, inner.name + " >= " + toString(inner.smallest, facts_));
    appendForm(&inner.largest, inner.name + " <= " + toString(inner.largest, facts_));
    code_.line(number(inner.divisor) + ",  // both divided by " + toString(inner.divisor, facts_.symbols));
  }
}

void LaunchWriter::useSymbols() {
  auto use = [&](const AffineExpr& form) {
    auto add = [&](const Polynomial& polynomial) {
      for (const auto& term : polynomial) symbols_.insert(term.first.begin(), term.first.end());
    };
    add(form.constant);
    for (const auto& factor : form.factors) add(factor.second);
  };
  for (const InnerFact& inner : facts_.inner) {
    AffineExpr divisor;
    divisor.constant = inner.divisor;
    use(inner.smallest), use(inner.largest), use(divisor);
  }
  for (const AccessFact& access : facts_.accesses)
    if (access.index) use(*access.index);
  for (const RowFact& row : facts_.rows) use(row.row);
  for (const GuardFact& guard : facts_.guards) use(guard.form);
  if (dialect_.isC() && hasForms()) code_.line("int muster_exact = 1;");
}

// A launch reads members that perhaps no iteration does: of an object that is there only under a condition, or of none
// because the loop has no iterations.
std::string LaunchWriter::pointersTo(const VarDecl* var) const {
  const ObjectMember* member = facts_.objects->find(var);
  return member ? facts_.objects->pointersTo(member->path) : "";
}

std::string LaunchWriter::pointersTo(const Symbol& symbol) const {
  for (const auto& member : facts_.objects->members())
    if (symbol.text == member->text || symbol.text == member->text + ".size()") return pointersTo(member->var);
  std::vector<std::string> pointers;
  if (symbol.expr) addPointers(symbol.expr, pointers);
  return llvm::join(pointers, " && ");
}

// Those that evaluating the expression follows in any case.
void LaunchWriter::addPointers(const Stmt* part, std::vector<std::string>& pointers) const {
  if (auto* member = dyn_cast<MemberExpr>(part)) {
    if (const auto path = facts_.objects->object(member, {})) {
      const std::string text = facts_.objects->pointersTo(*path);
      if (!text.empty() && !llvm::is_contained(pointers, text)) pointers.push_back(text);
      return;
    }
  }
  auto* choice = dyn_cast<AbstractConditionalOperator>(part);
  auto* op = dyn_cast<BinaryOperator>(part);
  if (choice) return addPointers(choice->getCond(), pointers);
  if (op && op->isLogicalOp()) return addPointers(op->getLHS(), pointers);
  for (const Stmt* child : part->children())
    if (child) addPointers(child, pointers);
}

// Lengths of a table's rows are known once they were found.
void LaunchWriter::declareSymbols(bool ofRows) {
  for (unsigned symbol : symbols_) {
    const Symbol& fact = facts_.symbols[symbol];
    if (isRowsLength(fact.text) != ofRows) continue;
    const std::string var = "muster_s" + std::to_string(symbol);
    const std::string text = ifThere(pointersTo(fact), fact.text, "0");
    if (dialect_.isC())
      code_.line("const int64_t " + var + " = muster_coefficient(&muster_exact, (int64_t)(" + text + "), (" + text +
                 ") < 0);");
    else
      code_.line("const muster::Coefficient " + var + "(" + text + ");");
  }
}

// Opens the block that follows if the rows of all tables are evenly spaced.
void LaunchWriter::findRows() {
  const unsigned inner = facts_.inner.size();
  code_.open(dialect_.isC() ? "const int64_t muster_row_forms[] = {"
                            : "const muster::Coefficient muster_row_coefficients[] = {");
  appendInner();
  std::string declared, found;
  unsigned position = 0;
  for (unsigned i = 0; i < facts_.arrays.size(); ++i) {
    if (facts_.arrays[i].form != ArrayForm::Rows) continue;
    const unsigned first = position;
    for (const RowFact& row : facts_.rows) {
      if (row.array != i) continue;
      appendForm(&row.row, "row " + toString(row.row, facts_) + " of " + name(facts_.arrays[i].var));
      ++position;
    }
    const std::string rows = rowsName(facts_, facts_.arrays[i]), span = "muster_span_" + std::to_string(i);
    const std::string forms = std::to_string(first) + ", " + std::to_string(position - first);
    declared +=
        std::string(dialect_.isC() ? "muster_range " : "muster::Range ") + span + "; muster_rows " + rows + "; ";
    found += (dialect_.isC() ? " && muster_span_of(&" + span + ", muster_row_forms, muster_dims, " +
                                   std::to_string(facts_.dims.size()) + ", " + std::to_string(inner) + ", " + forms +
                                   ", muster_row_values)"
                             : " && muster::spanOf(" + span + ", muster_row_forms.data(), muster_dims, " +
                                   std::to_string(inner) + ", " + forms + ")");
    found += " && muster_find_rows(&muster_this_kernel" + tag_ + ", " + std::to_string(i) + ", (const void *)" +
             ifThere(pointersTo(facts_.arrays[i].var), text(facts_.arrays[i].var), dialect_.null()) + ", " + span +
             ".low, " + span + ".high, &" + rows + ")";
  }
  const std::size_t variables = facts_.dims.size() + inner;
  code_.close("};");
  if (dialect_.isC())
    declared += "muster_interval muster_row_values[" + std::to_string(variables) + "];";
  else
    code_.line("const muster::Forms<" +
               std::to_string(inner * MUSTER_INNER_VALUES(variables) + position * (variables + 1)) +
               "> muster_row_forms(muster_row_coefficients);");
  code_.line(declared);
  code_.open(std::string("if (") + (dialect_.isC() ? "muster_exact" : "muster_row_forms.exact()") + found + ") {");
}

void LaunchWriter::writeForms() {
  if (!hasForms()) return;
  code_.open(dialect_.isC() ? "const int64_t muster_forms[] = {"
                            : "const muster::Coefficient muster_coefficients[] = {");
  appendInner();
  for (const AccessFact& access : facts_.accesses) {
    const std::string text = access.index ? toString(*access.index, facts_) : "anywhere";
    appendForm(access.index ? &*access.index : nullptr, std::string(access.update  ? "updates "
                                                                    : access.write ? "writes "
                                                                                   : "reads ") +
                                                            name(facts_.arrays[access.array].var) + "[" + text + "]");
  }
  for (const GuardFact& guard : facts_.guards)
    appendForm(&guard.form, "has to fit its type: " + toString(guard.form, facts_));
  const std::size_t variables = facts_.dims.size() + facts_.inner.size();
  const std::size_t count = facts_.inner.size() * MUSTER_INNER_VALUES(variables) +
                            (facts_.accesses.size() + facts_.guards.size()) * (variables + 1);
  code_.close("};");
  if (!dialect_.isC())
    code_.line("const muster::Forms<" + std::to_string(count) + "> muster_forms(muster_coefficients);");
  std::vector<std::string> ranges;
  for (const GuardFact& guard : facts_.guards)
    ranges.push_back("{" + number(constantPolynomial(guard.low)) + ", " + number(constantPolynomial(guard.high)) + "}");
  writeTable(code_, dialect_.isC() ? "static const muster_range" : "const muster::Range", "muster_ranges", ranges);
}

void LaunchWriter::writeArguments() {
  std::vector<std::string> entries;
  for (unsigned i = 0; i < facts_.arrays.size(); ++i) {
    const ArrayFact& array = facts_.arrays[i];
    if (sectionOf(i))
      entries.push_back("muster_section_" + name(array.var) + (dialect_.isC() ? "" : ".data()"));
    else if (array.form == ArrayForm::Rows)
      entries.push_back(rowsName(facts_, array) + ".data");
    else
      entries.push_back("(void *)" + ifThere(pointersTo(array.var),
                                             text(array.var) + (array.form == ArrayForm::Vector ? ".data()" : ""),
                                             dialect_.null()));
  }
  writeTable(code_, "void *const", "muster_arrays", entries);
  entries.clear();
  for (const ScalarFact& scalar : facts_.scalars) {
    if (scalar.vectorSize) {
      const std::string size = "muster_size" + std::to_string(entries.size());
      code_.line("const std::size_t " + size + " = " +
                 ifThere(pointersTo(scalar.var), text(scalar.var) + ".size()", "0") + ";");
      entries.push_back("&" + size);
    } else if (const std::string length = rowLengthText(facts_, scalar.var); !length.empty()) {
      code_.line("const int64_t " + name(scalar.var) + " = " + length + ";");
      entries.push_back("&" + name(scalar.var));
    } else if (const std::string pointers = pointersTo(scalar.var); !pointers.empty()) {
      const std::string nothing = "muster_nothing" + std::to_string(entries.size());
      code_.line("static const char " + nothing + "[sizeof(" + text(scalar.var) + ")] = {0};");
      entries.push_back(ifThere(pointers, "(const void *)&" + text(scalar.var), "(const void *)" + nothing));
    } else {
      entries.push_back("&" + (scalar.global ? visibleName(scalar.var) : text(scalar.var)));
    }
  }
  writeTable(code_, "const void *const", "muster_scalars", entries);
  entries.clear();
  for (const ResultFact& result : facts_.results) {
    entries.push_back((result.constant ? "&muster_flag_" : "&") + name(result.var));
    if (const std::string line = beforeLaunch(spelling_, result); !line.empty()) code_.line(line);
  }
  writeTable(code_, "void *const", "muster_results", entries);
}

const Expr* LaunchWriter::condition() const {
  for (const OMPClause* clause : facts_.directive->clauses())
    if (auto* condition = dyn_cast<OMPIfClause>(clause)) return clauseValue(condition->getCondition());
  return nullptr;
}

void LaunchWriter::writeCondition() {
  if (const Expr* expr = condition())
    code_.line(std::string("const ") + dialect_.boolean() + " muster_if = (" + sourceText(context_, expr) + ");");
}

std::string LaunchWriter::guardText(const std::string& forms) {
  const std::string inner = std::to_string(facts_.inner.size()), accesses = std::to_string(facts_.accesses.size());
  if (!dialect_.isC())
    return "muster::staysWithin(muster_ranges, " + forms + ", muster_dims, " + inner + ", " + accesses + ")";
  const std::string dims = std::to_string(facts_.dims.size());
  code_.line("muster_interval muster_intervals[" + dims + " + " + inner + "];");
  return "muster_stays_within(muster_ranges, " + std::to_string(facts_.guards.size()) + ", " + forms +
         ", muster_dims, " + dims + ", " + inner + ", " + accesses + ", muster_intervals)";
}

// Whether the forms are right.
std::string LaunchWriter::spread() {
  std::string spread = !hasForms() ? dialect_.truth(true) : dialect_.isC() ? "muster_exact" : "muster_forms.exact()";
  if (!facts_.guards.empty()) spread += " && " + guardText(dialect_.isC() ? "muster_forms" : "muster_forms.data()");
  return spread;
}

void LaunchWriter::writeCall() {
  auto pointer = [&](const char* name, bool there) { return std::string(there ? name : dialect_.null()); };
  const std::string forms = dialect_.isC() ? "muster_forms" : "muster_forms.data()";
  // Forms that are wrong may have missed rows, and the loop is not launched (write).
  std::string spread = hasRows() ? dialect_.truth(true) : this->spread();
  if (condition()) spread += " && muster_if";
  code_.open("const muster_launch muster_this_launch = {");
  code_.line("sizeof(muster_launch), " + dialect_.cast("uint32_t", spread + " ? 0 : MUSTER_LAUNCH_HOST") + ",");
  code_.line("&muster_this_kernel" + tag_ + ", muster_dims, " + (hasForms() ? forms : dialect_.null()) + ",");
  code_.line(pointer("muster_arrays", !facts_.arrays.empty()) + ", " +
             pointer("muster_scalars", !facts_.scalars.empty()) + ", " +
             pointer("muster_results", !facts_.results.empty()) + ",");
  code_.close("};");
  code_.line("muster_launch_loop(&muster_this_launch);");
}

// A loop variable of the user's own scope that is lastprivate (as it is by itself in `simd`).
void LaunchWriter::writeLastValues() {
  std::set<const VarDecl*> last;
  for (const OMPClause* clause : facts_.directive->clauses())
    if (auto* lastprivate = dyn_cast<OMPLastprivateClause>(clause))
      for (const Expr* expr : compat::items(lastprivate))
        if (auto* reference = dyn_cast<DeclRefExpr>(expr->IgnoreParenImpCasts()))
          last.insert(dyn_cast<VarDecl>(reference->getDecl()));
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
