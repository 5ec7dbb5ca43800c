// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations cost unequally: devices claim blocks of them while they run (balance/claims.h). A claim is a
// command as any other launch, of a part for one device, so that all ranks know who computed what before anything
// depends on it. The program's thread gives blocks out, and hears of those that are done, until all are.
#include <algorithm>
#include <cmath>
#include <utility>

#include "balance/claims.h"
#include "engine/controller/launch_run.h"
#include "host/system/runtime_section.h"
#include "muster/cdm/backoff.h"
#include "native/float_mode.h"

namespace muster::rt {
namespace {

// A device has one block behind the one that it computes. This rank's CPU has none: others' blocks would wait for it.
constexpr std::size_t mostUnderWay = 2;
// For each device. Claims cost more than they gain in loops that take less. So many more launches are then not claimed;
// twice as many each time, up to the most.
constexpr double leastSeconds = 0.005;
constexpr unsigned firstPause = 4, longestPause = 256;
// Work-items that a compute unit of a GPU can have under way.
constexpr double lanesOfComputeUnit = 2048;
// Partial results are those of as many parts of the loop as this at most, whoever claims them, and combined in the
// order of iterations: so results do not depend on time.
constexpr std::int64_t mostPartials = 256;
// Devices get less than one block each otherwise.
constexpr std::int64_t leastIterations = 4;
// Each has two commands under way, and rank 0 may be 64 ahead of any of them.
constexpr std::size_t mostDevices = 32;
// Tags of results tell 64 commands apart.
constexpr std::uint64_t mostAhead = 60;

// No chunk reads what another one writes, and merges would say that both write it: blocks with other bounds do not,
// either, but for a few elements at their ends. Where they did, devices would wait for each other.
bool areApart(const cap::LaunchSpec& spec, const cap::Plan& plan) {
  const auto meet = [&](std::size_t written, std::size_t read) {
    for (const cap::Chunk& writer : plan.chunks)
      for (const cap::Chunk& reader : plan.chunks)
        if (&writer != &reader && reader.reads[read].overlaps(writer.writes[written])) return true;
    return false;
  };
  for (std::size_t written = 0; written < spec.arrays.size(); ++written)
    for (std::size_t read = 0; read < spec.arrays.size(); ++read)
      if (spec.arrays[written].array == spec.arrays[read].array && meet(written, read)) return false;
  return true;
}

}  // namespace

// One loop, while devices compute it.
class Controller::ClaimedLaunch {
 public:
  ClaimedLaunch(Controller& controller, const PlannedLaunch& whole, Lock& lock)
      : controller_(controller),
        whole_(whole.command),
        count_(whole.command.dims.front().count),
        grain_(whole.kernel->code.results.empty() ? 1 : (count_ + mostPartials - 1) / mostPartials),
        claims_(sharesOf(*whole.plan)),
        lock_(lock) {
    if (!whole.kernel->code.results.empty()) partials_.resize(grainsOf(count_));
    for (const cap::Chunk& chunk : whole.plan->chunks) {
      Device& device = devices_.emplace_back();
      const DeviceEntry& entry = controller.node_.table().devices()[chunk.device];
      device.device = chunk.device;
      device.rank = entry.place.rank;
      device.isRemote = device.rank != controller.transport_.rank();
      device.isNative = !device.isRemote && entry.info.hostAddressable;
    }
  }

  // The lock is held before and after.
  Status run() {
    controller_.claiming_ = true;
    lock_.unlock();
    const Status status = giveOut();
    lock_.lock();
    controller_.claiming_ = false;
    return status;
  }
  // All parts' results, in their order.
  [[nodiscard]] std::span<const cap::Partial> partials() const { return partials_; }
  // All blocks, and what they moved.
  [[nodiscard]] cap::Plan takeSummary() {
    std::ranges::sort(summary_.chunks, {}, &cap::Chunk::lo);
    return std::move(summary_);
  }

