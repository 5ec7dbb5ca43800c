// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors and OpenCL text of the merge kernels.
#include "muster/cdm/merge_kernels.h"

#include <fmt/format.h>

#include <array>

#include "kernels/identity.h"
#include "kernels/merge_native.h"

namespace muster::cdm {
namespace {

constexpr std::uint64_t kFirstId = 0x6d75737465720100;  // after that of the micro benchmark
constexpr std::uint32_t kWord = sizeof(std::uint32_t);

constexpr const char* kAttributes = R"(
#pragma OPENCL FP_CONTRACT OFF
#define KERNEL __kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))
#define IN(T, NAME) __global const T *NAME##_buf, long NAME##_origin
#define OUT(T, NAME) __global T *NAME##_buf, long NAME##_origin
#define CHUNK long muster_first_0, long muster_step_0, long muster_lo_0, long muster_hi_0
#define USE(NAME) (NAME##_buf + NAME##_origin)
long muster_element(__global const uint *table, uint intervals, uint position) {
  uint lo = 0, hi = intervals;
  while (hi - lo > 1) {
    uint middle = lo + (hi - lo) / 2;
    if (table[2 * middle] <= position) lo = middle; else hi = middle;
  }
  return (long)table[2 * lo + 1] + (position - table[2 * lo]);
}
)";

constexpr const char* kDiffers = R"(
int muster_differs(__global const U *a, __global const U *b, uint words) {
  for (uint w = 0; w < words; ++w)
    if (a[w] != b[w]) return 1;
  return 0;
}
)";

constexpr const char* kFill = R"(
KERNEL void NAME(OUT(U, a), IN(uint, table), uint intervals, U value, CHUNK) {
  long k = muster_lo_0 + (long)get_global_id(0);
  if (k < muster_hi_0) USE(a)[muster_element(USE(table), intervals, (uint)k)] = value;
}
)";

// One work-item per position, so that neighbours read neighbours; the first of every 32 puts their bits together.
constexpr const char* kStoreBits = R"(
#if MUSTER_WG0 >= 32
#define STORE_BITS(DIFFERS)                                                          \
  __local uchar flags[MUSTER_WG0];                                                   \
  uint id = get_local_id(0);                                                         \
  flags[id] = k < (long)elements && DIFFERS((uint)k) ? 1 : 0;                        \
  barrier(CLK_LOCAL_MEM_FENCE);                                                      \
  if (id % 32 == 0 && k < muster_hi_0) {                                             \
    uint word = 0;                                                                   \
    for (uint i = 0; i < 32; ++i) word |= (uint)flags[id + i] << i;                  \
    USE(bitmap)[k / 32] = word;                                                      \
  }
#else
#define STORE_BITS(DIFFERS)                                                          \
  if (k % 32 == 0 && k < muster_hi_0) {                                              \
    uint word = 0;                                                                   \
    for (uint i = 0; i < 32; ++i)                                                    \
      if (k + i < (long)elements && DIFFERS((uint)k + i)) word |= 1u << i;           \
    USE(bitmap)[k / 32] = word;                                                      \
  }
#endif
)";

constexpr const char* kFind = R"(
#define DIFFERS(P)                                                                              \
  muster_differs(USE(a) + muster_element(USE(table), intervals, P) * words, USE(twin) + (long)(P)*words, words)
KERNEL void NAME(IN(U, a), IN(U, twin), IN(uint, table), OUT(uint, bitmap), uint intervals, uint words, uint elements,
                 CHUNK) {
  long k = muster_lo_0 + (long)get_global_id(0);
  STORE_BITS(DIFFERS)
}
)";

constexpr const char* kFindValue = R"(
#define DIFFERS(P) (USE(a)[muster_element(USE(table), intervals, P)] != value)
KERNEL void NAME(IN(U, a), IN(uint, table), OUT(uint, bitmap), uint intervals, uint elements, U value, CHUNK) {
  long k = muster_lo_0 + (long)get_global_id(0);
  STORE_BITS(DIFFERS)
}
)";

constexpr const char* kCount = R"(
KERNEL void NAME(IN(uint, bitmap), OUT(uint, counts), CHUNK) {
  long k = muster_lo_0 + (long)get_global_id(0);
  if (k >= muster_hi_0) return;
  uint bits = 0;
  for (uint i = 0; i < 8; ++i) bits += popcount(USE(bitmap)[8 * k + i]);
  USE(counts)[k] = bits;
}
)";

