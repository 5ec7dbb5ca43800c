// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of host memory that nobody ever touched are not read: their targets get zeros. The host memory of these tests
// is full of other bytes where it says that it was never touched, so that any read of it shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "executor_job.h"
#include "nests.h"

namespace muster::cap::testing {
namespace {

constexpr std::int64_t kLeast = std::int64_t{64} << 10;
constexpr std::uint32_t kArray = 1;
constexpr auto kLie = std::uint8_t{0xEE};

bool hasOpenCl() {
  cdm::DiscoveryOptions options;
  options.selection = "opencl:0";
  options.warn = [](const std::string&) {};
  return cdm::discoverDevices(options).ok();
}

// An array's host memory with holes.
class Sparse {
 public:
  Sparse(std::int64_t bytes, std::vector<Interval> holes) : holes_(std::move(holes)) {
    for (std::int64_t i = 0; i < bytes; ++i) memory_.push_back(static_cast<std::uint8_t>(1 + (i * 7 + i / 251) % 200));
    for (const Interval& hole : holes_) std::fill(memory_.begin() + hole.lo, memory_.begin() + hole.hi, kLie);
    before_ = memory_;
  }
  [[nodiscard]] UntouchedBytes question() {
    return [this](const Interval& bytes, std::int64_t least) {
      EXPECT_EQ(least, kLeast);
      EXPECT_GE(bytes.size(), least);
      std::vector<Interval> found;
      for (const Interval& hole : holes_) {
        const Interval part = hole.intersect(bytes);
        if (part.size() >= least) found.push_back(part);
      }
      answers_.insert(answers_.end(), found.begin(), found.end());
      return found;
    };
  }
  [[nodiscard]] std::uint8_t* memory() { return memory_.data(); }
  [[nodiscard]] const std::vector<Interval>& answers() const { return answers_; }
  // After all have been somewhere else and came back: elements in what was said to be untouched are zero.
  void expectMoved(std::int64_t elemSize) const {
    std::vector<std::uint8_t> expected = before_;
    for (const Interval& answer : answers_) {
      const std::int64_t lo = (answer.lo + elemSize - 1) / elemSize * elemSize, hi = answer.hi / elemSize * elemSize;
      if (lo < hi) std::fill(expected.begin() + lo, expected.begin() + hi, std::uint8_t{0});
    }
    const auto [actual, wanted] = std::mismatch(memory_.begin(), memory_.end(), expected.begin());
    if (actual != memory_.end())
      ADD_FAILURE() << "byte " << actual - memory_.begin() << " is " << int{*actual} << " instead of " << int{*wanted};
  }

