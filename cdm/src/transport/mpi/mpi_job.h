// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the MPI transport share: who we are, the lock, errors as Status, polling.
#pragma once

#include <mpi.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "muster/cdm/status.h"

namespace muster::cdm {

class MpiJob {
 public:
  MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  // "rank 2 (host n03)", for messages.
  std::string nameOf(int rank) const;
  void setHosts(std::vector<std::string> hosts) { hosts_ = std::move(hosts); }

  // A communicator of its own, so that different kinds of messages never meet. Collective.
  Result<MPI_Comm> duplicateWorld() const;

  // Every MPI call after the start is made under this lock, which is right for MPI_THREAD_SERIALIZED too.
  std::timed_mutex& mutex() { return mutex_; }

  // Success, or the error of an MPI call with MPI's text and this rank's name.
  Status check(int code, const std::string& call) const;

  // Polls until `request` is complete: a blocking MPI call would keep a core busy.
  Status await(MPI_Request& request, const std::string& call);

  // MPI_Abort, and the end of this process even if MPI cannot.
  [[noreturn]] void abort(int code);

  // Messages under way that need MPI to be called from time to time (see Watch).
  void messageStarted() { underWay_.fetch_add(1, std::memory_order_relaxed); }
  void messageEnded() { underWay_.fetch_sub(1, std::memory_order_relaxed); }
  bool messagesUnderWay() const { return underWay_.load(std::memory_order_relaxed) > 0; }

 private:
  int rank_ = 0, size_ = 1;
  std::vector<std::string> hosts_;
  std::timed_mutex mutex_;
  std::atomic<int> underWay_{0};
};

}  // namespace muster::cdm
