// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loans must do on every transport; where ranks share no memory, they are refused. Each case runs on all ranks of
// a job at the same time.
#pragma once

#include <cstring>
#include <deque>
#include <map>

#include "transport_cases.h"

namespace muster::cdm::test {

// Cheap to make and to compare: a number, and bytes that tell the message.
inline void fillLoan(std::span<std::byte> bytes, std::uint64_t seed) {
  std::memset(bytes.data(), static_cast<int>(seed * 37 % 251), bytes.size());
  if (bytes.size() >= sizeof seed) std::memcpy(bytes.data(), &seed, sizeof seed);
}

inline bool holdsLoan(std::span<const std::byte> bytes, std::uint64_t seed) {
  Bytes expected(bytes.size());
  fillLoan(expected, seed);
  return std::equal(bytes.begin(), bytes.end(), expected.begin());
}

inline std::size_t loanSize(const LoanLimits& limits, std::uint64_t number) {
  const std::size_t sizes[] = {limits.largest, limits.smallest, (limits.smallest + limits.largest) / 2 + 1};
  return sizes[number % 3];
}

// One rank's exchange with another: so many loans each way.
class LoanExchange {
 public:
  LoanExchange(Transport& t, int peer, std::uint64_t count)
      : t_(t), peer_(peer), count_(count), limits_(t.loanLimits(peer)), incoming_(count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      Result<RequestPtr> request = t.borrow(peer, i, loanSize(limits_, i), &incoming_[i]);
      EXPECT_TRUE(request.ok()) << request.status().message();
      if (request) borrows_.push_back(std::move(*request));
    }
  }

  bool done() const { return sent_ == count_ && lends_.empty() && borrows_.empty(); }

  bool advance() {
    bool progressed = lendNext();
    while (!lends_.empty() && *Transport::test(lends_.front())) lends_.pop_front();
    while (!borrows_.empty() && *Transport::test(borrows_.front())) {
      borrows_.pop_front();
      const Loan& loan = incoming_[received_];
      EXPECT_EQ(loan.bytes.size(), loanSize(limits_, received_));
      EXPECT_TRUE(holdsLoan(loan.bytes, seedOf(peer_, t_.rank(), received_))) << received_ << " from rank " << peer_;
      pinnable_ |= !loan.segment.empty();
      kept_ += loan.room;
      ++received_;
      // As a receiver does whose device still writes: half of the rooms stay with it.
      for (; kept_ > limits_.allBytes / 2; ++dropped_) {
        kept_ -= incoming_[dropped_].room;
        incoming_[dropped_] = {};
      }
      progressed = true;
    }
    return progressed;
  }
  // Whether what came lay in shared memory.
  bool pinnable() const { return pinnable_; }

 private:
  bool lendNext() {
    if (sent_ == count_) return false;
    Result<Loan> room = t_.takeRoom(peer_, loanSize(limits_, sent_));
    EXPECT_TRUE(room.ok()) << room.status().message();
    if (!room || room->held == nullptr) return false;
    fillLoan(room->bytes, seedOf(t_.rank(), peer_, sent_));
    Result<RequestPtr> request = t_.lend(peer_, sent_, std::move(*room));
    EXPECT_TRUE(request.ok()) << request.status().message();
    if (request) lends_.push_back(std::move(*request));
    ++sent_;
    return true;
  }

  Transport& t_;
  int peer_;
  std::uint64_t count_, sent_ = 0, received_ = 0, dropped_ = 0;
  LoanLimits limits_;
  std::vector<Loan> incoming_;
  std::deque<RequestPtr> lends_, borrows_;
  std::size_t kept_ = 0;
  bool pinnable_ = false;
};

// More of them than there are rooms, between all pairs and both ways at once.
inline bool exchangeLoans(Transport& t) {
  std::deque<LoanExchange> exchanges;
  for (int peer = 0; peer < t.size(); ++peer) {
    const LoanLimits limits = t.loanLimits(peer);
    if (peer != t.rank() && limits.largest > 0)
      exchanges.emplace_back(t, peer, limits.allBytes / limits.largest * 3 + 2);
  }
  const auto done = [](const LoanExchange& exchange) { return exchange.done(); };
  while (!std::all_of(exchanges.begin(), exchanges.end(), done)) {
    bool progressed = false;
    for (LoanExchange& exchange : exchanges) progressed |= exchange.advance();
    if (!progressed) std::this_thread::yield();
  }
  return !exchanges.empty() &&
         std::all_of(exchanges.begin(), exchanges.end(), [](const auto& exchange) { return exchange.pinnable(); });
}

inline void loansArrive(Transport& t) {
  bool possible = false;
  for (int peer = 0; peer < t.size(); ++peer) possible |= t.loanLimits(peer).largest > 0;
  EXPECT_EQ(exchangeLoans(t), possible);
}

// Between ranks 0 and 1, one message after the other.
inline void tell(Transport& t, int to, std::uint64_t tag) {
  const Bytes nothing;
  RequestPtr request = mustSend(t, to, tag, nothing);
  mustWait(t, {&request, 1});
}
inline void hear(Transport& t, int from, std::uint64_t tag) {
  Bytes nothing;
  RequestPtr request = mustReceive(t, from, tag, nothing);
  mustWait(t, {&request, 1});
}

