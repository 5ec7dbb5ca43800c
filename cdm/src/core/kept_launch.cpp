// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/kept_launch.h"

#include <algorithm>

#include "muster/cdm/iterations.h"

namespace muster::cdm {
namespace {

bool overlap(const ArrayArg& one, const ArrayArg& other) {
  return one.buffer != 0 && one.buffer == other.buffer && one.touchedBegin < other.touchedEnd &&
         other.touchedBegin < one.touchedEnd;
}

struct Element {
  const ArrayArg& array;
  const KernelCode::Array& kind;
  const std::optional<OwnElement>& own;
};

// In each iteration. Of one type, which is known: compilers exchange accesses of different ones.
bool isSame(const Element& one, const Element& other) {
  const std::int64_t bytes = one.kind.elementSize;
  return one.own && other.own && one.kind.type == other.kind.type && one.kind.type != ScalarType::other &&
         bytes == other.kind.elementSize && one.own->coefficients == other.own->coefficients &&
         one.array.originBytes + one.own->constant * bytes == other.array.originBytes + other.own->constant * bytes;
}

bool areSame(std::span<const muster_dim> one, std::span<const muster_dim> other) {
  return std::ranges::equal(one, other, [](const muster_dim& a, const muster_dim& b) {
    return a.first == b.first && a.step == b.step && a.count == b.count;
  });
}

}  // namespace

void KeptLaunch::keep(const KernelLaunch& launch, std::uint8_t form, std::int64_t calledNs) {
  code_ = launch.code, form_ = form, lo_ = launch.lo, hi_ = launch.hi, calledNs_ = calledNs;
  dims_.assign(launch.dims.begin(), launch.dims.end());
  arrays_.assign(launch.arrays.begin(), launch.arrays.end());
  own_.assign(launch.own.begin(), launch.own.end());
  results_ = launch.results;
  constexpr std::size_t aligned = alignof(std::max_align_t);
  std::size_t bytes = 0;
  for (const auto& scalar : code_->scalars) bytes += (scalar.size + aligned - 1) / aligned * aligned;
  values_.resize(bytes);
  scalars_.clear();
  std::byte* at = values_.data();
  for (std::size_t i = 0; i < launch.scalars.size(); ++i) {
    const std::size_t size = code_->scalars[i].size;
    std::copy_n(static_cast<const std::byte*>(launch.scalars[i]), size, at);
    scalars_.push_back(at);
    at += (size + aligned - 1) / aligned * aligned;
  }
}

KernelLaunch KeptLaunch::launch() const {
  return {.code = code_,
          .dims = dims_,
          .lo = lo_,
          .hi = hi_,
          .arrays = arrays_,
          .scalars = scalars_,
          .results = results_,
          .own = own_};
}

bool KeptLaunch::mayFuse(const KernelLaunch& next) const {
  if (lo_ != next.lo || hi_ != next.hi || !areSame(dims_, next.dims)) return false;
  if (own_.size() != arrays_.size() || next.own.size() != next.arrays.size()) return false;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const auto& mine = code_->arrays[i];
    for (std::size_t j = 0; j < next.arrays.size(); ++j) {
      const auto& its = next.code->arrays[j];
      if (!overlap(arrays_[i], next.arrays[j]) || (!mine.written && !its.written)) continue;
      if (!isSame({arrays_[i], mine, own_[i]}, {next.arrays[j], its, next.own[j]})) return false;
    }
  }
  return true;
}

double KeptLaunch::bytesShared(const KernelLaunch& next) const {
  double bytes = 0;
  for (std::size_t j = 0; j < next.arrays.size(); ++j) {
    const auto isHere = [&](const ArrayArg& array) { return overlap(array, next.arrays[j]); };
    if (next.own[j] && std::ranges::any_of(arrays_, isHere)) bytes += next.code->arrays[j].elementSize;
  }
  return bytes * iterationsOf(hi_ - lo_, std::span(dims_).subspan(1));
}

}  // namespace muster::cdm
