// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The remote protocol as bytes: what is encoded comes back, and nothing else is accepted or read out of bounds (the
// sanitizers watch).
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "backends/remote/protocol.h"
#include "backends/remote/wire.h"
#include "muster/cdm/remote.h"

namespace muster::cdm::remote::test {
namespace {

Bytes bytesOf(std::initializer_list<int> values) {
  Bytes bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

LaunchCall someLaunch() {
  LaunchCall launch;
  launch.kernel = 0x1234567890ABCDEF;
  launch.dims = {{-3, 2, 100}, {1000, -1, 50}};
  launch.lo = 10;
  launch.hi = 20;
  launch.arrays = {{7, -4096, 16, 32}, {8, 0}, {0, 1}};
  launch.scalars = {bytesOf({1, 2, 3, 4, 5, 6, 7, 8}), {}, bytesOf({255})};
  launch.resultSizes = {8, 1, 4};
  return launch;
}

std::vector<Call> someCalls() {
  std::vector<Call> calls;
  const CallBody bodies[] = {
      AllocateCall{1u << 20}, ReleaseCall{3},  WriteCall{4, 5, 6}, ReadCall{7, 8, 9}, CopyCall{1, 2, 3, 4, 5},
      FillCall{1, 2, 3, 4},   PrepareCall{99}, someLaunch(),       FinishCall{}};
  for (const CallBody& body : bodies) calls.push_back({3, 2, 77 + calls.size(), body});
  return calls;
}

// Two decoded calls are equal if their bytes are: encode is a function of all members.
TEST(RemoteProtocol, CallsComeBack) {
  std::set<std::size_t> kinds;
  for (const Call& call : someCalls()) {
    const Bytes bytes = encode(call);
    const Result<Call> back = decodeCall(bytes);
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(back->rank, 3u);
    EXPECT_EQ(back->device, 2u);
    EXPECT_EQ(back->sequence, call.sequence);
    EXPECT_EQ(back->body.index(), call.body.index());
    EXPECT_EQ(encode(*back), bytes);
    kinds.insert(call.body.index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<CallBody>) << "a kind of call is not tested";
}

TEST(RemoteProtocol, LaunchKeepsItsArguments) {
  const LaunchCall want = someLaunch();
  const Result<Call> call = decodeCall(encode(Call{1, 0, 1, want}));
  ASSERT_TRUE(call.ok());
  const auto& got = std::get<LaunchCall>(call->body);
  EXPECT_EQ(got.kernel, want.kernel);
  EXPECT_EQ(got.dims[1].first, 1000);
  EXPECT_EQ(got.dims[1].step, -1);
  EXPECT_EQ(got.arrays[0].originBytes, -4096);
  EXPECT_EQ(got.arrays[0].touchedBegin, 16u);
  EXPECT_EQ(got.arrays[0].touchedEnd, 32u);
  EXPECT_EQ(got.arrays[1].touchedEnd, SIZE_MAX);
  EXPECT_EQ(got.scalars, want.scalars);
  EXPECT_EQ(got.resultSizes, want.resultSizes);
  EXPECT_EQ(resultBytes(*call), 13u);
}

TEST(RemoteProtocol, BytesAreFixed) {
  const Bytes expected = bytesOf({0x4D, 0x52, 0x43, 0x4C, 4, 0,           // magic, version
                                  2,    0,    0,    0,    1, 0, 0, 0,     // rank, device
                                  5,    0,    0,    0,    0, 0, 0, 0, 0,  // sequence, kind
                                  0x40, 0,    0,    0,    0, 0, 0, 0});   // bytes
  EXPECT_EQ(encode(Call{2, 1, 5, AllocateCall{64}}), expected);
}

TEST(RemoteProtocol, EveryTruncationIsRefused) {
  for (const Call& call : someCalls()) {
    const Bytes bytes = encode(call);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      const Result<Call> back = decodeCall(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)));
      EXPECT_EQ(back.status().code(), Errc::protocol) << "kind " << call.body.index() << ", " << length << " bytes";
    }
  }
}

TEST(RemoteProtocol, ExtraBytesAreRefused) {
  for (const Call& call : someCalls()) {
    Bytes bytes = encode(call);
    bytes.push_back(std::byte{0});
    EXPECT_EQ(decodeCall(bytes).status().code(), Errc::protocol) << "kind " << call.body.index();
  }
}

TEST(RemoteProtocol, GarbageOfEveryLengthIsRefused) {
  std::mt19937 random(1);
  for (std::size_t length = 0; length < 300; ++length) {
    Bytes bytes(length);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    EXPECT_EQ(decodeCall(bytes).status().code(), Errc::protocol);
    EXPECT_EQ(decodeReply(bytes).status().code(), Errc::protocol);
    EXPECT_EQ(decodeDeviceInfo(bytes).status().code(), Errc::protocol);
  }
}

// A true start and a changed byte anywhere: refused, or something that encodes to just these bytes.
TEST(RemoteProtocol, ChangedBytesNeverConfuse) {
  for (const Call& call : someCalls()) {
    const Bytes bytes = encode(call);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const int value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
        Bytes changed = bytes;
        changed[at] = static_cast<std::byte>(value);
        const Result<Call> back = decodeCall(changed);
        if (back) EXPECT_EQ(encode(*back), changed);
      }
    }
  }
}

