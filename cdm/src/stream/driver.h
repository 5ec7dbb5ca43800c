// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The API of one device, as far as the core needs it: what differs between OpenCL and others. A backend implements
// Driver for each of its devices; order, staging, timings, forms of kernels and results are the core's.
//
// Units: bytes, and nanoseconds on the device's own clock. Thread-safety: calls on one driver must not overlap.
// Errors: of commands, of memory and of waiting the message is the API's error alone, as the core knows what they were
// for (failure()). All other messages are complete.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "muster/cdm/device.h"
#include "stream/binary_cache.h"
#include "stream/hazards.h"
#include "stream/launch_shape.h"
#include "stream/options.h"
#include "stream/variants.h"

namespace muster::cdm {

// Objects of the API. Pointers to them are handles, which the driver alone can read.
struct DriverMemory;
struct DriverQueue;
struct DriverEvent;
struct DriverProgram;
struct DriverKernel;

class Driver;
struct DriverRelease {
  Driver* driver = nullptr;
  template <class T>
  void operator()(T* object) const;
};
// It must go before the driver does.
template <class T>
using Owned = std::unique_ptr<T, DriverRelease>;

// Where a command goes.
struct Command {
  static constexpr std::size_t mostWaits = lanes;  // of each other queue, and of one of another device that it reaches

  DriverQueue* queue = nullptr;         // runs commands in their order
  std::span<DriverEvent* const> waits;  // it does not start before these
  Owned<DriverEvent>* event = nullptr;  // gets one, which stands for the command; nullptr: there is to be none
  // Of a launch without waits and without an event: it may start with the queue's next command or flush.
  bool mayWait = false;
};

// What a kernel is built for.
struct KernelBuild {
  const KernelCode& code;
  const Variant& variant;
  Axes group;
};

// Commands return before they are done. Host memory of theirs must stay as it is until then.
class Driver {
 public:
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  [[nodiscard]] const DeviceInfo& info() const { return info_; }
  // An error whose message says what the API's call was for.
  [[nodiscard]] Status failure(const std::string& what, const Status& why) const {
    return why.at(info_.name + ": " + what);
  }

  struct Limits {
    GroupLimits group;
    std::size_t localMemory = 0;  // of a work-group
    bool keepsBinaries = true;    // else the API has a cache of its own
  };
  [[nodiscard]] const Limits& limits() const { return limits_; }

  // What earlier runs kept; keys are all that an entry depends on.
  [[nodiscard]] BinaryCache& cache() { return cache_; }
  [[nodiscard]] std::string keyOf(const KernelCode& code, const std::string& what) const {
    return fmt::format("{}\n{}\n{}\n{}\n{}", info_.name, info_.vendor, info_.driver, what, textOf(code));
  }
  // That it builds kernels from.
  [[nodiscard]] virtual const std::string& textOf(const KernelCode& code) const = 0;

  // Of its compiler: what a binary depends on besides the text and the device.
  [[nodiscard]] virtual std::string optionsOf(const KernelBuild& build) const = 0;

  // May take seconds. Errc::buildFailed: what the compiler says.
  virtual Result<Owned<DriverProgram>> compile(const std::string& text, const std::string& options) = 0;
  // Empty if the binary is refused, as after an update that kept its version.
  virtual Owned<DriverProgram> load(const std::string& binary, const std::string& options) = 0;
  // "" if there is none: then nothing is kept.
  virtual std::string binaryOf(DriverProgram* program) = 0;
  // nullptr: the device does not run groups that large. It may outlive the program. Errc::buildFailed: there is none.
  virtual Result<Owned<DriverKernel>> kernelOf(DriverProgram* program, const KernelBuild& build) = 0;

  // Errc::outOfMemory where there is no room. What uses the memory later on does not fail for want of it.
  virtual Result<Owned<DriverMemory>> allocate(std::size_t bytes) = 0;
  // Host memory that transfers use directly.
  virtual Result<PinnedMemory> pinnedMemory(std::size_t bytes) = 0;
  // The caller's. Errc::unsupported if the API transfers through memory of its own.
  virtual Result<PinnedMemory> pin(std::span<std::byte> memory) = 0;
  // In order. `timed`: its commands have times. `urgent`: they go before those of other queues that are under way,
  // where the device can do so.
  virtual Result<Owned<DriverQueue>> createQueue(bool timed, bool urgent) = 0;

