// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/KernelContractions.h"

#include "ir/Changes.h"
#include "llvm/Support/FormatVariadic.h"
#include "lower/program/Frames.h"
#include "lower/program/KernelMemory.h"
#include "passes/ConstantLoops.h"
#include "passes/RowLoops.h"
#include "print/Print.h"

namespace muster::plugin::lower {

namespace {

// Work-items of a group along each axis, and steps of the loop that a tile has elements for. Measured: decision 41.
constexpr unsigned kGroup = 16, kItems = kGroup * kGroup, kSteps = 16, kStepsOfWide = 8, kWideBytes = 16;
constexpr unsigned kMostBytes = 40 << 10;  // of local memory
// Sums of a work-item along an axis: what fits into its registers, or a quarter of that.
constexpr unsigned kLanes = 8, kFewLanes = 4;

class ContractionPrinter {
  using Next = passes::ContractedRead::Next;

 public:
  ContractionPrinter(Program& program, Scope& scope, const Schedule& schedule, const passes::Contraction& contraction)
      : program_(program), scope_(scope), schedule_(schedule), made_(contraction) {
    for (const passes::ContractedRead& read : made_.reads) vector_ = std::min(vector_, kWideBytes / bytesOf(read));
    if (hasWide()) steps_ = kStepsOfWide;
  }

  bool fits() const {
    unsigned bytes = 0;
    for (const passes::ContractedRead& read : made_.reads)
      bytes += steps_ * (lanesOf(read.axis) + vector_) * bytesOf(read);
    return bytes <= kMostBytes;
  }

  std::string print(const ir::Statements& prologue) const {
    std::string text = "  const int muster_item = (int)(get_local_id(0) + MUSTER_WG0 * get_local_id(1));\n" +
                       positions() + print::text(prologue, 1) + print::text(made_.before, 1);
    for (const passes::ContractedRead& read : made_.reads) text += memoryOf(read);
    const std::string steps = std::to_string(steps_), next = "muster_t + " + steps,
                      isWhole = "muster_t + " + std::to_string(steps_ - 1) + " <= muster_last";
    const std::string barrier = "    barrier(CLK_LOCAL_MEM_FENCE);\n";
    return text + "  const long muster_last = " + print::text(ir::cast("long", ir::parentheses(made_.head.end))) +
           (made_.head.isInclusive ? "" : " - 1") + ";\n  long muster_t = " + print::text(made_.head.first) +
           ";\n  if (" + isWhole + ") {\n" + loads("muster_t") + "  }\n  for (; " + isWhole + "; muster_t += " + steps +
           ") {\n" + stores() + barrier + "    if (" + next + " + " + std::to_string(steps_ - 1) +
           " <= muster_last) {\n" + loads(next) + "    }\n    #pragma unroll\n    for (int muster_c = 0; muster_c < " +
           steps + "; ++muster_c) {\n" + operands() + variable() + print::text(made_.step, 3) + "    }\n" + barrier +
           "  }\n" + print::text(ir::Statements{made_.rest}, 1) + behind();
  }

 private:
  const ArrayFact& arrayOf(const passes::ContractedRead& read) const {
    return *arrayNamed(program_, scope_, read.array);
  }
  unsigned bytesOf(const passes::ContractedRead& read) const {
    return bitsOf(scalarOf(program_.context, arrayOf(read).element)) / 8;
  }
  std::string typeOf(const passes::ContractedRead& read) const {
    const ArrayFact& array = arrayOf(read);
    return program_.types.name(array.element.getUnqualifiedType(), Space::Private, array.var->getLocation());
  }
  static std::string nameOf(const char* what, const passes::ContractedRead& read,
                            const std::vector<passes::ContractedRead>& all) {
    return numbered(what, &read - all.data());
  }
  std::string tileOf(const passes::ContractedRead& read) const { return nameOf("muster_tile", read, made_.reads); }
  std::string nextOf(const passes::ContractedRead& read, unsigned number) const {
    return nameOf("muster_next", read, made_.reads) + "_" + std::to_string(number);
  }
  // Elements of a step: those of the group's lanes, and so many that work-items which store those of several steps use
  // different banks.
  unsigned lanesOf(unsigned axis) const { return kGroup * made_.lanes[axis]; }
  std::string rowOf(unsigned axis) const { return std::to_string(lanesOf(axis) + vector_); }
  unsigned loadsOf(const passes::ContractedRead& read) const { return lanesOf(read.axis) * steps_ / kItems; }

