// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transport whose n-th call fails, around a real one.
#include "transport/faulty_transport.h"

#include <fmt/format.h>

#include "muster/cdm/faults.h"
#include "muster/cdm/transport.h"

namespace muster::cdm {

namespace {

class FaultyTransport final : public Transport {
 public:
  FaultyTransport(std::unique_ptr<Transport> inner, std::shared_ptr<Faults> faults)
      : inner_(std::move(inner)), faults_(std::move(faults)) {}

  [[nodiscard]] int rank() const override { return inner_->rank(); }
  [[nodiscard]] int size() const override { return inner_->size(); }
  [[nodiscard]] std::string hostName() const override { return inner_->hostName(); }
  [[nodiscard]] const char* name() const override { return inner_->name(); }
  [[nodiscard]] std::string libraryVersion() const override { return inner_->libraryVersion(); }

  Result<RequestPtr> send(int to, std::uint64_t tag, std::span<const std::byte> data) override {
    MUSTER_TRY(check("send"));
    return wrapped(inner_->send(to, tag, data));
  }
  Result<RequestPtr> receive(int from, std::uint64_t tag, std::span<std::byte> data) override {
    MUSTER_TRY(check("receive"));
    return wrapped(inner_->receive(from, tag, data));
  }
  [[nodiscard]] bool takesDeviceMemory() const override { return inner_->takesDeviceMemory(); }
  [[nodiscard]] LoanLimits loanLimits(int peer) const override { return inner_->loanLimits(peer); }
  Result<Loan> takeRoom(int to, std::size_t bytes) override { return inner_->takeRoom(to, bytes); }
  Result<RequestPtr> awaitRoom(int to, std::size_t bytes) override { return inner_->awaitRoom(to, bytes); }
  Result<RequestPtr> lend(int to, std::uint64_t tag, Loan loan) override {
    MUSTER_TRY(check("send"));
    return wrapped(inner_->lend(to, tag, std::move(loan)));
  }
  Result<RequestPtr> borrow(int from, std::uint64_t tag, std::size_t bytes, Loan* loan) override {
    MUSTER_TRY(check("receive"));
    return wrapped(inner_->borrow(from, tag, bytes, loan));
  }
  Status postCommand(std::span<const std::byte> command) override {
    MUSTER_TRY(check("postCommand"));
    return inner_->postCommand(command);
  }
  Result<Bytes> nextCommand() override {
    MUSTER_TRY(check("nextCommand"));
    return inner_->nextCommand();
  }
  Result<bool> hasCommand() override { return inner_->hasCommand(); }
  void expectCommandSoon() override { inner_->expectCommandSoon(); }
  Result<std::vector<Bytes>> allGather(std::span<const std::byte> mine) override {
    MUSTER_TRY(check("allGather"));
    return inner_->allGather(mine);
  }
  Status barrier() override {
    MUSTER_TRY(check("barrier"));
    return inner_->barrier();
  }
  [[noreturn]] void abort(int code) override { inner_->abort(code); }
  Status shutdown() override {
    MUSTER_TRY(check("shutdown"));
    return inner_->shutdown();
  }

 private:
  class FaultyRequest final : public Request {
   public:
    FaultyRequest(RequestPtr inner, FaultyTransport& transport) : inner_(std::move(inner)), transport_(transport) {}
    Result<bool> test() override {
      Result<bool> complete = inner_->test();
      // Counted when the message is there: how often somebody looks before that depends on the clock.
      if (complete && *complete) MUSTER_TRY(transport_.check("test"));
      return complete;
    }

   private:
    RequestPtr inner_;
    FaultyTransport& transport_;
  };

  Status check(const char* call) {
    if (!faults_->fails("transport", call)) return {};
    return {Errc::io, fmt::format("rank {} on {}: {} failed (MUSTER_INJECT)", rank(), hostName(), call)};
  }
  Result<RequestPtr> wrapped(Result<RequestPtr> request) {
    if (!request || !*request) return request;
    return RequestPtr(std::make_unique<FaultyRequest>(std::move(*request), *this));
  }

  std::unique_ptr<Transport> inner_;
  std::shared_ptr<Faults> faults_;
};

}  // namespace

std::unique_ptr<Transport> withFaults(std::unique_ptr<Transport> transport, const std::vector<Fault>& faults) {
  auto counted = std::make_shared<Faults>(faults, transport->rank());
  if (counted->empty()) return transport;
  return std::make_unique<FaultyTransport>(std::move(transport), std::move(counted));
}

}  // namespace muster::cdm
