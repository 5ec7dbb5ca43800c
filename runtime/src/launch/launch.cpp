// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of every parallel loop.
#include "launch/native.h"

namespace muster::rt {

static void launchLoop(const muster_launch& launch) {
  if (isEmpty(launch)) return;
  runNative(launch, launch.arrays);
}

}  // namespace muster::rt

extern "C" void muster_launch_loop(const muster_launch* launch) { muster::rt::launchLoop(*launch); }
