// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transport whose ranks may have memory in common: the loans' calls, which are the same whatever carries messages.
// Header only, for the MPI module.
#pragma once

#include <utility>

#include "transport/loans.h"

namespace muster::cdm {

class LendingTransport : public Transport {
 public:
  LoanLimits loanLimits(int peer) const final { return loans_.limits(peer); }
  Result<Loan> takeRoom(int to, std::size_t bytes) final { return loans_.takeRoom(to, bytes); }
  Result<RequestPtr> awaitRoom(int to, std::size_t bytes) final { return loans_.awaitRoom(to, bytes); }
  Result<RequestPtr> lend(int to, std::uint64_t tag, Loan loan) final { return loans_.lend(to, tag, std::move(loan)); }
  Result<RequestPtr> borrow(int from, std::uint64_t tag, std::size_t bytes, Loan* loan) final {
    return loans_.borrow(from, tag, bytes, loan);
  }

 protected:
  explicit LendingTransport(Loans::Warn warn) : loans_(*this, std::move(warn)) {}

  Loans loans_;
};

}  // namespace muster::cdm
