// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said about loans, and who holds a room.
#include "transport/loans.h"

#include <new>
#include <utility>

#include "transport/checks.h"

namespace muster::cdm {

// A room that somebody has taken or borrowed, or memory of one's own in its place.
struct LentRoom {
  std::shared_ptr<LoanSegment> segment;  // nullptr: own memory, or somebody else's room by now
  std::uint32_t number = 0;
  std::unique_ptr<std::byte[]> own;

  LentRoom() = default;
  LentRoom(const LentRoom&) = delete;
  LentRoom& operator=(const LentRoom&) = delete;
  ~LentRoom() {
    if (segment != nullptr) segment->giveBack(number);
  }
};

namespace {

constexpr std::uint64_t bytesFollow = ~std::uint64_t{0};

// What the sender tells of a loan.
struct Notice {
  std::uint64_t room = bytesFollow;
  std::uint64_t bytes = 0;
};

std::span<std::byte> bytesOf(Notice& notice) { return std::as_writable_bytes(std::span(&notice, 1)); }

// False while a request is under way. A complete one is dropped.
Result<bool> complete(RequestPtr& request) {
  if (request == nullptr) return true;
  Result<bool> tested = request->test();
  if (tested && *tested) request.reset();
  return tested;
}

Loan loanOf(std::shared_ptr<LoanSegment> segment, std::uint32_t number, std::size_t bytes) {
  const LoanGeometry& geometry = segment->geometry();
  Loan loan;
  if (number < geometry.rooms) {
    loan.bytes = segment->room(number).first(bytes), loan.segment = segment->room(number);
    loan.room = geometry.roomBytes;
  } else {
    loan.number = number - geometry.rooms;
  }
  loan.held = std::make_shared<LentRoom>();
  loan.held->number = number;
  loan.held->segment = std::move(segment);
  return loan;
}

Result<Loan> ownMemory(int rank, std::size_t bytes) {
  auto held = std::make_shared<LentRoom>();
  held->own.reset(new (std::nothrow) std::byte[bytes]);
  if (held->own == nullptr) {
    return {Errc::outOfMemory, "rank " + std::to_string(rank) + ": the host has no " + std::to_string(bytes) +
                                   " bytes of memory left for a message; use smaller arrays, or more hosts with fewer "
                                   "ranks each"};
  }
  return Loan{{held->own.get(), bytes}, {}, bytes, 0, std::move(held)};
}

class RoomRequest final : public Request {
 public:
  RoomRequest(std::shared_ptr<LoanSegment> segment, bool bare) : segment_(std::move(segment)), bare_(bare) {}
  Result<bool> test() override { return segment_->hasRoom(bare_); }

 private:
  std::shared_ptr<LoanSegment> segment_;
  bool bare_;
};

class LendRequest final : public Request {
 public:
  Status start(Transport& messages, int to, std::uint64_t tag, Loan loan) {
    const bool inRoom = loan.held->segment != nullptr;
    notice_ = {inRoom ? loan.held->number : bytesFollow, loan.bytes.size()};
    Result<RequestPtr> told = messages.send(to, tag, bytesOf(notice_));
    if (!told) return told.status();
    told_ = std::move(*told);
    if (inRoom) {
      loan.held->segment.reset();  // the receiver gives it back
      return {};
    }
    Result<RequestPtr> sent = messages.send(to, tag, loan.bytes);
    if (!sent) return sent.status();
    sent_ = std::move(*sent);
    own_ = std::move(loan);
    return {};
  }

  Result<bool> test() override {
    Result<bool> told = complete(told_);
    if (!told || !*told) return told;
    return complete(sent_);
  }

 private:
  Notice notice_;
  Loan own_;
  RequestPtr told_, sent_;  // gone before what they send
};

class BorrowRequest final : public Request {
 public:
  BorrowRequest(Transport& messages, int from, std::uint64_t tag, std::shared_ptr<LoanSegment> segment,
                std::size_t bytes, Loan* loan)
      : messages_(messages), from_(from), tag_(tag), segment_(std::move(segment)), bytes_(bytes), loan_(loan) {}

  Status start() {
    Result<RequestPtr> told = messages_.receive(from_, tag_, bytesOf(notice_));
    if (told) told_ = std::move(*told);
    return told.status();
  }

  Result<bool> test() override {
    if (!heard_) {
      Result<bool> told = complete(told_);
      if (!told || !*told) return told;
      heard_ = true;
      MUSTER_TRY(hear());
    }
    const Result<bool> received = complete(received_);
    if (received && *received) *loan_ = std::move(here_);
    return received;
  }

