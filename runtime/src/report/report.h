// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a session did: devices, arrays, loops. Collected by rank 0, printed at the end of the session (MUSTER_INFO) and
// written as JSON (MUSTER_INFO_FILE). Thread-safe.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "devices/device_table.h"
#include "muster/abi.h"
#include "muster/cap/planner.h"
#include "muster/cdm/text.h"
#include "protocol/protocol.h"

namespace muster::rt {

struct DeviceReport {
  int rank = 0;
  std::string host, name, backend, kind;
  double weight = 0;  // relative to the fastest; 0: takes no part
  double bytesPerSecond = 0, latencySeconds = 0;
  unsigned threads = 0;             // CPU devices
  std::vector<std::size_t> direct;  // numbers of devices that it sends to past the host's memory
};

struct ArrayReport {
  std::string name, location, type, arrayClass, reason;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;  // allocations at this place in the source
  std::uint64_t kept = 0;   // those that got an array that was freed before
  std::uint64_t fetches = 0, fetchedBytes = 0;
  double fetchSeconds = 0, allocationSeconds = 0;  // that the program waited; of allocations and releases
  // What launches moved: out of the host's memory, into it, and between other memories.
  std::uint64_t bytesOut = 0, bytesIn = 0, bytesAcross = 0;
  std::uint32_t block = 0;  // allocation block of the latest one; 0: none
};

// What one device did for one loop, or for all.
struct DeviceTime {
  std::uint64_t launches = 0, iterations = 0;  // of all dimensions
  std::uint64_t fused = 0;                     // launches that ran as one with others
  double seconds = 0;
};

struct LoopReport {
  std::string name, location;
  std::uint64_t launches = 0, nativeLaunches = 0;  // natively as a whole, without a plan
  double seconds = 0;
  double programSeconds = 0;  // of them in the program's thread, but for launches in place
  double inPlaceSeconds = 0;
  bool hasResults = false;  // for which each launch waits
  std::uint64_t bytesMoved = 0, lastBytesMoved = 0;
  cap::PlanRef lastSplit;                          // of the last launch that was split, nullptr if none was
  std::map<std::string, std::uint64_t> stepBacks;  // reason -> launches
  std::map<std::uint32_t, DeviceTime> devices;     // by number in the job's table; known at the end
  std::uint64_t merges = 0, bytesChanged = 0, bytesMerged = 0;
  std::uint64_t corrections = 0;             // of its weights
  std::uint64_t joined = 0, joinedInto = 0;  // launches that were steps of fewer ones, and how many those were
};

class Report {
 public:
  // All devices will be added again: there are more.
  void forgetDevices() {
    devices_.clear();
    leftOut_.clear();
  }
  void addDevice(DeviceReport device) { devices_.push_back(std::move(device)); }
  void addLeftOut(int rank, const std::string& device, const std::string& reason);

  void countArray(const muster_array_site* site, std::uint64_t bytes, std::uint32_t block);
  // An allocation that got an array that was freed before.
  void countKept(const muster_array_site* site, std::uint64_t bytes);
  // The array with this id comes from there.
  void nameArray(std::uint32_t id, const muster_array_site* site);
  void countFetch(const muster_array_site* site, std::uint64_t bytes, double seconds = 0);
  void countAllocationTime(const muster_array_site* site, double seconds);
  // Going to all devices, or back to rank 0's CPU.
  void countMove(double seconds);
  // The program has ended, so long after it began: text() says where that time went.
  void endProgram(double seconds);
  void countLaunch(const muster_kernel& kernel, double seconds, const cap::PlanRef& plan);
  // So many launches that were counted, or will be, were one.
  void countJoined(const muster_kernel& kernel, std::uint32_t launches);
  // What rank 0 did later for a launch that was counted.
  void addTime(const muster_kernel& kernel, double seconds);
  // A whole launch on one device, without a plan.
  void countNative(const muster_kernel& kernel, double seconds, std::uint32_t device);
  // A launch that did not use all devices; `reason` goes on after "3 launches ". True the first time.
  bool countStepBack(const muster_kernel& kernel, const std::string& reason);
  void countCorrection(const muster_kernel& kernel);
  // At the end, what each rank sums up.
  void countDevice(const muster_kernel& kernel, const protocol::KernelTime& time);
  void countMerges(const muster_kernel& kernel, const protocol::RankTotals::Merges& merges);

  // MPI carries messages of so many bytes and more from GPU to GPU.
  void noteDirectMessages(std::size_t from);
  // At the end: for how many launches a plan was made, and for how many one of before was found.
  void notePlans(std::size_t made, std::size_t found);
  // At the end: launches of threads that launched at once.
  struct ThreadLaunches {
    std::uint64_t onDevices = 0, onCores = 0;
    std::uint64_t donations = 0;  // of a device by a thread to another one
    [[nodiscard]] std::uint64_t all() const { return onDevices + onCores; }
  };
  void noteThreads(const ThreadLaunches& launches);

  [[nodiscard]] std::string text() const;
  // Of one program among several: its devices and launches.
  [[nodiscard]] std::string line() const;
  [[nodiscard]] std::string json() const;

 private:
  struct LeftOut {
    int rank = 0;
    std::string device, reason;
  };
  ArrayReport& arrayOf(const muster_array_site* site);
  LoopReport& loopOf(const muster_kernel& kernel);
  [[nodiscard]] std::vector<const LoopReport*> loopsInOrder() const;
  void printDevices(std::string& out) const;
  void printLeftOut(std::string& out) const;
  void printArrays(std::string& out) const;
  void printLoop(std::string& out, const LoopReport& loop) const;
  void printSplit(std::string& out, const LoopReport& loop) const;
  // report_time.cpp
  void printTime(std::string& out) const;
  struct Cost {
    double seconds = 0;
    std::string text;
  };
  [[nodiscard]] std::vector<Cost> costs() const;
  void countMoves(const cap::Plan& plan);
  [[nodiscard]] std::vector<double> busySeconds() const;

  mutable std::mutex mutex_;
  std::vector<DeviceReport> devices_;
  std::vector<LeftOut> leftOut_;
  std::vector<ArrayReport> arrays_;
  std::unordered_map<const muster_array_site*, std::size_t> arrayIndex_;
  std::unordered_map<std::uint32_t, std::size_t> arrayById_;
  std::unordered_map<const muster_kernel*, LoopReport> loops_;
  std::map<std::uint32_t, double> nativeSeconds_;  // of whole launches, by device
  double programSeconds_ = 0;                      // 0: it has not ended
  double moveSeconds_ = 0;
  std::size_t plansMade_ = 0, plansFound_ = 0;
  std::optional<std::size_t> directMessagesFrom_;
  ThreadLaunches threads_;
};

using cdm::formatByteCount;
// "1.23 ms"
[[nodiscard]] std::string formatSeconds(double seconds);

}  // namespace muster::rt
