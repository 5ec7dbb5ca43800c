// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// muster-kernels: builds kernels for this host's GPUs and keeps their binaries in the cache directory. The runtime
// starts it beside a program (runtime/src/tuner/in_place/kernel_builder.h). No command for people: standard input has a
// line of JSON for all, and then one for each kernel, which may come late. Standard output gets a dot for each kernel,
// in their order, when it is built or cannot be; when its reader ends, so does this process.
//
//   {"devices": "gpu", "cache": "/home/u/.cache/muster"}
//   {"name": "f", "location": "a.cpp:3", "text": "__kernel ...", "dimensions": 1, "fp64": true,
//    "floats": [0, 0, 0, 0, 0], "iterations": 1e6}                                               (without a line break)
//
// At the end of the input, the exit status is 0 if all were built, 1 if one was not, 2 where there is no such device or
// the input is damaged. What was not built here the program builds itself, and says why it cannot.
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "muster/cdm/device_manager.h"

namespace muster::kernels {
namespace {

using Json = nlohmann::json;

cdm::KernelCode codeOf(const Json& kernel, std::uint64_t id) {
  cdm::KernelCode code;
  code.id = id;
  code.name = kernel.at("name").get<std::string>();
  code.location = kernel.at("location").get<std::string>();
  code.opencl = kernel.at("text").get<std::string>();
  code.dimensions = kernel.at("dimensions").get<std::uint32_t>();
  // From the library of the same installation.
  const auto schedule = kernel.at("schedule").get<std::array<std::uint8_t, sizeof(muster_schedule)>>();
  code.schedule = cdm::Schedule(std::bit_cast<muster_schedule>(schedule));
  for (const Json& scalar : kernel.at("scalars")) {
    code.expected.push_back(scalar.at("bytes").get<std::vector<std::uint8_t>>());
    const auto type = static_cast<cdm::ScalarType>(scalar.at("type").get<int>());
    const auto size = static_cast<std::uint32_t>(code.expected.back().size());
    code.scalars.push_back({"", size == cdm::sizeOf(type) ? type : cdm::ScalarType::other, size});
  }
  code.needsFp64 = kernel.at("fp64").get<bool>();
  const auto rules = kernel.at("floats").get<std::array<std::uint8_t, sizeof(cdm::FloatRules)>>();
  code.floats = {rules[0] != 0, rules[1] != 0, rules[2] != 0, rules[3] != 0, rules[4] != 0};
  return code;
}

int build(std::istream& input) {
  std::string line;
  std::getline(input, line);
  const Json all = Json::parse(line);
  cdm::DiscoveryOptions options;
  options.selection = all.at("devices").get<std::string>();
  options.cacheDirectory = all.at("cache").get<std::string>();
  const Result<cdm::Discovery> found = cdm::discoverDevices(options);
  if (!found.ok()) return 2;
  bool areBuilt = true;
  std::uint64_t id = 0;
  while (std::getline(input, line)) {
    const Json kernel = Json::parse(line);
    const cdm::KernelCode code = codeOf(kernel, ++id);
    for (const auto& device : found->devices)
      areBuilt &= device->prepare(code, kernel.at("iterations").get<double>()).ok();
    std::cout << '.' << std::flush;
  }
  return areBuilt ? 0 : 1;
}

// Who waits for what is built is gone. The next dot ends this process: between two kernels, and not while a driver
// writes to its own cache, unless that takes long.
void endWithReader() {
  constexpr unsigned kLongest = 2;  // seconds
  pollfd out{STDOUT_FILENO, 0, 0};
  while (poll(&out, 1, -1) >= 0 || errno == EINTR)
    if ((out.revents & (POLLERR | POLLHUP)) != 0) break;
  sleep(kLongest);
  _exit(1);
}

}  // namespace
}  // namespace muster::kernels

int main() {
  // The process that starts this one keeps its own handlers from running here.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::thread(muster::kernels::endWithReader).detach();
  try {
    return muster::kernels::build(std::cin);
  } catch (const nlohmann::json::exception&) {
    return 2;
  }
}
