// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenMP's own functions, by name.
#include "native/openmp.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

namespace muster::rt {
namespace {

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// Behind the one of this library, which tells what the program does from what the runtime does.
template <class Function>
Function* findNext(const char* name) {
  auto* const next = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return next != nullptr ? next : find<Function>(name);
}

struct OpenMp {
  int (*getThreads)() = findNext<int()>("omp_get_max_threads");
  void (*setThreads)(int) = findNext<void(int)>("omp_set_num_threads");
  int (*getDynamic)() = find<int()>("omp_get_dynamic");
  void (*setDynamic)(int) = find<void(int)>("omp_set_dynamic");
  int (*getLevels)() = find<int()>("omp_get_max_active_levels");
  void (*setLevels)(int) = find<void(int)>("omp_set_max_active_levels");
  void (*getSchedule)(int*, int*) = find<void(int*, int*)>("omp_get_schedule");
  void (*setSchedule)(int, int) = find<void(int, int)>("omp_set_schedule");
  int (*getLevel)() = find<int()>("omp_get_level");
  int (*getActiveLevel)() = find<int()>("omp_get_active_level");
  int (*getDefaultDevice)() = find<int()>("omp_get_default_device");
  void (*setDefaultDevice)(int) = find<void(int)>("omp_set_default_device");

