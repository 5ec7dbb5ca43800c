// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checked front of ComputeDevice: what a backend gets has been looked at here.
#include "muster/cdm/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "muster/cdm/host_allocation.h"

namespace muster::cdm {

const char* toString(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu:
      return "cpu";
    case DeviceKind::gpu:
      return "gpu";
    case DeviceKind::accelerator:
      return "accelerator";
  }
  return "unknown";
}

std::size_t sizeOf(ScalarType type) {
  switch (type) {
    case ScalarType::boolean:
    case ScalarType::i8:
    case ScalarType::u8:
      return 1;
    case ScalarType::i16:
    case ScalarType::u16:
      return 2;
    case ScalarType::i32:
    case ScalarType::u32:
    case ScalarType::f32:
      return 4;
    case ScalarType::i64:
    case ScalarType::u64:
    case ScalarType::f64:
      return 8;
    case ScalarType::other:
      return 0;
  }
  return 0;
}

Status ComputeDevice::fail(Errc code, const std::string& what) const { return {code, info_.name + ": " + what}; }

const std::size_t* ComputeDevice::extentOf(BufferId buffer) const {
  auto at = std::lower_bound(extents_.begin(), extents_.end(), buffer,
                             [](const auto& extent, BufferId id) { return extent.first < id; });
  return at != extents_.end() && at->first == buffer ? &at->second : nullptr;
}

Status ComputeDevice::remember(const Result<BufferId>& buffer, std::size_t bytes) {
  if (!buffer) return buffer.status();
  auto at = std::lower_bound(extents_.begin(), extents_.end(), std::pair(*buffer, std::size_t{0}));
  if (*buffer == 0 || (at != extents_.end() && at->first == *buffer))
    panic(fmt::format("backend {} gave out buffer handle {} twice", info_.backend, *buffer));
  extents_.emplace(at, *buffer, bytes);
  return {};
}

Status ComputeDevice::checkRange(BufferId buffer, std::size_t offset, std::size_t bytes, const char* call) const {
  const std::size_t* extent = extentOf(buffer);
  if (!extent) return fail(Errc::invalidArgument, fmt::format("{}: there is no buffer {}", call, buffer));
  if (offset > *extent || bytes > *extent - offset)
    return fail(Errc::invalidArgument, fmt::format("{}: {} bytes at offset {} do not fit into buffer {} of {} bytes",
                                                   call, bytes, offset, buffer, *extent));
  return {};
}

Status ComputeDevice::checkRows(BufferId buffer, std::size_t offset, const Rows& rows, const char* call) const {
  if (rows.count > 1 && (rows.pitch < rows.bytes || rows.hostPitch < rows.bytes))
    return fail(Errc::invalidArgument, fmt::format("{}: rows of {} bytes overlap, which are {} and {} bytes apart",
                                                   call, rows.bytes, rows.pitch, rows.hostPitch));
  std::size_t before = 0, bytes = 0;
  if (rows.count > 0 && rows.bytes > 0 &&
      (__builtin_mul_overflow(rows.count - 1, rows.pitch, &before) ||
       __builtin_add_overflow(before, rows.bytes, &bytes)))
    bytes = std::numeric_limits<std::size_t>::max();
  return checkRange(buffer, offset, bytes, call);
}

Result<BufferId> ComputeDevice::allocate(std::size_t bytes) {
  if (bytes == 0) return fail(Errc::invalidArgument, "allocate: 0 bytes");
  Result<BufferId> buffer = doAllocate(bytes);
  MUSTER_TRY(remember(buffer, bytes));
  return buffer;
}

Result<BufferId> ComputeDevice::wrap(void* memory, std::size_t bytes) {
  if (!memory || bytes == 0)
    return fail(Errc::invalidArgument, fmt::format("wrap: {} bytes at {}", bytes, static_cast<const void*>(memory)));
  if (!info_.hostAddressable) return fail(Errc::unsupported, "wrap: this device cannot work in host memory");
  Result<BufferId> buffer = doWrap(memory, bytes);
  MUSTER_TRY(remember(buffer, bytes));
  return buffer;
}

Status ComputeDevice::release(BufferId buffer) {
  const std::size_t* extent = extentOf(buffer);
  if (!extent) return fail(Errc::invalidArgument, fmt::format("release: there is no buffer {}", buffer));
  MUSTER_TRY(settle());
  extents_.erase(std::lower_bound(extents_.begin(), extents_.end(), std::pair(buffer, std::size_t{0})));
  return doRelease(buffer);
}

