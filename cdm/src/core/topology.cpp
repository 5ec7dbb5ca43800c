// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU's name, and how many of the host's hardware threads a rank may use.
#include "core/topology.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "muster/cdm/host.h"

namespace muster::cdm {

namespace {

// The first line of a file in /proc that begins with this name, without it.
std::string lineOf(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return line.substr(std::min(line.size(), line.find_first_not_of(" \t:", name.size())));
  return "";
}

std::string statusLine(pid_t pid, std::string_view name) {
  return lineOf("/proc/" + std::to_string(pid) + "/status", name);
}

// The process that started this rank for MPI, 0 if there is none.
pid_t launcher() {
  constexpr std::array<std::string_view, 8> names = {"mpirun",  "mpiexec", "orterun",         "orted",
                                                     "prterun", "prted",   "hydra_pmi_proxy", "slurmstepd"};
  for (pid_t pid = getppid(); pid > 1;) {
    if (std::find(names.begin(), names.end(), statusLine(pid, "Name:")) != names.end()) return pid;
    pid = static_cast<pid_t>(std::atoi(statusLine(pid, "PPid:").c_str()));
  }
  return 0;
}

// Adds the numbers of the hardware threads that a thread may run on, which are in its cpuset as well.
void addAllowed(pid_t thread, std::set<std::uint32_t>& allowed) {
  for (std::size_t words = 16; words <= 4096; words *= 2) {  // the kernel refuses fewer bits than it has itself
    std::vector<unsigned long> bits(words);
    auto* set = reinterpret_cast<cpu_set_t*>(bits.data());
    const std::size_t bytes = words * sizeof(unsigned long);
    if (sched_getaffinity(thread, bytes, set) != 0) continue;
    for (std::uint32_t number = 0; number < 8 * bytes; ++number)
      if (CPU_ISSET_S(number, bytes, set)) allowed.insert(number);
    return;
  }
}

// First number of OMP_NUM_THREADS ("4" or "4,2"); 0 if unset or not a number.
unsigned ompNumThreads() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  const long threads = text ? std::strtol(text, nullptr, 10) : 0;
  return threads > 0 && threads < 1 << 20 ? static_cast<unsigned>(threads) : 0;
}

}  // namespace

std::set<std::uint32_t> allowedThreads(pid_t process) {
  std::set<std::uint32_t> allowed;
  std::error_code error;
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  for (std::filesystem::directory_iterator task(tasks, error), end; !error && task != end; task.increment(error))
    addAllowed(static_cast<pid_t>(std::atoi(task->path().filename().c_str())), allowed);
  return allowed;
}

// x86 and some others have names; on Arm only numbers say which core it is.
CpuModel cpuModel() {
  const std::string file = "/proc/cpuinfo";
  for (const std::string_view name : {"model name", "cpu model", "cpu\t", "uarch"})
    if (const std::string model = lineOf(file, name); !model.empty()) return {model, lineOf(file, "vendor_id")};
  const std::string implementer = lineOf(file, "CPU implementer"), part = lineOf(file, "CPU part");
  return {part.empty() ? "CPU" : "CPU " + implementer + " " + part, implementer};
}

unsigned shareOf(unsigned mine, unsigned all, int localRank, int localSize) {
  const auto ranks = static_cast<unsigned>(std::max(1, localSize));
  const unsigned host = std::max({mine, all, 1u});
  const unsigned sharers = std::clamp((ranks * mine + host - 1) / host, 1u, ranks);
  const unsigned place = static_cast<unsigned>(std::max(0, localRank)) % sharers;
  return std::max(1u, mine / sharers + (place < mine % sharers ? 1 : 0));
}

unsigned cpuThreadShare(int localRank, int localSize) {
  if (const unsigned asked = ompNumThreads()) return asked;
  auto mine = static_cast<unsigned>(allowedThreads(getpid()).size());
  if (mine == 0) mine = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  const pid_t parent = launcher();
  return shareOf(mine, parent ? static_cast<unsigned>(allowedThreads(parent).size()) : 0, localRank, localSize);
}

std::vector<std::uint32_t> allowedCores() {
  std::set<std::uint32_t> allowed;
  addAllowed(0, allowed);
  return {allowed.begin(), allowed.end()};
}

}  // namespace muster::cdm
