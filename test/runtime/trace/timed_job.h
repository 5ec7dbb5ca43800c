// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job of several ranks in one process whose devices compute at once but say that they took as long as their speed and
// the iterations give: launches, transfers and weights are real, only the time is made up.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/controller/controller.h"
#include "muster/cdm/device.h"
#include "muster/cdm/transports.h"
#include "registry/registry.h"
#include "trace/trace_buffer.h"

namespace muster::test {

// Works by itself, with memory of its own.
class TimedDevice final : public cdm::ComputeDevice {
 public:
  explicit TimedDevice(double secondsPerIteration);
  void slowDown(double secondsPerIteration) { secondsPerIteration_ = secondsPerIteration; }
  [[nodiscard]] double busySeconds() const { return busySeconds_; }

 protected:
  Result<cdm::BufferId> doAllocate(std::size_t bytes) override;
  Status doRelease(cdm::BufferId buffer) override;
  Result<cdm::Event> doWrite(cdm::BufferId to, std::size_t offset, const void* from, std::size_t bytes) override;
  Result<cdm::Event> doRead(cdm::BufferId from, std::size_t offset, void* to, std::size_t bytes) override;
  Result<cdm::Event> doCopy(cdm::BufferId from, std::size_t fromOffset, cdm::BufferId to, std::size_t toOffset,
                            std::size_t bytes) override;
  Status doPrepare(const cdm::KernelCode&, double) override { return {}; }
  Result<cdm::Event> doLaunch(const cdm::KernelLaunch& launch) override;
  Status doWait(cdm::Event) override { return {}; }
  Status doFinish() override { return {}; }
  Status doKeepTimings(cdm::Timings timings) override;
  std::vector<cdm::OperationTiming> doTakeTimings() override { return std::exchange(timings_, {}); }

 private:
  cdm::Event operation(cdm::OperationTiming::Kind kind, std::int64_t nanoseconds, std::uint64_t bytes);
  std::byte* base(cdm::BufferId buffer) { return memory_[buffer - 1].get(); }

  double secondsPerIteration_;
  double busySeconds_ = 0;
  cdm::Timings keeps_ = cdm::Timings::off;
  cdm::Event last_ = 0;
  std::int64_t free_ = 0;  // when its next operation can begin
  std::vector<std::unique_ptr<std::byte[]>> memory_;
  std::vector<cdm::OperationTiming> timings_;
};

struct JobOptions {
  // Per rank, the speed of each device: seconds per iteration; 0 stands for the rank's real CPU.
  std::vector<std::vector<double>> ranks = {};
  std::vector<double> weights = {};  // at the start; empty: all alike
  double minShare = 0.1;
  bool balance = false;
  bool trace = false;
  double trialSeconds = 1e9;  // between two trials of devices that take no part
};

// The arrays x and y of `count` ints and the kernels that work on them:
//   step:  for i in 1 .. count - 1: y[i] = x[i - 1] + x[i + 1], then x and y are swapped
//   scale: for i in 0 .. count:     x[i] = 3 * x[i]
class TimedJob {
 public:
  TimedJob(JobOptions options, std::int64_t count);
  ~TimedJob();

  void step();
  void scale();
  void expectRight();  // brings x to the host and compares it with the plain loops

  // Iterations of the last launch's devices, by number in the table.
  [[nodiscard]] std::vector<double> lastShares() const;
  [[nodiscard]] TimedDevice& device(std::size_t number) { return *timed_[number]; }
  [[nodiscard]] const rt::DeviceTable& table() const { return table_; }
  [[nodiscard]] const rt::Registry& registry() const { return registry_; }
  [[nodiscard]] const std::vector<rt::WeightModel::Change>& changes() const { return changes_; }
  // Ends the other ranks' service; afterwards every rank's trace is complete.
  void end();
  [[nodiscard]] rt::TraceBuffer& trace(int rank) { return *traces_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::int64_t bytesPlanned() const { return bytesPlanned_; }
  [[nodiscard]] std::uint64_t launches() const { return launches_; }
  [[nodiscard]] int ranks() const { return static_cast<int>(transports_.size()); }

 private:
  rt::Node makeNode(int rank);
  void launch(std::uint64_t kernel, std::int64_t first, std::int64_t iterations, std::vector<std::int64_t> forms,
              std::vector<std::uint32_t> arrays);

  JobOptions options_;
  std::int64_t count_;
  rt::Registry registry_;
  std::vector<std::unique_ptr<cdm::Transport>> transports_;
  std::vector<std::vector<std::unique_ptr<cdm::ComputeDevice>>> devices_;
  std::vector<TimedDevice*> timed_;  // by number in the table; nullptr for real ones
  rt::DeviceTable table_;
  std::vector<std::unique_ptr<rt::TraceBuffer>> traces_;
  std::unique_ptr<rt::Node> node_;
  std::unique_ptr<rt::Controller> controller_;
  std::unique_ptr<rt::Rebalancer> rebalancer_;
  std::vector<std::thread> threads_;
  std::vector<rt::WeightModel::Change> changes_;
  std::vector<int> hostX_, hostY_, plainX_, plainY_;
  std::uint32_t x_ = 0, y_ = 0;
  bool swapped_ = false, ended_ = false;
  cap::PlanRef lastPlan_;
  std::int64_t bytesPlanned_ = 0;
  std::uint64_t launches_ = 0;
};

}  // namespace muster::test
