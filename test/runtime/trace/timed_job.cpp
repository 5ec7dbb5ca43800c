// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timed_job.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "muster/cdm/device_manager.h"

namespace muster::cdm {
std::unique_ptr<ComputeDevice> makeCpuDevice(unsigned threads);
}

namespace muster::test {
namespace {

constexpr std::uint64_t kStep = 0x7001, kScale = 0x7002;

void stepNative(const muster_chunk* chunk) {
  const int* x = static_cast<const int*>(chunk->arrays[0]);
  int* y = static_cast<int*>(chunk->arrays[1]);
  for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) y[k + 1] = x[k] + x[k + 2];
}
void scaleNative(const muster_chunk* chunk) {
  int* x = static_cast<int*>(chunk->arrays[0]);
  for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) x[k] *= 3;
}

const muster_array_param kStepArrays[] = {{"x", 4, MUSTER_TYPE_I32, MUSTER_READ, 0, 0},
                                          {"y", 4, MUSTER_TYPE_I32, MUSTER_WRITE, 0, 0}};
const muster_access kStepAccesses[] = {{0, MUSTER_READ, 0, 7}, {0, MUSTER_READ, 0, 7}, {1, MUSTER_WRITE, 0, 7}};
const muster_array_param kScaleArrays[] = {{"x", 4, MUSTER_TYPE_I32, MUSTER_READ | MUSTER_WRITE, 0, 0}};
const muster_access kScaleAccesses[] = {{0, MUSTER_READ, 0, 9}, {0, MUSTER_WRITE, 0, 9}};

muster_kernel makeKernel(std::uint64_t id, const char* name, std::uint32_t line, muster_native_fn native) {
  muster_kernel kernel{};
  kernel.abi_version = MUSTER_ABI_VERSION;
  kernel.id = id;
  kernel.name = name;
  kernel.loc = {"steps.cpp", line, 1};
  kernel.native = native;
  kernel.opencl = "not compiled here";
  kernel.n_dims = 1;
  return kernel;
}

const muster_kernel& stepKernel() {
  static const muster_kernel kernel = [] {
    muster_kernel made = makeKernel(kStep, "steps_step", 7, stepNative);
    made.n_arrays = 2;
    made.n_accesses = 3;
    made.arrays = kStepArrays;
    made.accesses = kStepAccesses;
    return made;
  }();
  return kernel;
}
const muster_kernel& scaleKernel() {
  static const muster_kernel kernel = [] {
    muster_kernel made = makeKernel(kScale, "steps_scale", 9, scaleNative);
    made.n_arrays = 1;
    made.n_accesses = 2;
    made.arrays = kScaleArrays;
    made.accesses = kScaleAccesses;
    return made;
  }();
  return kernel;
}

void check(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

cdm::DeviceInfo timedInfo() {
  cdm::DeviceInfo info;
  info.name = "timed \"device\"";  // names need quoting in files
  info.backend = "timed";
  info.kind = cdm::DeviceKind::gpu;
  info.memoryBytes = info.maxAllocationBytes = std::uint64_t{1} << 40;
  return info;
}

}  // namespace

TimedDevice::TimedDevice(double secondsPerIteration)
    : ComputeDevice(timedInfo()), secondsPerIteration_(secondsPerIteration) {}

Result<cdm::BufferId> TimedDevice::doAllocate(std::size_t bytes) {
  memory_.push_back(std::make_unique<std::byte[]>(bytes));
  return cdm::BufferId{memory_.size()};
}

Status TimedDevice::doRelease(cdm::BufferId buffer) {
  memory_[buffer - 1].reset();
  return {};
}

cdm::Event TimedDevice::operation(cdm::OperationTiming::Kind kind, std::int64_t nanoseconds, std::uint64_t bytes) {
  const std::int64_t begin = std::max(free_, cap::traceClock());
  free_ = begin + nanoseconds;
  ++last_;
  const bool listed =
      keeps_ == cdm::Timings::all || (keeps_ == cdm::Timings::samples && kind == cdm::OperationTiming::Kind::kernel);
  if (listed) timings_.push_back({kind, last_, begin, free_, bytes});
  return last_;
}

