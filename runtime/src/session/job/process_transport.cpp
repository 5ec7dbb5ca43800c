// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/job/process_transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace muster::rt {
namespace {

Status statusOf(const muster_processes& processes, const char* call, int error) {
  if (error == 0) return {};
  return {Errc::io,
          fmt::format("process {}: {} of {} failed with error {}", processes.rank, call, processes.library, error)};
}

class ProcessRequest final : public cdm::Request {
 public:
  ProcessRequest(const muster_processes& processes, void* request) : processes_(processes), request_(request) {}
  Result<bool> test() override {
    int complete = 0;
    MUSTER_TRY(statusOf(processes_, "test", processes_.test(&request_, &complete)));
    return complete != 0;
  }

 private:
  const muster_processes& processes_;
  void* request_;
};

}  // namespace

// "Open MPI v4.1.4", as of the job's own transport.
std::string ProcessTransport::libraryVersion() const {
  const std::string text = processes_.library;
  return text.substr(0, text.find_first_of(",\n"));
}

Result<cdm::RequestPtr> ProcessTransport::send(int to, std::uint64_t tag, std::span<const std::byte> data) {
  void* request = nullptr;
  MUSTER_TRY(
      statusOf(processes_, "send",
               processes_.send(to, static_cast<int>(tag), data.data(), static_cast<int>(data.size()), &request)));
  return cdm::RequestPtr(std::make_unique<ProcessRequest>(processes_, request));
}

Result<cdm::RequestPtr> ProcessTransport::receive(int from, std::uint64_t tag, std::span<std::byte> data) {
  void* request = nullptr;
  MUSTER_TRY(
      statusOf(processes_, "receive",
               processes_.receive(from, static_cast<int>(tag), data.data(), static_cast<int>(data.size()), &request)));
  return cdm::RequestPtr(std::make_unique<ProcessRequest>(processes_, request));
}

// All of one length: that of the longest.
Result<std::vector<cdm::Bytes>> ProcessTransport::allGather(std::span<const std::byte> mine) {
  const auto count = static_cast<std::size_t>(size());
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(count);
  MUSTER_TRY(statusOf(processes_, "gather", processes_.gather(&length, sizeof length, lengths.data())));
  const auto longest = static_cast<std::size_t>(std::ranges::max(lengths));
  cdm::Bytes own(longest), all(longest * count);
  std::ranges::copy(mine, own.begin());
  MUSTER_TRY(statusOf(processes_, "gather", processes_.gather(own.data(), static_cast<int>(longest), all.data())));
  std::vector<cdm::Bytes> parts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const begin = all.data() + i * longest;
    parts.emplace_back(begin, begin + lengths[i]);
  }
  return parts;
}

void ProcessTransport::abort(int code) { std::_Exit(code); }

}  // namespace muster::rt
