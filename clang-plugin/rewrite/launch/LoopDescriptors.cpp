// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The static descriptors of a loop: muster_kernel and what it points to.
#include "analysis/objects/RowLengths.h"
#include "analysis/teams/TeamCode.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/StringExtras.h"
#include "muster/abi.h"
#include "rewrite/launch/LaunchText.h"
#include "rewrite/launch/UnseenCalls.h"
#include "rewrite/native/GlobalNames.h"
#include "source/SourceText.h"

namespace muster::plugin {

using namespace clang;

namespace {

class DescriptorWriter {
 public:
  DescriptorWriter(const Spelling& spelling, const KernelPlan& kernel, const std::string& owner, CodeText& code)
      : spelling_(spelling),
        dialect_(spelling.dialect()),
        context_(spelling.context()),
        kernel_(kernel),
        facts_(*kernel.facts),
        owner_(owner),
        code_(code) {}

  void write() {
    writeArrayParams();
    writeScalarParams();
    writeResultParams();
    writeAccesses();
    writeSchedule();
    writeKernel();
  }

 private:
  static std::string name(const VarDecl* var) { return var->getNameAsString(); }
  std::string text(const VarDecl* var) const { return siteText(facts_, var); }
  void writeArrayParams();
  std::int64_t bytesOf(const ArrayFact& array) const;
  std::string elementType(const ArrayFact& array) const;
  void writeLayout(const ArrayFact& array);
  void writeScalarParams();
  void writeResultParams();
  void writeAccesses();
  bool hasSchedule() const;
  void writeSchedule();
  void writeKernel();
  void writeOpenClText();

