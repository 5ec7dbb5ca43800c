// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands as bytes: round trips, exact bytes of one, and that nothing malformed gets through.
#include "protocol/protocol.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace muster::rt::protocol {
namespace {

Launch someLaunch() {
  Launch launch;
  launch.kernel = 0x1234567890abcdef;
  launch.nativeOnly = true;
  launch.floatMode = 0x6000;
  launch.steps = 7;
  launch.dims = {{1, 1, 100}, {-5, 2, 7}};
  launch.forms = {1, 2, 3, -4};
  launch.arrays = {{3, 17, false}, {Launch::kNotManaged, 0, false}, {5, 0, true}};
  launch.scalars = {{std::byte{1}, std::byte{2}}, {}, {std::byte{9}}};
  launch.part = {2, 10, 30, 5};
  launch.weights = {0.25, 0.75};
  return launch;
}

std::vector<Command> everyCommand() {
  return {CreateArray{7, 8, 1000, "u (a.cpp:3)"},
          ReleaseArray{7},
          someLaunch(),
          HostAccess{7, cap::IntervalSet{{10, 20}, {30, 31}}, cap::HostMode::overwrite},
          Evict{{{7, 2, 0, 10, 20}, {8, 3, 5, 0, 0}}},
          Weights{{1.0, 0.25}, 0.1, {0xabc, 0xdef}},
          Measure{},
          Shutdown{}};
}

TEST(Protocol, EveryCommandSurvivesTheWay) {
  ASSERT_EQ(everyCommand().size(), std::variant_size_v<Command>);
  std::uint64_t sequence = 41;
  for (const Command& command : everyCommand()) {
    const auto decoded = decode(encode(command, ++sequence));
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_EQ(decoded->sequence, sequence);
    EXPECT_TRUE(decoded->command == command) << "type " << command.index();
  }
}

TEST(Protocol, BytesOfACommandAreFixed) {
  const cdm::Bytes bytes = encode(HostAccess{0x01020304, cap::IntervalSet{{5, 6}}, cap::HostMode::write}, 7);
  const unsigned char expected[] = {0x4d, 0x53, 0x54, 0x52, 1, 0, 3, 0, 49, 0, 0, 0, 0, 0, 0, 0, 7,
                                    0,    0,    0,    0,    0, 0, 0, 4, 3,  2, 1, 1, 0, 0, 0, 5, 0,
                                    0,    0,    0,    0,    0, 0, 6, 0, 0,  0, 0, 0, 0, 0, 1};
  ASSERT_EQ(bytes.size(), sizeof expected);
  EXPECT_EQ(std::memcmp(bytes.data(), expected, sizeof expected), 0);
}

TEST(Protocol, EveryTruncationIsRefused) {
  for (const Command& command : everyCommand()) {
    cdm::Bytes bytes = encode(command, 1);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      cdm::Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      const auto decoded = decode(cut);
      ASSERT_FALSE(decoded.ok()) << "type " << command.index() << " cut to " << length;
      EXPECT_EQ(decoded.status().code(), Errc::protocol);
      // Also with a length field that says that this is all.
      if (length < 16) continue;
      const std::uint64_t size = length;
      std::memcpy(cut.data() + 8, &size, sizeof size);
      EXPECT_FALSE(decode(cut).ok()) << "type " << command.index() << " cut to " << length;
    }
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode(bytes).ok()) << "one byte too many";
  }
}

TEST(Protocol, OtherVersionsTypesAndMagicsAreRefused) {
  const cdm::Bytes good = encode(Shutdown{}, 1);
  for (const std::size_t at : {std::size_t{0}, std::size_t{4}, std::size_t{6}}) {
    cdm::Bytes bad = good;
    bad[at] = std::byte{0x77};
    EXPECT_FALSE(decode(bad).ok()) << at;
  }
}

TEST(Protocol, RandomBytesNeverCrashTheDecoder) {
  std::mt19937 random(1);
  for (const Command& command : everyCommand()) {
    const cdm::Bytes good = encode(command, 1);
    for (int i = 0; i < 3000; ++i) {
      cdm::Bytes bad = good;
      for (unsigned k = 0; k < 1 + random() % 4; ++k) bad[random() % bad.size()] = static_cast<std::byte>(random());
      const auto decoded = decode(bad);  // what is accepted must be what its bytes say
      if (decoded.ok()) {
        EXPECT_EQ(encode(decoded->command, decoded->sequence), bad);
      }
    }
  }
}

TEST(Protocol, HelloAndDevicesSurviveTheWay) {
  const Hello hello{1, "aa", "bb", "host", {{"MUSTER_INFO", "1"}, {"MUSTER_DEVICES", "cpu"}}};
  const auto decodedHello = decodeHello(encode(hello));
  ASSERT_TRUE(decodedHello.ok());
  EXPECT_TRUE(*decodedHello == hello);
  cdm::DeviceInfo card{"NVIDIA H100 80GB HBM3",
                       "NVIDIA",
                       "550.54",
                       "opencl",
                       cdm::DeviceKind::gpu,
                       85899345920,
                       21474836480,
                       132,
                       false,
                       true,
                       "0000:01:00.0",
                       "opencl:1"};
  const RankDevices devices{"", 4, {0, 5}, {{card, 1.5, 2.5, 3.5}, {{}, 0, 0, 0}}, {{"GPU", "no driver"}}};
  const auto decodedDevices = decodeRankDevices(encode(devices));
  ASSERT_TRUE(decodedDevices.ok());
  EXPECT_TRUE(*decodedDevices == devices);
  for (const cdm::Bytes& whole : {encode(hello), encode(devices)}) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const std::span<const std::byte> cut(whole.data(), length);
      EXPECT_FALSE(decodeHello(cut).ok());
      EXPECT_FALSE(decodeRankDevices(cut).ok());
    }
  }
}

TEST(Protocol, MeasurementsHaveOneSizeAndSurviveTheWay) {
  std::vector<KernelTime> times;
  for (std::uint32_t i = 0; i < maxMeasured + 3; ++i) times.push_back({i + 1, i, 2, 3 * i, 4 * i});
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, maxMeasured, maxMeasured + 3}) {
    const cdm::Bytes bytes = encodeMeasured(std::span(times).first(count));
    EXPECT_EQ(bytes.size(), measuredBytes);
    const auto decoded = decodeMeasured(bytes);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    times.resize(std::max(times.size(), count));
    EXPECT_TRUE(std::equal(decoded->begin(), decoded->end(), times.begin()));
    EXPECT_EQ(decoded->size(), std::min(count, maxMeasured));
  }
}

TEST(Protocol, MeasurementsAndTotalsThatAreWrongAreRefused) {
  const std::vector<KernelTime> times = {{1, 2, 3, 4, 5}};
  const cdm::Bytes good = encodeMeasured(times);
  EXPECT_FALSE(decodeMeasured(std::span(good).first(good.size() - 1)).ok());
  for (const std::size_t at : {std::size_t{0}, std::size_t{4}, std::size_t{6}, good.size() - 1}) {
    cdm::Bytes bad = good;
    bad[at] = std::byte{0x77};
    EXPECT_FALSE(decodeMeasured(bad).ok()) << at;
  }
  const RankTotals totals{times, {{1, 2, 3, 4}}};
  const cdm::Bytes whole = encode(totals);
  const auto decoded = decodeRankTotals(whole);
  ASSERT_TRUE(decoded.ok());
  EXPECT_TRUE(*decoded == totals);
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(decodeRankTotals(std::span(whole).first(length)).ok());
}

}  // namespace
}  // namespace muster::rt::protocol