  // A work-item's lane is a part of a vector; the vectors of a group lie beside each other.
  std::string positionOf(unsigned axis, unsigned lane) const {
    const std::string item = "(int)get_local_id(" + std::to_string(axis) + ")";
    return item + " * " + std::to_string(vector_) + " + " +
           std::to_string(lane / vector_ * kGroup * vector_ + lane % vector_);
  }

  // Lanes behind the last iteration do what that does, but store nothing.
  std::string positions() const {
    std::string text;
    for (unsigned d = 0; d < program_.facts.dims.size(); ++d) {
      const unsigned axis = schedule_.axisOf(d);
      const std::string k = numbered("muster_k_", d), lo = numbered("muster_lo_", d);
      if (axis > 1) {
        text += llvm::formatv("  const long {0} = {1} + (long)get_global_id(2);\n", k, lo);
        continue;
      }
      text += "  const long " + numbered("muster_group_", d) + " = " + lo + " + (long)get_group_id(" +
              std::to_string(axis) + ") * " + std::to_string(lanesOf(axis)) + ";\n";
      for (unsigned lane = 0; lane < made_.lanes[axis]; ++lane)
        text += "  const long " + k + made_.separator + std::to_string(lane) + " = " +
                inside(d, positionOf(axis, lane)) + ";\n";
    }
    return text;
  }

  std::string inside(unsigned d, const std::string& position) const {
    return "min(" + numbered("muster_group_", d) + " + (" + position + "), " + numbered("muster_hi_", d) + " - 1)";
  }

  std::string memoryOf(const passes::ContractedRead& read) const {
    std::string next;
    for (unsigned number = 0; number < loadsOf(read); ++number)
      next += (number == 0 ? "  " + typeOf(read) + " " : ", ") + nextOf(read, number);
    return "  __local " + typeOf(read) + " " + tileOf(read) + "[" + std::to_string(steps_) + " * " + rowOf(read.axis) +
           "] __attribute__((aligned(" + std::to_string(kWideBytes) + ")));\n" + next + ";\n";
  }

  // A work-item's part of a tile: elements beside each other, so many times.
  struct Part {
    std::string lane, step;  // of the first one
    bool isAlongStep;        // the others are of the next steps; else of the next lanes
  };
  Part partOf(const passes::ContractedRead& read, unsigned number) const {
    const bool isAlongStep = read.next == Next::Step;
    const unsigned width = widthOf(read), parts = (isAlongStep ? steps_ : lanesOf(read.axis)) / width;
    const std::string length = std::to_string(parts),
                      fast = "muster_item % " + length + (width > 1 ? " * " + std::to_string(width) : ""),
                      slow = "muster_item / " + length + " + " + std::to_string(kItems / parts * number);
    return isAlongStep ? Part{slow, fast, true} : Part{fast, slow, false};
  }
  // Two wide elements at once gain nothing.
  bool hasWide() const { return vector_ < kWideBytes / 4; }
  unsigned widthOf(const passes::ContractedRead& read) const {
    return hasWide() || read.next == Next::Neither ? 1 : vector_;
  }
  std::string wideType(const passes::ContractedRead& read) const { return typeOf(read) + std::to_string(vector_); }

  // Into registers, by the same indexes as in the program, of the same types: wide where the elements lie beside each
  // other, are aligned and are all of iterations.
  std::string loads(const std::string& begin) const {
    std::string text;
    for (const passes::ContractedRead& read : made_.reads)
      for (unsigned number = 0; number < loadsOf(read) / widthOf(read); ++number) {
        const Part part = partOf(read, number);
        std::string each;
        for (unsigned own = 0; own < widthOf(read); ++own)
          each += "        {\n" + element(read, part, begin, own) + "          " +
                  nextOf(read, number * widthOf(read) + own) + " = " + print::text(read.element) + ";\n        }\n";
        text += "      {\n" + (widthOf(read) == 1 ? each : wideLoad(read, part, begin, number, each)) + "      }\n";
      }
    return text;
  }

  // Defines the variables by which the element is named.
  std::string element(const passes::ContractedRead& read, const Part& part, const std::string& begin,
                      unsigned number) const {
    const unsigned d = schedule_.dims[read.axis];
    const std::string more = number == 0 ? "" : " + " + std::to_string(number);
    return "          const long " + numbered("muster_k_", d) + " = " +
           inside(d, part.lane + (part.isAlongStep ? "" : more)) + ";\n" +
           print::text(ir::Statements{made_.counters[read.axis]}, 5) + "          const " + made_.type + " " +
           made_.head.variable + " = (" + made_.type + ")(" + begin + " + " + part.step +
           (part.isAlongStep ? more : "") + ");\n";
  }