Result<cdm::Event> TimedDevice::doWrite(cdm::BufferId to, std::size_t offset, const void* from, std::size_t bytes) {
  std::memcpy(base(to) + offset, from, bytes);
  return operation(cdm::OperationTiming::Kind::write, 1000, bytes);
}

Result<cdm::Event> TimedDevice::doRead(cdm::BufferId from, std::size_t offset, void* to, std::size_t bytes) {
  std::memcpy(to, base(from) + offset, bytes);
  return operation(cdm::OperationTiming::Kind::read, 1000, bytes);
}

Result<cdm::Event> TimedDevice::doCopy(cdm::BufferId from, std::size_t fromOffset, cdm::BufferId to,
                                       std::size_t toOffset, std::size_t bytes) {
  std::memmove(base(to) + toOffset, base(from) + fromOffset, bytes);
  return operation(cdm::OperationTiming::Kind::copy, 1000, bytes);
}

Result<cdm::Event> TimedDevice::doLaunch(const cdm::KernelLaunch& launch) {
  std::vector<void*> arrays;
  for (const cdm::ArrayArg& array : launch.arrays) {
    const auto address = array.buffer == 0 ? 0 : reinterpret_cast<std::intptr_t>(base(array.buffer));
    arrays.push_back(reinterpret_cast<void*>(address + array.originBytes));
  }
  muster_chunk chunk{};
  chunk.struct_size = sizeof chunk;
  chunk.n_dims = 1;
  chunk.dims = launch.dims.data();
  chunk.lo = launch.lo;
  chunk.hi = launch.hi;
  chunk.arrays = arrays.data();
  launch.code->native(&chunk);
  const double seconds = static_cast<double>(launch.hi - launch.lo) * secondsPerIteration_;
  busySeconds_ += seconds;
  return operation(cdm::OperationTiming::Kind::kernel, static_cast<std::int64_t>(seconds * 1e9), 0);
}

Status TimedDevice::doKeepTimings(cdm::Timings timings) {
  keeps_ = timings;
  return {};
}

TimedJob::TimedJob(JobOptions options, std::int64_t count)
    : options_(std::move(options)),
      count_(count),
      transports_(cdm::makeLoopbackTransports(static_cast<int>(options_.ranks.size()))) {
  const muster_kernel* const kernels[] = {&stepKernel(), &scaleKernel()};
  registry_.add(kernels, kernels + 2, MUSTER_ABI_VERSION);
  check(registry_.status());
  std::vector<rt::DeviceTable::RankList> lists;
  for (const std::vector<double>& speeds : options_.ranks) {
    auto& list = lists.emplace_back();
    list.host = "test";
    auto& devices = devices_.emplace_back();
    for (const double speed : speeds) {
      TimedDevice* timed = speed > 0 ? new TimedDevice(speed) : nullptr;
      devices.push_back(timed != nullptr ? std::unique_ptr<cdm::ComputeDevice>(timed) : cdm::makeCpuDevice(1));
      timed_.push_back(timed);
      list.devices.push_back(devices.back()->info());
    }
    traces_.push_back(std::make_unique<rt::TraceBuffer>());
  }
  table_ = rt::DeviceTable::fromRanks(lists);
  for (int rank = 1; rank < ranks(); ++rank) {
    threads_.emplace_back([this, rank] {
      rt::Node node = makeNode(rank);
      const Status status = node.serve();
      node.executor().harvestTimings();
      // Rank 0 would wait for this rank for ever.
      if (!status.ok()) panic("rank " + std::to_string(rank) + ": " + status.message());
    });
  }
  node_.reset(new rt::Node(makeNode(0)));
  controller_ = std::make_unique<rt::Controller>(*node_, *transports_[0], nullptr);
  if (options_.weights.empty()) options_.weights.assign(timed_.size(), 1.0);
  const rt::protocol::Weights weights{options_.weights, options_.minShare, {}};
  check(controller_->setWeights(weights));
  if (options_.balance) {
    rt::Rebalancer::Options balancing;
    balancing.period = balancing.longestPeriod = std::chrono::microseconds(0);
    balancing.model.minShare = options_.minShare;
    balancing.model.bytesPerSecond = 1e12;
    balancing.model.trialSeconds = options_.trialSeconds;
    balancing.model.firstLaunchSeconds = 0;
    balancing.changed = [this](const rt::WeightModel::Change& change) { changes_.push_back(change); };
    rebalancer_ = std::make_unique<rt::Rebalancer>(*transports_[0], *node_, weights, balancing);
    controller_->balance(*rebalancer_);
  }
  const auto size = static_cast<std::size_t>(count_);
  for (std::size_t i = 0; i < size; ++i) plainX_.push_back(static_cast<int>(i * 7919 % 1000));
  hostX_ = plainX_;
  plainY_ = hostY_ = std::vector<int>(size);
  const auto x = controller_->createArray(4, count_, "x", reinterpret_cast<std::byte*>(hostX_.data()));
  const auto y = controller_->createArray(4, count_, "y", reinterpret_cast<std::byte*>(hostY_.data()));
  check(x.status());
  check(y.status());
  x_ = *x;
  y_ = *y;
}

