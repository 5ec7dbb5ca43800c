// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of CUDA's driver: memory of cards and of the host, and what is copied between them.
#include <cstdlib>
#include <cstring>
#include <new>

#include "entries.h"

namespace fake {

namespace {

using namespace muster::cdm::cuda;

constexpr std::size_t mostPitch = 0x7fffffff;

// Page-locked memory of the host, known to all contexts.
std::map<const char*, std::size_t>& locked() {
  static std::map<const char*, std::size_t> ranges;
  return ranges;
}

// Those that have some of these bytes.
std::size_t lockedWithin(const char* start, std::size_t bytes) {
  std::size_t count = 0;
  for (const auto& [first, size] : locked()) count += first < start + bytes && start < first + size;
  return count;
}

// As on a card, where one end of a copy is page-locked, the other end has to be of the same memory.
bool isPartlyLocked(const char* start, std::size_t bytes) {
  const std::size_t parts = lockedWithin(start, bytes);
  if (parts == 0) return false;
  const auto after = locked().upper_bound(start);
  if (parts > 1 || after == locked().begin()) return true;
  const auto& [first, size] = *std::prev(after);
  return start + bytes > first + size;
}

// One end of a copy of rows.
struct Place {
  char* start = nullptr;
  std::size_t pitch = 0;
  AllocationPtr keep;
};

struct Shape {
  std::size_t bytes = 0, rows = 1;
  [[nodiscard]] std::size_t span(std::size_t pitch) const { return rows == 0 ? 0 : (rows - 1) * pitch + bytes; }
};

Error find(const Context& context, Pointer at, const Shape& shape, Place& place) {
  place.start = reinterpret_cast<char*>(at);
  place.keep = context.findReached(at, shape.span(place.pitch));
  return place.keep ? success : illegalAddress;
}

Error findOnHost(const void* at, const Shape& shape, Place& place) {
  place.start = static_cast<char*>(const_cast<void*>(at));
  return isPartlyLocked(place.start, shape.span(place.pitch)) ? invalidValue : success;
}

Error copy(Stream* stream, const Place& to, const Place& from, const Shape& shape) {
  if (to.keep && to.keep->isShared()) stream->copies->push_back({to.keep, to.start, shape.span(to.pitch)});
  const bool right = enqueue(stream, {}, false, [=] {
    for (std::size_t row = 0; row < shape.rows; ++row)
      std::memmove(to.start + row * to.pitch, from.start + row * from.pitch, shape.bytes);
  });
  return right ? success : launchTimeout;
}

// Commands that leave an allocation are as fatal as kernels that do.
template <class Find>
Error copyOnStream(Stream* stream, const Shape& shape, Place to, Place from, const Find& find) {
  return onStream(stream, [&](Context& context) {
    if (asked("refuses-copies")) return launchFailed;
    const Error found = find(context, to, from);
    if (found == illegalAddress) context.lost = found;
    return found == success ? copy(stream, to, from, shape) : found;
  });
}

template <class Word>
Error set(Stream* stream, Pointer to, Word value, std::size_t count) {
  return onStream(stream, [&](Context& context) {
    const AllocationPtr keep = context.find(to, count * sizeof value);
    if (to % sizeof value != 0) return invalidValue;
    if (!keep) return context.lost = illegalAddress;
    const bool right = enqueue(stream, {}, false, [=, words = reinterpret_cast<Word*>(to), owner = keep] {
      for (std::size_t i = 0; i < count; ++i) words[i] = value;
    });
    return right ? success : launchTimeout;
  });
}

bool hasRoom(const Context& context, std::size_t bytes) {
  const std::uint64_t all = asked("memory=", std::uint64_t{1} << 30);
  return !asked("full") && context.held <= all && bytes <= all - context.held;
}

// The offset in a copy's memory where its first row begins.
std::size_t offsetOf(std::size_t x, std::size_t y, std::size_t pitch) { return y * pitch + x; }

Error find2D(const Context& context, const Copy2D& how, Place& to, Place& from) {
  const Shape shape{how.widthBytes, how.height};
  const std::size_t source = offsetOf(how.srcX, how.srcY, how.srcPitch);
  const std::size_t target = offsetOf(how.dstX, how.dstY, how.dstPitch);
  const Error error = how.srcKind != Copy2D::host
                          ? find(context, how.srcDevice + source, shape, from)
                          : findOnHost(static_cast<const char*>(how.srcHost) + source, shape, from);
  if (error != success) return error;
  return how.dstKind != Copy2D::host ? find(context, how.dstDevice + target, shape, to)
                                     : findOnHost(static_cast<char*>(how.dstHost) + target, shape, to);
}

}  // namespace

}  // namespace fake

