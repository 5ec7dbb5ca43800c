// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A job of several ranks in one process (loopback), whose rank 0 the test plays; kernels.cc launches into it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../../test_name.h"
#include "engine/controller/controller.h"
#include "kernels.h"
#include "muster/cdm/device_manager.h"
#include "muster/cdm/transports.h"
#include "native/run_native.h"

namespace muster::rt::testing {

struct TestArray {
  std::byte* bytes = nullptr;
  std::unique_ptr<std::byte[]> own;
  std::uint32_t id = 0;
  std::uint32_t elemSize = 0;
};

struct JobRules {
  std::uint64_t limitMemory = 0;  // MUSTER_LIMIT_MEM
  bool spill = true;              // MUSTER_SPILL
  bool async = false;             // launches come back before they are done
  int withoutDevices = -1;        // a rank
};

class TestJob {
 public:
  static TestJob* current() { return current_; }

  TestJob(int ranks, const std::string& selection, const std::vector<double>& weights,
          cap::ExecutorOptions options = {}, const JobRules& rules = {})
      : transports_(cdm::makeLoopbackTransports(ranks)), options_(std::move(options)) {
    std::vector<DeviceTable::RankList> lists;
    for (int rank = 0; rank < ranks; ++rank) {
      cdm::DiscoveryOptions discovery;
      discovery.selection = selection;
      discovery.rank = rank;
      discovery.size = ranks;
      discovery.warn = [](const std::string&) {};
      auto& list = lists.emplace_back();
      list.host = "test";
      if (rank == rules.withoutDevices) {
        devices_.emplace_back();
        continue;
      }
      auto found = cdm::discoverDevices(discovery);
      if (!found.ok()) throw std::runtime_error(found.status().message());
      for (const auto& device : found->devices) list.devices.push_back(device->info());
      devices_.push_back(std::move(found->devices));
    }
    table_ = DeviceTable::fromRanks(lists, rules.limitMemory);
    for (int rank = 1; rank < ranks; ++rank) {
      threads_.emplace_back([this, rank] { serve(rank); });
    }
    node_ = std::make_unique<Node>(*transports_[0], pointers(0), table_, registry(), options_);
    controller_ = std::make_unique<Controller>(*node_, *transports_[0], nullptr, rules.spill);
    std::vector<double> speeds;
    for (std::size_t i = 0; i < table_.devices().size(); ++i)
      speeds.push_back(weights.empty() ? 1 : weights[i % weights.size()]);
    check(controller_->setWeights({speeds, 0, {}}));
    if (rules.async) check(controller_->beginStream([](const Status&) {}));
    current_ = this;
  }

  ~TestJob() {
    current_ = nullptr;
    check(controller_->shutdown());
    for (std::thread& thread : threads_) thread.join();
  }

  template <class T>
  T* create(std::size_t count, const ArrayTraits& traits = {}) {
    auto memory = std::make_unique<std::byte[]>(count * sizeof(T));
    auto* pointer = reinterpret_cast<T*>(memory.get());
    add(pointer, count, traits).own = std::move(memory);
    return pointer;
  }
  // An array whose host memory is the caller's.
  template <class T>
  TestArray& add(T* pointer, std::size_t count, const ArrayTraits& traits = {}) {
    auto array = std::make_unique<TestArray>();
    array->bytes = reinterpret_cast<std::byte*>(pointer);
    array->elemSize = sizeof(T);
    const auto id = controller_->createArray(sizeof(T), static_cast<std::int64_t>(count), "test", array->bytes, traits);
    check(id.status());
    array->id = *id;
    return *(arrays_[array->bytes] = std::move(array));
  }

  void release(void* pointer) {
    const auto found = arrays_.find(static_cast<std::byte*>(pointer));
    check(controller_->releaseArray(found->second->id));
    arrays_.erase(found);
  }

  // What the host view does when the program touches [lo, hi).
  template <class T>
  void access(T* pointer, std::size_t lo, std::size_t hi, bool write) {
    const TestArray* array = find(pointer);
    check(
        controller_
            ->hostAccess(array->id,
                         cap::IntervalSet(cap::Interval{static_cast<std::int64_t>(lo), static_cast<std::int64_t>(hi)}),
                         write ? cap::HostMode::write : cap::HostMode::read)
            .status());
  }

  void launch(const muster_launch& launch) {
    if (isEmpty(launch)) return;
    const muster_kernel& kernel = *launch.kernel;
    protocol::Launch command;
    command.kernel = kernel.id;
    command.hostOnly = (launch.flags & MUSTER_LAUNCH_HOST) != 0;
    for (unsigned i = 0; i < kernel.n_dims; ++i)
      command.dims.push_back({launch.dims[i].first, launch.dims[i].step, launch.dims[i].count});
    const unsigned variables = kernel.n_dims + kernel.n_inner;
    command.forms.assign(launch.forms, launch.forms + kernel.n_inner * MUSTER_INNER_VALUES(variables) +
                                           kernel.n_accesses * (variables + 1));
    for (unsigned i = 0; i < kernel.n_scalars; ++i) {
      const auto* value = static_cast<const std::byte*>(launch.scalars[i]);
      command.scalars.emplace_back(value, value + kernel.scalars[i].size);
    }
    for (unsigned i = 0; i < kernel.n_arrays; ++i) {
      const TestArray* array = find(launch.arrays[i]);
      const auto offset = static_cast<std::byte*>(launch.arrays[i]) - array->bytes;
      command.arrays.push_back({array->id, offset / static_cast<std::ptrdiff_t>(array->elemSize), false});
    }
    auto outcome =
        controller_->launch(std::move(command), {launch.arrays, kernel.n_arrays}, {launch.results, kernel.n_results});
    check(outcome.status());
    lastPlan = outcome->plan;
    lastNote = outcome->note;
  }

