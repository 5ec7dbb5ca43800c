// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the system and of the C library with buffers, structures, paths and lists of buffers in a managed array,
// whose newest values are on the devices: none fails, and what is around the call's own bytes stays.
//
// RUN: %plain -O1 -w %s -o %t.plain && cd %T && %run %t.plain > %t.expected
// RUN: not grep FAILED %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static const int n = 1 << 20, k = 5000;
static unsigned char *raw, *p;
static char path[64];

static void move() {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) raw[i] = static_cast<unsigned char>(i % 90 + 1);
}
static bool neighboursStay() {
  for (int i = n / 2 - 1; i > n / 2 - 5000; --i)
    if (raw[i] != i % 90 + 1) return false;
  for (int i = n / 2 + 70000; i < n / 2 + 75000; ++i)
    if (raw[i] != i % 90 + 1) return false;
  return true;
}
template <class Call>
static void test(const char *name, Call call) {
  move();
  errno = 0;
  const bool good = call();
  std::printf("%-16s %s %s\n", name, good ? "ok" : "FAILED:", good ? "" : strerror(errno));
  if (!neighboursStay()) std::printf("%-16s FAILED: values around\n", name);
  std::fflush(stdout);
}
#define TEST(name, condition) test(name, [&] { return condition; })
// The text is in the array, on the devices.
static char *inArray(const char *text) {
  std::strcpy(reinterpret_cast<char *>(p), text);
  const int size = std::strlen(text) + 1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) raw[i] = raw[i];
  return reinterpret_cast<char *>(p);
}
// What was written starts at the array's own values.
static bool holds(int file, off_t at) {
  unsigned char values[100];
  if (pread(file, values, 100, at) != 100) return false;
  for (int i = 0; i < 100; ++i)
    if (values[i] != (n / 2 + i) % 90 + 1) return false;
  return true;
}

static void buffers() {
  const int in = open("/proc/self/exe", O_RDONLY), out = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  iovec part = {p, k};
  TEST("read", read(in, p, k) == k);
  TEST("preadv2", preadv2(in, &part, 1, 0, 0) == k);
  TEST("pwritev2", pwritev2(out, &part, 1, 0, 0) == k && holds(out, 0));
  TEST("syscall write", (lseek(out, 0, SEEK_SET), syscall(SYS_write, out, p, k)) == k && holds(out, 0));
  TEST("syscall writev", (lseek(out, 0, SEEK_SET), syscall(SYS_writev, out, &part, 1)) == k && holds(out, 0));
  TEST("syscall pread64", syscall(SYS_pread64, in, p, k, 0) == k);
  TEST("getrandom", getrandom(p, k, 0) == k);
  TEST("getentropy", getentropy(p, 256) == 0);
  TEST("getcwd", getcwd(reinterpret_cast<char *>(p), k) != nullptr);
  TEST("readlink", readlink("/proc/self/exe", reinterpret_cast<char *>(p), k) > 0);
  TEST("readlinkat", readlinkat(AT_FDCWD, "/proc/self/exe", reinterpret_cast<char *>(p), k) > 0);
  TEST("gethostname", gethostname(reinterpret_cast<char *>(p), 1000) == 0);
  const int folder = open("/proc/self", O_RDONLY | O_DIRECTORY);
  TEST("getdents64", syscall(SYS_getdents64, folder, p, k) > 0);
  TEST("getxattr", getxattr("/tmp", "user.none", p, k) == -1 && errno != EFAULT);
  int ends[2];
  pipe(ends);
  TEST("vmsplice", vmsplice(ends[1], &part, 1, 0) == k);
  iovec other = {path, 5};
  iovec five = {p, 5};
  TEST("process_vm_readv", process_vm_readv(getpid(), &five, 1, &other, 1, 0) == 5 && std::memcmp(p, path, 5) == 0);
  TEST("mlock", mlock(p, 4096) == 0 && munlock(p, 4096) == 0);
  std::FILE *file = std::fopen(path, "r+");
  TEST("fwrite", std::fwrite(p, 1, 50000, file) == 50000 && std::fflush(file) == 0 && holds(out, 0));
  std::rewind(file);
  TEST("fread", std::fread(p, 1, 50000, file) == 50000 && p[0] == (n / 2) % 90 + 1);
  std::fclose(file);
}

static void transfers() {
  const int out = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
  aiocb block = {};
  block.aio_fildes = out;
  block.aio_buf = p;
  block.aio_nbytes = k;
  const auto finished = [&] {
    while (aio_error(&block) == EINPROGRESS) usleep(100);
    return aio_return(&block) == k;
  };
  TEST("aio_write", aio_write(&block) == 0 && finished() && holds(out, 0));
  TEST("aio_read", aio_read(&block) == 0 && finished() && p[0] == (n / 2) % 90 + 1);
  aiocb *list[] = {&block};
  block.aio_lio_opcode = LIO_WRITE;
  TEST("lio_listio", lio_listio(LIO_WAIT, list, 1, nullptr) == 0 && finished() && holds(out, 0));
}

