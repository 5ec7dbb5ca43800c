// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several ranks in one process (loopback): sequences of launches, host reads and host writes against plain loops.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <thread>

#include "engine/controller.h"
#include "kernels.h"
#include "launch/native.h"
#include "muster/cdm/device_manager.h"
#include "muster/cdm/remote.h"

namespace {

// The job whose rank 0 the calling thread plays; kernels.cc launches into it.
class TestJob* currentJob = nullptr;

struct TestArray {
  std::vector<std::byte> bytes;
  std::uint32_t id = 0;
  std::uint32_t elemSize = 0;
};

class TestJob {
 public:
  TestJob(int ranks, const std::string& selection, const std::vector<double>& weights,
          muster::cap::ExecutorOptions options = {})
      : transports_(muster::cdm::makeLoopbackTransports(ranks)), options_(std::move(options)) {
    std::vector<muster::rt::DeviceTable::RankList> lists;
    for (int rank = 0; rank < ranks; ++rank) {
      muster::cdm::DiscoveryOptions discovery;
      discovery.selection = selection;
      discovery.rank = rank;
      discovery.size = ranks;
      discovery.warn = [](const std::string&) {};
      auto found = muster::cdm::discoverDevices(discovery);
      if (!found.ok()) throw std::runtime_error(found.status().message());
      auto& list = lists.emplace_back();
      list.host = "test";
      for (const auto& device : found->devices) list.devices.push_back(device->info());
      devices_.push_back(std::move(found->devices));
    }
    table_ = muster::rt::DeviceTable::fromRanks(lists);
    for (int rank = 1; rank < ranks; ++rank) {
      threads_.emplace_back([this, rank] { serve(rank); });
    }
    node_ = std::make_unique<muster::rt::Node>(*transports_[0], pointers(0), table_, muster::rt::registry(), options_);
    controller_ = std::make_unique<muster::rt::Controller>(*node_, *transports_[0], nullptr);
    std::vector<double> speeds;
    for (std::size_t i = 0; i < table_.devices().size(); ++i)
      speeds.push_back(weights.empty() ? 1 : weights[i % weights.size()]);
    check(controller_->setWeights({speeds, 0}));
    currentJob = this;
  }

  ~TestJob() {
    currentJob = nullptr;
    check(controller_->shutdown());
    for (std::thread& thread : threads_) thread.join();
  }

  template <class T>
  T* create(std::size_t count) {
    auto array = std::make_unique<TestArray>();
    array->bytes.resize(count * sizeof(T));
    array->elemSize = sizeof(T);
    const auto id = controller_->createArray(sizeof(T), static_cast<std::int64_t>(count), "test", array->bytes.data());
    check(id.status());
    array->id = *id;
    T* pointer = reinterpret_cast<T*>(array->bytes.data());
    arrays_[array->bytes.data()] = std::move(array);
    return pointer;
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
    check(controller_->hostAccess(array->id, {static_cast<std::int64_t>(lo), static_cast<std::int64_t>(hi)}, write)
              .status());
  }

  void launch(const muster_launch& launch) {
    if (muster::rt::isEmpty(launch)) return;
    const muster_kernel& kernel = *launch.kernel;
    muster::rt::protocol::Launch command;
    command.kernel = kernel.id;
    command.hostOnly = (launch.flags & MUSTER_LAUNCH_HOST) != 0;
    for (unsigned i = 0; i < kernel.n_dims; ++i)
      command.dims.push_back({launch.dims[i].first, launch.dims[i].step, launch.dims[i].count});
    const unsigned variables = kernel.n_dims + kernel.n_inner;
    command.forms.assign(launch.forms, launch.forms + (2 * kernel.n_inner + kernel.n_accesses) * (variables + 1));
    for (unsigned i = 0; i < kernel.n_scalars; ++i) {
      const auto* value = static_cast<const std::byte*>(launch.scalars[i]);
      command.scalars.emplace_back(value, value + kernel.scalars[i].size);
    }
    for (unsigned i = 0; i < kernel.n_arrays; ++i) {
      const TestArray* array = find(launch.arrays[i]);
      const auto offset = static_cast<std::byte*>(launch.arrays[i]) - array->bytes.data();
      command.arrays.push_back({array->id, offset / static_cast<std::ptrdiff_t>(array->elemSize), false});
    }
    auto outcome =
        controller_->launch(std::move(command), {launch.arrays, kernel.n_arrays}, {launch.results, kernel.n_results});
    check(outcome.status());
    lastPlan = outcome->plan;
  }

