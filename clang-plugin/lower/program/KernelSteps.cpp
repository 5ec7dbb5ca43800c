// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/KernelSteps.h"

#include "ir/Changes.h"
#include "lower/program/Frames.h"
#include "lower/program/KernelMemory.h"
#include "muster/abi.h"
#include "passes/ConstantLoops.h"
#include "print/Print.h"

namespace muster::plugin::lower {

namespace {

// The array that the first step reads, and the one that it writes.
constexpr const char *kFrom = "MUSTER_FROM", *kTo = "MUSTER_TO";
// Steps of all that a work-item holds in registers: more words spill. Longer bodies are bound by arithmetic.
constexpr unsigned kMostSteps = 7, kMostWords = 120, kMostReach = 2, kMostNodes = 200, kFewestSteps = 3;

// Of a work-item, so that four or three groups run at a time on a compute unit. Measured: decision 45.
constexpr unsigned kRegisters = 128, kRegistersOfCorners = 168;

// Rows count from the group's first one. A step's row is made `lag_` iterations of the stream behind the row of the
// step before: as soon as the furthest row that it needs is there, and the columns that neighbours have of it, if it
// needs those.
class StepsPrinter {
 public:
  StepsPrinter(Program& program, Scope& scope, const Schedule& schedule, const passes::TimeStep& step)
      : step_(step),
        steps_(schedule.steps.most),
        reach_(step.reach),
        window_(2 * step.reach + 1),
        lag_(step.reach + (step.needsCorners ? 1 : 0)),
        from_(*arrayNamed(program, scope, step.from)),
        type_(program.types.name(from_.element.getUnqualifiedType(), Space::Private, from_.var->getLocation())),
        bytes_(bitsOf(scalarOf(program.context, from_.element)) / 8),
        columns_(MUSTER_STEP_COLUMNS(bytes_)),
        halo_(MUSTER_STEP_HALO(schedule.steps, bytes_)) {}

  std::string print(const ir::Statements& prologue) const {
    Lines text;
    text << "#define " << stepsWindow << "(row, column) muster_w[muster_s - 1][(muster_u + "
         << reach_ + (step_.needsCorners ? 0 : 1) << " + (row)) % " << window_ << "][muster_c + " << reach_
         << " + (column)]\n"
         << "#if defined(MUSTER_GUEST_STEP) && MUSTER_GUEST_FIRST\n#define " << kFrom << " " << step_.to << "\n#define "
         << kTo << " " << step_.from << "\n#else\n#define " << kFrom << " " << step_.from << "\n#define " << kTo << " "
         << step_.to << "\n#endif\n"
         << "  const int muster_item = (int)get_local_id(0);\n"
            "  const long muster_top = muster_lo_0 + (long)get_group_id(1) * MUSTER_ROWS;\n"
            "  const int muster_rows = (int)min((long)MUSTER_ROWS, muster_hi_0 - muster_top);\n"
         << print::text(prologue, 1) << bounds() << "  __local " << type_ << " muster_edges[2][" << steps_ << "][2]["
         << reach_ << "][MUSTER_WG0];\n  __local " << type_ << " muster_rims[2][" << 2 * reach_ << "][" << rimRows()
         << "];\n  " << type_ << " muster_w[" << steps_ << "][" << window_ << "][" << columns_ + 2 * reach_
         << "] = {{{0}}}, muster_next[" << window_ << "][" << columns_ << "] = {{0}};\n  if (muster_isWhole) {\n"
         << stream(true) << "  } else {\n"
         << rims() << stream(false) << "  }\n#undef " << stepsWindow << "\n#undef " << kFrom << "\n#undef " << kTo
         << "\n";
    return text.take();
  }

 private:
  class Lines {
   public:
    template <class Part>
    Lines& operator<<(const Part& part) {
      out_ << part;
      return *this;
    }
    std::string take() { return std::move(text_); }

   private:
    std::string text_;
    llvm::raw_string_ostream out_{text_};
  };

  static std::string pad(std::size_t depth) { return std::string(2 * depth, ' '); }
  unsigned around() const { return steps_ * reach_; }
  // A row of step muster_s.
  std::string row() const { return "(muster_y - muster_s * " + std::to_string(lag_) + ")"; }

  // The address in the array of the element at muster_k_0, muster_k_1, which are defined.
  std::string placeIn(const std::string& array) const {
    const ir::Expression element = ir::rewritten(step_.element, [&](const ir::Expression& part) {
      return part.is(ir::ExpressionKind::Name, step_.to) ? std::optional(ir::name(array)) : std::nullopt;
    });
    return "&" + print::text(element, ir::Prec::Unary);
  }

