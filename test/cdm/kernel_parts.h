// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the test kernels' sources share: pieces of OpenCL text, and loops over a chunk.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "kernels.h"

#define MUSTER_FOR_ALL_TYPES(X) \
  X(bool)                       \
  X(std::int8_t)                \
  X(std::uint8_t)               \
  X(std::int16_t) X(std::uint16_t) X(std::int32_t) X(std::uint32_t) X(std::int64_t) X(std::uint64_t) X(float) X(double)

namespace muster::cdm::test {

inline std::string dimParameters(int dimensions) {
  std::string text;
  for (int d = 0; d < dimensions; ++d)
    text += fmt::format("{0}long muster_first_{1}, long muster_step_{1}, long muster_lo_{1}, long muster_hi_{1}",
                        d ? ", " : "", d);
  return text;
}

// The whole text of a kernel from its parameters (before and after the dimensions) and its body.
inline std::string kernelText(const std::string& name, int dimensions, const std::string& before,
                              const std::string& after, const std::string& body, bool fp64 = false) {
  return fmt::format(
      "{}#pragma OPENCL FP_CONTRACT OFF\n"
      "__kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))\n"
      "void {}({}, {}{}{}) {{\n{}\n}}\n",
      fp64 ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "", name, before, dimParameters(dimensions),
      after.empty() ? "" : ", ", after, body);
}

inline std::uint64_t nextId() {
  static std::uint64_t last = 1000;
  return ++last;
}

inline KernelCode makeCode(const std::string& name, std::uint32_t dimensions, muster_native_fn native) {
  KernelCode code;
  code.id = nextId();
  code.name = name;
  code.location = "kernels.cpp:1";
  code.native = native;
  code.dimensions = dimensions;
  return code;
}

inline std::int64_t value(const muster_dim& dim, std::int64_t k) { return dim.first + k * dim.step; }

template <class T>
T* array(const muster_chunk* chunk, int index) {
  return static_cast<T*>(chunk->arrays[index]);
}

template <class T>
T scalar(const muster_chunk* chunk, int index) {
  return *static_cast<const T*>(chunk->scalars[index]);
}

// Calls body(i) or body(i, j) or body(i, j, k) with the loop variables of every iteration of the chunk.
template <class Body>
void forEach2(const muster_chunk* chunk, Body body) {
  for (std::int64_t k = chunk->lo; k < chunk->hi; ++k)
    for (std::int64_t l = 0; l < chunk->dims[1].count; ++l) body(value(chunk->dims[0], k), value(chunk->dims[1], l));
}
template <class Body>
void forEach3(const muster_chunk* chunk, Body body) {
  forEach2(chunk, [&](std::int64_t i, std::int64_t j) {
    for (std::int64_t m = 0; m < chunk->dims[2].count; ++m) body(i, j, value(chunk->dims[2], m));
  });
}

inline const char* kindName(ResultKind kind) {
  constexpr const char* names[] = {"add", "mul", "and", "or", "xor", "land", "lor", "min", "max", "last"};
  return names[static_cast<int>(kind)];
}

template <class T, ResultKind... Kinds>
void addResults(KernelCode& code) {
  (code.results.push_back({kindName(Kinds), scalarType<T>(), sizeof(T), Kinds, combine<T, Kinds>}), ...);
}

}  // namespace muster::cdm::test
