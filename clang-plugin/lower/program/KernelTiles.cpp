// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/KernelTiles.h"

#include <map>

#include "ir/Changes.h"
#include "lower/program/Frames.h"
#include "lower/program/KernelMemory.h"
#include "muster/chunk.h"
#include "print/Print.h"

namespace muster::plugin::lower {

namespace {

// Of a row at a time: a work-group's four loaders of a row keep a quarter of it in registers. Measured: decision 36;
// where rows are stored, too: decision 49.
constexpr unsigned kMostBytes = 512, kMostStoredBytes = 1024, kMostColumns = 64, kFewestColumns = 8, kColumnBytes = 256;

unsigned bytesOf(const Program& program, Scope& scope, const passes::StagedElement& array) {
  return bitsOf(scalarOf(program.context, arrayNamed(program, scope, array.array)->element)) / 8;
}

// Bytes of a row's column, of a loop and of all that lie in memory of one type: tiles of loops share it.
unsigned columnsOf(const Program& program, Scope& scope, const passes::TiledIteration& tiled) {
  const unsigned most = tiled.hasOwners ? kMostStoredBytes : kMostBytes;
  unsigned columns = kMostColumns, all = 0;
  std::map<Scalar, unsigned> bytesOfTypes;
  for (const passes::TiledLoop& loop : tiled.loops) {
    unsigned bytes = 0, widest = 1;
    std::map<Scalar, unsigned> types;
    for (const passes::StagedElement& array : loop.arrays) {
      const unsigned own = bytesOf(program, scope, array);
      bytes += array.isCommon ? 0 : own;
      widest = std::max(widest, own);
      types[scalarOf(program.context, arrayNamed(program, scope, array.array)->element)] += own;
    }
    for (const auto& [type, needed] : types) bytesOfTypes[type] = std::max(bytesOfTypes[type], needed);
    while (columns * bytes > most || columns * widest > kColumnBytes) columns /= 2;
  }
  for (const auto& [type, bytes] : bytesOfTypes) all += bytes;
  while (columns * all > kMostStoredBytes) columns /= 2;
  return columns;
}

// How often the first loop runs: always often enough, or what the launch has to ask. It chooses tiles by that.
bool setCounts(const passes::TiledIteration& tiled, llvm::function_ref<int(const std::string&)> constantOf,
               Schedule& schedule) {
  passes::InnerLoops loops = passes::countLoop(tiled.loops.front().original, constantOf);
  const unsigned shortest = tiled.isCommon() ? MUSTER_SHORTEST_COMMON : MUSTER_SHORTEST_ROW;
  if (!loops.whyNot.empty() || (loops.counts.empty() && loops.fixed < shortest)) return false;
  if (loops.counts.empty()) loops.counts.push_back({loops.fixed});
  return setLoopCounts(std::move(loops), schedule);
}

}  // namespace

FoundTiles findTiles(const Program& program, Scope& scope, const ir::Statements& iteration,
                     llvm::function_ref<int(const std::string&)> constantOf, Schedule& schedule) {
  const LoopFacts& facts = program.facts;
  if (facts.dims.size() != 1 || facts.dims[0].pointer || schedule.points != 1 || schedule.isGrouped ||
      !isPlain(program, scope, schedule))
    return {};
  passes::TileContext context;
  context.row = scope.variable(facts.dims[0].var);
  context.memory = memoryOf(program, scope, constantOf);
  context.isRead = [&](const std::string& name) { return isOnlyRead(program, scope, name); };
  FoundTiles found;
  found.rows = passes::tileRows(iteration, context);
  // Compilers forward what is written by `restrict` across barriers (lower/program/Kernel.cpp).
  if (found.rows && found.rows->hasOwners && facts.needsDistinct && facts.groupLoops.empty()) found.rows.reset();
  if (found.rows &&
      (columnsOf(program, scope, *found.rows) < kFewestColumns || !setCounts(*found.rows, constantOf, schedule)))
    found.rows.reset();
  if (!found.rows) found.ragged = passes::stageRows(iteration, context);
  if (found.ragged) schedule.rowArray = arrayNamed(program, scope, found.ragged->along) - facts.arrays.data();
  if (schedule.rowArray > UINT8_MAX) found.ragged.reset();
  schedule.tiled = found.rows && found.rows->isCommon()  ? MUSTER_COMMON_ROWS
                   : found.rows && found.rows->hasOwners ? MUSTER_STORED_ROWS
                   : found.rows                          ? MUSTER_EVEN_ROWS
                   : found.ragged                        ? MUSTER_RAGGED_ROWS
                                                         : 0;
  return found;
}

namespace {

constexpr const char *kColumn = "muster_lane % MUSTER_COLUMNS", *kRow = "muster_lane / MUSTER_COLUMNS",
                     *kRowsApart = "MUSTER_WG0 * MUSTER_WG1 / MUSTER_COLUMNS";

// POCL's compiler (5.0) ends in an assertion where it is to unroll some of these between barriers.
const std::string unrolled = "#ifdef __NV_CL_C_VERSION\n      #pragma unroll\n#endif\n";

std::string eachRow(const std::string& statements) {
  return unrolled + "      for (int muster_e = 0; muster_e < MUSTER_COLUMNS / MUSTER_WG1; ++muster_e) {\n" +
         statements + "      }\n";
}

// Where a tile lies: an array in local memory.
struct TileMemory {
  std::string type, name;
  bool isCommon;
};

// The code of one loop over tiles.
class LoopPrinter {
 public:
  // `row`: defines the variable of the iteration. `owner`: whether a work-item goes through the steps.
  LoopPrinter(const passes::TiledLoop& loop, const ir::Statement& row, bool isUnit, const char* owner)
      : loop_(loop),
        row_(row),
        isUnit_(isUnit),
        owner_(owner),
        plus_(loop.isDown ? " - " : " + "),
        upTo_(loop.isDown ? " >= " : " <= ") {}

