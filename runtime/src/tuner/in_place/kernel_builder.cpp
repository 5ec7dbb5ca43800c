// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/in_place/kernel_builder.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/system/system_call.h"

namespace muster::rt {
namespace {

constexpr double kBegin = 0.6, kKernel = 0.11;  // seconds, measured: decision 0029
constexpr std::size_t kMaskBytes = 8;           // of the system's own signal sets

// A line for a process (tools/muster-kernels/main.cpp).
std::string lineOf(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

std::string requestFor(const KernelToBuild& kernel) {
  const cdm::KernelCode& code = *kernel.code;
  const muster_schedule& schedule = code.schedule;
  nlohmann::json scalars = nlohmann::json::array();
  for (std::size_t i = 0; i < kernel.scalars.size(); ++i)
    scalars.push_back({{"type", static_cast<int>(code.scalars[i].type)}, {"bytes", kernel.scalars[i]}});
  return lineOf({{"name", code.name},
                 {"location", code.location},
                 {"text", code.opencl},
                 {"dimensions", code.dimensions},
                 {"schedule", std::bit_cast<std::array<std::uint8_t, sizeof(muster_schedule)>>(schedule)},
                 {"fp64", code.needsFp64},
                 {"floats", std::bit_cast<std::array<std::uint8_t, sizeof(cdm::FloatRules)>>(code.floats)},
                 {"iterations", kernel.iterations},
                 {"scalars", std::move(scalars)}});
}

// Those of the process when this library is loaded. OpenMP may bind the program's thread to one of them.
const cpu_set_t processors = [] {
  cpu_set_t all;
  if (sched_getaffinity(0, sizeof all, &all) != 0) CPU_ZERO(&all);
  return all;
}();

constexpr std::size_t kStack = std::size_t{64} << 10;

// Of the process that starts the builder and ends, and of the builder until it is another program.
struct Start {
  const char* program = nullptr;
  int file = -1, nothing = -1;
  std::array<std::byte, kStack> outer, inner;
};

// These run in new processes that use this one's memory, while this one waits: system calls alone.
int become(void* given) {
  auto* start = static_cast<Start*>(given);
  systemCall.known()(SYS_sched_setaffinity, 0, sizeof processors, &processors);  // without them it has the thread's
  const std::array<char*, 2> arguments = {const_cast<char*>(start->program), nullptr};
  if (dup2(start->file, STDIN_FILENO) >= 0 && dup2(start->file, STDOUT_FILENO) >= 0 &&
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
// Returns a socket, whose other end is its standard input and output; -1: it was not started.
int startProcess(const char* program) {
  int ends[2] = {-1, -1};
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  bool isStarted = false;
  if (nothing >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0) {
    const auto start = std::make_unique<Start>();
    start->program = program;
    start->file = ends[1];
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
  for (const int file : {nothing, ends[1], isStarted ? -1 : ends[0]})
    if (file >= 0) close(file);
  return isStarted ? ends[0] : -1;
}

// Of a socket as long as it is open; a program that closes all files may have another one by this number.
ino_t nodeOf(int file) {
  struct stat status{};
  return fstat(file, &status) == 0 && S_ISSOCK(status.st_mode) ? status.st_ino : 0;
}

}  // namespace

const std::filesystem::path& KernelBuilder::installed() {
  static const std::filesystem::path found = [] {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&KernelBuilder::installed), &info) == 0) return std::filesystem::path();
    std::error_code error;
    const auto library = std::filesystem::canonical(info.dli_fname, error);
    std::filesystem::path program = library.parent_path() / "muster" / "muster-kernels";
    return !error && access(program.c_str(), X_OK) == 0 ? program : std::filesystem::path();
  }();
  return found;
}

double KernelBuilder::seconds(std::size_t kernels) const {
  return (isOpen() ? 0 : kBegin) + kKernel * static_cast<double>(kernels);
}

bool KernelBuilder::isOpen() const { return file_ >= 0 && nodeOf(file_) == node_; }

KernelBuilder::Progress KernelBuilder::build(std::vector<KernelToBuild> kernels) {
  const auto isAsked = [&](const KernelToBuild& kernel) { return !asked_.insert(kernel.code->id).second; };
  kernels.erase(std::remove_if(kernels.begin(), kernels.end(), isAsked), kernels.end());
  std::sort(kernels.begin(), kernels.end(), [](const KernelToBuild& one, const KernelToBuild& other) {
    return one.code->opencl.size() < other.code->opencl.size();
  });
  for (const KernelToBuild& kernel : kernels) {
    if (file_ < 0 && !hasEnded_) {
      file_ = startProcess(program_.c_str());
      node_ = nodeOf(file_);
      hasEnded_ = file_ < 0;
      unsent_ = lineOf({{"devices", "gpu"}, {"cache", cache_.string()}});
    }
    left_.push_back(kernel.code->id);
    unsent_ += requestFor(kernel);
  }
  Progress now;
  exchange(now);
  now.goesOn = !left_.empty();
  return now;
}

void KernelBuilder::exchange(Progress& now) {
  const auto tried = [&](std::size_t count) {
    for (; count > 0 && !left_.empty(); --count, left_.pop_front()) now.tried.insert(left_.front());
  };
  if (isOpen()) {
    const ssize_t sent = send(file_, unsent_.data(), unsent_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) unsent_.erase(0, static_cast<std::size_t>(sent));
    std::array<char, 64> marks;  // one for each kernel
    ssize_t got = 0;
    while ((got = recv(file_, marks.data(), marks.size(), MSG_DONTWAIT)) > 0) tried(static_cast<std::size_t>(got));
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  }
  hasEnded_ |= file_ >= 0;
  stopProcess();
  tried(left_.size());
}

void KernelBuilder::stopProcess() {
  if (isOpen()) close(file_);  // it ends by that
  file_ = -1;
  unsent_.clear();
}

void KernelBuilder::stop() {
  stopProcess();
  for (const std::uint64_t kernel : left_) asked_.erase(kernel);
  left_.clear();
}

}  // namespace muster::rt
