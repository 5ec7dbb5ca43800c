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
};

class LoanSegment {
 public:
  // The memory behind a segment, unmapped when the last of its users is gone.
  using Mapping = std::shared_ptr<std::byte>;

  static std::size_t bytesFor(const LoanGeometry& geometry) {
    return flagBytes(geometry) + geometry.rooms * geometry.roomBytes;
  }

  // `memory` is all zeros at first. `commit`: makes sure that it exists, called before the first use by the sender.
  LoanSegment(Mapping memory, const LoanGeometry& geometry, std::function<Status()> commit = {})
      : memory_(std::move(memory)), geometry_(geometry), commit_(std::move(commit)) {}

  [[nodiscard]] const LoanGeometry& geometry() const { return geometry_; }
  [[nodiscard]] std::span<std::byte> rooms() const {
    return {memory_.get() + flagBytes(geometry_), geometry_.rooms * geometry_.roomBytes};
  }
  [[nodiscard]] std::span<std::byte> room(std::uint32_t number) const {
    return rooms().subspan(number * geometry_.roomBytes, geometry_.roomBytes);
  }

  // The sender's. An error: there is no memory, now and later.
  Status commit() {
    const std::lock_guard lock(mutex_);
    if (commit_) {
      committed_ = commit_();
      commit_ = nullptr;
    }
    return committed_;
  }
  std::optional<std::uint32_t> take() {
    const std::lock_guard lock(mutex_);
    for (std::uint32_t i = 0; i < geometry_.rooms; ++i) {
      const std::uint32_t number = (next_ + i) % geometry_.rooms;
      if (flag(number).load(std::memory_order_acquire) != 0) continue;
      flag(number).store(1, std::memory_order_relaxed);
      next_ = (number + 1) % geometry_.rooms;
      return number;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool hasRoom() const {
    for (std::uint32_t number = 0; number < geometry_.rooms; ++number) {
      if (flag(number).load(std::memory_order_acquire) == 0) return true;
    }
    return false;
  }

  void giveBack(std::uint32_t number) { flag(number).store(0, std::memory_order_release); }

 private:
  using Flag = std::atomic<std::uint32_t>;
  static_assert(Flag::is_always_lock_free, "flags lie in memory of two processes");

  static std::size_t flagBytes(const LoanGeometry& geometry) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (geometry.rooms * sizeof(Flag) + page - 1) / page * page;
  }
  Flag& flag(std::uint32_t number) const {
    return *std::launder(reinterpret_cast<Flag*>(memory_.get() + number * sizeof(Flag)));
  }

  Mapping memory_;
  LoanGeometry geometry_;
  std::mutex mutex_;
  std::function<Status()> commit_;  // until it was called
  Status committed_;
  std::uint32_t next_ = 0;
};

}  // namespace muster::cdm