  // `memory`: where the tile of each array lies.
  std::string print(std::vector<TileMemory> memory) {
    memory_ = std::move(memory);
    std::string text = "  {\n";
    forEachTile([&](const passes::StagedElement& array, const TileMemory& in) { text += pointer(array, in); });
    const std::string last = loop_.isDown ? loop_.isInclusive ? "" : " + 1" : " - 1";
    // As the program converts it.
    const ir::Expression first = ir::cast(passes::typeOf(loop_.original.first.front()), ir::parentheses(loop_.first));
    const std::string next = "muster_t" + plus_ + "MUSTER_COLUMNS", barrier = "    barrier(CLK_LOCAL_MEM_FENCE);\n";
    const auto loadIf = [&](const char* indent, const std::string& begin) {
      return indent + ("if (" + begin + upTo_) + "muster_last) {\n" + loads(begin) + indent + "}\n";
    };
    const bool isLoaded = llvm::any_of(loop_.arrays, [](const passes::StagedElement& array) { return array.isLoaded; });
    text += "  const long muster_begin = " + print::text(ir::cast("long", first)) +
            ", muster_last = " + print::text(ir::cast("long", ir::parentheses(loop_.end))) + last + ";\n" + carried() +
            (isLoaded ? loadIf("  ", "muster_begin") : "") + "  long muster_t = muster_begin;\n  do {\n" + barrier +
            (isLoaded ? fill() + barrier + loadIf("    ", next) : "") + "    if (!(" + owner_ +
            ")) {\n    } else if (muster_t" + plus_ + "(MUSTER_COLUMNS - 1)" + upTo_ + "muster_last) {\n" + unrolled +
            steps("MUSTER_COLUMNS") + "    } else {\n      const int muster_count = (int)max(" +
            (loop_.isDown ? "muster_t - muster_last" : "muster_last - muster_t") + " + 1, (long)0);\n" +
            steps("muster_count") + "    }\n" + stores() + "    muster_t" + plus_.substr(0, 2) +
            "= MUSTER_COLUMNS;\n  } while (muster_t" + upTo_ + "muster_last);\n  }\n";
    return text;
  }

  // The row's variable in the iteration of that number.
  static ir::Expression rowAt(const ir::Statement& row, const std::string& k) {
    return ir::rewritten(row.value, [&](const ir::Expression& part) {
      return part.is(ir::ExpressionKind::Name, "muster_k_0") ? std::optional(ir::name(k)) : std::nullopt;
    });
  }

 private:
  void forEachTile(llvm::function_ref<void(const passes::StagedElement&, const TileMemory&)> visit) const {
    for (std::size_t i = 0; i < memory_.size(); ++i) visit(loop_.arrays[i], memory_[i]);
  }

  // To the elements of the work-item's own row, and what is loaded for the next steps.
  static std::string pointer(const passes::StagedElement& array, const TileMemory& memory) {
    const std::string row = array.isCommon ? "" : " + get_local_id(0) * (MUSTER_COLUMNS + 1)",
                      constant = array.isStored ? "" : "const ", item = "  " + memory.type + " " + array.tile,
                      count = array.isCommon ? "" : "[MUSTER_COLUMNS / MUSTER_WG1]";
    return "  local " + constant + memory.type + " *const " + array.tile + " = " + memory.name + row + ";\n" +
           (array.isLoaded ? item + "_next" + count + ";\n" : "");
  }