void* ComputeDevice::address(BufferId buffer) {
  return info_.hostAddressable && extentOf(buffer) ? doAddress(buffer) : nullptr;
}

Result<Event> ComputeDevice::write(BufferId to, std::size_t offset, const void* from, std::size_t bytes) {
  MUSTER_TRY(checkRange(to, offset, bytes, "write"));
  if (bytes == 0) return Event{0};
  if (!from) return fail(Errc::invalidArgument, "write: from a null pointer");
  MUSTER_TRY(settle());
  return doWrite(to, offset, from, bytes);
}

Result<Event> ComputeDevice::read(BufferId from, std::size_t offset, void* to, std::size_t bytes) {
  MUSTER_TRY(checkRange(from, offset, bytes, "read"));
  if (bytes == 0) return Event{0};
  if (!to) return fail(Errc::invalidArgument, "read: to a null pointer");
  MUSTER_TRY(settle());
  return doRead(from, offset, to, bytes);
}

Result<Event> ComputeDevice::writeRows(BufferId to, std::size_t offset, const void* from, const Rows& rows) {
  MUSTER_TRY(checkRows(to, offset, rows, "writeRows"));
  if (rows.count == 0 || rows.bytes == 0) return Event{0};
  if (!from) return fail(Errc::invalidArgument, "writeRows: from a null pointer");
  MUSTER_TRY(settle());
  return doWriteRows(to, offset, from, rows);
}

Result<Event> ComputeDevice::readRows(BufferId from, std::size_t offset, void* to, const Rows& rows) {
  MUSTER_TRY(checkRows(from, offset, rows, "readRows"));
  if (rows.count == 0 || rows.bytes == 0) return Event{0};
  if (!to) return fail(Errc::invalidArgument, "readRows: to a null pointer");
  MUSTER_TRY(settle());
  return doReadRows(from, offset, to, rows);
}

Result<Event> ComputeDevice::copy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset,
                                  std::size_t bytes) {
  MUSTER_TRY(checkRange(from, fromOffset, bytes, "copy (from)"));
  MUSTER_TRY(checkRange(to, toOffset, bytes, "copy (to)"));
  if (bytes == 0) return Event{0};
  if (from == to && fromOffset < toOffset + bytes && toOffset < fromOffset + bytes)
    return fail(Errc::invalidArgument, fmt::format("copy: {} bytes from offset {} to offset {} of buffer {} overlap",
                                                   bytes, fromOffset, toOffset, from));
  MUSTER_TRY(settle());
  return doCopy(from, fromOffset, to, toOffset, bytes);
}

Result<Event> ComputeDevice::push(BufferId from, std::size_t offset, const Rows& rows, ComputeDevice& target,
                                  BufferId to, std::size_t toOffset) {
  MUSTER_TRY(checkRows(from, offset, rows, "push (from)"));
  MUSTER_TRY(target.checkRows(to, toOffset, {rows.bytes, rows.count, rows.hostPitch, rows.pitch}, "push (to)"));
  if (rows.count == 0 || rows.bytes == 0) return Event{0};
  if (!reaches(target)) return fail(Errc::unsupported, fmt::format("push: to {}, out of reach", target.info_.name));
  MUSTER_TRY(settle());
  MUSTER_TRY(target.settle());
  return doPush(from, offset, rows, target, to, toOffset);
}

Result<Event> ComputeDevice::fill(BufferId to, std::size_t offset, std::byte value, std::size_t bytes) {
  MUSTER_TRY(checkRange(to, offset, bytes, "fill"));
  if (bytes == 0) return Event{0};
  MUSTER_TRY(settle());
  return doFill(to, offset, value, bytes);
}

Result<PinnedMemory> ComputeDevice::pinnedMemory(std::size_t bytes) {
  if (bytes == 0) return fail(Errc::invalidArgument, "pinnedMemory: 0 bytes");
  return doPinnedMemory(bytes);
}

Result<PinnedMemory> ComputeDevice::pin(std::span<std::byte> memory) {
  if (memory.empty()) return fail(Errc::invalidArgument, "pin: 0 bytes");
  return doPin(memory);
}

Status ComputeDevice::prepare(const KernelCode& code, double iterations) { return doPrepare(code, iterations); }

