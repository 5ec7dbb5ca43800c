// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operation.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::mpi {

Operation::Operation(const CallShape& shape, Word* arguments, Lasts lasts, const Abi& abi, const char* call)
    : lasts_(lasts), counts_(shape.counts), active_(lasts != Lasts::starts) {
  const bool alone = !abi.hasThreads();
  for (const BufferUse& use : usesOf(shape, arguments, abi)) {
    Word& address = arguments[use.buffer->at];
    const Group& group = use.buffer->group;
    const bool far = address == 0 || (group.type == 't' && abi.reachesFar(arguments[group.typeAt]));  // 0: MPI_BOTTOM
    // Only of messages: pipelines of collective calls rely on equal counts in all processes (Open MPI's do).
    const bool isMessage = use.buffer->peer >= 0, ownType = group.own && isMessage;
    const Circumstances now{lasts, far, shape.counts == Counts::nothing, alone, ownType, isMessage, call};
    Transfer transfer(reinterpret_cast<void*>(address), use, now,
                      [&] { return blocksOf(shape, use, arguments, abi); });
    if (transfer.isNothing()) continue;
    address = reinterpret_cast<Word>(transfer.address());
    if (const auto elements = transfer.elements()) {
      arguments[group.countAt] = elements->count;
      arguments[group.typeAt] = elements->type;
    }
    transfers_.push_back(std::move(transfer));
  }
  if (shape.target >= 0) target_ = static_cast<int>(arguments[shape.target]);
}

bool Operation::receives() const {
  return std::ranges::any_of(transfers_, [](const Transfer& transfer) { return transfer.receives(); });
}

bool Operation::borrows() const {
  return std::ranges::any_of(transfers_, [](const Transfer& transfer) { return transfer.borrows(); });
}

bool Operation::isOver() const {
  return std::ranges::none_of(transfers_, [](const Transfer& transfer) { return transfer.goesOn(); });
}

void Operation::land() {
  for (Transfer& transfer : transfers_) transfer.land();
}

void Operation::start() {
  active_ = true;
  for (Transfer& transfer : transfers_) transfer.start();
}

void Operation::end(std::size_t received) {
  if (!std::exchange(active_, false)) return;
  for (Transfer& transfer : transfers_) transfer.end(received);
}

void OpenOperations::add(Word key, std::shared_ptr<Operation> operation) {
  const std::lock_guard lock(mutex_);
  open_.emplace(key, std::move(operation));
  count_.store(open_.size(), std::memory_order_release);
}

std::shared_ptr<Operation> OpenOperations::find(Word key) const {
  if (!any()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(key);
  return found == open_.end() ? nullptr : found->second;
}

std::shared_ptr<Operation> OpenOperations::takeOne(Word key) {
  if (!any()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(key);
  if (found == open_.end()) return nullptr;
  std::shared_ptr<Operation> taken = std::move(found->second);
  open_.erase(found);
  count_.store(open_.size(), std::memory_order_release);
  return taken;
}

std::vector<std::shared_ptr<Operation>> OpenOperations::take(Word key, const Word* target) {
  std::vector<std::shared_ptr<Operation>> taken;
  if (!any()) return taken;
  const std::lock_guard lock(mutex_);
  auto [at, end] = open_.equal_range(key);
  while (at != end) {
    const bool isMeant = target == nullptr || at->second->target() == *target;
    if (isMeant) taken.push_back(std::move(at->second));
    at = isMeant ? open_.erase(at) : std::next(at);
  }
  count_.store(open_.size(), std::memory_order_release);
  return taken;
}

OpenOperations& openRequests() {
  static auto& open = *new OpenOperations;  // programs complete requests in static destructors
  return open;
}

OpenOperations& openAccesses() {
  static auto& open = *new OpenOperations;
  return open;
}

}  // namespace muster::mpi
