// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What MUSTER_INJECT can name: calls of all backends and transports.
#include <fmt/format.h>

#include <algorithm>

#include "backends/cuda/inventory.h"
#include "backends/opencl/inventory.h"
#include "muster/cdm/faults.h"
#include "muster/cdm/text.h"
#include "transport/faulty_transport.h"

namespace muster::cdm {

std::vector<std::string> faultyCalls() {
  std::vector<std::string> calls = openClCalls();
  const std::vector<std::string> ofCuda = cudaCalls();
  calls.insert(calls.end(), ofCuda.begin(), ofCuda.end());
  calls.insert(calls.end(), {"opencl", "cuda"});
  calls.insert(calls.end(), transportCalls.begin(), transportCalls.end());
  calls.insert(calls.end(), {"transport", "hostMemory", "hostView", "host"});
  return calls;
}

Result<Fault> parseFault(std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    return Status(Errc::invalidArgument, fmt::format("'{}' is not CALL:N or CALL:N@RANK: {}", text, why));
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return refuse("there is no colon");
  Fault fault;
  fault.call = text.substr(0, colon);
  std::string_view number = text.substr(colon + 1);
  if (const std::size_t at = number.find('@'); at != std::string_view::npos) {
    if (!parseNumber(number.substr(at + 1), fault.rank) || fault.rank < 0) return refuse("the rank is not a number");
    number = number.substr(0, at);
  }
  if (!parseNumber(number, fault.number) || fault.number == 0) return refuse("N is not a number of 1 or more");
  const std::vector<std::string> calls = faultyCalls();
  if (std::find(calls.begin(), calls.end(), fault.call) == calls.end())
    return refuse(
        "no such call; there are opencl (any OpenCL call), transport, the names of their functions, hostMemory, "
        "hostView, host");
  return fault;
}

}  // namespace muster::cdm
