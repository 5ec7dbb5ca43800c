// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that watches neighbours and launcher.
#include "transport/mpi/watch.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "muster/cdm/backoff.h"
#include "muster/cdm/own_signals.h"
#include "transport/tree.h"

namespace muster::cdm {
namespace {

using namespace std::chrono_literals;

constexpr auto idlePause = 10ms, busyPause = 1ms;
constexpr auto launcherInterval = 500ms;
constexpr int exitCode = 4;  // of every failure (docs/configuration.md)

std::string secondsText(std::chrono::steady_clock::duration time) {
  return std::to_string(std::lround(std::chrono::duration<double>(time).count()));
}

}  // namespace

Watch::Watch(MpiJob& job, CommandTree& commands, double silenceSeconds)
    : job_(job),
      commands_(commands),
      silence_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(silenceSeconds))),
      interval_(std::min<Clock::duration>(500ms, silence_ / 8)),
      launcher_(getppid()) {}

Watch::~Watch() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

Status Watch::start() {
  if (silence_ > Clock::duration::zero()) {
    Result<MPI_Comm> comm = job_.duplicateWorld();
    if (!comm) return comm.status();
    comm_ = *comm;
    const int rank = job_.rank(), size = job_.size();
    const int first = firstTreeChild(rank, size), last = lastTreeChild(rank, size);
    neighbours_.reserve(static_cast<std::size_t>(last - first) + 1);
    for (int child = first; child < last; ++child) addNeighbour(child, silence_);
    // One rank should report the silent one: its parent, then its children one after the other.
    if (rank > 0) addNeighbour(treeParent(rank), silence_ + interval_ * (1 + (rank - 1) % treeArity));
    for (Neighbour& neighbour : neighbours_) MUSTER_TRY(listen(neighbour));
  }
  {
    const OwnSignalsOnly starting;
    thread_ = std::thread([this] { run(); });
  }
  pthread_setname_np(thread_.native_handle(), "muster-watch");
  return {};
}

Status Watch::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
  if (comm_ == MPI_COMM_NULL) return {};
  MUSTER_TRY(takeLeave());
  const std::lock_guard lock(job_.mutex());
  return job_.check(PMPI_Comm_free(&comm_), "MPI_Comm_free");
}

void Watch::addNeighbour(int rank, Clock::duration patience) {
  Neighbour& neighbour = neighbours_.emplace_back();
  neighbour.rank = rank;
  neighbour.patience = patience;
  neighbour.heard = Clock::now();
}

void Watch::run() {
  Clock::time_point lastBeat, lastLauncherCheck, lastWake = Clock::now();
  while (!stopping_) {
    const Clock::time_point now = Clock::now();
    // This process itself was stopped for a while (a debugger, job control): nobody else is to blame for the silence.
    if (now - lastWake > 1s) {
      for (Neighbour& neighbour : neighbours_) neighbour.heard = now;
    }
    lastWake = now;
    if (now - lastLauncherCheck >= launcherInterval) {
      lastLauncherCheck = now;
      checkLauncher();
    }
    if (now - lastBeat >= interval_) {
      lastBeat = now;
      beat(now);
    }
    if (job_.messagesUnderWay()) keepMessagesMoving();
    std::this_thread::sleep_for(job_.messagesUnderWay() ? busyPause : idlePause);
  }
}

// PR_SET_PDEATHSIG would do this at once, but it fires when the launcher's *thread* that forked us ends, and Open
// MPI forks from short-lived threads if a host has many ranks. A launcher that died before we looked is noticed by
// MPI's own initialisation.
void Watch::checkLauncher() const {
  if (getppid() == launcher_) return;
  std::fprintf(stderr, "muster: %s: the launcher (process %d) is gone; ending this rank\n",
               job_.nameOf(job_.rank()).c_str(), static_cast<int>(launcher_));
  std::_Exit(exitCode);
}

void Watch::beat(Clock::time_point now) {
  for (Neighbour& neighbour : neighbours_) {
    Status status;
    {
      const std::lock_guard lock(job_.mutex());
      status = exchange(neighbour, alive, now);
    }
    if (!status.ok()) endJob(job_.nameOf(neighbour.rank) + " cannot be reached: " + status.message());
    if (neighbour.left || now - neighbour.heard <= neighbour.patience) continue;
    endJob(job_.nameOf(neighbour.rank) + " does not answer since " + secondsText(now - neighbour.heard) + " s");
  }
}

Status Watch::exchange(Neighbour& neighbour, Beat beat, Clock::time_point now) {
  MUSTER_TRY(hear(neighbour, now));
  int sent = 0;
  MUSTER_TRY(job_.check(PMPI_Test(&neighbour.sending, &sent, MPI_STATUS_IGNORE), "MPI_Test"));
  if (!sent || neighbour.toldGoodbye) return {};
  neighbour.outgoing = beat;
  neighbour.toldGoodbye = beat == farewell;
  return job_.check(PMPI_Isend(&neighbour.outgoing, 1, MPI_CHAR, neighbour.rank, 0, comm_, &neighbour.sending),
                    "MPI_Isend");
}

Status Watch::hear(Neighbour& neighbour, Clock::time_point now) {
  while (!neighbour.left) {
    int received = 0;
    MUSTER_TRY(job_.check(PMPI_Test(&neighbour.receiving, &received, MPI_STATUS_IGNORE), "MPI_Test"));
    if (!received) break;
    neighbour.heard = now;
    neighbour.left = neighbour.incoming == farewell;
    if (!neighbour.left) MUSTER_TRY(listen(neighbour));
  }
  return {};
}

Status Watch::listen(Neighbour& neighbour) {
  return job_.check(PMPI_Irecv(&neighbour.incoming, 1, MPI_CHAR, neighbour.rank, 0, comm_, &neighbour.receiving),
                    "MPI_Irecv");
}

// Until every neighbour has our farewell and we have theirs, so that no beat is left in MPI.
Status Watch::takeLeave() {
  const Clock::time_point deadline = Clock::now() + silence_;
  for (Backoff backoff;; backoff.pause()) {
    const Clock::time_point now = Clock::now();
    const Neighbour* waitingFor = nullptr;
    for (Neighbour& neighbour : neighbours_) {
      const std::lock_guard lock(job_.mutex());
      MUSTER_TRY(exchange(neighbour, farewell, now));
      if (!neighbour.left || !neighbour.toldGoodbye || neighbour.sending != MPI_REQUEST_NULL) waitingFor = &neighbour;
    }
    if (waitingFor == nullptr) return {};
    if (now > deadline) return {Errc::io, job_.nameOf(waitingFor->rank) + " does not take part in the end of the job"};
  }
}

void Watch::keepMessagesMoving() {
  Status status = commands_.reclaim();
  if (status.ok()) {
    const std::lock_guard lock(job_.mutex());
    int found = 0;
    status =
        job_.check(PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
  }
  if (!status.ok()) endJob(status.message());
}

void Watch::endJob(const std::string& why) {
  std::fprintf(stderr, "muster: %s; ending the job\n", why.c_str());
  job_.abort(exitCode);
}

}  // namespace muster::cdm
