// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// n ranks as threads of one process, for tests. Everything is in one hub under one lock: mailboxes for data, a queue
// of commands per rank, and one meeting point for the collective calls.
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <tuple>

#include "muster/cdm/transports.h"
#include "transport/checks.h"
#include "transport/lending_transport.h"
#include "transport/tree.h"

namespace muster::cdm {
namespace {

struct Address {
  int from, to;
  std::uint64_t tag;
  auto operator<=>(const Address&) const = default;
};

// A receive that waits for its message.
struct Receive {
  std::span<std::byte> data;
  bool complete = false;
  Status status;
};

// Messages that nobody has asked for yet, or receives that nobody has served yet; never both.
struct Mailbox {
  std::deque<Bytes> messages;
  std::deque<std::shared_ptr<Receive>> receives;
};

struct Hub {
  explicit Hub(int n) : commands(n), gathered(n) {}

  std::mutex mutex;
  std::condition_variable changed;
  std::map<Address, Mailbox> mailboxes;
  std::vector<std::deque<Bytes>> commands;
  // The collective call under way: who has arrived, what they brought, and how many calls are over.
  std::vector<Bytes> gathered;
  int arrived = 0;
  std::uint64_t round = 0;
  std::vector<Bytes> result;
};

class ReceiveRequest final : public Request {
 public:
  ReceiveRequest(std::shared_ptr<Hub> hub, Address address, std::shared_ptr<Receive> receive)
      : hub_(std::move(hub)), address_(address), receive_(std::move(receive)) {}

  ~ReceiveRequest() override {
    const std::lock_guard lock(hub_->mutex);
    if (receive_->complete) return;
    const auto box = hub_->mailboxes.find(address_);
    std::erase(box->second.receives, receive_);
    if (box->second.receives.empty()) hub_->mailboxes.erase(box);
  }

  Result<bool> test() override {
    const std::lock_guard lock(hub_->mutex);
    if (!receive_->status.ok()) return receive_->status;
    return receive_->complete;
  }

 private:
  std::shared_ptr<Hub> hub_;
  Address address_;
  std::shared_ptr<Receive> receive_;
};

void deliver(const Address& address, std::span<const std::byte> message, Receive& receive) {
  if (message.size() != receive.data.size()) {
    receive.status = sizeMismatch(address.to, address.from, address.tag, receive.data.size(), message.size());
  } else if (!message.empty()) {
    std::memcpy(receive.data.data(), message.data(), message.size());
  }
  receive.complete = true;
}

class LoopbackTransport final : public LendingTransport {
 public:
  LoopbackTransport(std::shared_ptr<Hub> hub, int rank, int size)
      : LendingTransport([](const std::string&) {}), hub_(std::move(hub)), rank_(rank), size_(size) {}

  Loans& loans() { return loans_; }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string hostName() const override { return thisHost(); }
  const char* name() const override { return "loopback"; }

  Result<RequestPtr> send(int to, std::uint64_t tag, std::span<const std::byte> data) override {
    MUSTER_TRY(checkPeer(rank_, size_, to));
    const Address address{rank_, to, tag};
    const std::lock_guard lock(hub_->mutex);
    Mailbox& box = hub_->mailboxes[address];
    if (box.receives.empty()) {
      box.messages.emplace_back(data.begin(), data.end());
    } else {
      deliver(address, data, *box.receives.front());
      box.receives.pop_front();
      dropIfEmpty(address);
    }
    return RequestPtr();
  }

  Result<RequestPtr> receive(int from, std::uint64_t tag, std::span<std::byte> data) override {
    MUSTER_TRY(checkPeer(rank_, size_, from));
    const Address address{from, rank_, tag};
    const auto receive = std::make_shared<Receive>(Receive{data, false, {}});
    const std::lock_guard lock(hub_->mutex);
    Mailbox& box = hub_->mailboxes[address];
    if (box.messages.empty()) {
      box.receives.push_back(receive);
    } else {
      deliver(address, box.messages.front(), *receive);
      box.messages.pop_front();
      dropIfEmpty(address);
    }
    return RequestPtr(std::make_unique<ReceiveRequest>(hub_, address, receive));
  }

