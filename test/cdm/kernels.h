// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for the conformance suite, written by hand: each is OpenCL text by docs/architecture.md's signature
// and a native function that does the same.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "muster/cdm/device.h"

namespace muster::cdm::test {

template <class T>
constexpr ScalarType scalarType() {
  if constexpr (std::is_same_v<T, bool>) return ScalarType::boolean;
  if constexpr (std::is_same_v<T, std::int8_t>) return ScalarType::i8;
  if constexpr (std::is_same_v<T, std::uint8_t>) return ScalarType::u8;
  if constexpr (std::is_same_v<T, std::int16_t>) return ScalarType::i16;
  if constexpr (std::is_same_v<T, std::uint16_t>) return ScalarType::u16;
  if constexpr (std::is_same_v<T, std::int32_t>) return ScalarType::i32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ScalarType::u32;
  if constexpr (std::is_same_v<T, std::int64_t>) return ScalarType::i64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return ScalarType::u64;
  if constexpr (std::is_same_v<T, float>) return ScalarType::f32;
  if constexpr (std::is_same_v<T, double>) return ScalarType::f64;
}

// Integers wrap around: products of many numbers do.
template <class T>
using Wrapping = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;

// *into = *into OP *partial in T, as the plugin emits it.
template <class T>
T apply(ResultKind kind, T a, T b) {
  switch (kind) {
    case ResultKind::add:
      return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
    case ResultKind::mul:
      return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
    case ResultKind::logAnd:
      return static_cast<T>(a && b);
    case ResultKind::logOr:
      return static_cast<T>(a || b);
    case ResultKind::min:
      return b < a ? b : a;
    case ResultKind::max:
      return a < b ? b : a;
    case ResultKind::lastPrivate:
      return b;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (kind == ResultKind::bitAnd) return static_cast<T>(a & b);
    if (kind == ResultKind::bitOr) return static_cast<T>(a | b);
    if (kind == ResultKind::bitXor) return static_cast<T>(a ^ b);
  }
  panic("no such operation on this type");
}

template <class T, ResultKind Kind>
void combine(void* into, const void* partial) {
  *static_cast<T*>(into) = apply(Kind, *static_cast<T*>(into), *static_cast<const T*>(partial));
}

// y[i] = x[i] + s (exclusive or for bool). Arrays x, y; scalar s.
template <class T>
const KernelCode& addScalar();

// 2-D, y[i * width + j] = x of the four neighbours, summed. Arrays x, y of int; scalar width (i64). A step of time.
const KernelCode& neighbours();

// 3-D, y[(i * b + j) * c + k] += 1 + i + 100 * j + 10000 * k. Array y of i64; scalars b, c (i64).
const KernelCode& fill3d();

// The same kind of sum over columns: y[j * height + i] = x[j * height + i] + i. The first dimension lies along axis 0
// of the NDRange, and work-items run several iterations of the second. Arrays x, y of int; scalar height (i64).
const KernelCode& columns();

// 1-D, y[i] += x[i]; work-items run several iterations, a work-group apart. Arrays x, y of int.
const KernelCode& apart();

// 2-D, y[i * width + j] = sum of x[i * width + j + l] for l in [0, taps). Its text may be built for the value of taps,
// then with four rows a work-item, where that is at most 9. Arrays x, y of int; scalars width (i64), taps (i32).
const KernelCode& window();

// 1-D, y[i] = sum of x[i * width + k] for k in [0, width). Its text has another form for rows of at least 64 elements,
// whose work-groups have at most 64 work-items. Arrays x, y of int; scalar width (i32).
const KernelCode& rowSums();

// 1-D, y[i * width + j] = x[i] + j for j in [0, width). Its text has another form for rows of at least 64 elements, in
// which a work-group has a row. Arrays x, y of int; scalar width (i32).
const KernelCode& fillRows();
// 2-D, the same of y[(i * columns + j) * width + l] = x[i * columns + j] + l, in groups of one row of work-items.
// Scalars columns, width (i32).
const KernelCode& fillLayers();
const KernelCode& fillShort();

// y[i * width + j] += 3 * x[i * width + j], by blocks of 2 x 4 that begin at multiples of 4.
const KernelCode& blocks();

// y[x[i] % 5] += x[i] % 3, atomically; work-groups may collect what they add. Arrays x, y of int.
const KernelCode& histogram();

// Reductions of every kind that T has. Arrays x (all but the following) and m (mul, logAnd, logOr); one result per
// kind, in the order of reductionKinds<T>().
template <class T>
const KernelCode& reduceAll();
template <class T>
std::vector<ResultKind> reductionKinds() {
  using enum ResultKind;
  if constexpr (std::is_integral_v<T>) return {add, mul, bitAnd, bitOr, bitXor, logAnd, logOr, min, max};
  return {add, mul, logAnd, logOr, min, max};
}

// 3-D, the sum of x[(i * b + j) * c + k], and as lastprivate the last index. Array x of i64; scalars b, c (i64);
// results sum and last (i64).
const KernelCode& sum3d();

// 2-D, y[i * width + j] = i + j, and as lastprivate i * 1000 + j. Array y of int; scalar width; result last (i64).
const KernelCode& lastIndex();

// 1-D, ends the program with i where x[i] is negative. Array x of int; result end.
struct End {
  std::int32_t how = 0, code = 0;
};
const KernelCode& endsAtNegative();

// 1-D, y[i] += 1. Array y of int.
const KernelCode& increment();

// Kernels with something wrong.
const KernelCode& brokenText();  // does not compile
const KernelCode& wrongName();   // compiles, but has no kernel of that name
const KernelCode& nativeOnly();  // no OpenCL text
const KernelCode& openclOnly();  // no native code

// All of the above, to look them up by id where a device lives on another rank.
const std::vector<const KernelCode*>& allKernels();

}  // namespace muster::cdm::test