  ir::Statement stepAt(const std::string& value) const {
    ir::Statement column = loop_.original.first.front();
    column.value = ir::cast(passes::typeOf(column), ir::parentheses(ir::name(value)));
    return column;
  }

  std::string carried() const {
    std::string text, values;
    for (const passes::CarriedElement& element : loop_.carried) {
      text += "  " + element.type + " " + element.name + " = 0;\n";
      values += "    " + element.name + " = " + print::text(element.first) + ";\n";
    }
    if (values.empty()) return "";
    return text + "  if (" + owner_ + " && muster_begin" + upTo_ + "muster_last) {\n" +
           print::text(ir::Statements{stepAt("muster_begin")}, 2) + values + "  }\n";
  }

  // Each of the work-group's rows that a work-item loads or stores, behind whose last one are perhaps others' rows.
  std::string eachRowOfItem(const std::string& inside, const std::string& edge) const {
    const std::string type = passes::typeOf(row_), apart = std::string("muster_e * (") + kRowsApart + ")";
    ir::Statement row = row_, edgeRow = row_;
    row.value = ir::name("muster_row + (" + type + ")(" + apart + (isUnit_ ? ")" : " * muster_step_0)"));
    edgeRow.value = rowAt(row_, "muster_k");
    return "      if (muster_group + MUSTER_WG0 <= muster_hi_0) {\n" +
           eachRow(print::text(ir::Statements{row}, 4) + inside) + "      } else {\n" +
           eachRow("        const long muster_k = min(muster_group + " + std::string(kRow) + " + " + apart +
                   ", muster_hi_0 - 1);\n" + print::text(ir::Statements{edgeRow}, 4) + edge) +
           "      }\n";
  }

  // Into registers. Behind the last row and the last column these are loaded again: no branch keeps loads from being
  // under way together. The same indexes as in the program, by the same types.
  std::string loads(const std::string& begin) const {
    const std::string place = begin + plus_ + kColumn;
    std::string own, common;
    for (const passes::StagedElement& array : loop_.arrays) {
      if (!array.isLoaded) continue;
      (array.isCommon ? common : own) += (array.isCommon ? "      " : "        ") + array.tile +
                                         (array.isCommon ? "_next" : "_next[muster_e]") + " = " +
                                         print::text(array.element) + ";\n";
    }
    const ir::Statement column = stepAt((loop_.isDown ? "max((long)(" : "min((long)(") + place + "), muster_last)");
    return print::text(ir::Statements{column}, 3) + (own.empty() ? "" : eachRowOfItem(own, own)) + common;
  }

  static std::string placeInTile() {
    return std::string("(") + kRow + " + muster_e * (" + kRowsApart + ")) * (MUSTER_COLUMNS + 1) + " + kColumn;
  }

  // The tiles, from registers.
  std::string fill() const {
    std::string own, common;
    forEachTile([&](const passes::StagedElement& array, const TileMemory& memory) {
      if (array.isLoaded && array.isCommon)
        common +=
            "      if (muster_lane < MUSTER_COLUMNS) " + memory.name + "[muster_lane] = " + array.tile + "_next;\n";
      else if (array.isLoaded)
        own += "        " + memory.name + "[" + placeInTile() + "] = " + array.tile + "_next[muster_e];\n";
    });
    return (own.empty() ? "" : eachRow(own)) + common;
  }

  std::string steps(const std::string& count) const {
    const ir::Expression column = ir::name(passes::tileColumn);
    ir::Statement loop{ir::StatementKind::For, "", ir::binary("<", column, ir::name(count)), ir::prefix("++", column)};
    loop.first = {ir::define(std::string("int ") + passes::tileColumn, ir::literal("0"))};
    loop.body = {stepAt(passes::tileBegin + plus_ + passes::tileColumn)};
    loop.body.insert(loop.body.end(), loop_.loop.body.begin(), loop_.loop.body.end());
    for (const passes::CarriedElement& element : loop_.carried)
      for (const passes::StagedElement& array : loop_.arrays)
        if (array.isStored && array.array == element.array)
          loop.body.push_back(
              ir::evaluate(ir::assign(ir::name(element.name), ir::subscript(ir::name(array.tile), column))));
    return print::text(ir::Statements{loop}, 3);
  }

