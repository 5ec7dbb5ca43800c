// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/AnalyseLoops.h"
#include "analysis/loops/PointerLoop.h"
#include "muster/abi.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

static const char* resultKind(unsigned kind) {
  static const char* const names[] = {"+", "*", "&", "|", "^", "&&", "||", "min", "max", "lastprivate", "user's"};
  return names[kind];
}

static const char* formName(ArrayForm form) {
  switch (form) {
    case ArrayForm::Pointer:
      return "pointer";
    case ArrayForm::ConstantArray:
      return "array";
    case ArrayForm::Vector:
      return "vector";
    case ArrayForm::PointerToArray:
      return "pointer to array";
    case ArrayForm::Rows:
      return "rows";
    case ArrayForm::Starts:
      return "starts";
  }
  return "";
}

namespace {

std::string inLevel(unsigned level) { return level > 0 ? " in level " + std::to_string(level) : ""; }

class FactsPrinter {
 public:
  FactsPrinter(const LoopFacts& facts, const SourceManager& sources, llvm::raw_ostream& out)
      : facts_(facts), sources_(sources), out_(out) {}

  void print() {
    out_ << "loop " << line(facts_.directive->getBeginLoc());
    if (facts_.function) out_ << " in " << facts_.function->getNameAsString();
    out_ << "\n";
    if (facts_.refusal) {
      out_ << "  refused " << line(facts_.refusal->loc) << ": " << facts_.refusal->what << "\n";
      return;
    }
    for (const DimFact& dim : facts_.dims) printDim(dim);
    for (const ArrayFact& array : facts_.arrays) printArray(array);
    printScalars();
    for (const SectionFact& section : facts_.sections)
      out_ << "  reduces " << text(section.item) << ": " << resultKind(section.kind) << "\n";
    for (const InnerFact& inner : facts_.inner) {
      out_ << "  inner " << inner.name << " in [" << text(inner.smallest) << ", " << text(inner.largest) << "]";
      if (constantValue(inner.divisor) != 1) out_ << " by " << toString(inner.divisor, facts_.symbols);
      out_ << "\n";
    }
    for (const RowFact& row : facts_.rows)
      out_ << "  row " << toString(row.row, facts_) << inLevel(row.level) << " of "
           << facts_.arrays[row.array].var->getName() << "\n";
    for (const ArrayFact& array : facts_.arrays)
      for (const unsigned level : array.anyRow)
        out_ << "  any row" << inLevel(level) << " of " << array.var->getName() << "\n";
    for (const AccessFact& access : facts_.accesses) printAccess(access);
    for (const GuardFact& guard : facts_.guards)
      out_ << "  assumes " << text(guard.form) << " in [" << guard.low << ", " << guard.high << "]\n";
    for (const FunctionDecl* callee : facts_.callees) out_ << "  calls " << callee->getNameAsString() << "\n";
    for (const std::string& callee : facts_.unseen) out_ << "  calls " << callee << " of another unit\n";
    if (facts_.mayHaveTeam) out_ << "  launched if one thread runs the region\n";
    if (facts_.inTurn) out_ << "  launched by the first of threads that run in turn\n";
    if (facts_.orphaned) out_ << "  launched if one thread calls it\n";
    if (facts_.mayCarry) out_ << "  may carry values" << (facts_.mayCarryInChunks ? "\n" : ", not within chunks\n");
    if (facts_.mayCarryInParts) out_ << "  may count on each thread's iterations\n";
    for (const LinearFact& linear : facts_.linears)
      out_ << "  each iteration has " << linear.var->getName() << ", " << linear.factor
           << (linear.times ? " * " + linear.times->getName().str() : "") << " for each value of its variable\n";
    if (facts_.onlyApart) out_ << "  launched if no two of its arrays are one\n";
    if (facts_.needsDistinct) out_ << "  needs distinct arrays\n";
    if (facts_.openclRefusal) out_ << "  native only: " << facts_.openclRefusal->what << "\n";
  }

 private:
  unsigned line(SourceLocation loc) const { return sources_.getSpellingLineNumber(sources_.getExpansionLoc(loc)); }
  std::string text(const AffineExpr& form) const { return toString(form, facts_); }
  const ASTContext& ast() const { return facts_.dims.front().var->getASTContext(); }
  std::string text(const Expr* expr) const { return sourceText(ast(), expr); }

