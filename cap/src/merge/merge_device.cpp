// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences of merge kernels and transfers on one device, which works as if in order.
#include "merge/merge_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "muster/cdm/host_allocation.h"

namespace muster::cap {
namespace {

using cdm::MergeKernel;

constexpr std::size_t kTile = static_cast<std::size_t>(cdm::mergeTile);
constexpr std::size_t kSlabBytes = std::size_t{16} << 20;  // values that are on their way at a time

template <class T>
std::span<const std::byte> bytesOf(const std::vector<T>& items) {
  return std::as_bytes(std::span(items));
}

}  // namespace

Result<cdm::BufferId> MergeBuffers::get(std::size_t copy, Use use, std::size_t bytes) {
  Buffer& buffer = buffers_[{copy, use}];
  if (buffer.bytes >= bytes) return buffer.id;
  if (buffer.id != 0) {
    MUSTER_TRY(device().finish());
    MUSTER_TRY(device().release(buffer.id));
    buffer = {};
  }
  const auto made = device().allocate(bytes);
  if (!made.ok()) {
    const Status why = made.status();
    return Status(why.code(), fmt::format("no memory for merging what several devices wrote: {} bytes are needed ({}). "
                                          "Use more devices or ranks, or leave this device out with MUSTER_DEVICES",
                                          bytes, why.message()));
  }
  buffer = {*made, bytes};
  return buffer.id;
}

Status MergeBuffers::release() {
  if (buffers_.empty()) return {};
  MUSTER_TRY(device().finish());
  for (const auto& [key, buffer] : buffers_) {
    if (buffer.id != 0) MUSTER_TRY(device().release(buffer.id));
  }
  buffers_.clear();
  scratch_.release();
  return {};
}

ContestedCopy::ContestedCopy(MergeBuffers& buffers, std::size_t number, const Window& window, std::uint32_t elemSize,
                             const IntervalSet& elements, std::int64_t base, const Combination& combination)
    : buffers_(buffers),
      number_(number),
      window_(window),
      elemSize_(elemSize),
      elements_(elements),
      base_(base),
      combination_(combination),
      table_(tableOf(elements, base)),
      counts_(buffers.scratch().takePositions()),
      values_(buffers.scratch().takeBytes()) {
  changes_.positions = buffers.scratch().takePositions();
}

ContestedCopy::~ContestedCopy() {
  buffers_.scratch().keep(std::move(changes_.positions));
  buffers_.scratch().keep(std::move(counts_));
  buffers_.scratch().keep(std::move(values_));
}

std::size_t ContestedCopy::tiles() const { return (count() + kTile - 1) / kTile; }

// Elements count from base_; the kernels touch no others than those of this copy.
ContestedCopy::Argument ContestedCopy::array() const {
  const Interval hull = elements_.hull();
  const auto offset = [&](std::int64_t element) { return (element - window_.elements.lo) * elemSize_; };
  return {window_.buffer, offset(base_), static_cast<std::size_t>(offset(hull.lo)),
          static_cast<std::size_t>(offset(hull.hi))};
}

// Changes that travel to or from the device at a time. Whole tiles; native code takes all at once from where they are.
std::size_t ContestedCopy::slab() const {
  if (buffers_.device().info().hostAddressable) return SIZE_MAX;
  return std::max(kTile, kSlabBytes / elemSize_ / kTile * kTile);
}

Result<ContestedCopy::Argument> ContestedCopy::scratch(std::size_t number, Use use, std::size_t bytes) {
  const auto buffer = buffers_.get(number, use, bytes);
  if (!buffer.ok()) return buffer.status();
  return Argument{*buffer, 0, 0, bytes};
}

Result<ContestedCopy::Argument> ContestedCopy::send(std::size_t number, Use use,
                                                    const std::vector<std::uint32_t>& table) {
  auto argument = scratch(number, use, table.size() * sizeof(std::uint32_t));
  if (!argument.ok()) return argument;
  const auto written = buffers_.device().write(argument->buffer, 0, table.data(), argument->end);
  if (!written.ok()) return written.status();
  written_.push_back(*written);
  return argument;
}

// Host memory for a kernel to read: native code gets it as it is; whoever calls releases the buffer then.
Result<ContestedCopy::Argument> ContestedCopy::input(Use use, std::span<const std::byte> bytes) {
  cdm::ComputeDevice& device = buffers_.device();
  if (device.info().hostAddressable) {
    const auto wrapped = device.wrap(const_cast<std::byte*>(bytes.data()), bytes.size());  // the kernels only read it
    if (!wrapped.ok()) return wrapped.status();
    return Argument{*wrapped, 0, 0, bytes.size()};
  }
  auto argument = scratch(use, bytes.size());
  if (!argument.ok()) return argument;
  const auto written = device.write(argument->buffer, 0, bytes.data(), bytes.size());
  if (!written.ok()) return written.status();
  return argument;
}

Result<ContestedCopy::Argument> ContestedCopy::output(Use use, std::span<std::byte> bytes) {
  return buffers_.device().info().hostAddressable ? input(use, bytes) : scratch(use, bytes.size());
}

Status ContestedCopy::begin() {
  const auto twin = scratch(Use::twin, count() * elemSize_);
  if (!twin.ok()) return twin.status();
  twin_ = *twin;
  const auto table = send(number_, Use::table, table_);
  if (!table.ok()) return table.status();
  tableOnDevice_ = *table;
  MUSTER_TRY(copyTwin(false));
  return combination_.accumulate ? fill() : Status();
}

Status ContestedCopy::copyTwin(bool back) {
  std::size_t at = 0;
  for (const Interval& piece : elements_) {
    const std::size_t bytes = static_cast<std::size_t>(piece.size()) * elemSize_;
    const std::size_t here = static_cast<std::size_t>(piece.lo - window_.elements.lo) * elemSize_;
    const auto copied = back ? buffers_.device().copy(twin_.buffer, at, window_.buffer, here, bytes)
                             : buffers_.device().copy(window_.buffer, here, twin_.buffer, at, bytes);
    if (!copied.ok()) return copied.status();
    at += bytes;
  }
  return {};
}

Status ContestedCopy::fill() {
  MUSTER_TRY(cdm::writeUpdateIdentity(static_cast<cdm::ResultKind>(combination_.op), combination_.type, identity_));
  const auto intervals = static_cast<std::uint32_t>(table_.size() / 2);
  const Argument arrays[] = {array(), tableOnDevice_};
  const void* const scalars[] = {&intervals, identity_};
  return run(cdm::mergeKernel(MergeKernel::fill, elemSize_), 0, static_cast<std::int64_t>(count()), arrays, scalars);
}

Status ContestedCopy::search() {
  const auto bitmap = scratch(Use::bitmap, tiles() * kTile / 8);
  if (!bitmap.ok()) return bitmap.status();
  const auto counts = scratch(Use::counts, tiles() * sizeof(std::uint32_t));
  if (!counts.ok()) return counts.status();
  const auto intervals = static_cast<std::uint32_t>(table_.size() / 2), elements = static_cast<std::uint32_t>(count());
  const std::uint32_t each = words();
  const auto whole = static_cast<std::int64_t>(tiles() * kTile);
  if (combination_.accumulate) {
    const Argument arrays[] = {array(), tableOnDevice_, *bitmap};
    const void* const scalars[] = {&intervals, &elements, identity_};
    MUSTER_TRY(run(cdm::mergeKernel(MergeKernel::findValue, unit()), 0, whole, arrays, scalars));
  } else {
    const Argument arrays[] = {array(), twin_, tableOnDevice_, *bitmap};
    const void* const scalars[] = {&intervals, &each, &elements};
    MUSTER_TRY(run(cdm::mergeKernel(MergeKernel::find, unit()), 0, whole, arrays, scalars));
  }
  const Argument arrays[] = {*bitmap, *counts};
  MUSTER_TRY(run(cdm::mergeKernel(MergeKernel::count, sizeof(std::uint32_t)), 0, static_cast<std::int64_t>(tiles()),
                 arrays, {}));
  counts_.resize(tiles());
  const auto event = buffers_.device().read(counts->buffer, 0, counts_.data(), counts->end);
  if (!event.ok()) return event.status();
  counted_ = *event;
  return {};
}

Status ContestedCopy::gather() {
  MUSTER_TRY(buffers_.device().wait(counted_));
  std::uint32_t total = 0;
  for (std::uint32_t& entry : counts_) entry = std::exchange(total, total + entry);
  MUSTER_TRY(cdm::growHost(std::size_t{total} * (sizeof total + elemSize_), "what a chunk changed", [&] {
    changes_.positions.resize(total);
    values_.resize(std::size_t{total} * elemSize_);
  }));
  changes_.values = values_;
  if (total == 0) return {};
  const auto bitmap = scratch(Use::bitmap, tiles() * kTile / 8);
  const auto offsets = scratch(Use::counts, tiles() * sizeof(std::uint32_t));
  if (!bitmap.ok()) return bitmap.status();
  if (!offsets.ok()) return offsets.status();
  counts_.push_back(total);  // before the device reads it: this may move the others
  const auto written = buffers_.device().write(offsets->buffer, 0, counts_.data(), offsets->end);
  if (!written.ok()) return written.status();
  for (std::size_t from = 0; from < tiles();) {
    std::size_t to = from + 1;
    while (to < tiles() && counts_[to + 1] - counts_[from] <= slab()) ++to;
    if (counts_[to] > counts_[from]) MUSTER_TRY(gatherTiles(from, to, *bitmap, *offsets));
    from = to;
  }
  return {};
}

Status ContestedCopy::gatherTiles(std::size_t from, std::size_t to, const Argument& bitmap, const Argument& offsets) {
  cdm::ComputeDevice& device = buffers_.device();
  const std::uint32_t first = counts_[from];
  const std::size_t changed = counts_[to] - first;
  const auto positions = std::as_writable_bytes(std::span(changes_.positions).subspan(first, changed));
  const auto values = std::span(values_).subspan(std::size_t{first} * elemSize_, changed * elemSize_);
  const auto positionsOut = output(Use::positions, positions), valuesOut = output(Use::values, values);
  if (!positionsOut.ok()) return positionsOut.status();
  if (!valuesOut.ok()) return valuesOut.status();
  const auto intervals = static_cast<std::uint32_t>(table_.size() / 2), each = words();
  const Argument arrays[] = {array(), tableOnDevice_, bitmap, offsets, *positionsOut, *valuesOut};
  const void* const scalars[] = {&intervals, &each, &first};
  MUSTER_TRY(run(cdm::mergeKernel(MergeKernel::gather, unit()), static_cast<std::int64_t>(from * kTile),
                 static_cast<std::int64_t>(to * kTile), arrays, scalars));
  for (const auto& [argument, host] : {std::pair(*positionsOut, positions), std::pair(*valuesOut, values)}) {
    if (device.info().hostAddressable) {
      MUSTER_TRY(device.release(argument.buffer));
      continue;
    }
    const auto event = device.read(argument.buffer, 0, host.data(), host.size());
    if (!event.ok()) return event.status();
  }
  return {};
}

Status ContestedCopy::waitForChanges() {
  cdm::ComputeDevice& device = buffers_.device();
  return device.info().hostAddressable ? Status() : device.finish();
}

Status ContestedCopy::restore() { return copyTwin(true); }

Status ContestedCopy::apply(const PlacedChanges& changes) {
  cdm::ComputeDevice& device = buffers_.device();
  const std::uint32_t each = words(), op = static_cast<std::uint32_t>(combination_.op);
  const cdm::KernelCode& code = combination_.accumulate ? *cdm::mergeUpdateKernel(combination_.type)
                                                        : cdm::mergeKernel(MergeKernel::apply, unit());
  for (std::size_t at = 0; at < changes.elements.size();) {
    const std::size_t some = std::min(slab(), changes.elements.size() - at);
    const auto elements = input(Use::positions, std::as_bytes(changes.elements.subspan(at, some)));
    if (!elements.ok()) return elements.status();
    const auto values = input(Use::values, changes.values.subspan(at * elemSize_, some * elemSize_));
    if (!values.ok()) return values.status();
    const Argument arrays[] = {array(), *elements, *values};
    const void* const scalars[] = {combination_.accumulate ? &op : &each};
    MUSTER_TRY(run(code, 0, static_cast<std::int64_t>(some), arrays, scalars));
    if (device.info().hostAddressable) {
      MUSTER_TRY(device.release(elements->buffer));
      MUSTER_TRY(device.release(values->buffer));
    }
    at += some;
  }
  return {};
}

Status ContestedCopy::run(const cdm::KernelCode& code, std::int64_t lo, std::int64_t hi,
                          std::span<const Argument> arrays, std::span<const void* const> scalars) {
  const muster_dim dim{0, 1, hi};
  std::vector<cdm::ArrayArg> arguments;
  for (const Argument& argument : arrays)
    arguments.push_back({argument.buffer, argument.originBytes, argument.begin, argument.end});
  const auto event = buffers_.device().launch(
      {.code = &code, .dims = {&dim, 1}, .lo = lo, .hi = hi, .arrays = arguments, .scalars = scalars, .results = {}});
  if (event.ok()) return {};
  return event.status().code() == Errc::buildFailed ? emulate(code, lo, hi, arrays, scalars) : event.status();
}

// A device that builds no kernels: all that the kernel touches goes to the host and back.
Status ContestedCopy::emulate(const cdm::KernelCode& code, std::int64_t lo, std::int64_t hi,
                              std::span<const Argument> arrays, std::span<const void* const> scalars) {
  cdm::ComputeDevice& device = buffers_.device();
  std::vector<cdm::Bytes> host;
  std::vector<void*> pointers;
  for (const Argument& argument : arrays) {
    cdm::Bytes& bytes = host.emplace_back(argument.end - argument.begin);
    const auto event = device.read(argument.buffer, argument.begin, bytes.data(), bytes.size());
    if (!event.ok()) return event.status();
    // What the kernel's index 0 would be; it may point outside.
    const auto base = reinterpret_cast<std::intptr_t>(bytes.data()) - static_cast<std::intptr_t>(argument.begin);
    pointers.push_back(reinterpret_cast<void*>(base + argument.originBytes));
  }
  MUSTER_TRY(device.finish());
  const muster_dim dim{0, 1, hi};
  const muster_chunk chunk{.struct_size = sizeof(muster_chunk),
                           .n_dims = 1,
                           .dims = &dim,
                           .lo = lo,
                           .hi = hi,
                           .arrays = pointers.data(),
                           .scalars = scalars.data(),
                           .results = nullptr};
  code.native(&chunk);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!code.arrays[i].written) continue;
    const auto event = device.write(arrays[i].buffer, arrays[i].begin, host[i].data(), host[i].size());
    if (!event.ok()) return event.status();
  }
  return device.finish();
}

}  // namespace muster::cap
