// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/program/Frames.h"

#include "llvm/ADT/StringExtras.h"
#include "lower/expressions/Atomics.h"
#include "print/Print.h"

namespace muster::plugin::lower {

std::string Frames::guardedFrame(const std::string& iteration) const {
  std::string text;
  std::vector<std::string> outside;
  for (std::size_t d = 0; d < facts_.dims.size(); ++d) {
    const std::string k = numbered("muster_k_", d);
    text += "  const long " + k + " = " + numbered("muster_lo_", d) + " + " + workItem(d, "get_global_id") + ";\n";
    outside.push_back(k + " >= " + numbered("muster_hi_", d));
  }
  return text + "  if (" + llvm::join(outside, " || ") + ") return;\n" + prologue_ + iteration;
}

// Work-items with all of their points and others apart: without a guard between them the compiler shares and overlaps
// what they load. On axis 0 the points are a work-group apart, so that neighbours still touch neighbouring elements.
std::string Frames::pointsFrame(const std::string& iteration) const {
  const unsigned along = schedule_.dims[schedule_.pointsAxis];
  const bool isApart = schedule_.pointsAxis == 0;
  const std::string k = numbered("muster_k_", along), hi = numbered("muster_hi_", along);
  std::string text;
  std::vector<std::string> outside;
  for (unsigned d = 0; d < facts_.dims.size(); ++d) {
    const std::string name = d == along ? "muster_point" : numbered("muster_k_", d);
    text += "  const long " + name + " = " + numbered("muster_lo_", d) + " + ";
    if (d == along && isApart)
      text += workItem(d, "get_group_id") + " * (MUSTER_WG0 * MUSTER_POINTS) + " + workItem(d, "get_local_id");
    else
      text += workItem(d, "get_global_id") + (d == along ? " * MUSTER_POINTS" : "");
    text += ";\n";
    outside.push_back(name + " >= " + numbered("muster_hi_", d));
  }
  text += "  if (" + llvm::join(outside, " || ") + ") return;\n" + prologue_;
  text += "  if (muster_point + " + std::string(isApart ? "(MUSTER_POINTS - 1) * MUSTER_WG0 < " : "MUSTER_POINTS <= ") +
          hi + ") {\n    #pragma unroll\n    for (int muster_p = 0; muster_p < MUSTER_POINTS; ++muster_p) {\n" +
          "      const long " + k + " = muster_point + muster_p" + (isApart ? " * MUSTER_WG0" : "") + ";\n" +
          iteration + "    }\n";
  return text + "  } else {\n    for (long " + k + " = muster_point; " + k + " < " + hi + "; " +
         (isApart ? k + " += MUSTER_WG0" : "++" + k) + ") {\n" + iteration + "    }\n  }\n";
}

std::string Frames::stridedLoops(const std::string& iteration) const {
  std::string text, closing;
  for (std::size_t d = 0; d < facts_.dims.size(); ++d) {
    const std::string k = numbered("muster_k_", d), indent(2 + 2 * d, ' ');
    text += indent + "for (long " + k + " = " + numbered("muster_lo_", d) + " + " + workItem(d, "get_global_id") +
            "; " + k + " < " + numbered("muster_hi_", d) + "; " + k + " += " + workItem(d, "get_global_size") + ") {\n";
    closing.insert(0, indent + "}\n");
  }
  return text + iteration + closing;
}

std::string Frames::stridedFrame(const std::string& iteration) const {
  return prologue_ + stridedLoops(iteration) + (ends_ ? "muster_left:;\n" : "") + groupTree(reductions_);
}

std::string Frames::frame(const std::string& iteration) const {
  return schedule_.isStrided    ? stridedFrame(iteration)
         : schedule_.points > 1 ? pointsFrame(iteration)
                                : guardedFrame(iteration);
}

std::vector<std::pair<unsigned, Privatized>> privatizedIn(const Program& program, const Schedule& schedule) {
  std::vector<std::pair<unsigned, Privatized>> used;
  for (unsigned array : schedule.privatized)
    if (const Privatized& names = program.privatized.at(program.facts.arrays[array].var); names.update)
      used.emplace_back(array, names);
  return used;
}

// Several iterations at a time, in blocks that begin where wide reads are aligned, so many for all work-items alike;
// and then what lies in front of them and behind them.
std::string Frames::lateLoops(const std::string& iteration, const passes::LateIterations& late) const {
  const std::string width = std::to_string(late.width), blocks = std::to_string(late.lanes / late.width);
  std::string text = "  const long muster_items = (long)get_global_size(0), muster_stride = " + width +
                     " * muster_items;\n  long muster_begin = muster_lo_0;\n";
  if (late.element) {
    const std::string element = print::text(late.element);
    text += "  {\n    const long muster_k_0 = muster_lo_0;\n" + print::text(late.before, 2) +
            "    muster_begin += (long)(-((ulong)&" + element + " / sizeof(" + element + ")) & " +
            std::to_string(late.width - 1) + ");\n  }\n";
  }
  text += "  long muster_blocks = max(muster_hi_0 - muster_begin, 0L) / " + width + ";\n";
  if (late.lanes > late.width) text += "  muster_blocks -= muster_blocks % (" + blocks + " * muster_items);\n";
  return text + "  for (long muster_b = (long)get_global_id(0); muster_b < muster_blocks; muster_b += " + blocks +
         " * muster_items) {\n    const long muster_k_0 = muster_begin + muster_b * " + width + ";\n" +
         print::text(late.code, 2) + "  }\n  const long muster_done = muster_blocks * " + width +
         ";\n"
         "  for (long muster_r = muster_lo_0 + (long)get_global_id(0); muster_r < muster_hi_0 - muster_done; muster_r "
         "+= "
         "muster_items) {\n"
         "    const long muster_k_0 = muster_r < muster_begin ? muster_r : muster_r + muster_done;\n" +
         iteration + "  }\n";
}

// A work-group collects what its iterations, a whole NDRange apart, do to the arrays, and then updates these: of all
// elements, with copies for work-items beside each other, or of as many as there is room for, and then again.
std::string Frames::privateFrame(const std::string& loops) const {
  const std::string barrier = "  barrier(CLK_LOCAL_MEM_FENCE);\n";
  std::string places;
  for (const auto& [number, array] : privatizedIn(program_, schedule_))
    places += "  " + array.own + " = muster_dynamic(" + array.own + ");\n";
  std::string text = "#ifdef MUSTER_CUDA\n" + places + "#endif\n  const uint muster_lane = (uint)" +
                     std::string(laneOfGroup) + ";\n" + prologue_,
              passes = "  uint muster_passes = 1;\n#if MUSTER_PRIVATE == 2\n", collected;
  const auto each = [&](const Privatized& array, const std::string& count, const std::string& statement) {
    return "  for (uint muster_e = muster_lane; muster_e < " + count + "; muster_e += " + groupSize + ") " + statement +
           "\n";
  };
  std::string parts, cleared;
  for (const auto& [number, array] : privatizedIn(program_, schedule_)) {
    const std::string first = array.own + "_first", size = array.own + "_size";
    UpdateFact update = *array.update;
    if (update.opcode == clang::BO_Sub) update.opcode = clang::BO_Add;
    const Scalar scalar = scalarOf(program_.context, update.target->getType());
    // Work-items beside each other begin with other copies, which lie in other banks of the memory.
    const auto copyOf = [&](const std::string& copy) {
      return array.own + "[(muster_e << MUSTER_COPIES) + ((muster_e + " + copy + ") & ((1u << MUSTER_COPIES) - 1))]";
    };
    passes +=
        "  muster_passes = max(muster_passes, (" + array.count + " + " + array.room + " - 1) / " + array.room + ");\n";
    parts += "  const uint " + first + " = min(muster_pass * " + array.room + ", " + array.count + "), " + size +
             " = min(" + array.room + ", " + array.count + " - " + first + ");\n";
    cleared += each(array, size + " << MUSTER_COPIES", array.own + "[muster_e] = 0;");
    collected += each(array, size,
                      std::string("{\n    ") + scalarName(scalar) + " muster_all = " + copyOf("0") +
                          ";\n    for (uint muster_copy = 1; muster_copy < 1u << MUSTER_COPIES; ++muster_copy) "
                          "muster_all " +
                          clang::BinaryOperator::getOpcodeStr(update.opcode).str() + "= " + copyOf("muster_copy") +
                          ";\n    if (muster_all != 0) " + atomicHelper(program_, update, scalar, false) + "(" +
                          array.buffer + " + " + first + " + muster_e, muster_all);\n  }");
  }
  return text + passes +
         "#endif\n  const uint muster_own_copy = muster_lane & ((1u << MUSTER_COPIES) - 1);\n"
         "  for (uint muster_pass = 0; muster_pass < muster_passes; ++muster_pass) {\n" +
         parts + cleared + barrier + loops + barrier + collected + barrier + "  }\n";
}

std::string Frames::withPrivate(const std::string& head, const std::string& temporaries, const std::string& iteration,
                                const std::string& loops) const {
  std::string more;
  for (const auto& [number, array] : privatizedIn(program_, schedule_))
    more += ", local " + std::string(scalarName(scalarOf(program_.context, array.update->target->getType()))) + " *" +
            array.own + ", uint " + array.count + ", uint " + array.room;
  return "#ifdef MUSTER_PRIVATE\n"
         "#if MUSTER_PRIVATE == 2\n"
         "#define MUSTER_UPDATE(update, own, buffer, place, value) \\\n"
         "  update##_part(own, own##_first, own##_size, buffer, place, value)\n"
         "#else\n"
         "#define MUSTER_UPDATE(update, own, buffer, place, value) \\\n"
         "  update##_local(own + ((uint)((place) - buffer) << MUSTER_COPIES | muster_own_copy), value)\n"
         "#endif\n"
         "#define MUSTER_NEXT continue\n"
         "#else\n"
         "#define MUSTER_UPDATE(update, own, buffer, place, value) update(place, value)\n"
         "#define MUSTER_NEXT " +
         std::string(schedule_.points > 1 ? "continue" : "return") + "\n#endif\n" + head +
         (more.empty() ? "" : "\n#ifdef MUSTER_PRIVATE\n    " + more + "\n#endif\n    ") + ") {\n" + temporaries +
         (more.empty() ? frame(iteration)
                       : "#ifdef MUSTER_PRIVATE\n" + privateFrame(loops) + "#else\n" + frame(iteration) + "#endif\n") +
         "}\n";
}

}  // namespace muster::plugin::lower
