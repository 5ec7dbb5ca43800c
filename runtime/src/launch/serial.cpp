// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Teams as the plain program would have them. Any thread; a thread's regions concern that thread alone.
#include "launch/serial.h"

#include <algorithm>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/memory/host_memory.h"
#include "launch/own_elements.h"
#include "launch/step_back.h"
#include "launch/thread_parts.h"
#include "muster/cdm/iterations.h"
#include "native/openmp.h"
#include "registry/functions.h"
#include "session/program/session.h"

namespace muster::rt {
namespace {

// A region that one thread runs, in place of the team that it asks for.
struct Team {
  int level = 0;        // of the code inside
  int threads = 1;      // of the team
  bool one = false;     // the program asks for one thread
  bool really = false;  // the team itself runs the region; its level is none
};

constexpr int kNoLevel = -1;

thread_local std::vector<Team> teams;

// Regions inside are not nested deeper than the plain program's would be: they get one thread where it allows no more.
bool nestsTooDeep(const OpenMpLevels& levels) {
  const auto several =
      std::count_if(teams.begin(), teams.end(), [](const Team& team) { return !team.one && !team.really; });
  return levels.active + several >= levels.mostActive;
}

// The team that runs what stands here, not a region inside of it; nullptr: none that was noted.
Team* innermostTeam(int level) { return !teams.empty() && teams.back().level == level ? &teams.back() : nullptr; }

bool isOneChunk(const muster_launch& launch) {
  if (launch.chunk == 0) return false;
  // How many of the dims it counts is not known: at least the first one.
  if (launch.chunk == MUSTER_CHUNK_RUNTIME) {
    const int chunk = openMpRuntimeSchedule().chunk;
    return chunk > 1 && chunk >= launch.dims[0].count;
  }
  return launch.chunk > 1 && launch.chunk >= cdm::iterationsOf(1, std::span(launch.dims, launch.kernel->n_dims));
}

const char* whyOneThread(const muster_launch& launch) {
  if (launch.threads == 1) return "its num_threads clause asks for one thread";
  if (isOneChunk(launch)) return "its schedule gives all iterations to one thread";
  const OpenMpLevels levels = openMpLevels();
  if ((launch.kernel->flags & MUSTER_KERNEL_OF_TEAM) != 0) {
    const Team* const team = innermostTeam(levels.level);
    if (team == nullptr) return "it is not called by a parallel region";
    return team->one ? "its parallel region has one thread" : nullptr;
  }
  if (nestsTooDeep(levels)) return "it is nested in a parallel region";
  return launch.threads == 0 && programWantsOneThread() ? "omp_set_num_threads asks for one thread, or "
                                                          "omp_get_max_threads or omp_get_num_threads told the program "
                                                          "of one"
                                                        : nullptr;
}

// Functions of other units are no business of one thread alone. The report has regions among the loops.
bool keepsTeam(const muster_calls& calls) {
  const std::string& why = functionTable().whyTeam(calls);
  if (why.empty()) return false;
  Session* const session = Session::current();
  if (session == nullptr || !session->reporting()) return true;
  static std::mutex mutex;
  static auto& names = *new std::unordered_map<const muster_calls*, muster_kernel>;
  const std::lock_guard lock(mutex);
  muster_kernel& name = names[&calls];
  name.name = "parallel region";
  name.loc = calls.loc;
  noteStepBack(*session, name, "with its whole team, on rank 0's CPU: " + why);
  return true;
}

}  // namespace

bool mayShareElements(const muster_kernel& kernel, void* const* arrays) {
  for (unsigned a = 0; a < kernel.n_arrays; ++a) {
    if (kernel.arrays[a].mode == MUSTER_READ) continue;
    const HostArray* const array = hostMemory().find(arrays[a]);
    if (array == nullptr) return true;
    for (unsigned b = 0; b < kernel.n_arrays; ++b)
      if (b != a && hostMemory().find(arrays[b]) == array) return true;
  }
  return false;
}

bool mayShareElements(const muster_launch& launch) {
  return mayShareElements(*launch.kernel, launch.arrays) && !haveOwnElements(launch);
}

int threadsOfRegion(const muster_launch& launch) {
  if ((launch.kernel->flags & MUSTER_KERNEL_OF_TEAM) == 0) return 0;
  const Team* const team = innermostTeam(openMpLevels().level);
  return team != nullptr ? team->threads : 0;
}

bool hasThreadParts(const muster_launch& launch) {
  if (launch.chunk == MUSTER_CHUNK_RUNTIME) {
    const RuntimeSchedule schedule = openMpRuntimeSchedule();
    if (!schedule.hasBounds || schedule.chunk != 0) return false;
  } else if (launch.chunk != 0) {
    return false;
  }
  if ((launch.flags & MUSTER_LAUNCH_CHUNKS) != 0) return true;
  const bool mayCarry = (launch.kernel->flags & MUSTER_KERNEL_CHUNKS_CARRY) != 0;
  // The numbers may be in memory, or only decide what an iteration does.
  if (functionTable().tellsThreads() && (mayCarry || mayShareElements(launch))) return true;
  if (!mayCarry) return false;
  const int team = launch.threads > 0 ? static_cast<int>(launch.threads) : threadsOfRegion(launch);
  return writesPartsOf(launch, team > 0 ? team : openMpThreads());
}

bool isUneven(const muster_launch& launch) {
  return launch.chunk == MUSTER_CHUNK_RUNTIME ? openMpRuntimeSchedule().isDynamic
                                              : (launch.flags & MUSTER_LAUNCH_UNEVEN) != 0;
}

const char* whyInChunks(const muster_launch& launch, bool hasParts) {
  // Where chunks of a guided schedule end is nothing that a program can know.
  if (launch.chunk == MUSTER_CHUNK_RUNTIME) {
    const RuntimeSchedule schedule = openMpRuntimeSchedule();
    if (!hasParts && (!schedule.hasBounds || schedule.chunk <= 1)) return nullptr;
  } else if (!hasParts && (launch.flags & MUSTER_LAUNCH_CHUNKS) == 0) {
    return nullptr;
  }
  const bool shown = (launch.kernel->flags & MUSTER_KERNEL_CHUNKS_CARRY) == 0;
  if (shown && !mayShareElements(launch)) return nullptr;
  return hasParts ? "its iterations may give each other values within the part of them that each thread gets; "
                    "order(concurrent) says that they do not"
                  : "its iterations may give each other values within the chunks of its schedule; order(concurrent) "
                    "says that they do not";
}

const char* whySerial(const muster_launch& launch) {
  if ((launch.flags & MUSTER_LAUNCH_SERIAL) != 0) return "its `if` clause says so";
  const char* const why = whyOneThread(launch);
  if (why == nullptr) return nullptr;
  const bool shown = (launch.kernel->flags & MUSTER_KERNEL_MAY_CARRY) == 0 && (launch.flags & MUSTER_LAUNCH_HOST) == 0;
  return shown && !mayShareElements(launch) ? nullptr : why;
}

}  // namespace muster::rt

