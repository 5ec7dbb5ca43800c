// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/exchange.h"

#include <fmt/format.h>

#include <cstring>

#include "muster/cap/trace.h"

namespace muster::rt {
namespace {

// No command is under way: any tags will do.
constexpr std::uint64_t kPing = 0xE101, kPong = 0xE102, kSize = 0xE103, kBytes = 0xE104;
constexpr int kRoundTrips = 8;

Status sendNow(cdm::Transport& transport, int to, std::uint64_t tag, std::span<const std::byte> bytes) {
  auto request = transport.send(to, tag, bytes);
  return request.ok() ? transport.wait(*request) : request.status();
}

Status receiveNow(cdm::Transport& transport, int from, std::uint64_t tag, std::span<std::byte> bytes) {
  auto request = transport.receive(from, tag, bytes);
  return request.ok() ? transport.wait(*request) : request.status();
}

Status answerPings(cdm::Transport& transport) {
  for (int i = 0; i < kRoundTrips; ++i) {
    MUSTER_TRY(receiveNow(transport, 0, kPing, {}));
    const std::int64_t now = cap::traceClock();
    MUSTER_TRY(sendNow(transport, 0, kPong, std::as_bytes(std::span(&now, 1))));
  }
  return {};
}

Result<ClockReading> readClock(cdm::Transport& transport, int rank) {
  ClockReading best;
  std::int64_t shortest = INT64_MAX;
  for (int i = 0; i < kRoundTrips; ++i) {
    std::int64_t there = 0;
    const std::int64_t began = cap::traceClock();
    MUSTER_TRY(sendNow(transport, rank, kPing, {}));
    MUSTER_TRY(receiveNow(transport, rank, kPong, std::as_writable_bytes(std::span(&there, 1))));
    const std::int64_t trip = cap::traceClock() - began;
    if (trip >= shortest) continue;
    shortest = trip;
    best = {began + trip / 2, there - (began + trip / 2)};
  }
  return best;
}

}  // namespace

Result<std::vector<ClockReading>> readClocks(cdm::Transport& transport) {
  std::vector<ClockReading> readings;
  if (transport.rank() != 0) {
    MUSTER_TRY(answerPings(transport));
    return readings;
  }
  readings.push_back({cap::traceClock(), 0});
  for (int rank = 1; rank < transport.size(); ++rank) {
    const auto reading = readClock(transport, rank);
    if (!reading.ok()) return reading.status();
    readings.push_back(*reading);
  }
  return readings;
}

std::int64_t RankClock::onRankZero(std::int64_t ns) const {
  const std::int64_t span = last_.atNs - first_.atNs;
  if (span <= 0) return ns - first_.offsetNs;
  const std::int64_t at = ns - first_.offsetNs;
  const double part = static_cast<double>(at - first_.atNs) / static_cast<double>(span);
  const auto drift = static_cast<double>(last_.offsetNs - first_.offsetNs);
  return at - static_cast<std::int64_t>(drift * part);
}

Status collect(cdm::Transport& transport, const cdm::Bytes& mine,
               const std::function<Status(int rank, const cdm::Bytes& bytes)>& take) {
  if (transport.rank() != 0) {
    const std::uint64_t size = mine.size();
    MUSTER_TRY(sendNow(transport, 0, kSize, std::as_bytes(std::span(&size, 1))));
    return sendNow(transport, 0, kBytes, mine);
  }
  MUSTER_TRY(take(0, mine));
  for (int rank = 1; rank < transport.size(); ++rank) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
    std::uint64_t size = 0;
    MUSTER_TRY(receiveNow(transport, rank, kSize, std::as_writable_bytes(std::span(&size, 1))));
    if (size > kMost) return {Errc::protocol, fmt::format("rank {} announced {} bytes at the end", rank, size)};
    cdm::Bytes bytes(size);
    MUSTER_TRY(receiveNow(transport, rank, kBytes, bytes));
    MUSTER_TRY(take(rank, bytes));
  }
  return {};
}

}  // namespace muster::rt
