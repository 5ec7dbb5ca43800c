// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/launch/LaunchForms.h"

#include "analysis/objects/RowLengths.h"
#include "analysis/objects/RowTables.h"
#include "llvm/ADT/StringExtras.h"
#include "muster/abi.h"
#include "source/LibraryTypes.h"

namespace muster::plugin {

using namespace clang;

static std::string numberText(int64_t value) {
  return value == INT64_MIN ? "(-9223372036854775807ll - 1)" : std::to_string(value);
}

std::string LaunchForms::number(const Polynomial& polynomial) const {
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

void LaunchForms::appendForm(const AffineExpr* form, const std::string& comment) {
  const unsigned variables = facts_.dims.size() + facts_.inner.size();
  std::string numbers;
  for (unsigned i = 0; i < variables; ++i) numbers += (form ? number(factorOf(*form, i)) : "0") + ", ";
  code_.line(numbers + (form ? number(form->constant) : "0") + ",  // " + comment);
}

static Polynomial times(const Polynomial& polynomial, const Monomial& factor) {
  Polynomial product;
  for (const auto& [monomial, coefficient] : polynomial) {
    Monomial symbols = monomial;
    symbols.insert(symbols.end(), factor.begin(), factor.end());
    llvm::sort(symbols);
    product[symbols] = coefficient;
  }
  return product;
}

// The form of an access, and of none while one of its conditions does not hold.
AffineExpr LaunchForms::formOf(const AccessFact& access) {
  AffineExpr form = access.index.value_or(AffineExpr());
  if (access.onlyIf.empty()) return form;
  const Monomial holds(access.onlyIf.begin(), access.onlyIf.end());
  for (auto& [variable, factor] : form.factors) factor = times(factor, holds);
  form.constant = times(form.constant, holds);
  form.constant[{}] = MUSTER_NO_ACCESS;
  form.constant[holds] -= MUSTER_NO_ACCESS;
  return form;
}

std::string LaunchForms::conditionsOf(const AccessFact& access) const {
  std::string text;
  for (const unsigned condition : access.onlyIf) text += " if " + facts_.symbols[condition].name;
  return text;
}

void LaunchForms::appendInner() {
  for (const InnerFact& inner : facts_.inner) {
    appendForm(&inner.smallest, inner.name + " >= " + toString(inner.smallest, facts_));
    appendForm(&inner.largest, inner.name + " <= " + toString(inner.largest, facts_));
    code_.line(number(inner.divisor) + ",  // both divided by " + toString(inner.divisor, facts_.symbols));
  }
}

void LaunchForms::useSymbols() {
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
  for (const AccessFact& access : facts_.accesses) use(formOf(access));
  for (const RowFact& row : facts_.rows) use(row.row);
  for (const GuardFact& guard : facts_.guards) use(guard.form);
  if (dialect_.isC() && hasForms()) code_.line("int muster_exact = 1;");
}

// A launch reads members that perhaps no iteration does: of an object that is there only under a condition, or of none
// because the loop has no iterations.
std::string LaunchForms::pointersTo(const VarDecl* var) const {
  const ObjectMember* member = facts_.objects->find(var);
  return member ? facts_.objects->pointersTo(member->path) : "";
}

std::string LaunchForms::pointersTo(const Symbol& symbol) const {
  for (const auto& member : facts_.objects->members())
    if (symbol.text == member->text || symbol.text == member->text + ".size()" ||
        (!rowVectorElement(member->var->getType()).isNull() &&
         symbol.text == rowSizeText(*facts_.objects, member->var)))
      return pointersTo(member->var);
  std::vector<std::string> pointers;
  if (symbol.expr) addPointers(symbol.expr, pointers);
  return llvm::join(pointers, " && ");
}

// Those that evaluating the expression follows in any case.
void LaunchForms::addPointers(const Stmt* part, std::vector<std::string>& pointers) const {
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
void LaunchForms::declareSymbols(bool ofRows) {
  for (unsigned symbol : symbols_) {
    const Symbol& fact = facts_.symbols[symbol];
    if (isRowsLength(fact.text) != ofRows) continue;
    const std::string var = "muster_s" + std::to_string(symbol);
    const std::string text = ifThere(pointersTo(fact), fact.text, "0");
    if (dialect_.isC())
      code_.line("const int64_t " + var + " = muster_coefficient(&muster_exact, (int64_t)(" + text + "), (" + text +
                 ") < 0);");
    else
      code_.line("const ::muster::Coefficient " + var + "(" + text + ");");
  }
}

// Sets `span` to the values of `count` forms, from `first`.
std::string LaunchForms::spanOf(const std::string& span, unsigned first, unsigned count) const {
  const std::string inner = std::to_string(facts_.inner.size());
  const std::string forms = std::to_string(first) + ", " + std::to_string(count);
  if (dialect_.isC())
    return " && muster_span_of(&" + span + ", muster_row_forms, muster_dims, " + std::to_string(facts_.dims.size()) +
           ", " + inner + ", " + forms + ", muster_row_values)";
  return " && ::muster::spanOf(" + span + ", muster_row_forms.data(), muster_dims, " + inner + ", " + forms + ")";
}

// The condition that devices can compute where the rows of an array are. Those that the loop uses lie within a span for
// each level.
std::string LaunchForms::findRows(unsigned array) const {
  const ArrayFact& fact = facts_.arrays[array];
  const std::string number = std::to_string(array), span = "muster_span_" + number;
  std::string low = span + ".low", high = span + ".high";
  const bool isAny = !fact.anyRow.empty();
  if (auto* entries =
          dyn_cast_or_null<ConstantArrayType>(fact.var->getType().getNonReferenceType()->getAsArrayTypeUnsafe())) {
    const std::string last = std::to_string(entries->getZExtSize() - 1);
    low = isAny ? "0" : low + " < 0 ? 0 : " + low;
    high = isAny ? last : high + " > " + last + " ? " + last + " : " + high;
  } else if (isAny) {
    low = "INT64_MIN", high = "INT64_MAX";
  }
  const bool isVector = !rowVectorElement(fact.var->getType()).isNull();
  const unsigned levels = fact.tableLevels();
  const std::string function = fact.form == ArrayForm::Starts ? "muster_find_starts"
                               : levels > 1                   ? "muster_find_tables"
                               : isVector                     ? "::muster::findRows"
                                                              : "muster_find_rows";
  const std::string used = levels > 1 ? std::to_string(levels) + ", " + span : low + ", " + high;
  return " && " + function + "(&muster_this_kernel" + mergeTag(kernel_) + ", " + number + ", " +
         (isVector ? "" : "(const void *)") +
         ifThere(pointersTo(fact.var), (isVector ? "&" : "") + siteText(facts_, fact.var), dialect_.null()) + ", " +
         used + ", &" + rowsName(facts_, fact) + ")";
}

// What a launch knows in front about the rows of an array that it uses: nothing, where a number is computed.
std::string LaunchForms::declareSpans(unsigned array) const {
  const ArrayFact& fact = facts_.arrays[array];
  const unsigned levels = fact.tableLevels();
  std::string spans = " muster_span_" + std::to_string(array);
  if (levels == 1 && !fact.anyRow.empty()) return "";
  if (levels > 1) {
    spans += "[" + std::to_string(levels) + "] = {";
    for (unsigned level = 0; level < levels; ++level)
      spans += std::string(level > 0 ? ", " : "") + "{INT64_MIN, INT64_MAX}";
    spans += "}";
  }
  return (dialect_.isC() ? "muster_range" : "::muster::Range") + spans + "; ";
}

// Opens the block that follows if the rows of all tables are evenly spaced.
void LaunchForms::findRows() {
  const std::size_t inner = facts_.inner.size(), variables = facts_.dims.size() + inner;
  const auto isAny = [&](const RowFact& row) { return facts_.arrays[row.array].anyRow.count(row.level) != 0; };
  const bool hasForms = !llvm::all_of(facts_.rows, isAny);
  if (hasForms) {
    code_.open(dialect_.isC() ? "const int64_t muster_row_forms[] = {"
                              : "const ::muster::Coefficient muster_row_coefficients[] = {");
    appendInner();
  }
  std::string declared, found;
  unsigned position = 0;
  for (unsigned i = 0; i < facts_.arrays.size(); ++i) {
    const ArrayFact& array = facts_.arrays[i];
    if (!array.isTable()) continue;
    for (unsigned level = 0; level < array.tableLevels(); ++level) {
      const unsigned first = position;
      for (const RowFact& row : facts_.rows) {
        if (row.array != i || row.level != level || isAny(row)) continue;
        appendForm(&row.row, "row " + toString(row.row, facts_) + " of " + array.var->getNameAsString());
        ++position;
      }
      const std::string entry = array.tableLevels() > 1 ? "[" + std::to_string(level) + "]" : "";
      if (!array.anyRow.count(level))
        found += spanOf("muster_span_" + std::to_string(i) + entry, first, position - first);
    }
    declared += declareSpans(i) + "muster_rows " + rowsName(facts_, array) + "; ";
    found += findRows(i);
  }
  if (hasForms) {
    code_.close("};");
    if (dialect_.isC())
      declared += "muster_interval muster_row_values[" + std::to_string(variables) + "];";
    else
      code_.line("const ::muster::Forms<" +
                 std::to_string(inner * MUSTER_INNER_VALUES(variables) + position * (variables + 1)) +
                 "> muster_row_forms(muster_row_coefficients);");
  }
  code_.line(declared);
  const std::string exact = dialect_.isC() ? "muster_exact" : hasForms ? "muster_row_forms.exact()" : "true";
  code_.open("if (" + exact + found + ") {");
}

void LaunchForms::writeForms() {
  if (!hasForms()) return;
  code_.open(dialect_.isC() ? "const int64_t muster_forms[] = {"
                            : "const ::muster::Coefficient muster_coefficients[] = {");
  appendInner();
  for (const AccessFact& access : facts_.accesses) {
    const std::string text = access.index ? toString(*access.index, facts_) : "anywhere";
    const AffineExpr form = formOf(access);
    appendForm(&form, std::string(access.update  ? "updates "
                                  : access.write ? "writes "
                                                 : "reads ") +
                          facts_.arrays[access.array].var->getNameAsString() + "[" + text + "]" + conditionsOf(access));
  }
  for (const GuardFact& guard : facts_.guards)
    appendForm(&guard.form, "has to fit its type: " + toString(guard.form, facts_));
  const std::size_t variables = facts_.dims.size() + facts_.inner.size();
  const std::size_t count = facts_.inner.size() * MUSTER_INNER_VALUES(variables) +
                            (facts_.accesses.size() + facts_.guards.size()) * (variables + 1);
  code_.close("};");
  if (!dialect_.isC())
    code_.line("const ::muster::Forms<" + std::to_string(count) + "> muster_forms(muster_coefficients);");
  std::vector<std::string> ranges;
  for (const GuardFact& guard : facts_.guards)
    ranges.push_back("{" + number(constantPolynomial(guard.low)) + ", " + number(constantPolynomial(guard.high)) + "}");
  writeTable(code_, dialect_.isC() ? "static const muster_range" : "const ::muster::Range", "muster_ranges", ranges);
}

}  // namespace muster::plugin
