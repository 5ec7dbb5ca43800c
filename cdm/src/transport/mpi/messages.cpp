// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data messages over MPI.
#include "transport/mpi/messages.h"

#include <algorithm>
#include <bit>

#include "transport/checks.h"

namespace muster::cdm {
namespace {

// Ranks of one host copy a whole piece within one call of MPI, under the job's lock. Meanwhile this rank answers
// nobody: a gibibyte took longer than silence is allowed, where each page that is touched for the first time costs 20
// us.
constexpr std::size_t maxPieceBytes = std::size_t{64} << 20;
// Of a message that is being received. MPI's one call copies all those that have arrived.
constexpr std::size_t maxPiecesUnderWay = 2;
constexpr int maxTagBits = 30;

// One message in pieces, each an MPI request. All have the same tag: MPI keeps their order. The last piece is the
// first one below maxPieceBytes (it may be empty), so that ranks which disagree about the size do not wait for ever.
class MpiRequest final : public Request {
 public:
  struct Peer {
    int rank;
    std::uint64_t tag;
    bool receives;
    MPI_Comm comm;
    int mpiTag;
  };

  // A sender's data is only read.
  MpiRequest(MpiJob& job, Peer peer, std::span<std::byte> data) : job_(job), peer_(peer), data_(data) {}

  ~MpiRequest() override {
    if (!pieces_.empty()) {
      const std::lock_guard lock(job_.mutex());
      for (MPI_Request& piece : pieces_) drop(piece);
    }
    if (counted_) job_.messageEnded();
  }

  // It did not complete at once: until it goes, it is a message under way.
  void countAsUnderWay() {
    counted_ = true;
    job_.messageStarted();
  }

  // Under the job's lock. A sender's pieces wait in MPI, since nobody may ask for this request for a long time.
  Status post() {
    while (!postedLast_ && (!peer_.receives || pieces_.size() < maxPiecesUnderWay)) {
      const std::span<std::byte> piece = data_.subspan(posted_, std::min(data_.size() - posted_, maxPieceBytes));
      const int bytes = static_cast<int>(piece.size());
      MPI_Request mpi = MPI_REQUEST_NULL;
      MUSTER_TRY(job_.check(peer_.receives
                                ? PMPI_Irecv(piece.data(), bytes, MPI_BYTE, peer_.rank, peer_.mpiTag, peer_.comm, &mpi)
                                : PMPI_Isend(piece.data(), bytes, MPI_BYTE, peer_.rank, peer_.mpiTag, peer_.comm, &mpi),
                            (peer_.receives ? "receiving from " : "sending to ") + job_.nameOf(peer_.rank)));
      pieces_.push_back(mpi);
      posted_ += piece.size();
      postedLast_ = piece.size() < maxPieceBytes;
    }
    return {};
  }

  Result<bool> test() override {
    const std::lock_guard lock(job_.mutex());
    return testLocked();
  }

  Result<bool> testLocked() {
    while (!pieces_.empty()) {
      int complete = 0;
      MPI_Status status;
      const int code = PMPI_Test(&pieces_.front(), &complete, &status);
      if (code != MPI_SUCCESS) return failure(code);
      if (!complete) return false;
      pieces_.erase(pieces_.begin());
      if (peer_.receives) MUSTER_TRY(count(status));
    }
    MUSTER_TRY(post());
    return pieces_.empty();  // if there are more, others may have the lock between these and those
  }

 private:
  Status count(MPI_Status& status) {
    int bytes = 0;
    MUSTER_TRY(job_.check(PMPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count"));
    received_ += static_cast<std::size_t>(bytes);
    const bool last = static_cast<std::size_t>(bytes) < maxPieceBytes;
    if (!last || received_ == data_.size()) return {};
    return sizeMismatch(job_.rank(), peer_.rank, peer_.tag, data_.size(), received_);
  }

  Status failure(int code) {
    pieces_.clear();
    postedLast_ = true;
    int kind = MPI_SUCCESS;
    PMPI_Error_class(code, &kind);
    const std::string what = (peer_.receives ? "receiving message " : "sending message ") + std::to_string(peer_.tag) +
                             (peer_.receives ? " from " : " to ") + job_.nameOf(peer_.rank);
    const Status status = job_.check(code, what);
    return kind == MPI_ERR_TRUNCATE ? Status(Errc::protocol, status.message()) : status;
  }

  void drop(MPI_Request& piece) const {
    if (peer_.receives) PMPI_Cancel(&piece);
    PMPI_Request_free(&piece);
  }

  MpiJob& job_;
  Peer peer_;
  std::span<std::byte> data_;
  std::size_t posted_ = 0, received_ = 0;
  std::vector<MPI_Request> pieces_;  // posted and not complete, in their order
  bool postedLast_ = false, counted_ = false;
};

}  // namespace

Status Messages::start() {
  const Result<MPI_Comm> made = job_.duplicateWorld();
  if (!made) return made.status();
  comm_ = *made;
  int* bound = nullptr;
  int found = 0;
  MUSTER_TRY(job_.check(PMPI_Comm_get_attr(comm_, MPI_TAG_UB, &bound, &found), "MPI_Comm_get_attr"));
  const int largest = found != 0 ? *bound : 32767;  // what every MPI has
  const int bits = std::min<int>(maxTagBits, std::bit_width(static_cast<unsigned>(largest) + 1u) - 1);
  if (bits < tagWindowBits) {
    return {Errc::unsupported, "this MPI library's tags end at " + std::to_string(largest) + ", Muster needs " +
                                   std::to_string(1 << tagWindowBits) + "; choose another transport layer of MPI"};
  }
  tagMask_ = (std::uint64_t{1} << bits) - 1;
  return {};
}

Status Messages::stop() { return job_.check(PMPI_Comm_free(&comm_), "MPI_Comm_free"); }

Result<RequestPtr> Messages::send(int to, std::uint64_t tag, std::span<const std::byte> data) {
  MUSTER_TRY(checkPeer(job_.rank(), job_.size(), to));
  auto* const bytes = const_cast<std::byte*>(data.data());
  auto request = std::make_unique<MpiRequest>(job_, MpiRequest::Peer{to, tag, false, comm_, mpiTag(tag)},
                                              std::span(bytes, data.size()));
  std::unique_lock lock(job_.mutex());
  const Status posted = request->post();
  const Result<bool> complete = posted.ok() ? request->testLocked() : Result<bool>(posted);
  lock.unlock();  // before the request may go
  if (!complete) return complete.status();
  if (*complete) return RequestPtr();
  request->countAsUnderWay();
  return RequestPtr(std::move(request));
}

Result<RequestPtr> Messages::receive(int from, std::uint64_t tag, std::span<std::byte> data) {
  MUSTER_TRY(checkPeer(job_.rank(), job_.size(), from));
  auto request = std::make_unique<MpiRequest>(job_, MpiRequest::Peer{from, tag, true, comm_, mpiTag(tag)}, data);
  std::unique_lock lock(job_.mutex());
  const Status posted = request->post();
  lock.unlock();
  if (!posted.ok()) return posted;
  request->countAsUnderWay();
  return RequestPtr(std::move(request));
}

}  // namespace muster::cdm
