// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "muster/cdm/host_peers.h"

#define XXH_INLINE_ALL
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <thread>

#include "muster/cdm/file.h"

namespace muster::cdm {
namespace {

std::uint64_t hashOf(std::string_view text) {
  return std::max<std::uint64_t>(1, XXH3_64bits(text.data(), text.size()));
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

// The start tells processes of the same number apart (proc(5), /proc/PID/stat, field 22).
std::uint64_t processKey(pid_t process) {
  const std::string text = readFile(fmt::format("/proc/{}/stat", process));
  std::size_t at = text.rfind(')');  // behind the name, which may hold anything; two fields
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  const std::uint64_t start = at == std::string::npos ? 0 : std::strtoull(text.c_str() + at, nullptr, 10);
  return static_cast<std::uint64_t>(process) << 32 | (start & 0xFFFFFFFF);
}

bool isProcess(std::uint64_t key) { return key != 0 && processKey(static_cast<pid_t>(key >> 32)) == key; }

std::string visibleGpus() {
  std::string all;
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"})
    all += variable(name) + ";";
  return all;
}

}  // namespace

// Zero: not said. `gpus` and `visible` are hashes. A slot of an earlier launch of the same name belongs to no process.
struct HostPeers::Slot {
  std::atomic<std::uint64_t> process, visible, gpus;
  [[nodiscard]] bool isLive() const { return isProcess(process.load(std::memory_order_acquire)); }
};

// What launches left whose ranks ended before all of them had begun. A rank maps the memory and says its process within
// moments: what is older than a minute and of no live process is nobody's.
void HostPeers::removeLeftovers() const {
  const std::string prefix = fmt::format("muster-{}-", getuid());
  std::error_code error;
  const std::filesystem::path folder = "/dev/shm";
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    struct stat status = {};
    if (!name.starts_with(prefix) || "/" + name == name_ || stat(at->path().c_str(), &status) != 0 ||
        status.st_uid != getuid() || std::time(nullptr) - status.st_mtime < 60)
      continue;
    const std::string slots = readFile(at->path());
    bool anyLive = false;
    for (std::size_t slot = 0; slot + sizeof(Slot) <= slots.size(); slot += sizeof(Slot)) {
      std::uint64_t process = 0;
      std::memcpy(&process, slots.data() + slot, sizeof process);
      anyLive = anyLive || isProcess(process);
    }
    if (!anyLive) (void)shm_unlink(("/" + name).c_str());
  }
}

std::string HostPeers::launchName() {
  for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID"})
    if (!variable(name).empty()) return variable(name);
  if (!variable("SLURM_STEP_ID").empty()) return variable("SLURM_JOB_ID") + "." + variable("SLURM_STEP_ID");
  return fmt::format("parent {:x}", processKey(getppid()));
}

HostPeers::HostPeers(const LaunchedPlace& place, const std::string& launch)
    : place_(place), name_(fmt::format("/muster-{}-{}-{:016x}", getuid(), place.localSize, hashOf(launch))) {
  const int file = shm_open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  const std::size_t bytes = static_cast<std::size_t>(place.localSize) * sizeof(Slot);
  struct stat status = {};
  const bool isOurs =
      fstat(file, &status) == 0 && status.st_uid == getuid() && ftruncate(file, static_cast<off_t>(bytes)) == 0;
  void* const memory = isOurs ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  if (memory == MAP_FAILED) return;
  slots_ = static_cast<Slot*>(memory);
  Slot& mine = slots_[place.localRank];
  mine.gpus = 0;
  mine.visible = hashOf(visibleGpus());
  mine.process = processKey(getpid());
  if (place.localRank == 0) removeLeftovers();
  if (!allSay(false)) return;
  (void)shm_unlink(name_.c_str());  // another rank may have done so
  name_.clear();
}

HostPeers::~HostPeers() {
  if (slots_ == nullptr) return;
  if (!name_.empty() && !allSay(false)) (void)shm_unlink(name_.c_str());  // some rank never came
  munmap(slots_, static_cast<std::size_t>(place_.localSize) * sizeof(Slot));
}

bool HostPeers::allSay(bool gpus) const {
  return std::all_of(slots_, slots_ + place_.localSize,
                     [&](const Slot& slot) { return slot.isLive() && (!gpus || slot.gpus.load() != 0); });
}

HostPeers::Place HostPeers::amongThoseWith(std::string_view gpus, std::chrono::milliseconds patience) {
  if (slots_ == nullptr) return {place_.localRank, place_.localSize};
  Slot& mine = slots_[place_.localRank];
  mine.gpus = hashOf(gpus);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!allSay(true) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  Place found{0, 0};
  for (int rank = 0; rank < place_.localSize; ++rank) {
    const Slot& slot = slots_[rank];
    const bool isSame = !slot.isLive() || (slot.gpus != 0 ? slot.gpus == mine.gpus : slot.visible == mine.visible);
    if (!isSame) continue;
    if (rank < place_.localRank) ++found.rank;
    ++found.size;
  }
  return found;
}

}  // namespace muster::cdm
