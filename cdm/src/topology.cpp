// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU's name, and how many of the host's hardware threads a rank may use.
#include "topology.h"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string_view>

#include "muster/cdm/device_manager.h"

namespace muster::cdm {

namespace {

struct FreeTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, FreeTopology>;

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

// nullptr where hwloc finds nothing.
Topology loadTopology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  // Its plugins would start GPU drivers only to list them.
  for (const char* plugin : {"opencl", "cuda", "nvml", "rsmi", "levelzero", "gl"})
    (void)hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, plugin);
  return hwloc_topology_load(raw) == 0 ? std::move(topology) : nullptr;
}

// One line of /proc/<pid>/status, without its name.
std::string statusLine(pid_t pid, std::string_view name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return line.substr(std::min(line.size(), line.find_first_not_of(" \t", name.size())));
  return "";
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

// Hardware threads that a process may run on; 0 if that cannot be found out.
unsigned allowedThreads(hwloc_topology_t topology, pid_t pid) {
  Bitmap bound(hwloc_bitmap_alloc());
  if (hwloc_get_proc_cpubind(topology, pid, bound.get(), 0) != 0) return 0;
  hwloc_bitmap_and(bound.get(), bound.get(), hwloc_topology_get_allowed_cpuset(topology));
  return static_cast<unsigned>(std::max(0, hwloc_bitmap_weight(bound.get())));
}

// First number of OMP_NUM_THREADS ("4" or "4,2"); 0 if unset or not a number.
unsigned ompNumThreads() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  const long threads = text ? std::strtol(text, nullptr, 10) : 0;
  return threads > 0 && threads < 1 << 20 ? static_cast<unsigned>(threads) : 0;
}

}  // namespace

CpuModel cpuModel() {
  CpuModel model{"CPU", ""};
  const Topology topology = loadTopology();
  if (!topology) return model;
  hwloc_obj_t package = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0);
  if (!package) package = hwloc_get_root_obj(topology.get());
  if (const char* name = hwloc_obj_get_info_by_name(package, "CPUModel")) model.name = name;
  if (const char* vendor = hwloc_obj_get_info_by_name(package, "CPUVendor")) model.vendor = vendor;
  return model;
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
  const Topology topology = loadTopology();
  unsigned mine = topology ? allowedThreads(topology.get(), getpid()) : 0;
  if (mine == 0) mine = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  const pid_t parent = topology ? launcher() : 0;
  return shareOf(mine, parent ? allowedThreads(topology.get(), parent) : 0, localRank, localSize);
}

std::vector<std::uint32_t> allowedCores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<std::uint32_t> cores;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cores;
  for (std::uint32_t core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed)) cores.push_back(core);
  }
  return cores;
}

}  // namespace muster::cdm
