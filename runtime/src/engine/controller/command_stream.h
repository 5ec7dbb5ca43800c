// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CommandStream: rank 0 carries out its own commands one after the other in a thread of its own, as every other rank
// does, so that the program goes on as soon as a launch is queued. Whoever waits for a command carries out what is in
// front of it itself where no other thread does, which saves the hand-over; native chunks are computed by the
// stream's thread only, so that they always use the same OpenMP threads. A task that only hands something to a device
// is run by its poster where nothing is in front of it (beginAtOnce): handing it to another thread would cost as much.
//
// While that thread computes, whoever waits for a task that may overtake carries it out beside the chunk: data that has
// nothing to do with a long chunk reaches the program without waiting for it. The chunk's own task goes on when no
// other task runs, so tasks still exclude each other in all but native code.
//
// Thread-safety: all functions but begin and end, from any thread. Locking rules: the controller's lock may be held by
// post(), never by wait() and waitForRoom(); tasks take neither the controller's lock nor post, and whoever runs them
// holds no lock of the stream meanwhile, so a task that lasts blocks nobody but those who wait for it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <set>

#include "muster/cdm/status.h"
#include "native/openmp.h"

namespace muster::rt {

class CommandStream {
 public:
  // Tasks count from 1 in the order in which they were posted.
  using Number = std::uint64_t;
  enum class Overtakes : std::uint8_t {
    nothing,
    running,  // the task that computes natively, if it is the next one after that
    others    // that one and those that are queued, as soon as task `after` is done or computes natively
  };
  struct Task {
    std::function<Status()> run;
    bool native = false;     // computes chunks natively
    bool waitedFor = false;  // the poster waits for it at once
    Overtakes overtakes = Overtakes::nothing;
    Number after = 0;
  };
  using OnError = std::function<void(const Status&)>;
  // For when a task left something behind that waits for more of its kind, and none comes. As tasks, both exclude all
  // others.
  struct Idle {
    std::function<bool()> holds;
    std::function<Status()> flush;
  };

  CommandStream() = default;
  ~CommandStream();
  CommandStream(const CommandStream&) = delete;
  CommandStream& operator=(const CommandStream&) = delete;

  // Before begin and after end, post() runs tasks itself. onError: once, in the thread of the task that failed, before
  // anybody who waits hears of it; it may end the process.
  Status begin(OnError onError, Idle idle = {});
  Status end();  // after all tasks
  [[nodiscard]] bool running() const { return running_; }

  Result<Number> post(Task task);
  // In place of post(): the caller carries the task out itself between these two, without a lock that tasks need.
  // False: something is in front of it.
  [[nodiscard]] bool beginAtOnce();
  void endAtOnce(const Status& status);
  // Until this task is done. The first error of any task is everybody's. spins: for so long at first, where another
  // thread carries tasks out; to be woken up takes longer than most of them.
  Status wait(Number task, std::chrono::microseconds spins = briefly);
  Status waitForAll();
  // Until this task and all before it are done.
  Status waitUntilAll(Number task);
  // Until few enough tasks are queued: keeps the program from running away from its devices.
  Status waitForRoom();
  [[nodiscard]] bool done(Number task) const;
  [[nodiscard]] bool allDoneUntil(Number task) const { return done_.load(std::memory_order_acquire) >= task; }
  // The number that the next post gets, for posters that exclude each other.
  [[nodiscard]] Number next() const { return posted_.load(std::memory_order_relaxed) + 1; }

  // While it lives, a task computes natively: the program's own code runs. `mayBeOvertaken`: what other tasks use and
  // what this one still needs afterwards are not in each other's way; its end waits for one that runs meanwhile.
  class NativeScope {
   public:
    explicit NativeScope(CommandStream& stream, bool mayBeOvertaken = false);
    ~NativeScope();
    NativeScope(const NativeScope&) = delete;
    NativeScope& operator=(const NativeScope&) = delete;

   private:
    CommandStream& stream_;
    const bool mayBeOvertaken_;
    const ChunkTeam team_;
  };
  // The calling thread computes a part of such a chunk: it must not wait for the stream, which waits for it.
  [[nodiscard]] bool insideNative() const;

 private:
  static constexpr std::chrono::microseconds briefly{20};
  // So many tasks are ahead of the running one at most: half of what flow control lets rank 0 be ahead of others.
  static constexpr Number kMostQueued = 31;

  struct Queued {
    Number number = 0;
    Task task;
  };
  using Lock = std::unique_lock<std::mutex>;

  static void* enter(void* self);
  void serve();
  void runFront(Lock& lock);
  void run(Task task, Lock& lock);
  // The task in front is done.
  void leave(Number number);
  // What came of a task: in the thread that ran it, true if it left something behind, and then under the lock.
  [[nodiscard]] bool told(const Status& status) const;
  void note(const Status& status, bool holds);
  void sleepUntilWork(Lock& lock);
  // True: there is work. Flushes what tasks left behind meanwhile.
  [[nodiscard]] bool watchUntilWork(Lock& lock);
  void flush(Lock& lock);
  [[nodiscard]] bool mayRunFront() const { return !busy_ && !queue_.empty(); }
  [[nodiscard]] bool hasWork() const { return mayRunFront() || (ending_ && queue_.empty() && !busy_); }
  [[nodiscard]] bool isDone(Number task) const { return allDoneUntil(task) || early_.count(task) > 0; }
  // Runs the task beside the one that computes natively, if it may overtake that.
  [[nodiscard]] bool overtake(Number task, Lock& lock);
  template <class Condition>
  Status waitUntil(const Condition& condition, Number task, std::chrono::microseconds spins = briefly);

  bool running_ = false;
  pthread_t thread_{};
  OnError onError_;
  Idle idle_;
  std::atomic<bool> native_{false};
  std::atomic<Number> posted_{0};
  std::atomic<Number> done_{0};  // all tasks up to this one are
  std::atomic<bool> anyEarly_{false};

  mutable std::mutex mutex_;  // of what follows
  std::deque<Queued> queue_;
  std::set<Number> early_;   // tasks that are done, of those behind done_
  bool busy_ = false;        // somebody runs the task that was in front
  bool open_ = false;        // it computes natively and may be overtaken
  bool overtaking_ = false;  // somebody runs a task beside it
  bool sleeping_ = false;    // the stream's thread
  bool watching_ = false;    // it looks now and then whether something is left behind
  bool holds_ = false;       // the last task left something behind
  bool ending_ = false;
  unsigned waiting_ = 0;  // threads in done signal's queue
  Status status_;
  std::condition_variable work_, doneSignal_;
};

}  // namespace muster::rt