  // Sets the pointer to where the element lies.
  std::string setPlace(const std::string& pointer, const std::string& array, const std::string& row,
                       const std::string& column, int more = 0) const {
    return "  {\n    const long muster_k_0 = " + row + ", muster_k_1 = " + column + ";\n" +
           print::text(step_.position, 2) + "    " + pointer + " = " + placeIn(array) + " + (" + std::to_string(more) +
           ");\n  }\n";
  }

  // Where the work-item's elements lie in both arrays; what may be read, in elements from there; which rows belong to
  // iterations, and whether all that the group touches does.
  std::string bounds() const {
    Lines text;
    const std::string pointer = "  __global const " + type_ + " *";
    text << pointer << "muster_start, *muster_other, *muster_goal;\n"
         << setPlace("muster_start", kFrom, "muster_lo_0", "muster_lo_1")
         << "  const long muster_left = muster_lo_1 - (long)(((ulong)muster_start / " << bytes_ << ") & "
         << columns_ - 1 << ") + (long)get_group_id(0) * (MUSTER_WG0 * " << columns_ << " - " << 2 * halo_ << ") - "
         << halo_ << ";\n"
         << "  const long muster_column = muster_left + muster_item * " << columns_ << ";\n"
         << "  const int muster_isInside = muster_column >= muster_lo_1 && muster_column + " << columns_
         << " <= muster_hi_1;\n"
         << "  const int muster_isOwn = muster_item * " << columns_ << " >= " << halo_ << " && muster_item * "
         << columns_ << " < MUSTER_WG0 * " << columns_ << " - " << halo_ << ";\n"
         << "  const int muster_low = (int)max(-muster_top, -(1L << 20));\n"
            "  const int muster_high = (int)min(muster_count_0 - muster_top, 1L << 20);\n"
         << "  const int muster_isWhole = muster_left >= muster_lo_1 && muster_left + MUSTER_WG0 * " << columns_
         << " <= muster_hi_1 && muster_low <= -" << around() << " && muster_rows + " << around() << " <= muster_high;\n"
         << setPlace("muster_start", kFrom, "muster_top", "muster_column")
         << setPlace("muster_goal", kTo, "muster_top", "muster_column")
         << setPlace("muster_other", kFrom, "muster_top + 1", "muster_column")
         << "  const long muster_stride = muster_other - muster_start;\n"
         << "  long muster_first, muster_last;\n  if (muster_stride >= 0) {\n"
         << limit("muster_first", step_.first, true, true) << limit("muster_last", step_.last, false, false)
         << "  } else {\n"
         << limit("muster_first", step_.firstBack, false, true) << limit("muster_last", step_.lastBack, true, false)
         << "  }\n"
         << "  const int muster_isAligned = (((ulong)muster_start | (ulong)muster_goal | (ulong)(muster_stride * "
         << bytes_ << ")) & " << columns_ * bytes_ - 1 << ") == 0;\n";
    return text.take();
  }

  // An element that is read furthest away from the chunk, as so many from the work-item's first one.
  std::string limit(const char* variable, const std::array<int, 2>& offset, bool isAbove, bool isLeft) const {
    const std::string most = std::to_string((steps_ - 1) * reach_), row = " + (" + std::to_string(offset[0]) + ")";
    return setPlace("muster_other", kFrom,
                    (isAbove ? "max(muster_lo_0 - " + most + ", 0L)"
                             : "min(muster_hi_0 + " + most + ", muster_count_0) - 1") +
                        row,
                    isLeft ? "muster_lo_1" : "muster_hi_1 - 1", offset[1]) +
           "  " + variable + " = muster_other - muster_start;\n";
  }