TEST(RemoteProtocol, LimitsAreChecked) {
  EXPECT_FALSE(decodeCall(encode(Call{1, 0, 1, WriteCall{1, 0, maxDataBytes + 1}})).ok());
  EXPECT_FALSE(decodeCall(encode(Call{1, 0, 1, ReadCall{1, 0, maxDataBytes + 1}})).ok());
  EXPECT_FALSE(decodeCall(encode(Call{1, maxDevices, 1, FinishCall{}})).ok());
  LaunchCall launch = someLaunch();
  launch.resultSizes = {0xFFFFFFFF, 0xFFFFFFFF};
  EXPECT_FALSE(decodeCall(encode(Call{1, 0, 1, launch})).ok());
}

TEST(RemoteProtocol, OtherVersionsAreRefused) {
  Bytes bytes = encode(Call{1, 0, 1, FinishCall{}});
  bytes[4] = static_cast<std::byte>(protocolVersion + 1);
  EXPECT_EQ(decodeCall(bytes).status().code(), Errc::protocol);
}

TEST(RemoteProtocol, RepliesComeBack) {
  const Call call{1, 0, 9, someLaunch()};
  Reply reply{9, Status(), 42, bytesOf({1, 2, 3})};
  const Bytes bytes = encode(reply, replyBytes(call));
  EXPECT_EQ(bytes.size(), replyBytes(call));
  const Result<Reply> back = decodeReply(bytes);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->sequence, 9u);
  EXPECT_TRUE(back->status.ok());
  EXPECT_EQ(back->value, 42u);
  EXPECT_EQ(back->results, reply.results);
}

TEST(RemoteProtocol, ErrorsTravelAndAreCutToTheRoom) {
  for (const CallBody& body : {CallBody(PrepareCall{1}), CallBody(FinishCall{})}) {
    const Call call{1, 0, 9, body};
    const std::string text(100000, 'x');
    const Result<Reply> back = decodeReply(encode(Reply{9, Status(Errc::buildFailed, text), 0, {}}, replyBytes(call)));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->status.code(), Errc::buildFailed);
    const std::size_t kept = back->status.message().size();
    EXPECT_GE(kept, std::holds_alternative<PrepareCall>(body) ? 65536u : 1024u);
    EXPECT_LE(kept, replyBytes(call));
  }
}

TEST(RemoteProtocol, TruncatedRepliesAreRefused) {
  const Bytes bytes = encode(Reply{9, Status(Errc::io, "text"), 1, {}}, replyBytes(Call{1, 0, 9, FinishCall{}}));
  for (std::size_t length = 0; length < 35; ++length) {
    EXPECT_FALSE(decodeReply(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length))).ok()) << length;
  }
  Bytes badCode = bytes;
  badCode[6] = std::byte{200};
  EXPECT_FALSE(decodeReply(badCode).ok());
}

TEST(RemoteProtocol, OpenCallsHaveDifferentTags) {
  std::set<std::uint64_t> tags;
  for (std::uint64_t sequence = 1000; sequence < 1000 + maxOpenCalls; ++sequence) {
    for (const std::uint32_t device : {0u, 1u, maxDevices - 1}) {
      for (const Channel channel : {Channel::reply, Channel::data}) {
        const std::uint64_t tag = tagOf(Call{1, device, sequence, FinishCall{}}, channel);
        EXPECT_TRUE((tag & remoteTagBit) != 0);
        EXPECT_TRUE(tags.insert(tag & ((std::uint64_t{1} << tagWindowBits) - 1)).second);
      }
    }
  }
}

DeviceInfo someInfo() {
  DeviceInfo info;
  info.name = "NVIDIA H100 80GB HBM3";
  info.vendor = "NVIDIA";
  info.driver = "550.54";
  info.backend = "opencl";
  info.kind = DeviceKind::gpu;
  info.memoryBytes = 85899345920;
  info.maxAllocationBytes = 21474836480;
  info.computeUnits = 132;
  info.fp64 = false;
  info.hostAddressable = true;
  info.hardwareId = "0000:01:00.0";
  info.selector = "opencl:1";
  return info;
}

TEST(DeviceInfoBytes, ComeBack) {
  const DeviceInfo want = someInfo();
  const Result<DeviceInfo> got = decodeDeviceInfo(muster::cdm::encode(want));
  ASSERT_TRUE(got.ok()) << got.status().message();
  EXPECT_EQ(got->name, want.name);
  EXPECT_EQ(got->vendor, want.vendor);
  EXPECT_EQ(got->driver, want.driver);
  EXPECT_EQ(got->backend, want.backend);
  EXPECT_EQ(got->kind, want.kind);
  EXPECT_EQ(got->memoryBytes, want.memoryBytes);
  EXPECT_EQ(got->maxAllocationBytes, want.maxAllocationBytes);
  EXPECT_EQ(got->computeUnits, want.computeUnits);
  EXPECT_EQ(got->fp64, want.fp64);
  EXPECT_EQ(got->hostAddressable, want.hostAddressable);
  EXPECT_EQ(got->hardwareId, want.hardwareId);
  EXPECT_EQ(got->selector, want.selector);
}

TEST(DeviceInfoBytes, TruncatedOrWithMoreAreRefused) {
  Bytes bytes = muster::cdm::encode(someInfo());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(decodeDeviceInfo(part).status().code(), Errc::protocol) << length;
  }
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(decodeDeviceInfo(bytes).ok());
}

}  // namespace
}  // namespace muster::cdm::remote::test
