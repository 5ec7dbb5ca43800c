// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that become one: which may, what is learnt of them, and a device that does it.
#include "core/fusion.h"

#include <gtest/gtest.h>

#include "backends/opencl/inventory.h"
#include "conformance.h"
#include "core/fused_code.h"
#include "kernel_parts.h"
#include "test_directory.h"

namespace muster::cdm::test {
namespace {

// y[i + offset] += ..., of buffer 1 and of another one that is read.
struct Call {
  explicit Call(const KernelCode& code, std::int64_t offset = 0, BufferId other = 2) : code(code) {
    own = {OwnElement{{1}, offset}};
    arrays = {{1, 0}};
    if (code.arrays.size() == 2) own.insert(own.begin(), OwnElement{{1}, 0}), arrays.insert(arrays.begin(), {other, 0});
    if (!code.scalars.empty()) scalars = {&scalar};
  }
  [[nodiscard]] KernelLaunch launch() const {
    return {.code = &code, .dims = {&dim, 1}, .hi = dim.count, .arrays = arrays, .scalars = scalars, .own = own};
  }
  const KernelCode& code;
  muster_dim dim = {0, 1, 10};
  int scalar = 3;
  std::vector<ArrayArg> arrays;
  std::vector<std::optional<OwnElement>> own;
  std::vector<const void*> scalars;
};

bool mayFuse(const Call& first, const Call& second) {
  KeptLaunch kept;
  kept.keep(first.launch(), 0, 0);
  return kept.mayFuse(second.launch());
}

TEST(KeptLaunch, GoesWithOneWhoseIterationsTouchTheSameElements) {
  const Call one(increment()), other(addScalar<int>());
  EXPECT_TRUE(mayFuse(one, other));
  EXPECT_TRUE(mayFuse(other, one));
  EXPECT_FALSE(mayFuse(one, Call(addScalar<int>(), 1))) << "another iteration's element is written";
  EXPECT_TRUE(mayFuse(Call(increment(), 1), Call(addScalar<int>(), 1)));
  EXPECT_TRUE(mayFuse(one, Call(addScalar<int>(), 0, 1))) << "it reads what it writes";
  EXPECT_FALSE(mayFuse(Call(increment(), 1), Call(addScalar<int>(), 1, 1))) << "it reads the next one";
}

TEST(KeptLaunch, DoesNotGoWithOneOfOtherIterationsOrUnknownElements) {
  const Call one(increment());
  Call other(addScalar<int>());
  other.dim.count = 9;
  EXPECT_FALSE(mayFuse(one, other));
  other.dim = {1, 1, 10};
  EXPECT_FALSE(mayFuse(one, other));
  other.dim = one.dim;
  other.own[1].reset();
  EXPECT_FALSE(mayFuse(one, other));
  other.own.clear();
  EXPECT_FALSE(mayFuse(one, other));
}

TEST(KeptLaunch, OverlappingBytesOfOneBufferAreOneArray) {
  const Call one(increment());
  Call other(increment());
  other.arrays[0].originBytes = 4;
  EXPECT_FALSE(mayFuse(one, other));
  other.own[0]->constant = -1;
  EXPECT_TRUE(mayFuse(one, other)) << "the same bytes by another pointer";
  other.own[0]->constant = 9;
  other.arrays[0].touchedBegin = 40;
  Call front(increment());
  front.arrays[0].touchedEnd = 40;
  EXPECT_TRUE(mayFuse(front, other)) << "different bytes";
  EXPECT_FALSE(mayFuse(one, Call(addScalar<float>()))) << "compilers exchange accesses of different types";
}

TEST(FusedCode, HasTheArgumentsOfAll) {
  const FusedPart parts[] = {{&addScalar<int>()}, {&increment()}, {&increment()}};
  const auto fused = fusedCode(parts);
  ASSERT_NE(fused, nullptr);
  EXPECT_EQ(fused->arrays.size(), 4u);
  EXPECT_EQ(fused->scalars.size(), 1u);
  EXPECT_TRUE(fused->arrays[2].written);
  const FusedPart others[] = {{&increment()}, {&addScalar<int>()}};
  EXPECT_NE(fused->id, fusedCode(others)->id);
}

TEST(FusedCode, IsNoneOfKernelsWhoseWorkItemsMeet) {
  EXPECT_TRUE(mayBeFused(increment()));
  EXPECT_FALSE(mayBeFused(histogram())) << "work-groups may collect its updates";
  EXPECT_FALSE(mayBeFused(rowSums())) << "work-groups have rows";
  EXPECT_FALSE(mayBeFused(sum3d())) << "its text has no place for others";
  EXPECT_FALSE(mayBeFused(nativeOnly()));
  KernelCode code = increment();
  code.floats.anyFusing = true;
  EXPECT_FALSE(mayBeFused(code)) << "a value kept in a register could be rounded otherwise";
}

// Blocks of 4 elements that ask something of a launch.
KernelCode withBlocks(KernelCode code) {
  code.schedule.n_blocks = 2;
  code.schedule.blocks[1] = {{4, 1, 1}, 1, 1, 1, {0}, 1, {0, 0}, 0, 0, 2};
  return code;
}

TEST(FusedCode, HasTheBlocksOfAllAndAsksNothingMore) {
  const KernelCode one = withBlocks(addScalar<int>()), other = withBlocks(increment());
  EXPECT_TRUE(hasOwnBlocks(one.schedule.blocks[1]));
  const FusedPart parts[] = {{&one, 2}, {&other, 2}, {&one, 2}};
  EXPECT_TRUE(goTogether(parts[0], parts[1]));
  const auto fused = fusedCode(parts);
  ASSERT_NE(fused, nullptr);
  ASSERT_EQ(fused->schedule.n_blocks, 1);
  const muster_blocks& blocks = fused->schedule.blocks[0];
  EXPECT_EQ(blocks.lanes[0], 4);
  EXPECT_EQ(blocks.phase, 2);
  EXPECT_EQ(blocks.aligned | blocks.n_multiples | blocks.distinct, 0u) << "each launch was looked at";
  EXPECT_NE(fused->opencl.find("#define MUSTER_BLOCKS 2"), std::string::npos);
}

TEST(FusedCode, BlocksGoWithTheSameBlocks) {
  const KernelCode one = withBlocks(increment());
  KernelCode other = one;
  other.schedule.blocks[1].phase = 3;
  EXPECT_FALSE(goTogether({&one, 2}, {&other, 2})) << "they begin elsewhere";
  other = one;
  other.schedule.blocks[1].lanes[0] = 2;
  EXPECT_FALSE(goTogether({&one, 2}, {&other, 2}));
  EXPECT_FALSE(goTogether({&one, 2}, {&one, 0}));
  EXPECT_TRUE(goTogether({&one, 0}, {&other, 0}));
  muster_blocks shared = one.schedule.blocks[1];
  shared.shared = 1;
  EXPECT_FALSE(hasOwnBlocks(shared));
}

TEST(FusedCode, OnlyOneTextMayHaveDefinitions) {
  KernelCode one = increment(), other = increment(), helper = increment();
  one.id = 1, other.id = 2, helper.id = 3;
  one.opencl = "typedef int Number;\n" + one.opencl;
  other.opencl = "static int twice(int x) { return 2 * x; }\n" + other.opencl;
  helper.opencl = "#ifndef f_is_there\n#define f_is_there\n#if 1\nstatic int f(void) { return 1; }\n#endif\n#endif\n" +
                  helper.opencl;
  const FusedPart both[] = {{&one}, {&other}};
  EXPECT_EQ(fusedCode(both), nullptr);
  const FusedPart fine[] = {{&one}, {&helper}, {&one}, {&helper}, {&increment()}};
  EXPECT_NE(fusedCode(fine), nullptr);
}

// Runs, as a device would.
struct Runs {
  Fusion fusion;
  std::int64_t nowNs = 0;
  int built = 0;
  void end() {
    Fusion::Sequence* const sequence = fusion.endRun();
    if (sequence == nullptr) return;
    if (sequence->seconds < 0) sequence->seconds = 0;
    if (sequence->isWorthIt()) sequence->isReady = true, ++built;
  }
  // Another call of the device.
  void settle() {
    if (fusion.isWaiting())
      (void)fusion.take();
    else
      end();
  }
  // "alone", "waits", or how many ran: "2 as one", "1 by one" before that.
  std::string launch(const Call& call) {
    const KernelLaunch launch = call.launch();
    nowNs += 1000;
    std::string said;
    if (fusion.begins(launch)) end();
    const Fusion::Call as{launch, 0, nowNs};
    bool waits = fusion.takes(as);
    if (!waits && fusion.isWaiting()) {
      const Fusion::Taken taken = fusion.take();
      said = std::to_string(taken.launches.size()) + (taken.sequence != nullptr ? " as one, " : " by one, ");
      waits = fusion.takes(as);
    }
    if (waits && fusion.isWhole()) return said + std::to_string(fusion.take().launches.size()) + " as one";
    if (waits) return said + "waits";
    if (!fusion.continues(as)) end();
    fusion.ran(as);
    return said + "alone";
  }
};

TEST(Fusion, LearnsWhatFollowsEachOther) {
  Runs runs;
  const Call one(increment()), other(addScalar<int>());
  for (unsigned i = 0; i < Fusion::leastSeen; ++i) {
    EXPECT_EQ(runs.launch(one), "alone");
    EXPECT_EQ(runs.launch(other), "alone");
    runs.end();
  }
  EXPECT_EQ(runs.built, 1);
  EXPECT_EQ(runs.launch(one), "waits");
  EXPECT_EQ(runs.launch(other), "2 as one");
  EXPECT_EQ(runs.launch(other), "alone") << "it begins nothing";
  EXPECT_EQ(runs.launch(one), "waits");
}

TEST(Fusion, RestsWhereWhatIsExpectedDoesNotCome) {
  Runs runs;
  const Call one(increment()), other(addScalar<int>());
  for (unsigned i = 0; i < Fusion::leastSeen; ++i) (void)runs.launch(one), (void)runs.launch(other), runs.end();
  EXPECT_EQ(runs.launch(one), "waits");
  EXPECT_EQ(runs.launch(one), "1 by one, alone") << "once in vain, it does not wait the next time";
  EXPECT_EQ(runs.launch(one), "waits");
  EXPECT_EQ(runs.launch(one), "1 by one, alone");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(runs.launch(one), "alone") << "nor three times after the second time";
  EXPECT_EQ(runs.launch(one), "waits");
  EXPECT_EQ(runs.launch(other), "2 as one");
}

TEST(Fusion, LearnsAnewWhereTheProgramGoesOnInAnotherWay) {
  Runs runs;
  const Call one(increment()), other(addScalar<int>()), third(apart());
  for (unsigned i = 0; i < Fusion::leastSeen; ++i) (void)runs.launch(one), (void)runs.launch(other), runs.end();
  std::string last;
  for (int i = 0; i < 20000 && last != "2 as one"; ++i) (void)runs.launch(one), last = runs.launch(third), runs.end();
  EXPECT_EQ(last, "2 as one");
  EXPECT_EQ(runs.built, 2);
}

TEST(Fusion, SequencesMayBeginInTheSameWay) {
  Runs runs;
  const Call one(increment()), other(addScalar<int>()), third(apart());
  for (int i = 0; i < 100; ++i)
    for (const Call* second : {&other, &third}) (void)runs.launch(one), (void)runs.launch(*second), runs.settle();
  EXPECT_EQ(runs.built, 2);
  for (const Call* second : {&other, &third, &third, &other}) {
    EXPECT_EQ(runs.launch(one), "waits");
    EXPECT_EQ(runs.launch(*second), "2 as one");
  }
}

TEST(Fusion, AShorterSequenceRunsWhereTheRestOfALongerOneDoesNotCome) {
  Runs runs;
  const Call one(increment()), other(addScalar<int>()), third(apart());
  for (unsigned i = 0; i < Fusion::leastSeen; ++i)
    (void)runs.launch(one), (void)runs.launch(other), (void)runs.launch(third), runs.settle();
  for (int i = 0; i < 100; ++i) (void)runs.launch(one), (void)runs.launch(other), runs.settle();
  EXPECT_EQ(runs.built, 2);
  std::string last;
  for (int i = 0; i < 10000 && last != "3 as one"; ++i)
    (void)runs.launch(one), (void)runs.launch(other), last = runs.launch(third), runs.settle();
  EXPECT_EQ(last, "3 as one");
  EXPECT_EQ(runs.launch(one), "waits");
  EXPECT_EQ(runs.launch(other), "waits") << "the longer one is expected";
  EXPECT_EQ(runs.launch(other), "2 as one, alone");
  EXPECT_EQ(runs.launch(one), "waits");
  EXPECT_EQ(runs.launch(other), "2 as one") << "the longer one rests";
}

TEST(Fusion, OfManyWaysThoseThatAreBuiltStay) {
  Runs runs;
  const Call one(increment()), other(addScalar<int>());
  std::vector<KernelCode> codes(2 * Fusion::mostWays, apart());
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i].id = 1000 + i;
  for (unsigned i = 0; i < Fusion::leastSeen; ++i) (void)runs.launch(one), (void)runs.launch(other), runs.settle();
  for (const KernelCode& code : codes) {
    runs.nowNs += 1'000'000;
    (void)runs.launch(Call(code)), (void)runs.launch(one), runs.settle();
    for (int i = 0; i < 20; ++i) (void)runs.launch(one), (void)runs.launch(Call(code)), runs.settle();
  }
  EXPECT_LE(runs.built, static_cast<int>(Fusion::mostWays));
  std::string last;
  for (int i = 0; i < 10000 && last != "2 as one"; ++i) (void)runs.launch(one), last = runs.launch(other);
  EXPECT_EQ(last, "2 as one");
}

TEST(Fusion, TellsWhatWasNotWorthABuild) {
  Fusion fusion;
  const Call one(increment()), other(addScalar<int>());
  for (unsigned i = 1; i <= Fusion::leastSeen; ++i) {
    EXPECT_TRUE(fusion.unbuilt().empty());
    for (const Call* call : {&one, &other}) {
      const KernelLaunch launch = call->launch();
      fusion.ran({launch});
    }
    if (Fusion::Sequence* sequence = fusion.endRun()) sequence->seconds = 1;
  }
  ASSERT_EQ(fusion.unbuilt().size(), 1u);
  EXPECT_FALSE(fusion.unbuilt()[0]->isWorthIt());
  EXPECT_GT(fusion.unbuilt()[0]->saves, 0);
}

TEST(Fusion, RestsWhereWhatIsExpectedComesLate) {
  Runs runs;
  const Call one(increment()), other(addScalar<int>());
  for (unsigned i = 0; i < Fusion::leastSeen; ++i) (void)runs.launch(one), (void)runs.launch(other), runs.end();
  EXPECT_EQ(runs.launch(one), "waits");
  runs.nowNs += 1'000'000'000;
  EXPECT_EQ(runs.launch(other), "2 as one");
  EXPECT_EQ(runs.launch(one), "alone");
}

TEST(Fusion, LaunchesFarApartAreNoSequence) {
  Runs runs;
  const Call one(increment()), other(addScalar<int>());
  for (int i = 0; i < 8; ++i) {
    (void)runs.launch(one);
    runs.nowNs += 1'000'000'000;
    (void)runs.launch(other);
    runs.nowNs += 1'000'000'000;
  }
  runs.end();
  EXPECT_EQ(runs.built, 0);
}

// ---------------------------------------------------------------- a device

class FusingDevice : public testing::Test {
 protected:
  FusingDevice() : inventory_("libOpenCL.so.1") {}
  void SetUp() override {
    if (inventory_.entries().empty()) GTEST_SKIP() << "no OpenCL here: " << inventory_.problem();
    StreamOptions options;
    options.kernels = KernelForms::first;
    options.fuse = true;
    auto device = inventory_.open(0, options);
    ASSERT_TRUE(device.ok()) << device.status().message();
    device_ = std::move(*device);
    ASSERT_TRUE(device_->keepTimings(Timings::all).ok());
    for (BufferId& buffer : buffers_) {
      const Result<BufferId> made = device_->allocate(40);
      ASSERT_TRUE(made.ok());
      buffer = *made;
      ASSERT_TRUE(device_->write(buffer, 0, zeros_.data(), 40).ok());
    }
    ASSERT_TRUE(device_->finish().ok());
  }
  Event run(Call call) {
    for (ArrayArg& array : call.arrays) array.buffer = buffers_.at(array.buffer - 1);
    const Result<Event> event = device_->launch(call.launch());
    EXPECT_TRUE(event.ok()) << event.status().message();
    return event ? *event : 0;
  }
  // What buffer 1 holds, first and last.
  std::vector<int> held() {
    std::vector<int> values(10, -1);
    EXPECT_TRUE(device_->read(buffers_[0], 0, values.data(), 40).ok());
    EXPECT_TRUE(device_->finish().ok());
    return {values.front(), values.back()};
  }
  // As often as it takes: a machine with other things to do lets much time pass between two launches.
  void learn() {
    for (int i = 0; i < 1000; ++i) {
      (void)run(Call(addScalar<int>()));
      (void)run(Call(increment()));
      ASSERT_TRUE(device_->finish().ok());
      const auto timings = device_->takeTimings();
      ASSERT_FALSE(timings.empty());
      if (timings.back().fused == 2) return;
    }
    FAIL() << "two launches never became one";
  }

