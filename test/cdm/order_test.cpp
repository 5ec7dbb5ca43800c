// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of a device of OpenCL or of CUDA take effect as if in the order of the calls, whatever order its queues
// complete in (fake/machine.h), and those that touch different bytes do not wait for one another.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <thread>
#include <vector>

#include "backends/cpu/cpu_device.h"
#include "backends/opencl/inventory.h"
#include "conformance.h"
#include "fake_cuda.h"
#include "kernel_parts.h"
#include "muster/cdm/clock.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

void mixNatively(const muster_chunk* chunk) {
  auto* a = array<std::uint32_t>(chunk, 0);
  const auto* b = array<std::uint32_t>(chunk, 1);
  for (std::int64_t k = chunk->lo; k < chunk->hi; ++k) {
    const std::int64_t x = value(chunk->dims[0], k);
    a[x] = 5 * a[x] + b[x] + static_cast<std::uint32_t>(x);
  }
}

// a[x] = 5 * a[x] + b[x] + x. The fake OpenCL knows it by its name, the fake CUDA runs the text.
const KernelCode& mix() {
  static const KernelCode code = [] {
    KernelCode made = makeCode("fake_mix", 1, mixNatively);
    made.opencl = kernelText(made.name, 1, "__global uint *a, long a_origin, __global const uint *b, long b_origin", "",
                             "long k = muster_lo_0 + (long)get_global_id(0), x = muster_first_0 + k * muster_step_0;\n"
                             "if (k < muster_hi_0) a[a_origin + x] = 5 * a[a_origin + x] + b[b_origin + x] + (uint)x;");
    made.arrays = {{"a", sizeof(std::uint32_t), true}, {"b", sizeof(std::uint32_t), false}};
    return made;
  }();
  return code;
}

constexpr std::size_t buffers = 4, elements = 3000;

// One device and what it was told to do; two of them are told the same.
class Player {
 public:
  explicit Player(std::unique_ptr<ComputeDevice> device) : device_(std::move(device)) {
    const std::vector<std::uint32_t> zeros(elements);
    for (std::size_t i = 0; i < buffers; ++i) {
      ids_.push_back(*device_->allocate(elements * sizeof(std::uint32_t)));
      expect(device_->write(ids_[i], 0, zeros.data(), elements * sizeof(std::uint32_t)));
    }
    EXPECT_TRUE(device_->finish().ok());
  }

  void write(std::size_t buffer, std::size_t at, const std::vector<std::uint32_t>& values) {
    expect(device_->write(ids_[buffer], at * sizeof(std::uint32_t), values.data(), values.size() * sizeof(values[0])));
  }
  void writePinned(std::size_t buffer, std::size_t at, const std::vector<std::uint32_t>& values) {
    const PinnedMemory& from = pinned_.emplace_back(*device_->pinnedMemory(values.size() * sizeof(values[0])));
    std::memcpy(from.get(), values.data(), values.size() * sizeof(values[0]));
    expect(device_->write(ids_[buffer], at * sizeof(values[0]), from.get(), values.size() * sizeof(values[0])));
  }
  void read(std::size_t buffer, std::size_t at, std::size_t count) {
    auto& to = *results_.emplace_back(std::make_unique<std::vector<std::uint32_t>>(count));
    expect(device_->read(ids_[buffer], at * sizeof(to[0]), to.data(), count * sizeof(to[0])));
  }
  // Rows as long and as far apart as `shape` says, from `at` on, in `count` elements.
  static Rows rowsIn(std::size_t count, unsigned shape) {
    constexpr std::size_t size = sizeof(std::uint32_t);
    const std::size_t length = std::min<std::size_t>(count, 1 + shape % 7), pitch = length + shape / 7 % 11;
    return {length * size, (count - length) / pitch + 1, pitch * size, (length + shape / 77 % 3) * size};
  }
  void writeRows(std::size_t buffer, std::size_t at, const std::vector<std::uint32_t>& values, unsigned shape) {
    Rows rows = rowsIn(values.size(), shape);
    rows.hostPitch = rows.pitch;
    expect(device_->writeRows(ids_[buffer], at * sizeof(values[0]), values.data(), rows));
  }
  void readRows(std::size_t buffer, std::size_t at, std::size_t count, unsigned shape) {
    const Rows rows = rowsIn(count, shape);
    auto& to = *results_.emplace_back(
        std::make_unique<std::vector<std::uint32_t>>(rows.count * rows.hostPitch / sizeof(std::uint32_t)));
    expect(device_->readRows(ids_[buffer], at * sizeof(to[0]), to.data(), rows));
  }
  void copy(std::size_t from, std::size_t to, std::size_t at, std::size_t count) {
    expect(device_->copy(ids_[from], at * sizeof(std::uint32_t), ids_[to], at * sizeof(std::uint32_t),
                         count * sizeof(std::uint32_t)));
  }
  void fill(std::size_t buffer, std::size_t at, std::size_t count, std::byte value) {
    expect(device_->fill(ids_[buffer], at * sizeof(std::uint32_t), value, count * sizeof(std::uint32_t)));
  }
  void launch(std::size_t a, std::size_t b, std::size_t at, std::size_t count, bool tellBytes) {
    const muster_dim dim = {static_cast<std::int64_t>(at), 1, static_cast<std::int64_t>(count)};
    ArrayArg arrays[2] = {{ids_[a], 0}, {ids_[b], 0}};
    for (ArrayArg& argument : arrays)
      if (tellBytes) {
        argument.touchedBegin = at * sizeof(std::uint32_t);
        argument.touchedEnd = (at + count) * sizeof(std::uint32_t);
      }
    KernelLaunch launch;
    launch.code = &mix();
    launch.dims = {&dim, 1};
    launch.hi = dim.count;
    launch.arrays = arrays;
    expect(device_->launch(launch));
  }
  // One behind the other, of different sizes.
  void launchMany(std::size_t a, std::size_t b, std::size_t at, std::size_t count, unsigned launches) {
    for (unsigned i = 0; i < launches; ++i) {
      const std::size_t part = 1 + i * 7 % count;
      i % 5 == 4 ? launch(b, a, at, part, true) : launch(a, b, at, part, true);
    }
  }
  void wait(std::size_t which) { EXPECT_TRUE(device_->wait(events_[which % events_.size()]).ok()); }
  void finish() { EXPECT_TRUE(device_->finish().ok()); }
  void replace(std::size_t buffer) {
    EXPECT_TRUE(device_->release(ids_[buffer]).ok());
    ids_[buffer] = *device_->allocate(elements * sizeof(std::uint32_t));
    write(buffer, 0, std::vector<std::uint32_t>(elements, 3));
  }
  // What all reads so far gave.
  std::vector<std::vector<std::uint32_t>> results() {
    finish();
    std::vector<std::vector<std::uint32_t>> all;
    for (const auto& result : results_) all.push_back(*result);
    return all;
  }