Status ComputeDevice::checkShape(const KernelLaunch& launch) const {
  const KernelCode& code = *launch.code;
  if (code.dimensions < 1 || code.dimensions > 3 || launch.dims.size() != code.dimensions)
    return fail(Errc::invalidArgument, fmt::format("launch of {} ({}): {} dimensions given, the kernel has {}",
                                                   code.name, code.location, launch.dims.size(), code.dimensions));
  for (const muster_dim& dim : launch.dims)
    if (dim.step == 0 || dim.count < 0)
      return fail(Errc::invalidArgument, fmt::format("launch of {} ({}): a dimension with step {} and count {}",
                                                     code.name, code.location, dim.step, dim.count));
  if (launch.lo < 0 || launch.lo > launch.hi || launch.hi > launch.dims[0].count)
    return fail(Errc::invalidArgument, fmt::format("launch of {} ({}): chunk [{},{}) of {} iterations", code.name,
                                                   code.location, launch.lo, launch.hi, launch.dims[0].count));
  if (launch.steps % 2 == 0 || (launch.steps != 1 && code.schedule.steps.most < 3))
    return fail(Errc::invalidArgument,
                fmt::format("launch of {} ({}): {} steps at once, of a loop that can do {}", code.name, code.location,
                            launch.steps, code.schedule.steps.most < 3 ? "one" : "an odd number of them"));
  return {};
}

Status ComputeDevice::checkArguments(const KernelLaunch& launch) const {
  const KernelCode& code = *launch.code;
  if (launch.arrays.size() != code.arrays.size() || launch.scalars.size() != code.scalars.size() ||
      launch.results.size() != code.results.size())
    return fail(Errc::invalidArgument,
                fmt::format("launch of {} ({}): {} arrays, {} scalars, {} results given, the kernel has {}, {}, {}",
                            code.name, code.location, launch.arrays.size(), launch.scalars.size(),
                            launch.results.size(), code.arrays.size(), code.scalars.size(), code.results.size()));
  for (std::size_t i = 0; i < launch.arrays.size(); ++i)
    if (launch.arrays[i].buffer != 0 && !extentOf(launch.arrays[i].buffer))
      return fail(Errc::invalidArgument, fmt::format("launch of {} ({}): array {}: there is no buffer {}", code.name,
                                                     code.location, code.arrays[i].name, launch.arrays[i].buffer));
  for (std::size_t i = 0; i < launch.arrays.size(); ++i)
    if (launch.arrays[i].touchedBegin > launch.arrays[i].touchedEnd)
      return fail(Errc::invalidArgument,
                  fmt::format("launch of {} ({}): array {}: touches bytes [{}, {})", code.name, code.location,
                              code.arrays[i].name, launch.arrays[i].touchedBegin, launch.arrays[i].touchedEnd));
  for (std::size_t i = 0; i < launch.scalars.size(); ++i)
    if (!launch.scalars[i])
      return fail(Errc::invalidArgument, fmt::format("launch of {} ({}): scalar {} has no value", code.name,
                                                     code.location, code.scalars[i].name));
  for (std::size_t i = 0; i < launch.results.size(); ++i)
    if (!launch.results[i])
      return fail(Errc::invalidArgument, fmt::format("launch of {} ({}): result {} has no place", code.name,
                                                     code.location, code.results[i].name));
  return {};
}

Result<Event> ComputeDevice::launch(const KernelLaunch& launch) {
  if (!launch.code) return fail(Errc::invalidArgument, "launch: no kernel");
  MUSTER_TRY(checkShape(launch));
  MUSTER_TRY(checkArguments(launch));
  if (fusion_ != nullptr && launch.steps == 1) return launchAmong(launch);
  MUSTER_TRY(settle());
  return launch.steps == 1 ? doLaunch(launch) : doLaunchSteps(launch);
}

// An event stands for all before it that touch what it does.
Result<Event> ComputeDevice::doLaunchSteps(const KernelLaunch& launch) {
  std::vector<ArrayArg> arrays;
  KernelLaunch one = launch;
  one.steps = 1;
  Event last = 0;
  MUSTER_TRY(forEachStep(launch, [&](const LaunchStep& step) -> Status {
    arrays.clear();
    for (const std::uint16_t array : step.arrays) arrays.push_back(launch.arrays[array]);
    one.code = step.code, one.lo = step.lo, one.hi = step.hi, one.arrays = arrays;
    one.scalars = launch.scalars.subspan(step.firstScalar, step.code->scalars.size());
    const Result<Event> event = doLaunch(one);
    if (event) last = *event;
    return event.status();
  }));
  return last;
}

