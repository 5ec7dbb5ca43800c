// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands down the tree of ranks. A command is its length and its bytes; what fits into the first message needs no
// second one. Sends keep their buffers until MPI is done with them, so nobody waits for a receiver.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <span>

#include "muster/cdm/transport.h"
#include "transport/mpi/mpi_job.h"

namespace muster::cdm {

class CommandTree {
 public:
  explicit CommandTree(MpiJob& job) : job_(job) {}

  Status start();  // collective
  // After a barrier that follows the last command: waits for the sends that are left.
  Status stop();

  Status post(std::span<const std::byte> command);
  Result<Bytes> next();
  // Whether the next one is here.
  Result<bool> isHere();
  // The next one is not to wait for a receiver that sleeps long.
  void expectSoon() { soon_ = true; }
  // Gives back the buffers of commands that have been sent.
  Status reclaim();

 private:
  // The messages of one command to this rank's children, which share one buffer.
  struct Outgoing {
    Bytes message;
    std::vector<MPI_Request> requests;
  };

  Status forward(Bytes message);     // under the job's lock
  Status reclaimLocked();            // under the job's lock
  Status listen();                   // under the job's lock
  Result<int> firstPart();           // its bytes
  Result<Bytes> rest(int received);  // the whole message

  MpiJob& job_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::list<Outgoing> outgoing_;
  std::atomic<bool> soon_{false};
  bool counted_ = false;  // outgoing_ stands among the job's messages under way
  std::mutex receiver_;   // one thread at a time receives
  Bytes first_;
  MPI_Request listening_ = MPI_REQUEST_NULL;
};

}  // namespace muster::cdm