TimedJob::~TimedJob() { end(); }

rt::Node TimedJob::makeNode(int rank) {
  const auto index = static_cast<std::size_t>(rank);
  std::vector<cdm::ComputeDevice*> devices;
  for (const auto& device : devices_[index]) devices.push_back(device.get());
  cap::ExecutorOptions options;
  if (options_.trace) options.trace = traces_[index].get();
  return rt::Node(*transports_[index], std::move(devices), table_, registry_, std::move(options), options_.balance);
}

void TimedJob::end() {
  if (std::exchange(ended_, true)) return;
  check(controller_->shutdown());
  node_->executor().harvestTimings();
  for (std::thread& thread : threads_) thread.join();
}

void TimedJob::launch(std::uint64_t kernel, std::int64_t first, std::int64_t iterations,
                      std::vector<std::int64_t> forms, std::vector<std::uint32_t> arrays) {
  rt::protocol::Launch command;
  command.kernel = kernel;
  command.dims = {{first, 1, iterations}};
  command.forms = std::move(forms);
  std::vector<void*> host;
  for (const std::uint32_t id : arrays) {
    command.arrays.push_back({id, 0, false});
    host.push_back(node_->executor().array(id)->host);
  }
  const auto outcome = controller_->launch(std::move(command), host, {});
  check(outcome.status());
  lastPlan_ = outcome->plan;
  bytesPlanned_ += lastPlan_->bytesMoved();
  ++launches_;
}

void TimedJob::step() {
  launch(kStep, 1, count_ - 2, {1, -1, 1, 1, 1, 0}, {x_, y_});
  for (std::size_t i = 1; i + 1 < plainX_.size(); ++i)
    plainY_[i] = static_cast<int>(static_cast<unsigned>(plainX_[i - 1]) + static_cast<unsigned>(plainX_[i + 1]));
  std::swap(plainX_, plainY_);
  std::swap(x_, y_);
  swapped_ = !swapped_;
}

void TimedJob::scale() {
  launch(kScale, 0, count_, {1, 0, 1, 0}, {x_});
  for (int& value : plainX_) value = static_cast<int>(static_cast<unsigned>(value) * 3u);
}

void TimedJob::expectRight() {
  const auto moved = controller_->hostAccess(x_, cap::IntervalSet(cap::Interval{0, count_}), cap::HostMode::read);
  check(moved.status());
  bytesPlanned_ += *moved;
  EXPECT_EQ(swapped_ ? hostY_ : hostX_, plainX_);
}

std::vector<double> TimedJob::lastShares() const {
  std::vector<double> shares(timed_.size());
  for (const cap::Chunk& chunk : lastPlan_->chunks)
    shares[chunk.device] = static_cast<double>(chunk.hi - chunk.lo) / static_cast<double>(count_);
  return shares;
}

}  // namespace muster::test