 private:
  // A block that a device has, or will have next.
  struct Block {
    cap::Interval grains;
    std::shared_ptr<Run> run;
    CommandStream::Number task = 0;
    cdm::RequestPtr answer;  // of another rank's device
    std::int64_t beganNs = 0;
  };
  struct Device {
    std::uint32_t device = 0;  // in the job's table
    int rank = 0;
    bool isRemote = false;      // of another rank
    bool isNative = false;      // this rank's CPU
    std::vector<Block> blocks;  // the oldest first
    cap::Interval next;         // that it may not have yet
    std::int64_t doneNs = 0;    // its last block
  };

  // Claims count grains: parts of the loop that have a result of their own, or iterations.
  [[nodiscard]] std::int64_t grainsOf(std::int64_t iterations) const { return (iterations + grain_ - 1) / grain_; }
  [[nodiscard]] std::vector<Claims::Device> sharesOf(const cap::Plan& whole) const;
  // Iterations, half of what fills the device.
  [[nodiscard]] std::int64_t unitOf(const cdm::DeviceInfo& device) const;
  Status giveOut();
  Status give(std::size_t number);
  Status giveAll();
  [[nodiscard]] bool isTooFarAhead() const;
  [[nodiscard]] bool computesNatively() const {
    return std::ranges::any_of(devices_,
                               [](const Device& device) { return device.isNative && !device.blocks.empty(); });
  }
  // False: not before some block is done.
  Result<bool> post(Device& device, const cap::Interval& grains);
  [[nodiscard]] protocol::Launch commandFor(const Device& device, const cap::Interval& grains) const;
  Result<bool> takeDone(std::size_t number);
  Result<bool> isComplete(Block& block, const Device& device);
  Status takeResults(Block& block);
  [[nodiscard]] CommandStream::Overtakes mayOvertake(const PlannedLaunch& launch) const;

  Controller& controller_;
  const protocol::Launch whole_;
  const std::int64_t count_, grain_;  // iterations
  Claims claims_;
  Lock& lock_;
  std::vector<Device> devices_;
  cap::Plan summary_;
  std::vector<cap::Partial> partials_;
};

// The loop's own weights say how it is cut best. They are no speeds: a device whose iterations cost more has less.
// Sizes of blocks follow the speeds that devices began with.
std::vector<Claims::Device> Controller::ClaimedLaunch::sharesOf(const cap::Plan& whole) const {
  const DeviceTable& table = controller_.node_.table();
  const std::vector<cap::DeviceSlot>& slots = table.slots(DeviceTable::Needs::opencl);
  std::vector<Claims::Device> shares;
  for (const cap::Chunk& chunk : whole.chunks) {
    const auto slot = std::ranges::find(slots, chunk.device, &cap::DeviceSlot::device);
    shares.push_back({.own = {grainsOf(chunk.lo), grainsOf(chunk.hi)},
                      .speed = slot != slots.end() ? slot->weight : 0,
                      .unit = grainsOf(unitOf(table.devices()[chunk.device].info))});
  }
  // A device that takes part in this loop alone.
  if (std::ranges::any_of(shares, [](const Claims::Device& share) { return share.speed <= 0; }))
    for (Claims::Device& share : shares) share.speed = static_cast<double>(std::max<std::int64_t>(share.own.size(), 1));
  return shares;
}

// Each thread of a CPU has an iteration, each lane of a GPU one of all dimensions.
std::int64_t Controller::ClaimedLaunch::unitOf(const cdm::DeviceInfo& device) const {
  if (device.kind != cdm::DeviceKind::gpu) return device.computeUnits;
  const double lanes = lanesOfComputeUnit * static_cast<double>(device.computeUnits);
  return static_cast<std::int64_t>(lanes / 2 / std::max(1.0, protocol::innerIterations(whole_)));
}

protocol::Launch Controller::ClaimedLaunch::commandFor(const Device& device, const cap::Interval& grains) const {
  protocol::Launch command = whole_;
  command.part = {device.device, grains.lo * grain_, std::min(count_, grains.hi * grain_),
                  partials_.empty() ? 0 : grain_};
  return command;
}

Status Controller::ClaimedLaunch::giveOut() {
  MUSTER_TRY(giveAll());
  cdm::Backoff backoff = cdm::Backoff::besideComputing(longestPoll);
  while (std::ranges::any_of(devices_, [](const Device& device) { return !device.blocks.empty(); })) {
    bool progressed = false;
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      const Result<bool> done = takeDone(d);
      if (!done.ok()) return done.status();
      progressed |= *done;
    }
    if (progressed) {
      MUSTER_TRY(giveAll());
      backoff = cdm::Backoff::besideComputing(longestPoll);
    } else {
      backoff.pause();
    }
  }
  return controller_.stream_.waitForAll();
}