  const Spelling& spelling_;
  const Dialect& dialect_;
  const ASTContext& context_;
  const KernelPlan& kernel_;
  const LoopFacts& facts_;
  const std::string owner_;
  const std::string tag_ = mergeTag(kernel_);
  CodeText& code_;
};

// A template's text may stand in front of the type that it is instantiated with.
std::string DescriptorWriter::elementType(const ArrayFact& array) const {
  if (dialect_.isC() || facts_.objects->canBeNamed(array.element)) return spelling_.type(array.element);
  std::string element = "(" + text(array.var) + ")[0]";
  if (array.form == ArrayForm::Rows || array.form == ArrayForm::Starts)
    for (std::size_t level = 0; level < array.extents.size(); ++level) element += "[0]";
  return "typename std::remove_all_extents<typename std::remove_reference<decltype(" + element + ")>::type>::type";
}

// The layout that the OpenCL text and the access maps count on.
void DescriptorWriter::writeLayout(const ArrayFact& array) {
  const auto* record = array.element->getAsCXXRecordDecl();
  if (!record) return;
  const std::string type = elementType(array);
  const ASTRecordLayout& layout = context_.getASTRecordLayout(record);
  std::string test = "sizeof(" + type + ") == " + std::to_string(layout.getSize().getQuantity()) + " && alignof(" +
                     type + ") == " + std::to_string(layout.getAlignment().getQuantity());
  for (const FieldDecl* field : record->fields()) {
    const bool canBeNamed =
        record->isStandardLayout() && field->getAccess() == AS_public && field->getIdentifier() && !field->isBitField();
    if (!canBeNamed) continue;
    const auto offset = context_.toCharUnitsFromBits(layout.getFieldOffset(field->getFieldIndex()));
    test += " && __builtin_offsetof(" + type + ", " + field->getNameAsString() +
            ") == " + std::to_string(offset.getQuantity());
  }
  code_.line("static_assert(" + test + ", \"the devices have another layout\");");
}

// 0 where the array's type does not say it.
std::int64_t DescriptorWriter::bytesOf(const ArrayFact& array) const {
  const QualType type = array.var->getType().getNonReferenceType();
  return array.form == ArrayForm::ConstantArray ? context_.getTypeSizeInChars(type).getQuantity() : 0;
}

void DescriptorWriter::writeArrayParams() {
  std::vector<std::string> entries;
  for (unsigned i = 0; i < facts_.arrays.size(); ++i) {
    const ArrayFact& array = facts_.arrays[i];
    writeLayout(array);
    std::vector<std::string> modes;
    if (array.read || !(array.written || array.updated)) modes.push_back("MUSTER_READ");
    if (array.written) modes.push_back("MUSTER_WRITE");
    if (array.updated) modes.push_back("MUSTER_UPDATE");
    std::vector<std::string> flags;
    if (kernel_.embedded.count(i)) flags.push_back("MUSTER_ARRAY_EMBEDDED");
    if (array.ordered) flags.push_back("MUSTER_ARRAY_ORDERED");
    if (array.compared) flags.push_back("MUSTER_ARRAY_GROUP(" + std::to_string(array.compared) + ")");
    entries.push_back("{" + spelling_.literal(name(array.var)) + ", sizeof(" + elementType(array) + "), " +
                      spelling_.typeCode(array.element) + ", " + llvm::join(modes, " | ") + ", " +
                      (flags.empty() ? "0" : llvm::join(flags, " | ")) + ", " + std::to_string(bytesOf(array)) + "}");
  }
  writeTable(code_, "static const muster_array_param", "muster_array_params" + tag_, entries);
}

void DescriptorWriter::writeScalarParams() {
  std::vector<std::string> entries;
  for (const ScalarFact& scalar : facts_.scalars) {
    if (scalar.vectorSize) {
      entries.push_back("{" + spelling_.literal(name(scalar.var) + "_size") + ", sizeof(std::size_t), " +
                        spelling_.typeCode(context_.getSizeType()) + ", {0, 0, 0}, nullptr}");
      continue;
    }
    if (!rowLengthText(facts_, scalar.var).empty()) {
      entries.push_back("{" + spelling_.literal(name(scalar.var)) + ", sizeof(int64_t), MUSTER_TYPE_I64, {0, 0, 0}, " +
                        dialect_.null() + "}");
      continue;
    }
    // A constant has its value on every rank, and may lie in read-only memory.
    const QualType type = scalar.var->getType().getNonReferenceType();
    const bool stored = keepsGlobalName(facts_, scalar) && !context_.getBaseElementType(type).isConstQualified();
    entries.push_back("{" + spelling_.literal(name(scalar.var)) + ", sizeof(" + text(scalar.var) + "), " +
                      spelling_.typeCode(type) + ", {0, 0, 0}, " +
                      (stored ? "(void *)&" + visibleName(scalar.var) : dialect_.null()) + "}");
    if (scalar.global) {
      std::string& entry = entries.back();
      entry.replace(entry.find("sizeof(") + 7, name(scalar.var).size(), visibleName(scalar.var));
    }
  }
  writeTable(code_, "static const muster_scalar_param", "muster_scalar_params" + tag_, entries);
}

void DescriptorWriter::writeResultParams() {
  std::vector<std::string> entries;
  for (const ResultFact& result : facts_.results) {
    const std::string box = outsideOwner(spelling_, owner_, boxType(dialect_, owner_, name(result.var)));
    const ObjectMember* member = facts_.objects->find(result.var);
    entries.push_back(
        "{" + spelling_.literal(name(result.var)) + ", sizeof(" + (result.isBoxed() ? box : text(result.var)) + "), " +
        (result.isBoxed() ? "MUSTER_TYPE_OTHER" : spelling_.typeCode(result.var->getType().getNonReferenceType())) +
        ", " + resultKinds[result.kind] + ", 0, " +
        dialect_.functionReference(owner_, "combine_" + (member ? member->name : name(result.var))) + "}");
  }
  for (unsigned i = 0; i < facts_.records.size(); ++i) {
    std::vector<std::string> names;
    for (const VarDecl* var : facts_.records[i].vars) names.push_back(name(var));
    const std::string type = recordType(dialect_, owner_, i);
    entries.push_back("{" + spelling_.literal(llvm::join(names, ", ")) + ", sizeof(" +
                      outsideOwner(spelling_, owner_, type) + "), MUSTER_TYPE_OTHER, MUSTER_REDUCE_OTHER, 0, " +
                      dialect_.functionReference(owner_, "combine_" + recordName(i)) + "}");
  }
  if (mayReport(facts_)) entries.push_back(endParameter());
  writeTable(code_, "static const muster_result_param", "muster_result_params" + tag_, entries);
}

void DescriptorWriter::writeAccesses() {
  std::vector<std::string> entries;
  for (const AccessFact& access : facts_.accesses) {
    std::vector<std::string> flags;
    if (!access.index) flags.push_back("MUSTER_ACCESS_UNBOUNDED");
    if (access.conditional) flags.push_back("MUSTER_ACCESS_CONDITIONAL");
    if (access.atomic) flags.push_back("MUSTER_ACCESS_ATOMIC");
    if (access.ordered) flags.push_back("MUSTER_ACCESS_ORDERED");
    if (access.partial) flags.push_back("MUSTER_ACCESS_PARTIAL");
    if (access.update) flags.push_back(std::string("MUSTER_ACCESS_OP(") + resultKinds[access.op] + ")");
    entries.push_back("{" + std::to_string(access.array) + ", " +
                      (access.update  ? "MUSTER_UPDATE"
                       : access.write ? "MUSTER_WRITE"
                                      : "MUSTER_READ") +
                      ", " + (flags.empty() ? "0" : llvm::join(flags, " | ")) + ", " +
                      std::to_string(lineOf(context_.getSourceManager(), access.loc)) + "}");
  }
  writeTable(code_, "static const muster_access", "muster_accesses" + tag_, entries);
}

// A number as both languages have it.
static std::string decimal(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  return text;
}

template <class Numbers>
static std::string listOf(const Numbers& numbers) {
  std::vector<std::string> texts;
  for (const auto number : numbers) texts.push_back(std::to_string(number));
  return "{" + (texts.empty() ? "0" : llvm::join(texts, ", ")) + "}";
}

static std::string stepsOf(const TimeSteps& steps) {
  std::vector<std::string> parts;
  const unsigned numbers[] = {steps.most,      steps.reach,        steps.from,   steps.to,
                              steps.registers, steps.needsCorners, steps.isGuest};
  for (const unsigned number : numbers) parts.push_back(std::to_string(number));
  std::vector<std::string> around;
  for (const auto& offset : steps.around) around.push_back(listOf(offset));
  parts.push_back("{" + llvm::join(around, ", ") + "}");
  parts.push_back(listOf(steps.equal));
  return "{" + llvm::join(parts, ", ") + "}";
}

// Other than what a kernel has that says nothing.
bool DescriptorWriter::hasSchedule() const {
  return !kernel_.opencl.empty() &&
         (kernel_.schedule.isReordered() || kernel_.schedule.points > 1 || kernel_.schedule.tiled != 0 ||
          kernel_.schedule.isGrouped || kernel_.schedule.steps.most != 0 || !kernel_.schedule.blocks.empty() ||
          !kernel_.schedule.privatized.empty());
}

void DescriptorWriter::writeSchedule() {
  if (!hasSchedule()) return;
  std::string order;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const bool isUsed = axis < facts_.dims.size();
    order +=
        (axis == 0 ? "" : ", ") + std::to_string(isUsed ? facts_.dims.size() - 1 - kernel_.schedule.dims[axis] : axis);
  }
  const auto maskOf = [](const std::set<unsigned>& arrays) {
    std::uint32_t mask = 0;
    for (unsigned array : arrays) mask |= 1U << array;
    return mask;
  };
  const Schedule& schedule = kernel_.schedule;
  const std::size_t grouped = !schedule.isGrouped       ? 0
                              : !schedule.groupCount    ? MUSTER_GROUPED_UNCOUNTED
                              : schedule.groupsHaveRows ? MUSTER_GROUPED_ROWS
                              : !schedule.groupsAddUp   ? MUSTER_GROUPED_COUNTED
                              : schedule.groupsKeep     ? MUSTER_GROUPED_KEPT
                                                        : MUSTER_GROUPED_SUMS;
  std::vector<std::string> parts = {"{" + order + "}"}, counts;
  const std::size_t numbers[] = {schedule.pointsAxis,
                                 schedule.points,
                                 schedule.constants.size(),
                                 schedule.counts.size(),
                                 schedule.tiled,
                                 schedule.rowArray,
                                 grouped,
                                 schedule.mostPasses,
                                 schedule.mostCounted,
                                 maskOf(schedule.privatized),
                                 schedule.updatesPerRead};
  for (std::size_t number : numbers) parts.push_back(std::to_string(number));
  std::vector<std::string> blocks;
  for (const Blocks& form : schedule.blocks)
    blocks.push_back("{" + listOf(form.lanes) + ", " + std::to_string(maskOf(form.wide)) + ", " +
                     std::to_string(form.multiples.size()) + ", " + std::to_string(form.needsDistinct) + ", " +
                     listOf(form.multiples) + ", " + std::to_string(maskOf(form.aligned)) + ", " + listOf(form.group) +
                     ", " + std::to_string(form.value) + ", " + std::to_string(form.isShared) + ", " +
                     std::to_string(form.phase) + "}");
  parts.push_back(std::to_string(blocks.size()));
  parts.push_back("{" + (blocks.empty() ? "{{0}}" : llvm::join(blocks, ", ")) + "}");
  const auto factorsOf = [&](const passes::LoopCount& count) {
    std::vector<std::string> factors(schedule.constants.size() + 1, "0");
    factors[0] = decimal(count.constant);
    for (const auto& [number, factor] : count.factors) factors[number + 1] = decimal(factor);
    return "{" + llvm::join(factors, ", ") + "}";
  };
  for (const passes::LoopCount& count : schedule.counts) counts.push_back(factorsOf(count));
  const bool hasSteps = schedule.steps.most != 0;
  if (!counts.empty() || schedule.groupCount || hasSteps)
    parts.push_back(listOf(schedule.constants) + ", {" + (counts.empty() ? "{0}" : llvm::join(counts, ", ")) + "}");
  if (schedule.groupCount || hasSteps) parts.push_back(schedule.groupCount ? factorsOf(*schedule.groupCount) : "{0}");
  if (hasSteps) parts.push_back(stepsOf(schedule.steps));
  writeTable(code_, "static const muster_schedule", "muster_schedule" + tag_, {"{" + llvm::join(parts, ", ") + "}"});
}

void DescriptorWriter::writeKernel() {
  const PresumedLoc loc = context_.getSourceManager().getPresumedLoc(facts_.directive->getBeginLoc());
  std::vector<std::string> flags;
  if (facts_.needsDistinct) flags.push_back("MUSTER_KERNEL_NEEDS_DISTINCT");
  if (kernel_.needsFp64) flags.push_back("MUSTER_KERNEL_NEEDS_FP64");
  if (kernel_.usesFloats) flags.push_back("MUSTER_KERNEL_FLOATS");
  static constexpr std::pair<unsigned, const char*> rules[] = {
      {MUSTER_KERNEL_ANY_DENORMALS, "MUSTER_KERNEL_ANY_DENORMALS"},
      {MUSTER_KERNEL_ANY_FUSING, "MUSTER_KERNEL_ANY_FUSING"},
      {MUSTER_KERNEL_ANY_NAN, "MUSTER_KERNEL_ANY_NAN"},
      {MUSTER_KERNEL_ANY_ORDER, "MUSTER_KERNEL_ANY_ORDER"},
      {MUSTER_KERNEL_ANY_DIGITS, "MUSTER_KERNEL_ANY_DIGITS"}};
  for (const auto& [flag, name] : rules)
    if (kernel_.floatRules & flag) flags.push_back(name);
  if (facts_.mayCarry) flags.push_back("MUSTER_KERNEL_MAY_CARRY");
  if (facts_.mayCarryInChunks) flags.push_back("MUSTER_KERNEL_CHUNKS_CARRY");
  if (isTeamLoop(facts_.directive)) flags.push_back("MUSTER_KERNEL_OF_TEAM");
  auto counted = [](std::size_t count) { return std::to_string(count) + ", "; };
  auto pointer = [&](const std::string& name, bool there) { return there ? name : std::string(dialect_.null()); };
  code_.open("static const muster_kernel muster_this_kernel" + tag_ + " = {");
  code_.line("MUSTER_ABI_VERSION, " + (flags.empty() ? "0" : llvm::join(flags, " | ")) + ", 0x" +
             llvm::utohexstr(kernel_.id, true) + "ull,");
  code_.line(spelling_.literal(kernel_.name) + ", {" + spelling_.literal(loc.getFilename()) + ", " +
             std::to_string(loc.getLine()) + ", " + std::to_string(loc.getColumn()) + "},");
  code_.line(dialect_.functionReference(owner_, "run") + ",");
  if (kernel_.opencl.empty())
    code_.line(dialect_.null() + (", " + spelling_.literal(kernel_.openclReason)) + ",");
  else
    writeOpenClText();
  code_.line(counted(facts_.arrays.size()) + counted(facts_.scalars.size()) + counted(resultCount(facts_)) +
             counted(facts_.dims.size()) + counted(facts_.inner.size()) + std::to_string(facts_.accesses.size()) + ",");
  code_.line(pointer("muster_array_params" + tag_, !facts_.arrays.empty()) + ", " +
             pointer("muster_scalar_params" + tag_, !facts_.scalars.empty()) + ", " +
             pointer("muster_result_params" + tag_, resultCount(facts_) > 0) + ", " +
             pointer("muster_accesses" + tag_, !facts_.accesses.empty()) + ",");
  if (!facts_.unseen.empty() || hasSchedule())
    code_.line((facts_.unseen.empty() ? std::string(dialect_.null()) : "&" + callsName(facts_.unseen)) + ", " +
               pointer("muster_schedule" + tag_, hasSchedule()) + ",");
  code_.close("};");
  code_.line("__attribute__((used, retain, section(\"muster_kernels\")))");
  code_.line("static const muster_kernel *const muster_kernel_entry" + tag_ + " = &muster_this_kernel" + tag_ + ";");
}

// C has no raw strings.
void DescriptorWriter::writeOpenClText() {
  if (!dialect_.isC()) {
    code_.raw("R\"muster(" + kernel_.opencl + ")muster\", nullptr,");
    return;
  }
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(kernel_.opencl).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    std::string text = spelling_.literal(line.str());
    text.insert(text.size() - 1, "\\n");
    code_.line(text);
  }
  code_.line(std::string(", ") + dialect_.null() + ",");
}

}  // namespace

void writeDescriptors(const Spelling& spelling, const KernelPlan& kernel, const std::string& owner, CodeText& code) {
  DescriptorWriter(spelling, kernel, owner, code).write();
}

}  // namespace muster::plugin
