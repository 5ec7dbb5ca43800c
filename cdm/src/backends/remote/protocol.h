// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages between a remote device and the rank that owns it. A call goes to all ranks as a command; its reply
// comes back to rank 0 as one message whose size both sides derive from the call, so that rank 0 can post its receive
// before the call. Bulk data follows as a message of its own: with a write always, with a read after a reply of
// success.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "muster/cdm/device.h"
#include "muster/cdm/transport.h"

namespace muster::cdm::remote {

inline constexpr std::uint16_t protocolVersion = 4;
// Larger writes and reads are several calls, so that the owner's staging memory stays small.
inline constexpr std::size_t maxDataBytes = std::size_t{32} << 20;
// Calls of one device that may be unanswered; their tags differ in Transport's tag window.
inline constexpr std::size_t maxOpenCalls = 32;
// Devices of one rank.
inline constexpr std::uint32_t maxDevices = 4096;

struct AllocateCall {
  std::uint64_t bytes = 0;
};
struct ReleaseCall {
  BufferId buffer = 0;
};
struct WriteCall {
  BufferId to = 0;
  std::uint64_t offset = 0, bytes = 0;
};
struct ReadCall {
  BufferId from = 0;
  std::uint64_t offset = 0, bytes = 0;
};
struct CopyCall {
  BufferId from = 0;
  std::uint64_t fromOffset = 0;
  BufferId to = 0;
  std::uint64_t toOffset = 0, bytes = 0;
};
struct FillCall {
  BufferId to = 0;
  std::uint64_t offset = 0, bytes = 0;
  std::uint8_t value = 0;
};
struct PrepareCall {
  std::uint64_t kernel = 0;
};
struct LaunchCall {
  std::uint64_t kernel = 0;
  std::vector<muster_dim> dims;
  std::int64_t lo = 0, hi = 0;
  std::vector<ArrayArg> arrays;
  std::vector<Bytes> scalars;
  std::vector<std::uint32_t> resultSizes;
};
struct FinishCall {};

using CallBody = std::variant<AllocateCall, ReleaseCall, WriteCall, ReadCall, CopyCall, FillCall, PrepareCall,
                              LaunchCall, FinishCall>;

struct Call {
  std::uint32_t rank = 0, device = 0;
  std::uint64_t sequence = 0;
  CallBody body;
};

struct Reply {
  std::uint64_t sequence = 0;
  Status status;            // its text is cut to what the reply has room for
  std::uint64_t value = 0;  // a new buffer
  Bytes results;            // of a launch, one after the other
};

Bytes encode(const Call& call);
Result<Call> decodeCall(std::span<const std::byte> bytes);

// Bytes of the results of a launch, 0 for other calls.
std::size_t resultBytes(const Call& call);
std::size_t replyBytes(const Call& call);
Bytes encode(const Reply& reply, std::size_t size);
Result<Reply> decodeReply(std::span<const std::byte> bytes);

enum class Channel : std::uint8_t { reply, data };
std::uint64_t tagOf(const Call& call, Channel channel);

}  // namespace muster::cdm::remote