  std::string wideLoad(const passes::ContractedRead& read, const Part& part, const std::string& begin, unsigned number,
                       const std::string& each) const {
    const unsigned d = schedule_.dims[read.axis];
    const std::string place = "muster_place", wide = "__global const " + wideType(read) + " *";
    std::string text = "        " + wide + place + ";\n        {\n" + element(read, part, begin, 0) + "          " +
                       place + " = (" + wide + ")&" + print::text(read.element) + ";\n        }\n        if (((ulong)" +
                       place + " & " + std::to_string(vector_ * bytesOf(read) - 1) + ") == 0";
    if (!part.isAlongStep)
      text += " && " + numbered("muster_group_", d) + " + (" + part.lane + ") + " + std::to_string(vector_ - 1) +
              " < " + numbered("muster_hi_", d);
    text += ") {\n          const " + wideType(read) + " muster_loaded = *" + place + ";\n";
    for (unsigned own = 0; own < vector_; ++own)
      text += "          " + nextOf(read, number * vector_ + own) + " = muster_loaded.s" + std::to_string(own) + ";\n";
    return text + "        } else {\n" + each + "        }\n";
  }

  std::string stores() const {
    std::string text;
    for (const passes::ContractedRead& read : made_.reads)
      for (unsigned number = 0; number < loadsOf(read) / widthOf(read); ++number) {
        const Part part = partOf(read, number);
        const bool isTogether = !part.isAlongStep && widthOf(read) > 1;
        const auto placeOf = [&](unsigned own) {
          const std::string more = own == 0 ? "" : " + " + std::to_string(own);
          return tileOf(read) + "[(" + part.step + more + ") * " + rowOf(read.axis) + " + " + part.lane + "]";
        };
        std::string values;
        for (unsigned own = 0; own < widthOf(read); ++own) {
          const std::string value = nextOf(read, number * widthOf(read) + own);
          if (!isTogether) text += "    " + placeOf(own) + " = " + value + ";\n";
          values += (own == 0 ? "" : ", ") + value;
        }
        if (isTogether)
          text += "    *(local " + wideType(read) + " *)&" + placeOf(0) + " = " + ir::maker(wideType(read)) + "(" +
                  values + ");\n";
      }
    return text;
  }

  // What the step reads, from local memory by wide accesses.
  std::string operands() const {
    std::string text;
    for (const passes::ContractedRead& read : made_.reads)
      for (unsigned lane = 0; lane < read.own.size(); ++lane) {
        const std::string wide =
            numbered("muster_wide", &read - made_.reads.data()) + "_" + std::to_string(lane / vector_);
        const std::string type = wideType(read);
        if (lane % vector_ == 0)
          text += llvm::formatv("      const {0} {1} = *(local const {0} *)&{2}[muster_c * {3} + {4}];\n", type, wide,
                                tileOf(read), rowOf(read.axis), positionOf(read.axis, lane));
        text += llvm::formatv("      const {0} {1} = {2}.s{3};\n", typeOf(read), read.own[lane], wide, lane % vector_);
      }
    return text;
  }

  std::string variable() const {
    bool isUsed = false;
    ir::forEach(made_.step,
                [&](const ir::Expression& part) { isUsed |= part.is(ir::ExpressionKind::Name, made_.head.variable); });
    if (!isUsed) return "";
    return std::string("      ") + (made_.head.isOutside ? "" : "const " + made_.type + " ") + made_.head.variable +
           " = (" + made_.type + ")(muster_t + muster_c);\n";
  }

  std::string isInside(unsigned axis, unsigned lane) const {
    const unsigned d = schedule_.dims[axis];
    return numbered("muster_group_", d) + " + " + positionOf(axis, lane) + " < " + numbered("muster_hi_", d);
  }

  std::string behind() const {
    std::string text;
    for (std::size_t first = 0; first < made_.behind.size(); first += vector_) {
      const llvm::ArrayRef lanes = llvm::ArrayRef(made_.behind).slice(first, vector_);
      std::string each;
      for (const auto& [lane, statements] : lanes)
        each += "  if (" + isInside(0, lane[0]) + " && " + isInside(1, lane[1]) + ") {\n" + print::text(statements, 2) +
                "  }\n";
      const std::string together = storedTogether(lanes);
      text += together.empty() ? each : together + "  } else {\n" + each + "  }\n";
    }
    return text;
  }