Status ComputeDevice::wait(Event event) {
  if (event == 0) return {};
  MUSTER_TRY(settle());
  const Result<Event> operation = operationOf(event);
  if (!operation.ok()) return operation.status();
  return *operation == 0 ? Status() : doWait(*operation);
}

Result<bool> ComputeDevice::test(Event event) {
  if (event == 0) return true;
  MUSTER_TRY(settle());
  const Result<Event> operation = operationOf(event);
  if (!operation.ok()) return operation.status();
  return *operation == 0 ? Result<bool>(true) : doTest(*operation);
}

Result<bool> ComputeDevice::doTest(Event event) {
  MUSTER_TRY(doWait(event));
  return true;
}

Status ComputeDevice::waitForSource(Event write) { return write == 0 ? Status() : doWaitForSource(write); }

Status ComputeDevice::finish() {
  MUSTER_TRY(settle());
  return doFinish();
}

Status ComputeDevice::keepTimings(Timings timings) {
  MUSTER_TRY(settle());
  return doKeepTimings(timings);
}

// Devices whose operations are complete when a call returns have nothing to tell.
Status ComputeDevice::doKeepTimings(Timings) { return {}; }

std::vector<OperationTiming> ComputeDevice::doTakeTimings() { return {}; }

Result<BufferId> ComputeDevice::doWrap(void*, std::size_t) {
  return fail(Errc::unsupported, "wrap: this device cannot work in host memory");
}

void* ComputeDevice::doAddress(BufferId) { return nullptr; }

// Writes are complete in the order of the calls, and so are reads: the last event stands for all.
Result<Event> ComputeDevice::doWriteRows(BufferId to, std::size_t offset, const void* from, const Rows& rows) {
  Result<Event> last = Event{0};
  for (std::size_t i = 0; i < rows.count && last.ok(); ++i)
    last = doWrite(to, offset + i * rows.pitch, static_cast<const std::byte*>(from) + i * rows.hostPitch, rows.bytes);
  return last;
}

Result<Event> ComputeDevice::doReadRows(BufferId from, std::size_t offset, void* to, const Rows& rows) {
  Result<Event> last = Event{0};
  for (std::size_t i = 0; i < rows.count && last.ok(); ++i)
    last = doRead(from, offset + i * rows.pitch, static_cast<std::byte*>(to) + i * rows.hostPitch, rows.bytes);
  return last;
}

Result<Event> ComputeDevice::doFill(BufferId to, std::size_t offset, std::byte value, std::size_t bytes) {
  constexpr std::size_t largestPart = std::size_t{1} << 20;
  const std::vector<std::byte> part(std::min(bytes, largestPart), value);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t now = std::min(part.size(), bytes - done);
    Result<Event> event = doWrite(to, offset + done, part.data(), now);
    if (!event) return event;
    MUSTER_TRY(wait(*event));
    done += now;
  }
  return Event{0};
}

bool ComputeDevice::doReaches(const ComputeDevice& /*other*/) const { return false; }

Result<Event> ComputeDevice::doPush(BufferId, std::size_t, const Rows&, ComputeDevice&, BufferId, std::size_t) {
  panic(fmt::format("backend {} pushes to no device", info_.backend));
}

Result<DeviceRooms> ComputeDevice::makeRooms(std::size_t, std::size_t) {
  return fail(Errc::unsupported, "this device shares no memory with other processes");
}
Result<DeviceRooms> ComputeDevice::openRooms(std::span<const std::byte>) { return makeRooms(0, 0); }
Status ComputeDevice::signalFilled(const DeviceRooms&, std::size_t) { return makeRooms(0, 0).status(); }
Status ComputeDevice::awaitFilled(const DeviceRooms&, std::size_t) { return makeRooms(0, 0).status(); }
Result<PinnedMemory> ComputeDevice::messageMemory(std::size_t) { return makeRooms(0, 0).status(); }

Result<PinnedMemory> ComputeDevice::doPinnedMemory(std::size_t bytes) {
  Result<PinnedMemory> memory = allocateHost(bytes, "messages");
  if (!memory) return memory.status().at(info_.name);
  return memory;
}

// The CPU copies, wherever memory lies.
Result<PinnedMemory> ComputeDevice::doPin(std::span<std::byte> memory) {
  return PinnedMemory(memory.data(), [](std::byte*) {});
}

}  // namespace muster::cdm