  [[nodiscard]] const muster::rt::DeviceTable& table() const { return table_; }
  [[nodiscard]] muster::rt::Controller& controller() { return *controller_; }
  [[nodiscard]] muster::rt::Node& node() { return *node_; }
  [[nodiscard]] muster::cdm::Transport& transport() { return *transports_[0]; }
  muster::cap::PlanRef lastPlan;
  std::vector<std::string> serviceErrors;

 private:
  static void check(const muster::Status& status) {
    if (!status.ok()) throw std::runtime_error(status.message());
  }

  std::vector<muster::cdm::ComputeDevice*> pointers(int rank) {
    std::vector<muster::cdm::ComputeDevice*> devices;
    for (const auto& device : devices_[static_cast<std::size_t>(rank)]) devices.push_back(device.get());
    return devices;
  }

  void serve(int rank) {
    muster::rt::Node node(*transports_[static_cast<std::size_t>(rank)], pointers(rank), table_, muster::rt::registry(),
                          options_);
    const muster::Status status = node.serve();
    // Rank 0 would wait for this rank for ever.
    if (!status.ok()) muster::panic("rank " + std::to_string(rank) + ": " + status.message());
  }

  const TestArray* find(const void* pointer) {
    auto found = arrays_.upper_bound(static_cast<const std::byte*>(pointer));
    if (found == arrays_.begin()) throw std::runtime_error("no such array");
    return std::prev(found)->second.get();
  }

  std::vector<std::unique_ptr<muster::cdm::Transport>> transports_;
  muster::cap::ExecutorOptions options_;
  std::vector<std::vector<std::unique_ptr<muster::cdm::ComputeDevice>>> devices_;
  muster::rt::DeviceTable table_;
  std::vector<std::thread> threads_;
  std::unique_ptr<muster::rt::Node> node_;
  std::unique_ptr<muster::rt::Controller> controller_;
  std::map<const std::byte*, std::unique_ptr<TestArray>> arrays_;
};

}  // namespace

extern "C" {
void muster_launch_loop(const muster_launch* launch) { currentJob->launch(*launch); }
void muster_register_kernels(const muster_kernel* const* begin, const muster_kernel* const* end, uint32_t version) {
  muster::rt::registry().add(begin, end, version);
}
}

