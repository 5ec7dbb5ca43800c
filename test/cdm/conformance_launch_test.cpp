// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance: launches, windows, chunks, build errors.
#include <cstdint>
#include <numeric>

#include "conformance.h"

namespace muster::cdm::test {

namespace {

std::vector<int> ramp(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

}  // namespace

#define MUSTER_ADD_SCALAR(T, NAME)                                                          \
  TEST_P(Conformance, ScalarsAndArraysOf##NAME) {                                           \
    std::vector<Stored<T>> x(301);                                                          \
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i % 50);               \
    const T s = static_cast<T>(3);                                                          \
    const BufferId from = bufferOf(x), to = allocate(x.size() * sizeof(T));                 \
    expectRuns(launch1(addScalar<T>(), {0, 1, 301}, 0, 301, {{from, 0}, {to, 0}}, {&s}));   \
    const auto y = contents<Stored<T>>(to, x.size());                                       \
    for (std::size_t i = 0; i < x.size(); ++i) {                                            \
      const T expected = std::is_same_v<T, bool> ? T(x[i] != s) : static_cast<T>(x[i] + s); \
      ASSERT_EQ(static_cast<T>(y[i]), expected) << i;                                       \
    }                                                                                       \
  }
MUSTER_ADD_SCALAR(bool, Bool)
MUSTER_ADD_SCALAR(std::int8_t, I8)
MUSTER_ADD_SCALAR(std::uint8_t, U8)
MUSTER_ADD_SCALAR(std::int16_t, I16)
MUSTER_ADD_SCALAR(std::uint16_t, U16)
MUSTER_ADD_SCALAR(std::int32_t, I32)
MUSTER_ADD_SCALAR(std::uint32_t, U32)
MUSTER_ADD_SCALAR(std::int64_t, I64)
MUSTER_ADD_SCALAR(std::uint64_t, U64)
MUSTER_ADD_SCALAR(float, F32)
MUSTER_ADD_SCALAR(double, F64)

TEST_P(Conformance, ChunkLeavesOtherElementsAlone) {
  const BufferId buffer = bufferOf(ramp(1000));
  expectRuns(launch1(increment(), {0, 1, 1000}, 123, 457, {{buffer, 0}}));
  std::vector<int> expected = ramp(1000);
  for (int i = 123; i < 457; ++i) ++expected[static_cast<std::size_t>(i)];
  EXPECT_EQ(contents<int>(buffer, 1000), expected);
}

TEST_P(Conformance, LoopVariableHasItsOwnStartAndStep) {
  const BufferId buffer = bufferOf(std::vector<int>(100, 0));
  expectRuns(launch1(increment(), {5, 3, 20}, 2, 20, {{buffer, 0}}));
  std::vector<int> expected(100, 0);
  for (std::size_t k = 2; k < 20; ++k) ++expected[5 + 3 * k];
  EXPECT_EQ(contents<int>(buffer, 100), expected);
}

TEST_P(Conformance, StepsMayBeNegative) {
  const BufferId buffer = bufferOf(std::vector<int>(1000, 0));
  expectRuns(launch1(increment(), {999, -7, 140}, 10, 130, {{buffer, 0}}));
  std::vector<int> expected(1000, 0);
  for (std::size_t k = 10; k < 130; ++k) ++expected[999 - 7 * k];
  EXPECT_EQ(contents<int>(buffer, 1000), expected);
}

// The device holds elements [700, 900) of an array of a million.
TEST_P(Conformance, WindowWithNegativeOrigin) {
  const BufferId buffer = bufferOf(std::vector<int>(200, 0));
  expectRuns(launch1(increment(), {0, 1, 1000000}, 710, 890, {{buffer, -700 * 4}}));
  std::vector<int> expected(200, 0);
  for (std::size_t i = 10; i < 190; ++i) expected[i] = 1;
  EXPECT_EQ(contents<int>(buffer, 200), expected);
}

TEST_P(Conformance, WindowWithPositiveOrigin) {
  const BufferId buffer = bufferOf(std::vector<int>(200, 0));
  expectRuns(launch1(increment(), {-50, 1, 100}, 0, 100, {{buffer, 60 * 4}}));
  std::vector<int> expected(200, 0);
  for (std::size_t i = 10; i < 110; ++i) expected[i] = 1;
  EXPECT_EQ(contents<int>(buffer, 200), expected);
}

// Odd sizes, chunks of rows, windows that hold the chunk's rows and one more on each side.
TEST_P(Conformance, TwoDimensionsInWindows) {
  constexpr std::int64_t height = 37, width = 131;
  std::vector<int> x(height * width);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7 % 101);
  std::vector<int> y(x.size(), -1), expected = y;
  for (std::size_t i = 1; i + 1 < height; ++i)
    for (std::size_t j = 1; j + 1 < width; ++j) {
      const std::size_t at = i * width + j;
      expected[at] = x[at - width] + x[at + width] + x[at - 1] + x[at + 1];
    }
  for (const auto& [lo, hi] : {std::pair<std::int64_t, std::int64_t>{0, 11}, {11, 12}, {12, height - 2}}) {
    const std::int64_t first = lo, rows = hi - lo + 2;  // iteration k is row k + 1
    const std::vector<int> window(x.begin() + first * width, x.begin() + (first + rows) * width);
    const std::vector<int> target(static_cast<std::size_t>(rows * width), -1);
    const BufferId from = bufferOf(window), to = bufferOf(target);
    const std::int64_t origin = -first * width * 4;
    expectRuns(launchN(neighbours(), {{1, 1, height - 2}, {1, 1, width - 2}}, lo, hi, {{from, origin}, {to, origin}},
                       {&width}));
    const std::vector<int> result = contents<int>(to, target.size());
    std::copy(result.begin() + width, result.end() - width, y.begin() + (first + 1) * width);
  }
  EXPECT_EQ(y, expected);
}