  [[nodiscard]] std::uint32_t idOf(const void* pointer) const { return find(pointer)->id; }
  [[nodiscard]] const DeviceTable& table() const { return table_; }
  [[nodiscard]] Controller& controller() { return *controller_; }
  [[nodiscard]] Node& node() { return *node_; }
  [[nodiscard]] cdm::Transport& transport() { return *transports_[0]; }
  cap::PlanRef lastPlan;
  std::string lastNote;

 private:
  static TestJob* current_;

  static void check(const Status& status) {
    if (!status.ok()) throw std::runtime_error(status.message());
  }

  std::vector<cdm::ComputeDevice*> pointers(int rank) {
    std::vector<cdm::ComputeDevice*> devices;
    for (const auto& device : devices_[static_cast<std::size_t>(rank)]) devices.push_back(device.get());
    return devices;
  }

  void serve(int rank) {
    Node node(*transports_[static_cast<std::size_t>(rank)], pointers(rank), table_, registry(), options_);
    const Status status = node.serve();
    // Rank 0 would wait for this rank for ever.
    if (!status.ok()) panic("rank " + std::to_string(rank) + ": " + status.message());
  }

  const TestArray* find(const void* pointer) const {
    auto found = arrays_.upper_bound(static_cast<const std::byte*>(pointer));
    if (found == arrays_.begin()) throw std::runtime_error("no such array");
    return std::prev(found)->second.get();
  }

  std::vector<std::unique_ptr<cdm::Transport>> transports_;
  cap::ExecutorOptions options_;
  std::vector<std::vector<std::unique_ptr<cdm::ComputeDevice>>> devices_;
  DeviceTable table_;
  std::vector<std::thread> threads_;
  std::unique_ptr<Node> node_;
  std::unique_ptr<Controller> controller_;
  std::map<const std::byte*, std::unique_ptr<TestArray>> arrays_;
};

// An array of the job and the plain one that it must equal.
template <class T>
struct Pair {
  T* managed = nullptr;
  std::vector<T> plain;
  Pair(TestJob& job, std::size_t count, const ArrayTraits& traits = {})
      : managed(job.create<T>(count, traits)), plain(count) {}
  void fill(const std::function<T(std::size_t)>& value) {
    for (std::size_t i = 0; i < plain.size(); ++i) managed[i] = plain[i] = value(i);
  }
  void expectSame(TestJob& job, std::size_t lo, std::size_t hi) {
    job.access(managed, lo, hi, false);
    for (std::size_t i = lo; i < hi; ++i) ASSERT_EQ(managed[i], plain[i]) << "element " << i;
  }
  void write(TestJob& job, std::size_t lo, std::size_t hi, T value) {
    job.access(managed, lo, hi, true);
    for (std::size_t i = lo; i < hi; ++i) managed[i] = plain[i] = value;
  }
};

inline void plainJacobi(const std::vector<double>& u, std::vector<double>& v, std::size_t n, std::size_t m) {
  for (std::size_t i = 1; i + 1 < n; ++i)
    for (std::size_t j = 1; j + 1 < m; ++j)
      v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
}

// Arrays that random loops use, each loop run on both sides.
struct RandomArrays {
  RandomArrays(TestJob& job, std::size_t n, std::mt19937& random) : x(job, n), y(job, n), index(job, n) {
    x.fill([&](std::size_t) { return static_cast<int>(random() % 1000); });
    index.fill([&](std::size_t) { return static_cast<int>(random() % n); });
  }
  // Of a part of x, through a pointer into it.
  void axpy(std::size_t lo, std::size_t hi, int factor, unsigned flags = 0) {
    programs::axpy(x.managed + lo, static_cast<long>(hi - lo), factor, flags);
    for (std::size_t i = lo; i < hi; ++i) x.plain[i] += static_cast<int>(i - lo) * factor;
  }
  void summarise(int sum) {
    programs::Summary got{sum, -2147483647, -1}, want = got;
    programs::summarise(x.managed, count(), got);
    for (const int value : x.plain) {
      want.sum += value;
      want.largest = std::max(want.largest, value);
    }
    ASSERT_EQ(got.sum, want.sum);
    ASSERT_EQ(got.largest, want.largest);
    ASSERT_EQ(got.last, count() - 1) << "the value of the last iteration of the last pass counts";
  }
  void gather() {
    programs::gatherThrough(index.managed, x.managed, y.managed, count());
    for (std::size_t i = 0; i < y.plain.size(); ++i) y.plain[i] = x.plain[static_cast<std::size_t>(index.plain[i])];
  }
  void addReversed() {
    programs::addReversed(x.managed, y.managed, count());
    const std::size_t n = x.plain.size();
    for (std::size_t i = 0; i < n; ++i) x.plain[n - 1 - i] += programs::scale * y.plain[i];
  }
  void expectSame(TestJob& job) {
    x.expectSame(job, 0, x.plain.size());
    y.expectSame(job, 0, y.plain.size());
  }
  [[nodiscard]] long count() const { return static_cast<long>(x.plain.size()); }
  Pair<int> x, y, index;
};

}  // namespace muster::rt::testing
