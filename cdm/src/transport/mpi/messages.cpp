// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data messages over MPI.
#include "transport/mpi/messages.h"

#include <algorithm>
#include <bit>

#include "transport/checks.h"

namespace muster::cdm {
namespace {

constexpr std::size_t maxPieceBytes = std::size_t{1} << 30;
constexpr int maxTagBits = 30;

// One message as one or more MPI requests, which all have the same tag: MPI keeps their order.
class MpiRequest final : public Request {
 public:
  struct Peer {
    int rank;
    std::uint64_t tag;
    bool receives;
  };

  MpiRequest(MpiJob& job, Peer peer, std::size_t bytes) : job_(job), peer_(peer), expected_(bytes) {}

  ~MpiRequest() override {
    if (next_ < pieces_.size()) {
      const std::lock_guard lock(job_.mutex());
      for (std::size_t piece = next_; piece < pieces_.size(); ++piece) drop(pieces_[piece]);
    }
    if (counted_) job_.messageEnded();
  }

  // It did not complete at once: until it goes, it is a message under way.
  void countAsUnderWay() {
    counted_ = true;
    job_.messageStarted();
  }

  // Under the job's lock.
  void add(MPI_Request piece) { pieces_.push_back(piece); }

  Result<bool> test() override {
    const std::lock_guard lock(job_.mutex());
    return testLocked();
  }

  Result<bool> testLocked() {
    for (; next_ < pieces_.size(); ++next_) {
      int complete = 0;
      MPI_Status status;
      const int code = MPI_Test(&pieces_[next_], &complete, &status);
      if (code != MPI_SUCCESS) return failure(code);
      if (!complete) return false;
      if (peer_.receives) MUSTER_TRY(count(status));
    }
    if (peer_.receives && received_ != expected_) {
      return sizeMismatch(job_.rank(), peer_.rank, peer_.tag, expected_, received_);
    }
    return true;
  }

 private:
  Status count(MPI_Status& status) {
    int bytes = 0;
    MUSTER_TRY(job_.check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count"));
    received_ += static_cast<std::size_t>(bytes);
    return {};
  }

  Status failure(int code) {
    next_ = pieces_.size();
    int kind = MPI_SUCCESS;
    MPI_Error_class(code, &kind);
    const std::string what = (peer_.receives ? "receiving message " : "sending message ") + std::to_string(peer_.tag) +
                             (peer_.receives ? " from " : " to ") + job_.nameOf(peer_.rank);
    const Status status = job_.check(code, what);
    return kind == MPI_ERR_TRUNCATE ? Status(Errc::protocol, status.message()) : status;
  }

  void drop(MPI_Request& piece) const {
    if (peer_.receives) MPI_Cancel(&piece);
    MPI_Request_free(&piece);
  }

  MpiJob& job_;
  Peer peer_;
  std::size_t expected_, received_ = 0;
  std::vector<MPI_Request> pieces_;
  std::size_t next_ = 0;
  bool counted_ = false;
};

// Hands data to `post` in pieces that MPI can count; one empty piece for an empty message.
template <class Byte, class Post>
Status forEachPiece(std::span<Byte> data, const Post& post) {
  do {
    const std::size_t bytes = std::min(data.size(), maxPieceBytes);
    MUSTER_TRY(post(data.data(), static_cast<int>(bytes)));
    data = data.subspan(bytes);
  } while (!data.empty());
  return {};
}

}  // namespace

Status Messages::start() {
  for (MPI_Comm* comm : {&comm_, &remoteComm_}) {
    Result<MPI_Comm> made = job_.duplicateWorld();
    if (!made) return made.status();
    *comm = *made;
  }
  int* bound = nullptr;
  int found = 0;
  MUSTER_TRY(job_.check(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &bound, &found), "MPI_Comm_get_attr"));
  const int largest = found != 0 ? *bound : 32767;  // what every MPI has
  const int bits = std::min<int>(maxTagBits, std::bit_width(static_cast<unsigned>(largest) + 1u) - 1);
  if (bits < tagWindowBits) {
    return {Errc::unsupported, "this MPI library's tags end at " + std::to_string(largest) + ", Muster needs " +
                                   std::to_string(1 << tagWindowBits) + "; choose another transport layer of MPI"};
  }
  tagMask_ = (std::uint64_t{1} << bits) - 1;
  return {};
}

Status Messages::stop() {
  MUSTER_TRY(job_.check(MPI_Comm_free(&comm_), "MPI_Comm_free"));
  return job_.check(MPI_Comm_free(&remoteComm_), "MPI_Comm_free");
}

Result<RequestPtr> Messages::send(int to, std::uint64_t tag, std::span<const std::byte> data) {
  MUSTER_TRY(checkPeer(job_.rank(), job_.size(), to));
  auto request = std::make_unique<MpiRequest>(job_, MpiRequest::Peer{to, tag, false}, data.size());
  std::unique_lock lock(job_.mutex());
  const Status posted = forEachPiece(data, [&](const std::byte* piece, int bytes) {
    MPI_Request mpi = MPI_REQUEST_NULL;
    MUSTER_TRY(job_.check(MPI_Isend(piece, bytes, MPI_BYTE, to, mpiTag(tag), commOf(tag), &mpi),
                          "sending to " + job_.nameOf(to)));
    request->add(mpi);
    return Status();
  });
  const Result<bool> complete = posted.ok() ? request->testLocked() : Result<bool>(posted);
  lock.unlock();  // before the request may go
  if (!complete) return complete.status();
  if (*complete) return RequestPtr();
  request->countAsUnderWay();
  return RequestPtr(std::move(request));
}

Result<RequestPtr> Messages::receive(int from, std::uint64_t tag, std::span<std::byte> data) {
  MUSTER_TRY(checkPeer(job_.rank(), job_.size(), from));
  auto request = std::make_unique<MpiRequest>(job_, MpiRequest::Peer{from, tag, true}, data.size());
  std::unique_lock lock(job_.mutex());
  const Status posted = forEachPiece(data, [&](std::byte* piece, int bytes) {
    MPI_Request mpi = MPI_REQUEST_NULL;
    MUSTER_TRY(job_.check(MPI_Irecv(piece, bytes, MPI_BYTE, from, mpiTag(tag), commOf(tag), &mpi),
                          "receiving from " + job_.nameOf(from)));
    request->add(mpi);
    return Status();
  });
  lock.unlock();
  if (!posted.ok()) return posted;
  request->countAsUnderWay();
  return RequestPtr(std::move(request));
}

}  // namespace muster::cdm