namespace {

struct Setup {
  int ranks;
  const char* devices;
};

class Engine : public ::testing::TestWithParam<Setup> {};

// An array of the job and the plain one that it must equal.
template <class T>
struct Pair {
  T* managed = nullptr;
  std::vector<T> plain;
  Pair(TestJob& job, std::size_t count) : managed(job.create<T>(count)), plain(count) {}
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

void plainJacobi(const std::vector<double>& u, std::vector<double>& v, std::size_t n, std::size_t m) {
  for (std::size_t i = 1; i + 1 < n; ++i)
    for (std::size_t j = 1; j + 1 < m; ++j)
      v[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
}

TEST_P(Engine, JacobiEqualsThePlainLoop) {
  TestJob job(GetParam().ranks, GetParam().devices, {1, 3, 2});
  constexpr std::size_t n = 203, m = 57;
  Pair<double> u(job, n * m), v(job, n * m);
  u.fill([](std::size_t i) { return static_cast<double>(i * 7919 % 1000) / 7; });
  v.fill([&](std::size_t i) { return u.plain[i]; });
  for (int step = 0; step < 10; ++step) {
    programs::jacobi(u.managed, v.managed, n, m);
    plainJacobi(u.plain, v.plain, n, m);
    std::swap(u, v);
    if (step == 4) u.write(job, 100 * m, 100 * m + 1, 5.0);
    if (step == 6) u.expectSame(job, 50 * m, 51 * m);
  }
  u.expectSame(job, 0, n * m);
  v.expectSame(job, 0, n * m);
}

// Large enough for devices to compute their interior while ghost rows travel.
TEST_P(Engine, LargeJacobiEqualsThePlainLoop) {
  TestJob job(GetParam().ranks, GetParam().devices, {2, 1});
  constexpr std::size_t n = 900, m = 700;
  Pair<double> u(job, n * m), v(job, n * m);
  u.fill([](std::size_t i) { return static_cast<double>(i * 7919 % 1000) / 7; });
  v.fill([&](std::size_t i) { return u.plain[i]; });
  for (int step = 0; step < 8; ++step) {
    programs::jacobi(u.managed, v.managed, n, m);
    plainJacobi(u.plain, v.plain, n, m);
    std::swap(u, v);
  }
  u.expectSame(job, 0, n * m);
  v.expectSame(job, 0, n * m);
}

TEST_P(Engine, JacobiMovesOnlyGhostRowsOnceItRuns) {
  TestJob job(GetParam().ranks, GetParam().devices, {});
  constexpr std::size_t n = 400, m = 30;
  Pair<double> u(job, n * m), v(job, n * m);
  for (int step = 0; step < 6; ++step) {
    programs::jacobi(u.managed, v.managed, n, m);
    std::swap(u, v);
  }
  const auto devices = static_cast<std::int64_t>(job.table().devices().size());
  // Corners are not read.
  EXPECT_EQ(job.lastPlan->bytesMoved(), 2 * (devices - 1) * static_cast<std::int64_t>((m - 2) * sizeof(double)));
  EXPECT_GT(job.node().plans().hits(), 0u);
}

TEST_P(Engine, RandomSequencesEqualThePlainLoops) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    TestJob job(GetParam().ranks, GetParam().devices, {1, 0.5, 2, 1.5});
    const std::size_t n = 1000 + random() % 6000;
    Pair<int> x(job, n), y(job, n), index(job, n);
    x.fill([&](std::size_t) { return static_cast<int>(random() % 1000); });
    index.fill([&](std::size_t) { return static_cast<int>(random() % n); });
    const auto count = static_cast<long>(n);
    for (int step = 0; step < 60; ++step) {
      const std::size_t lo = random() % n;
      const std::size_t hi = lo + random() % (n - lo + 1);
      switch (random() % 7) {
        case 0:
          programs::axpy(x.managed, count, step, random() % 4 == 0 ? MUSTER_LAUNCH_HOST : 0);
          for (std::size_t i = 0; i < n; ++i) x.plain[i] += static_cast<int>(i) * step;
          break;
        case 1: {  // a part of the array, through a pointer into it
          programs::axpy(x.managed + lo, static_cast<long>(hi - lo), 2);
          for (std::size_t i = lo; i < hi; ++i) x.plain[i] += static_cast<int>(i - lo) * 2;
          break;
        }
        case 2: {
          programs::Summary got{step, -2147483647, -1}, want = got;
          programs::summarise(x.managed, count, got);
          for (std::size_t i = 0; i < n; ++i) {
            want.sum += x.plain[i];
            want.largest = std::max(want.largest, x.plain[i]);
          }
          ASSERT_EQ(got.sum, want.sum);
          ASSERT_EQ(got.largest, want.largest);
          ASSERT_EQ(got.last, count - 1);
          break;
        }
        case 3:
          programs::gatherThrough(index.managed, x.managed, y.managed, count);
          for (std::size_t i = 0; i < n; ++i) y.plain[i] = x.plain[static_cast<std::size_t>(index.plain[i])];
          break;
        case 4:
          programs::addReversed(x.managed, y.managed, count);
          for (std::size_t i = 0; i < n; ++i) x.plain[n - 1 - i] += programs::scale * y.plain[i];
          break;
        case 5:
          x.write(job, lo, hi, step);
          break;
        default:
          y.expectSame(job, lo, hi);
      }
      if (HasFatalFailure()) return;
    }
    x.expectSame(job, 0, n);
    y.expectSame(job, 0, n);
  }
}

TEST_P(Engine, ArraysComeAndGo) {
  TestJob job(GetParam().ranks, GetParam().devices, {});
  for (int round = 0; round < 20; ++round) {
    Pair<int> x(job, 3000);
    x.fill([](std::size_t i) { return static_cast<int>(i); });
    programs::axpy(x.managed, 3000, round);
    for (std::size_t i = 0; i < 3000; ++i) x.plain[i] += static_cast<int>(i) * round;
    if (round % 2 == 0) x.expectSame(job, 0, 3000);
    job.release(x.managed);
  }
}

TEST_P(Engine, RemoteDevicesCanBeCalledBetweenCommands) {
  TestJob job(GetParam().ranks, GetParam().devices, {});
  for (const auto& device : job.table().devices()) {
    if (device.place.rank == 0) continue;
    const auto remote = muster::cdm::makeRemoteDevice(
        job.transport(), [&](std::span<const std::byte> call) { return job.controller().postDeviceCall(call); },
        device.place.rank, device.place.index, device.info);
    const auto buffer = remote->allocate(64);
    ASSERT_TRUE(buffer.ok()) << buffer.status().message();
    const std::vector<int> sent = {1, 2, 3, 4};
    std::vector<int> got(4);
    ASSERT_TRUE(remote->write(*buffer, 16, sent.data(), 16).ok());
    ASSERT_TRUE(remote->read(*buffer, 16, got.data(), 16).ok());
    ASSERT_TRUE(remote->finish().ok());
    EXPECT_EQ(got, sent);
    ASSERT_TRUE(remote->release(*buffer).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Engine,
                         ::testing::Values(Setup{1, "cpu"}, Setup{2, "cpu"}, Setup{3, "cpu"}, Setup{5, "cpu"},
                                           Setup{1, "opencl"}, Setup{2, "opencl"}, Setup{3, "opencl"},
                                           Setup{1, "cpu,opencl"}, Setup{3, "cpu,opencl"}, Setup{5, "cpu,opencl"}),
                         [](const auto& info) {
                           std::string name = std::to_string(info.param.ranks) + "_" + info.param.devices;
                           for (char& c : name) c = c == ',' ? '_' : c;
                           return name;
                         });

TEST(EngineFaults, TooLittleDeviceMemoryNamesRankArrayAndSizes) {
  muster::cap::ExecutorOptions options;
  options.memoryLimit = 1000;
  TestJob job(1, "opencl", {}, options);
  int* x = job.create<int>(1000);
  try {
    programs::axpy(x, 1000, 1);
    FAIL() << "4000 bytes went into 1000";
  } catch (const std::runtime_error& error) {
    const std::string text = error.what();
    for (const char* part : {"rank 0", "array test", "4000 bytes", "MUSTER_LIMIT_MEM allows 1000", "MUSTER_DEVICES"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  }
}

TEST(EngineFaults, ALostDeviceNamesKernelAndLine) {
  muster::cap::ExecutorOptions options;
  options.loseDevices = true;
  TestJob job(1, "opencl", {}, options);
  int* x = job.create<int>(1000);
  try {
    programs::axpy(x, 1000, 1);
    FAIL() << "the device should be lost";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("muster_test_axpy (kernels.cc:20)"), std::string::npos) << error.what();
  }
}

TEST(EngineFaults, MalformedCommandsAreRefused) {
  TestJob job(1, "cpu", {});
  muster::rt::PlannedLaunch launch;
  launch.command.kernel = 0xdead;
  EXPECT_EQ(job.node().plan(launch).code(), muster::Errc::protocol);
  muster::rt::PlannedLaunch shape;
  shape.command.kernel = 0x1002;  // axpy, without its arguments
  EXPECT_EQ(job.node().plan(shape).code(), muster::Errc::protocol);
  EXPECT_FALSE(job.node().planAccess({99, 0, 1, false}).ok());
  EXPECT_FALSE(job.node().releaseArray({99}).ok());
}

}  // namespace