  ComputeDevice& device() { return *device_; }
  BufferId id(std::size_t buffer) const { return ids_[buffer]; }
  Event last() const { return events_.back(); }

 private:
  void expect(const Result<Event>& event) {
    ASSERT_TRUE(event.ok()) << event.status().message();
    events_.push_back(*event);
  }

  std::unique_ptr<ComputeDevice> device_;
  std::vector<PinnedMemory> pinned_;
  std::vector<BufferId> ids_;
  std::vector<Event> events_;
  std::vector<std::unique_ptr<std::vector<std::uint32_t>>> results_;
};

struct Fake {
  const char* name;
  const char* variable;
  std::function<Result<std::unique_ptr<ComputeDevice>>()> open;
  unsigned seeds;  // as many as take seconds
};
void PrintTo(const Fake& fake, std::ostream* out) { *out << fake.name; }

class OnFake : public testing::TestWithParam<Fake> {
 protected:
  static std::unique_ptr<ComputeDevice> openFake() {
    Result<std::unique_ptr<ComputeDevice>> device = GetParam().open();
    EXPECT_TRUE(device.ok()) << device.status().message();
    return device ? std::move(*device) : nullptr;
  }
  // Until the test ends.
  void ask(const char* words) { words_.emplace(GetParam().variable, words); }

 private:
  std::optional<ScopedVariable> words_;
};
class OperationOrder : public OnFake {};
class OperationTimings : public OnFake {};

void playOneOperation(std::mt19937& random, std::vector<Player*> players) {
  const std::size_t a = random() % buffers, b = random() % buffers, at = random() % elements;
  const std::size_t count = 1 + random() % std::min<std::size_t>(elements - at, random() % 4 ? 40 : elements);
  const unsigned kind = random() % 100, which = random();
  const std::vector<std::uint32_t> values(count, random());
  for (Player* player : players) {
    if (kind < 12) player->write(a, at, values);
    if (kind >= 12 && kind < 20) player->writeRows(a, at, values, which);
    if (kind >= 20 && kind < 25) player->writePinned(a, at, values);
    if (kind >= 25 && kind < 37) player->read(a, at, count);
    if (kind >= 37 && kind < 45) player->readRows(a, at, count, which);
    if (kind >= 45 && kind < 50) player->fill(a, at, count, static_cast<std::byte>(which));
    if (kind >= 50 && kind < 58 && a != b) player->copy(a, b, at, count);
    if (kind >= 58 && kind < 92) player->launch(a, b, at, count, kind < 85);
    if (kind >= 92 && kind < 97) player->wait(which);
    if (kind == 97) player->finish();
    if (kind == 98) player->replace(a);
    if (kind == 99) player->launchMany(a, b, at, count, which % 130);
  }
}

}  // namespace

TEST_P(OperationOrder, AnyOrderOfCompletionGivesTheResultsOfTheCallsOrder) {
  for (unsigned seed = 0; seed < GetParam().seeds; ++seed) {
    ask(("shuffle=" + std::to_string(seed)).c_str());
    Player oracle(makeCpuDevice(1)), player(openFake());
    std::mt19937 random(seed);
    for (int i = 0; i < 250; ++i) playOneOperation(random, {&oracle, &player});
    ASSERT_EQ(player.results(), oracle.results()) << "seed " << seed;
  }
}

