// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rooms in a device's memory for messages between processes of one host. The device that offers them reads into them,
// and a device of another process that opened them writes from there: the bytes never are in host memory.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace muster::cdm {

struct DeviceRooms {
  // Room n begins at n * roomBytes. Addresses that only the device's transfers understand, which nobody else follows.
  // To be dropped before the device.
  std::shared_ptr<std::byte[]> memory;
  std::size_t roomBytes = 0, count = 0;
  std::vector<std::byte> offer;  // what others open them by; empty: these were opened
};

}  // namespace muster::cdm