// Each chunk computes what it needs of the others' rows, too, and boundaries differ in both arrays.
TEST_P(Conformance, StepsAtOnceAreStepsOneAfterTheOther) {
  constexpr std::int64_t height = 37, width = 131;
  constexpr std::uint32_t steps = 3;
  const auto count = static_cast<std::size_t>(height * width);
  std::vector<int> x(count), y(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<int>(i * 7 % 101), y[i] = static_cast<int>(i % 13);
  std::vector<int> from = x, to = y;
  for (std::uint32_t step = 0; step < steps; ++step, std::swap(from, to))
    for (std::size_t i = 1; i + 1 < height; ++i)
      for (std::size_t j = 1; j + 1 < width; ++j) {
        const std::size_t at = i * width + j;
        to[at] = from[at - width] + from[at + width] + from[at - 1] + from[at + 1];
      }
  std::vector<int> made = y;
  for (const auto& [lo, hi] : {std::pair<std::int64_t, std::int64_t>{0, 11}, {11, 12}, {12, height - 2}}) {
    const BufferId here = bufferOf(x), there = bufferOf(y);
    expectRuns(launchN(neighbours(), {{1, 1, height - 2}, {1, 1, width - 2}}, lo, hi, {{here, 0}, {there, 0}}, {&width},
                       {}, steps));
    const std::vector<int> result = contents<int>(there, count);
    std::copy(result.begin() + (lo + 1) * width, result.begin() + (hi + 1) * width, made.begin() + (lo + 1) * width);
  }
  EXPECT_EQ(made, from);  // they have changed places once more
}

TEST_P(Conformance, StepsAtOnceAreOddAndOfALoopThatHasThem) {
  const std::int64_t width = 8;
  const BufferId from = bufferOf(ramp(64)), to = bufferOf(ramp(64));
  const auto event = launchN(neighbours(), {{1, 1, 6}, {1, 1, 6}}, 0, 6, {{from, 0}, {to, 0}}, {&width}, {}, 2);
  expectError(event.status(), Errc::invalidArgument, "2 steps at once");
  const auto other = launchN(increment(), {{0, 1, 64}}, 0, 64, {{to, 0}}, {}, {}, 3);
  expectError(other.status(), Errc::invalidArgument, "a loop that can do one");
}

TEST_P(Conformance, ThreeDimensionsWithOddSizes) {
  constexpr std::int64_t a = 5, b = 7, c = 67;
  const BufferId buffer = bufferOf(std::vector<std::int64_t>(a * b * c, 0));
  // Backwards in the middle; in two chunks.
  const std::vector<muster_dim> dims = {{0, 1, a}, {b - 1, -1, b}, {0, 1, c}};
  expectRuns(launchN(fill3d(), dims, 0, 2, {{buffer, 0}}, {&b, &c}));
  expectRuns(launchN(fill3d(), dims, 2, a, {{buffer, 0}}, {&b, &c}));
  const auto y = contents<std::int64_t>(buffer, a * b * c);
  for (std::int64_t i = 0; i < a; ++i)
    for (std::int64_t j = 0; j < b; ++j)
      for (std::int64_t k = 0; k < c; ++k)
        ASSERT_EQ(y[static_cast<std::size_t>((i * b + j) * c + k)], 1 + i + 100 * j + 10000 * k);
}

TEST_P(Conformance, DimensionsLieAsTheScheduleSays) {
  constexpr std::int64_t height = 133, width = 9;
  const BufferId from = bufferOf(ramp(height * width)), to = bufferOf(std::vector<int>(height * width, -1));
  const std::vector<muster_dim> dims = {{0, 1, height}, {width - 1, -1, width}};
  for (const auto& [lo, hi] : {std::pair<std::int64_t, std::int64_t>{0, 66}, {66, 67}, {67, height}})
    expectRuns(launchN(columns(), dims, lo, hi, {{from, 0}, {to, 0}}, {&height}));
  const std::vector<int> x = ramp(height * width), y = contents<int>(to, height * width);
  for (std::int64_t at = 0; at < height * width; ++at)
    ASSERT_EQ(y[static_cast<std::size_t>(at)], x[static_cast<std::size_t>(at)] + at % height) << at;
}

TEST_P(Conformance, IterationsOfAWorkItemLieAWorkGroupApart) {
  for (const std::int64_t count : {1, 255, 256, 257, 1023, 1024, 1025, 5000}) {
    const BufferId from = bufferOf(ramp(count)), to = bufferOf(ramp(count));
    expectRuns(launch1(apart(), {0, 1, count}, 0, count / 3, {{from, 0}, {to, 0}}));
    expectRuns(launch1(apart(), {0, 1, count}, count / 3, count, {{from, 0}, {to, 0}}));
    std::vector<int> twice = ramp(count);
    for (int& element : twice) element *= 2;
    EXPECT_EQ(contents<int>(to, static_cast<std::size_t>(count)), twice) << count;
  }
}

// Again and again, with more values than texts are built for, and with some that no text is built for.
TEST_P(Conformance, ShortLoopsMayBeBuiltForTheirCount) {
  const std::int64_t width = 700, height = 400, columns = width - 20;
  const std::vector<int> x = ramp(height * width);
  const BufferId from = bufferOf(x);
  const std::vector<muster_dim> dims = {{0, 1, height}, {0, 1, columns}};
  for (const std::int32_t taps : {3, 3, 0, 20, 1, 9, 10, 2, 5, 4, 7, 3, 8, 5, -4}) {
    const BufferId to = bufferOf(std::vector<int>(static_cast<std::size_t>(height * width), -7));
    expectRuns(launchN(window(), dims, 0, 101, {{from, 0}, {to, 0}}, {&width, &taps}));
    expectRuns(launchN(window(), dims, 101, height, {{from, 0}, {to, 0}}, {&width, &taps}));
    const std::vector<int> y = contents<int>(to, static_cast<std::size_t>(height * width));
    for (std::int64_t i = 0; i < height; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        int sum = 0;
        for (int l = 0; l < taps; ++l) sum += x[static_cast<std::size_t>(i * width + j + l)];
        ASSERT_EQ(y[static_cast<std::size_t>(i * width + j)], sum) << taps << " at " << i << ", " << j;
      }
  }
}

TEST_P(Conformance, LongRowsMayBeLoadedTogether) {
  const std::int64_t height = 1000;
  for (const std::int32_t width : {1, 63, 64, 65, 200, 3}) {
    const std::vector<int> x = ramp(height * width);
    const BufferId from = bufferOf(x), to = bufferOf(std::vector<int>(static_cast<std::size_t>(height), -7));
    expectRuns(launch1(rowSums(), {0, 1, height}, 0, 333, {{from, 0}, {to, 0}}, {&width}));
    expectRuns(launch1(rowSums(), {0, 1, height}, 333, height, {{from, 0}, {to, 0}}, {&width}));
    const std::vector<int> y = contents<int>(to, static_cast<std::size_t>(height));
    for (std::int64_t i = 0; i < height; ++i)
      ASSERT_EQ(y[static_cast<std::size_t>(i)], std::accumulate(x.begin() + i * width, x.begin() + (i + 1) * width, 0))
          << width << " at " << i;
  }
}

TEST_P(Conformance, WorkGroupsMayShareRows) {
  constexpr std::int64_t height = 301;
  for (const std::int32_t width : {64, 1, 63, 700, 256, 3}) {
    const std::vector<int> x = ramp(height);
    const auto size = static_cast<std::size_t>(height * width);
    const BufferId from = bufferOf(x), to = bufferOf(std::vector<int>(size, -7));
    expectRuns(launch1(fillRows(), {0, 1, height}, 0, 100, {{from, 0}, {to, 0}}, {&width}));
    expectRuns(launch1(fillRows(), {0, 1, height}, 100, height, {{from, 0}, {to, 0}}, {&width}));
    const std::vector<int> y = contents<int>(to, size);
    for (std::size_t at = 0; at < size; ++at)
      ASSERT_EQ(y[at], x[at / static_cast<std::size_t>(width)] + static_cast<int>(at) % width) << width << " at " << at;
  }
}

TEST_P(Conformance, GroupsShareLoopsOfNests) {
  for (const std::int32_t width : {5, 31, 32, 64, 100}) {
    constexpr std::int32_t height = 13, columns = 21;
    const std::vector<int> x = ramp(height * columns);
    const auto size = x.size() * static_cast<std::size_t>(width);
    const BufferId from = bufferOf(x), to = bufferOf(std::vector<int>(size, -7));
    const std::vector<muster_dim> dims = {{0, 1, height}, {0, 1, columns}};
    for (const auto& [lo, hi] : {std::pair(0, 4), std::pair(4, height)})
      expectRuns(launchN(fillLayers(), dims, lo, hi, {{from, 0}, {to, 0}}, {&columns, &width}));
    const std::vector<int> y = contents<int>(to, size);
    for (std::size_t at = 0; at < size; ++at)
      ASSERT_EQ(y[at], x[at / static_cast<std::size_t>(width)] + static_cast<int>(at) % width) << width << " at " << at;
  }
}

TEST_P(Conformance, GroupsOfShortLoopsHaveSeveralIterations) {
  for (const auto& [height, columns] : {std::pair(13, 21), std::pair(300, 1), std::pair(2, 500)})
    for (const std::int32_t width : {2, 1, 7, 200, 16, 127}) {
      const std::vector<int> x = ramp(height * columns);
      const auto size = x.size() * static_cast<std::size_t>(width);
      const BufferId from = bufferOf(x), to = bufferOf(std::vector<int>(size, -7));
      const std::vector<muster_dim> dims = {{0, 1, height}, {0, 1, columns}};
      for (const auto& [lo, hi] : {std::pair(0, 1), std::pair(1, height)})
        expectRuns(launchN(fillShort(), dims, lo, hi, {{from, 0}, {to, 0}}, {&columns, &width}));
      const std::vector<int> y = contents<int>(to, size);
      for (std::size_t at = 0; at < size; ++at)
        ASSERT_EQ(y[at], x[at / static_cast<std::size_t>(width)] + static_cast<int>(at) % width)
            << width << " at " << at;
    }
}

TEST_P(Conformance, BlocksBeginWhereAccessesAreAligned) {
  // Columns begin anywhere. Arrays of a chunk that begin two elements later are not aligned.
  constexpr std::int64_t height = 23;
  for (const std::int32_t width : {64, 66, 5, 68})
    for (const std::int64_t begin : {0, 1, 3, 4})
      for (const std::int64_t shift : {0, 2, 4}) {
        const std::int64_t columns = width - begin - 1, count = height * width;
        const std::vector<int> x = ramp(count + shift);
        const BufferId from = bufferOf(x), to = bufferOf(std::vector<int>(x.size(), 100));
        const std::vector<muster_dim> dims = {{0, 1, height}, {begin, 1, columns}};
        const std::vector<ArrayArg> arrays = {{from, shift * 4}, {to, shift * 4}};
        expectRuns(launchN(blocks(), dims, 0, 7, arrays, {&width}));
        expectRuns(launchN(blocks(), dims, 7, height, arrays, {&width}));
        const std::vector<int> y = contents<int>(to, x.size());
        for (std::int64_t at = 0; at < count; ++at) {
          const bool isIn = at % width >= begin && at % width < begin + columns;
          ASSERT_EQ(y[static_cast<std::size_t>(at + shift)],
                    100 + (isIn ? 3 * x[static_cast<std::size_t>(at + shift)] : 0))
              << width << " from " << begin << ", shifted by " << shift << ", at " << at;
        }
      }
}

TEST_P(Conformance, BlocksThatReadAheadNeedArraysApart) {
  constexpr std::int64_t height = 24, width = 64;
  const std::vector<int> x = ramp(height * width);
  const BufferId both = bufferOf(x);
  const std::int32_t columns = width;
  expectRuns(launchN(blocks(), {{0, 1, height}, {0, 1, width}}, 0, height, {{both, 0}, {both, 0}}, {&columns}));
  const std::vector<int> y = contents<int>(both, x.size());
  for (std::size_t at = 0; at < x.size(); ++at) ASSERT_EQ(y[at], 4 * x[at]) << at;
}

TEST_P(Conformance, UpdatesAreCollected) {
  for (const std::int64_t count : {1, 1000, 200000}) {  // few are not worth it
    std::vector<int> expected(7, 100);
    for (int x : ramp(count)) expected[static_cast<std::size_t>(x % 5) + 1] += x % 3;
    const BufferId from = bufferOf(ramp(count)), to = bufferOf(std::vector<int>(7, 100));
    expectRuns(launch1(histogram(), {0, 1, count}, 0, count / 3, {{from, 0}, {to, 4}}));
    expectRuns(launch1(histogram(), {0, 1, count}, count / 3, count, {{from, 0}, {to, 4}}));
    EXPECT_EQ(contents<int>(to, 7), expected) << count;
  }
}

// Of a large buffer the launch may touch the first elements alone, which fit into local memory.
TEST_P(Conformance, UpdatesAreCollectedOfWhatIsTouched) {
  const std::int64_t count = 200000;
  std::vector<int> expected = ramp(100000);
  for (int x : ramp(count)) expected[static_cast<std::size_t>(x % 5) + 1] += x % 3;
  const BufferId from = bufferOf(ramp(count)), to = bufferOf(ramp(100000));
  expectRuns(launch1(histogram(), {0, 1, count}, 0, count, {{from, 0}, {to, 4, 4, 24}}));
  EXPECT_EQ(contents<int>(to, 100000), expected);
}

TEST_P(Conformance, EmptyChunksDoNothing) {
  const BufferId buffer = bufferOf(ramp(10));
  expectRuns(launch1(increment(), {0, 1, 10}, 4, 4, {{buffer, 0}}));
  expectRuns(launch1(increment(), {0, 1, 0}, 0, 0, {{buffer, 0}}));
  EXPECT_EQ(contents<int>(buffer, 10), ramp(10));
}

TEST_P(Conformance, EmptyInnerLoopDoesNothing) {
  const std::int64_t width = 8;
  const BufferId from = bufferOf(ramp(64)), to = bufferOf(ramp(64));
  expectRuns(launchN(neighbours(), {{1, 1, 6}, {1, 1, 0}}, 0, 6, {{from, 0}, {to, 0}}, {&width}));
  EXPECT_EQ(contents<int>(to, 64), ramp(64));
}

TEST_P(Conformance, OneBufferForTwoArrays) {
  const int s = 1;
  const BufferId buffer = bufferOf(ramp(100));
  expectRuns(launch1(addScalar<int>(), {0, 1, 50}, 0, 50, {{buffer, 0}, {buffer, 200}}, {&s}));
  std::vector<int> expected = ramp(100);
  for (std::size_t i = 0; i < 50; ++i) expected[i + 50] = expected[i] + 1;
  EXPECT_EQ(contents<int>(buffer, 100), expected);
}

TEST_P(Conformance, UntouchedArrayNeedsNoBuffer) {
  const std::int64_t width = 8;
  // The inner loop is empty, so neither array is touched.
  expectRuns(launchN(neighbours(), {{1, 1, 6}, {1, 1, 0}}, 0, 6, {{0, 0}, {0, 0}}, {&width}));
}

TEST_P(Conformance, LaunchesAndTransfersKeepTheirOrder) {
  const std::vector<int> start(500, 0), reset(500, 100);
  const BufferId a = allocate(2000), b = allocate(2000);
  std::vector<int> first(500), second(500);
  expectOk(device().write(a, 0, start.data(), 2000).status());
  for (int i = 0; i < 3; ++i) expectOk(launch1(increment(), {0, 1, 500}, 0, 500, {{a, 0}}).status());
  expectOk(device().copy(a, 0, b, 0, 2000).status());
  expectOk(device().write(a, 0, reset.data(), 2000).status());
  expectOk(launch1(increment(), {0, 1, 500}, 0, 500, {{a, 0}}).status());
  expectOk(device().read(b, 0, first.data(), 2000).status());
  expectOk(device().read(a, 0, second.data(), 2000).status());
  expectOk(device().finish());
  EXPECT_EQ(first, std::vector<int>(500, 3));
  EXPECT_EQ(second, std::vector<int>(500, 101));
}

TEST_P(Conformance, ScalarsAreReadDuringTheCall) {
  const BufferId from = bufferOf(std::vector<int>(10, 0)), to = allocate(40);
  {
    auto s = std::make_unique<int>(42);
    expectOk(launch1(addScalar<int>(), {0, 1, 10}, 0, 10, {{from, 0}, {to, 0}}, {s.get()}).status());
    *s = 0;
  }
  EXPECT_EQ(contents<int>(to, 10), std::vector<int>(10, 42));
}

TEST_P(Conformance, ManyLaunchesWithoutAWait) {
  const BufferId buffer = bufferOf(std::vector<int>(10, 0));
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(launch1(increment(), {0, 1, 10}, 0, 10, {{buffer, 0}}).ok());
  EXPECT_EQ(contents<int>(buffer, 10), std::vector<int>(10, 5000));
}

TEST_P(Conformance, BufferMayBeReleasedWhileInUse) {
  const BufferId a = allocate(4000), b = allocate(4000);
  const std::vector<int> values = ramp(1000);
  expectOk(device().write(a, 0, values.data(), 4000).status());
  expectOk(launch1(increment(), {0, 1, 1000}, 0, 1000, {{a, 0}}).status());
  expectOk(device().copy(a, 0, b, 0, 4000).status());
  expectOk(device().release(a));
  std::vector<int> expected = values;
  for (int& value : expected) ++value;
  EXPECT_EQ(contents<int>(b, 1000), expected);
}

// A driver may give a buffer the handle of one that is gone.
TEST_P(Conformance, LaunchesFollowBuffersThatComeAndGo) {
  for (int round = 0; round < 20; ++round) {
    const BufferId kept = bufferOf(std::vector<int>(10, round)), passing = bufferOf(std::vector<int>(10, 100));
    for (const BufferId buffer : {kept, passing, kept})
      expectOk(launch1(increment(), {0, 1, 10}, 0, 10, {{buffer, 0}}).status());
    expectOk(device().finish());
    expectOk(device().release(passing));
    const BufferId next = bufferOf(std::vector<int>(10, 200));
    expectOk(launch1(increment(), {0, 1, 10}, 0, 10, {{next, 0}}).status());
    EXPECT_EQ(contents<int>(kept, 10), std::vector<int>(10, round + 2));
    EXPECT_EQ(contents<int>(next, 10), std::vector<int>(10, 201));
    expectOk(device().release(kept));
    expectOk(device().release(next));
  }
}

// What is the same as at the last launch is not set again, and what is not, is.
TEST_P(Conformance, LaunchesOfOneKernelWithOtherArguments) {
  const BufferId from = bufferOf(ramp(100)), to = allocate(400);
  for (const int s : {5, 5, 6, 5}) {
    for (const std::int64_t lo : {0, 50}) {
      expectOk(device().fill(to, 0, std::byte{0}, 400).status());
      expectOk(launch1(addScalar<int>(), {0, 1, 100}, lo, 100, {{from, 0}, {to, 0}}, {&s}).status());
      std::vector<int> expected(100, 0);
      for (std::int64_t i = lo; i < 100; ++i)
        expected[static_cast<std::size_t>(i)] = ramp(100)[static_cast<std::size_t>(i)] + s;
      EXPECT_EQ(contents<int>(to, 100), expected);
    }
  }
}

TEST_P(Conformance, PrepareCompilesAhead) {
  expectOk(device().prepare(increment()));
  const BufferId buffer = bufferOf(ramp(10));
  expectRuns(launch1(increment(), {0, 1, 10}, 0, 10, {{buffer, 0}}));
  EXPECT_EQ(contents<int>(buffer, 1)[0], 1);
}

TEST_P(Conformance, BrokenTextIsABuildFailureWithTheLog) {
  const BufferId buffer = bufferOf(ramp(10));
  const Status prepared = device().prepare(brokenText());
  const Result<Event> launched = launch1(brokenText(), {0, 1, 10}, 0, 10, {{buffer, 0}});
  if (!GetParam().runsOpenClText) {  // what does not run the text does not mind
    expectOk(prepared);
    expectRuns(launched);
    return;
  }
  expectError(prepared, Errc::buildFailed, "kernels.cpp:1");
  expectError(prepared, Errc::buildFailed, "error");  // the compiler's log
  expectError(launched.status(), Errc::buildFailed, "broken_text");
  // Other kernels still run.
  expectRuns(launch1(increment(), {0, 1, 10}, 0, 10, {{buffer, 0}}));
}

TEST_P(Conformance, KernelThatIsNotInItsTextIsABuildFailure) {
  if (GetParam().runsOpenClText)
    expectError(device().prepare(wrongName()), Errc::buildFailed, "wrong_name");
  else
    expectOk(device().prepare(wrongName()));
}

TEST_P(Conformance, KernelNeedsCodeForTheDevice) {
  const KernelCode& missing = GetParam().runsOpenClText ? nativeOnly() : openclOnly();
  const KernelCode& enough = GetParam().runsOpenClText ? openclOnly() : nativeOnly();
  expectOk(device().prepare(enough));
  expectError(device().prepare(missing), Errc::unsupported, missing.name);
  const BufferId buffer = allocate(40);
  expectError(launch1(missing, {0, 1, 10}, 0, 10, {{buffer, 0}}).status(), Errc::unsupported, missing.name);
}

TEST_P(Conformance, LaunchChecksItsShape) {
  const BufferId buffer = allocate(40);
  const std::vector<ArrayArg> arrays = {{buffer, 0}};
  KernelLaunch none;
  expectError(device().launch(none).status(), Errc::invalidArgument, "no kernel");
  expectError(launchN(increment(), {}, 0, 0, arrays).status(), Errc::invalidArgument, "dimensions");
  expectError(launchN(increment(), {{0, 1, 10}, {0, 1, 1}}, 0, 10, arrays).status(), Errc::invalidArgument,
              "dimensions");
  expectError(launch1(increment(), {0, 0, 10}, 0, 10, arrays).status(), Errc::invalidArgument, "step 0");
  expectError(launch1(increment(), {0, 1, -1}, 0, 0, arrays).status(), Errc::invalidArgument, "count -1");
  expectError(launch1(increment(), {0, 1, 10}, -1, 5, arrays).status(), Errc::invalidArgument, "[-1,5)");
  expectError(launch1(increment(), {0, 1, 10}, 5, 4, arrays).status(), Errc::invalidArgument, "[5,4)");
  expectError(launch1(increment(), {0, 1, 10}, 0, 11, arrays).status(), Errc::invalidArgument, "[0,11)");
}

TEST_P(Conformance, LaunchChecksItsArguments) {
  const BufferId buffer = allocate(40);
  const int s = 1;
  const muster_dim dim = {0, 1, 10};
  expectError(launch1(increment(), dim, 0, 10, {}).status(), Errc::invalidArgument, "0 arrays");
  expectError(launch1(increment(), dim, 0, 10, {{buffer, 0}}, {&s}).status(), Errc::invalidArgument, "1 scalars");
  expectError(launch1(increment(), dim, 0, 10, {{buffer + 100, 0}}).status(), Errc::invalidArgument, "no buffer");
  expectError(launch1(addScalar<int>(), dim, 0, 10, {{buffer, 0}, {buffer, 0}}, {nullptr}).status(),
              Errc::invalidArgument, "scalar s");
  const std::int64_t width = 1;
  expectError(launchN(lastIndex(), {dim, dim}, 0, 10, {{buffer, 0}}, {&width}, {nullptr}).status(),
              Errc::invalidArgument, "result last");
  expectError(launchN(lastIndex(), {dim, dim}, 0, 10, {{buffer, 0}}, {&width}).status(), Errc::invalidArgument,
              "0 results");
}

}  // namespace muster::cdm::test