  OpenClInventory inventory_;
  std::unique_ptr<ComputeDevice> device_;
  std::array<BufferId, 2> buffers_ = {};
  const std::vector<int> zeros_ = std::vector<int>(10, 0);
};

TEST_F(FusingDevice, RunsASequenceAsOneAndTimesEachOfIt) {
  learn();
  const Event first = run(Call(addScalar<int>())), second = run(Call(increment()));
  EXPECT_NE(first, second);
  ASSERT_TRUE(device_->wait(second).ok());
  ASSERT_TRUE(device_->wait(first).ok());
  const auto timings = device_->takeTimings();
  ASSERT_EQ(timings.size(), 2u);
  EXPECT_EQ(timings[0].event, first);
  EXPECT_EQ(timings[1].event, second);
  EXPECT_EQ(timings[0].fused, 2u);
  EXPECT_LE(timings[0].endNs, timings[1].beginNs);
  EXPECT_EQ(held(), (std::vector<int>{4, 4}));
}

TEST_F(FusingDevice, RunsWhatWaitsBeforeAnythingElse) {
  learn();
  const Event event = run(Call(addScalar<int>()));
  EXPECT_EQ(held(), (std::vector<int>{3, 3})) << "a read";
  ASSERT_TRUE(device_->wait(event).ok());
  const auto timings = device_->takeTimings();
  ASSERT_FALSE(timings.empty());
  EXPECT_EQ(timings[0].event, event);
  EXPECT_EQ(timings[0].fused, 1u);
  (void)run(Call(increment()));  // which the sequence's rest does not hold up
  EXPECT_EQ(held(), (std::vector<int>{4, 4}));
}

TEST_F(FusingDevice, ReleasesAndWritesComeBehindWhatWaits) {
  learn();
  (void)run(Call(addScalar<int>()));
  const std::vector<int> ones(10, 1);
  ASSERT_TRUE(device_->write(buffers_[0], 0, ones.data(), 40).ok());
  EXPECT_EQ(held(), (std::vector<int>{1, 1}));
  (void)run(Call(addScalar<int>()));
  (void)run(Call(addScalar<int>()));
  ASSERT_TRUE(device_->release(buffers_[1]).ok());
  EXPECT_EQ(held(), (std::vector<int>{3, 3}));
}

TEST_F(FusingDevice, EventsThatWereNeverGivenOutAreErrors) {
  learn();
  expectError(device_->wait((Event{1} << 63) + 1000), Errc::invalidArgument, "was never given out");
}

// Three launches save too little in one run for a build.
TEST(FusingDevices, BuildWhatPaysOverSeveralRuns) {
  const TestDirectory cache;
  const OpenClInventory inventory(FAKE_OPENCL_LIBRARY);
  const auto codeOf = [](const char* text) {
    KernelCode code = makeCode("fake_mix", 1, nullptr);
    code.opencl = std::string("__kernel fake_mix ") + text;
    code.arrays = {{"a", 4, true, ScalarType::u32}, {"b", 4, false, ScalarType::u32}};
    return code;
  };
  const KernelCode codes[] = {codeOf("one"), codeOf("other")};
  const std::optional<OwnElement> own[] = {OwnElement{{1}, 0}, OwnElement{{1}, 0}};
  // The kernels that are built where two launches come one behind the other, forty times at most.
  const auto builtIn = [&](int most) {
    int built = 0;
    StreamOptions options;
    options.cacheDirectory = cache.path();
    options.fuse = true;
    options.buildSeconds = 400e-6;
    options.built = [&](double, const std::filesystem::path&) { ++built; };
    auto device = inventory.open(0, options);
    EXPECT_TRUE(device.ok());
    const Result<BufferId> one = (*device)->allocate(40), other = (*device)->allocate(40);
    const muster_dim dim = {0, 1, 10};
    const ArrayArg arrays[] = {{*one, 0}, {*other, 0}};
    for (int i = 0; i < 40 && built < most; ++i) {
      for (const KernelCode& code : codes)
        EXPECT_TRUE((*device)->launch({.code = &code, .dims = {&dim, 1}, .hi = 10, .arrays = arrays, .own = own}).ok());
      EXPECT_TRUE((*device)->finish().ok());
    }
    (*device)->keepSavings();
    return built;
  };
  EXPECT_EQ(builtIn(3), 2) << "each kernel itself";
  int built = 0;
  for (int run = 0; run < 20 && built == 0; ++run) built = builtIn(1);
  EXPECT_EQ(built, 1);
}

}  // namespace
}  // namespace muster::cdm::test