// One block for each device, then the ones behind. This thread may have to build kernels for this rank's own devices:
// others have work meanwhile.
Status Controller::ClaimedLaunch::giveAll() {
  for (std::size_t depth = 0; depth < mostUnderWay; ++depth)
    for (const bool mayBuild : {false, true})
      for (std::size_t d = 0; d < devices_.size(); ++d)
        if ((!devices_[d].isRemote && !devices_[d].isNative) == mayBuild) MUSTER_TRY(give(d));
  return {};
}

Status Controller::ClaimedLaunch::give(std::size_t number) {
  Device& device = devices_[number];
  if (device.blocks.size() >= (device.isNative ? 1 : mostUnderWay)) return {};
  if (device.next.empty()) device.next = claims_.take(number);
  if (device.next.empty()) return {};
  const Result<bool> posted = post(device, device.next);
  if (posted.ok() && *posted) device.next = {};
  return posted.status();
}

bool Controller::ClaimedLaunch::isTooFarAhead() const {
  if (partials_.empty()) return false;
  return std::ranges::any_of(devices_, [&](const Device& device) {
    return !device.blocks.empty() && controller_.sequence_ - device.blocks.front().run->sequence >= mostAhead;
  });
}

// Without a wait for room in the stream: what passes a chunk counts as done after it, and blocks are few. Copies of a
// block that waits for its device would keep those that they come from from going on.
Result<bool> Controller::ClaimedLaunch::post(Device& device, const cap::Interval& grains) {
  Block block;
  block.grains = grains;
  {
    const Lock lock(controller_.mutex_);
    auto launch = std::make_shared<PlannedLaunch>();
    launch->command = commandFor(device, grains);
    MUSTER_TRY(controller_.node_.plan(*launch));
    const cap::Plan& plan = *launch->plan;
    if ((plan.moves() && !device.blocks.empty()) || isTooFarAhead()) return false;
    const CommandStream::Overtakes overtakes = mayOvertake(*launch);
    if (overtakes == CommandStream::Overtakes::nothing && !device.isNative && computesNatively()) return false;
    MUSTER_TRY(controller_.post(launch->command));
    if (device.isRemote) {
      auto answer = controller_.transport_.receive(device.rank, partTag(controller_.sequence_, device.device), {});
      if (!answer.ok()) return answer.status();
      block.answer = std::move(*answer);
    }
    MUSTER_TRY(controller_.announce(plan, launch->spec->spec.arrays));
    block.run = controller_.newRun(launch, device.isNative);
    block.run->waitedFor = block.run->staysOpen = true;
    const auto queued = controller_.queue(block.run, overtakes);
    if (!queued.ok()) return queued.status();
    block.task = *queued;
    summary_.chunks.push_back(plan.chunks.front());
    summary_.chunks.back().hi = plan.chunks.back().hi;
    summary_.copies.insert(summary_.copies.end(), plan.copies.begin(), plan.copies.end());
    summary_.spreads.insert(summary_.spreads.end(), plan.spreads.begin(), plan.spreads.end());
  }
  // Its device has it at once, beside what this rank's CPU computes.
  if (!device.isNative) MUSTER_TRY(controller_.stream_.wait(block.task));
  block.beganNs = cap::traceClock();
  device.blocks.push_back(std::move(block));
  return true;
}

// Beside a chunk that computes natively, if that leaves alone what the block's copies use of host memory.
CommandStream::Overtakes Controller::ClaimedLaunch::mayOvertake(const PlannedLaunch& launch) const {
  for (const HostUse& use : hostUsesOf(*launch.plan, launch.spec->spec.arrays))
    if (controller_.pendingUse(use.array, use.elements, use.write)) return CommandStream::Overtakes::nothing;
  return CommandStream::Overtakes::running;
}

