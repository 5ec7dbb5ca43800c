// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/KernelTiles.h"

#include "ir/Changes.h"
#include "llvm/Support/FormatVariadic.h"
#include "lower/program/Frames.h"
#include "lower/program/KernelMemory.h"
#include "muster/chunk.h"
#include "print/Print.h"

namespace muster::plugin::lower {

namespace {

// Of a row at a time: a work-group's four loaders of a row keep a quarter of it in registers. Measured: decision 36.
constexpr unsigned kMostBytes = 512, kMostColumns = 64, kFewestColumns = 8, kColumnBytes = 256;

unsigned columnsOf(const Program& program, Scope& scope, const passes::TiledLoop& tiled) {
  unsigned bytes = 0, widest = 1;
  for (const passes::StagedElement& array : tiled.arrays) {
    const unsigned own = bitsOf(scalarOf(program.context, arrayNamed(program, scope, array.array)->element)) / 8;
    bytes += array.isCommon ? 0 : own;
    widest = std::max(widest, own);
  }
  unsigned columns = kMostColumns;
  while (columns * bytes > kMostBytes || columns * widest > kColumnBytes) columns /= 2;
  return columns;
}

// How often the loop runs: always often enough, or what the launch has to ask. It chooses tiles by that.
bool setCounts(const passes::TiledLoop& tiled, llvm::function_ref<int(const std::string&)> constantOf,
               Schedule& schedule) {
  passes::InnerLoops loops = passes::countLoop(tiled.loop, constantOf);
  const unsigned shortest = tiled.isCommon() ? MUSTER_SHORTEST_COMMON : MUSTER_SHORTEST_ROW;
  if (!loops.whyNot.empty() || (loops.counts.empty() && loops.fixed < shortest)) return false;
  if (loops.counts.empty()) loops.counts.push_back({loops.fixed});
  return setLoopCounts(std::move(loops), schedule);
}

}  // namespace

FoundTiles findTiles(const Program& program, Scope& scope, const ir::Statements& iteration,
                     llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule) {
  const LoopFacts& facts = program.facts;
  if (facts.dims.size() != 1 || facts.dims[0].pointer || schedule.points != 1 || !isPlain(program, scope, schedule))
    return {};
  passes::TileContext context;
  context.row = scope.variable(facts.dims[0].var);
  context.memory = memoryOf(program, scope, constantOf);
  context.isRead = [&](const std::string& name) { return isOnlyRead(program, scope, name); };
  FoundTiles found;
  found.rows = passes::tileRows(iteration, context);
  if (found.rows &&
      (columnsOf(program, scope, *found.rows) < kFewestColumns || !setCounts(*found.rows, constantOf, schedule)))
    found.rows.reset();
  if (!found.rows) found.ragged = passes::stageRows(iteration, context);
  if (found.ragged) schedule.rowArray = arrayNamed(program, scope, found.ragged->along) - facts.arrays.data();
  if (schedule.rowArray > UINT8_MAX) found.ragged.reset();
  schedule.tiled = found.rows && found.rows->isCommon() ? MUSTER_COMMON_ROWS
                   : found.rows                         ? MUSTER_EVEN_ROWS
                   : found.ragged                       ? MUSTER_RAGGED_ROWS
                                                        : 0;
  return found;
}

namespace {

constexpr const char *kColumn = "muster_lane % MUSTER_COLUMNS", *kRow = "muster_lane / MUSTER_COLUMNS",
                     *kRowsApart = "MUSTER_WG0 * MUSTER_WG1 / MUSTER_COLUMNS";

// A form of a kernel that is printed around the code of one loop.
class TilePrinter {
 public:
  TilePrinter(Program& program, Scope& scope, const passes::TiledLoop& tiled)
      : program_(program), scope_(scope), tiled_(tiled), row_(tiled.before.front()), first_(print::text(tiled.first)) {}

  std::string print(const ir::Statements& prologue) const {
    const std::string columns = std::to_string(columnsOf(program_, scope_, tiled_));
    std::string text = "#define MUSTER_COLUMNS (" + columns +
                       " / MUSTER_TILES)\n"
                       "  const int muster_lane = (int)(get_local_id(0) + MUSTER_WG0 * get_local_id(1));\n" +
                       std::string(ownIteration) +
                       "  const long muster_group = muster_lo_0 + (long)get_group_id(0) * MUSTER_WG0;\n" +
                       print::text(prologue, 1) + print::text(tiled_.before, 1);
    for (const passes::StagedElement& array : tiled_.arrays) text += memoryOf(array);
    text += "  const " + passes::typeOf(row_) +
            " muster_row = " + print::text(rowAt(std::string("(muster_group + ") + kRow + ")")) +
            ";\n  const long muster_last = " + print::text(ir::cast("long", ir::parentheses(tiled_.end))) + " - 1;\n" +
            "  if (" + first_ + " <= muster_last) {\n" + loads(first_) + "  }\n" + "  for (long muster_t = " + first_ +
            "; muster_t <= muster_last; muster_t += MUSTER_COLUMNS) {\n    barrier(CLK_LOCAL_MEM_FENCE);\n" + stores() +
            "    barrier(CLK_LOCAL_MEM_FENCE);\n    if (muster_t + MUSTER_COLUMNS <= muster_last) {\n" +
            loads("muster_t + MUSTER_COLUMNS") +
            "    }\n    if (get_local_id(1) != 0) {\n"
            "    } else if (muster_t + MUSTER_COLUMNS - 1 <= muster_last) {\n      #pragma unroll\n" +
            loopUpTo("MUSTER_COLUMNS") +
            "    } else {\n      const int muster_count = (int)(muster_last - muster_t + 1);\n" +
            loopUpTo("muster_count") + "    }\n  }\n";
    return text + "  if (muster_own >= muster_hi_0 || get_local_id(1) != 0) return;\n" + print::text(tiled_.behind, 1);
  }

