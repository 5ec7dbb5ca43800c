// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls of a transport that MUSTER_INJECT can let fail.
#pragma once

#include <array>

namespace muster::cdm {

inline constexpr std::array transportCalls = {"send",        "receive",   "test",    "postCommand",
                                              "nextCommand", "allGather", "barrier", "shutdown"};

}  // namespace muster::cdm
