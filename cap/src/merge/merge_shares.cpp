// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchange of contested elements between devices that reach each other's memory: nothing waits for the host.
#include "merge/merge_device.h"

namespace muster::cap {

using cdm::MergeKernel;

Result<ContestedCopy::Share> ContestedCopy::share(std::size_t part, const IntervalSet& elements) {
  Share share;
  share.elements = elements;
  const std::size_t bytes = static_cast<std::size_t>(share.hull().size()) * elemSize_;
  const auto values = scratch(part, Use::share, bytes);
  if (!values.ok()) return values.status();
  share.values = *values;
  share.values.originBytes = (base_ - share.hull().lo) * elemSize_;
  const auto pairs = send(part, Use::pairs, pairs_.emplace_back(pairsOf(elements, elements_, base_)));
  if (!pairs.ok()) return pairs.status();
  share.pairs = *pairs;
  return share;
}

Status ContestedCopy::fillShare(const Share& share) {
  for (const Interval& piece : share.elements) {
    const auto offset = [&](std::int64_t from) { return static_cast<std::size_t>(piece.lo - from) * elemSize_; };
    const auto copied =
        buffers_.device().copy(window_.buffer, offset(window_.elements.lo), share.values.buffer,
                               offset(share.hull().lo), static_cast<std::size_t>(piece.size()) * elemSize_);
    if (!copied.ok()) return copied.status();
  }
  return {};
}

Status ContestedCopy::compare(const Share& share, std::size_t part) {
  static constexpr std::uint32_t none[] = {0, UINT32_MAX};
  const auto found = scratch(part, Use::found, sizeof none);
  if (!found.ok()) return found.status();
  const auto cleared = buffers_.device().write(found->buffer, 0, none, sizeof none);
  if (!cleared.ok()) return cleared.status();
  const auto intervals = static_cast<std::uint32_t>(share.elements.intervals()), each = words();
  const Argument arrays[] = {array(), twin_, share.values, share.pairs, *found};
  const void* const scalars[] = {&intervals, &each};
  MUSTER_TRY(run(cdm::mergeKernel(MergeKernel::clash, unit()), 0, share.elements.size(), arrays, scalars));
  const auto read =
      buffers_.device().read(found->buffer, 0, compared_.emplace_back(Compared{part, {}}).found, sizeof none);
  return read.status();
}

Status ContestedCopy::join(const Share& share, bool over) {
  const auto intervals = static_cast<std::uint32_t>(share.elements.intervals()), each = words(),
             overrules = static_cast<std::uint32_t>(over);
  const Argument arrays[] = {array(), twin_, share.values, share.pairs};
  const void* const scalars[] = {&intervals, &each, &overrules};
  return run(cdm::mergeKernel(MergeKernel::join, unit()), 0, share.elements.size(), arrays, scalars);
}

Status ContestedCopy::combine(const Share& share) {
  const auto intervals = static_cast<std::uint32_t>(share.elements.intervals());
  const auto op = static_cast<std::uint32_t>(combination_.op);
  const Argument arrays[] = {array(), share.values, share.pairs};
  const void* const scalars[] = {&intervals, &op, identity_};
  return run(*cdm::mergeCombineKernel(combination_.type), 0, share.elements.size(), arrays, scalars);
}

Status ContestedCopy::waitForSources() {
  for (const cdm::Event event : written_) MUSTER_TRY(buffers_.device().waitForSource(event));
  return {};
}

}  // namespace muster::cap
