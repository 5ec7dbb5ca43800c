// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host view: keeps the page access of mirrored arrays in step with their states. Access is taken away at once, and
// given back when the program touches a page or asks for a range, so that a program that leaves its arrays alone
// between launches costs no system calls. An array whose contents are undefined is given back as a whole.
//
// Thread-safety: stateChanges under the controller's lock; the others from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "engine/controller/controller.h"
#include "host/faults/fault_blocks.h"
#include "host/memory/host_memory.h"

namespace muster::rt {

// How the host stands to a range of elements.
[[nodiscard]] PageAccess hostStatus(const cap::MemorySet& holders);

// Ranges of elements for which the host may do less than before, each with what it still may do. Ascending, merged;
// where they are many, one range for each kind of loss with all that lies between.
struct Loss {
  cap::Interval elements;
  PageAccess left = PageAccess::none;
  bool operator==(const Loss&) const = default;
};
[[nodiscard]] std::vector<Loss> hostLosses(const cap::ArrayState& before, const cap::ArrayState& after);

class HostView : public StateObserver {
 public:
  explicit HostView(HostMemory& memory) : memory_(memory) {}
  // The controller that fetches data; set once, before any array is added.
  void attach(Controller& controller) { controller_ = &controller; }

  void add(std::uint32_t id, HostArray& array, std::uint32_t elemSize, std::int64_t count);
  void remove(std::uint32_t id);

  Status stateChanges(std::uint32_t array, const cap::ArrayState& before, const cap::ArrayState& after) override;
  Status hostUse(const HostUse& use) override;

  // The program touched a protected page of an array. Bytes that had to be fetched.
  Result<std::int64_t> fault(std::uint32_t id, std::size_t offset, bool write);
  // Bytes [lo, hi) at once; with `write` they are the host's own afterwards.
  Result<std::int64_t> acquire(std::uint32_t id, std::size_t lo, std::size_t hi, bool write);

 private:
  struct View {
    HostArray* array = nullptr;
    std::uint32_t elemSize = 0;
    std::int64_t count = 0;
    FaultBlocks blocks;
  };
  View* find(std::uint32_t id);
  Result<std::int64_t> acquirePages(std::uint32_t id, View& view, ByteRange pages, bool write);
  Status open(View& view, ByteRange pages, const cap::ArrayState& state, bool readOnly);

  HostMemory& memory_;
  Controller* controller_ = nullptr;
  std::mutex mutex_;  // of views_; held for look-ups only
  std::unordered_map<std::uint32_t, std::unique_ptr<View>> views_;
};

}  // namespace muster::rt