 private:
  Status hear() {
    if (notice_.bytes != bytes_) return sizeMismatch(messages_.rank(), from_, tag_, bytes_, notice_.bytes);
    if (notice_.room != bytesFollow) {
      const std::uint32_t rooms = segment_->geometry().rooms;
      if (notice_.room >= segment_->geometry().all() || (notice_.room >= rooms) != (bytes_ == 0)) {
        return {Errc::protocol, "rank " + std::to_string(messages_.rank()) + ": rank " + std::to_string(from_) +
                                    " lends room " + std::to_string(notice_.room) + ", there are " +
                                    std::to_string(rooms) + "; the ranks are of different builds"};
      }
      here_ = loanOf(segment_, static_cast<std::uint32_t>(notice_.room), bytes_);
      return {};
    }
    Result<Loan> own = ownMemory(messages_.rank(), bytes_);
    if (!own) return own.status();
    here_ = std::move(*own);
    Result<RequestPtr> received = messages_.receive(from_, tag_, here_.bytes);
    if (received) received_ = std::move(*received);
    return received.status();
  }

  Transport& messages_;
  int from_;
  std::uint64_t tag_;
  std::shared_ptr<LoanSegment> segment_;
  std::size_t bytes_;
  Loan* loan_;
  Notice notice_;
  Loan here_;
  bool heard_ = false;
  RequestPtr told_, received_;  // gone before what they receive
};

}  // namespace

void Loans::add(int peer, std::shared_ptr<LoanSegment> outgoing, std::shared_ptr<LoanSegment> incoming) {
  peers_[peer] = {std::move(outgoing), std::move(incoming)};
}

LoanLimits Loans::limits(int peer) const {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return {};
  const LoanGeometry& geometry = found->second.outgoing->geometry();
  return {geometry.smallestBytes, geometry.roomBytes, geometry.rooms * geometry.roomBytes, geometry.bareRooms};
}

Result<const Loans::Peer*> Loans::find(int rank, std::size_t bytes) const {
  MUSTER_TRY(checkPeer(messages_.rank(), messages_.size(), rank));
  const auto found = peers_.find(rank);
  const LoanLimits all = limits(rank);
  if (found != peers_.end() && (bytes == 0 ? all.bareRooms > 0 : all.allow(bytes))) return &found->second;
  return {Errc::invalidArgument, "rank " + std::to_string(messages_.rank()) + ": a message of " +
                                     std::to_string(bytes) + " bytes cannot be lent to or borrowed from rank " +
                                     std::to_string(rank)};
}

Result<Loan> Loans::takeRoom(int to, std::size_t bytes) {
  const Result<const Peer*> peer = find(to, bytes);
  if (!peer) return peer.status();
  const Result<std::optional<std::uint32_t>> number = (*peer)->outgoing->take(bytes == 0);
  if (!number) {
    std::call_once(warned_, [&] {
      warn_(number.status().message() + "; messages that have no room go through MPI, which is slower");
    });
    return ownMemory(messages_.rank(), bytes);
  }
  if (!number->has_value()) return Loan();
  return loanOf((*peer)->outgoing, **number, bytes);
}

Result<RequestPtr> Loans::awaitRoom(int to, std::size_t bytes) {
  const Result<const Peer*> peer = find(to, bytes);
  if (!peer) return peer.status();
  return RequestPtr(std::make_unique<RoomRequest>((*peer)->outgoing, bytes == 0));
}

Result<RequestPtr> Loans::lend(int to, std::uint64_t tag, Loan loan) {
  const Result<const Peer*> peer = find(to, loan.bytes.size());
  if (!peer) return peer.status();
  auto request = std::make_unique<LendRequest>();
  MUSTER_TRY(request->start(messages_, to, tag, std::move(loan)));
  const Result<bool> done = request->test();
  if (!done) return done.status();
  return *done ? RequestPtr() : RequestPtr(std::move(request));
}

Result<RequestPtr> Loans::borrow(int from, std::uint64_t tag, std::size_t bytes, Loan* loan) {
  const Result<const Peer*> peer = find(from, bytes);
  if (!peer) return peer.status();
  auto request = std::make_unique<BorrowRequest>(messages_, from, tag, (*peer)->incoming, bytes, loan);
  MUSTER_TRY(request->start());
  return RequestPtr(std::move(request));
}

}  // namespace muster::cdm
