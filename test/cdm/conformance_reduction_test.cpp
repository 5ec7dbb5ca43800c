// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conformance: results of kernels. Values are such that every order of combining gives the same bits.
#include <cstdint>
#include <limits>

#include "conformance.h"
#include "kernels/identity.h"

namespace muster::cdm::test {

namespace {

constexpr std::size_t awkward[] = {1, 2, 255, 256, 257, 1000, 4097, 100003};

// Small whole numbers of both signs (for unsigned types: all bits), so that sums of floats are exact.
template <class T>
std::vector<Stored<T>> mixedValues(std::size_t count) {
  std::vector<Stored<T>> values(count);
  std::uint32_t seed = 7;
  for (auto& value : values) {
    seed = seed * 1664525u + 1013904223u;
    const auto number = static_cast<std::int32_t>(seed >> 16) % 17 - 8;
    value = std::is_same_v<T, bool> ? Stored<T>(number > 0) : static_cast<Stored<T>>(number);
  }
  return values;
}

// Mostly 1, a few 2s and a 3: their product fits into every type.
template <class T>
std::vector<Stored<T>> factors(std::size_t count, bool withZero) {
  std::vector<Stored<T>> values(count, 1);
  if constexpr (!std::is_same_v<T, bool>) {
    for (std::size_t i = 1; i <= 4; ++i) values[count * i / 5] = 2;
    values[count / 7] = 3;
  }
  if (withZero) values[count / 2] = 0;
  return values;
}

template <class T>
T expectedOf(ResultKind kind, const std::vector<Stored<T>>& x, const std::vector<Stored<T>>& m, std::size_t lo,
             std::size_t hi) {
  KernelCode::ResultParam param;
  param.kind = kind;
  param.type = scalarType<T>();
  T result{};
  EXPECT_TRUE(writeIdentity(param, &result).ok());
  const bool second = kind == ResultKind::mul || kind == ResultKind::logAnd || kind == ResultKind::logOr;
  for (std::size_t i = lo; i < hi; ++i) result = apply(kind, result, static_cast<T>(second ? m[i] : x[i]));
  return result;
}

}  // namespace

// Runs all kinds on all sizes, whole and as a chunk in the middle, with and without a zero.
template <class T>
void checkReductions(Conformance& test) {
  const std::vector<ResultKind> kinds = reductionKinds<T>();
  for (std::size_t size : awkward)
    for (bool withZero : {false, true}) {
      const auto x = mixedValues<T>(size), m = factors<T>(size, withZero);
      const BufferId a = test.bufferOf(x), b = test.bufferOf(m);
      for (const auto& [lo, hi] : {std::pair<std::size_t, std::size_t>{0, size}, {size / 3, size - size / 4}, {0, 0}}) {
        std::vector<Stored<T>> results(kinds.size(), 99);
        std::vector<void*> places;
        for (auto& result : results) places.push_back(&result);
        test.expectRuns(test.launch1(reduceAll<T>(), {0, 1, static_cast<std::int64_t>(size)},
                                     static_cast<std::int64_t>(lo), static_cast<std::int64_t>(hi), {{a, 0}, {b, 0}}, {},
                                     places));
        for (std::size_t i = 0; i < kinds.size(); ++i)
          ASSERT_EQ(static_cast<T>(results[i]), (expectedOf<T>(kinds[i], x, m, lo, hi)))
              << "kind " << static_cast<int>(kinds[i]) << ", size " << size << ", [" << lo << "," << hi << ")";
      }
    }
}

#define MUSTER_REDUCTION(T, NAME) \
  TEST_P(Conformance, ReductionsOf##NAME) { checkReductions<T>(*this); }
MUSTER_REDUCTION(bool, Bool)
MUSTER_REDUCTION(std::int8_t, I8)
MUSTER_REDUCTION(std::uint8_t, U8)
MUSTER_REDUCTION(std::int16_t, I16)
MUSTER_REDUCTION(std::uint16_t, U16)
MUSTER_REDUCTION(std::int32_t, I32)
MUSTER_REDUCTION(std::uint32_t, U32)
MUSTER_REDUCTION(std::int64_t, I64)
MUSTER_REDUCTION(std::uint64_t, U64)
MUSTER_REDUCTION(float, F32)
MUSTER_REDUCTION(double, F64)

TEST_P(Conformance, ReductionOverThreeDimensions) {
  struct Shape {
    std::int64_t a, b, c;
  };
  for (const Shape& shape : {Shape{1, 1, 1}, {3, 5, 7}, {70, 3, 129}, {2, 301, 33}}) {
    const auto& [a, b, c] = shape;
    std::vector<std::int64_t> x(static_cast<std::size_t>(a * b * c));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i * i % 1009);
    const BufferId buffer = bufferOf(x);
    for (const auto& [lo, hi] : {std::pair<std::int64_t, std::int64_t>{0, a}, {a / 2, a}, {0, a / 2}}) {
      std::int64_t sum = -1, last = -1, expected = 0;
      expectRuns(launchN(sum3d(), {{0, 1, a}, {0, 1, b}, {0, 1, c}}, lo, hi, {{buffer, 0}}, {&b, &c}, {&sum, &last}));
      for (std::int64_t i = lo * b * c; i < hi * b * c; ++i) expected += x[static_cast<std::size_t>(i)];
      EXPECT_EQ(sum, expected) << a << "x" << b << "x" << c << " [" << lo << "," << hi << ")";
      if (hi == a && lo < hi) EXPECT_EQ(last, a * b * c - 1);
    }
  }
}

TEST_P(Conformance, ReductionOverAnEmptyInnerLoopIsTheIdentity) {
  const std::int64_t b = 0, c = 4;
  const BufferId buffer = allocate(8);
  std::int64_t sum = -1, last = -1;
  expectRuns(launchN(sum3d(), {{0, 1, 5}, {0, 1, b}, {0, 1, c}}, 0, 5, {{buffer, 0}}, {&b, &c}, {&sum, &last}));
  EXPECT_EQ(sum, 0);
}

TEST_P(Conformance, LastPrivateIsThatOfTheLastIteration) {
  constexpr std::int64_t height = 33, width = 70;
  const BufferId buffer = allocate(height * width * 4);
  const std::vector<muster_dim> dims = {{height - 1, -1, height}, {0, 2, width / 2}};  // ends at row 0
  std::int64_t last = -1;
  expectRuns(launchN(lastIndex(), dims, 20, height, {{buffer, 0}}, {&width}, {&last}));
  EXPECT_EQ(last, width - 2);
  // The chunk without the last iteration does its work; its value is nobody's.
  expectRuns(launchN(lastIndex(), dims, 0, 20, {{buffer, 0}}, {&width}, {&last}));
  const std::vector<int> y = contents<int>(buffer, height * width);
  for (std::size_t i = 0; i < height; ++i)
    for (std::size_t j = 0; j < width; j += 2) ASSERT_EQ(y[i * width + j], static_cast<int>(i + j));
}

TEST_P(Conformance, ResultsOfManyLaunchesDoNotMix) {
  const std::vector<std::int64_t> x(1000, 1);
  const BufferId buffer = bufferOf(x);
  const std::int64_t one = 1;
  std::vector<std::int64_t> sums(200, -1), lasts(200, -1);
  for (std::size_t i = 0; i < sums.size(); ++i)
    expectOk(launchN(sum3d(), {{0, 1, static_cast<std::int64_t>(i) + 1}, {0, 1, 1}, {0, 1, 1}}, 0,
                     static_cast<std::int64_t>(i) + 1, {{buffer, 0}}, {&one, &one}, {&sums[i], &lasts[i]})
                 .status());
  expectOk(device().finish());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    ASSERT_EQ(sums[i], static_cast<std::int64_t>(i) + 1);
    ASSERT_EQ(lasts[i], static_cast<std::int64_t>(i));
  }
}

// Of any work-item, of chunks in the middle, too; what one launch left is not in the next one's.
TEST_P(Conformance, ProgramEnds) {
  constexpr std::int64_t count = 100003;
  std::vector<int> x(count, 1);
  x[70001] = -1;
  const BufferId buffer = bufferOf(x);
  const auto endOf = [&](std::int64_t lo, std::int64_t hi) {
    End end;
    expectRuns(launch1(endsAtNegative(), {0, 1, count}, lo, hi, {{buffer, 0}}, {}, {&end}));
    return end;
  };
  EXPECT_EQ(endOf(0, count).code, 70001);
  EXPECT_EQ(endOf(0, count).how, 1);
  EXPECT_EQ(endOf(0, 70001).how, 0);
  EXPECT_EQ(endOf(60000, 80000).code, 70001);
  EXPECT_EQ(endOf(70002, count).how, 0);
  EXPECT_EQ(endOf(70001, 70001).how, 0);
}

}  // namespace muster::cdm::test
