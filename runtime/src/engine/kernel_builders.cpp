// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/kernel_builders.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/system_call.h"

namespace muster::rt {
namespace {

// Measured on an H100: a kernel's build; what a process more delays all of them, since contexts are made in turn.
constexpr double kBuildSeconds = 0.075, kContextSeconds = 0.1;
constexpr std::size_t kFewKernels = 4;
constexpr std::size_t kMaskBytes = 8;  // of the system's own signal sets

std::string requestFor(const std::filesystem::path& cache, const std::vector<KernelToBuild>& kernels, std::size_t first,
                       std::size_t step) {
  using Json = nlohmann::json;
  Json list = Json::array();
  for (std::size_t i = first; i < kernels.size(); i += step) {
    const cdm::KernelCode& code = *kernels[i].code;
    list.push_back({{"name", code.name},
                    {"location", code.location},
                    {"text", code.opencl},
                    {"dimensions", code.dimensions},
                    {"fp64", code.needsFp64},
                    {"flushes", code.flushesDenormals},
                    {"iterations", kernels[i].iterations}});
  }
  return Json{{"devices", "gpu"}, {"cache", cache.string()}, {"kernels", std::move(list)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

// A file without a name that holds the text; -1: there is no memory for it.
int fileWith(const std::string& text) {
  const int file = memfd_create("muster-kernels", MFD_CLOEXEC);
  if (file < 0) return -1;
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t wrote = write(file, text.data() + at, text.size() - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      close(file);
      return -1;
    }
    at += static_cast<std::size_t>(wrote);
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

constexpr std::size_t kStack = std::size_t{64} << 10;

// Of the process that starts the builder and ends, and of the builder until it is another program.
struct Start {
  const char* program = nullptr;
  int input = -1, output = -1, nothing = -1;
  std::array<std::byte, kStack> outer, inner;
};

// These run in new processes that use this one's memory, while this one waits: system calls alone.
int become(void* given) {
  auto* start = static_cast<Start*>(given);
  const std::array<char*, 2> arguments = {const_cast<char*>(start->program), nullptr};
  if (dup2(start->input, STDIN_FILENO) >= 0 && dup2(start->output, STDOUT_FILENO) >= 0 &&
      dup2(start->nothing, STDERR_FILENO) >= 0)
    systemCall.known()(SYS_execve, start->program, arguments.data(), environ);
  _exit(2);
}
int leaveBehind(void* given) {
  auto* start = static_cast<Start*>(given);
  clone(become, start->inner.data() + kStack, CLONE_VM | CLONE_VFORK, start);
  _exit(0);
}

// A process that becomes another program sends SIGCHLD to its parent at its end, and wait() finds it, however it was
// made. So its parent is one in between, which ends at once, and which has no signal. Signals are blocked meanwhile, so
// that no handler of the program's runs in the new processes; what the C library has for that is interposed.
// Returns the end of a pipe that is closed when the builder ends; -1: it was not started.
int startProcess(const char* program, const std::string& request) {
  int pipeEnds[2] = {-1, -1};
  const int input = fileWith(request);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  bool isStarted = false;
  if (input >= 0 && nothing >= 0 && pipe2(pipeEnds, O_CLOEXEC) == 0) {
    const auto start = std::make_unique<Start>();
    start->program = program;
    start->input = input;
    start->output = pipeEnds[1];
    start->nothing = nothing;
    sigset_t all, before;
    sigfillset(&all);
    const auto call = systemCall.get();
    call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, kMaskBytes);
    const pid_t between = clone(leaveBehind, start->outer.data() + kStack, CLONE_VM | CLONE_VFORK, start.get());
    call(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, kMaskBytes);
    isStarted = between > 0;
    while (isStarted && waitpid(between, nullptr, __WCLONE) < 0 && errno == EINTR) {
    }
  }
  for (const int file : {input, nothing, pipeEnds[1], isStarted ? -1 : pipeEnds[0]})
    if (file >= 0) close(file);
  return isStarted ? pipeEnds[0] : -1;
}

}  // namespace

unsigned KernelBuilders::processes(std::size_t kernels, unsigned threads) {
  if (kernels < kFewKernels) return 0;
  const double best = std::sqrt(kBuildSeconds / kContextSeconds * static_cast<double>(kernels));
  return static_cast<unsigned>(std::clamp(std::lround(best), 1L, std::max(1L, static_cast<long>(threads) / 2)));
}

double KernelBuilders::seconds(std::size_t kernels, unsigned threads) {
  const double alone = kBuildSeconds * static_cast<double>(kernels);
  const unsigned processes = KernelBuilders::processes(kernels, threads);
  return processes == 0 ? alone : std::min(alone, alone / processes + kContextSeconds * processes);
}

const std::filesystem::path& KernelBuilders::installed() {
  static const std::filesystem::path found = [] {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&KernelBuilders::installed), &info) == 0) return std::filesystem::path();
    std::error_code error;
    const auto library = std::filesystem::canonical(info.dli_fname, error);
    std::filesystem::path program = library.parent_path() / "muster" / "muster-kernels";
    return !error && access(program.c_str(), X_OK) == 0 ? program : std::filesystem::path();
  }();
  return found;
}

KernelBuilders::KernelBuilders(const std::filesystem::path& program, const std::filesystem::path& cache,
                               unsigned threads, const std::vector<KernelToBuild>& kernels) {
  if (program.empty() || cache.empty()) return;
  const unsigned wanted = processes(kernels.size(), threads);
  for (unsigned i = 0; i < wanted; ++i) {
    const int end = startProcess(program.c_str(), requestFor(cache, kernels, i, wanted));
    if (end >= 0) ends_.push_back(end);
  }
}

void KernelBuilders::wait() {
  for (const int end : ends_) {
    char nothing = 0;
    while (read(end, &nothing, 1) < 0 && errno == EINTR) {
    }
    close(end);
  }
  ends_.clear();
}

}  // namespace muster::rt
