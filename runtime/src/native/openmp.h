// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program's OpenMP runtime keeps per thread, and native chunks in another thread have to follow. The program
// brings that runtime, or none; libmuster itself needs none.
#pragma once

namespace muster::rt {

// The settings that a chunk's `omp parallel for` obeys.
class OpenMpSettings {
 public:
  // Those of the calling thread.
  [[nodiscard]] static OpenMpSettings current();
  // Makes them the calling thread's.
  void apply() const;

  bool operator==(const OpenMpSettings&) const = default;

 private:
  int threads_ = 0;  // 0: there is no OpenMP runtime
  int dynamic_ = 0;
  int levels_ = 0;
  int schedule_ = 0, chunk_ = 0;
};

// Before the process ends without its destructors. LLVM's runtime registers each process in a file in /dev/shm, which
// would stay; a later process with the same number follows an address that it finds there.
void leaveOpenMp();

// The calling thread works inside of a parallel region.
[[nodiscard]] bool insideOpenMpRegion();
// The same, and of parallel regions of several threads, `active`; how many of them may be nested.
struct OpenMpLevels {
  int level = 0, active = 0, mostActive = 1;
};
[[nodiscard]] OpenMpLevels openMpLevels();

// That the process may use.
[[nodiscard]] int processorsOfProcess();

// How many threads a region of the calling thread gets that does not say so; 0: there is no OpenMP runtime.
[[nodiscard]] int openMpThreads();
// Says so for the calling thread, of the runtime's own accord. Without an OpenMP runtime, which libmuster itself does
// not need, nothing.
void setOpenMpThreads(unsigned threads);
// The program asked for one thread (omp_set_num_threads), or was told that it has one (omp_get_max_threads, or
// omp_get_num_threads in a region), and may count on it. Not where only the environment, or the cores that a launcher
// gives a rank, say so: devices are no threads.
[[nodiscard]] bool programWantsOneThread();
// The program says how many threads there are, or is told that there is one (session/interpose/interpose_openmp.cpp).
void noteThreadsOfProgram();
// The program is told that a region has one thread. That says nothing about its other loops where a chunk is told, or
// where the region that asks has several threads: then it is about regions inside.
void noteOneThreadTold();

// While it lives, the calling thread runs a chunk of a loop. What the chunk is told concerns that loop alone, and may
// come before or after the next launch.
class ChunkScope {
 public:
  ChunkScope();
  ~ChunkScope();
  ChunkScope(const ChunkScope&) = delete;
  ChunkScope& operator=(const ChunkScope&) = delete;

 private:
  bool before_;
};

// While it lives, the calling thread is the first one of a team that computes a chunk beside the program's own threads.
// All threads of regions that it opens know: each region takes over this one's default device, of which it is a number.
class ChunkTeam {
 public:
  ChunkTeam();
  ~ChunkTeam();
  ChunkTeam(const ChunkTeam&) = delete;
  ChunkTeam& operator=(const ChunkTeam&) = delete;

 private:
  int before_ = 0;
};
// The calling thread is one of such a team.
[[nodiscard]] bool insideChunkTeam();

// A function of the OpenMP runtime's library; nullptr where there is none, or the program contains it.
[[nodiscard]] const void* openMpLibrary();

// What schedule(runtime) means to the calling thread.
struct RuntimeSchedule {
  int chunk = 0;           // 0: none
  bool hasBounds = false;  // the program knows where chunks end: the schedule is static or dynamic
  bool isDynamic = false;  // or guided
};
[[nodiscard]] RuntimeSchedule openMpRuntimeSchedule();

// While it lives, parallel regions of the calling thread have one thread, whatever their clauses say.
class OneThread {
 public:
  explicit OneThread(bool really);
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int levels_ = -1;
};

// While it lives, parallel regions of the calling thread that do not say how many threads they have have this many.
class TeamOfThreads {
 public:
  explicit TeamOfThreads(int threads);  // 0: as many as before
  ~TeamOfThreads();
  TeamOfThreads(const TeamOfThreads&) = delete;
  TeamOfThreads& operator=(const TeamOfThreads&) = delete;

 private:
  int before_ = 0;
};

// While it lives, parallel regions of the calling thread that do not say how many threads they have, and have as many
// as there are processors, leave one to another process. They still have two, at least.
class OneThreadLess {
 public:
  explicit OneThreadLess(bool really, int inUse = processorsOfProcess());
  ~OneThreadLess();
  OneThreadLess(const OneThreadLess&) = delete;
  OneThreadLess& operator=(const OneThreadLess&) = delete;

 private:
  int threads_ = 0;
};

// Before the runtime has a thread that uses OpenMP: the first use of OpenMP reads the environment, which the program's
// thread may change at any time.
void startOpenMp();

// Threads that a region of the calling thread used sleep soon after it instead of spinning for 200 ms, because those of
// another thread's regions may want the cores. What the user says in the environment goes first. After startOpenMp().
void shareCoresWithOtherOpenMpThreads();
// They spin again as before, unless the program has said something else meanwhile. For this thread's, which may call
// both in front of each launch.
void spinAsBefore();

}  // namespace muster::rt
