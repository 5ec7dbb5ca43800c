// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared parts of the MPI transport.
#include "transport/mpi/mpi_job.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

#include "muster/cdm/backoff.h"

namespace muster::cdm {

MpiJob::MpiJob() {
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  PMPI_Comm_size(MPI_COMM_WORLD, &size_);
}

std::string MpiJob::nameOf(int rank) const {
  const std::string name = "rank " + std::to_string(rank);
  return static_cast<std::size_t>(rank) < hosts_.size() ? name + " on " + hosts_[rank] : name;
}

Result<MPI_Comm> MpiJob::duplicateWorld() const {
  MPI_Comm comm = MPI_COMM_NULL;
  MUSTER_TRY(check(PMPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup"));
  MUSTER_TRY(check(PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler"));
  return comm;
}

Status MpiJob::check(int code, const std::string& call) const {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS) length = 0;
  const std::string reason = length > 0 ? std::string(text, length) : "MPI error " + std::to_string(code);
  return {Errc::io, nameOf(rank_) + ": " + call + " failed: " + reason};
}

Status MpiJob::await(MPI_Request& request, const std::string& call) {
  for (Backoff backoff;; backoff.pause()) {
    int complete = 0;
    {
      const std::lock_guard lock(mutex_);
      MUSTER_TRY(check(PMPI_Test(&request, &complete, MPI_STATUS_IGNORE), call));
    }
    if (complete) return {};
  }
}

void MpiJob::abort(int code) {
  // If MPI hangs too, the alarm ends this process, and the launcher the others.
  std::signal(SIGALRM, SIG_DFL);
  alarm(5);
  // Some other thread may be stuck in MPI with the lock.
  std::unique_lock lock(mutex_, std::defer_lock);
  (void)lock.try_lock_for(std::chrono::seconds(1));
  PMPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

}  // namespace muster::cdm
