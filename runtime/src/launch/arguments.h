// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the program's launch to a command: pointers are looked up by address, scalars are copied.
#pragma once

#include <string>

#include "muster/abi.h"
#include "muster/cap/small_vector.h"
#include "protocol/protocol.h"

namespace muster::rt {

struct Arguments {
  protocol::Launch command;
  // Per array parameter: where its elements are on the host; never protected unless the launch asks for the host.
  cap::SmallVector<void*, 8> hostPointers;
  std::string reason;        // why the loop has to run on the host; empty if it does not
  std::string nativeReason;  // why devices that need the OpenCL text take no part; empty if they may
};

// spare: a command of before, whose memory is used again.
[[nodiscard]] Arguments resolveArguments(const muster_launch& launch, protocol::Launch spare = {});

}  // namespace muster::rt