constexpr const char* kGather = R"(
KERNEL void NAME(IN(U, a), IN(uint, table), IN(uint, bitmap), IN(uint, offsets), OUT(uint, positions), OUT(U, values),
                 uint intervals, uint words, uint first, CHUNK) {
  long k = muster_lo_0 + (long)get_global_id(0);
  if (k >= muster_hi_0) return;
  uint word = USE(bitmap)[k / 32];
  uint bit = 1u << (uint)(k % 32);
  if ((word & bit) == 0) return;
  uint at = USE(offsets)[k / 256] - first + popcount(word & (bit - 1));
  for (long i = k / 256 * 8; i < k / 32; ++i) at += popcount(USE(bitmap)[i]);
  USE(positions)[at] = (uint)k;
  __global const U *from = USE(a) + muster_element(USE(table), intervals, (uint)k) * words;
  for (uint w = 0; w < words; ++w) USE(values)[(long)at * words + w] = from[w];
}
)";

constexpr const char* kApply = R"(
KERNEL void NAME(OUT(U, a), IN(uint, positions), IN(U, values), uint words, CHUNK) {
  long k = muster_lo_0 + (long)get_global_id(0);
  if (k >= muster_hi_0) return;
  __global U *to = USE(a) + (long)USE(positions)[k] * words;
  for (uint w = 0; w < words; ++w) to[w] = USE(values)[k * words + w];
}
)";

// The pair of position k: AT, its index, and TWIN, its position in the twin.
constexpr const char* kPairs = R"(
uint muster_pair(__global const uint *pairs, uint intervals, uint position) {
  uint lo = 0, hi = intervals;
  while (hi - lo > 1) {
    uint middle = lo + (hi - lo) / 2;
    if (pairs[3 * middle] <= position) lo = middle; else hi = middle;
  }
  return 3 * lo;
}
#define PAIR                                                                            \
  long k = muster_lo_0 + (long)get_global_id(0);                                             \
  if (k >= muster_hi_0) return;                                                              \
  __global const uint *pair = USE(pairs) + muster_pair(USE(pairs), intervals, (uint)k);      \
  uint within = (uint)k - pair[0];
#define AT ((long)pair[1] + within)
#define TWIN ((long)pair[2] + within)
)";

constexpr const char* kJoin = R"(
KERNEL void NAME(OUT(U, a), IN(U, twin), IN(U, values), IN(uint, pairs), uint intervals, uint words, uint over, CHUNK) {
  PAIR
  __global U *to = USE(a) + AT * words;
  __global const U *from = USE(values) + AT * words, *old = USE(twin) + TWIN * words;
  if (!muster_differs(from, old, words) || (!over && muster_differs(to, old, words))) return;
  for (uint w = 0; w < words; ++w) to[w] = from[w];
}
)";

constexpr const char* kClash = R"(
KERNEL void NAME(IN(U, a), IN(U, twin), IN(U, values), IN(uint, pairs), OUT(uint, found), uint intervals, uint words,
                 CHUNK) {
  PAIR
  __global const U *x = USE(a) + AT * words, *y = USE(values) + AT * words, *old = USE(twin) + TWIN * words;
  if (!muster_differs(x, y, words) || !muster_differs(x, old, words) || !muster_differs(y, old, words)) return;
  atomic_inc(USE(found));
  atomic_min(USE(found) + 1, (uint)AT);
}
)";

// U: the type to compute in. ADD, MUL, BITS: what differs between integers, floating point and bool.
constexpr const char* kOperation = R"(
U muster_operation(U x, U y, uint op) {
  switch (op) {
    case 0: x = ADD; break;
    case 1: x = MUL; break;
    BITS
    case 5: x = x && y; break;
    case 6: x = x || y; break;
    case 7: x = y < x ? y : x; break;
    case 8: x = x < y ? y : x; break;
  }
  return x;
}
)";

constexpr const char* kUpdate = R"(
KERNEL void NAME(OUT(U, a), IN(uint, positions), IN(U, values), uint op, CHUNK) {
  long k = muster_lo_0 + (long)get_global_id(0);
  if (k >= muster_hi_0) return;
  __global U *to = USE(a) + USE(positions)[k];
  *to = muster_operation(*to, USE(values)[k], op);
}
)";

