// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands down the tree of ranks.
#include "transport/mpi/command_tree.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "muster/cdm/backoff.h"
#include "transport/checks.h"
#include "transport/tree.h"

namespace muster::cdm {
namespace {

using Length = std::uint64_t;

// Below the 4096 bytes, MPI's own header included, up to which Open MPI's shared memory sends at once.
constexpr std::size_t firstPartBytes = 4000;
constexpr int firstTag = 0, restTag = 1;

}  // namespace

Status CommandTree::start() {
  Result<MPI_Comm> comm = job_.duplicateWorld();
  if (!comm) return comm.status();
  comm_ = *comm;
  if (job_.rank() == 0) return {};
  first_.resize(firstPartBytes);
  return listen();
}

Status CommandTree::stop() {
  for (Backoff backoff;; backoff.pause()) {
    const std::lock_guard lock(job_.mutex());
    MUSTER_TRY(reclaimLocked());
    if (outgoing_.empty()) break;
  }
  if (listening_ != MPI_REQUEST_NULL) {
    MUSTER_TRY(job_.check(PMPI_Cancel(&listening_), "MPI_Cancel"));
    MUSTER_TRY(job_.await(listening_, "the end of the commands"));
  }
  const std::lock_guard lock(job_.mutex());
  return job_.check(PMPI_Comm_free(&comm_), "MPI_Comm_free");
}

Status CommandTree::post(std::span<const std::byte> command) {
  MUSTER_TRY(checkCommand(job_.rank(), command.size()));
  Bytes message(sizeof(Length) + command.size());
  const Length length = command.size();
  std::memcpy(message.data(), &length, sizeof length);
  if (!command.empty()) std::memcpy(message.data() + sizeof length, command.data(), command.size());
  const std::lock_guard lock(job_.mutex());
  MUSTER_TRY(reclaimLocked());
  return forward(std::move(message));
}

Result<Bytes> CommandTree::next() {
  MUSTER_TRY(checkCommandReceiver(job_.rank()));
  const std::lock_guard oneReceiver(receiver_);
  const Result<int> received = firstPart();
  if (!received) return received.status();
  Result<Bytes> message = rest(*received);
  if (!message) return message;
  Bytes command(message->begin() + sizeof(Length), message->end());
  const std::lock_guard lock(job_.mutex());
  MUSTER_TRY(listen());
  MUSTER_TRY(forward(std::move(*message)));
  return command;
}

Result<bool> CommandTree::isHere() {
  MUSTER_TRY(checkCommandReceiver(job_.rank()));
  const std::lock_guard lock(job_.mutex());
  int complete = 0;
  MUSTER_TRY(job_.check(PMPI_Request_get_status(listening_, &complete, MPI_STATUS_IGNORE), "looking for a command"));
  return complete != 0;
}

Status CommandTree::listen() {
  return job_.check(
      PMPI_Irecv(first_.data(), firstPartBytes, MPI_BYTE, treeParent(job_.rank()), firstTag, comm_, &listening_),
      "listening for commands");
}

Result<int> CommandTree::firstPart() {
  constexpr std::chrono::microseconds kSoon{50};
  for (Backoff backoff = soon_.exchange(false) ? Backoff(kSoon) : Backoff();; backoff.pause()) {
    const std::lock_guard lock(job_.mutex());
    MUSTER_TRY(reclaimLocked());
    int complete = 0, bytes = 0;
    MPI_Status status;
    MUSTER_TRY(job_.check(PMPI_Test(&listening_, &complete, &status), "waiting for a command"));
    if (!complete) continue;
    MUSTER_TRY(job_.check(PMPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count"));
    return bytes;
  }
}

Result<Bytes> CommandTree::rest(int received) {
  const std::size_t bytes = static_cast<std::size_t>(received);
  Length length = 0;
  if (bytes >= sizeof length) std::memcpy(&length, first_.data(), sizeof length);
  if (bytes < sizeof length || length > maxCommandBytes ||
      bytes != std::min<std::size_t>(firstPartBytes, sizeof length + length)) {
    return {Errc::protocol, job_.nameOf(job_.rank()) + ": the start of a command has " + std::to_string(bytes) +
                                " bytes and says " + std::to_string(length) + "; the ranks are of different builds"};
  }
  Bytes message(sizeof length + length);
  std::memcpy(message.data(), first_.data(), bytes);
  if (bytes == message.size()) return message;
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(job_.mutex());
    MUSTER_TRY(job_.check(PMPI_Irecv(message.data() + bytes, static_cast<int>(message.size() - bytes), MPI_BYTE,
                                     treeParent(job_.rank()), restTag, comm_, &request),
                          "receiving a long command"));
  }
  MUSTER_TRY(job_.await(request, "receiving a long command"));
  return message;
}

Status CommandTree::forward(Bytes message) {
  const int first = firstTreeChild(job_.rank(), job_.size()), last = lastTreeChild(job_.rank(), job_.size());
  if (first == last) return {};
  outgoing_.push_back({std::move(message), {}});
  Outgoing& out = outgoing_.back();
  const std::size_t head = std::min(firstPartBytes, out.message.size());
  const auto send = [&](int child, std::size_t from, std::size_t to, int tag) {
    MPI_Request& request = out.requests.emplace_back(MPI_REQUEST_NULL);
    return job_.check(
        PMPI_Isend(out.message.data() + from, static_cast<int>(to - from), MPI_BYTE, child, tag, comm_, &request),
        "sending a command to " + job_.nameOf(child));
  };
  for (int child = first; child < last; ++child) {
    MUSTER_TRY(send(child, 0, head, firstTag));
    if (head < out.message.size()) MUSTER_TRY(send(child, head, out.message.size(), restTag));
  }
  return reclaimLocked();
}

Status CommandTree::reclaim() {
  const std::lock_guard lock(job_.mutex());
  return reclaimLocked();
}

Status CommandTree::reclaimLocked() {
  while (!outgoing_.empty()) {
    std::vector<MPI_Request>& requests = outgoing_.front().requests;
    int complete = 0;
    MUSTER_TRY(
        job_.check(PMPI_Testall(static_cast<int>(requests.size()), requests.data(), &complete, MPI_STATUSES_IGNORE),
                   "sending a command"));
    if (!complete) break;
    outgoing_.pop_front();
  }
  if (counted_ == outgoing_.empty()) {
    counted_ = !counted_;
    counted_ ? job_.messageStarted() : job_.messageEnded();
  }
  return {};
}

}  // namespace muster::cdm
