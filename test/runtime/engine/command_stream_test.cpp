// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command stream: order, who runs what, errors, back-pressure; what host memory queued commands use; and that a
// launch comes back before it is done.
#include "engine/controller/command_stream.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <array>
#include <atomic>
#include <mutex>
#include <random>
#include <thread>
#include <tuple>

#include "engine/arrays/host_uses.h"
#include "native/openmp.h"
#include "test_job.h"

namespace muster::rt {
namespace {

using Number = CommandStream::Number;

// Something that tasks wait at until the test lets them go on.
class Gate {
 public:
  void open() {
    open_.store(true);
    open_.notify_all();
  }
  void pass() {
    reached_.store(true);
    reached_.notify_all();
    open_.wait(false);
  }
  void waitUntilReached() { reached_.wait(false); }
  void close() {
    open_.store(false);
    reached_.store(false);
  }

 private:
  std::atomic<bool> open_{false}, reached_{false};
};

CommandStream::Task passing(Gate& gate) {
  return {.run =
              [&gate] {
                gate.pass();
                return Status();
              },
          .native = true};
}

TEST(CommandStream, RunsTasksAtOnceBeforeItBegins) {
  CommandStream stream;
  int runs = 0;
  const auto first = stream.post({.run = [&] {
    ++runs;
    return Status();
  }});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(stream.done(*first));
  EXPECT_FALSE(stream.post({.run = [] { return Status(Errc::io, "no"); }}).ok());
}

TEST(CommandStream, KeepsTheOrderWhoeverRuns) {
  CommandStream stream;
  ASSERT_TRUE(stream.begin([](const Status&) {}).ok());
  std::vector<int> order;
  for (int i = 0; i < 2000; ++i) {
    const auto posted = stream.post({.run =
                                         [&order, i] {
                                           order.push_back(i);
                                           return Status();
                                         },
                                     .native = i % 3 == 0,
                                     .waitedFor = i % 5 == 0});
    ASSERT_TRUE(posted.ok());
    if (i % 5 == 0) {
      ASSERT_TRUE(stream.wait(*posted).ok());
      ASSERT_EQ(order.size(), static_cast<std::size_t>(i) + 1);
    }
  }
  ASSERT_TRUE(stream.waitForAll().ok());
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_TRUE(stream.end().ok());
}

TEST(CommandStream, NativeTasksRunInItsOwnThreadOnly) {
  CommandStream stream;
  ASSERT_TRUE(stream.begin([](const Status&) {}).ok());
  std::thread::id native, other;
  const auto note = [](std::thread::id& id) {
    return [&id] {
      id = std::this_thread::get_id();
      return Status();
    };
  };
  ASSERT_TRUE(stream.wait(*stream.post({.run = note(native), .native = true, .waitedFor = true})).ok());
  EXPECT_NE(native, std::this_thread::get_id());
  ASSERT_TRUE(stream.wait(*stream.post({.run = note(other), .waitedFor = true})).ok());
}

TEST(CommandStream, ATaskThatWouldWaitForItselfIsAnError) {
  CommandStream stream;
  ASSERT_TRUE(stream.begin([](const Status&) {}).ok());
  for (const bool native : {true, false}) {
    Status inside;
    const auto posted = stream.post({.run =
                                         [&] {
                                           inside = stream.waitForAll();
                                           return Status();
                                         },
                                     .native = native,
                                     .waitedFor = true});
    ASSERT_TRUE(stream.wait(*posted).ok());
    EXPECT_EQ(inside.code(), Errc::internal) << native;
  }
  EXPECT_TRUE(stream.end().ok());
}

TEST(CommandStream, AnErrorIsToldOnceAndStopsTheRest) {
  Gate gate;
  CommandStream stream;
  std::atomic<int> told{0}, later{0};
  ASSERT_TRUE(stream.begin([&](const Status&) { ++told; }).ok());
  ASSERT_TRUE(stream.post(passing(gate)).ok());
  ASSERT_TRUE(stream.post({.run = [] { return Status(Errc::io, "the second fails"); }}).ok());
  const auto third = stream.post({.run = [&] {
    ++later;
    return Status();
  }});
  gate.open();
  EXPECT_EQ(stream.wait(*third).code(), Errc::io);
  EXPECT_FALSE(stream.post({.run = [] { return Status(); }}).ok());
  EXPECT_FALSE(stream.end().ok());
  EXPECT_EQ(told, 1);
  EXPECT_EQ(later, 0);
}

TEST(CommandStream, WaitForRoomBoundsTheQueue) {
  Gate gate;
  CommandStream stream;
  ASSERT_TRUE(stream.begin([](const Status&) {}).ok());
  ASSERT_TRUE(stream.post(passing(gate)).ok());
  gate.waitUntilReached();
  for (int i = 0; i < 31; ++i) {
    ASSERT_TRUE(stream.waitForRoom().ok());
    ASSERT_TRUE(stream.post({.run = [] { return Status(); }}).ok());
  }
  std::atomic<bool> room{false};
  std::thread waiter([&] {
    EXPECT_TRUE(stream.waitForRoom().ok());
    room = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(room);
  gate.open();
  waiter.join();
  EXPECT_TRUE(room);
}

TEST(CommandStream, ThePosterCarriesATaskOutIfNothingIsInFront) {
  CommandStream stream;
  ASSERT_TRUE(stream.begin([](const Status&) {}).ok());
  for (int i = 0; i < 1000; ++i) {
    const CommandStream::Number number = stream.next();
    ASSERT_TRUE(stream.beginAtOnce());
    ASSERT_FALSE(stream.done(number));
    stream.endAtOnce({});
    ASSERT_TRUE(stream.done(number));
  }
}

TEST(CommandStream, AnErrorOfSuchATaskIsEverybodys) {
  CommandStream stream;
  std::atomic<int> told{0};
  ASSERT_TRUE(stream.begin([&](const Status&) { ++told; }).ok());
  ASSERT_TRUE(stream.beginAtOnce());
  stream.endAtOnce({Errc::deviceLost, "gone"});
  EXPECT_EQ(told, 1);
  EXPECT_EQ(stream.waitForAll().code(), Errc::deviceLost);
  EXPECT_FALSE(stream.beginAtOnce());
}

TEST(CommandStream, ATaskBehindAnotherIsNotCarriedOutAtOnce) {
  Gate gate;
  CommandStream stream;
  ASSERT_TRUE(stream.begin([](const Status&) {}).ok());
  ASSERT_TRUE(stream.post(passing(gate)).ok());
  gate.waitUntilReached();
  EXPECT_FALSE(stream.beginAtOnce());
  gate.open();
  EXPECT_TRUE(stream.waitForAll().ok());
  EXPECT_TRUE(stream.beginAtOnce());
  stream.endAtOnce({});
}

// Once, and not before a while: more may come.
TEST(CommandStream, WhatATaskLeavesBehindIsFlushedIfNoOtherComes) {
  CommandStream stream;
  std::atomic<bool> holds{false};
  std::atomic<int> flushes{0};
  ASSERT_TRUE(stream
                  .begin([](const Status&) {}, {.holds = [&] { return holds.load(); },
                                                .flush =
                                                    [&] {
                                                      holds = false;
                                                      ++flushes;
                                                      return Status();
                                                    }})
                  .ok());
  for (int round = 1; round <= 20; ++round) {
    ASSERT_TRUE(stream.beginAtOnce());
    holds = true;
    stream.endAtOnce({});
    for (int i = 0; i < 2000 && holds; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(flushes, round);
    // With the thread that flushes asleep, and with it looking.
    std::this_thread::sleep_for(std::chrono::milliseconds(round % 2 == 0 ? 20 : 0));
  }
}

TEST(CommandStream, AnErrorOfAFlushIsEverybodys) {
  CommandStream stream;
  ASSERT_TRUE(stream
                  .begin([](const Status&) {},
                         {.holds = [] { return true; }, .flush = [] { return Status(Errc::deviceLost, "gone"); }})
                  .ok());
  ASSERT_TRUE(stream.beginAtOnce());
  stream.endAtOnce({});
  for (int i = 0; i < 2000 && stream.waitForAll().ok(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(stream.waitForAll().code(), Errc::deviceLost);
}

// What others post meanwhile runs after it, and all of it runs; so do flushes between them.
TEST(CommandStream, TasksAtOnceKeepTheOrderAmongThreads) {
  CommandStream stream;
  std::mutex mutex;  // as the controller's
  std::atomic<int> inside{0}, wrong{0}, ran{0};
  const auto flush = [&] {
    wrong += inside.fetch_add(1) != 0;
    inside.fetch_sub(1);
    return Status();
  };
  ASSERT_TRUE(stream.begin([](const Status&) {}, {.holds = [] { return true; }, .flush = flush}).ok());
  int posted = 0;
  const auto program = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 3000; ++i) {
      EXPECT_TRUE(stream.waitForRoom().ok());
      const bool atOnce = random() % 2 != 0, waits = random() % 2 != 0;
      std::unique_lock lock(mutex);
      const auto run = [&, turn = posted++] {
        wrong += inside.fetch_add(1) != 0;
        wrong += ran.fetch_add(1) != turn;
        inside.fetch_sub(1);
        return Status();
      };
      if (atOnce && stream.beginAtOnce()) {
        lock.unlock();
        stream.endAtOnce(run());
        continue;
      }
      const auto task = stream.post({.run = run, .waitedFor = waits});
      ASSERT_TRUE(task.ok());
      lock.unlock();
      if (waits) EXPECT_TRUE(stream.wait(*task).ok());
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 3; ++seed) threads.emplace_back(program, seed);
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(stream.waitForAll().ok());
  EXPECT_EQ(ran, 9000);
  EXPECT_EQ(wrong, 0);
}

TEST(CommandStream, KnowsTheThreadsOfItsNativeCode) {
  Gate gate;
  CommandStream stream;
  ASSERT_TRUE(stream.begin([](const Status&) {}).ok());
  std::atomic<int> inside{0}, own{0};
  const auto compute = [&] {
    const CommandStream::NativeScope native(stream);
    own += stream.insideNative() ? 1 : 0;
#pragma omp parallel num_threads(3)
    inside += stream.insideNative() ? 1 : 0;
    gate.pass();
    return Status();
  };
  const auto posted = stream.post({.run = compute, .native = true});
  gate.waitUntilReached();
  EXPECT_FALSE(stream.insideNative());
  gate.open();
  ASSERT_TRUE(stream.wait(*posted).ok());
  EXPECT_EQ(own, 1);
  EXPECT_EQ(inside, 3);
}

// A chunk that computes until the gate is open, and may be overtaken.
CommandStream::Task computing(CommandStream& stream, Gate& gate, bool mayBeOvertaken = true) {
  return {.run =
              [&stream, &gate, mayBeOvertaken] {
                const CommandStream::NativeScope native(stream, mayBeOvertaken);
                gate.pass();
                return Status();
              },
          .native = true};
}

CommandStream::Task noting(std::vector<int>& order, int name, CommandStream::Overtakes overtakes, Number after = 0) {
  return {.run =
              [&order, name] {
                order.push_back(name);
                return Status();
              },
          .overtakes = overtakes,
          .after = after};
}

using Overtakes = CommandStream::Overtakes;

TEST(CommandStream, WhatIsWaitedForOvertakesAChunk) {
  Gate gate;
  CommandStream stream;
  ASSERT_TRUE(stream.begin([](const Status&) {}).ok());
  std::vector<int> order;
  const auto chunk = stream.post(computing(stream, gate));
  const auto next = stream.post(noting(order, 1, Overtakes::running));
  const auto queued = stream.post(noting(order, 2, Overtakes::nothing));
  const auto free = stream.post(noting(order, 3, Overtakes::others));
  const auto last = stream.post(noting(order, 4, Overtakes::others, *chunk));
  gate.waitUntilReached();
  ASSERT_TRUE(stream.wait(*last).ok());
  ASSERT_TRUE(stream.wait(*next).ok());
  ASSERT_TRUE(stream.wait(*free).ok());
  EXPECT_EQ(order, (std::vector<int>{4, 1, 3}));
  EXPECT_TRUE(stream.done(*last) && stream.done(*next) && stream.done(*free));
  EXPECT_FALSE(stream.done(*chunk) || stream.done(*queued));
  gate.open();
  ASSERT_TRUE(stream.waitForAll().ok());
  EXPECT_EQ(order, (std::vector<int>{4, 1, 3, 2}));
  EXPECT_TRUE(stream.done(*queued));
}

TEST(CommandStream, OvertakingHasItsLimits) {
  Gate gate;
  CommandStream stream;
  ASSERT_TRUE(stream.begin([](const Status&) {}).ok());
  std::vector<int> order;
  ASSERT_TRUE(stream.post(computing(stream, gate)).ok());
  const auto before = stream.post(noting(order, 1, Overtakes::nothing));
  const std::vector<Number> limited = {*stream.post(noting(order, 2, Overtakes::running)),
                                       *stream.post(noting(order, 3, Overtakes::others, *before)),
                                       *stream.post(noting(order, 4, Overtakes::nothing))};
  gate.waitUntilReached();
  std::vector<std::thread> waiters;
  for (const Number task : limited) waiters.emplace_back([&, task] { EXPECT_TRUE(stream.wait(task).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (const Number task : limited) EXPECT_FALSE(stream.done(task));
  gate.open();
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
  gate.close();
  const auto chunk = stream.post(computing(stream, gate, false));
  const auto after = stream.post(noting(order, 5, Overtakes::others));
  gate.waitUntilReached();
  std::thread waiter([&] { EXPECT_TRUE(stream.wait(*after).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(stream.done(*after));
  gate.open();
  waiter.join();
  EXPECT_TRUE(stream.done(*chunk));
}

TEST(CommandStream, AnErrorOfWhatOvertakesIsEverybodys) {
  Gate gate;
  CommandStream stream;
  std::atomic<int> told{0};
  ASSERT_TRUE(stream.begin([&](const Status&) { ++told; }).ok());
  ASSERT_TRUE(stream.post(computing(stream, gate)).ok());
  const auto fails = stream.post({.run = [] { return Status(Errc::io, "it fails"); }, .overtakes = Overtakes::running});
  gate.waitUntilReached();
  EXPECT_EQ(stream.wait(*fails).code(), Errc::io);
  EXPECT_FALSE(stream.post({.run = [] { return Status(); }}).ok());
  gate.open();
  EXPECT_FALSE(stream.waitForAll().ok());
  EXPECT_EQ(told, 1);
}

// Tasks of several threads over a few arrays: each array's come one after the other, and no two that are not native at
// once.
TEST(CommandStream, KeepsTheOrderOfWhatBelongsTogether) {
  constexpr int arrays = 4, threads = 3, tasks = 3000;
  CommandStream stream;
  ASSERT_TRUE(stream.begin([](const Status&) {}).ok());
  std::mutex mutex;  // as the controller's: who posts holds it
  std::array<Number, arrays> newest{};
  std::array<int, arrays> posted{};
  std::array<std::atomic<int>, arrays> ran{};
  std::atomic<int> inside{0}, wrong{0};
  const auto work = [&](int array, int turn) {
    wrong += inside.fetch_add(1) != 0;
    wrong += ran[static_cast<std::size_t>(array)].fetch_add(1) != turn;
    inside.fetch_sub(1);
    return Status();
  };
  const auto program = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < tasks; ++i) {
      EXPECT_TRUE(stream.waitForRoom().ok());
      Number number = 0;
      const bool waits = random() % 3 != 0;
      {
        const std::lock_guard lock(mutex);
        const auto array = static_cast<int>(random() % arrays);
        auto& last = newest[static_cast<std::size_t>(array)];
        const int turn = posted[static_cast<std::size_t>(array)]++;
        CommandStream::Task task;
        if (!waits && random() % 2 != 0) {
          task.native = true;
          task.run = [&, array, turn, spins = random() % 2000] {
            const Status status = work(array, turn);
            const CommandStream::NativeScope native(stream, true);
            for (volatile unsigned s = 0; s < spins; s = s + 1) {
            }
            return status;
          };
        } else {
          task.run = [&, array, turn] { return work(array, turn); };
          task.overtakes = random() % 2 != 0 ? Overtakes::others : Overtakes::running;
          task.after = last;
        }
        last = number = *stream.post(std::move(task));
      }
      if (waits) {
        EXPECT_TRUE(stream.wait(number).ok());
        EXPECT_TRUE(stream.done(number));
      }
    }
  };
  std::vector<std::thread> programs;
  for (unsigned t = 0; t < threads; ++t) programs.emplace_back(program, t + 1);
  for (std::thread& thread : programs) thread.join();
  EXPECT_TRUE(stream.waitForAll().ok());
  EXPECT_EQ(wrong, 0);
  for (std::size_t a = 0; a < arrays; ++a) EXPECT_EQ(ran[a], posted[a]);
}

TEST(OneThreadLess, LeavesAProcessorWhereAllAreInUse) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(4);
  for (const auto& [really, processors, threads] :
       {std::tuple(true, 4, 3), std::tuple(true, 3, 3), std::tuple(true, 5, 4), std::tuple(false, 4, 4)}) {
    {
      const OneThreadLess room(really, processors);
      EXPECT_EQ(omp_get_max_threads(), threads) << processors;
    }
    EXPECT_EQ(omp_get_max_threads(), 4);
  }
  omp_set_num_threads(2);
  {
    const OneThreadLess room(true, 2);
    EXPECT_EQ(omp_get_max_threads(), 2);
  }
  omp_set_num_threads(before);
}

TEST(OpenMpSettings, GoFromThreadToThread) {
  OpenMpSettings mine;
  std::thread setter([&] {
    omp_set_num_threads(5);
    omp_set_schedule(omp_sched_dynamic, 7);
    mine = OpenMpSettings::current();
  });
  setter.join();
  std::thread user([&] {
    mine.apply();
    EXPECT_EQ(omp_get_max_threads(), 5);
    omp_sched_t kind = omp_sched_static;
    int chunk = 0;
    omp_get_schedule(&kind, &chunk);
    EXPECT_EQ(kind, omp_sched_dynamic);
    EXPECT_EQ(chunk, 7);
    EXPECT_EQ(OpenMpSettings::current(), mine);
  });
  user.join();
}

// 0: none, when nothing is done.
Number newest(const HostUses& uses, std::uint32_t array, const cap::Interval& elements, bool write) {
  const auto pending = uses.newest(array, elements, write, [](const HostUses::Pending&) { return false; });
  return pending ? pending->command : 0;
}

// A fetch that overtook a launch is done before it: who frees the array, or writes what the launch reads, waits on.
TEST(HostUses, ADoneFetchDoesNotHideTheLaunchThatItOvertook) {
  HostUses uses;
  uses.note({1, {0, 100}, false}, 5);
  uses.note({1, {40, 50}, true}, 6);
  const auto onlyTheFetch = [](const HostUses::Pending& use) { return use.command == 6 && !use.andAllBefore; };
  EXPECT_EQ(uses.newest(1, {40, 50}, true, onlyTheFetch)->command, 5u);
  EXPECT_FALSE(uses.newest(1, {40, 50}, false, onlyTheFetch));
  for (int i = 0; i < 100; ++i) uses.note({1, {200 + i, 201 + i}, true}, 6);
  const auto joined = uses.newest(1, {0, 100}, true, onlyTheFetch);
  ASSERT_TRUE(joined);
  EXPECT_TRUE(joined->andAllBefore || joined->command == 5);
}

TEST(HostUses, ReadsWaitForWritesAndWritesForAll) {
  HostUses uses;
  uses.note({1, {10, 20}, false}, 5);
  uses.note({1, {15, 30}, true}, 6);
  EXPECT_EQ(newest(uses, 1, {0, 100}, false), 6u);
  EXPECT_EQ(newest(uses, 1, {10, 15}, false), 0u);
  EXPECT_EQ(newest(uses, 1, {10, 15}, true), 5u);
  EXPECT_EQ(newest(uses, 1, {30, 40}, true), 0u);
  EXPECT_EQ(newest(uses, 2, {0, 100}, true), 0u);
  uses.note({1, {10, 20}, false}, 9);
  EXPECT_EQ(newest(uses, 1, {10, 11}, true), 9u);
  uses.forgetArray(1);
  EXPECT_EQ(newest(uses, 1, {0, 100}, true), 0u);
}

TEST(HostUses, ManyUsesAreKeptAsHulls) {
  HostUses uses;
  for (int i = 0; i < 1000; ++i) uses.note({1, {10 * i, 10 * i + 1}, i % 2 == 0}, static_cast<Number>(i) + 1);
  EXPECT_EQ(newest(uses, 1, {9990, 10000}, true), 1000u);
  EXPECT_GE(newest(uses, 1, {0, 1}, false), 1u);
  EXPECT_EQ(newest(uses, 1, {20000, 20001}, true), 0u);
}

// ------------------------------------------------------------------ launches

Gate chunkGate;

// for (i = 0; i < n; ++i) x[i] = y[i] + 1, once the gate is open
void gatedNative(const muster_chunk* chunk) {
  chunkGate.pass();
  int* x = static_cast<int*>(chunk->arrays[0]);
  const int* y = static_cast<const int*>(chunk->arrays[1]);
  for (std::int64_t i = chunk->lo; i < chunk->hi; ++i) x[i] = y[i] + 1;
}

const muster_array_param gatedArrays[] = {{"x", 4, MUSTER_TYPE_I32, MUSTER_WRITE, 0, 0},
                                          {"y", 4, MUSTER_TYPE_I32, MUSTER_READ, 0, 0}};
const muster_access gatedAccesses[] = {{0, MUSTER_WRITE, 0, 3}, {1, MUSTER_READ, 0, 3}};
const muster_kernel gatedKernel = {MUSTER_ABI_VERSION,
                                   0,
                                   0x2001,
                                   "muster_test_gated",
                                   {"gated.cc", 3, 1},
                                   gatedNative,
                                   nullptr,
                                   "it waits",
                                   2,
                                   0,
                                   0,
                                   1,
                                   0,
                                   2,
                                   gatedArrays,
                                   nullptr,
                                   nullptr,
                                   gatedAccesses,
                                   nullptr};

void launchGated(testing::TestJob& job, int* x, int* y, std::int64_t n) {
  static const bool registered = [] {
    static const muster_kernel* const kernels[] = {&gatedKernel};
    registry().add(kernels, kernels + 1, MUSTER_ABI_VERSION);
    return true;
  }();
  ASSERT_TRUE(registered);
  const muster_dim dim{0, 1, n};
  const std::int64_t forms[] = {1, 0, 1, 0};
  void* const arrays[] = {x, y};
  muster_launch launch{};
  launch.struct_size = sizeof launch;
  launch.kernel = &gatedKernel;
  launch.dims = &dim;
  launch.forms = forms;
  launch.arrays = arrays;
  job.launch(launch);
}

TEST(AsyncLaunch, ComesBackAndOnlyItsOwnDataIsWaitedFor) {
  testing::TestJob job(1, "cpu", {}, {}, {.async = true});
  testing::Pair<int> x(job, 1000), y(job, 1000), other(job, 1000);
  y.fill([](std::size_t i) { return static_cast<int>(i); });
  chunkGate.close();
  launchGated(job, x.managed, y.managed, 500);  // returns while its chunk waits
  chunkGate.waitUntilReached();
  job.access(other.managed, 0, 1000, true);
  job.access(x.managed, 500, 1000, true);  // the loop leaves these alone
  std::atomic<bool> read{false};
  std::thread reader([&] {
    job.access(x.managed, 499, 500, false);
    read = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(read);
  chunkGate.open();
  reader.join();
  EXPECT_EQ(x.managed[499], 500);
}

// x = y + 1 on both ranks; then a chunk of this rank alone that takes long. What the other rank has comes without it.
TEST(AsyncLaunch, AFetchOvertakesAChunkThatItDoesNotDependOn) {
  testing::TestJob job(2, "cpu", {}, {}, {.async = true});
  testing::Pair<int> x(job, 1000), y(job, 1000), long1(job, 1000), long2(job, 1000);
  y.fill([](std::size_t i) { return static_cast<int>(i); });
  long2.fill([](std::size_t i) { return static_cast<int>(2 * i); });
  chunkGate.open();
  launchGated(job, x.managed, y.managed, 1000);
  ASSERT_TRUE(job.controller().setWeights({{1, 0}, 0, {}}).ok());
  job.access(x.managed, 0, 10, false);  // the first launch is done, on both ranks
  job.access(x.managed, 700, 710, false);
  chunkGate.close();
  launchGated(job, long1.managed, long2.managed, 1000);
  chunkGate.waitUntilReached();
  job.access(x.managed, 900, 1000, false);
  EXPECT_EQ(x.managed[999], 1000);
  job.access(x.managed, 800, 850, true);
  EXPECT_EQ(x.managed[800], 801);
  std::atomic<bool> read{false};
  std::thread reader([&] {
    job.access(long1.managed, 0, 1000, false);
    read = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(read);
  chunkGate.open();
  reader.join();
  EXPECT_EQ(long1.managed[999], 1999);
  job.access(x.managed, 0, 1000, false);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(x.managed[i], i + 1);
}

TEST(AsyncLaunch, ReleaseWaitsForWhatUsesTheArray) {
  testing::TestJob job(1, "cpu", {}, {}, {.async = true});
  chunkGate.close();
  int* x = job.create<int>(100);
  int* y = job.create<int>(100);
  launchGated(job, x, y, 100);
  std::thread opener([&] {
    chunkGate.waitUntilReached();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    chunkGate.open();
  });
  job.release(x);  // frees the memory too
  opener.join();
}

TEST(AsyncLaunch, WhatAQueuedLaunchReadsCanBeReadAndNotWritten) {
  testing::TestJob job(1, "cpu", {}, {}, {.async = true});
  testing::Pair<int> x(job, 100), y(job, 100);
  testing::TestArray& array = job.add(y.plain.data(), 100);
  chunkGate.close();
  launchGated(job, x.managed, y.plain.data(), 100);
  chunkGate.waitUntilReached();
  bool limited = false;
  const auto note = [&](const cap::ArrayState&, bool readOnly) {
    limited = readOnly;
    return Status();
  };
  ASSERT_TRUE(job.controller().hostAccess(array.id, cap::IntervalSet{{0, 100}}, cap::HostMode::read, note).ok());
  EXPECT_TRUE(limited);
  chunkGate.open();
  ASSERT_TRUE(job.controller().hostAccess(array.id, cap::IntervalSet{{0, 100}}, cap::HostMode::write, note).ok());
  EXPECT_FALSE(limited);
}

// Its time is in what launch() took.
TEST(AsyncLaunch, WhatItsPosterCarriesOutIsNotToldOnceMore) {
  testing::TestJob job(2, "cpu", {0, 1});
  std::atomic<int> told{0};
  job.controller().onLaunch([&](const muster_kernel&, double) { ++told; });
  ASSERT_TRUE(job.controller().beginStream([](const Status&) {}).ok());
  testing::Pair<int> x(job, 100), y(job, 100);
  chunkGate.open();
  const auto launchAlone = [&] {
    launchGated(job, x.managed, y.managed, 100);
    ASSERT_TRUE(job.controller().finishDevices().ok());
  };
  for (int i = 0; i < 3; ++i) launchAlone();
  const int before = told;
  EXPECT_GT(before, 0);  // of the first, which moves y
  for (int i = 0; i < 5; ++i) launchAlone();
  EXPECT_EQ(told, before);
}

}  // namespace
}  // namespace muster::rt
