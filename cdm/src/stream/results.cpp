// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/results.h"

#include <algorithm>
#include <cstring>

#include "stream/staging.h"

namespace muster::cdm {

namespace {

// More groups than this per compute unit only make more partials to combine, but where each work-item has many
// iterations: there more of them read faster. Measured: decision 36.
constexpr std::size_t reductionGroupsPerUnit = 8, mostReductionGroupsPerUnit = 32, iterationsPerGroup = 8192;

}  // namespace

bool isPerGroup(const KernelCode::ResultParam& result) {
  return result.kind != ResultKind::lastPrivate && result.kind != ResultKind::programEnd;
}

bool reduces(const KernelCode& code) { return std::any_of(code.results.begin(), code.results.end(), isPerGroup); }

bool mayEnd(const KernelCode& code) {
  return std::any_of(code.results.begin(), code.results.end(),
                     [](const auto& result) { return result.kind == ResultKind::programEnd; });
}

std::size_t partialBytes(const KernelCode::ResultParam& result, std::size_t groups) {
  const std::size_t bytes = isPerGroup(result) ? groups * result.size : result.size;
  return (bytes + 15) / 16 * 16;
}

std::size_t maxReductionGroups(const KernelCode& code, std::uint32_t computeUnits, double iterations) {
  std::size_t perGroup = 0, once = 0;
  for (const auto& result : code.results) {
    perGroup += isPerGroup(result) ? result.size : 0;
    once += partialBytes(result, 0) + 16;
  }
  const std::size_t room = Staging::smallSlot - std::min(Staging::smallSlot, once);
  const std::size_t wanted =
      std::clamp(static_cast<std::size_t>(iterations / iterationsPerGroup), reductionGroupsPerUnit * computeUnits,
                 mostReductionGroupsPerUnit * computeUnits);
  return std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(1, room / std::max<std::size_t>(1, perGroup)));
}

void combinePartials(const KernelCode::ResultParam& result, const std::byte* partials, std::size_t groups, void* to) {
  std::memcpy(to, partials, result.size);
  if (!isPerGroup(result)) return;
  for (std::size_t group = 1; group < groups; ++group) result.combine(to, partials + group * result.size);
}

}  // namespace muster::cdm