inline void roomsRunOutAndComeBack(Transport& t) {
  if (t.rank() > 1 || t.size() < 2) return;
  const LoanLimits limits = t.loanLimits(1 - t.rank());
  if (limits.largest == 0) return;
  if (t.rank() == 1) {
    Loan loan;
    Result<RequestPtr> borrowed = t.borrow(0, 1, limits.largest, &loan);
    ASSERT_TRUE(borrowed.ok());
    mustWait(t, {&*borrowed, 1});
    EXPECT_TRUE(holdsLoan(loan.bytes, 77));
    hear(t, 0, 2);
    EXPECT_TRUE(holdsLoan(loan.bytes, 77));  // still ours
    loan = {};
    return;
  }
  std::vector<Loan> rooms;
  for (Result<Loan> room = t.takeRoom(1, limits.largest); room.ok() && room->held != nullptr;
       room = t.takeRoom(1, limits.largest))
    rooms.push_back(std::move(*room));
  EXPECT_EQ(rooms.size(), limits.allBytes / limits.largest);
  Result<RequestPtr> freed = t.awaitRoom(1, limits.largest);
  ASSERT_TRUE(freed.ok());
  EXPECT_FALSE(*Transport::test(*freed));
  fillLoan(rooms.front().bytes, 77);
  Result<RequestPtr> lent = t.lend(1, 1, std::move(rooms.front()));
  ASSERT_TRUE(lent.ok());
  mustWait(t, {&*lent, 1});
  EXPECT_FALSE(*Transport::test(*freed));
  tell(t, 1, 2);
  mustWait(t, {&*freed, 1});
  rooms.front() = *t.takeRoom(1, limits.largest);
  EXPECT_FALSE(rooms.front().bytes.empty());
  rooms.clear();
  EXPECT_FALSE((*t.takeRoom(1, limits.smallest)).bytes.empty());
}

// They run out by themselves, and keep their numbers.
inline void bareRoomsRunOutAndComeBack(Transport& t) {
  if (t.rank() > 1 || t.size() < 2) return;
  const LoanLimits limits = t.loanLimits(1 - t.rank());
  if (limits.largest == 0) return;
  ASSERT_GT(limits.bareRooms, 1u);
  if (t.rank() == 1) {
    Loan loan;
    Result<RequestPtr> borrowed = t.borrow(0, 1, 0, &loan);
    ASSERT_TRUE(borrowed.ok());
    mustWait(t, {&*borrowed, 1});
    EXPECT_EQ(loan.number, 1u);
    EXPECT_TRUE(loan.bytes.empty());
    hear(t, 0, 2);
    loan = {};
    return;
  }
  std::vector<Loan> rooms;
  for (Result<Loan> room = t.takeRoom(1, 0); room.ok() && room->held != nullptr; room = t.takeRoom(1, 0)) {
    EXPECT_EQ(room->number, rooms.size());
    rooms.push_back(std::move(*room));
  }
  EXPECT_EQ(rooms.size(), limits.bareRooms);
  EXPECT_NE((*t.takeRoom(1, limits.largest)).held, nullptr);
  Result<RequestPtr> freed = t.awaitRoom(1, 0);
  ASSERT_TRUE(freed.ok());
  Result<RequestPtr> lent = t.lend(1, 1, std::move(rooms[1]));
  ASSERT_TRUE(lent.ok());
  mustWait(t, {&*lent, 1});
  EXPECT_FALSE(*Transport::test(*freed));
  tell(t, 1, 2);
  mustWait(t, {&*freed, 1});
  EXPECT_EQ((*t.takeRoom(1, 0)).number, 1u);
}

inline void wrongLoansAreRefused(Transport& t) {
  Loan loan;
  const int peer = t.rank() == 0 ? t.size() - 1 : t.rank() - 1;
  const LoanLimits limits = t.loanLimits(peer);
  for (const std::size_t bytes : {limits.largest + 1, limits.smallest - 1}) {
    EXPECT_FALSE(t.takeRoom(peer, bytes).ok());
    EXPECT_FALSE(t.borrow(peer, 1, bytes, &loan).ok());
  }
  EXPECT_EQ(t.loanLimits(t.rank()).largest, 0u);
  if (t.rank() > 1 || t.size() < 2 || t.loanLimits(1 - t.rank()).largest == 0) return;
  if (t.rank() == 0) {
    Result<RequestPtr> lent = t.lend(1, 5, *t.takeRoom(1, limits.smallest));
    ASSERT_TRUE(lent.ok());
    mustWait(t, {&*lent, 1});
    return;
  }
  Result<RequestPtr> borrowed = t.borrow(0, 5, limits.largest, &loan);
  ASSERT_TRUE(borrowed.ok());
  const Status status = t.wait(*borrowed);
  EXPECT_EQ(status.code(), Errc::protocol);
  EXPECT_NE(status.message().find("rank 0"), std::string::npos) << status.message();
}

inline constexpr TransportCase loanCases[] = {
    {"loansArrive", loansArrive},
    {"roomsRunOutAndComeBack", roomsRunOutAndComeBack},
    {"bareRoomsRunOutAndComeBack", bareRoomsRunOutAndComeBack},
    {"wrongLoansAreRefused", wrongLoansAreRefused},
};

}  // namespace muster::cdm::test