// BITS_OF: numbers as bits, so that zeros with a sign and NaN count as what they are.
constexpr const char* kCombine = R"(
KERNEL void NAME(OUT(U, a), IN(U, values), IN(uint, pairs), uint intervals, uint op, U identity, CHUNK) {
  PAIR
  U y = USE(values)[AT];
  if (BITS_OF(y) == BITS_OF(identity)) return;
  __global U *to = USE(a) + AT;
  *to = muster_operation(*to, y, op);
}
)";
constexpr const char* kBits = "case 2: x = x & y; break; case 3: x = x | y; break; case 4: x = x ^ y; break;";

ScalarType unitType(std::size_t unit) {
  return unit == 1 ? ScalarType::u8 : unit == 2 ? ScalarType::u16 : unit == 4 ? ScalarType::u32 : ScalarType::u64;
}

const char* clName(ScalarType type) {
  constexpr const char* names[] = {"uchar", "char", "uchar", "short", "ushort", "int",
                                   "uint",  "long", "ulong", "float", "double"};
  return names[static_cast<std::size_t>(type)];
}

KernelCode makeCode(const std::string& name, std::uint64_t number, muster_native_fn native) {
  KernelCode code;
  code.id = kFirstId + number;
  code.name = name;
  code.location = "Muster's merge of written copies";
  code.native = native;
  return code;
}

KernelCode::Array words(const char* name, bool written) { return {name, kWord, written, ScalarType::u32}; }
KernelCode::Scalar word(const char* name) { return {name, ScalarType::u32, kWord}; }

void describe(KernelCode& code, MergeKernel kernel, std::uint32_t unit) {
  const KernelCode::Array in{"a", unit, false, unitType(unit)}, out{"a", unit, true, unitType(unit)};
  const KernelCode::Array twin{"twin", unit, false, unitType(unit)}, values{"values", unit, false, unitType(unit)};
  const KernelCode::Scalar value{"value", unitType(unit), unit};
  switch (kernel) {
    case MergeKernel::fill:
      code.arrays = {out, words("table", false)};
      code.scalars = {word("intervals"), value};
      break;
    case MergeKernel::find:
      code.arrays = {in, twin, words("table", false), words("bitmap", true)};
      code.scalars = {word("intervals"), word("words"), word("elements")};
      break;
    case MergeKernel::findValue:
      code.arrays = {in, words("table", false), words("bitmap", true)};
      code.scalars = {word("intervals"), word("elements"), value};
      break;
    case MergeKernel::count:
      code.arrays = {words("bitmap", false), words("counts", true)};
      break;
    case MergeKernel::gather:
      code.arrays = {in,
                     words("table", false),
                     words("bitmap", false),
                     words("offsets", false),
                     words("positions", true),
                     {"values", unit, true, unitType(unit)}};
      code.scalars = {word("intervals"), word("words"), word("first")};
      break;
    case MergeKernel::apply:
      code.arrays = {out, words("positions", false), values};
      code.scalars = {word("words")};
      break;
    case MergeKernel::join:
      code.arrays = {out, twin, values, words("pairs", false)};
      code.scalars = {word("intervals"), word("words"), word("over")};
      break;
    case MergeKernel::clash:
      code.arrays = {in, twin, values, words("pairs", false), words("found", true)};
      code.scalars = {word("intervals"), word("words")};
      break;
  }
}

std::string textOf(MergeKernel kernel) {
  switch (kernel) {
    case MergeKernel::fill:
      return kFill;
    case MergeKernel::find:
      return std::string(kStoreBits) + kDiffers + kFind;
    case MergeKernel::findValue:
      return std::string(kStoreBits) + kFindValue;
    case MergeKernel::count:
      return kCount;
    case MergeKernel::gather:
      return kGather;
    case MergeKernel::apply:
      return kApply;
    case MergeKernel::join:
      return std::string(kPairs) + kDiffers + kJoin;
    case MergeKernel::clash:
      return std::string(kPairs) + kDiffers + kClash;
  }
  return {};
}

constexpr std::size_t kKinds = 8, kUnits = 4, kTypes = 11;
constexpr std::array<const char*, kKinds> kNames = {"fill",   "find",  "find_value", "count",
                                                    "gather", "apply", "join",       "clash"};

