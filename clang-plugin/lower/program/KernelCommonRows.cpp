// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/Changes.h"
#include "llvm/Support/FormatVariadic.h"
#include "lower/program/Frames.h"
#include "lower/program/KernelMemory.h"
#include "lower/program/KernelTiles.h"
#include "print/Print.h"

namespace muster::plugin::lower {

namespace {

// All work-items walk along the same elements: a group loads many of them, and takes several steps at
// once.
class CommonPrinter {
 public:
  CommonPrinter(const Program& program, Scope& scope, const passes::TiledIteration& iteration)
      : tiled_(iteration.loops.front()), behind_(iteration.behind) {
    unsigned bytes = 0;
    for (const passes::StagedElement& array : tiled_.arrays) {
      const ArrayFact& fact = *arrayNamed(program, scope, array.array);
      const Scalar scalar = scalarOf(program.context, fact.element);
      types_.emplace_back(scalarName(scalar));
      bytes += bitsOf(scalar) / 8;
      steps_ = std::min(steps_, kWideBytes / (bitsOf(scalar) / 8));
    }
    while (columns_ * bytes > kMostCommonBytes) columns_ /= 2;
  }

  std::string print(const ir::Statements& prologue) const {
    const std::string columns = std::to_string(columns_), isWhole = "muster_t + " + columns + " - 1 <= muster_last";
    std::string text = ownIteration + print::text(prologue, 1) + print::text(tiled_.before, 1);
    for (std::size_t i = 0; i < types_.size(); ++i)
      text += "  __local " + types_[i] + " " + tiled_.arrays[i].tile + "[" + columns + "] __attribute__((aligned(" +
              std::to_string(kWideBytes) + ")));\n";
    ir::Statement rest = tiled_.original;
    rest.first.front().value = ir::cast(passes::typeOf(rest.first.front()), ir::name(passes::tileBegin));
    text += "  const long muster_last = " + print::text(ir::cast("long", ir::parentheses(tiled_.end))) +
            " - 1;\n  long muster_t = " + print::text(tiled_.first) + ";\n  for (; " + isWhole +
            "; muster_t += " + columns + ") {\n" + loads(columns) +
            "    #pragma unroll 4\n    for (int muster_c = 0; muster_c < " + columns +
            "; muster_c += " + std::to_string(steps_) + ") {\n" + operands();
    for (unsigned step = 0; step < steps_; ++step) text += "      {\n" + print::text(bodyOf(step), 4) + "      }\n";
    return text + "    }\n    barrier(CLK_LOCAL_MEM_FENCE);\n  }\n" + print::text(ir::Statements{rest}, 1) +
           "  if (muster_own >= muster_hi_0) return;\n" + print::text(behind_, 1);
  }

 private:
  // Defines the loop's variable.
  ir::Statement stepAt(const std::string& place) const {
    ir::Statement variable = tiled_.loop.first.front();
    variable.value = ir::cast(passes::typeOf(variable), ir::name("(muster_t + " + place + ")"));
    return variable;
  }

  std::string loads(const std::string& columns) const {
    std::string text = "    for (int muster_e = (int)get_local_id(0); muster_e < " + columns +
                       "; muster_e += MUSTER_WG0) {\n" + print::text(ir::Statements{stepAt("muster_e")}, 3);
    for (const passes::StagedElement& array : tiled_.arrays)
      text += "      " + array.tile + "[muster_e] = " + print::text(array.element) + ";\n";
    return text + "    }\n    barrier(CLK_LOCAL_MEM_FENCE);\n";
  }

  std::string operands() const {
    std::string text;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const std::string &tile = tiled_.arrays[i].tile, type = types_[i] + std::to_string(steps_);
      text += llvm::formatv("      const {0} {1}_now = *(local const {0} *)&{1}[muster_c];\n", type, tile);
    }
    return text;
  }

  ir::Statements bodyOf(unsigned step) const {
    ir::Statements body = {stepAt("muster_c + " + std::to_string(step))};
    const ir::Expression column = ir::name(passes::tileColumn);
    for (ir::Statement& statement : ir::rewritten(tiled_.loop.body, [&](const ir::Expression& part) {
           for (const passes::StagedElement& array : tiled_.arrays)
             if (part == ir::subscript(ir::name(array.tile), column))
               return std::optional(passes::partOfWide(array.tile + "_now", step));
           return std::optional<ir::Expression>();
         }))
      body.push_back(std::move(statement));
    return body;
  }

  static constexpr unsigned kWideBytes = 16, kMostCommonBytes = 16 << 10;

  const passes::TiledLoop& tiled_;
  const ir::Statements& behind_;
  std::vector<std::string> types_;
  unsigned columns_ = 1024, steps_ = 4;  // of a tile, and so many at once
};

}  // namespace

std::string commonFrame(Program& program, Scope& scope, const passes::TiledIteration& tiled,
                        const ir::Statements& prologue) {
  return CommonPrinter(program, scope, tiled).print(prologue);
}

}  // namespace muster::plugin::lower