  [[nodiscard]] bool complete() const {
    return getThreads != nullptr && setThreads != nullptr && getDynamic != nullptr && setDynamic != nullptr &&
           getLevels != nullptr && setLevels != nullptr && getSchedule != nullptr && setSchedule != nullptr &&
           getLevel != nullptr && getActiveLevel != nullptr && getDefaultDevice != nullptr &&
           setDefaultDevice != nullptr;
  }
};

// nullptr where the program has none.
const OpenMp* openMp() {
  static const OpenMp* const complete = [] {
    static const OpenMp functions;
    return functions.complete() ? &functions : nullptr;
  }();
  return complete;
}

bool userSaysHowToWait = false;
constexpr int kSpinBriefly = 1;    // milliseconds
thread_local int spunBefore = -1;  // the same; -1: as it is

// When this library is loaded: OpenMP may bind the program's thread to one of them (OMP_PROC_BIND).
const int processors = static_cast<int>(std::thread::hardware_concurrency());

}  // namespace

OpenMpSettings OpenMpSettings::current() {
  OpenMpSettings settings;
  const OpenMp* const runtime = openMp();
  if (runtime == nullptr) return settings;
  settings.threads_ = runtime->getThreads();
  settings.dynamic_ = runtime->getDynamic();
  settings.levels_ = runtime->getLevels();
  runtime->getSchedule(&settings.schedule_, &settings.chunk_);
  return settings;
}

void OpenMpSettings::apply() const {
  const OpenMp* const runtime = openMp();
  if (runtime == nullptr || threads_ == 0 || current() == *this) return;
  runtime->setThreads(threads_);
  runtime->setDynamic(dynamic_);
  runtime->setLevels(levels_);
  runtime->setSchedule(schedule_, chunk_);
}

bool insideOpenMpRegion() {
  const OpenMp* const runtime = openMp();
  return runtime != nullptr && runtime->getLevel() > 0;
}

OpenMpLevels openMpLevels() {
  const OpenMp* const runtime = openMp();
  if (runtime == nullptr) return {};
  const int level = runtime->getLevel();
  return {.level = level, .active = level > 0 ? runtime->getActiveLevel() : 0, .mostActive = runtime->getLevels()};
}

int openMpThreads() {
  const OpenMp* const runtime = openMp();
  return runtime != nullptr ? runtime->getThreads() : 0;
}

void setOpenMpThreads(unsigned threads) {
  if (const OpenMp* const runtime = openMp(); runtime != nullptr) runtime->setThreads(static_cast<int>(threads));
}

namespace {
std::atomic<bool> threadsOfProgram{false};
thread_local bool runsChunk = false;
}  // namespace

void noteThreadsOfProgram() { threadsOfProgram.store(true, std::memory_order_relaxed); }

void noteOneThreadTold() {
  if (!runsChunk && openMpLevels().active == 0) noteThreadsOfProgram();
}

ChunkScope::ChunkScope() : before_(runsChunk) { runsChunk = true; }

ChunkScope::~ChunkScope() { runsChunk = before_; }

namespace {
constexpr int kChunkTeam = 0x4d537472;  // no device has it
}  // namespace

ChunkTeam::ChunkTeam() {
  const OpenMp* const runtime = openMp();
  if (runtime == nullptr) return;
  before_ = runtime->getDefaultDevice();
  runtime->setDefaultDevice(kChunkTeam);
}

ChunkTeam::~ChunkTeam() {
  if (openMp() != nullptr) openMp()->setDefaultDevice(before_);
}

bool insideChunkTeam() {
  const OpenMp* const runtime = openMp();
  return runtime != nullptr && runtime->getDefaultDevice() == kChunkTeam;
}

bool programWantsOneThread() { return threadsOfProgram.load(std::memory_order_relaxed) && openMpThreads() == 1; }

const void* openMpLibrary() {
  const void* const function = dlsym(RTLD_DEFAULT, "omp_get_level");
  Dl_info info;
  link_map* object = nullptr;
  if (function == nullptr || dladdr1(function, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0)
    return nullptr;
  return object->l_name[0] != '\0' ? function : nullptr;  // the program's own name is empty
}

RuntimeSchedule openMpRuntimeSchedule() {
  const OpenMp* const runtime = openMp();
  int schedule = 0, chunk = 0;
  if (runtime != nullptr) runtime->getSchedule(&schedule, &chunk);
  // omp_sched_static, omp_sched_dynamic and omp_sched_guided; the highest bit is omp_sched_monotonic.
  const unsigned kind = static_cast<unsigned>(schedule) & 0x7fffffffU;
  return {.chunk = chunk, .hasBounds = kind == 1 || kind == 2, .isDynamic = kind == 2 || kind == 3};
}

OneThread::OneThread(bool really) {
  if (!really) return;
  const OpenMp* const runtime = openMp();
  if (runtime == nullptr) return;
  levels_ = runtime->getLevels();
  runtime->setLevels(0);
}

OneThread::~OneThread() {
  if (levels_ >= 0) openMp()->setLevels(levels_);
}

TeamOfThreads::TeamOfThreads(int threads) {
  if (threads <= 0 || openMp() == nullptr) return;
  before_ = openMpThreads();
  openMp()->setThreads(threads);
}

TeamOfThreads::~TeamOfThreads() {
  if (before_ > 0) openMp()->setThreads(before_);
}

int processorsOfProcess() { return processors; }

OneThreadLess::OneThreadLess(bool really, int inUse) {
  constexpr int kFew = 2;
  const int threads = really ? openMpThreads() : 0;
  if (threads <= kFew || threads < inUse) return;
  threads_ = threads;
  openMp()->setThreads(threads - 1);
}

OneThreadLess::~OneThreadLess() {
  if (threads_ > 0) openMp()->setThreads(threads_);
}

void startOpenMp() {
  (void)openMpThreads();
  userSaysHowToWait = std::getenv("KMP_BLOCKTIME") != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr;
}

void shareCoresWithOtherOpenMpThreads() {
  if (userSaysHowToWait || spunBefore >= 0) return;
  auto* const setBlockTime = find<void(int)>("kmp_set_blocktime");
  auto* const blockTime = find<int()>("kmp_get_blocktime");
  if (setBlockTime == nullptr || blockTime == nullptr) return;
  spunBefore = blockTime();
  setBlockTime(kSpinBriefly);
}

void spinAsBefore() {
  const int before = std::exchange(spunBefore, -1);
  if (before >= 0 && find<int()>("kmp_get_blocktime")() == kSpinBriefly) find<void(int)>("kmp_set_blocktime")(before);
}

void leaveOpenMp() {
  const std::string name = fmt::format("/__KMP_REGISTERED_LIB_{}_{}", getpid(), getuid());
  (void)shm_unlink(name.c_str());  // there may be none
}

}  // namespace muster::rt
