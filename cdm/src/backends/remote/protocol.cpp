// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The remote protocol as bytes. Numbers are in the host's order: all ranks run one build.
#include "backends/remote/protocol.h"

#include <algorithm>
#include <limits>

#include "backends/remote/wire.h"
#include "muster/cdm/remote.h"

namespace muster::cdm::remote {
namespace {

constexpr std::uint32_t callMagic = 0x4C43524D, replyMagic = 0x4C50524D, infoMagic = 0x4E49524D;
constexpr std::size_t replyHeaderBytes = 4 + 2 + 1 + 8 + 8 + 4 + 4;
// A compiler's log is long and comes with prepare only: a launch of a prepared kernel builds nothing.
constexpr std::size_t textBytes = 1024, logBytes = 65536;

Writer start(std::uint32_t magic) {
  Writer writer;
  writer.put(magic).put(protocolVersion);
  return writer;
}

bool starts(Reader& reader, std::uint32_t magic) {
  const bool known = reader.get<std::uint32_t>() == magic;
  const bool same = reader.get<std::uint16_t>() == protocolVersion;
  reader.require(known && same);
  return known && same;
}

Status malformed(const char* what, std::span<const std::byte> bytes) {
  return {Errc::protocol, std::string("malformed ") + what + " of " + std::to_string(bytes.size()) +
                              " bytes; the ranks are of different builds or memory was overwritten"};
}

// Both directions of each call's body stand side by side.
void put(Writer& w, const AllocateCall& c) { w.put(c.bytes); }
void get(Reader& r, AllocateCall& c) { c.bytes = r.get<std::uint64_t>(); }

void put(Writer& w, const ReleaseCall& c) { w.put(c.buffer); }
void get(Reader& r, ReleaseCall& c) { c.buffer = r.get<std::uint64_t>(); }

void put(Writer& w, const WriteCall& c) { w.put(c.to).put(c.offset).put(c.bytes); }
void get(Reader& r, WriteCall& c) {
  c.to = r.get<std::uint64_t>();
  c.offset = r.get<std::uint64_t>();
  c.bytes = r.get<std::uint64_t>();
  r.require(c.bytes <= maxDataBytes);
}

void put(Writer& w, const ReadCall& c) { w.put(c.from).put(c.offset).put(c.bytes); }
void get(Reader& r, ReadCall& c) {
  c.from = r.get<std::uint64_t>();
  c.offset = r.get<std::uint64_t>();
  c.bytes = r.get<std::uint64_t>();
  r.require(c.bytes <= maxDataBytes);
}

void put(Writer& w, const CopyCall& c) { w.put(c.from).put(c.fromOffset).put(c.to).put(c.toOffset).put(c.bytes); }
void get(Reader& r, CopyCall& c) {
  c.from = r.get<std::uint64_t>();
  c.fromOffset = r.get<std::uint64_t>();
  c.to = r.get<std::uint64_t>();
  c.toOffset = r.get<std::uint64_t>();
  c.bytes = r.get<std::uint64_t>();
}

void put(Writer& w, const FillCall& c) { w.put(c.to).put(c.offset).put(c.bytes).put(c.value); }
void get(Reader& r, FillCall& c) {
  c.to = r.get<std::uint64_t>();
  c.offset = r.get<std::uint64_t>();
  c.bytes = r.get<std::uint64_t>();
  c.value = r.get<std::uint8_t>();
}

void put(Writer& w, const PrepareCall& c) { w.put(c.kernel); }
void get(Reader& r, PrepareCall& c) { c.kernel = r.get<std::uint64_t>(); }

template <class T>
Writer& putCount(Writer& w, const std::vector<T>& items) {
  return w.put(static_cast<std::uint32_t>(items.size()));
}

void put(Writer& w, const LaunchCall& c) {
  w.put(c.kernel).put(c.lo).put(c.hi);
  putCount(w, c.dims);
  for (const muster_dim& dim : c.dims) w.put(dim.first).put(dim.step).put(dim.count);
  putCount(w, c.arrays);
  for (const ArrayArg& array : c.arrays)
    w.put(array.buffer)
        .put(array.originBytes)
        .put(std::uint64_t{array.touchedBegin})
        .put(std::uint64_t{array.touchedEnd})
        .put(static_cast<std::uint8_t>(array.absent ? 1 : 0));
  putCount(w, c.scalars);
  for (const Bytes& scalar : c.scalars) w.bytes(scalar);
  putCount(w, c.resultSizes);
  for (const std::uint32_t size : c.resultSizes) w.put(size);
}

void get(Reader& r, LaunchCall& c) {
  c.kernel = r.get<std::uint64_t>();
  c.lo = r.get<std::int64_t>();
  c.hi = r.get<std::int64_t>();
  c.dims.resize(r.count(24));
  for (muster_dim& dim : c.dims) {
    dim.first = r.get<std::int64_t>();
    dim.step = r.get<std::int64_t>();
    dim.count = r.get<std::int64_t>();
  }
  c.arrays.resize(r.count(33));
  for (ArrayArg& array : c.arrays) {
    array.buffer = r.get<std::uint64_t>();
    array.originBytes = r.get<std::int64_t>();
    array.touchedBegin = r.get<std::uint64_t>();
    array.touchedEnd = r.get<std::uint64_t>();
    array.absent = r.flag();
  }
  c.scalars.resize(r.count(4));
  for (Bytes& scalar : c.scalars) {
    const std::span<const std::byte> value = r.bytes();
    scalar.assign(value.begin(), value.end());
  }
  c.resultSizes.resize(r.count(4));
  std::size_t total = 0;
  for (std::uint32_t& size : c.resultSizes) total += size = r.get<std::uint32_t>();
  r.require(total <= maxDataBytes);
}

void put(Writer&, const FinishCall&) {}
void get(Reader&, FinishCall&) {}

// The body with this index in the variant.
template <std::size_t index = 0>
CallBody getBody(Reader& reader, std::size_t wanted) {
  if constexpr (index < std::variant_size_v<CallBody>) {
    if (index != wanted) return getBody<index + 1>(reader, wanted);
    std::variant_alternative_t<index, CallBody> body;
    get(reader, body);
    return body;
  } else {
    reader.require(false);
    return FinishCall{};
  }
}

std::size_t payloadBytes(const Call& call) {
  const std::size_t text = std::holds_alternative<PrepareCall>(call.body) ? logBytes : textBytes;
  return std::max(text, resultBytes(call));
}

}  // namespace

Bytes encode(const Call& call) {
  Writer writer = start(callMagic);
  writer.put(call.rank).put(call.device).put(call.sequence).put(static_cast<std::uint8_t>(call.body.index()));
  std::visit([&](const auto& body) { put(writer, body); }, call.body);
  return writer.take();
}

Result<Call> decodeCall(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  if (!starts(reader, callMagic)) return malformed("call of a remote device", bytes);
  Call call;
  call.rank = reader.get<std::uint32_t>();
  call.device = reader.get<std::uint32_t>();
  call.sequence = reader.get<std::uint64_t>();
  reader.require(call.device < maxDevices);
  const auto kind = reader.get<std::uint8_t>();
  if (!reader.failed()) call.body = getBody(reader, kind);
  if (!reader.complete()) return malformed("call of a remote device", bytes);
  return call;
}

std::size_t resultBytes(const Call& call) {
  std::size_t bytes = 0;
  if (const auto* launch = std::get_if<LaunchCall>(&call.body)) {
    for (const std::uint32_t size : launch->resultSizes) bytes += size;
  }
  return bytes;
}

std::size_t replyBytes(const Call& call) { return replyHeaderBytes + payloadBytes(call); }

Bytes encode(const Reply& reply, std::size_t size) {
  const std::size_t room = size - replyHeaderBytes;
  std::string text = reply.status.message();
  if (text.size() > room) text.resize(room);
  const Bytes& results = reply.status.ok() ? reply.results : Bytes();
  Writer writer = start(replyMagic);
  writer.put(static_cast<std::uint8_t>(reply.status.code())).put(reply.sequence).put(reply.value);
  Bytes bytes = writer.text(text).bytes(results).take();
  bytes.resize(size);
  return bytes;
}

Result<Reply> decodeReply(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  if (!starts(reader, replyMagic)) return malformed("reply of a remote device", bytes);
  Reply reply;
  const auto code = reader.get<std::uint8_t>();
  reader.require(code <= static_cast<std::uint8_t>(Errc::internal));
  reply.sequence = reader.get<std::uint64_t>();
  reply.value = reader.get<std::uint64_t>();
  std::string text = reader.text();
  const std::span<const std::byte> results = reader.bytes();
  if (reader.failed()) return malformed("reply of a remote device", bytes);
  if (code != 0) reply.status = Status(static_cast<Errc>(code), std::move(text));
  reply.results.assign(results.begin(), results.end());
  return reply;
}

std::uint64_t tagOf(const Call& call, Channel channel) {
  static_assert(maxOpenCalls * maxDevices * 2 <= std::size_t{1} << tagWindowBits);
  return remoteTagBit | ((call.sequence * maxDevices + call.device) * 2 + static_cast<std::uint64_t>(channel));
}

}  // namespace muster::cdm::remote