 private:
  std::vector<Interval> holes_, answers_;
  std::vector<std::uint8_t> memory_, before_;
};

// Host -> each device its share -> host.
void sendAndFetch(int ranks, const std::string& devices, std::uint32_t elemSize, std::int64_t bytes,
                  const std::vector<Interval>& holes, bool anyHole = true, const cdm::LoanLimits& loans = {}) {
  SCOPED_TRACE(devices + ", " + std::to_string(ranks) + " ranks, elements of " + std::to_string(elemSize));
  ExecutorJob job({.ranks = ranks, .devices = devices, .weights = {}, .loans = loans},
                  {.pipeline = {std::size_t{512} << 10, std::size_t{4} << 20}});
  const std::int64_t count = bytes / elemSize, n = static_cast<std::int64_t>(job.deviceCount());
  Sparse sparse(count * elemSize, holes);
  std::vector<Copy> out;
  for (std::int64_t d = 0; d < n; ++d) {
    const MemoryId to = job.slots()[static_cast<std::size_t>(d)].memory;
    if (to != hostMemory) out.push_back({kArray, elemSize, {d * count / n, (d + 1) * count / n}, hostMemory, to});
  }
  job.run([&](ExecutorJob::Rank& rank) -> Status {
    MUSTER_TRY(rank.add(kArray, elemSize, count, sparse.memory(), sparse.question()));
    MUSTER_TRY(rank.move(out));
    return rank.fetch(kArray, true);
  });
  for (const auto& [rank, text] : job.errors) ADD_FAILURE() << "rank " << rank << ": " << text;
  EXPECT_EQ(sparse.answers().empty(), !anyHole);
  sparse.expectMoved(elemSize);
}

constexpr std::int64_t kKilo = 1024, kMega = kKilo * kKilo;

void forAllJobs(const std::function<void(int ranks, const std::string& devices)>& test) {
  for (const char* devices : {"cpu", "opencl:0", "cpu,opencl:0"}) {
    if (std::string(devices) != "cpu" && !hasOpenCl()) continue;
    for (const int ranks : {1, 3})
      if (ranks > 1 || std::string(devices) != "cpu") test(ranks, devices);
  }
}

TEST(ExecutorUntouched, IsFilledWithZeros) {
  const std::vector<Interval> holes = {
      {0, 300 * kKilo}, {700001, 1800003}, {2 * kMega, 2 * kMega + kLeast}, {3 * kMega + 1, 5 * kMega}};
  forAllJobs([&](int ranks, const std::string& devices) {
    for (const std::uint32_t elemSize : {1, 8, 12, 5000}) sendAndFetch(ranks, devices, elemSize, 5 * kMega, holes);
  });
}

TEST(ExecutorUntouched, AllOfAnArray) {
  forAllJobs([&](int ranks, const std::string& devices) {
    sendAndFetch(ranks, devices, 4, 6 * kMega + 4, {{0, 6 * kMega + 4}});
  });
}

TEST(ExecutorUntouched, ElementsThatLieInAHoleInPartAreRead) {
  forAllJobs([&](int ranks, const std::string& devices) {
    sendAndFetch(ranks, devices, 200000, 6 * kMega,
                 {{100000, 100000 + kLeast}, {1000001, 1390000}, {4000001, 4390000}});
  });
}

TEST(ExecutorUntouched, MessagesInSharedMemoryAreZerosToo) {
  const cdm::LoanLimits loans{.smallest = 16 * 1024, .largest = 2 << 20, .allBytes = 64 << 20};
  for (const char* devices : {"cpu", "opencl:0"}) {
    if (std::string(devices) != "cpu" && !hasOpenCl()) continue;
    sendAndFetch(3, devices, 8, 5 * kMega, {{8, 900000}, {2 * kMega, 4 * kMega}}, true, loans);
  }
}

// A trace shows what was filled and what was moved.
TEST(ExecutorUntouched, FillsAreTraced) {
  if (!hasOpenCl()) GTEST_SKIP() << "no OpenCL here";
  class Sums final : public TraceSink {
   public:
    [[nodiscard]] Detail detail() const override { return Detail::everything; }
    void record(const TraceEvent& event) override {
      const std::lock_guard lock(mutex_);
      bytes[event.kind] += event.bytes;
    }
    std::map<TraceEvent::Kind, std::uint64_t> bytes;

   private:
    std::mutex mutex_;
  } sums;
  ExecutorJob job({.ranks = 1, .devices = "opencl:0", .weights = {}}, {.pipeline = {}, .trace = &sums});
  Sparse sparse(2 * kMega, {{100, kMega}});
  job.run([&](ExecutorJob::Rank& rank) -> Status {
    MUSTER_TRY(rank.add(kArray, 1, 2 * kMega, sparse.memory(), sparse.question()));
    MUSTER_TRY(rank.move({{kArray, 1, {0, 2 * kMega}, hostMemory, job.slots()[0].memory}}));
    MUSTER_TRY(rank.executor().finishDevices());
    rank.executor().harvestTimings();
    return {};
  });
  for (const auto& [rank, text] : job.errors) ADD_FAILURE() << text;
  EXPECT_EQ(sums.bytes[TraceEvent::Kind::deviceFill], static_cast<std::uint64_t>(kMega - 100));
  EXPECT_EQ(sums.bytes[TraceEvent::Kind::deviceWrite], static_cast<std::uint64_t>(kMega + 100));
  EXPECT_EQ(sums.bytes[TraceEvent::Kind::deviceCopy], 0u);
}

// Not worth a question.
TEST(ExecutorUntouched, SmallCopiesAreReadWithoutAQuestion) {
  forAllJobs([&](int ranks, const std::string& devices) {
    sendAndFetch(ranks, devices, 1, kLeast - 1, {{0, kLeast - 1}}, false);
  });
}

// What another memory holds is nobody's business to ask the host about.
TEST(ExecutorUntouched, CopiesFromDevicesAreReadWhole) {
  ExecutorJob job({.ranks = 3, .devices = "cpu", .weights = {}});
  Sparse sparse(2 * kMega, {});
  const MemoryId a = job.slots()[1].memory, b = job.slots()[2].memory;
  int asked = 0;
  job.run([&](ExecutorJob::Rank& rank) -> Status {
    const UntouchedBytes question = [&](const Interval&, std::int64_t) {
      ++asked;
      return std::vector<Interval>{};
    };
    MUSTER_TRY(rank.add(kArray, 1, 2 * kMega, sparse.memory(), question));
    MUSTER_TRY(rank.move({{kArray, 1, {0, 2 * kMega}, hostMemory, a}}));
    if (rank.first()) EXPECT_EQ(std::exchange(asked, 0), 1);
    MUSTER_TRY(rank.move({{kArray, 1, {0, 2 * kMega}, a, b}}));
    return rank.fetch(kArray, true);
  });
  for (const auto& [rank, text] : job.errors) ADD_FAILURE() << "rank " << rank << ": " << text;
  EXPECT_EQ(asked, 0);
  sparse.expectMoved(1);
}

}  // namespace
}  // namespace muster::cap::testing
