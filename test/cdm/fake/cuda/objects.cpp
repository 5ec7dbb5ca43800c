// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

const char* const fake::variable = "FAKE_CUDA";

namespace fake {

namespace {

// In front of an allocation and behind it.
constexpr std::size_t page = 4096, guard = 256;
constexpr char guarded = 0x5A, unknown = static_cast<char>(0xCD);
// Of larger ones the rest is what the system gives.
constexpr std::size_t mostUnknown = std::size_t{16} << 20;

bool isGuarded(const char* start) {
  return std::all_of(start, start + guard, [](char byte) { return byte == guarded; });
}

}  // namespace

Allocation::Allocation(std::size_t bytes) : bytes_(bytes) {
  const std::size_t whole = (bytes + guard + page - 1) / page * page;
  void* const lowest = std::aligned_alloc(page, page + whole);
  if (!lowest) throw std::bad_alloc();
  start_ = static_cast<char*>(lowest) + page;
  std::memset(start_ - guard, guarded, guard);
  std::memset(start_ + bytes, guarded, guard);
  std::memset(start_, unknown, std::min(bytes, mostUnknown));
  memory_ = std::make_unique<pocl::Memory>(start_, bytes);
}

Allocation::~Allocation() {
  memory_.reset();
  std::free(start_ - page);
}

bool Allocation::isIntact() const { return isGuarded(start_ - guard) && isGuarded(start_ + bytes_); }

std::recursive_mutex& oneAtATime() {
  static std::recursive_mutex mutex;
  return mutex;
}

int devices() { return asked("no-device") ? 0 : static_cast<int>(asked("devices=", 1)); }
unsigned capability() { return static_cast<unsigned>(asked("capability=", 90)); }

cuda::Context*& currentContext() {
  static thread_local cuda::Context* current = nullptr;
  return current;
}

bool enqueue(cuda::Stream* stream, const std::vector<CommandPtr>& waits, bool kernel, std::function<void()> run,
             CommandPtr* added) {
  const bool right = enqueue({*stream->queue, false, kernel, waits}, std::move(run), added);
  flush(*stream->queue);
  return right;
}

}  // namespace fake

namespace muster::cdm::cuda {

fake::AllocationPtr Context::find(Pointer at, std::size_t bytes) const {
  const auto after = allocations.upper_bound(at);
  if (after == allocations.begin()) return nullptr;
  const auto& [start, allocation] = *std::prev(after);
  const std::size_t offset = at - start;
  return offset <= allocation->bytes() && bytes <= allocation->bytes() - offset ? allocation : nullptr;
}

fake::AllocationPtr Context::findReached(Pointer at, std::size_t bytes) const {
  fake::AllocationPtr found = find(at, bytes);
  for (auto peer = peers.begin(); !found && peer != peers.end(); ++peer) found = (*peer)->find(at, bytes);
  return found;
}

}  // namespace muster::cdm::cuda
