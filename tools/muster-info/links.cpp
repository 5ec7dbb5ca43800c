// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0 sends data into the memory of other ranks' devices: what the network adds.
#include <algorithm>
#include <array>
#include <cstring>

#include "inspect.h"
#include "muster/cdm/clock.h"

namespace muster::info {
namespace {

constexpr std::uint64_t dataTag = 1, answerTag = 2;
// A large copy and a small one, and how many of each; the first one is the warm-up.
constexpr std::uint64_t largeBytes = 8 << 20, smallBytes = 4;
constexpr std::uint32_t largeTimes = 8, smallTimes = 60;

// So many messages come from rank 0, each of which goes into the device's memory and is answered then.
struct Call {
  std::int32_t rank = 0;
  std::uint32_t device = 0, times = 0;
  std::uint64_t bytes = 0;
};
// What went wrong, up to the first zero byte.
using Answer = std::array<char, 256>;

Status store(cdm::ComputeDevice& device, const Result<cdm::BufferId>& buffer, const cdm::Bytes& data) {
  if (!buffer) return buffer.status();
  const Result<cdm::Event> written = device.write(*buffer, 0, data.data(), data.size());
  return written ? device.wait(*written) : written.status();
}

// A failure of the device is in the answer.
Status answer(cdm::Transport& transport, cdm::ComputeDevice& device, const Call& call) {
  cdm::Bytes data(call.bytes);
  const Result<cdm::BufferId> memory = device.allocate(call.bytes);
  for (std::uint32_t i = 0; i < call.times; ++i) {
    Result<cdm::RequestPtr> message = transport.receive(0, dataTag, data);
    if (!message) return message.status();
    MUSTER_TRY(transport.wait(*message));
    const std::string error = store(device, memory, data).message();
    Answer text = {};
    std::copy_n(error.begin(), std::min(error.size(), text.size() - 1), text.begin());
    Result<cdm::RequestPtr> reply = transport.send(0, answerTag, std::as_bytes(std::span(text)));
    if (!reply) return reply.status();
    MUSTER_TRY(transport.wait(*reply));
  }
  return memory ? device.release(*memory) : Status();
}

// Until rank 0 sends an empty command.
Status serve(cdm::Transport& transport, const Inspection& mine) {
  for (;;) {
    const Result<cdm::Bytes> command = transport.nextCommand();
    if (!command) return command.status();
    if (command->empty()) return {};
    Call call;
    if (command->size() != sizeof call) return {Errc::protocol, "a command of another version of muster-info"};
    std::memcpy(&call, command->data(), sizeof call);
    if (call.rank == transport.rank()) MUSTER_TRY(answer(transport, *mine.devices.at(call.device), call));
  }
}

// The median of one copy, and in `error` what the device says.
Result<double> secondsOf(cdm::Transport& transport, const Call& call, std::string& error) {
  MUSTER_TRY(transport.postCommand(std::as_bytes(std::span(&call, 1))));
  const cdm::Bytes data(call.bytes);
  std::vector<double> seconds;
  for (std::uint32_t i = 0; i < call.times; ++i) {
    const std::int64_t began = cdm::traceClock();
    Answer text = {};
    Result<cdm::RequestPtr> message = transport.send(call.rank, dataTag, data);
    if (!message) return message.status();
    Result<cdm::RequestPtr> reply = transport.receive(call.rank, answerTag, std::as_writable_bytes(std::span(text)));
    if (!reply) return reply.status();
    MUSTER_TRY(transport.wait(*message));
    MUSTER_TRY(transport.wait(*reply));
    if (i > 0) seconds.push_back(std::max(1e-9, cdm::secondsSince(began)));
    if (text[0] != 0) error = text.data();
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

}  // namespace

Status measureLinks(cdm::Transport& transport, const Inspection& mine, std::vector<RankReport>& reports) {
  if (transport.size() == 1) return {};
  if (transport.rank() != 0) return serve(transport, mine);
  for (RankReport& report : reports) {
    for (std::size_t i = 0; i < report.devices.size() && report.rank != 0; ++i) {
      DeviceReport& device = report.devices[i];
      if (!device.measured) continue;  // it does not even work for its own rank
      const auto place = static_cast<std::uint32_t>(i);
      const Result<double> large = secondsOf(transport, {report.rank, place, largeTimes, largeBytes}, device.error);
      if (!large) return large.status();
      const Result<double> small = secondsOf(transport, {report.rank, place, smallTimes, smallBytes}, device.error);
      if (!small) return small.status();
      if (device.error.empty()) device.fromRank0 = Link{static_cast<double>(largeBytes) / *large, *small};
    }
  }
  return transport.postCommand({});
}

}  // namespace muster::info