  // All rows of the group. `isWhole`: all that it touches belongs to iterations.
  std::string stream(bool isWhole) const {
    Lines text;
    const unsigned behind = steps_ * lag_;
    for (unsigned ahead = 0; ahead < window_; ++ahead)
      text << fetch("(" + std::to_string(static_cast<int>(ahead) - static_cast<int>(around())) + ")",
                    std::to_string(ahead), isWhole, 2);
    text << "    for (int muster_t = -" << around() << "; muster_t < muster_rows + " << behind
         << "; muster_t += " << window_ << ") {\n      #pragma unroll\n      for (int muster_u = 0; muster_u < "
         << window_
         << "; ++muster_u) {\n        const int muster_y = muster_t + muster_u, muster_half = muster_y & 1;\n";
    if (!step_.needsCorners) text << neighbours("0") << newest(isWhole);
    // Rows may be thrown out before they are replaced, where steps do not pass them on at once.
    text << "        #pragma unroll\n        for (int "
         << (step_.needsCorners ? "muster_s = " + std::to_string(steps_) + "; muster_s >= 1; --muster_s"
                                : "muster_s = 1; muster_s <= " + std::to_string(steps_) + "; ++muster_s")
         << ") {\n"
         << (step_.needsCorners ? neighbours("muster_s - 1")
                                : "          if (muster_s < " + std::to_string(steps_) + ") {\n" +
                                      neighbours("muster_s") + "          }\n")
         << stage(isWhole) << "        }\n";
    if (step_.needsCorners) text << newest(isWhole);
    text << "        barrier(CLK_LOCAL_MEM_FENCE);\n      }\n    }\n";
    return text.take();
  }

  std::string eachColumn(unsigned depth) const {
    return pad(depth) + "#pragma unroll\n" + pad(depth) + "for (int muster_c = 0; muster_c < " +
           std::to_string(columns_) + "; ++muster_c)";
  }
  std::string wideType() const { return type_ + std::to_string(columns_); }

  // A row of what the steps begin with, which is needed later. What lies outside of the memory that iterations read
  // counts for nothing.
  std::string fetch(const std::string& row, const std::string& slot, bool isWhole, unsigned depth) const {
    Lines text;
    const std::string in = pad(depth + 1);
    text << pad(depth) << "if (" << row << " < muster_rows + " << around() << ") {\n"
         << in << "__global const " << type_ << " *muster_place = muster_start + (" << row << ") * muster_stride;\n"
         << in << "if (muster_isAligned";
    if (!isWhole) text << " && muster_isInside && " << row << " >= muster_low && " << row << " < muster_high";
    text << ") {\n"
         << in << "  const " << wideType() << " muster_wide = *(__global const " << wideType() << " *)muster_place;\n";
    for (unsigned c = 0; c < columns_; ++c)
      text << in << "  muster_next[" << slot << "][" << c << "] = muster_wide.s" << c << ";\n";
    text << in << "} else {\n"
         << eachColumn(depth + 2) << " muster_next[" << slot
         << "][muster_c] = " << (isWhole ? "muster_place[muster_c]" : element("muster_start", row)) << ";\n"
         << in << "}\n"
         << pad(depth) << "}\n";
    return text.take();
  }

  std::string element(const std::string& array, const std::string& row) const {
    return array + "[max(muster_first, min(muster_last, " + row + " * muster_stride + muster_c))]";
  }

  // Columns of the row that came last.
  std::string neighbours(const std::string& state) const {
    Lines text;
    const auto edge = [&](unsigned at, unsigned side, const char* item) {
      text << "            muster_w[" << state << "][(muster_u + " << 2 * reach_ << ") % " << window_ << "][" << at
           << " + muster_e] = muster_edges[1 - muster_half][" << state << "][" << side << "][muster_e][" << item
           << "];\n";
    };
    text << "          #pragma unroll\n          for (int muster_e = 0; muster_e < " << reach_ << "; ++muster_e) {\n";
    edge(0, 1, "max(muster_item - 1, 0)");
    edge(columns_ + reach_, 0, "min(muster_item + 1, MUSTER_WG0 - 1)");
    text << "          }\n";
    return text.take();
  }

  std::string newest(bool isWhole) const {
    Lines text;
    text << eachColumn(4) << " muster_w[0][muster_u][" << reach_ << " + muster_c] = muster_next[muster_u][muster_c];\n"
         << fetch("(muster_y + " + std::to_string(window_) + ")", "muster_u", isWhole, 4) << edges("0", 4);
    return text.take();
  }

  // For the neighbours.
  std::string edges(const std::string& state, unsigned depth) const {
    Lines text;
    const std::string in = pad(depth);
    text << in << "#pragma unroll\n"
         << in << "for (int muster_e = 0; muster_e < " << reach_ << "; ++muster_e) {\n"
         << in << "  muster_edges[muster_half][" << state << "][0][muster_e][muster_item] = muster_w[" << state
         << "][muster_u][" << reach_ << " + muster_e];\n"
         << in << "  muster_edges[muster_half][" << state << "][1][muster_e][muster_item] = muster_w[" << state
         << "][muster_u][" << columns_ << " + muster_e];\n"
         << in << "}\n";
    return text.take();
  }