KernelCode makeKernel(std::size_t kind, std::size_t unitLog) {
  const auto kernel = static_cast<MergeKernel>(kind);
  const std::size_t unit = std::size_t{1} << unitLog;
  KernelCode code = makeCode(fmt::format("muster_merge_{}_{}", kNames[kind], unit), kind * kUnits + unitLog,
                             mergeNative(kernel, unit));
  describe(code, kernel, static_cast<std::uint32_t>(unit));
  code.opencl = fmt::format("#define U {}\n#define NAME {}\n{}{}", clName(unitType(unit)), code.name, kAttributes,
                            textOf(kernel));
  return code;
}

// Of kernels that combine values of a type.
std::string operationText(const KernelCode& code, ScalarType type) {
  const bool floating = type == ScalarType::f32 || type == ScalarType::f64;
  const bool boolean = type == ScalarType::boolean;
  return fmt::format("{}#define U {}\n#define NAME {}\n#define ADD {}\n#define MUL {}\n#define BITS {}\n{}{}",
                     code.needsFp64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "", clName(type), code.name,
                     boolean ? "x || y" : "x + y", boolean ? "x && y" : "x * y", floating ? "" : kBits, kAttributes,
                     kOperation);
}

// The how manieth kind of those that combine values, without its text.
KernelCode makeTyped(const char* name, std::size_t kind, ScalarType type, muster_native_fn native) {
  const auto number = static_cast<std::size_t>(type);
  KernelCode code =
      makeCode(fmt::format("muster_merge_{}_{}", name, number), kKinds * kUnits + kind * kTypes + number, native);
  code.needsFp64 = type == ScalarType::f64;
  return code;
}

KernelCode makeUpdateKernel(ScalarType type) {
  const auto size = static_cast<std::uint32_t>(sizeOf(type));
  KernelCode code = makeTyped("update", 0, type, mergeUpdateNative(type));
  code.arrays = {{"a", size, true, type}, words("positions", false), {"values", size, false, type}};
  code.scalars = {word("op")};
  code.opencl = operationText(code, type) + kUpdate;
  return code;
}

KernelCode makeCombineKernel(ScalarType type) {
  const auto size = static_cast<std::uint32_t>(sizeOf(type));
  KernelCode code = makeTyped("combine", 1, type, mergeCombineNative(type));
  code.arrays = {{"a", size, true, type}, {"values", size, false, type}, words("pairs", false)};
  code.scalars = {word("intervals"), word("op"), {"identity", type, size}};
  code.opencl = fmt::format("{}#define BITS_OF {}\n{}{}", operationText(code, type),
                            type == ScalarType::f32   ? "as_uint"
                            : type == ScalarType::f64 ? "as_ulong"
                                                      : "",
                            kPairs, kCombine);
  return code;
}

template <KernelCode (*make)(ScalarType)>
const KernelCode* kernelOf(ScalarType type) {
  static const auto kernels = [] {
    std::array<KernelCode, kTypes> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = make(static_cast<ScalarType>(i));
    return all;
  }();
  return type == ScalarType::other ? nullptr : &kernels[static_cast<std::size_t>(type)];
}

}  // namespace

std::size_t mergeUnit(std::size_t elemSize) {
  for (const std::size_t unit : {8, 4, 2}) {
    if (elemSize % unit == 0) return unit;
  }
  return 1;
}

const KernelCode& mergeKernel(MergeKernel kernel, std::size_t unit) {
  static const auto kernels = [] {
    std::array<KernelCode, kKinds * kUnits> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = makeKernel(i / kUnits, i % kUnits);
    return all;
  }();
  const std::size_t unitLog = unit == 1 ? 0 : unit == 2 ? 1 : unit == 4 ? 2 : 3;
  return kernels[static_cast<std::size_t>(kernel) * kUnits + unitLog];
}

const KernelCode* mergeUpdateKernel(ScalarType type) { return kernelOf<makeUpdateKernel>(type); }

const KernelCode* mergeCombineKernel(ScalarType type) { return kernelOf<makeCombineKernel>(type); }

Status writeUpdateIdentity(ResultKind op, ScalarType type, void* to) {
  const bool floating = type == ScalarType::f32 || type == ScalarType::f64;
  if (floating && (op == ResultKind::bitAnd || op == ResultKind::bitOr || op == ResultKind::bitXor))
    return {Errc::unsupported, "there are no bitwise operations on floating point"};
  KernelCode::ResultParam result;
  result.name = "of an update";
  result.type = type;
  result.kind = op;
  return writeIdentity(result, to);
}

}  // namespace muster::cdm
