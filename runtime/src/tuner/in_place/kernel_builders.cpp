// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/in_place/kernel_builders.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/system/system_call.h"

namespace muster::rt {
namespace {

constexpr std::size_t kManyKernels = 16;  // of a process: others are worth their beginning
constexpr unsigned kThreadsOfProcess = 4, kThreadsOfManyProcesses = 2;
// Measured, decision 0029: drivers begin one after the other.
constexpr double kBegin = 0.5, kBeginEach = 0.1, kKernel = 0.11;
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
  const auto few = std::min<std::size_t>(kernels, threads / kThreadsOfProcess);
  const auto many = std::min<std::size_t>(kernels / kManyKernels, threads / kThreadsOfManyProcesses);
  return std::max(1U, static_cast<unsigned>(std::max(few, many)));
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

double KernelBuilders::seconds(std::size_t kernels) const {
  const unsigned wanted = processes(kernels, threads_);
  return kBegin + kBeginEach * wanted + kKernel * std::ceil(static_cast<double>(kernels) / wanted);
}

// Short texts come first, which are likely to take little: as many as may be are built when the time is over.
std::unordered_set<std::uint64_t> KernelBuilders::build(std::vector<KernelToBuild> kernels, double most) const {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(most));
  std::sort(kernels.begin(), kernels.end(), [](const KernelToBuild& one, const KernelToBuild& other) {
    return one.code->opencl.size() < other.code->opencl.size();
  });
  const std::size_t step = processes(kernels.size(), threads_);
  std::vector<pollfd> ends;  // a negative file: it has ended
  for (std::size_t i = 0; i < std::min(step, kernels.size()); ++i)
    ends.push_back({startProcess(program_.c_str(), requestFor(cache_, kernels, i, step)), POLLIN, 0});
  std::vector<std::size_t> done(ends.size());
  const auto isRunning = [](const pollfd& end) { return end.fd >= 0; };
  while (std::any_of(ends.begin(), ends.end(), isRunning)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) break;
    const int ready = poll(ends.data(), ends.size(), static_cast<int>(std::min<std::int64_t>(left, 60000)));
    for (std::size_t i = 0; ready > 0 && i < ends.size(); ++i) {
      if (!isRunning(ends[i]) || ends[i].revents == 0) continue;
      std::array<char, 64> marks;  // one for each kernel
      const ssize_t got = read(ends[i].fd, marks.data(), marks.size());
      if (got > 0)
        done[i] += static_cast<std::size_t>(got);
      else if (got == 0 || errno != EINTR)
        close(std::exchange(ends[i].fd, -1));
    }
  }
  std::unordered_set<std::uint64_t> tried;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::size_t count = isRunning(ends[i]) ? done[i] : kernels.size();
    for (std::size_t k = i, n = 0; k < kernels.size() && n < count; k += step, ++n) tried.insert(kernels[k].code->id);
    if (isRunning(ends[i])) close(ends[i].fd);  // it ends by that
  }
  return tried;
}

}  // namespace muster::rt