  // A row of one step.
  std::string stage(bool isWhole) const {
    Lines text;
    const std::string rows = "(" + std::to_string(steps_) + " - muster_s) * " + std::to_string(reach_);
    text << "          const int muster_row = " << row()
         << ";\n          const long muster_k_0 = muster_top + muster_row;\n"
         << "          " << type_ << " muster_made[" << columns_ << "] = {0};\n";
    // Other arrays are there for iterations that count.
    const std::string counts = "          if (muster_row >= max(muster_low, -" + rows +
                               ") && muster_row < min(muster_high, muster_rows + " + rows + "))\n";
    const auto columns = [&](bool readsOthers, const std::string& before, const std::string& value) {
      return (readsOthers ? counts : "") + eachColumn(5) +
             " {\n            const long muster_k_1 = muster_column + muster_c;\n            " +
             (readsOthers && !isWhole ? "if (muster_k_1 >= muster_lo_1 && muster_k_1 < muster_hi_1) {\n" : "{\n") +
             before + "              muster_made[muster_c] = " + value + ";\n            }\n          }\n";
    };
    text << "#ifdef MUSTER_GUEST_STEP\n          if (muster_s % 2 == MUSTER_GUEST_FIRST) {\n"
         << columns(true, "", "MUSTER_GUEST_STEP") << "          } else\n#endif\n          {\n"
         << columns(step_.readsOthers, print::text(step_.before, 7), print::text(step_.value, ir::Prec::Assignment))
         << "          }\n"
         << "          if (muster_s < " << steps_ << ") {\n"
         << (isWhole ? "" : rim()) << eachColumn(6) << " muster_w[muster_s][muster_u][" << reach_
         << " + muster_c] = muster_made[muster_c];\n"
         << edges("muster_s", 6)
         << "          } else if (muster_isOwn && muster_row >= 0 && muster_row < muster_rows) {\n"
         << store(isWhole) << "          }\n";
    return text.take();
  }

  // Elements that the loop does not write, as they are in the array that the step would write: columns from local
  // memory, since the next step waits for them.
  std::string rim() const {
    Lines text;
    text << "            if (muster_row < muster_low || muster_row >= muster_high) {\n"
         << "              __global const " << type_
         << " *muster_rim = muster_s % 2 == 0 ? muster_start : muster_goal;\n"
         << eachColumn(7) << " muster_made[muster_c] = " << element("muster_rim", "muster_row") << ";\n"
         << "            } else if (!muster_isInside) {\n"
         << "              const int muster_at = max(0, min(" << rimRows() << " - 1, muster_row + " << around()
         << "));\n"
         << eachColumn(7)
         << " if (muster_side[muster_c] >= 0) muster_made[muster_c] = "
            "muster_rims[muster_s % 2][muster_side[muster_c]][muster_at];\n            }\n";
    return text.take();
  }

  std::string rimRows() const { return "(MUSTER_ROWS + " + std::to_string(2 * around()) + ")"; }

  // The columns beside those of iterations, of both arrays, and which of them a work-item has.
  std::string rims() const {
    Lines text;
    const std::string columns = std::to_string(2 * reach_);
    text << "    for (int muster_e = muster_item; muster_e < 2 * " << columns << " * " << rimRows()
         << "; muster_e += MUSTER_WG0) {\n      const int muster_r = muster_e % " << rimRows()
         << ", muster_which = muster_e / " << rimRows() << ", muster_d = muster_which % " << columns << ";\n"
         << "      const long muster_c = (muster_d < " << reach_
         << " ? muster_lo_1 - 1 - muster_d : muster_hi_1 + (muster_d - " << reach_ << ")) - muster_column;\n"
         << "      __global const " << type_ << " *muster_rim = muster_which < " << columns
         << " ? muster_start : muster_goal;\n"
         << "      muster_rims[muster_which / " << columns
         << "][muster_d][muster_r] = " << element("muster_rim", "(muster_r - " + std::to_string(around()) + ")")
         << ";\n    }\n"
         << "    int muster_side[" << columns_ << "];\n"
         << eachColumn(2) << " {\n      const long muster_k_1 = muster_column + muster_c;\n"
         << "      muster_side[muster_c] = muster_k_1 < muster_lo_1 ? (int)min(" << reach_
         << " - 1L, muster_lo_1 - 1 - muster_k_1) : muster_k_1 >= muster_hi_1 ? " << reach_ << " + (int)min(" << reach_
         << " - 1L, muster_k_1 - muster_hi_1) : -1;\n    }\n    barrier(CLK_LOCAL_MEM_FENCE);\n";
    return text.take();
  }

