// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report for people.
#pragma once

#include <string>

#include "report.h"

namespace muster::info {

std::string toText(const JobReport& report);

}  // namespace muster::info
