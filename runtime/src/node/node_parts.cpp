// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of launches on ranks > 0: rank 0 hears when each is computed, and the rank goes on with commands meanwhile. It
// hands them on to others, takes part in their copies, and gives its other devices work.
#include <algorithm>
#include <chrono>
#include <functional>

#include "muster/cdm/backoff.h"
#include "native/float_mode.h"
#include "node/node.h"

namespace muster::rt {
namespace {

// Whether a part is complete: rank 0 has another one for the device by then.
constexpr std::chrono::microseconds longestLook{200};

}  // namespace

// Each device's answers have tags of their own: they come in their order, others' may not.
std::uint64_t partTag(std::uint64_t sequence, std::uint32_t device) {
  constexpr std::uint32_t first = 0xE100, end = 0xEFFF;
  return (sequence << 16) | (first + device % (end - first));
}

// Whether copies of the plan touch what is being computed natively.
bool Node::meetsNative(const cap::Plan& plan) const {
  return std::ranges::any_of(openParts_, [&](const OpenPart& part) {
    if (!part.isNative()) return false;
    const std::vector<cap::ArrayUse>& arrays = part.launch->spec->spec.arrays;
    return std::ranges::any_of(part.launch->plan->chunks, [&](const cap::Chunk& chunk) {
      const auto meets = [&](const cap::Copy& copy) {
        for (std::size_t p = 0; p < arrays.size(); ++p) {
          if (arrays[p].array != copy.array) continue;
          const bool writes = !chunk.writes[p].intersect(copy.elements).empty();
          if (writes || (copy.to == chunk.memory && !chunk.reads[p].intersect(copy.elements).empty())) return true;
        }
        return false;
      };
      return std::ranges::any_of(plan.copiesOf([&](cap::MemoryId memory) { return memory == chunk.memory; }), meets);
    });
  });
}

Status Node::applyPart(std::unique_ptr<PlannedLaunch> launch, std::uint64_t sequence) {
  if (meetsNative(*launch->plan)) MUSTER_TRY(waitForNative());
  const protocol::Launch::Part& part = launch->command.part;
  const DeviceEntry& device = table_.devices()[part.device];
  auto started = executor_.start(launch->plan, launch->request(), sequence);
  if (!started.ok()) return started.status();
  if (device.place.rank != transport_.rank()) return executor_.finish(**started).status();
  OpenPart open;
  open.tag = partTag(sequence, part.device);
  open.chunk = cap::Executor::openChunk(**started);
  open.launch = std::move(launch);
  open.started = std::move(*started);
  if (open.isNative()) {
    const auto queued = lane_.run([this, floats = open.launch->command.floatMode, chunks = open.started.get()] {
      const FloatMode::Scope mode(FloatMode::of(floats));
      return executor_.runNative(*chunks);
    });
    if (!queued.ok()) return queued.status();
    open.native = *queued;
  }
  openParts_.push_back(std::move(open));
  return {};
}

Result<bool> Node::finishParts() {
  const std::size_t before = openParts_.size();
  for (auto part = openParts_.begin(); part != openParts_.end();) {
    const Result<bool> complete =
        part->isNative() ? Result<bool>(lane_.isDone(part->native)) : executor_.isComplete(*part->chunk);
    if (!complete.ok()) return complete.status();
    if (!*complete) {
      ++part;
      continue;
    }
    if (part->isNative()) MUSTER_TRY(lane_.wait(part->native));
    MUSTER_TRY(executor_.finish(*part->started).status());
    MUSTER_TRY(tellRank0(part->tag));
    part = openParts_.erase(part);
  }
  return openParts_.size() < before;
}

// Until the next command is there.
Status Node::watchParts() {
  if (openParts_.empty()) return {};
  cdm::Backoff backoff = cdm::Backoff::besideComputing(longestLook);
  while (!openParts_.empty()) {
    const Result<bool> finished = finishParts();
    if (!finished.ok()) return finished.status();
    const Result<bool> more = transport_.hasCommand();
    if (!more.ok()) return more.status();
    if (*more) return {};
    if (!*finished) backoff.pause();
  }
  return {};
}

bool Node::computesNatively() const { return std::ranges::any_of(openParts_, &OpenPart::isNative); }

Status Node::waitForNative() {
  const auto last = std::find_if(openParts_.rbegin(), openParts_.rend(), std::mem_fn(&OpenPart::isNative));
  if (last == openParts_.rend()) return {};
  MUSTER_TRY(lane_.wait(last->native));
  return finishParts().status();
}

}  // namespace muster::rt