 private:
  // The row's variable in the iteration of that number.
  ir::Expression rowAt(const std::string& k) const {
    return ir::rewritten(row_.value, [&](const ir::Expression& part) {
      return part.is(ir::ExpressionKind::Name, "muster_k_0") ? std::optional(ir::name(k)) : std::nullopt;
    });
  }

  std::string memoryOf(const passes::StagedElement& array) const {
    const ArrayFact& fact = *arrayNamed(program_, scope_, array.array);
    const std::string type =
        program_.types.name(fact.element.getUnqualifiedType(), Space::Private, fact.var->getLocation());
    if (array.isCommon)
      return "  __local " + type + " " + array.tile + "[MUSTER_COLUMNS];\n  " + type + " " + array.tile + "_next;\n";
    return "  __local " + type + " " + array.tile + "_rows[MUSTER_WG0 * (MUSTER_COLUMNS + 1)];\n  __local const " +
           type + " *const " + array.tile + " = " + array.tile + "_rows + get_local_id(0) * (MUSTER_COLUMNS + 1);\n  " +
           type + " " + array.tile + "_next[MUSTER_COLUMNS / MUSTER_WG1];\n";
  }

  static std::string eachRow(const std::string& statements) {
    return "      #pragma unroll\n      for (int muster_e = 0; muster_e < MUSTER_COLUMNS / MUSTER_WG1; ++muster_e) "
           "{\n" +
           statements + "      }\n";
  }

  // Into registers. Behind the last row and the last column these are loaded again: no branch keeps loads from being
  // under way together. The same indexes as in the program, by the same types.
  std::string loads(const std::string& begin) const {
    ir::Statement column = tiled_.loop.first.front();
    column.value =
        ir::cast(passes::typeOf(column), ir::name("min((long)(" + begin + " + " + kColumn + "), muster_last)"));
    std::string own, common;
    for (const passes::StagedElement& array : tiled_.arrays)
      (array.isCommon ? common : own) += (array.isCommon ? "      " : "        ") + array.tile +
                                         (array.isCommon ? "_next" : "_next[muster_e]") + " = " +
                                         print::text(array.element) + ";\n";
    const bool isUnit = program_.facts.dims[0].isUnit();
    const std::string type = passes::typeOf(row_), apart = std::string("muster_e * (") + kRowsApart + ")";
    ir::Statement inside = row_, edge = row_;
    inside.value = ir::name("muster_row + (" + type + ")(" + apart + (isUnit ? ")" : " * muster_step_0)"));
    edge.value = rowAt("muster_k");
    return print::text(ir::Statements{column}, 3) + "      if (muster_group + MUSTER_WG0 <= muster_hi_0) {\n" +
           eachRow(print::text(ir::Statements{inside}, 4) + own) + "      } else {\n" +
           eachRow("        const long muster_k = min(muster_group + " + std::string(kRow) + " + " + apart +
                   ", muster_hi_0 - 1);\n" + print::text(ir::Statements{edge}, 4) + own) +
           "      }\n" + common;
  }

  std::string stores() const {
    std::string own, common;
    for (const passes::StagedElement& array : tiled_.arrays)
      if (array.isCommon)
        common +=
            "      if (muster_lane < MUSTER_COLUMNS) " + array.tile + "[muster_lane] = " + array.tile + "_next;\n";
      else
        own += "        " + array.tile + "_rows[(" + kRow + " + muster_e * (" + kRowsApart +
               ")) * (MUSTER_COLUMNS + 1) + " + kColumn + "] = " + array.tile + "_next[muster_e];\n";
    return eachRow(own) + common;
  }

  std::string loopUpTo(const std::string& count) const {
    const ir::Expression column = ir::name(passes::tileColumn);
    ir::Statement variable = tiled_.loop.first.front();
    variable.value = ir::binary("+", ir::name(passes::tileBegin), column);
    ir::Statement loop{ir::StatementKind::For, "", ir::binary("<", column, ir::name(count)), ir::prefix("++", column)};
    loop.first = {ir::define(std::string("int ") + passes::tileColumn, ir::literal("0"))};
    loop.body = {variable};
    loop.body.insert(loop.body.end(), tiled_.loop.body.begin(), tiled_.loop.body.end());
    return print::text(ir::Statements{loop}, 3);
  }

  Program& program_;
  Scope& scope_;
  const passes::TiledLoop& tiled_;
  const ir::Statement& row_;  // defines the variable of the iteration
  const std::string first_;
};

// The same where all work-items walk along the same elements: a group loads many of them, and takes several steps at
// once.
class CommonPrinter {
 public:
  CommonPrinter(const Program& program, Scope& scope, const passes::TiledLoop& tiled) : tiled_(tiled) {
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
           "  if (muster_own >= muster_hi_0) return;\n" + print::text(tiled_.behind, 1);
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
      text += llvm::formatv("      const {0} {1}_now = *(__local const {0} *)&{1}[muster_c];\n", type, tile);
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
  std::vector<std::string> types_;
  unsigned columns_ = 1024, steps_ = 4;  // of a tile, and so many at once
};

}  // namespace

// Work-items behind the last iteration repeat it up to the end of the loop: all of a group meet at the barriers.
std::string tiledFrame(Program& program, Scope& scope, const passes::TiledLoop& tiled, const ir::Statements& prologue) {
  if (tiled.isCommon()) return CommonPrinter(program, scope, tiled).print(prologue);
  return TilePrinter(program, scope, tiled).print(prologue);
}

}  // namespace muster::plugin::lower
