// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/KernelRows.h"

#include "ir/Changes.h"
#include "lower/program/Frames.h"
#include "lower/program/KernelMemory.h"
#include "muster/chunk.h"
#include "print/Print.h"

namespace muster::plugin::lower {

namespace {

// Of a group's rows at a time. Measured: decision 36.
constexpr unsigned kTileBytes = 16384, kMostElements = 1024;

}  // namespace

// Rows are loaded together if each begins where the one before it ends: then each element is one of theirs. The code
// around the loop over tiles has no conditions, since POCL goes wrong with barriers in these: it runs zero times.
std::string raggedFrame(Program& program, Scope& scope, const passes::RaggedLoop& ragged,
                        const ir::Statements& prologue) {
  unsigned bytes = 0;
  for (const passes::StagedElement& element : ragged.elements)
    bytes += bitsOf(scalarOf(program.context, arrayNamed(program, scope, element.array)->element)) / 8;
  unsigned elements = kMostElements;
  while (elements > 1 && elements * bytes > kTileBytes) elements /= 2;
  const ir::Statement& variable = ragged.loop.first.front();
  const auto at = [&](const std::string& place) {
    ir::Statement own = variable;
    own.value = ir::cast(passes::typeOf(variable), ir::parentheses(ir::name(place)));
    return print::text(ir::Statements{own}, 3);
  };
  std::string memory, loads;
  for (const passes::StagedElement& element : ragged.elements) {
    const ArrayFact& fact = *arrayNamed(program, scope, element.array);
    memory += "  __local " +
              program.types.name(fact.element.getUnqualifiedType(), Space::Private, fact.var->getLocation()) + " " +
              element.tile + "[MUSTER_ELEMENTS + MUSTER_ELEMENTS / 32];\n";
    loads += "      " + element.tile + "[muster_e + (muster_e >> 5)] = " + print::text(element.element) + ";\n";
  }
  return "#define MUSTER_ELEMENTS " + std::to_string(elements) +
         "\n"
         "  const int muster_lane = (int)get_local_id(0);\n" +
         std::string(ownIteration) + print::text(prologue, 1) + print::text(ragged.before, 1) + memory +
         "  __local long muster_firsts[MUSTER_WG0 + 1];\n  __local int muster_apart;\n  const " +
         passes::typeOf(variable) + " muster_begin = " + print::text(ragged.first) +
         ";\n  const long muster_end = (long)(" + print::text(ragged.end) +
         "), muster_first = muster_own < muster_hi_0 ? (long)muster_begin : muster_end;\n"
         "  muster_firsts[muster_lane] = muster_first;\n"
         "  if (muster_lane == MUSTER_WG0 - 1) muster_firsts[MUSTER_WG0] = muster_end;\n"
         "  if (muster_lane == 0) muster_apart = 0;\n"
         "  barrier(CLK_LOCAL_MEM_FENCE);\n"
         "  if (muster_first < 0 || muster_end < muster_first || muster_end != muster_firsts[muster_lane + 1]) "
         "muster_apart = 1;\n"
         "  barrier(CLK_LOCAL_MEM_FENCE);\n"
         "  const long muster_low = muster_firsts[0], muster_all = muster_firsts[MUSTER_WG0];\n"
         "  const long muster_high = muster_apart == 0 && muster_all - muster_low >= " +
         std::to_string(MUSTER_SHORTEST_RAGGED_ROW) +
         " * MUSTER_WG0 ? muster_all : muster_low;\n"
         "  for (long muster_t = muster_low; muster_t < muster_high; muster_t += MUSTER_ELEMENTS) {\n"
         "    barrier(CLK_LOCAL_MEM_FENCE);\n"
         "    const int muster_count = (int)min((long)MUSTER_ELEMENTS, muster_high - muster_t);\n"
         "    for (int muster_e = muster_lane; muster_e < muster_count; muster_e += MUSTER_WG0) {\n" +
         at("muster_t + muster_e") + loads +
         "    }\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
         "    const long muster_next = muster_t + MUSTER_ELEMENTS;\n"
         "    const int muster_from = (int)(clamp(muster_first, muster_t, muster_next) - muster_t), muster_to = "
         "(int)(clamp(muster_end, muster_t, muster_next) - muster_t);\n"
         "    for (int muster_e = muster_from; muster_e < muster_to; ++muster_e) {\n" +
         at("muster_t + muster_e") + "      const int " + passes::tileColumn + " = muster_e + (muster_e >> 5);\n" +
         print::text(ragged.body, 3) +
         "    }\n  }\n"
         "  if (muster_own >= muster_hi_0) return;\n"
         "  if (muster_high == muster_low) {\n" +
         print::text(ir::Statements{ragged.loop}, 2) + "  }\n" + print::text(ragged.behind, 1);
}

}  // namespace muster::plugin::lower