using namespace fake;

#pragma GCC visibility push(default)
extern "C" {

Error cuMemAlloc_v2(Pointer* address, std::size_t bytes) {
  return inContext([&](Context& context) {
    if (bytes == 0) return invalidValue;
    if (!hasRoom(context, bytes)) return outOfMemory;
    auto made = std::make_shared<Allocation>(bytes);
    *address = reinterpret_cast<Pointer>(made->start());
    context.allocations.emplace(*address, std::move(made));
    context.held += bytes;
    return success;
  });
}

// Waits for all that the context was given.
Error cuMemFree_v2(Pointer address) {
  return inContext([&](Context& context) {
    const auto found = context.allocations.find(address);
    if (found == context.allocations.end()) return invalidValue;
    for (const auto& [stream, owned] : context.streams) (void)runQueue(*owned->queue);
    context.held -= found->second->bytes();
    context.allocations.erase(found);
    return success;
  });
}

Error cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  return inContext([&](Context&) {
    if (bytes == 0) return invalidValue;
    *address = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!*address) return outOfMemory;
    locked().emplace(static_cast<char*>(*address), bytes);
    return success;
  });
}

Error cuMemFreeHost(void* address) {
  return inContext([&](Context&) {
    if (locked().erase(static_cast<char*>(address)) == 0) return invalidValue;
    std::free(address);
    return success;
  });
}

Error cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned) {
  return inContext([&](Context&) {
    if (bytes == 0) return invalidValue;
    if (lockedWithin(static_cast<char*>(address), bytes) > 0) return error(alreadyRegistered);
    locked().emplace(static_cast<char*>(address), bytes);
    return success;
  });
}

Error cuMemHostUnregister(void* address) {
  return inContext(
      [&](Context&) { return locked().erase(static_cast<char*>(address)) ? success : error(notRegistered); });
}

Error cuMemcpyHtoDAsync_v2(Pointer to, const void* from, std::size_t bytes, Stream* stream) {
  if (asked("refuses-writes")) return launchFailed;
  return copyOnStream(stream, {bytes}, {}, {}, [&](const Context& context, Place& target, Place& source) {
    const Error found = findOnHost(from, {bytes}, source);
    return found == success ? find(context, to, {bytes}, target) : found;
  });
}

Error cuMemcpyDtoHAsync_v2(void* to, Pointer from, std::size_t bytes, Stream* stream) {
  return copyOnStream(stream, {bytes}, {}, {}, [&](const Context& context, Place& target, Place& source) {
    const Error found = findOnHost(to, {bytes}, target);
    return found == success ? find(context, from, {bytes}, source) : found;
  });
}

Error cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, std::size_t bytes, Stream* stream) {
  return copyOnStream(stream, {bytes}, {}, {}, [&](const Context& context, Place& target, Place& source) {
    const Error found = find(context, from, {bytes}, source);
    return found == success ? find(context, to, {bytes}, target) : found;
  });
}

Error cuMemcpy2DAsync_v2(const Copy2D* how, Stream* stream) {
  if (asked("refuses-writes") && how->dstKind == Copy2D::device) return launchFailed;
  for (const auto& [x, pitch] : {std::pair(how->srcX, how->srcPitch), std::pair(how->dstX, how->dstPitch)})
    if (x + how->widthBytes > pitch || pitch > mostPitch) return invalidValue;
  return copyOnStream(stream, {how->widthBytes, how->height}, {nullptr, how->dstPitch, nullptr},
                      {nullptr, how->srcPitch, nullptr},
                      [&](const Context& context, Place& to, Place& from) { return find2D(context, *how, to, from); });
}

Error cuMemsetD32Async(Pointer to, unsigned value, std::size_t count, Stream* stream) {
  return set(stream, to, value, count);
}
Error cuMemsetD8Async(Pointer to, unsigned char value, std::size_t count, Stream* stream) {
  return set(stream, to, value, count);
}

}  // extern "C"
#pragma GCC visibility pop
