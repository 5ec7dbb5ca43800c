// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: identities, combination, and the tree over a work-group.
#include "opencl/program/Reductions.h"

#include "muster/abi.h"

namespace muster::plugin::opencl {

namespace {

std::string zeroOf(Scalar scalar) { return scalar == Scalar::F64 ? "0.0" : scalar == Scalar::F32 ? "0.0f" : "0"; }

std::string oneOf(Scalar scalar) { return scalar == Scalar::F64 ? "1.0" : scalar == Scalar::F32 ? "1.0f" : "1"; }

std::string allBits(const Reduction& reduction) {
  if (reduction.isBool) return "1";
  const Text smallest = smallestText(reduction.scalar);
  return smallest.text == "0" || smallest.text == "0u" || smallest.text == "0UL" ? largestText(reduction.scalar).text
                                                                                 : "-1";
}

std::string combinedByUser(const Reduction& reduction, const std::string& mine, const std::string& other) {
  return "      {\n        " + reduction.type + " " + reduction.outName + " = " + mine + ", " + reduction.inName +
         " = " + other + ";\n" + reduction.combiner + "        " + mine + " = " + reduction.outName + ";\n      }\n";
}

}  // namespace

std::string combination(const Reduction& reduction, const std::string& left, const std::string& right) {
  const auto infix = [&](const char* spelling) { return left + spelling + right; };
  switch (reduction.kind) {
    case MUSTER_REDUCE_OTHER:
      return reduction.choose + "(" + left + ", " + right + ")";
    case MUSTER_REDUCE_ADD:
      return reduction.isBool ? "(" + infix(" + ") + ") != 0" : infix(" + ");
    case MUSTER_REDUCE_MUL:
      return infix(" * ");
    case MUSTER_REDUCE_AND:
      return infix(" & ");
    case MUSTER_REDUCE_OR:
      return infix(" | ");
    case MUSTER_REDUCE_XOR:
      return infix(" ^ ");
    case MUSTER_REDUCE_LAND:
      return infix(" && ");
    case MUSTER_REDUCE_LOR:
      return infix(" || ");
    case MUSTER_REDUCE_MIN:
      return right + " < " + left + " ? " + right + " : " + left;
    default:
      return left + " < " + right + " ? " + right + " : " + left;
  }
}

std::string identity(const Reduction& reduction) {
  switch (reduction.kind) {
    case MUSTER_REDUCE_MUL:
    case MUSTER_REDUCE_LAND:
      return oneOf(reduction.scalar);
    case MUSTER_REDUCE_AND:
      return allBits(reduction);
    case MUSTER_REDUCE_MIN:
      return reduction.isBool ? "1" : largestText(reduction.scalar).text;
    case MUSTER_REDUCE_MAX:
      return smallestText(reduction.scalar).text;
    default:
      return zeroOf(reduction.scalar);
  }
}

std::string groupTree(const std::vector<Reduction>& reductions) {
  const std::string size = groupSize;
  std::string text;
  for (const Reduction& reduction : reductions)
    text += "  __local " + reduction.type + " " + reduction.slots + "[" + size + "];\n";
  text += std::string("  const int muster_lane = (int)") + laneOfGroup + ";\n";
  for (const Reduction& reduction : reductions)
    text += "  " + reduction.slots + "[muster_lane] = " + reduction.name + ";\n";
  text += "  for (int muster_half = " + size + " / 2; muster_half > 0; muster_half /= 2) {\n";
  text += "    barrier(CLK_LOCAL_MEM_FENCE);\n";
  text += "    if (muster_lane < muster_half) {\n";
  for (const Reduction& reduction : reductions) {
    const std::string mine = reduction.slots + "[muster_lane]", other = reduction.slots + "[muster_lane + muster_half]";
    text += reduction.combiner.empty() ? "      " + mine + " = " + combination(reduction, mine, other) + ";\n"
                                       : combinedByUser(reduction, mine, other);
  }
  text += "    }\n  }\n";
  text += "  if (muster_lane == 0) {\n";
  text +=
      "    const size_t muster_group =\n"
      "        get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));\n";
  for (const Reduction& reduction : reductions)
    text += reduction.box.empty() ? "    " + reduction.out + "[muster_group] = " + reduction.slots + "[0];\n"
                                  : "    " + reduction.out + "[muster_group].muster_any = 1;\n    " + reduction.out +
                                        "[muster_group].muster_value = " + reduction.slots + "[0];\n";
  return text + "  }\n";
}

}  // namespace muster::plugin::opencl
