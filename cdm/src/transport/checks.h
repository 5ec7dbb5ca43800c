// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that every transport makes in the same words. Header only, for the MPI module.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <string>

#include "muster/cdm/status.h"
#include "muster/cdm/transport.h"

namespace muster::cdm {

inline Status checkPeer(int rank, int size, int peer) {
  if (peer >= 0 && peer < size) return {};
  return {Errc::invalidArgument, "rank " + std::to_string(rank) + ": there is no rank " + std::to_string(peer) +
                                     ", the job has " + std::to_string(size)};
}

inline Status checkCommand(int rank, std::size_t bytes) {
  if (rank != 0) {
    return {Errc::invalidArgument, "rank " + std::to_string(rank) + " posted a command; only rank 0 may"};
  }
  if (bytes <= maxCommandBytes) return {};
  return {Errc::invalidArgument, "a command of " + std::to_string(bytes) + " bytes is over the limit of " +
                                     std::to_string(maxCommandBytes) + "; send bulk data as a message"};
}

inline Status checkCommandReceiver(int rank) {
  if (rank != 0) return {};
  return {Errc::invalidArgument, "rank 0 waited for a command; it posts them"};
}

inline Status sizeMismatch(int rank, int from, std::uint64_t tag, std::size_t expected, std::size_t got) {
  return {Errc::protocol, "rank " + std::to_string(rank) + ": message " + std::to_string(tag) + " from rank " +
                              std::to_string(from) + " has " + std::to_string(got) + " bytes, " +
                              std::to_string(expected) + " were expected; the ranks disagree about a transfer"};
}

inline std::string thisHost() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

}  // namespace muster::cdm
