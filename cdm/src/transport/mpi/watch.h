// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of every rank that keeps the job from hanging. It exchanges a beat with the rank's neighbours in the
// command tree and ends the job if one falls silent (stock Open MPI never tells a waiting receive that its
// sender died); it ends this process when its launcher is gone; and it calls MPI now and then while messages
// are under way, so that they travel although the program computes.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "transport/mpi/command_tree.h"
#include "transport/mpi/mpi_job.h"

namespace muster::cdm {

class Watch {
 public:
  // silenceSeconds = 0: no beats.
  Watch(MpiJob& job, CommandTree& commands, double silenceSeconds);
  ~Watch();

  Status start();  // collective
  Status stop();   // collective: takes leave of the neighbours, so that they do not miss us

 private:
  using Clock = std::chrono::steady_clock;
  enum Beat : char { alive = 1, farewell = 2 };

  struct Neighbour {
    int rank = 0;
    Clock::duration patience{};
    Clock::time_point heard;
    bool left = false;         // said farewell
    bool toldGoodbye = false;  // our farewell is posted
    char outgoing = 0, incoming = 0;
    MPI_Request sending = MPI_REQUEST_NULL, receiving = MPI_REQUEST_NULL;
  };

  void addNeighbour(int rank, Clock::duration patience);
  void run();
  void checkLauncher() const;
  void beat(Clock::time_point now);
  Status exchange(Neighbour& neighbour, Beat beat, Clock::time_point now);
  Status hear(Neighbour& neighbour, Clock::time_point now);
  Status listen(Neighbour& neighbour);
  Status takeLeave();
  void keepMessagesMoving();
  [[noreturn]] void endJob(const std::string& why);

  MpiJob& job_;
  CommandTree& commands_;
  Clock::duration silence_, interval_;
  pid_t launcher_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<Neighbour> neighbours_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace muster::cdm
