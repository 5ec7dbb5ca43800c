// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diffs as bytes: round trips at every density, their size, and that nothing malformed gets through.
#include "merge/diff.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

namespace muster::cap {
namespace {

struct Sample {
  DiffShape shape;
  std::vector<std::uint32_t> positions;
  cdm::Bytes values;
  [[nodiscard]] Changes changes() const { return {positions, values}; }
};

Sample sampleOf(DiffShape shape, std::vector<std::uint32_t> positions, unsigned seed = 1) {
  Sample sample{shape, std::move(positions), {}};
  std::mt19937 random(seed);
  sample.values.resize(sample.positions.size() * shape.elemSize);
  for (std::byte& value : sample.values) value = static_cast<std::byte>(random());
  return sample;
}

cdm::Bytes encoded(const Sample& sample) {
  cdm::Bytes bytes;
  appendDiff(bytes, sample.shape, sample.changes());
  return bytes;
}

void expectRoundTrip(const Sample& sample) {
  const cdm::Bytes bytes = encoded(sample);
  std::span<const std::byte> from(bytes);
  const auto decoded = takeDiff(from, sample.shape);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_TRUE(from.empty());
  ASSERT_EQ(decoded->positions, sample.positions);
  EXPECT_TRUE(std::equal(decoded->values.begin(), decoded->values.end(), sample.values.begin(), sample.values.end()));
  EXPECT_LE(bytes.size(), maxDiffBytes(sample.shape));
}

void expectSmall(const Sample& sample, const std::string& what) {
  const double changed = static_cast<double>(sample.values.size());
  const double full = static_cast<double>(sample.shape.elements) * sample.shape.elemSize;
  EXPECT_LE(static_cast<double>(encoded(sample).size()), 2 * changed + 0.05 * full + 64)
      << what << ": " << sample.positions.size() << " of " << sample.shape.elements << " elements of "
      << sample.shape.elemSize << " bytes";
}

std::vector<std::uint32_t> scattered(std::uint32_t elements, double density, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i < elements; ++i) {
    if (random() < density * 0x1p32) positions.push_back(i);
  }
  return positions;
}

constexpr double kDensities[] = {0,    0.00001, 0.0001, 0.001, 0.003, 0.004, 0.005, 0.01, 0.02, 0.05,
                                 0.08, 0.1,     0.125,  0.2,   0.3,   0.5,   0.7,   0.9,  0.99, 1};

TEST(Diff, ScatteredChangesOfEveryDensityAndSizeStaySmallAndSurvive) {
  for (std::uint32_t elemSize = 1; elemSize <= 16; ++elemSize) {
    for (const double density : kDensities) {
      const Sample sample = sampleOf({200001, elemSize}, scattered(200001, density, elemSize));
      expectRoundTrip(sample);
      expectSmall(sample, "scattered");
    }
  }
}

TEST(Diff, RegularChangesStaySmallAndSurvive) {
  for (const std::uint32_t elemSize : {1u, 2u, 3u, 4u, 8u, 12u, 16u}) {
    for (const std::uint32_t stride :
         {1u, 2u, 3u, 7u, 8u, 9u, 17u, 64u, 254u, 255u, 256u, 257u, 1000u, 65536u, 70000u}) {
      std::vector<std::uint32_t> positions;
      for (std::uint32_t i = stride / 2; i < 300000; i += stride) positions.push_back(i);
      const Sample sample = sampleOf({300000, elemSize}, positions);
      expectRoundTrip(sample);
      expectSmall(sample, "stride " + std::to_string(stride));
    }
    for (const std::uint32_t length : {1u, 2u, 5u, 40u, 1000u, 65536u, 65537u}) {
      std::vector<std::uint32_t> positions;
      for (std::uint32_t i = 10; i + length < 400000; i += 2 * length) {
        for (std::uint32_t k = 0; k < length; ++k) positions.push_back(i + k);
      }
      const Sample sample = sampleOf({400000, elemSize}, positions);
      expectRoundTrip(sample);
      expectSmall(sample, "runs of " + std::to_string(length));
    }
  }
}

TEST(Diff, SmallSetsOfElementsSurvive) {
  for (const std::uint32_t elements : {0u, 1u, 2u, 7u, 8u, 9u, 63u, 64u, 65u, 65535u, 65536u, 65537u}) {
    expectRoundTrip(sampleOf({elements, 4}, {}));
    if (elements == 0) continue;
    expectRoundTrip(sampleOf({elements, 4}, {0}));
    expectRoundTrip(sampleOf({elements, 4}, {elements - 1}));
    std::vector<std::uint32_t> all(elements);
    std::iota(all.begin(), all.end(), 0u);
    const Sample sample = sampleOf({elements, 1}, all);
    expectRoundTrip(sample);
    expectSmall(sample, "all");
  }
}

TEST(Diff, ALargeSetWithFewChangesTakesFewBytes) {
  const Sample sample = sampleOf({maxDiffElements, 8}, {0, 5, maxDiffElements / 2, maxDiffElements - 1});
  expectRoundTrip(sample);
  EXPECT_LT(encoded(sample).size(), 150u);
}

TEST(Diff, SeveralFollowOneAnother) {
  cdm::Bytes bytes;
  const Sample first = sampleOf({100, 2}, {3, 4, 5}), second = sampleOf({70000, 8}, {69999});
  appendDiff(bytes, first.shape, first.changes());
  appendDiff(bytes, second.shape, second.changes());
  std::span<const std::byte> from(bytes);
  EXPECT_EQ(takeDiff(from, first.shape)->positions, first.positions);
  EXPECT_EQ(takeDiff(from, second.shape)->positions, second.positions);
  EXPECT_TRUE(from.empty());
}

std::vector<Sample> oneOfEachWay() {
  return {sampleOf({100000, 4}, {5, 6, 7, 8, 70000, 70001, 70002}), sampleOf({100000, 4}, {5, 300, 301, 900, 99999}),
          sampleOf({100000, 4}, scattered(100000, 0.4, 3))};
}

TEST(Diff, EveryTruncationIsRefused) {
  for (const Sample& sample : oneOfEachWay()) {
    const cdm::Bytes bytes = encoded(sample);
    const std::size_t step = bytes.size() < 1000 ? 1 : bytes.size() / 997;
    for (std::size_t length = 0; length < bytes.size(); length += step) {
      std::span<const std::byte> from(bytes.data(), length);
      const auto decoded = takeDiff(from, sample.shape);
      ASSERT_FALSE(decoded.ok()) << "cut to " << length;
      EXPECT_EQ(decoded.status().code(), Errc::protocol);
    }
  }
}

TEST(Diff, AnotherShapeIsRefused) {
  const Sample sample = sampleOf({1000, 4}, {1, 2, 3});
  const cdm::Bytes bytes = encoded(sample);
  for (const DiffShape shape : {DiffShape{999, 4}, DiffShape{1000, 8}}) {
    std::span<const std::byte> from(bytes);
    EXPECT_EQ(takeDiff(from, shape).status().code(), Errc::protocol);
  }
}

// Damage is refused, or gives ascending positions that are there.
TEST(Diff, DamagedBytesNeverGivePositionsThatAreNotThere) {
  std::mt19937 random(11);
  for (const Sample& sample : oneOfEachWay()) {
    const cdm::Bytes good = encoded(sample);
    for (int round = 0; round < 4000; ++round) {
      cdm::Bytes bad = good;
      const std::size_t near = round % 2 == 0 ? std::min<std::size_t>(bad.size(), 60) : bad.size();
      for (unsigned i = 0; i <= random() % 3; ++i) bad[random() % near] = static_cast<std::byte>(random());
      std::span<const std::byte> from(bad);
      const auto decoded = takeDiff(from, sample.shape);
      if (!decoded.ok()) continue;
      ASSERT_EQ(decoded->values.size(), decoded->positions.size() * sample.shape.elemSize);
      for (std::size_t i = 0; i < decoded->positions.size(); ++i) {
        ASSERT_LT(decoded->positions[i], sample.shape.elements);
        if (i > 0) ASSERT_LT(decoded->positions[i - 1], decoded->positions[i]);
      }
    }
  }
}

}  // namespace
}  // namespace muster::cap
