// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loopback job of executors: every rank runs the same script in a thread of its own, as ranks do that apply the same
// commands.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../test_name.h"
#include "muster/cap/executor.h"
#include "muster/cdm/device_manager.h"
#include "muster/cdm/transports.h"

namespace muster::cap::testing {

struct JobSetup {
  int ranks = 1;
  std::string devices;          // as in MUSTER_DEVICES; CUDA's are those of the stand-in
  std::vector<double> weights;  // per device, repeated; empty: all alike
  bool failBuilds = false;      // OpenCL devices refuse all kernels
  cdm::LoanLimits loans = {};   // of memory that all ranks share
  std::uint64_t capacity = 0;   // of each device's memory
  // Puts something around each rank's transport.
  std::function<std::unique_ptr<cdm::Transport>(std::unique_ptr<cdm::Transport>)> wrap = nullptr;

  friend void PrintTo(const JobSetup& setup, std::ostream* out) {
    *out << muster::testing::testName({std::to_string(setup.ranks), setup.devices,
                                       setup.weights.empty() ? "" : "uneven", setup.failBuilds ? "nobuild" : ""});
  }
};

class ExecutorJob {
 public:
  // One rank's side of the script.
  class Rank {
   public:
    Rank(ExecutorJob& job, int rank) : job_(job), rank_(rank) {
      std::vector<cdm::ComputeDevice*> devices;
      for (const auto& device : job.devices_[static_cast<std::size_t>(rank)]) devices.push_back(device.get());
      ExecutorOptions options = job.options_;
      options.warn = [this](const std::string& text) { job_.note(job_.warnings, rank_, text); };
      executor_ =
          std::make_unique<Executor>(*job.transports_[static_cast<std::size_t>(rank)], devices, job.table_, options);
    }

    [[nodiscard]] bool first() const { return rank_ == 0; }
    [[nodiscard]] Executor& executor() { return *executor_; }

    Status add(std::uint32_t id, std::uint32_t elemSize, std::int64_t count, void* host,
               UntouchedBytes untouched = {}) {
      return executor_->addArray({id, elemSize, count, "array " + std::to_string(id) + " (test.cpp:1)",
                                  first() ? static_cast<std::byte*>(host) : nullptr,
                                  HostPages{first() ? std::move(untouched) : nullptr}});
    }
    Status launch(const LaunchSpec& spec, const cdm::KernelCode& code, const std::vector<const void*>& scalars = {}) {
      return launch(job_.slots_, spec, code, scalars);
    }
    // The same on these devices, or with these weights.
    Status launch(const std::vector<DeviceSlot>& slots, const LaunchSpec& spec, const cdm::KernelCode& code,
                  const std::vector<const void*>& scalars = {}) {
      std::vector<ArrayStateRef> states;
      for (const ArrayUse& use : spec.arrays) states.push_back(executor_->state(use.array));
      const PlanRef plan = cache_.launch(spec, slots, states);
      lastPlan = plan;
      ++sequence_;
      if (plan->onHost) return {Errc::internal, "the planner does not split the launch: " + plan->reason.toString()};
      std::vector<muster_dim> dims;
      for (const Dim& dim : spec.space.dims) dims.push_back({dim.first, dim.step, dim.count});
      auto started = executor_->start(plan, {&code, &spec, dims, scalars}, sequence_);
      if (!started.ok()) return started.status();
      MUSTER_TRY(executor_->runNative(**started));
      return executor_->finish(**started).status();
    }
    // The whole array on the host, there alone if `write`.
    Status fetch(std::uint32_t id, bool write = false) {
      const ArrayInfo& info = *executor_->array(id);
      const Plan plan = makeHostPlan(id, info.elemSize, executor_->state(id), IntervalSet(Interval{0, info.count}),
                                     write ? HostMode::write : HostMode::read);
      return executor_->transfer(plan, ++sequence_);
    }
    // These copies alone; their targets are the elements' only holders then, or further ones.
    Status move(const std::vector<Copy>& copies, bool further = false) {
      std::map<std::uint32_t, std::vector<ArrayState::Grant>> grants;
      for (const Copy& copy : copies) grants[copy.array].push_back({copy.elements, copy.to});
      Plan plan;
      plan.copies = copies;
      for (auto& [id, list] : grants) {
        const ArrayState& state = *executor_->state(id);
        plan.next.emplace_back(id, std::make_shared<const ArrayState>(further ? state.withHolders(std::move(list))
                                                                              : state.withOwners(std::move(list))));
      }
      return executor_->transfer(plan, ++sequence_);
    }
    PlanRef lastPlan;

   private:
    ExecutorJob& job_;
    int rank_;
    std::unique_ptr<Executor> executor_;
    PlanCache cache_;
    std::uint64_t sequence_ = 0;
  };
  using Script = std::function<Status(Rank&)>;

  explicit ExecutorJob(const JobSetup& setup, ExecutorOptions options = {})
      : options_(std::move(options)), transports_(cdm::makeLoopbackTransports(setup.ranks, setup.loans)) {
    for (auto& transport : transports_) {
      if (setup.wrap) transport = setup.wrap(std::move(transport));
    }
    MemoryId nextMemory = 1;
    for (int rank = 0; rank < setup.ranks; ++rank) {
      cdm::DiscoveryOptions discovery;
      discovery.selection = setup.devices;
      discovery.rank = rank;
      discovery.size = setup.ranks;
      discovery.failBuilds = setup.failBuilds;
      discovery.cudaLibrary = FAKE_CUDA_LIBRARY;
      discovery.nvrtcLibraries = {FAKE_CUDA_LIBRARY};
      discovery.warn = [](const std::string&) {};
      auto found = cdm::discoverDevices(discovery);
      if (!found.ok()) throw std::runtime_error(found.status().message());
      std::uint32_t index = 0;
      for (const auto& device : found->devices) {
        const bool host = rank == 0 && device->info().hostAddressable;
        DevicePlace place;
        place.rank = rank;
        place.index = index++;
        place.memory = host ? hostMemory : nextMemory++;
        place.name = device->info().backend;
        place.capacity = setup.capacity;
        const std::size_t number = table_.size();
        const double weight = setup.weights.empty() ? 1 : setup.weights[number % setup.weights.size()];
        slots_.push_back({static_cast<std::uint32_t>(number), place.memory, weight});
        table_.push_back(place);
      }
      devices_.push_back(std::move(found->devices));
    }
  }

  [[nodiscard]] std::size_t deviceCount() const { return table_.size(); }
  [[nodiscard]] const std::vector<DeviceSlot>& slots() const { return slots_; }

  // Runs the script on all ranks. Each must end it by itself: a rank that fails leaves others waiting, so a failure
  // that a test expects must be one of all ranks, or of the last one to need another.
  void run(const Script& script) {
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < transports_.size(); ++rank) {
      threads.emplace_back([&, rank] {
        Rank side(*this, static_cast<int>(rank));
        const Status status = script(side);
        if (!status.ok()) note(errors, static_cast<int>(rank), status.message());
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<std::pair<int, std::string>> errors, warnings;  // by rank

 private:
  void note(std::vector<std::pair<int, std::string>>& list, int rank, const std::string& text) {
    const std::lock_guard lock(mutex_);
    list.emplace_back(rank, text);
  }

  ExecutorOptions options_;
  std::vector<std::unique_ptr<cdm::Transport>> transports_;
  std::vector<std::vector<std::unique_ptr<cdm::ComputeDevice>>> devices_;
  std::vector<DevicePlace> table_;
  std::vector<DeviceSlot> slots_;
  std::mutex mutex_;
};

}  // namespace muster::cap::testing
