// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encoding and decoding of commands.
#include "protocol/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "muster/cdm/iterations.h"
#include "protocol/wire.h"

namespace muster::rt::protocol {
namespace {

struct Header {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  std::uint16_t type = 0;
  std::uint64_t length = 0;  // of the whole command
  std::uint64_t sequence = 0;
};
constexpr std::size_t kLengthAt = 8;

template <std::size_t I = 0>
void readBody(Reader& reader, std::uint16_t type, Command& command) {
  if constexpr (I < std::variant_size_v<Command>) {
    if (type == I) {
      reader(command.emplace<I>());
    } else {
      readBody<I + 1>(reader, type, command);
    }
  }
}

template <class Message>
Result<Message> decodeWhole(std::span<const std::byte> bytes, const char* what) {
  Reader reader(bytes);
  std::uint32_t magic = 0;
  std::uint16_t version = 0;
  reader(magic);
  reader(version);
  if (!reader.ok() || magic != kMagic) return Status(Errc::protocol, fmt::format("{}: not a message of Muster", what));
  if (version != kVersion)
    return Status(Errc::protocol, fmt::format("{}: protocol version {}, this is {}", what, version, kVersion));
  Message message;
  reader(message);
  if (!reader.done()) return Status(Errc::protocol, fmt::format("{}: malformed ({} bytes)", what, bytes.size()));
  return message;
}

template <class Message>
cdm::Bytes encodeWhole(const Message& message) {
  Writer writer;
  writer(kMagic);
  writer(kVersion);
  writer(message);
  return writer.take();
}

}  // namespace

template <class Io>
void fields(Io& io, Header& h) {
  io(h.magic), io(h.version), io(h.type), io(h.length), io(h.sequence);
}
template <class Io>
void fields(Io& io, CreateArray& c) {
  io(c.id), io(c.elemSize), io(c.count), io(c.name);
}
template <class Io>
void fields(Io& io, ReleaseArray& c) {
  io(c.id);
}
template <class Io>
void fields(Io& io, Launch::Dim& d) {
  io(d.first), io(d.step), io(d.count);
}
template <class Io>
void fields(Io& io, Launch::Array& a) {
  io(a.id), io(a.offset), io(a.opaque), io(a.absent);
}
template <class Io>
void fields(Io& io, Launch::Part& p) {
  io(p.device), io(p.lo), io(p.hi), io(p.grain);
}
template <class Io>
void fields(Io& io, Launch& c) {
  io(c.kernel), io(c.other), io(c.hostOnly), io(c.nativeOnly), io(c.floatMode), io(c.steps);
  io(c.dims), io(c.forms), io(c.arrays), io(c.scalars), io(c.part), io(c.weights);
}
template <class Io>
void fields(Io& io, cap::Interval& i) {
  io(i.lo), io(i.hi);
}
void fields(Writer& io, cap::IntervalSet& s) { io(std::vector<cap::Interval>(s.begin(), s.end())); }
void fields(Reader& io, cap::IntervalSet& s) {
  std::vector<cap::Interval> intervals;
  io(intervals);
  s = cap::IntervalSet::of(intervals);
  if (!std::equal(s.begin(), s.end(), intervals.begin(), intervals.end())) io.refuse();
}
// An enumerator from the first one, 0, to `last`.
template <class Enum>
void enumerator(Writer& io, Enum& value, Enum /*last*/) {
  io(static_cast<std::uint8_t>(value));
}
template <class Enum>
void enumerator(Reader& io, Enum& value, Enum last) {
  std::uint8_t number = 0;
  io(number);
  value = static_cast<Enum>(number);
  if (value > last) io.refuse();
}
template <class Io>
void fields(Io& io, cap::HostMode& mode) {
  enumerator(io, mode, cap::HostMode::overwrite);
}
template <class Io>
void fields(Io& io, HostAccess& c) {
  io(c.array), io(c.elements), io(c.mode);
}
template <class Io>
void fields(Io& io, Evict::Part& p) {
  io(p.array), io(p.memory), io(p.spill), io(p.lo), io(p.hi);
}
template <class Io>
void fields(Io& io, Evict& c) {
  io(c.parts);
}
template <class Io>
void fields(Io& io, Weights& c) {
  io(c.weights), io(c.minShare), io(c.kernels);
}
template <class Io>
void fields(Io& io, Measure& c) {
  io(c.finish);
}
template <class Io>
void fields(Io&, Shutdown&) {}
template <class Io>
void fields(Io& io, Hello& h) {
  io(h.abiVersion), io(h.runtimeBuild), io(h.executableBuild), io(h.hostName), io(h.environment);
}
template <class Io>
void fields(Io& io, cdm::DeviceKind& kind) {
  enumerator(io, kind, cdm::DeviceKind::accelerator);
}
template <class Io>
void fields(Io& io, cdm::DeviceInfo& i) {
  io(i.name), io(i.vendor), io(i.driver), io(i.backend), io(i.hardwareId), io(i.selector), io(i.kind);
  io(i.memoryBytes), io(i.maxAllocationBytes), io(i.computeUnits), io(i.fp64), io(i.hostAddressable);
}
template <class Io>
void fields(Io& io, RankDevices::Device& d) {
  io(d.info), io(d.speed), io(d.bytesPerSecond), io(d.latencySeconds);
}
template <class Io>
void fields(Io& io, RankDevices& d) {
  io(d.error), io(d.threads), io(d.cores), io(d.devices), io(d.leftOut);
}

template <class Io>
void fields(Io& io, KernelTime& t) {
  io(t.kernel), io(t.device), io(t.launches), io(t.iterations), io(t.nanoseconds), io(t.fused);
}
template <class Io>
void fields(Io& io, RankTotals::Merges& m) {
  io(m.kernel), io(m.count), io(m.bytesChanged), io(m.bytesSent);
}
template <class Io>
void fields(Io& io, RankTotals& t) {
  io(t.times), io(t.merges);
}

double innerIterations(const Launch& launch) {
  return static_cast<double>(cdm::iterationsOf(1, std::span(launch.dims).subspan(launch.dims.empty() ? 0 : 1)));
}

namespace {

template <class Body>
cdm::Bytes encodeBody(std::size_t type, const Body& body, std::uint64_t sequence) {
  Writer writer;
  writer(Header{.type = static_cast<std::uint16_t>(type), .sequence = sequence});
  writer(body);
  writer.patch(kLengthAt, writer.size());
  return writer.take();
}

}  // namespace

cdm::Bytes encode(const Command& command, std::uint64_t sequence) {
  return std::visit([&](const auto& body) { return encodeBody(command.index(), body, sequence); }, command);
}

cdm::Bytes encode(const Launch& launch, std::uint64_t sequence) {
  static const std::size_t type = Command(std::in_place_type<Launch>).index();
  return encodeBody(type, launch, sequence);
}

Result<Decoded> decode(std::span<const std::byte> bytes) {
  const auto malformed = [&](const std::string& what) {
    return Status(Errc::protocol, fmt::format("command of {} bytes: {}", bytes.size(), what));
  };
  Reader reader(bytes);
  Header header;
  reader(header);
  if (!reader.ok()) return malformed("shorter than a header");
  if (header.magic != kMagic) return malformed("not a command of Muster");
  if (header.version != kVersion)
    return malformed(fmt::format("protocol version {}, this is {}", header.version, kVersion));
  if (header.length != bytes.size()) return malformed(fmt::format("its header says {} bytes", header.length));
  if (header.type >= std::variant_size_v<Command>) return malformed(fmt::format("unknown type {}", header.type));
  Decoded decoded;
  decoded.sequence = header.sequence;
  readBody(reader, header.type, decoded.command);
  if (!reader.done()) return malformed(fmt::format("malformed body of type {}", header.type));
  return decoded;
}

cdm::Bytes encode(const Hello& hello) { return encodeWhole(hello); }
Result<Hello> decodeHello(std::span<const std::byte> bytes) { return decodeWhole<Hello>(bytes, "greeting of a rank"); }

cdm::Bytes encode(const RankDevices& devices) { return encodeWhole(devices); }
Result<RankDevices> decodeRankDevices(std::span<const std::byte> bytes) {
  return decodeWhole<RankDevices>(bytes, "device list of a rank");
}

cdm::Bytes encodeMeasured(std::span<const KernelTime> times) {
  const auto sent = times.first(std::min(times.size(), maxMeasured));
  cdm::Bytes bytes = encodeWhole(std::vector<KernelTime>(sent.begin(), sent.end()));
  bytes.resize(measuredBytes);
  return bytes;
}

Result<std::vector<KernelTime>> decodeMeasured(std::span<const std::byte> bytes) {
  constexpr const char* what = "measurements of a rank";
  constexpr std::size_t countAt = sizeof kMagic + sizeof kVersion;
  std::uint32_t count = 0;
  if (bytes.size() == measuredBytes) std::memcpy(&count, bytes.data() + countAt, sizeof count);
  const std::size_t used = countAt + sizeof count + std::size_t{count} * bytesOfMeasured;
  if (bytes.size() != measuredBytes || count > maxMeasured ||
      std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(used), bytes.end(),
                  [](std::byte byte) { return byte != std::byte{0}; }))
    return Status(Errc::protocol, fmt::format("{}: malformed ({} bytes)", what, bytes.size()));
  return decodeWhole<std::vector<KernelTime>>(bytes.first(used), what);
}

cdm::Bytes encode(const RankTotals& totals) { return encodeWhole(totals); }
Result<RankTotals> decodeRankTotals(std::span<const std::byte> bytes) {
  return decodeWhole<RankTotals>(bytes, "totals of a rank");
}

}  // namespace muster::rt::protocol
