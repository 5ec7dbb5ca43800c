// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel: arguments, the code of an iteration, results. The signature is the contract in
// docs/architecture.md.
#include "analysis/loops/SimdLoops.h"
#include "analysis/references/ProgramEnds.h"
#include "llvm/ADT/StringExtras.h"
#include "muster/abi.h"
#include "opencl/program/Frames.h"
#include "opencl/program/KernelText.h"
#include "opencl/program/Results.h"
#include "opencl/statements/Statements.h"
#include "source/RefusalTexts.h"

namespace muster::plugin {

namespace opencl {

namespace {

class KernelPrinter {
 public:
  KernelPrinter(Program& program, const KernelPlan& kernel)
      : program_(program), facts_(program.facts), schedule_(kernel.schedule), name_(kernel.name), scope_(program) {
    scope_.setOutermost();
  }

  std::string print();

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

  std::string iteration();
  void iterationVariables(Statements& statements);
  void lastPrivateResults(Statements& statements);

  bool isDimension(const clang::VarDecl* var) const;
  bool isInRecord(const clang::VarDecl* var) const;
  bool hasPoints() const { return schedule_.points > 1; }
  unsigned bodyDepth() const {
    return 1 + (schedule_.isStrided ? facts_.dims.size() : 0) + (hasPoints() ? 2 : 0) + (lastPrivates_.empty() ? 0 : 1);
  }

