// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch with what its call brought, which may be gone meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/fused_code.h"
#include "muster/cdm/device.h"

namespace muster::cdm {

class KeptLaunch {
 public:
  // In place of what was kept here. Of launches of one step; one with results runs before its call returns. `form`: of
  // a FusedPart.
  void keep(const KernelLaunch& launch, std::uint8_t form, std::int64_t calledNs);
  // As it came, until something else is kept.
  [[nodiscard]] KernelLaunch launch() const;
  [[nodiscard]] const KernelCode& code() const { return *code_; }
  [[nodiscard]] FusedPart part() const { return {code_, form_}; }
  [[nodiscard]] const std::vector<ArrayArg>& arrays() const { return arrays_; }
  [[nodiscard]] const std::vector<const void*>& scalars() const { return scalars_; }
  [[nodiscard]] std::int64_t calledNs() const { return calledNs_; }

  // Whether iteration k of both may run in a work-item one after the other: they have the same iterations, and what one
  // of them writes of arrays that both touch no other iteration touches.
  [[nodiscard]] bool mayFuse(const KernelLaunch& next) const;
  // Of what `next` reads or overwrites behind this one: it need not come from memory again.
  [[nodiscard]] double bytesShared(const KernelLaunch& next) const;

 private:
  const KernelCode* code_ = nullptr;
  std::uint8_t form_ = 0;
  std::int64_t lo_ = 0, hi_ = 0, calledNs_ = 0;
  std::vector<muster_dim> dims_;
  std::vector<ArrayArg> arrays_;
  std::vector<std::optional<OwnElement>> own_;
  std::vector<std::byte> values_;
  std::vector<const void*> scalars_;
  std::span<void* const> results_;
};

}  // namespace muster::cdm
