// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The count of calls.
#include "muster/cdm/faults.h"

namespace muster::cdm {

Faults::Faults(const std::vector<Fault>& faults, int rank) {
  for (const Fault& fault : faults) {
    if (fault.rank >= 0 && fault.rank != rank) continue;
    counted_.push_back(std::make_unique<Counted>());
    counted_.back()->fault = fault;
  }
}

bool Faults::fails(std::string_view group, std::string_view call) {
  bool failing = false;
  for (const auto& counted : counted_)
    if (counted->fault.call == group || counted->fault.call == call)
      failing |= ++counted->calls == counted->fault.number;
  return failing;
}

}  // namespace muster::cdm