Result<bool> Controller::ClaimedLaunch::takeDone(std::size_t number) {
  Device& device = devices_[number];
  if (device.blocks.empty()) return false;
  Block& block = device.blocks.front();
  Result<bool> complete = isComplete(block, device);
  if (!complete.ok() || !*complete) return complete;
  MUSTER_TRY(takeResults(block));
  const std::int64_t now = cap::traceClock();
  claims_.noteDone(number, block.grains, 1e-9 * static_cast<double>(now - std::max(block.beganNs, device.doneNs)));
  device.doneNs = now;
  device.blocks.erase(device.blocks.begin());
  return true;
}

Result<bool> Controller::ClaimedLaunch::isComplete(Block& block, const Device& device) {
  if (device.isRemote) return cdm::Transport::test(block.answer);
  return controller_.stream_.done(block.task) ? controller_.isComplete(*block.run) : Result<bool>(false);
}

// Nothing has to be waited for: the block is complete, and other ranks send before they answer.
Status Controller::ClaimedLaunch::takeResults(Block& block) {
  Run& run = *block.run;
  if (run.started != nullptr) MUSTER_TRY(controller_.takeOpen(run));
  if (partials_.empty()) return {};
  const std::vector<cap::Chunk>& chunks = run.launch->plan->chunks;
  for (std::size_t i = 0; i < chunks.size(); ++i)
    partials_[static_cast<std::size_t>(chunks[i].lo / grain_)] = std::move(run.partials[i]);
  return {};
}

// Loops of one kernel and about one size.
Controller::Brief& Controller::briefOf(const protocol::Launch& launch) {
  const double iterations = protocol::innerIterations(launch) * static_cast<double>(launch.dims.front().count);
  return brief_[{launch.kernel, std::ilogb(std::max(1.0, iterations))}];
}

bool Controller::isBrief(const protocol::Launch& launch) {
  if (!claimsBlocks_) return true;
  Brief& brief = briefOf(launch);
  if (brief.left == 0) return false;
  --brief.left;
  return true;
}

void Controller::noteClaims(const protocol::Launch& launch, bool areWorthIt) {
  Brief& brief = briefOf(launch);
  brief.left = brief.launches = areWorthIt ? 0 : std::clamp(2 * brief.launches, firstPause, longestPause);
}

Result<bool> Controller::mayClaim(PlannedLaunch& launch) {
  if (launch.command.hostOnly || dryRun_ != nullptr || checksBuffers_ || !inFlight_.empty()) return false;
  const RuntimeSection section;
  MUSTER_TRY(node_.plan(launch));
  launch.slots.clear();  // it may be planned again
  const cap::Plan& plan = *launch.plan;
  // What comes behind an iteration that ends the program would be computed before that is known.
  const bool mayEnd = std::ranges::any_of(
      launch.kernel->code.results, [](const auto& result) { return result.kind == cdm::ResultKind::programEnd; });
  return plan.chunks.size() >= 2 && plan.chunks.size() <= mostDevices && plan.reason.empty() && plan.merges.empty() &&
         !mayEnd &&
         launch.command.dims.front().count >= leastIterations * static_cast<std::int64_t>(plan.chunks.size()) &&
         areApart(launch.spec->spec, plan);
}

Result<LaunchOutcome> Controller::launchInClaims(const PlannedLaunch& whole, Lock& lock,
                                                 std::span<void* const> results) {
  const std::int64_t beganNs = cap::traceClock();
  steps_.hostChanged();
  ClaimedLaunch launch(*this, whole, lock);
  {
    const RuntimeSection section;
    MUSTER_TRY(launch.run());
  }
  const auto devices = static_cast<double>(whole.plan->chunks.size());
  noteClaims(whole.command, cap::secondsSince(beganNs) >= leastSeconds * devices);
  if (!launch.partials().empty()) {
    lock.unlock();
    const FloatMode::Scope floats(FloatMode::of(whole.command.floatMode));
    combineAll(whole.kernel->code, launch.partials(), results);
  }
  return LaunchOutcome{std::make_shared<const cap::Plan>(launch.takeSummary()), whole.kernel, {}, {}};
}

}  // namespace muster::rt