static void sockets() {
  int pair[2];
  socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
  iovec part = {p, k};
  mmsghdr several = {};
  several.msg_hdr.msg_iov = &part;
  several.msg_hdr.msg_iovlen = 1;
  char buffer[k];
  TEST("sendmmsg", sendmmsg(pair[0], &several, 1, 0) == 1 && recv(pair[1], buffer, k, 0) == k && buffer[0] == p[0]);
  TEST("sendmsg", sendmsg(pair[0], &several.msg_hdr, 0) == k && recv(pair[1], buffer, k, 0) == k);
  TEST("syscall sendto", syscall(SYS_sendto, pair[0], p, k, 0, nullptr, 0) == k && recv(pair[1], buffer, k, 0) == k);
  send(pair[0], buffer, 4, 0);
  TEST("recvmmsg", recvmmsg(pair[1], &several, 1, 0, nullptr) == 1);
  send(pair[0], buffer, 4, 0);
  TEST("recvmsg", recvmsg(pair[1], &several.msg_hdr, 0) == 4);
  auto *length = reinterpret_cast<socklen_t *>(p);
  TEST("getsockopt", getsockopt(pair[0], SOL_SOCKET, SO_TYPE, p + 8, length) == 0);
  TEST("ioctl", ioctl(pair[0], FIONREAD, p) == 0);
  TEST("socketpair", socketpair(AF_UNIX, SOCK_DGRAM, 0, reinterpret_cast<int *>(p)) == 0);
  auto *polled = reinterpret_cast<pollfd *>(p);
  TEST("poll", poll(polled, 1, 1000) == 1 && polled->revents == POLLNVAL);
  const int queue = epoll_create1(0);
  epoll_event wanted = {EPOLLOUT, {}};
  epoll_ctl(queue, EPOLL_CTL_ADD, pair[0], &wanted);
  TEST("epoll_wait", epoll_wait(queue, reinterpret_cast<epoll_event *>(p), 8, 1000) == 1);
  timeval none = {};
  TEST("select", select(1, nullptr, nullptr, reinterpret_cast<fd_set *>(p), &none) >= 0);
  const int box = msgget(IPC_PRIVATE, 0600);
  if (box < 0) return;
  TEST("msgsnd", msgsnd(box, p, 1000, 0) == 0);
  TEST("msgrcv", msgrcv(box, p, 1000, 0, 0) == 1000);
  msgctl(box, IPC_RMID, nullptr);
}

static void structures() {
  TEST("stat", stat("/tmp", reinterpret_cast<struct stat *>(p)) == 0);
  TEST("fstat", fstat(0, reinterpret_cast<struct stat *>(p)) == 0);
  TEST("statx", statx(AT_FDCWD, "/tmp", 0, STATX_ALL, reinterpret_cast<struct statx *>(p)) == 0);
  TEST("statvfs", statvfs("/", reinterpret_cast<struct statvfs *>(p)) == 0);
  TEST("uname", uname(reinterpret_cast<utsname *>(p)) == 0);
  TEST("times", times(reinterpret_cast<tms *>(p)) != -1);
  TEST("sysinfo", sysinfo(reinterpret_cast<struct sysinfo *>(p)) == 0);
  TEST("getrusage", getrusage(RUSAGE_SELF, reinterpret_cast<rusage *>(p)) == 0);
  TEST("getrlimit", getrlimit(RLIMIT_CORE, reinterpret_cast<rlimit *>(p)) == 0);
  TEST("gettimeofday", gettimeofday(reinterpret_cast<timeval *>(p), nullptr) == 0);
  TEST("getgroups", getgroups(1000, reinterpret_cast<gid_t *>(p)) >= 0);
  TEST("sched_getaffinity", sched_getaffinity(0, 128, reinterpret_cast<cpu_set_t *>(p)) == 0);
  TEST("getitimer", getitimer(ITIMER_REAL, reinterpret_cast<itimerval *>(p)) == 0);
  TEST("pipe", pipe(reinterpret_cast<int *>(p)) == 0);
  TEST("sigaltstack", sigaltstack(nullptr, reinterpret_cast<stack_t *>(p)) == 0);
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  TEST("timerfd_gettime", timerfd_gettime(timer, reinterpret_cast<itimerspec *>(p)) == 0);
  pid_t child = vfork();
  if (child == 0) _exit(3);
  auto *status = reinterpret_cast<int *>(p);
  TEST("waitpid", waitpid(child, status, 0) == child && WEXITSTATUS(*status) == 3);
}

static void texts() {
  move();
  const auto text = [](const char *name, const char *value, auto call) {
    char *there = inArray(value);
    errno = 0;
    const bool good = call(there);
    std::printf("%-16s %s %s\n", name, good ? "ok" : "FAILED:", good ? "" : strerror(errno));
    std::fflush(stdout);
  };
  text("open", "/dev/null", [](char *s) { return open(s, O_RDONLY) >= 0; });
  text("fopen", "/dev/null", [](char *s) { return std::fopen(s, "r") != nullptr; });
  text("opendir", "/tmp", [](char *s) { return opendir(s) != nullptr; });
  text("access", "/tmp", [](char *s) { return access(s, F_OK) == 0; });
  text("stat path", "/tmp", [](char *s) { struct stat is; return stat(s, &is) == 0; });
  text("chdir", ".", [](char *s) { return chdir(s) == 0; });
  text("system", "exit 7", [](char *s) { return WEXITSTATUS(system(s)) == 7; });
  text("popen", "exit 7", [](char *s) { return WEXITSTATUS(pclose(popen(s, "r"))) == 7; });
  text("posix_spawn", "exit 7", [](char *s) {
    char sh[] = "sh", c[] = "-c";
    char *arguments[] = {sh, c, s, nullptr};
    pid_t child;
    int status = 0;
    return posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments, environ) == 0 &&
           waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
  });
  text("vfork, execl", "exit 7", [](char *s) {
    int status = 0;
    const pid_t child = vfork();
    if (child == 0) execl("/bin/sh", "sh", "-c", s, nullptr), _exit(1);
    return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
  });
}

int main() {
#pragma ompx managed(raw)
  raw = new unsigned char[n];
  p = raw + n / 2;
  std::snprintf(path, sizeof path, "system_calls.%d", getpid());
  buffers();
  transfers();
  sockets();
  structures();
  texts();
  unlink(path);
  delete[] raw;
}
