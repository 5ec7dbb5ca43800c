// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data messages over MPI: 64-bit tags on MPI's narrow ones, sizes beyond MPI's int counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "muster/cdm/transport.h"
#include "transport/mpi/mpi_job.h"

namespace muster::cdm {

class Messages {
 public:
  explicit Messages(MpiJob& job) : job_(job) {}

  // Collective. Errc::unsupported if MPI's tags are too narrow for tagWindowBits.
  Status start();
  Status stop();

  Result<RequestPtr> send(int to, std::uint64_t tag, std::span<const std::byte> data);
  Result<RequestPtr> receive(int from, std::uint64_t tag, std::span<std::byte> data);

 private:
  int mpiTag(std::uint64_t tag) const { return static_cast<int>(tag & tagMask_); }

  MpiJob& job_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::uint64_t tagMask_ = 0;
};

}  // namespace muster::cdm
