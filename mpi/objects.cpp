// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "muster/buffers.h"
#include "passing.h"

namespace muster::mpi {
namespace {

constexpr const char* kInWindow = "it is in a window of MPI, which other processes may use at any time";

// The memory that each window has.
class Windows {
 public:
  // Of an array that is held.
  void add(Word window, Word base) {
    const std::lock_guard lock(mutex_);
    bases_.emplace(window, base);
  }
  // base 0: all of them.
  void remove(Word window, Word base) {
    const std::lock_guard lock(mutex_);
    auto [at, end] = bases_.equal_range(window);
    while (at != end) {
      if (base != 0 && at->second != base) {
        ++at;
        continue;
      }
      muster_release_array(reinterpret_cast<const void*>(at->second));
      at = bases_.erase(at);
      if (base != 0) return;
    }
  }

 private:
  std::mutex mutex_;
  std::unordered_multimap<Word, Word> bases_;
};

Windows& windows() {
  static auto& all = *new Windows;  // programs free windows in static destructors
  return all;
}

long threadsOfProcess() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return error ? 0 : std::distance(begin(tasks), end(tasks));
}

// An array is held before: as soon as MPI knows the memory, another process may write there. The window is known after.
template <class WindowOf>
Word enterWindow(Call& call, const Word* arguments, Word base, const WindowOf& window) {
  muster_hold_array(reinterpret_cast<const void*>(base), kInWindow);
  const Word result = call.next(arguments);
  if (result == success)
    windows().add(window(), base);
  else
    muster_release_array(reinterpret_cast<const void*>(base));
  return result;
}

// Processes have to agree without asking each other: an MPI that takes no such addresses does not so in any.
std::size_t findLentFrom() {
  const int use = muster_device_use();
  if (use == MUSTER_DEVICES_NEVER) return SIZE_MAX;
  if (abi().takesDeviceMemory())
    return muster_device_messages(use == MUSTER_DEVICES_ALWAYS ? nullptr : abi().world().get());
  if (use == MUSTER_DEVICES_ALWAYS)
    muster_fail("this MPI does not say that it takes addresses of devices' memory; leave MUSTER_GPU_AWARE_MPI unset");
  return SIZE_MAX;
}

}  // namespace

Word createWindow(Call& call, Word* arguments) {
  return enterWindow(call, arguments, arguments[0], [&] { return abi().windowAt(arguments[5]); });
}

Word attach(Call& call, Word* arguments) {
  return enterWindow(call, arguments, arguments[1], [&] { return abi().handle(arguments[0]); });
}

Word detach(Call& call, Word* arguments) {
  const Word result = call.next(arguments);
  if (result == success) windows().remove(abi().handle(arguments[0]), arguments[1]);
  return result;
}

Word freeWindow(Call& call, Word* arguments) {
  const Word window = abi().windowAt(arguments[0]);
  const Word result = call.next(arguments);
  if (result != success) return result;
  for (const auto& operation : openAccesses().take(window)) operation->end(SIZE_MAX);
  windows().remove(window, 0);
  return result;
}

Word synchronise(Call& call, Word* arguments) {
  const Word result = call.next(arguments);
  if (!openAccesses().any()) return result;
  const CallShape& shape = call.shape();
  const Word target = shape.target >= 0 ? static_cast<int>(arguments[shape.target]) : 0;
  for (const auto& operation : openAccesses().take(abi().handle(arguments[shape.window]), shape.target >= 0 ? &target : nullptr))
    operation->end(SIZE_MAX);
  return result;
}

Word endFileAccess(Call& call, Word* arguments) {
  const auto operations = openAccesses().take(arguments[0]);
  return operations.empty() ? call.next(arguments) : endCounted(call, arguments, arguments[2], *operations.front());
}

Word beginMpi(Call& call, Word* arguments) {
  const Word result = beginSession(call, arguments);
  if (result == success && muster_ranks() == MUSTER_RANKS_OWN) lentFrom = findLentFrom();
  return result;
}

Word beginSession(Call& call, Word* arguments) {
  const long before = threadsOfProcess();
  const Word result = call.next(arguments);
  muster_note_threads(static_cast<int>(std::max(0L, threadsOfProcess() - before)));
  return result;
}

Word endMpi(Call& call, Word* arguments) {
  const Word result = call.next(arguments);
  muster_note_threads(0);
  return result;
}

}  // namespace muster::mpi