using muster::rt::teams;

extern "C" {

void muster_team_begin(int threads, int condition, const muster_calls* calls) {
  if (calls != nullptr && muster::rt::keepsTeam(*calls)) {
    const int team = condition == 0 ? 1 : threads > 0 ? threads : std::max(1, muster::rt::openMpThreads());
    teams.push_back({.level = muster::rt::kNoLevel, .threads = team, .really = true});
    return;
  }
  const muster::rt::OpenMpLevels levels = muster::rt::openMpLevels();
  const bool one = condition == 0 || threads == 1 || muster::rt::nestsTooDeep(levels) ||
                   (threads <= 0 && muster::rt::programWantsOneThread());
  const int team = threads > 0 ? threads : muster::rt::openMpThreads();
  teams.push_back({.level = levels.level + 1, .threads = one ? 1 : team, .one = one});
}

void muster_team_end(void) { teams.pop_back(); }

int muster_region_threads(void) { return teams.back().really ? teams.back().threads : 1; }

int muster_region_alone(void) { return muster::rt::innermostTeam(muster::rt::openMpLevels().level) != nullptr ? 1 : 0; }

int muster_team_threads(void) {
  const int level = muster::rt::openMpLevels().level;
  muster::rt::Team* team = muster::rt::innermostTeam(level);
  if (team == nullptr) team = muster::rt::innermostTeam(level + 1);  // right in front of its region
  if (team == nullptr) return muster::rt::openMpThreads();
  if (team->threads == 1) team->one = true;  // whoever is told so may count on it
  return team->threads;
}

}  // extern "C"