  void printDim(const DimFact& dim) {
    out_ << "  dim " << dim.var->getName() << ": " << dim.var->getType().getAsString() << " from " << text(dim.lower)
         << " while " << BinaryOperator::getOpcodeStr(dim.relation) << " " << boundText(ast(), dim) << " step "
         << (dim.down ? "-" : "") << (dim.step ? text(dim.step) : "1");
    if (dim.pointer) out_ << ", " << dim.pointer->getName() << " from " << text(dim.origin());
    if (!dim.declaredInLoop) out_ << ", declared outside";
    if (!dim.byDirective) out_ << ", found independent";
    out_ << "\n";
  }

  void printArray(const ArrayFact& array) {
    out_ << "  array " << array.var->getName() << ": " << formName(array.form) << " of " << array.element.getAsString();
    for (std::int64_t extent : array.extents) out_ << "[" << extent << "]";
    out_ << (array.read ? " read" : "") << (array.written ? " written" : "") << (array.updated ? " updated" : "");
    if (array.compared) out_ << " compared" << (array.ordered ? " in order" : "") << " in group " << array.compared;
    out_ << "\n";
  }

  void printScalars() {
    for (const ScalarFact& scalar : facts_.scalars)
      out_ << "  scalar " << scalar.var->getName() << (scalar.vectorSize ? ".size()" : "")
           << (scalar.byValue ? " by value" : "") << (scalar.global ? " global" : "")
           << (scalar.inCallee ? " in callee" : "") << "\n";
    for (const VarDecl* var : facts_.constants) out_ << "  constant " << var->getName() << "\n";
    for (const VarDecl* var : facts_.tables) out_ << "  table " << var->getName() << "\n";
    for (const VarDecl* var : facts_.privates) out_ << "  private " << var->getName() << "\n";
    for (const VarDecl* var : facts_.firstprivates) out_ << "  firstprivate " << var->getName() << "\n";
    for (const ResultFact& result : facts_.results)
      out_ << "  result " << result.var->getName() << ": " << resultKind(result.kind)
           << (result.constant ? " of settings to " + text(result.constant) : "") << "\n";
    for (const RecordFact& record : facts_.records) printRecord(record);
  }

  void printRecord(const RecordFact& record) {
    out_ << "  record";
    for (const VarDecl* var : record.vars) out_ << " " << var->getName();
    out_ << ": the " << (record.latest ? "last" : "first") << (record.least ? " minimum" : " maximum");
    if (record.tie) out_ << ", then the " << (record.tieLeast ? "least " : "largest ") << record.tie->getName();
    out_ << "\n";
  }

  void printAccess(const AccessFact& access) {
    out_ << "  "
         << (access.update  ? "updates "
             : access.write ? "writes "
                            : "reads ")
         << facts_.arrays[access.array].var->getName() << "[" << (access.index ? text(*access.index) : "?") << "]";
    if (access.update) out_ << " by " << resultKind(access.op);
    out_ << (access.atomic ? " atomically" : "") << (access.ordered ? " in order" : "")
         << (access.partial ? " in part" : "") << (access.conditional ? " conditionally" : "");
    for (const unsigned condition : access.onlyIf) out_ << " if " << facts_.symbols[condition].name;
    out_ << " at " << line(access.loc);
    if (!access.index) out_ << ": " << access.reason;
    out_ << "\n";
  }

  const LoopFacts& facts_;
  const SourceManager& sources_;
  llvm::raw_ostream& out_;
};

}  // namespace

void printFacts(const std::vector<LoopFacts>& loops, const SourceManager& sources, llvm::raw_ostream& out) {
  for (const LoopFacts& facts : loops) FactsPrinter(facts, sources, out).print();
}

void printRegions(const FileFacts& file, const SourceManager& sources, llvm::raw_ostream& out) {
  auto line = [&](const Stmt* statement) { return sources.getExpansionLineNumber(statement->getBeginLoc()); };
  for (const RegionFact& region : file.regions) {
    out << "region " << line(region.directive) << " of one thread";
    if (!region.unseen.empty()) out << ", if harmless: " << llvm::join(region.unseen, ", ");
    out << "\n";
  }
  for (const NestedLoop& nested : file.nested) {
    out << "nested loop " << line(nested.directive) << "\n";
    for (const VarDecl* var : nested.privates) out << "  private " << var->getName() << "\n";
    for (const VarDecl* var : nested.lastprivates) out << "  lastprivate " << var->getName() << "\n";
    for (const ResultFact& result : nested.reductions)
      out << "  reduction " << result.var->getName() << ": " << resultKind(result.kind) << "\n";
  }
}

}  // namespace muster::plugin
