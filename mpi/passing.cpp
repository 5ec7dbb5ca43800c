// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passing.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "muster/buffers.h"

namespace muster::mpi {
namespace {

constexpr std::size_t kAll = SIZE_MAX;

// A place for statuses that the program ignores, and that are needed to know how much came.
class Statuses {
 public:
  Statuses(Word& argument, int count, bool needed) : argument_(argument) {
    if (!needed || !abi().isIgnored(argument)) return;
    own_.resize(static_cast<std::size_t>(count) * abi().statusBytes() / sizeof(std::max_align_t) + 1);
    argument = reinterpret_cast<Word>(own_.data());
  }
  [[nodiscard]] Outcome outcome(Word result, int i) const {
    return abi().outcome(result, reinterpret_cast<const void*>(argument_), i);
  }
  [[nodiscard]] std::size_t received(int i, Counts counts) const {
    return abi().received(reinterpret_cast<const void*>(argument_), i, counts);
  }

 private:
  Word& argument_;
  std::vector<std::max_align_t> own_;
};

int& intAt(Word address) { return *reinterpret_cast<int*>(address); }

void endOf(Operation& operation, Word result, const Statuses& statuses, int i) {
  const Counts counts = operation.counts();
  if (result != success && statuses.outcome(result, i) != Outcome::complete) return operation.end(0);
  operation.end(counts != Counts::nothing ? statuses.received(i, counts) : kAll);
}

// Requests that are complete at once may be one and the same to MPI.
void keep(Word request, Operation operation) {
  const Counts counts = operation.counts();
  const auto completed = operation.repeats() ? std::nullopt : abi().completed(request, counts);
  if (completed)
    operation.end(counts != Counts::nothing ? *completed : kAll);
  else
    openRequests().add(request, std::make_shared<Operation>(std::move(operation)));
}

// Of the requests of one call, those with managed buffers. They are nobody else's meanwhile: MPI may use the handle of
// one that is complete for another thread's at once. Those that go on are put back.
class Requests {
 public:
  Requests(Word requests, int count) : count_(count) {
    for (int i = 0; openRequests().any() && i < count; ++i) {
      const Word request = abi().requestAt(requests, i);
      if (auto operation = openRequests().takeOne(request)) open_.push_back({i, request, std::move(operation)});
    }
  }
  ~Requests() {
    for (Open& open : open_)
      if (open.operation != nullptr) openRequests().add(open.request, std::move(open.operation));
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  [[nodiscard]] bool none() const { return open_.empty(); }
  [[nodiscard]] int count() const { return count_; }

  // Request i is complete, with this status.
  void end(int i, Word result, const Statuses& statuses, int status) {
    for (Open& open : open_) {
      if (open.i != i) continue;
      endOf(*open.operation, result, statuses, status);
      if (!open.operation->repeats()) open.operation = nullptr;
    }
  }
  void endAll(Word result, const Statuses& statuses) {
    for (const Open& open : open_)
      if (result == success || statuses.outcome(result, open.i) != Outcome::pending)
        end(open.i, result, statuses, open.i);
  }
  void start() {
    for (Open& open : open_) open.operation->start();
  }

 private:
  struct Open {
    int i;
    Word request;
    std::shared_ptr<Operation> operation;
  };
  int count_;
  std::vector<Open> open_;
};

// Sends of lent memory whose requests the program has freed. MPI keeps those until they are complete, and then the
// memory goes back.
class FreedSends {
 public:
  void add(Word request, std::shared_ptr<Operation> operation) {
    const std::lock_guard lock(mutex_);
    sends_.emplace_back(request, std::move(operation));
    any_.store(true, std::memory_order_release);
  }
  void sweep() {
    if (!any_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    std::erase_if(sends_, [](auto& send) {
      if (!abi().test(send.first)) return false;
      send.second->end(kAll);
      return true;
    });
    any_.store(!sends_.empty(), std::memory_order_release);
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> any_{false};
  std::vector<std::pair<Word, std::shared_ptr<Operation>>> sends_;
};

FreedSends& freedSends() {
  static auto& sends = *new FreedSends;
  return sends;
}

}  // namespace

Word passBuffers(Call& call, Word* arguments) {
  if (muster_buffers_matter() == 0) return call.next(arguments);
  freedSends().sweep();
  const CallShape& shape = call.shape();
  Operation operation(shape, arguments, call.lasts(), abi(), call.name());
  if (call.lasts() != Lasts::call) {
    const Word result = call.next(arguments);
    if (result != success || operation.isOver()) return result;
    if (shape.request >= 0)
      keep(abi().requestAt(arguments[shape.request], 0), std::move(operation));
    else
      openAccesses().add(shape.window >= 0 ? abi().handle(arguments[shape.window]) : arguments[shape.file],
                         std::make_shared<Operation>(std::move(operation)));
    return result;
  }
  if (shape.status >= 0) return endCounted(call, arguments, arguments[shape.status], operation);
  const Word result = call.next(arguments);
  operation.end(kAll);
  return result;
}

Word endCounted(Call& call, Word* arguments, Word& status, Operation& operation) {
  const Statuses statuses(status, 1, true);
  const Word result = call.next(arguments);
  endOf(operation, result, statuses, 0);
  return result;
}

Word holdBuffer(Call& call, Word* arguments) {
  muster_hold_array(reinterpret_cast<const void*>(arguments[0]), "MPI may use it at any time");
  return call.next(arguments);
}

Word detachBuffer(Call& call, Word* arguments) {
  const Word result = call.next(arguments);
  if (result == success) muster_release_array(*reinterpret_cast<void**>(arguments[0]));
  return result;
}

Word completeOne(Call& call, Word* arguments) {
  Requests requests(arguments[0], 1);
  const Statuses statuses(arguments[1], 1, !requests.none());
  const Word result = call.next(arguments);
  requests.endAll(result, statuses);
  return result;
}

Word testOne(Call& call, Word* arguments) {
  Requests requests(arguments[0], 1);
  const Statuses statuses(arguments[2], 1, !requests.none());
  const Word result = call.next(arguments);
  if (result == success && intAt(arguments[1]) != 0) requests.endAll(result, statuses);
  return result;
}

Word getStatus(Call& call, Word* arguments) {
  const auto operation = openRequests().any() ? openRequests().find(abi().handle(arguments[0])) : nullptr;
  const Statuses statuses(arguments[2], 1, operation != nullptr);
  const Word result = call.next(arguments);
  if (operation != nullptr && intAt(arguments[1]) != 0) endOf(*operation, result, statuses, 0);
  return result;
}

Word completeAll(Call& call, Word* arguments) {
  Requests requests(arguments[1], static_cast<int>(arguments[0]));
  const Statuses statuses(arguments[2], requests.count(), !requests.none());
  const Word result = call.next(arguments);
  requests.endAll(result, statuses);
  return result;
}

Word testAll(Call& call, Word* arguments) {
  Requests requests(arguments[1], static_cast<int>(arguments[0]));
  const Statuses statuses(arguments[3], requests.count(), !requests.none());
  const Word result = call.next(arguments);
  if (intAt(arguments[2]) != 0) requests.endAll(result, statuses);
  return result;
}

Word completeAny(Call& call, Word* arguments) {
  Requests requests(arguments[1], static_cast<int>(arguments[0]));
  const Statuses statuses(arguments[3], 1, !requests.none());
  const Word result = call.next(arguments);
  requests.end(intAt(arguments[2]), result, statuses, 0);
  return result;
}

Word testAny(Call& call, Word* arguments) {
  Requests requests(arguments[1], static_cast<int>(arguments[0]));
  const Statuses statuses(arguments[4], 1, !requests.none());
  const Word result = call.next(arguments);
  if (intAt(arguments[3]) != 0) requests.end(intAt(arguments[2]), result, statuses, 0);
  return result;
}

Word completeSome(Call& call, Word* arguments) {
  Requests requests(arguments[1], static_cast<int>(arguments[0]));
  const Statuses statuses(arguments[4], requests.count(), !requests.none());
  const Word result = call.next(arguments);
  if (requests.none()) return result;
  for (int i = 0; i < intAt(arguments[2]); ++i)  // MPI_UNDEFINED is negative
    requests.end(reinterpret_cast<const int*>(arguments[3])[i], result, statuses, i);
  return result;
}

Word startOne(Call& call, Word* arguments) {
  Requests requests(arguments[0], 1);
  requests.start();
  return call.next(arguments);
}

Word startAll(Call& call, Word* arguments) {
  Requests requests(arguments[1], static_cast<int>(arguments[0]));
  requests.start();
  return call.next(arguments);
}

// Nobody would hear of the end of what goes on yet: what is received is waited for, and what is sent keeps its memory.
Word freeRequest(Call& call, Word* arguments) {
  const Word request = openRequests().any() ? abi().requestAt(arguments[0], 0) : 0;
  const auto operation = openRequests().takeOne(request);
  if (operation == nullptr) return call.next(arguments);
  if (!operation->receives()) {
    operation->land();
    if (operation->borrows()) {
      freedSends().add(abi().takeRequest(arguments[0]), operation);
      return success;
    }
    (void)new std::shared_ptr<Operation>(operation);
    return call.next(arguments);
  }
  const Counts counts = operation->counts();
  const std::size_t came = abi().wait(arguments[0], counts);
  operation->end(counts != Counts::nothing ? came : kAll);
  return operation->repeats() ? call.next(arguments) : success;
}

}  // namespace muster::mpi
