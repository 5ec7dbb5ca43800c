// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a thread computes with floating-point numbers: the direction of rounding, what becomes of denormal numbers, which
// exceptions trap. The program's thread says it (fesetround, _MM_SET_FLUSH_ZERO_MODE, feenableexcept), and all CPUs of
// the job compute its loops that way, as OpenMP's threads do.
#pragma once

#include <cstdint>
#include <string>

namespace muster::rt {

class FloatMode {
 public:
  // To the nearest, with denormal numbers, without traps.
  [[nodiscard]] static FloatMode standard() { return FloatMode(0); }
  [[nodiscard]] static FloatMode current();  // of the calling thread
  [[nodiscard]] static FloatMode of(std::uint32_t bits) { return FloatMode(bits); }

  // 0: standard. They mean the same on all ranks, which run one program.
  [[nodiscard]] std::uint32_t bits() const { return bits_; }
  // Makes it the calling thread's, from which OpenMP's threads take it at their next region.
  void apply() const;
  // What OpenCL devices cannot follow; empty: nothing. anyDenormals: the program leaves open what becomes of those.
  [[nodiscard]] std::string whyNotOnDevices(bool anyDenormals) const;

  // The calling thread's while it lives.
  class Scope;

  bool operator==(const FloatMode&) const = default;

 private:
  explicit FloatMode(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_;
};

class FloatMode::Scope {
 public:
  explicit Scope(FloatMode mode) : before_(current()), changed_(mode != before_) {
    if (changed_) mode.apply();
  }
  ~Scope() {
    if (changed_) before_.apply();
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  FloatMode before_;
  bool changed_;
};

}  // namespace muster::rt
