// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance of copies between two devices: what one pushes comes in the order of both devices' operations.
#include <array>
#include <random>

#include "backends/cpu/cpu_device.h"
#include "conformance.h"
#include "fake_cuda.h"
#include "test_directory.h"

namespace muster::cdm::test {

namespace {

constexpr std::size_t elements = 4096;

}  // namespace

class Pushes : public Conformance {
 public:
  void SetUp() override {
    Conformance::SetUp();
    if (IsSkipped()) return;
    other_ = GetParam().make();
    ASSERT_NE(other_.device, nullptr);
    for (std::size_t d = 0; d < 2; ++d) {
      const Result<BufferId> buffer = at(d).allocate(elements * sizeof(int));
      ASSERT_TRUE(buffer.ok()) << buffer.status().message();
      buffers_[d] = *buffer;
      for (std::size_t i = 0; i < elements; ++i) values_[d].push_back(static_cast<int>(i * 10 + d));
      expectOk(at(d).write(buffers_[d], 0, values_[d].data(), elements * sizeof(int)).status());
      expectOk(at(d).finish());
    }
  }

  ComputeDevice& at(std::size_t d) { return d == 0 ? device() : *other_.device; }

  void increment(std::size_t d, std::size_t lo, std::size_t hi) {
    const muster_dim dim = {0, 1, elements};
    const ArrayArg array = {buffers_[d], 0};
    KernelLaunch launch;
    launch.code = &test::increment();
    launch.dims = {&dim, 1};
    launch.lo = static_cast<std::int64_t>(lo);
    launch.hi = static_cast<std::int64_t>(hi);
    launch.arrays = {&array, 1};
    expectOk(at(d).launch(launch).status());
    for (std::size_t i = lo; i < hi; ++i) ++values_[d][i];
  }

  // Rows of elements, `pitch` apart at both ends.
  void push(std::size_t d, std::size_t from, std::size_t to, std::size_t length, std::size_t count = 1,
            std::size_t pitch = 0) {
    const Rows rows{length * sizeof(int), count, pitch * sizeof(int), pitch * sizeof(int)};
    expectOk(at(d).push(buffers_[d], from * sizeof(int), rows, at(1 - d), buffers_[1 - d], to * sizeof(int)).status());
    for (std::size_t row = 0; row < count; ++row)
      for (std::size_t i = 0; i < length; ++i)
        values_[1 - d][to + row * pitch + i] = values_[d][from + row * pitch + i];
  }

  void expectValues() {
    for (std::size_t d = 0; d < 2; ++d) {
      std::vector<int> found(elements);
      expectOk(at(d).read(buffers_[d], 0, found.data(), elements * sizeof(int)).status());
      expectOk(at(d).finish());
      EXPECT_EQ(found, values_[d]) << "device " << d;
    }
  }

  bool reach() { return at(0).reaches(at(1)); }

 private:
  DeviceUnderTest other_;
  std::array<BufferId, 2> buffers_ = {};
  std::array<std::vector<int>, 2> values_;
};

TEST_P(Pushes, ADeviceThatIsOutOfReachIsRefused) {
  EXPECT_FALSE(device().reaches(device()));
  EXPECT_EQ(reach(), at(1).reaches(at(0)));
  const Result<BufferId> from = at(0).allocate(8), to = at(1).allocate(8);
  ASSERT_TRUE(from.ok() && to.ok());
  expectError(at(0).push(*from, 4, {8}, at(1), *to, 0).status(), Errc::invalidArgument, "push (from)");
  expectError(at(0).push(*from, 0, {8}, at(1), *to, 1).status(), Errc::invalidArgument, "push (to)");
  if (!reach()) expectError(at(0).push(*from, 0, {8}, at(1), *to, 0).status(), Errc::unsupported, "out of reach");
}

TEST_P(Pushes, ComeInTheOrderOfBothDevices) {
  if (!reach()) GTEST_SKIP() << "these devices do not reach each other";
  std::mt19937 random(7);
  const auto below = [&](std::size_t most) { return random() % most; };
  for (int round = 0; round < 40; ++round) {
    const std::size_t d = below(2), length = 1 + below(elements / 2), from = below(elements - length),
                      to = below(elements - length);
    increment(d, from, from + length);
    push(d, from, to, length);
    increment(1 - d, to, to + length);
    if (below(2) == 0) increment(d, 0, elements);
    if (below(4) == 0) increment(1 - d, 0, elements);
  }
  expectValues();
}

TEST_P(Pushes, RowsGoToTheirPlaces) {
  if (!reach()) GTEST_SKIP() << "these devices do not reach each other";
  for (std::size_t d = 0; d < 2; ++d) {
    increment(d, 0, elements);
    push(d, 3, 70, 1, 50, 64);
    push(d, 0, 5, 60, 10, 61);
    increment(1 - d, 0, elements);
    push(d, 100, 200, 16, 3, 512);
  }
  expectValues();
}

namespace {

// Two cards in turn: the host's where it has several, else the stand-in's.
DeviceUnderTest makePeer(const std::string& words) {
  static std::size_t turn = 0;
  auto fakes = std::make_shared<ScopedVariable>("FAKE_CUDA", words.c_str());
  const CudaInventory hosts(CudaInventory::Libraries{}), fake = fakeCuda();
  const CudaInventory& inventory = hosts.entries().size() < 2 ? fake : hosts;
  if (inventory.entries().empty()) return {nullptr, nullptr, "no CUDA here, and no POCL: " + fake.problem()};
  Result<std::unique_ptr<ComputeDevice>> device = inventory.open(turn++ % inventory.entries().size(), {});
  EXPECT_TRUE(device.ok()) << device.status().message();
  return {fakes, device ? std::move(*device) : nullptr, ""};
}

DeviceFactory peers(const std::string& name, const std::string& words) {
  return {name, [words] { return makePeer(words); }, true};
}

INSTANTIATE_TEST_SUITE_P(
    Devices, Pushes,
    testing::Values(DeviceFactory{"cpu", [] { return DeviceUnderTest{nullptr, makeCpuDevice(2), ""}; }},
                    peers("cards", "devices=2"), peers("late_cards", "devices=2 shuffle=11"),
                    peers("one_card_twice", "devices=1 shuffle=5"), peers("cards_apart", "devices=2 no-peers")),
    factoryName);

}  // namespace

}  // namespace muster::cdm::test