  // What the steps have stored to tiles.
  std::string stores() const {
    std::string inside, edge;
    const std::string place = std::string("muster_t") + plus_ + kColumn,
                      isInside = "if (" + place + upTo_ + "muster_last";
    forEachTile([&](const passes::StagedElement& array, const TileMemory& memory) {
      if (!array.isStored) return;
      const std::string store = print::text(array.element) + " = " + memory.name + "[" + placeInTile() + "];\n";
      inside += "        " + isInside + ") " + store;
      edge += "        " + isInside + " && muster_k == muster_group + " + kRow + " + muster_e * (" + kRowsApart +
              ")) " + store;
    });
    if (inside.empty()) return "";
    return "    barrier(CLK_LOCAL_MEM_FENCE);\n" + print::text(ir::Statements{stepAt(place)}, 3) +
           eachRowOfItem(inside, edge);
  }

  const passes::TiledLoop& loop_;
  const ir::Statement& row_;
  const bool isUnit_;
  const std::string owner_, plus_, upTo_;
  std::vector<TileMemory> memory_;
};

// A form of a kernel that is printed around the code of its loops along rows.
class TilePrinter {
 public:
  TilePrinter(Program& program, Scope& scope, const passes::TiledIteration& tiled)
      : program_(program), scope_(scope), tiled_(tiled) {}

  std::string print(const ir::Statements& prologue) {
    const ir::Statement& row = tiled_.loops.front().before.front();
    const char* const isOwner = tiled_.hasOwners ? passes::tileOwner : "get_local_id(1) == 0";
    const std::string barrier = tiled_.hasOwners ? "  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n" : "";
    std::string loops;
    // One of them stands behind each loop; in front of it where something stands between.
    for (const passes::TiledLoop& loop : tiled_.loops)
      loops += print::text(loop.before, 1) + (loop.before.empty() ? "" : barrier) +
               LoopPrinter(loop, row, program_.facts.dims[0].isUnit(), isOwner).print(memoryOf(loop)) + barrier;
    std::string text = "#define MUSTER_COLUMNS (" + std::to_string(columnsOf(program_, scope_, tiled_)) +
                       " / MUSTER_TILES)\n"
                       "  const int muster_lane = (int)(get_local_id(0) + MUSTER_WG0 * get_local_id(1));\n" +
                       std::string(ownIteration) +
                       "  const long muster_group = muster_lo_0 + (long)get_group_id(0) * MUSTER_WG0;\n";
    if (tiled_.hasOwners)
      text +=
          std::string("  const int ") + passes::tileOwner + " = get_local_id(1) == 0 && muster_own < muster_hi_0;\n";
    text += print::text(prologue, 1);
    for (const TileMemory& memory : all_)
      text += "  __local " + memory.type + " " + memory.name +
              (memory.isCommon ? "[MUSTER_COLUMNS];\n" : "[MUSTER_WG0 * (MUSTER_COLUMNS + 1)];\n");
    return text + "  const " + passes::typeOf(row) +
           " muster_row = " + print::text(LoopPrinter::rowAt(row, std::string("(muster_group + ") + kRow + ")")) +
           ";\n" + loops + "  if (muster_own >= muster_hi_0 || get_local_id(1) != 0) return;\n" +
           print::text(tiled_.behind, 1);
  }

 private:
  // Tiles of the loops one behind the other lie in the same memory.
  std::vector<TileMemory> memoryOf(const passes::TiledLoop& loop) {
    std::vector<TileMemory> memory;
    std::vector<bool> isTaken(all_.size(), false);
    for (const passes::StagedElement& array : loop.arrays) {
      const ArrayFact& fact = *arrayNamed(program_, scope_, array.array);
      const std::string type =
          program_.types.name(fact.element.getUnqualifiedType(), Space::Private, fact.var->getLocation());
      std::size_t at = 0;
      while (at < all_.size() && (isTaken[at] || all_[at].type != type || all_[at].isCommon != array.isCommon)) ++at;
      if (at == all_.size())
        all_.push_back({type, numbered("muster_rows", at), array.isCommon}), isTaken.push_back(false);
      isTaken[at] = true;
      memory.push_back(all_[at]);
    }
    return memory;
  }

  Program& program_;
  Scope& scope_;
  const passes::TiledIteration& tiled_;
  std::vector<TileMemory> all_;
};

}  // namespace

// Work-items behind the last iteration repeat it up to the end of the loop: all of a group meet at the barriers.
std::string tiledFrame(Program& program, Scope& scope, const passes::TiledIteration& tiled,
                       const ir::Statements& prologue) {
  if (tiled.isCommon()) return commonFrame(program, scope, tiled, prologue);
  return TilePrinter(program, scope, tiled).print(prologue);
}

}  // namespace muster::plugin::lower
