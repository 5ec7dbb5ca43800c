// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the system says of this host's CPU.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>

namespace muster::cdm {

struct CpuModel {
  std::string name, vendor;
};
CpuModel cpuModel();

// Threads for local rank `localRank` out of `mine` hardware threads that it may run on, when `all` are the host's:
// a launcher that binds ranks gives each group of ranks a set of its own, so only localSize * mine / all of them
// share this one. At least 1.
unsigned shareOf(unsigned mine, unsigned all, int localRank, int localSize);

// The numbers of the hardware threads that any thread of a process may run on: its first one may be bound to one.
std::set<std::uint32_t> allowedThreads(pid_t process);

}  // namespace muster::cdm