  // The type of numbers that wide accesses store; "": these do not.
  std::string storedType(const ir::Statement& store) const {
    const bool isStore = store.kind == ir::StatementKind::Evaluate && store.value.is(ir::ExpressionKind::Assign, "=") &&
                         store.value.part(0).kind() == ir::ExpressionKind::Subscript;
    const ArrayFact* array = isStore ? arrayNamed(program_, scope_, passes::rootOf(store.value.part(0))) : nullptr;
    const auto numbers = array ? numbersOf(program_, *array) : passes::Memory::Numbers();
    return numbers.bytes * vector_ == kWideBytes ? numbers.type : "";
  }

  // Of lanes that lie beside each other along axis 0 and end with a store each, where they all are iterations: one
  // access, if their elements lie beside each other, too.
  std::string storedTogether(llvm::ArrayRef<std::pair<passes::Lane, ir::Statements>> lanes) const {
    const ir::Statements& first = lanes.front().second;
    const std::string type = first.empty() ? "" : storedType(first.back());
    if (type.empty() || vector_ == 1) return "";
    std::string text =
        "  if (" + isInside(0, lanes.back().first[0]) + " && " + isInside(1, lanes.back().first[1]) + ") {\n";
    std::string isBeside = "((ulong)muster_place0 & " + std::to_string(kWideBytes - 1) + ") == 0", values, apart;
    for (unsigned number = 0; number < lanes.size(); ++number) {
      const std::string place = numbered("muster_place", number), value = numbered("muster_value", number);
      ir::Statements statements = lanes[number].second;
      const ir::Expression store = statements.back().value;
      statements.back() = ir::evaluate(ir::assign(ir::name(value), store.part(1)));
      statements.push_back(ir::evaluate(ir::assign(ir::name(place), ir::addressOf(store.part(0)))));
      text += "    __global " + type + " *" + place + ";\n    " + type + " " + value + ";\n    {\n" +
              print::text(statements, 3) + "    }\n";
      if (number > 0) isBeside += " && " + place + " == muster_place0 + " + std::to_string(number);
      values += (number == 0 ? "" : ", ") + value;
      apart += "      *" + place + " = " + value + ";\n";
    }
    const std::string wide = type + std::to_string(vector_);
    return text + "    if (" + isBeside + ") {\n      *(__global " + wide +
           " *)(muster_place0 + MUSTER_HIDE(0)) = " + ir::maker(wide) + "(" + values + ");\n    } else {\n" + apart +
           "    }\n";
  }

  Program& program_;
  Scope& scope_;
  const Schedule& schedule_;
  const passes::Contraction& made_;
  unsigned vector_ = kWideBytes / 4;  // elements of a wide access
  unsigned steps_ = kSteps;
};

}  // namespace

std::vector<passes::Contraction> findContractions(Program& program, Scope& scope, const ir::Statements& iteration,
                                                  llvm::function_ref<int(const std::string&)> constantOf,
                                                  const Schedule& schedule) {
  const LoopFacts& facts = program.facts;
  if (facts.dims.size() < 2 || !schedule.hasLoops || !isPlain(program, scope, schedule)) return {};
  passes::ContractionContext context;
  for (unsigned axis = 0; axis < 2; ++axis) {
    const DimFact& dim = facts.dims[schedule.dims[axis]];
    if (dim.pointer) return {};
    const std::string counter = scope.variable(dim.var);
    context.axes[axis] = {numbered("muster_k_", schedule.dims[axis]), 1, counter, dim.isUnit() ? counter : ""};
  }
  if (facts.dims.size() > 2) context.outer = scope.variable(facts.dims[schedule.dims[2]].var);
  context.memory = memoryOf(program, scope, constantOf);
  context.isRead = [&](const std::string& name) { return isOnlyRead(program, scope, name); };
  std::vector<passes::Contraction> all;
  for (unsigned lanes : {kLanes, kFewLanes}) {
    if (passes::nodesOf(iteration) * lanes * lanes > kMostWritten) continue;
    auto found = passes::contraction(iteration, context, lanes);
    if (found && ContractionPrinter(program, scope, schedule, *found).fits()) all.push_back(std::move(*found));
  }
  return all;
}

Blocks blocksOf(const passes::Contraction& contraction) {
  Blocks blocks;
  blocks.lanes = {contraction.lanes[0], contraction.lanes[1], 1};
  blocks.wide.clear();
  blocks.group = {kGroup, kGroup};
  blocks.isShared = true;
  return blocks;
}

std::string contractionFrame(Program& program, Scope& scope, const Schedule& schedule,
                             const passes::Contraction& contraction, const ir::Statements& prologue) {
  return ContractionPrinter(program, scope, schedule, contraction).print(prologue);
}

}  // namespace muster::plugin::lower
