// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
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

// A page in front of it, and what follows its last byte in the pages that it takes.
std::size_t Allocation::whole() const { return page + (bytes_ + guard + page - 1) / page * page; }

Allocation::Allocation(std::size_t bytes) : bytes_(bytes) {
  void* const lowest = mmap(nullptr, whole(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (lowest == MAP_FAILED) throw std::bad_alloc();
  start_ = static_cast<char*>(lowest) + page;
  std::memset(start_ - guard, guarded, guard);
  std::memset(start_ + bytes, guarded, guard);
  std::memset(start_, unknown, std::min(bytes, mostUnknown));
  memory_ = std::make_unique<pocl::Memory>(start_, bytes);
}

Allocation::Allocation(int file, std::size_t bytes) : bytes_(bytes) {
  void* const lowest = mmap(nullptr, whole(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (lowest == MAP_FAILED) throw std::bad_alloc();
  start_ = static_cast<char*>(lowest) + page;
  memory_ = std::make_unique<pocl::Memory>(start_, bytes);
}

// Its address stays.
int Allocation::share() {
  if (file_ >= 0) return file_;
  char* const lowest = start_ - page;
  const int file = memfd_create("fake-cuda", MFD_CLOEXEC);
  if (file < 0 || write(file, lowest, whole()) != static_cast<ssize_t>(whole()) ||
      mmap(lowest, whole(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
    return -1;
  return file_ = file;
}

Allocation::~Allocation() {
  memory_.reset();
  munmap(start_ - page, whole());
  if (file_ >= 0) close(file_);
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
