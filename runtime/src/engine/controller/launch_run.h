// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch on its way through the stream; shared by who waits for its results. For the controller's files only.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "engine/controller/controller.h"
#include "native/openmp.h"

namespace muster::rt {

// All chunks' results with the user's variables, in their order.
void combineAll(const cdm::KernelCode& code, std::span<const cap::Partial> partials, std::span<void* const> results);

// Between two looks at whether a device is done.
inline constexpr std::chrono::microseconds longestPoll{200};

struct Controller::Run {
  explicit Run(Spares& takes) : spares(takes) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { spares.give(std::move(launch->command)); }

  Spares& spares;
  std::shared_ptr<PlannedLaunch> launch;
  std::uint64_t sequence = 0;
  bool native = false;  // this rank's CPU has a chunk
  bool waitedFor = false;
  bool isOwn = false;  // carried out by launch() itself, and a part of what that takes
  // The command has nothing left to do with other ranks or devices when its native chunks are computed, but to combine
  // results.
  bool mayBeOvertaken = false;
  OpenMpSettings threads;  // of the program's thread that launches
  std::vector<cap::Partial> partials;
  // It is carried out when its device has it, and finished when that is done (finishOpen).
  bool staysOpen = false;
  // Then. `started` goes as a task of the stream.
  std::optional<cap::OpenChunk> open;
  cap::LaunchInFlightPtr started;
};

}  // namespace muster::rt
