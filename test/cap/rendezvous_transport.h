// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loopback transport as networks are: a message is under way until the other side has taken it, and must not change
// meanwhile. Counts the bytes that each rank has under way. Loans, which no network knows, are counted and passed on.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "muster/cdm/transport.h"

namespace muster::cap::testing {

// What all ranks share.
struct Rendezvous {
  struct Load {
    std::size_t now = 0, most = 0;
    void change(std::ptrdiff_t by) { most = std::max(most, now += static_cast<std::size_t>(by)); }
  };
  using Address = std::tuple<int, int, std::uint64_t>;  // from, to, tag
  std::mutex mutex;
  std::map<Address, int> taken;
  std::map<int, Load> sending, receiving;  // by rank
  int lent = 0, borrowed = 0;
};

class RendezvousTransport final : public cdm::Transport {
 public:
  RendezvousTransport(std::unique_ptr<cdm::Transport> inner, std::shared_ptr<Rendezvous> shared)
      : inner_(std::move(inner)), shared_(std::move(shared)) {}

  [[nodiscard]] int rank() const override { return inner_->rank(); }
  [[nodiscard]] int size() const override { return inner_->size(); }
  [[nodiscard]] std::string hostName() const override { return inner_->hostName(); }
  [[nodiscard]] const char* name() const override { return "rendezvous"; }

  Result<cdm::RequestPtr> send(int to, std::uint64_t tag, std::span<const std::byte> data) override {
    Result<cdm::RequestPtr> sent = inner_->send(to, tag, data);
    if (!sent) return sent;
    return start<Send>({std::move(*sent), {rank(), to, tag}, data, {data.begin(), data.end()}, shared_},
                       shared_->sending);
  }
  Result<cdm::RequestPtr> receive(int from, std::uint64_t tag, std::span<std::byte> data) override {
    Result<cdm::RequestPtr> posted = inner_->receive(from, tag, data);
    if (!posted) return posted;
    return start<Receive>({std::move(*posted), {from, rank(), tag}, data, {}, shared_}, shared_->receiving);
  }
  [[nodiscard]] cdm::LoanLimits loanLimits(int peer) const override { return inner_->loanLimits(peer); }
  Result<cdm::Loan> takeRoom(int to, std::size_t bytes) override { return inner_->takeRoom(to, bytes); }
  Result<cdm::RequestPtr> awaitRoom(int to, std::size_t bytes) override { return inner_->awaitRoom(to, bytes); }
  Result<cdm::RequestPtr> lend(int to, std::uint64_t tag, cdm::Loan loan) override {
    count(shared_->lent);
    return inner_->lend(to, tag, std::move(loan));
  }
  Result<cdm::RequestPtr> borrow(int from, std::uint64_t tag, std::size_t bytes, cdm::Loan* loan) override {
    count(shared_->borrowed);
    return inner_->borrow(from, tag, bytes, loan);
  }
  Status postCommand(std::span<const std::byte> command) override { return inner_->postCommand(command); }
  Result<cdm::Bytes> nextCommand() override { return inner_->nextCommand(); }
  Result<bool> hasCommand() override { return inner_->hasCommand(); }
  Result<std::vector<cdm::Bytes>> allGather(std::span<const std::byte> mine) override {
    return inner_->allGather(mine);
  }
  Status barrier() override { return inner_->barrier(); }
  [[noreturn]] void abort(int code) override { inner_->abort(code); }
  Status shutdown() override { return inner_->shutdown(); }

 private:
  struct Message {
    cdm::RequestPtr inner;
    Rendezvous::Address address;
    std::span<const std::byte> data;
    cdm::Bytes sent;  // what the data were
    std::shared_ptr<Rendezvous> shared;
    Rendezvous::Load* load = nullptr;
    // Under the lock.
    void end() const { load->change(-static_cast<std::ptrdiff_t>(data.size())); }
  };
  class Send final : public cdm::Request {
   public:
    explicit Send(Message message) : message_(std::move(message)) {}
    Result<bool> test() override {
      const std::lock_guard lock(message_.shared->mutex);
      const auto found = message_.shared->taken.find(message_.address);
      if (found == message_.shared->taken.end()) return false;
      if (--found->second == 0) message_.shared->taken.erase(found);
      message_.end();
      if (!std::equal(message_.sent.begin(), message_.sent.end(), message_.data.begin()))
        return Status(Errc::internal, "a message was changed before it was complete");
      return true;
    }

   private:
    Message message_;
  };
  class Receive final : public cdm::Request {
   public:
    explicit Receive(Message message) : message_(std::move(message)) {}
    Result<bool> test() override {
      const Result<bool> complete = cdm::Transport::test(message_.inner);
      if (!complete || !*complete) return complete;
      const std::lock_guard lock(message_.shared->mutex);
      ++message_.shared->taken[message_.address];
      message_.end();
      return true;
    }

   private:
    Message message_;
  };

  void count(int& calls) {
    const std::lock_guard lock(shared_->mutex);
    ++calls;
  }
  template <class Kind>
  cdm::RequestPtr start(Message message, std::map<int, Rendezvous::Load>& loads) {
    const std::lock_guard lock(shared_->mutex);
    message.load = &loads[rank()];
    message.load->change(static_cast<std::ptrdiff_t>(message.data.size()));
    return std::make_unique<Kind>(std::move(message));
  }

  std::unique_ptr<cdm::Transport> inner_;
  std::shared_ptr<Rendezvous> shared_;
};

}  // namespace muster::cap::testing