  Status postCommand(std::span<const std::byte> command) override {
    MUSTER_TRY(checkCommand(rank_, command.size()));
    const std::lock_guard lock(hub_->mutex);
    forward(Bytes(command.begin(), command.end()));
    return {};
  }

  Result<Bytes> nextCommand() override {
    MUSTER_TRY(checkCommandReceiver(rank_));
    std::unique_lock lock(hub_->mutex);
    std::deque<Bytes>& mine = hub_->commands[rank_];
    hub_->changed.wait(lock, [&] { return !mine.empty(); });
    Bytes command = std::move(mine.front());
    mine.pop_front();
    forward(command);
    return command;
  }

  Result<bool> hasCommand() override {
    MUSTER_TRY(checkCommandReceiver(rank_));
    const std::lock_guard lock(hub_->mutex);
    return !hub_->commands[rank_].empty();
  }

  Result<std::vector<Bytes>> allGather(std::span<const std::byte> mine) override {
    std::unique_lock lock(hub_->mutex);
    hub_->gathered[rank_].assign(mine.begin(), mine.end());
    const std::uint64_t round = hub_->round;
    if (++hub_->arrived == size_) {
      // Kept until the next call is complete, which needs everybody to have left this one.
      hub_->result = hub_->gathered;
      hub_->arrived = 0;
      ++hub_->round;
      hub_->changed.notify_all();
    } else {
      hub_->changed.wait(lock, [&] { return hub_->round != round; });
    }
    return hub_->result;
  }

  Status barrier() override { return allGather({}).status(); }
  void abort(int code) override { std::_Exit(code); }
  Status shutdown() override { return barrier(); }

 private:
  void forward(const Bytes& command) {
    for (int child = firstTreeChild(rank_, size_); child < lastTreeChild(rank_, size_); ++child) {
      hub_->commands[child].push_back(command);
    }
    hub_->changed.notify_all();
  }

  void dropIfEmpty(const Address& address) {
    const auto box = hub_->mailboxes.find(address);
    if (box->second.messages.empty() && box->second.receives.empty()) hub_->mailboxes.erase(box);
  }

  std::shared_ptr<Hub> hub_;
  int rank_, size_;
};

std::shared_ptr<LoanSegment> segmentOf(const LoanGeometry& geometry) {
  const std::size_t bytes = LoanSegment::bytesFor(geometry);
  LoanSegment::Mapping memory(new std::byte[bytes](), [](std::byte* at) { delete[] at; });
  return std::make_shared<LoanSegment>(std::move(memory), geometry);
}

}  // namespace

std::vector<std::unique_ptr<Transport>> makeLoopbackTransports(int n, const LoanLimits& loans) {
  const auto hub = std::make_shared<Hub>(n);
  std::vector<std::unique_ptr<LoopbackTransport>> ranks;
  ranks.reserve(static_cast<std::size_t>(n));
  for (int rank = 0; rank < n; ++rank) ranks.push_back(std::make_unique<LoopbackTransport>(hub, rank, n));
  for (int a = 0; a < n && loans.allBytes > 0; ++a) {
    for (int b = 0; b < a; ++b) {
      const LoanGeometry geometry{loans.largest, static_cast<std::uint32_t>(loans.allBytes / loans.largest),
                                  loans.smallest, loans.bareRooms};
      const auto there = segmentOf(geometry), back = segmentOf(geometry);
      ranks[static_cast<std::size_t>(a)]->loans().add(b, there, back);
      ranks[static_cast<std::size_t>(b)]->loans().add(a, back, there);
    }
  }
  return {std::make_move_iterator(ranks.begin()), std::make_move_iterator(ranks.end())};
}

}  // namespace muster::cdm
