// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rooms for messages from one rank to another in memory that both have mapped. The sender alone takes rooms, the
// receiver alone gives them back, by a flag each that lies in the same memory. Header only, for the MPI module.
// Thread-safe.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>

#include "muster/cdm/status.h"

namespace muster::cdm {

struct LoanGeometry {
  std::size_t roomBytes = 0;  // a multiple of the page size where devices are to pin the rooms
  std::uint32_t rooms = 0;
  std::size_t smallestBytes = 0;  // of a message that is worth a room
  std::uint32_t bareRooms = 0;    // numbered behind the rooms; they have flags only
  [[nodiscard]] std::uint32_t all() const { return rooms + bareRooms; }
};

class LoanSegment {
  using Flag = std::atomic<std::uint32_t>;
  static_assert(Flag::is_always_lock_free, "flags lie in memory of two processes");

 public:
  // The memory behind a segment, unmapped when the last of its users is gone.
  using Mapping = std::shared_ptr<std::byte>;

  static std::size_t bytesFor(const LoanGeometry& geometry) {
    return flagBytes(geometry) + geometry.rooms * geometry.roomBytes;
  }

  // At the beginning; the rooms follow.
  static std::size_t flagBytes(const LoanGeometry& geometry) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (geometry.all() * sizeof(Flag) + page - 1) / page * page;
  }

  // Makes sure that bytes [begin, end) of the memory exist.
  using Commit = std::function<Status(std::size_t begin, std::size_t end)>;

  // `memory` is all zeros at first. `commit`: called by the sender, front to back, before it uses more of the rooms.
  LoanSegment(Mapping memory, const LoanGeometry& geometry, Commit commit = {})
      : memory_(std::move(memory)), geometry_(geometry), commit_(std::move(commit)) {}

  [[nodiscard]] const LoanGeometry& geometry() const { return geometry_; }
  [[nodiscard]] std::span<std::byte> room(std::uint32_t number) const {
    return {memory_.get() + roomAt(number), geometry_.roomBytes};
  }

  // The sender's. The first free room, so that few are used and those are in the caches; none: all are out. An error:
  // there is no memory for another one, now and later, but some that exist may come back.
  Result<std::optional<std::uint32_t>> take(bool bare) {
    const std::lock_guard lock(mutex_);
    for (std::uint32_t number = first(bare); number < end(bare); ++number) {
      if (number == usable_ && !bare) MUSTER_TRY(addRoom());
      if (flag(number).load(std::memory_order_acquire) != 0) continue;
      flag(number).store(1, std::memory_order_relaxed);
      return std::optional(number);
    }
    return std::optional<std::uint32_t>();
  }
  // Whether take() is worth another try, after it had no room.
  [[nodiscard]] bool hasRoom(bool bare) const {
    for (std::uint32_t number = first(bare); number < end(bare); ++number) {
      if (flag(number).load(std::memory_order_acquire) == 0) return true;
    }
    return false;
  }

  void giveBack(std::uint32_t number) { flag(number).store(0, std::memory_order_release); }

 private:
  [[nodiscard]] std::uint32_t first(bool bare) const { return bare ? geometry_.rooms : 0; }
  [[nodiscard]] std::uint32_t end(bool bare) const { return bare ? geometry_.all() : geometry_.rooms; }
  std::size_t roomAt(std::uint32_t number) const { return flagBytes(geometry_) + number * geometry_.roomBytes; }
  Status addRoom() {
    if (commit_ && full_.ok()) full_ = commit_(roomAt(usable_), roomAt(usable_ + 1));
    if (full_.ok()) ++usable_;
    return full_;
  }
  Flag& flag(std::uint32_t number) const {
    return *std::launder(reinterpret_cast<Flag*>(memory_.get() + number * sizeof(Flag)));
  }

  Mapping memory_;
  LoanGeometry geometry_;
  std::mutex mutex_;
  Commit commit_;
  std::uint32_t usable_ = 0;  // rooms that exist
  Status full_;               // why there are no more
};

}  // namespace muster::cdm