  Program& program_;
  const LoopFacts& facts_;
  const Schedule& schedule_;
  std::string name_;
  Scope scope_;
  std::vector<std::string> arguments_;
  std::string blocks_;                                                        // types of arguments
  std::string prologue_;                                                      // definitions before the first iteration
  std::vector<std::pair<const clang::VarDecl*, std::string>> initialValues_;  // of firstprivate variables
  std::vector<std::string> copies_;                                           // of firstprivate arrays
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
    const std::string declarator = (facts_.needsDistinct ? "restrict " : "") + buffer;
    arguments_.push_back(program_.types.declare(pointer, declarator, Space::Global, loc) + ", long " + origin);
    if (schedule_.privatized.count(&array - facts_.arrays.data()))
      program_.privatized[array.var] = {buffer, program_.names.unique(name + "_own"),
                                        program_.names.unique(name + "_count")};
    // The user's own type and name, for the user's own index.
    const clang::QualType seen = program_.argumentType(array.var);
    const bool isSame = program_.context.hasSameType(seen, pointer);
    const std::string cast = isSame ? "" : "(" + program_.types.name(seen, Space::Global, loc) + ")";
    const std::string value = isSame ? buffer + " + " + origin : "(" + buffer + " + " + origin + ")";
    prologue_ += "  " + program_.types.declare(seen, name, Space::Global, loc) + " = " + cast + value + ";\n";
  }
}

void KernelPrinter::scalarArguments() {
  for (const ScalarFact& fact : facts_.scalars) {
    if (fact.vectorSize) {
      const std::string name = program_.names.unique((fact.var->getName() + "_size").str());
      scope_.setVectorSize(fact.var, name);
      arguments_.push_back("ulong " + name);
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
      prologue_ +=
          "  " + program_.types.declare(type, name, Space::Private, fact.var->getLocation()) + " = " + value + ";\n";
      continue;
    }
    if (program_.isFirstprivate(fact.var)) {
      name = program_.names.unique(name + "_value");
      initialValues_.emplace_back(fact.var, name);
    }
    arguments_.push_back(program_.types.declare(type, name, Space::Private, fact.var->getLocation()));
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
    const std::string pointer =
        "(" + program_.types.name(program_.context.getPointerType(element), Space::Private, loc) + ")";
    const auto* whole = program_.context.getAsConstantArrayType(array);
    const clang::QualType plain = program_.context.getUnqualifiedArrayType(array);
    copies_.push_back(program_.types.declare(plain, name, Space::Private, loc) + ";");
    copies_.push_back("for (int muster_e = 0; muster_e < " +
                      std::to_string(program_.context.getConstantArrayElementCount(whole)) + "; ++muster_e) (" +
                      pointer + name + ")[muster_e] = (" + pointer + value + ".elements)[muster_e];");
    return;
  }
  prologue_ += "  " + program_.types.declare(program_.context.getArrayDecayedType(array), name, Space::Private, loc) +
               " = " + value + ".elements;\n";
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
    prologue_ += std::string("  ") + scalarName(scalar) + " " + reduction.name + " = " + identity(reduction) + ";\n";
    reductions_.push_back(std::move(reduction));
  }
}

bool KernelPrinter::isInRecord(const clang::VarDecl* var) const {
  return llvm::any_of(facts_.records, [&](const RecordFact& record) { return llvm::is_contained(record.vars, var); });
}

void KernelPrinter::add(ResultText result) {
  blocks_ += result.types;
  arguments_.push_back(std::move(result.argument));
  prologue_ += result.prologue;
  reductions_.push_back(std::move(result.reduction));
}

void KernelPrinter::iterationVariables(Statements& statements) {
  for (std::size_t d = 0; d < facts_.dims.size(); ++d) {
    const clang::VarDecl* var = facts_.dims[d].var;
    const std::string type = scalarName(scalarOfVariable(program_, var, "loop variable")), number = std::to_string(d);
    const bool isUnit = facts_.dims[d].step == nullptr && !facts_.dims[d].down;
    const std::string value =
        "muster_first_" + number + " + muster_k_" + number + (isUnit ? "" : " * muster_step_" + number);
    statements.line(type + " " + scope_.declareValue(var) + " = " +
                    (type == "long" ? value : "(" + type + ")(" + value + ")") + ";");
  }
  if (!facts_.records.empty()) {
    std::string number = "muster_k_0";
    for (std::size_t d = 1; d < facts_.dims.size(); ++d)
      number = "(" + number + ") * " + numbered("muster_hi_", d) + " + " + numbered("muster_k_", d);
    statements.line("const long muster_iteration = " + number + " + 1;");
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
    statements.line(
        program_.types.declare(type, scope_.declareValue(var), scope_.spaces.ofVariable(var), var->getLocation()) +
        ";");
  }
  for (const std::string& copy : copies_) statements.line(copy);
  for (const auto& [var, value] : initialValues_)
    statements.line(
        program_.types.declare(program_.argumentType(var), scope_.variable(var), Space::Private, var->getLocation()) +
        " = " + value + ";");
}

void KernelPrinter::lastPrivateResults(Statements& statements) {
  std::vector<std::string> isLast;
  for (std::size_t d = 0; d < facts_.dims.size(); ++d)
    isLast.push_back(numbered("muster_k_", d) + " == " + numbered("muster_hi_", d) + " - 1");
  statements.line("if (" + llvm::join(isLast, " && ") + ") {");
  for (const LastPrivate& result : lastPrivates_) {
    std::string value = scope_.variable(result.var);
    // A loop variable ends one step behind its last iteration.
    for (std::size_t d = 0; d < facts_.dims.size(); ++d)
      if (facts_.dims[d].var->getCanonicalDecl() == result.var->getCanonicalDecl())
        value = std::string("(") + scalarName(scalarOf(program_.context, result.var->getType())) + ")(" +
                numbered("muster_first_", d) + " + " + numbered("muster_hi_", d) + " * " + numbered("muster_step_", d) +
                ")";
    statements.line("  " + result.out + "[0] = " + value + ";");
  }
  statements.line("}");
}

std::string KernelPrinter::iteration() {
  std::vector<const clang::Stmt*> code = facts_.prelude;
  code.push_back(facts_.deviceBody);
  std::vector<Spaces::Flow> pointers;
  for (const DimFact& dim : facts_.dims)
    if (dim.pointer) pointers.emplace_back(dim.pointer, dim.value);
  scope_.spaces.infer(code, pointers);
  const unsigned depth = bodyDepth() - (lastPrivates_.empty() ? 0 : 1);
  Statements before(program_, scope_, depth), body(program_, scope_, bodyDepth()), after(program_, scope_, depth);
  iterationVariables(before);
  // `continue` of the user's loop: the next iteration, which is another work-item's, or what follows the body here.
  // Where a work-item ends the program; in a kernel with reductions it meets the others of its group.
  body.setLeave([this] { return schedule_.isStrided ? "goto muster_left;" : "return;"; });
  body.setOuterContinue(!schedule_.privatized.empty()                                  ? "MUSTER_NEXT;"
                        : schedule_.isStrided || hasPoints() || !lastPrivates_.empty() ? "continue;"
                                                                                       : "return;");
  for (const auto& [pointer, value] : pointers) before.define(pointer, value);
  for (const LinearFact& linear : facts_.linears)
    before.line(scope_.variable(linear.var) + " = " + before.initialiser(linear.value) + ";");
  for (const clang::Stmt* statement : facts_.prelude) body.printInside(statement);
  body.printInside(facts_.deviceBody);
  if (lastPrivates_.empty()) return before.text() + body.text();
  before.line("do {");
  after.line("} while (0);");
  lastPrivateResults(after);
  return before.text() + body.text() + after.text();
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
  const std::string code = iteration();
  // NVIDIA's compiler plans registers for a fixed size: of use to several points in a work-item (3-D heat on an H200:
  // 0.50 ms, with a hint 0.57), of harm to a long loop in one (matrix multiply: 24.8 ms, with a hint 22.1).
  const char* size = schedule_.isStrided || hasPoints() ? "reqd_work_group_size" : "work_group_size_hint";
  const std::string head = blocks_ + "__kernel __attribute__((" + size +
                           "(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))\nvoid " + name_ + "(\n    " +
                           llvm::join(arguments_, ",\n    ");
  std::string temporaries;
  for (const std::string& temporary : scope_.temporaries()) temporaries += "  " + temporary + "\n";
  const Frames frames(program_, schedule_, reductions_, prologue_, scope_.ends());
  if (!schedule_.privatized.empty()) return frames.withPrivate(head, temporaries, code);
  if (scope_.ends()) temporaries += "  int muster_ended = 0;\n";
  return head + ") {\n" + temporaries + frames.frame(code) + "}\n";
}

}  // namespace

}  // namespace opencl

KernelText printKernel(const clang::ASTContext& context, const KernelPlan& plan) {
  opencl::Program program(context, *plan.facts, /*amongOthers=*/!plan.facts->unseen.empty());
  const std::string kernel = opencl::KernelPrinter(program, plan).print();
  KernelText result;
  result.refusal = program.refusals.first();
  if (!result.refusal.empty()) return result;
  result.text = program.text() + kernel;
  result.needsFp64 = program.types.usesFp64();
  for (const auto& [array, names] : opencl::privatizedIn(program, plan.schedule)) result.privatized.insert(array);
  return result;
}

}  // namespace muster::plugin
