// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of a launch on one rank: devices that work by themselves start first, the calling thread computes the CPU's
// part meanwhile, then results travel to rank 0.
#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>

#include "executor/executor_impl.h"

namespace muster::cap {
namespace {

constexpr std::uint32_t kResultIndex = 0xF000;  // above the indexes of messages
constexpr std::size_t kMaxChunks = 0x1000;
constexpr std::int64_t kLeastInterior = 4;  // a smaller part of a chunk is not started by itself

std::size_t slotsFor(std::size_t size) { return (size + resultSlot - 1) / resultSlot * resultSlot; }

std::size_t resultBytes(const cdm::KernelCode& code) { return resultOffsets(code).back(); }

// Where windows are for more than the chunk.
std::vector<Interval> hullsOf(const Chunk& chunk) {
  std::vector<Interval> touched(chunk.windows.size());
  for (std::size_t i = 0; i < touched.size(); ++i) touched[i] = chunk.reads[i].hull().hull(chunk.writes[i].hull());
  return touched;
}

// The pointer to an element of an array of which a chunk touches none, and this memory holds none: not null, apart from
// all that is there and from other arrays (beyond what processes may use), and as far from others of its array as ever.
std::int64_t addressOfNothing(const ArrayUse& use) {
  constexpr unsigned kUserBits = 48;
  const std::int64_t base = static_cast<std::int64_t>(use.array % 0x4000 + 1) << kUserBits;
  return (base / use.elemSize + use.offset) * use.elemSize;
}

}  // namespace

std::vector<std::size_t> resultOffsets(const cdm::KernelCode& code) {
  std::vector<std::size_t> offsets{0};
  for (const auto& result : code.results) offsets.push_back(offsets.back() + slotsFor(result.size));
  return offsets;
}

void LaunchInFlight::clear() {
  plan.reset();
  local.clear();
  merges.reset();
  remote.clear();
  receives.clear();
}

void LaunchInFlightDeleter::operator()(LaunchInFlight* launch) const {
  launch->clear();
  spare->reset(launch);
}

Result<LocalChunk> Executor::Impl::prepareChunk(const Plan& plan, std::size_t number, const LaunchRequest& request) {
  LocalChunk local;
  local.chunk = &plan.chunks[number];
  local.number = number;
  local.storage = storageOf(local.chunk->memory);
  if (local.storage == nullptr) panic(fmt::format("no device of this rank has memory {}", local.chunk->memory));
  local.arrays.reserve(request.spec->arrays.size());
  for (const ArrayUse& use : request.spec->arrays) {
    const Window* window = use.absent ? nullptr : local.storage->find(use.array);
    if (window == nullptr) {
      local.arrays.push_back({.originBytes = use.absent ? 0 : addressOfNothing(use), .absent = use.absent});
    } else {
      local.arrays.push_back({window->buffer, (use.offset - window->elements.lo) * use.elemSize});
    }
  }
  local.partial.last = local.chunk->hi == request.spec->space.dims.front().count;
  if (request.code->results.empty()) return local;
  const std::vector<std::size_t> offsets = resultOffsets(*request.code);
  local.partial.slots.resize(offsets.back());
  for (std::size_t r = 0; r < request.code->results.size(); ++r)
    local.results.push_back(local.partial.slots.data() + offsets[r]);
  return local;
}

Result<cdm::Event> Executor::Impl::launchOn(LocalChunk& chunk, const LaunchRequest& request,
                                            const Interval& iterations) {
  cdm::ComputeDevice& device = chunk.storage->device();
  if (options_.loseDevices && !device.info().hostAddressable)
    return Status(Errc::deviceLost, "the device is lost (MUSTER_INJECT)");
  const std::int64_t beganNs = trace_.now();
  Result<cdm::Event> event = device.launch({.code = request.code,
                                            .dims = request.dims,
                                            .lo = iterations.lo,
                                            .hi = iterations.hi,
                                            .arrays = {chunk.arrays.begin(), chunk.arrays.size()},
                                            .scalars = request.scalars,
                                            .results = chunk.results,
                                            .steps = request.steps,
                                            .own = request.own});
  if (event.ok()) trace_.chunk(device, request, iterations, chunk.sequence, beganNs, *event);
  return event;
}

Status Executor::Impl::startPart(LocalChunk& chunk, const LaunchRequest& request, const Interval& iterations,
                                 const std::vector<Interval>& touched) {
  if (iterations.empty()) return {};
  for (std::size_t i = 0; i < touched.size(); ++i) {
    const ArrayUse& use = request.spec->arrays[i];
    const Window* window = chunk.storage->find(use.array);
    if (window == nullptr) continue;
    const Interval part = window->elements.intersect(touched[i]);
    const std::int64_t first = part.empty() ? 0 : part.lo - window->elements.lo;
    chunk.arrays[i].touchedBegin = static_cast<std::size_t>(first) * use.elemSize;
    chunk.arrays[i].touchedEnd = static_cast<std::size_t>(first + part.size()) * use.elemSize;
  }
  const auto event = launchOn(chunk, request, iterations);
  if (event.ok()) chunk.event = *event;
  return event.status();
}

std::shared_ptr<const ChunkParts> Executor::Impl::knownParts(const PlanRef& plan, const LocalChunk& chunk,
                                                             const LaunchSpec& spec) {
  constexpr std::size_t kKept = 1024;
  const auto found = parts_.find({plan.get(), chunk.number});
  if (found != parts_.end()) return found->second.parts;
  if (parts_.size() >= kKept) parts_.clear();
  const auto copies = plan->copiesOf([&](MemoryId memory) { return memory == chunk.chunk->memory; });
  auto parts = std::make_shared<const ChunkParts>(cutAtInterior(spec, *chunk.chunk, copies));
  parts_[{plan.get(), chunk.number}] = {plan, parts};
  return parts;
}

// What needs none of the data under way starts before that data is waited for. A device works as if in order: this part
// cannot overwrite what is to be sent where the read of it is queued already. Reads that are not, because the window is
// full, must be of other elements; they do not wait for this part then.
Status Executor::Impl::startInterior(LocalChunk& chunk, const PlanRef& plan, const LaunchRequest& request,
                                     const Transfer& transfer) {
  // Parts of a chunk would compute the same iterations around them.
  if (request.steps != 1) return {};
  if (!plan->merges.empty() || !request.code->results.empty() || !worthOverlapping(*request.spec, *chunk.chunk))
    return {};
  auto parts = knownParts(plan, chunk, *request.spec);
  const Interval interior = parts->interior;
  if (kLeastInterior * interior.size() < chunk.chunk->hi - chunk.chunk->lo) return {};
  if (!transfer.sparesElements(chunk.chunk->memory, *request.spec, parts->touched[1])) return {};
  const Status status = startPart(chunk, request, interior, parts->touched[1]);
  if (status.ok()) chunk.parts = std::move(parts);
  // A kernel that does not build is dealt with when the chunk's data is there.
  return status.code() == Errc::buildFailed ? Status() : status;
}

Status Executor::Impl::startChunk(LocalChunk& chunk, const LaunchRequest& request) {
  const Interval all{chunk.chunk->lo, chunk.chunk->hi};
  Status status;
  if (chunk.parts == nullptr) {
    status = startPart(chunk, request, all, request.spec->part ? hullsOf(*chunk.chunk) : chunk.chunk->windows);
  } else {
    const ChunkParts& parts = *chunk.parts;
    status = startPart(chunk, request, {all.lo, parts.interior.lo}, parts.touched[0]);
    if (status.ok()) status = startPart(chunk, request, {parts.interior.hi, all.hi}, parts.touched[2]);
  }
  if (status.ok()) return {};
  cdm::ComputeDevice& device = chunk.storage->device();
  if (status.code() == Errc::buildFailed && chunk.parts == nullptr && !device.info().hostAddressable) {
    warnFallback(chunk, request, status);
    const std::int64_t beganNs = trace_.now();
    MUSTER_TRY(runFallback(chunk, request));
    trace_.chunk(device, request, all, chunk.sequence, beganNs, 0);
    return {};
  }
  return status.at(fmt::format("{}, kernel {} ({})", where(device), request.code->name, request.code->location));
}

Result<LaunchInFlightPtr> Executor::start(PlanRef plan, const LaunchRequest& request, std::uint64_t sequence) {
  if (plan->chunks.size() > kMaxChunks) return Status(Errc::unsupported, "more than 4096 chunks in one launch");
  if (impl_->spare_ == nullptr) impl_->spare_ = std::make_unique<LaunchInFlight>();
  LaunchInFlightPtr launch(impl_->spare_.release(), {&impl_->spare_});
  launch->plan = std::move(plan);
  launch->request = request;
  launch->sequence = sequence;
  // Most launches that come again move nothing; they are spared the transfer's queues.
  std::optional<Impl::Transfer> transfer;
  if (launch->plan->moves()) transfer.emplace();
  Impl::ErrorGuard guard(*impl_, transfer ? &*transfer : nullptr);
  const std::span<const Copy> copies = transfer ? impl_->copiesOf(*launch->plan, *transfer) : std::span<const Copy>();
  MUSTER_TRY(impl_->makeRoom(*launch->plan, copies, request.spec->arrays));
  MUSTER_TRY(impl_->receiveResults(*launch));
  for (std::size_t i = 0; i < launch->plan->chunks.size(); ++i) {
    if (impl_->rankOf(launch->plan->chunks[i].memory) != impl_->transport_.rank()) continue;
    auto chunk = impl_->prepareChunk(*launch->plan, i, request);
    if (!chunk.ok()) return chunk.status();
    chunk->sequence = sequence;
    launch->local.push_back(std::move(*chunk));
  }
  const auto forEachAsynchronous = [&](auto start) -> Status {
    for (LocalChunk& chunk : launch->local) {
      if (!chunk.storage->device().info().hostAddressable) MUSTER_TRY(start(chunk));
    }
    return {};
  };
  if (transfer) {
    MUSTER_TRY(impl_->beginTransfer(*transfer, copies, sequence));
    MUSTER_TRY(forEachAsynchronous(
        [&](LocalChunk& chunk) { return impl_->startInterior(chunk, launch->plan, request, *transfer); }));
    MUSTER_TRY(impl_->endTransfer(*transfer, sequence));
  }
  impl_->commit(*launch->plan);
  MUSTER_TRY(impl_->beginMerges(*launch));
  MUSTER_TRY(forEachAsynchronous([&](LocalChunk& chunk) { return impl_->startChunk(chunk, request); }));
  guard.dismiss();
  return launch;
}

std::optional<OpenChunk> Executor::openChunk(const LaunchInFlight& launch) {
  if (launch.local.empty()) return std::nullopt;
  const LocalChunk& last = launch.local.back();
  if (last.storage->device().info().hostAddressable) return std::nullopt;
  return OpenChunk{last.chunk->memory, last.event};
}

Result<bool> Executor::isComplete(const OpenChunk& chunk) {
  cdm::ComputeDevice& device = impl_->storageOf(chunk.memory)->device();
  const Result<bool> complete = device.test(chunk.event);
  return complete.ok() ? complete : Result<bool>(complete.status().at(impl_->where(device)));
}

Status Executor::runNative(LaunchInFlight& launch) {
  Impl::ErrorGuard guard(*impl_);
  for (LocalChunk& chunk : launch.local) {
    if (chunk.storage->device().info().hostAddressable) MUSTER_TRY(impl_->startChunk(chunk, launch.request));
  }
  guard.dismiss();
  return {};
}

// Rank 0 waits for the results of other ranks' chunks; the receives are posted before anybody can send.
Status Executor::Impl::receiveResults(LaunchInFlight& launch) {
  if (launch.request.code->results.empty() || transport_.rank() != 0) return {};
  const std::size_t bytes = resultBytes(*launch.request.code);
  launch.remote.resize(launch.plan->chunks.size());
  for (std::size_t i = 0; i < launch.plan->chunks.size(); ++i) {
    const int owner = rankOf(launch.plan->chunks[i].memory);
    if (owner == 0) continue;
    launch.remote[i].last = launch.plan->chunks[i].hi == launch.request.spec->space.dims.front().count;
    launch.remote[i].slots.resize(bytes);
    auto request = transport_.receive(owner, tag(launch.sequence, kResultIndex + static_cast<std::uint32_t>(i)),
                                      launch.remote[i].slots);
    if (!request.ok()) return request.status();
    launch.receives.push_back(std::move(*request));
  }
  return {};
}

Status Executor::Impl::sendResults(LaunchInFlight& launch) {
  std::vector<cdm::RequestPtr> sends;
  for (LocalChunk& chunk : launch.local) {
    auto request = transport_.send(0, tag(launch.sequence, kResultIndex + static_cast<std::uint32_t>(chunk.number)),
                                   chunk.partial.slots);
    if (!request.ok()) return request.status();
    sends.push_back(std::move(*request));
  }
  return transport_.waitAll(sends);
}

Result<std::vector<Partial>> Executor::Impl::takeResults(LaunchInFlight& launch) {
  std::vector<Partial> all;
  if (launch.request.code->results.empty()) return all;
  for (LocalChunk& chunk : launch.local) {
    if (chunk.done) continue;
    cdm::ComputeDevice& device = chunk.storage->device();
    MUSTER_TRY(device.wait(chunk.event).at(fmt::format("{}, kernel {}", where(device), launch.request.code->name)));
  }
  if (transport_.rank() != 0) {
    MUSTER_TRY(sendResults(launch));
    return all;
  }
  MUSTER_TRY(transport_.waitAll(launch.receives));
  all = std::move(launch.remote);
  for (LocalChunk& chunk : launch.local) all[chunk.number] = std::move(chunk.partial);
  return all;
}

Result<std::vector<Partial>> Executor::finish(LaunchInFlight& launch) {
  Impl::ErrorGuard guard(*impl_);
  MUSTER_TRY(impl_->finishMerges(launch));
  auto results = impl_->takeResults(launch);
  if (results.ok()) guard.dismiss();
  return results;
}

}  // namespace muster::cap
