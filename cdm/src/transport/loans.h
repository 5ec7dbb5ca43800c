// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loans over any transport whose ranks have memory in common: a short message says in which room the bytes lie. Where
// the system has no memory left for rooms, that message says so and the bytes follow it. Compiled into the library and
// into the MPI module. Thread-safe once all peers are added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "muster/cdm/transport.h"
#include "transport/loan_segment.h"

namespace muster::cdm {

class Loans {
 public:
  using Warn = std::function<void(const std::string&)>;
  // `messages` carries what is said about loans, in messages with the loans' own tags.
  Loans(Transport& messages, Warn warn) : messages_(messages), warn_(std::move(warn)) {}

  // Both of one geometry, which the peer has too.
  void add(int peer, std::shared_ptr<LoanSegment> outgoing, std::shared_ptr<LoanSegment> incoming);

  [[nodiscard]] LoanLimits limits(int peer) const;
  Result<Loan> takeRoom(int to, std::size_t bytes);
  Result<RequestPtr> awaitRoom(int to, std::size_t bytes);
  Result<RequestPtr> lend(int to, std::uint64_t tag, Loan loan);
  Result<RequestPtr> borrow(int from, std::uint64_t tag, std::size_t bytes, Loan* loan);

 private:
  struct Peer {
    std::shared_ptr<LoanSegment> outgoing, incoming;
  };
  Result<const Peer*> find(int rank, std::size_t bytes) const;

  Transport& messages_;
  Warn warn_;
  std::unordered_map<int, Peer> peers_;
  std::once_flag warned_;
};

}  // namespace muster::cdm