namespace muster::cdm {

using remote::Reader;
using remote::Writer;

Bytes encode(const DeviceInfo& info) {
  Writer writer = remote::start(remote::infoMagic);
  writer.text(info.name)
      .text(info.vendor)
      .text(info.driver)
      .text(info.backend)
      .text(info.hardwareId)
      .text(info.selector);
  writer.put(info.kind).put(info.memoryBytes).put(info.maxAllocationBytes).put(info.computeUnits);
  writer.put(static_cast<std::uint8_t>(info.fp64)).put(static_cast<std::uint8_t>(info.hostAddressable));
  return writer.take();
}

Result<DeviceInfo> decodeDeviceInfo(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  if (!remote::starts(reader, remote::infoMagic)) return remote::malformed("description of a device", bytes);
  DeviceInfo info;
  info.name = reader.text();
  info.vendor = reader.text();
  info.driver = reader.text();
  info.backend = reader.text();
  info.hardwareId = reader.text();
  info.selector = reader.text();
  info.kind = reader.get(DeviceKind::accelerator);
  info.memoryBytes = reader.get<std::uint64_t>();
  info.maxAllocationBytes = reader.get<std::uint64_t>();
  info.computeUnits = reader.get<std::uint32_t>();
  info.fp64 = reader.flag();
  info.hostAddressable = reader.flag();
  if (!reader.complete()) return remote::malformed("description of a device", bytes);
  return info;
}

}  // namespace muster::cdm