  std::string store(bool isWhole) const {
    Lines text;
    text << "            __global " << type_ << " *muster_place = (__global " << type_
         << " *)muster_goal + muster_row * muster_stride;\n"
         << "            if (muster_isAligned" << (isWhole ? "" : " && muster_isInside")
         << ") {\n              *(__global " << wideType() << " *)muster_place = " << ir::maker(wideType()) << "(";
    for (unsigned c = 0; c < columns_; ++c) text << (c == 0 ? "" : ", ") << "muster_made[" << c << "]";
    text << ");\n            } else {\n"
         << eachColumn(7) << "\n                "
         << (isWhole ? "" : "if (muster_column + muster_c >= muster_lo_1 && muster_column + muster_c < muster_hi_1) ")
         << "muster_place[muster_c] = muster_made[muster_c];\n            }\n";
    return text.take();
  }

  const passes::TimeStep& step_;
  const unsigned steps_, reach_, window_, lag_;
  const ArrayFact& from_;
  const std::string type_;
  const unsigned bytes_, columns_, halo_;
};

}  // namespace

// As many as a work-item has registers for; of a copy one.
static unsigned mostSteps(const passes::TimeStep& step, unsigned bytes) {
  if (step.reach == 0) return 1;
  const unsigned columns = MUSTER_STEP_COLUMNS(bytes),
                 words = ((2 * step.reach + 1) * columns + 4 * step.reach * step.reach) * std::max(1U, bytes / 4),
                 most = std::min(kMostSteps, kMostWords / words);
  return step.reach > columns ? 0 : most - (most % 2 == 0 ? 1 : 0);
}

std::optional<passes::TimeStep> findSteps(Program& program, Scope& scope, const ir::Statements& iteration,
                                          llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule) {
  const LoopFacts& facts = program.facts;
  const bool isPlane = facts.dims.size() == 2 && !schedule.isReordered() &&
                       llvm::all_of(facts.dims, [](const DimFact& dim) { return dim.isUnit() && !dim.pointer; });
  if (!isPlane || schedule.tiled != 0 || schedule.isGrouped || program.hasFunctions() ||
      !isPlain(program, scope, schedule))
    return std::nullopt;
  ir::Statements code = iteration;
  if (ir::hasLoop(code)) {
    const auto written = passes::withoutLoops(code, kMostNodes);
    if (!written) return std::nullopt;
    code = *written;
  }
  passes::TimeStepContext context;
  context.row = scope.variable(facts.dims[0].var), context.column = scope.variable(facts.dims[1].var);
  context.memory = memoryOf(program, scope, constantOf);
  context.mayWiden = [&](const std::string& name) { return mayWiden(program, constantOf(name)); };
  context.window = stepsWindow;
  context.mostReach = kMostReach;
  auto step = passes::timeStep(code, context);
  if (!step || passes::nodesOf(code) > kMostNodes) return std::nullopt;
  const auto numberOf = [&](const std::string& name) {
    return static_cast<unsigned>(arrayNamed(program, scope, name) - facts.arrays.data());
  };
  if (numberOf(step->from) > UINT8_MAX || numberOf(step->to) > UINT8_MAX) return std::nullopt;
  const unsigned steps = mostSteps(*step, context.memory.numbersOf(step->from).bytes);
  if (step->reach != 0 && steps < kFewestSteps) return std::nullopt;
  TimeSteps& noted = schedule.steps;
  noted.most = steps, noted.reach = step->reach, noted.from = numberOf(step->from), noted.to = numberOf(step->to);
  noted.registers = step->needsCorners ? kRegistersOfCorners : kRegisters, noted.needsCorners = step->needsCorners;
  noted.isGuest = schedule.constants.empty() && scope.temporaries().empty() && !program.hasTypesOrTables();
  noted.around = {step->first, step->last, step->firstBack, step->lastBack};
  if (!step->equal[0].empty())
    for (unsigned i = 0; i < 2; ++i) noted.equal[i] = constantOf(step->equal[i]);
  return step;
}

std::string stepsFrame(Program& program, Scope& scope, const Schedule& schedule, const passes::TimeStep& step,
                       const ir::Statements& prologue) {
  return StepsPrinter(program, scope, schedule, step).print(prologue);
}

}  // namespace muster::plugin::lower
