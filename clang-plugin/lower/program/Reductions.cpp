// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: identities, combination, and the tree over a work-group.
#include "lower/program/Reductions.h"

#include "muster/abi.h"
#include "print/Print.h"

namespace muster::plugin::lower {

namespace {

ir::Expression zeroOf(Scalar scalar) {
  return ir::literal(scalar == Scalar::F64 ? "0.0" : scalar == Scalar::F32 ? "0.0f" : "0");
}

ir::Expression oneOf(Scalar scalar) {
  return ir::literal(scalar == Scalar::F64 ? "1.0" : scalar == Scalar::F32 ? "1.0f" : "1");
}

ir::Expression allBits(const Reduction& reduction) {
  if (reduction.isBool) return ir::literal("1");
  const std::string smallest = smallestText(reduction.scalar).text();
  const bool isUnsigned = smallest == "0" || smallest == "0u" || smallest == "0UL";
  return isUnsigned ? largestText(reduction.scalar) : ir::literal("-1", ir::Prec::Unary);
}

std::string combinedByUser(const Reduction& reduction, const std::string& mine, const std::string& other) {
  return "      {\n        " + reduction.type + " " + reduction.outName + " = " + mine + ", " + reduction.inName +
         " = " + other + ";\n" + print::text(reduction.combiner, 4) + "        " + mine + " = " + reduction.outName +
         ";\n      }\n";
}

}  // namespace

ir::Expression combination(const Reduction& reduction, const ir::Expression& left, const ir::Expression& right) {
  const auto infix = [&](const char* op) { return ir::binary(op, left, right); };
  switch (reduction.kind) {
    case MUSTER_REDUCE_OTHER:
      return ir::call(reduction.choose, {left, right});
    case MUSTER_REDUCE_ADD:
      return reduction.isBool ? ir::binary("!=", ir::parentheses(infix("+")), ir::literal("0")) : infix("+");
    case MUSTER_REDUCE_MUL:
      return infix("*");
    case MUSTER_REDUCE_AND:
      return infix("&");
    case MUSTER_REDUCE_OR:
      return infix("|");
    case MUSTER_REDUCE_XOR:
      return infix("^");
    case MUSTER_REDUCE_LAND:
      return infix("&&");
    case MUSTER_REDUCE_LOR:
      return infix("||");
    case MUSTER_REDUCE_MIN:
      return ir::conditional(ir::binary("<", right, left), right, left);
    default:
      return ir::conditional(infix("<"), right, left);
  }
}

ir::Expression identity(const Reduction& reduction) {
  switch (reduction.kind) {
    case MUSTER_REDUCE_MUL:
    case MUSTER_REDUCE_LAND:
      return oneOf(reduction.scalar);
    case MUSTER_REDUCE_AND:
      return allBits(reduction);
    case MUSTER_REDUCE_MIN:
      return reduction.isBool ? ir::literal("1") : largestText(reduction.scalar);
    case MUSTER_REDUCE_MAX:
      return smallestText(reduction.scalar);
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
    if (!reduction.combiner.empty()) {
      text += combinedByUser(reduction, mine, other);
      continue;
    }
    const ir::Expression value = combination(reduction, ir::name(mine), ir::name(other));
    text += "      " + mine + " = " + print::text(value) + ";\n";
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

}  // namespace muster::plugin::lower