TEST_P(OperationOrder, TransfersOfOtherBytesDoNotWaitForAKernel) {
  ask("kernels-stall");
  Player player(openFake());
  player.launch(0, 1, 100, 50, true);
  player.write(0, 0, std::vector<std::uint32_t>(100, 7));
  player.read(0, 0, 100);
  EXPECT_TRUE(player.device().wait(player.last()).ok());
  player.write(0, 150, std::vector<std::uint32_t>(10, 8));
  EXPECT_TRUE(player.device().wait(player.last()).ok());
  // The array that is only read may be read meanwhile.
  player.read(1, 100, 50);
  EXPECT_TRUE(player.device().wait(player.last()).ok());
  // In the fake, a wait for what never comes is an error.
  player.read(0, 100, 1);
  EXPECT_FALSE(player.device().wait(player.last()).ok());
}

TEST_P(OperationOrder, WriteOfWhatAKernelReadsWaitsForIt) {
  ask("kernels-stall");
  Player player(openFake());
  player.launch(0, 1, 100, 50, true);
  player.write(1, 149, {1});
  EXPECT_FALSE(player.device().wait(player.last()).ok());
}

TEST_P(OperationOrder, FillOfWhatAKernelReadsWaitsForIt) {
  ask("kernels-stall");
  Player player(openFake());
  player.launch(0, 1, 100, 50, true);
  player.fill(1, 150, 10, std::byte{1});
  EXPECT_TRUE(player.device().wait(player.last()).ok());
  player.fill(1, 149, 1, std::byte{1});
  EXPECT_FALSE(player.device().wait(player.last()).ok());
}

TEST_P(OperationOrder, LaunchThatDoesNotTellItsBytesTouchesAll) {
  ask("kernels-stall");
  Player player(openFake());
  player.launch(0, 1, 100, 50, false);
  player.read(0, 0, 1);
  EXPECT_FALSE(player.device().wait(player.last()).ok());
}

TEST(OperationOrderOfTheCpu, TouchedBytesMustBeARange) {
  Player player(makeCpuDevice(1));
  const muster_dim dim = {0, 1, 1};
  const ArrayArg arrays[2] = {{player.id(0), 0, 8, 4}, {player.id(1), 0}};
  KernelLaunch launch;
  launch.code = &mix();
  launch.dims = {&dim, 1};
  launch.hi = 1;
  launch.arrays = arrays;
  expectError(player.device().launch(launch).status(), Errc::invalidArgument, "touches bytes [8, 4)");
}

// ---------------------------------------------------------------- timings on another clock

TEST_P(OperationTimings, DeviceClockThatDriftsStaysBetweenCallAndEnd) {
  ask("clock-drifts");
  Player player(openFake());
  ASSERT_TRUE(player.device().keepTimings(Timings::all).ok());
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::int64_t before = traceClock();
    player.write(0, 0, {1});
    player.finish();
    const std::int64_t after = traceClock();
    const std::vector<OperationTiming> timings = player.device().takeTimings();
    ASSERT_EQ(timings.size(), 1u);
    EXPECT_GE(timings[0].beginNs, before);
    EXPECT_LE(timings[0].endNs, after);
  }
}

TEST_P(OperationTimings, AreBounded) {
  Player player(openFake());
  ASSERT_TRUE(player.device().keepTimings(Timings::all).ok());
  constexpr int calls = 65536 + 100;
  for (int i = 0; i < calls; ++i) player.write(0, 0, {1});
  player.finish();
  const std::vector<OperationTiming> timings = player.device().takeTimings();
  ASSERT_EQ(timings.size(), 65536u);
  EXPECT_EQ(timings.back().event, player.last());  // the newest ones stay
}

// ---------------------------------------------------------------- the devices

namespace {

Result<std::unique_ptr<ComputeDevice>> openFakeOpenCl() { return OpenClInventory(FAKE_OPENCL_LIBRARY).open(0, {}); }
Result<std::unique_ptr<ComputeDevice>> openFakeCuda() { return fakeCuda().open(0, {}); }
// Launches in a row wait for each other.
Result<std::unique_ptr<ComputeDevice>> openFakeCudaThatHolds() {
  StreamOptions options;
  options.fuse = true;
  return fakeCuda().open(0, options);
}
const auto everyFake =
    testing::Values(Fake{"opencl", "FAKE_OPENCL", openFakeOpenCl, 300}, Fake{"cuda", "FAKE_CUDA", openFakeCuda, 60},
                    Fake{"cuda_that_holds", "FAKE_CUDA", openFakeCudaThatHolds, 60});
std::string fakeName(const testing::TestParamInfo<Fake>& info) { return info.param.name; }

}  // namespace

INSTANTIATE_TEST_SUITE_P(Fakes, OperationOrder, everyFake, fakeName);
INSTANTIATE_TEST_SUITE_P(Fakes, OperationTimings, everyFake, fakeName);

}  // namespace muster::cdm::test
