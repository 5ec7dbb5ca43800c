// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/KernelTiles.h"

#include "ir/Changes.h"
#include "lower/program/KernelMemory.h"
#include "muster/chunk.h"
#include "print/Print.h"

namespace muster::plugin::lower {

namespace {

// Of a row at a time: as much as there are registers for what is loaded next.
constexpr unsigned kTileBytes = 256, kMostColumns = 32, kFewestColumns = 8;

// Of smaller ones several work-items' are in one line of memory for long enough.
constexpr unsigned kFewestBytes = 4;

unsigned columnsOf(const Program& program, Scope& scope, const passes::TiledLoop& tiled) {
  unsigned bytes = 0;
  for (const passes::TiledLoop::Array& array : tiled.arrays)
    bytes += bitsOf(scalarOf(program.context, arrayNamed(program, scope, array.name)->element)) / 8;
  unsigned columns = kMostColumns;
  while (columns * bytes > kTileBytes) columns /= 2;
  return columns;
}

// How often the loop runs: always often enough, or what the launch has to ask.
bool setCounts(const passes::TiledLoop& tiled, llvm::function_ref<int(const std::string&)> constantOf,
               Schedule& schedule) {
  passes::InnerLoops loops = passes::countLoop(tiled.loop, constantOf);
  if (!loops.whyNot.empty() || (loops.counts.empty() && loops.fixed < MUSTER_SHORTEST_ROW)) return false;
  return setLoopCounts(std::move(loops), schedule);
}

}  // namespace

std::optional<passes::TiledLoop> findTiles(const Program& program, Scope& scope, const ir::Statements& iteration,
                                           llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule) {
  const LoopFacts& facts = program.facts;
  const bool isPlain = facts.dims.size() == 1 && !facts.dims[0].pointer && !schedule.isStrided && schedule.points == 1;
  if (!isPlain || !facts.results.empty() || !schedule.privatized.empty() || scope.ends() ||
      !facts.firstprivates.empty())
    return std::nullopt;
  passes::TileContext context;
  context.row = scope.variable(facts.dims[0].var);
  context.memory = memoryOf(program, scope, constantOf);
  context.isRead = [&](const std::string& name) {
    const ArrayFact* array = arrayNamed(program, scope, name);
    return array && !array->written && context.memory.numbersOf(name).bytes >= kFewestBytes;
  };
  std::optional<passes::TiledLoop> tiled = passes::tileRows(iteration, context);
  if (!tiled || columnsOf(program, scope, *tiled) < kFewestColumns || !setCounts(*tiled, constantOf, schedule))
    return std::nullopt;
  schedule.isTiled = true;
  return tiled;
}

namespace {

// What loads the tile that begins at `begin` into registers: no branch keeps loads from being under way together, since
// behind the last row and the last column these are loaded again.
std::string loadOf(const passes::TiledLoop& tiled, const std::string& columns, const std::string& begin) {
  // The row's variable, of the row that is loaded.
  ir::Statement row = tiled.before.front();
  row.value = ir::rewritten(row.value, [](const ir::Expression& part) {
    return part.is(ir::ExpressionKind::Name, "muster_k_0") ? std::optional(ir::name("muster_k")) : std::nullopt;
  });
  std::string text = "#pragma unroll\n    for (int muster_e = 0; muster_e < " + columns + "; ++muster_e) {\n" +
                     "      const int muster_at = (int)get_local_id(0) + muster_e * MUSTER_WG0;\n" +
                     "      const long muster_k = min(muster_group + muster_at / " + columns +
                     ", muster_hi_0 - 1);\n      const long muster_column = min((long)(" + begin + " + muster_at % " +
                     columns + "), muster_last);\n";
  // The same index as in the program, by the same types.
  ir::Statement variable = tiled.loop.first.front();
  variable.value = ir::cast(passes::typeOf(variable), ir::name("muster_column"));
  text += print::text(ir::Statements{row, variable}, 3);
  for (const passes::TiledLoop::Array& array : tiled.arrays)
    text += "      " + array.tile + "_next[muster_e] = " + print::text(array.element) + ";\n";
  return text + "    }\n";
}

}  // namespace

// Work-items behind the last iteration repeat it up to the end of the loop: all of a group meet at the barriers.
std::string tiledFrame(Program& program, Scope& scope, const passes::TiledLoop& tiled, const ir::Statements& prologue) {
  const unsigned width = columnsOf(program, scope, tiled);
  const std::string columns = std::to_string(width), pitch = std::to_string(width + 1);
  std::string text =
      "  const long muster_own = muster_lo_0 + (long)get_global_id(0);\n"
      "  const long muster_k_0 = muster_own < muster_hi_0 ? muster_own : muster_hi_0 - 1;\n"
      "  const long muster_group = muster_lo_0 + (long)get_group_id(0) * MUSTER_WG0;\n" +
      print::text(prologue, 1) + print::text(tiled.before, 1);
  std::string stores;
  for (const passes::TiledLoop::Array& array : tiled.arrays) {
    const ArrayFact& fact = *arrayNamed(program, scope, array.name);
    const std::string type =
        program.types.name(fact.element.getUnqualifiedType(), Space::Private, fact.var->getLocation());
    text += "  __local " + type + " " + array.tile + "_rows[MUSTER_WG0 * " + pitch + "];\n  __local const " + type +
            " *const " + array.tile + " = " + array.tile + "_rows + get_local_id(0) * " + pitch + ";\n  " + type + " " +
            array.tile + "_next[" + columns + "];\n";
    stores += "      " + array.tile + "_rows[muster_at / " + columns + " * " + pitch + " + muster_at % " + columns +
              "] = " + array.tile + "_next[muster_e];\n";
  }
  const std::string first = print::text(tiled.first);
  const ir::Expression column = ir::name(passes::tileColumn);
  ir::Statement variable = tiled.loop.first.front();
  variable.value = ir::binary("+", ir::name(passes::tileBegin), column);
  const auto loopUpTo = [&](const std::string& count) {
    ir::Statement loop{ir::StatementKind::For, "", ir::binary("<", column, ir::name(count)), ir::prefix("++", column)};
    loop.first = {ir::define(std::string("int ") + passes::tileColumn, ir::literal("0"))};
    loop.body = {variable};
    loop.body.insert(loop.body.end(), tiled.loop.body.begin(), tiled.loop.body.end());
    return print::text(ir::Statements{loop}, 3);
  };
  text += "  const long muster_last = " + print::text(ir::cast("long", ir::parentheses(tiled.end))) + " - 1;\n" +
          "  if (" + first + " <= muster_last) {\n    " + loadOf(tiled, columns, first) + "  }\n" +
          "  for (long muster_t = " + first + "; muster_t <= muster_last; muster_t += " + columns + ") {\n" +
          "    barrier(CLK_LOCAL_MEM_FENCE);\n    #pragma unroll\n    for (int muster_e = 0; muster_e < " + columns +
          "; ++muster_e) {\n      const int muster_at = (int)get_local_id(0) + muster_e * MUSTER_WG0;\n" + stores +
          "    }\n    barrier(CLK_LOCAL_MEM_FENCE);\n    if (muster_t + " + columns + " <= muster_last) {\n    " +
          loadOf(tiled, columns, "muster_t + " + columns) + "    }\n" + "    if (muster_t + " + columns +
          " - 1 <= muster_last) {\n      #pragma unroll\n" + loopUpTo(columns) +
          "    } else {\n      const int muster_count = (int)(muster_last - muster_t + 1);\n" +
          loopUpTo("muster_count") + "    }\n  }\n";
  return text + "  if (muster_own >= muster_hi_0) return;\n" + print::text(tiled.behind, 1);
}

}  // namespace muster::plugin::lower
