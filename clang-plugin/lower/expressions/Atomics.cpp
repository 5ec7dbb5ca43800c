// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C 1.2 has atomics on 32-bit integers, and on 64-bit ones as an extension. All else is a loop of compare and
// exchange on the word that holds the element: for small elements on the 32 bits around it, so that an update of a
// neighbour is never lost.
#include "lower/expressions/Atomics.h"

#include "muster/abi.h"
#include "source/RefusalTexts.h"

namespace muster::plugin::lower {

namespace {

// Expression that the compiler of a device without 64-bit atomics must not accept: the kernel then runs natively. Its
// name sorts before those of the functions that need it.
void needInt64Atomics(Program& program) {
  program.helper("muster_0_int64_atomics",
                 "#ifdef cl_khr_int64_base_atomics\n#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                 "#else\n#error \"this device has no atomics on 64-bit elements\"\n#endif\n\n");
}

std::string operationName(const UpdateFact& update) {
  const std::string order = update.valueFirst ? "_from" : "";
  switch (update.opcode) {
    case clang::BO_Add:
      return "add";
    case clang::BO_Sub:
      return "sub" + order;
    case clang::BO_Mul:
      return "mul";
    case clang::BO_Div:
      return "div" + order;
    case clang::BO_Rem:
      return "rem" + order;
    case clang::BO_Shl:
      return "shl" + order;
    case clang::BO_Shr:
      return "shr" + order;
    case clang::BO_And:
      return "and";
    case clang::BO_Or:
      return "or";
    case clang::BO_Xor:
      return "xor";
    case clang::BO_LAnd:
      return "land";
    case clang::BO_LOr:
      return "lor";
    case clang::BO_LT:
      return update.skipsNan ? "fmin" : "min";
    case clang::BO_GT:
      return update.skipsNan ? "fmax" : "max";
    default:
      return "xchg";
  }
}

std::string nextValue(const UpdateFact& update, const std::string& type, bool isBool) {
  if (update.skipsNan)
    return std::string(update.opcode == clang::BO_LT ? "fmin" : "fmax") + "(old, (" + type + ")value)";
  switch (update.opcode) {
    case clang::BO_LT:
      return "value < old ? (" + type + ")value : old";
    case clang::BO_GT:
      return "old < value ? (" + type + ")value : old";
    case clang::BO_Assign:
      return isBool ? "value != 0" : "(" + type + ")value";
    default:
      break;
  }
  const std::string spelling = clang::BinaryOperator::getOpcodeStr(update.opcode).str();
  const std::string result = update.valueFirst ? "value " + spelling + " old" : "old " + spelling + " value";
  return isBool ? "(" + result + ") != 0" : "(" + type + ")(" + result + ")";
}

// The built-in function that does the same, called; empty if there is none.
std::string builtin(const UpdateFact& update, Scalar element, Scalar value, bool isBool) {
  const bool isWord = element == Scalar::I32 || element == Scalar::U32;
  const bool isLong = element == Scalar::I64 || element == Scalar::U64;
  if (isBool || isFloating(value) || update.valueFirst || !(isWord || isLong)) return "";
  const std::string prefix = isWord ? "atomic_" : "atom_";
  const std::string call = prefix + operationName(update) + "(place, (" + scalarName(element) + ")value)";
  switch (update.opcode) {
    case clang::BO_Add:
    case clang::BO_Sub:
    case clang::BO_Assign:
      return call;
    case clang::BO_And:
    case clang::BO_Or:
    case clang::BO_Xor:
      return isWord ? call : "";
    case clang::BO_LT:
    case clang::BO_GT:
      return isWord && value == element ? call : "";
    default:
      return "";
  }
}

// The loop for elements of 32 and 64 bits.
std::string wordLoop(const std::string& type, unsigned bits, const std::string& next, const std::string& result) {
  const std::string word = bits == 32 ? "uint" : "ulong";
  const std::string exchange = bits == 32 ? "atomic_cmpxchg" : "atom_cmpxchg";
  return "  volatile __global " + word + " *word = (volatile __global " + word + " *)place;\n" +  //
         "  " + word + " seen = *word;\n" +                                                       //
         "  for (;;) {\n" +                                                                       //
         "    const " + type + " old = as_" + type + "(seen);\n" +                                //
         "    const " + type + " next = " + next + ";\n" +                                        //
         "    const " + word + " found = " + exchange + "(word, seen, as_" + word + "(next));\n" +
         "    if (found == seen) return " + result + ";\n" +  //
         "    seen = found;\n  }\n";
}

// The loop for elements of 8 and 16 bits, on the word that holds them.
std::string partLoop(const std::string& type, unsigned bits, const std::string& next, const std::string& result) {
  const std::string same = bits == 8 ? "uchar" : "ushort", mask = bits == 8 ? "0xffu" : "0xffffu";
  return "#ifndef __ENDIAN_LITTLE__\n#error \"atomics on small elements need a little-endian device\"\n#endif\n"
         "  const uint offset = (uint)((size_t)place & 3);\n"
         "  volatile __global uint *word = (volatile __global uint *)((volatile __global uchar *)place - offset);\n"
         "  const uint shift = 8 * offset, mask = " +
         mask + " << shift;\n" +
         "  uint seen = *word;\n"
         "  for (;;) {\n" +
         "    const " + type + " old = (" + type + ")(seen >> shift);\n" +  //
         "    const " + type + " next = " + next + ";\n" +                  //
         "    const uint found = atomic_cmpxchg(word, seen, (seen & ~mask) | ((uint)(" + same + ")next << shift));\n" +
         "    if (found == seen) return " + result + ";\n" +  //
         "    seen = found;\n  }\n";
}

}  // namespace

std::string atomicHelper(Program& program, const UpdateFact& update, Scalar value, bool returnsNew) {
  const bool isBool = update.target->getType()->isBooleanType();
  const Scalar element = scalarOf(program.context, update.target->getType());
  if (element == Scalar::None || element == Scalar::F16 || value == Scalar::None) {
    program.refusals.add(update.target->getExprLoc(), say::UpdatesElementOfType);
    return "";
  }
  const std::string type = scalarName(element), valueType = scalarName(value);
  const unsigned bits = bitsOf(element);
  if (element == Scalar::F64 || value == Scalar::F64) program.types.noteFp64();
  if (bits == 64) needInt64Atomics(program);
  std::string name = "muster_" + operationName(update) + "_" + (isBool ? "bool" : type);
  if (value != element) name += "_" + valueType;
  if (returnsNew) name += "_new";
  const std::string next = nextValue(update, type, isBool), result = returnsNew ? "next" : "old";
  const std::string call = builtin(update, element, value, isBool);
  std::string body;
  if (!call.empty())
    body = "  const " + type + " old = " + call + ";\n  return " + (returnsNew ? next : "old") + ";\n";
  else
    body = bits >= 32 ? wordLoop(type, bits, next, result) : partLoop(type, bits, next, result);
  program.helper(name, "static " + type + " " + name + "(volatile __global " + type + " *place, " + valueType +
                           " value) {\n" + body + "}\n\n");
  return name;
}

void addLocalHelpers(Program& program, const std::string& atomicHelper, const std::string& element,
                     const std::string& value) {
  std::string text = program.helper(atomicHelper, "");
  const auto replace = [&](llvm::StringRef from, llvm::StringRef to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("__global", "local");
  replace(" " + atomicHelper + "(", " " + atomicHelper + "_local(");
  program.helper(atomicHelper + "_local", text);
  // The same where only a part of the array is in local memory.
  program.helper(atomicHelper + "_part",
                 "static void " + atomicHelper + "_part(local " + element + " *own, uint first, uint size, __global " +
                     element + " *buffer, volatile __global " + element + " *place, " + value +
                     " value) {\n  const uint at = (uint)(place - buffer) - first;\n  if (at < size) " + atomicHelper +
                     "_local(own + at, value);\n}\n\n");
}

}  // namespace muster::plugin::lower