  // Several rows have pitches. None of them goes beyond the end of its line, which begins at a multiple of the pitch.
  virtual Status write(const Command& command, DriverMemory* to, std::size_t offset, const void* from,
                       const Rows& rows) = 0;
  virtual Status read(const Command& command, DriverMemory* from, std::size_t offset, void* to, const Rows& rows) = 0;
  virtual Status copy(const Command& command, DriverMemory* from, std::size_t fromOffset, DriverMemory* to,
                      std::size_t toOffset, std::size_t bytes) = 0;
  // Whether commands of this device reach the other one's memory, and may wait for its events.
  [[nodiscard]] virtual bool reaches(const Driver& /*other*/) const { return false; }
  // To memory of a device that it reaches. rows.hostPitch: of the rows there.
  virtual Status push(const Command& /*command*/, DriverMemory* /*from*/, std::size_t /*offset*/, const Rows& /*rows*/,
                      DriverMemory* /*to*/, std::size_t /*toOffset*/) {
    return {Errc::unsupported, "out of reach"};
  }
  // Rooms of its own for devices of other processes, and those that one of another process offers.
  struct Rooms {
    DriverMemory* memory = nullptr;
    std::vector<DriverEvent*> filled;  // of each room; none: of one room, which no other process has
    std::size_t roomBytes = 0;
    std::vector<std::byte> offer;  // of own ones
    std::shared_ptr<void> owner;   // of all that
    [[nodiscard]] std::size_t bytes() const { return roomBytes * std::max<std::size_t>(1, filled.size()); }
  };
  [[nodiscard]] virtual bool hasRooms() const { return false; }
  virtual Result<Rooms> makeRooms(std::size_t /*roomBytes*/, std::size_t /*count*/) {
    return {Errc::unsupported, "no memory of several processes"};
  }
  virtual Result<Rooms> openRooms(std::span<const std::byte> /*offer*/) {
    return {Errc::unsupported, "no memory of several processes"};
  }
  // The event stands for all that the queue was given, from now on.
  virtual Status signal(DriverQueue* /*queue*/, DriverEvent* /*event*/) {
    return {Errc::unsupported, "no events of several processes"};
  }
  virtual Status fill(const Command& command, DriverMemory* to, std::size_t offset, std::byte value,
                      std::size_t bytes) = 0;
  // An argument of the launches to come, whose bytes are copied. Memory is given as its DriverMemory*, which may be
  // nullptr. `value` nullptr: so many bytes of memory of each work-group.
  virtual Status setArgument(DriverKernel* kernel, std::size_t index, std::size_t bytes, const void* value) = 0;
  // Work-items of a group and groups, for each axis.
  virtual Status launch(const Command& command, DriverKernel* kernel, const Axes& group, const Axes& groups) = 0;
  // Whether launches that wait (Command::mayWait) take less time.
  [[nodiscard]] virtual bool holdsLaunches() const { return false; }

  // A command that does nothing: its event stands for all that the queue was given before.
  virtual Status mark(const Command& command) = 0;
  // What the queue was given starts though nobody waits for it.
  virtual Status flush(DriverQueue* queue) = 0;
  // Waits for all of it. Errors are those of its commands, whose events tell them.
  virtual void finish(DriverQueue* queue) = 0;

  // An error: the command failed.
  virtual Result<bool> isComplete(DriverEvent* event) = 0;
  virtual Status wait(DriverEvent* event) = 0;
  // When a complete command of a timed queue began and ended.
  enum class Moment : std::uint8_t { begin, end };
  virtual Result<std::int64_t> timeOf(DriverEvent* event, Moment moment) = 0;

  // Commands that use an object run to their end nevertheless; launches that wait have to be started before.
  virtual void release(DriverMemory* memory) = 0;
  virtual void release(DriverQueue* queue) = 0;
  virtual void release(DriverEvent* event) = 0;
  virtual void release(DriverProgram* program) = 0;
  virtual void release(DriverKernel* kernel) = 0;

 protected:
  Driver(DeviceInfo info, const Limits& limits, const StreamOptions& options)
      : info_(std::move(info)), limits_(limits), cache_(options.cacheDirectory, info_.backend, options.warn) {}
  template <class T>
  [[nodiscard]] Owned<T> own(T* object) {
    return Owned<T>(object, DriverRelease{this});
  }

 private:
  DeviceInfo info_;
  Limits limits_;
  BinaryCache cache_;
};

template <class T>
void DriverRelease::operator()(T* object) const {
  driver->release(object);
}

}  // namespace muster::cdm
