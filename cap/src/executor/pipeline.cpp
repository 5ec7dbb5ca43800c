// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of a plan on one rank. Receives are posted and devices read first, as far as the window goes. Then each
// rank goes round its channels: what is read is sent, what has arrived is written, and the next message takes the place
// of one that is done; so the hops of different messages overlap. It waits only for messages, and for all channels at
// once: ranks whose windows are full wait for one another otherwise. Between ranks that share memory, devices read into
// rooms there, and write from them, instead of staging (cdm::Loan). Where their devices do, rooms
// are in devices' memory (DeviceLinks), and nobody waits for reads: the receiver's device does, before it writes.
#include <algorithm>

#include "executor/executor_impl.h"

namespace muster::cap {
namespace {

// What one of so many channels may have under way.
std::size_t roomOf(const PipelineLimits& limits, std::size_t channels) {
  return std::max(2 * limits.messageBytes, limits.windowBytes / std::max<std::size_t>(1, channels));
}

template <class Channel>
bool mayOpen(const Channel& channel, std::size_t room) {
  return !channel.waiting.empty() &&
         (channel.underWay.empty() || channel.bytes + channel.waiting.front()->bytes <= room);
}

template <class Channel>
auto& open(Channel& channel) {
  auto& passage = channel.underWay.emplace_back();
  passage.message = channel.waiting.front();
  channel.waiting.pop_front();
  channel.bytes += passage.message->bytes;
  return passage;
}

template <class Channel>
auto takeOldest(Channel& channel) {
  auto passage = std::move(channel.underWay.front());
  channel.underWay.pop_front();
  channel.bytes -= passage.message->bytes;
  return passage;
}

template <class Channel>
void putBack(Channel& channel) {
  const auto* message = channel.underWay.back().message;
  channel.bytes -= message->bytes;
  channel.waiting.push_front(message);
  channel.underWay.pop_back();
}

// `step` opens one message of a channel, or says that it has to wait.
template <class Channels, class Step>
Result<bool> openInTurn(Channels& channels, const PipelineLimits& limits, const Step& step) {
  const std::size_t room = roomOf(limits, channels.size());
  bool any = false;
  for (bool opened = true; opened;) {
    opened = false;
    for (auto& [rank, channel] : channels) {
      if (!mayOpen(channel, room)) continue;
      const Result<bool> stepped = step(open(channel));
      if (!stepped.ok()) return stepped;
      if (*stepped) {
        opened = true;
      } else {
        putBack(channel);
      }
    }
    any |= opened;
  }
  return any;
}

}  // namespace

bool Executor::Impl::Transfer::sparesElements(MemoryId memory, const LaunchSpec& spec,
                                              const std::vector<Interval>& elements) const {
  const auto apart = [&](const Message* message) {
    if (message->from != memory) return true;
    for (const Copy* copy : message->copies) {
      for (std::size_t i = 0; i < elements.size(); ++i) {
        if (spec.arrays[i].array == copy->array && !copy->elements.intersect(elements[i]).empty()) return false;
      }
    }
    return true;
  };
  const auto allApart = [&](const Channel& channel) {
    return std::all_of(channel.waiting.begin(), channel.waiting.end(), apart);
  };
  return allApart(staged) &&
         std::all_of(outgoing.begin(), outgoing.end(), [&](const auto& entry) { return allApart(entry.second); });
}

Result<bool> Executor::Impl::openReceives(Channels& channels, std::uint64_t sequence) {
  return openInTurn(channels, options_.pipeline, [&](Passage& passage) -> Result<bool> {
    const Message& message = *passage.message;
    const int from = rankOf(message.from);
    const bool loan = isLoan(message, from);
    const auto direct = loan ? Result<bool>(true) : useDirectly(passage, message.to);
    if (!direct.ok()) return direct.status();
    if (!*direct) {
      const std::size_t window = options_.pipeline.windowBytes;
      MUSTER_TRY(retireWrites(window - std::min(window, message.bytes)));
      MUSTER_TRY(stage(passage, message.to));
    }
    passage.beganNs = trace_.nowDetailed();
    const std::uint64_t number = tag(sequence, message.index);
    auto request = loan ? transport_.borrow(from, number, loanBytes(message), &passage.loan)
                        : transport_.receive(from, number, passage.bytes);
    if (!request.ok()) return request.status();
    passage.request = std::move(*request);
    return true;
  });
}

Result<bool> Executor::Impl::openSources(Channels& channels) {
  return openInTurn(channels, options_.pipeline, [&](Passage& passage) -> Result<bool> {
    const Message& message = *passage.message;
    if (isLoan(message, rankOf(message.to))) {
      const Result<bool> taken = takeRoom(passage);
      if (!taken.ok() || !*taken) return taken;
    } else {
      auto direct = hasUntouched(message) ? Result<bool>(false) : useDirectly(passage, message.from);
      if (!direct.ok() || *direct) return direct;
      MUSTER_TRY(stage(passage, message.from));
    }
    MUSTER_TRY(gather(passage));
    return true;
  });
}

Status Executor::Impl::openStaged(Channel& channel) {
  while (mayOpen(channel, roomOf(options_.pipeline, 1))) {
    Passage& passage = open(channel);
    passage.beganNs = trace_.nowDetailed();
    MUSTER_TRY(stage(passage, passage.message->from));
    MUSTER_TRY(gather(passage));
  }
  return {};
}

Status Executor::Impl::sendNext(Channel& channel, std::uint64_t sequence) {
  Passage& passage = channel.underWay[channel.sent];
  if (passage.rooms == nullptr) {
    MUSTER_TRY(waitFor(passage.reads));
  } else {
    cdm::ComputeDevice& device = storageOf(passage.message->from)->device();
    MUSTER_TRY(device.signalFilled(*passage.rooms, passage.loan.number).at(where(device)));
  }
  passage.beganNs = trace_.nowDetailed();
  const int to = rankOf(passage.message->to);
  const std::uint64_t number = tag(sequence, passage.message->index);
  auto request = passage.loan.held != nullptr ? transport_.lend(to, number, std::move(passage.loan))
                                              : transport_.send(to, number, passage.bytes);
  if (!request.ok()) return request.status();
  passage.request = std::move(*request);
  ++channel.sent;
  return {};
}

Result<bool> Executor::Impl::advanceOutgoing(Channels& channels, std::uint64_t sequence) {
  bool progressed = false;
  for (auto& [rank, channel] : channels) {
    while (channel.sent > 0) {
      const Result<bool> complete = cdm::Transport::test(channel.underWay.front().request);
      if (!complete) return complete.status();
      if (!*complete) break;
      Passage passage = takeOldest(channel);
      --channel.sent;
      trace_.message(TraceEvent::Kind::send, *passage.message, rankOf(passage.message->to), passage.beganNs);
      if (passage.staging.memory != nullptr) keepStaging(std::move(passage.staging));
      progressed = true;
    }
  }
  Result<bool> opened = openSources(channels);
  if (!opened.ok()) return opened;
  progressed |= *opened;
  for (auto& [rank, channel] : channels) {
    if (channel.sent == channel.underWay.size()) continue;
    MUSTER_TRY(sendNext(channel, sequence));
    progressed = true;
  }
  return progressed;
}

Result<bool> Executor::Impl::advanceIncoming(Channels& channels, std::uint64_t sequence) {
  bool progressed = false;
  for (auto& [rank, channel] : channels) {
    while (!channel.underWay.empty()) {
      const Result<bool> complete = cdm::Transport::test(channel.underWay.front().request);
      if (!complete) return complete.status();
      if (!*complete) break;
      Passage& passage = channel.underWay.front();
      trace_.message(TraceEvent::Kind::receive, *passage.message, rankOf(passage.message->from), passage.beganNs);
      const int from = rankOf(passage.message->from);
      const bool loan = passage.loan.held != nullptr;
      if (loan) useLoan(passage, passage.message->to);
      if (passage.rooms != nullptr) {
        cdm::ComputeDevice& device = storageOf(passage.message->to)->device();
        MUSTER_TRY(device.awaitFilled(*passage.rooms, passage.loan.number).at(where(device)));
      }
      if (loan || passage.staging.memory != nullptr) MUSTER_TRY(scatter(passage));
      if (loan) {
        const cdm::DeviceRooms* const rooms = passage.rooms;
        const std::size_t all =
            rooms != nullptr ? rooms->count * rooms->roomBytes : transport_.loanLimits(from).allBytes;
        MUSTER_TRY(retireWrites(all / 2));
      }
      (void)takeOldest(channel);
      progressed = true;
    }
  }
  if (progressed) MUSTER_TRY(openReceives(channels, sequence).status());
  return progressed;
}

Result<bool> Executor::Impl::advanceStaged(Channel& channel) {
  if (channel.underWay.empty()) return false;
  // It stays in its channel until nothing of it can fail: what it leaves under way may use its memory.
  MUSTER_TRY(waitFor(channel.underWay.front().reads));
  MUSTER_TRY(scatter(channel.underWay.front()));
  const Passage passage = takeOldest(channel);
  trace_.message(TraceEvent::Kind::copy, *passage.message, -1, passage.beganNs);
  const std::size_t window = options_.pipeline.windowBytes;
  MUSTER_TRY(retireWrites(window - std::min(window, passage.message->bytes)));
  MUSTER_TRY(openStaged(channel));
  return true;
}

Result<bool> Executor::Impl::advance(Transfer& transfer, std::uint64_t sequence) {
  Result<bool> sent = advanceOutgoing(transfer.outgoing, sequence);
  if (!sent) return sent;
  Result<bool> received = advanceIncoming(transfer.incoming, sequence);
  if (!received) return received;
  Result<bool> moved = advanceStaged(transfer.staged);
  if (!moved) return moved;
  return *sent || *received || *moved;
}

void Executor::Impl::sortMessages(Transfer& transfer, std::vector<const Message*>& here) {
  const int me = transport_.rank();
  const auto turn = [&](int rank) { return (rank - me + transport_.size()) % transport_.size(); };
  const auto deviceOf = [&](MemoryId memory) { return memory == hostMemory ? nullptr : &storageOf(memory)->device(); };
  // A piece of host memory has to lie between them.
  const auto areApart = [&](MemoryId from, MemoryId to) {
    const cdm::ComputeDevice *source = deviceOf(from), *target = deviceOf(to);
    return source != nullptr && target != nullptr && !source->info().hostAddressable &&
           !target->info().hostAddressable && !links_.isDirect(from, to);
  };
  for (const Message& message : transfer.messages) {
    const int from = rankOf(message.from), to = rankOf(message.to);
    if (from == me && to == me) {
      (areApart(message.from, message.to) ? transfer.staged.waiting.push_back(&message) : here.push_back(&message));
    } else if (from == me) {
      transfer.outgoing[turn(to)].waiting.push_back(&message);
    } else if (to == me) {
      transfer.incoming[turn(from)].waiting.push_back(&message);
    }
  }
}

std::span<const Copy> Executor::Impl::copiesOf(const Plan& plan, Transfer& transfer) const {
  if (plan.spreads.empty()) return plan.copies;
  transfer.own = plan.copiesOf([this](MemoryId memory) { return rankOf(memory) == transport_.rank(); });
  return transfer.own;
}

Status Executor::Impl::beginTransfer(Transfer& transfer, std::span<const Copy> copies, std::uint64_t sequence) {
  if (copies.empty()) return {};
  trace_.begin(sequence);
  MUSTER_TRY(retireWrites(0));
  const auto rankOf = [this](MemoryId memory) { return this->rankOf(memory); };
  const auto largest = [this](MemoryId from, MemoryId to) { return largestMessage(from, to); };
  transfer.parts = cutCopies(copies, largest);
  transfer.messages = groupCopies(transfer.parts.empty() ? copies : transfer.parts, rankOf, largest);
  std::vector<const Message*> here;
  sortMessages(transfer, here);
  MUSTER_TRY(openReceives(transfer.incoming, sequence).status());
  MUSTER_TRY(openSources(transfer.outgoing).status());
  for (const Message* message : here) {
    const std::int64_t beganNs = trace_.nowDetailed();
    MUSTER_TRY(copyHere(*message, transfer));
    trace_.message(TraceEvent::Kind::copy, *message, -1, beganNs);
  }
  return openStaged(transfer.staged);
}

Result<bool> Executor::Impl::waitForPeers(Transfer& transfer) {
  std::vector<cdm::RequestPtr*> oldest;
  for (Channels* channels : {&transfer.outgoing, &transfer.incoming}) {
    for (auto& [rank, channel] : *channels) {
      if (!channel.underWay.empty()) oldest.push_back(&channel.underWay.front().request);
    }
  }
  std::deque<cdm::RequestPtr> rooms;  // whose addresses stay
  for (auto& [rank, channel] : transfer.outgoing) {
    if (!mayOpen(channel, roomOf(options_.pipeline, transfer.outgoing.size()))) continue;
    const Message& message = *channel.waiting.front();
    auto room = transport_.awaitRoom(rankOf(message.to), loanBytes(message));
    if (!room.ok()) return room.status();
    oldest.push_back(&rooms.emplace_back(std::move(*room)));
  }
  if (oldest.empty()) return false;
  MUSTER_TRY(cdm::Transport::waitAny(oldest));
  return true;
}

Status Executor::Impl::endTransfer(Transfer& transfer, std::uint64_t sequence) {
  if (transfer.messages.empty()) return {};
  const TraceScope wait(trace_.sink(), TraceEvent::Kind::wait, sequence);
  for (;;) {
    const Result<bool> progressed = advance(transfer, sequence);
    if (!progressed) return progressed.status();
    if (*progressed) continue;
    const Result<bool> waited = waitForPeers(transfer);
    if (!waited.ok()) return waited.status();
    if (!*waited) break;
  }
  MUSTER_TRY(waitFor(transfer.reads));
  for (const auto& [device, write] : directWrites_) MUSTER_TRY(device->waitForSource(write).at(where(*device)));
  directWrites_.clear();
  return {};
}

}  // namespace muster::cap
