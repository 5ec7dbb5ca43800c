// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the system, and of the C library where it hands the program's memory on to the system. Each is defined here
// under its own name: it makes the managed memory valid that its arguments name (host/interpose/call_arguments.h) and
// goes on to the C library's. All have one form, eight machine words in and one out, whatever the call's parameters
// are: those that it does not have are ignored by what comes behind. (test/runtime/check_calls.py compares with what
// the C library has.)
#include "host/interpose/call_arguments.h"
#include "host/interpose/interposed_call.h"
#include "muster/abi.h"

// No header that declares one of the calls below belongs here: their parameters are others.
namespace {

using muster::rt::CallArguments;

constexpr int kFill = MUSTER_READ | MUSTER_WRITE;
constexpr std::size_t kText = 4096;                        // as long as a path can be
constexpr std::size_t kStructure = std::size_t{64} << 10;  // more than the system's have

template <int... Structures>
void structures(CallArguments a, int mode) {
  (muster::rt::prepareBytes(a[Structures], kStructure, mode), ...);
}
template <int Buffer, int Bytes, int... Structures>
void source(CallArguments a) {
  muster::rt::prepareBytes(a[Buffer], static_cast<std::size_t>(a[Bytes]), MUSTER_READ);
  structures<Structures...>(a, MUSTER_READ);
}
template <int Buffer, int Bytes, int... Structures>
void fill(CallArguments a) {
  muster::rt::prepareBytes(a[Buffer], static_cast<std::size_t>(a[Bytes]), kFill);
  structures<Structures...>(a, kFill);
}
template <int Buffer, int Size, int Count, int Mode>
void product(CallArguments a) {
  muster::rt::prepareBytes(a[Buffer], muster::rt::productOf(a[Size], a[Count]), Mode);
}
template <int Mode>
void parts(CallArguments a) {
  muster::rt::prepareParts(a[1], a[2], Mode);
}
template <int Mode>
void message(CallArguments a) {
  muster::rt::prepareMessage(a[1], Mode);
}
template <int Mode>
void messages(CallArguments a) {
  muster::rt::prepareMessages(a[1], a[2], Mode);
}
void transfer(CallArguments a) { muster::rt::prepareTransfer(a[0]); }
void transfers(CallArguments a) { muster::rt::prepareTransfers(a[1], a[2]); }
template <int... Texts>
void text(CallArguments a) {
  (muster::rt::prepareBytes(a[Texts], kText, MUSTER_READ), ...);
}
template <int Path, int... Lists>
void strings(CallArguments a) {
  text<Path>(a);
  (muster::rt::prepareStrings(a[Lists]), ...);
}
template <int Count>
void anything(CallArguments a) {
  muster::rt::prepareAnything(a, Count);
}

// Its mask is the program's to fill (interpose_signal.cpp).
template <int Context>
void context(CallArguments a) {
  if (a[Context] != 0) muster::rt::adaptMask(a[Context]);
}
using muster::rt::prepareSystemCall;

}  // namespace

// Bytes that are written.
CALL(write, source<1, 2>);
CALL(__write, source<1, 2>);
CALL(pwrite, source<1, 2>);
CALL(pwrite64, source<1, 2>);
CALL(__pwrite64, source<1, 2>);
CALL(__libc_pwrite, source<1, 2>);
CALL(send, source<1, 2>);
CALL(__send, source<1, 2>);
CALL(sendto, source<1, 2, 4>);
CALL(mq_send, source<1, 2>);
CALL(mq_timedsend, source<1, 2, 4>);
CALL(setxattr, source<2, 3, 0, 1>);
CALL(lsetxattr, source<2, 3, 0, 1>);
CALL(fsetxattr, source<2, 3, 0, 1>);
CALL(mlock, source<0, 1>);  // it fails where a page cannot be read
CALL(mlock2, source<0, 1>);
CALL(fwrite, product<0, 1, 2, MUSTER_READ>);
CALL(fwrite_unlocked, product<0, 1, 2, MUSTER_READ>);

// Bytes that are filled.
CALL(read, fill<1, 2>);
CALL(__read, fill<1, 2>);
CALL(pread, fill<1, 2>);
CALL(pread64, fill<1, 2>);
CALL(__pread64, fill<1, 2>);
CALL(__libc_pread, fill<1, 2>);
CALL(recv, fill<1, 2>);
CALL(__recv, fill<1, 2>);
CALL(getdents64, fill<1, 2>);
CALL(__read_chk, fill<1, 2>);
CALL(__pread_chk, fill<1, 2>);
CALL(__pread64_chk, fill<1, 2>);
CALL(__recv_chk, fill<1, 2>);
CALL(recvfrom, fill<1, 2, 4, 5>);
CALL(__recvfrom_chk, fill<1, 2, 5, 6>);
CALL(mq_receive, fill<1, 2, 3>);
CALL(getdirentries, fill<1, 2, 3>);
CALL(getdirentries64, fill<1, 2, 3>);
CALL(mq_timedreceive, fill<1, 2, 3, 4>);
CALL(getrandom, fill<0, 1>);
CALL(getentropy, fill<0, 1>);
CALL(arc4random_buf, fill<0, 1>);
CALL(getcwd, fill<0, 1>);
CALL(__getcwd_chk, fill<0, 1>);
CALL(readlink, fill<1, 2, 0>);
CALL(__readlink_chk, fill<1, 2, 0>);
CALL(listxattr, fill<1, 2, 0>);
CALL(llistxattr, fill<1, 2, 0>);
CALL(flistxattr, fill<1, 2>);
CALL(pthread_getname_np, fill<1, 2>);
CALL(readlinkat, fill<2, 3, 1>);
CALL(__readlinkat_chk, fill<2, 3, 1>);
CALL(getxattr, fill<2, 3, 0, 1>);
CALL(lgetxattr, fill<2, 3, 0, 1>);
CALL(fgetxattr, fill<2, 3, 0, 1>);
CALL(fread, product<0, 1, 2, kFill>);
CALL(fread_unlocked, product<0, 1, 2, kFill>);
CALL(__fread_chk, product<0, 2, 3, kFill>);
CALL(__fread_unlocked_chk, product<0, 2, 3, kFill>);

// What points to buffers.
CALL(writev, parts<MUSTER_READ>);
CALL(pwritev, parts<MUSTER_READ>);
CALL(pwritev64, parts<MUSTER_READ>);
CALL(pwritev2, parts<MUSTER_READ>);
CALL(pwritev64v2, parts<MUSTER_READ>);
CALL(vmsplice, parts<MUSTER_READ>);
CALL(process_vm_writev, parts<MUSTER_READ>);
CALL(readv, parts<kFill>);
CALL(preadv, parts<kFill>);
CALL(preadv64, parts<kFill>);
CALL(preadv2, parts<kFill>);
CALL(preadv64v2, parts<kFill>);
CALL(process_vm_readv, parts<kFill>);
CALL(sendmsg, message<MUSTER_READ>);
CALL(recvmsg, message<kFill>);
CALL(sendmmsg, messages<MUSTER_READ>);
CALL(__sendmmsg, messages<MUSTER_READ>);
CALL(recvmmsg, messages<kFill>);
CALL(aio_read, transfer);
CALL(aio_read64, transfer);
CALL(aio_write, transfer);
CALL(aio_write64, transfer);
CALL(lio_listio, transfers);
CALL(lio_listio64, transfers);
CALL(execve, strings<0, 1, 2>);
CALL(execvpe, strings<0, 1, 2>);
CALL(fexecve, strings<0, 1, 2>);
CALL(execv, strings<0, 1>);
CALL(execvp, strings<0, 1>);
CALL(execveat, strings<1, 2, 3>);
CALL(posix_spawn, strings<1, 4, 5>);
CALL(posix_spawnp, strings<1, 4, 5>);
CALL(syscall, prepareSystemCall);
CALL(setcontext, context<0>);
CALL(swapcontext, context<1>);

// Text: paths, names, commands.
CALL(open, text<0>);
CALL(open64, text<0>);
CALL(__open, text<0>);
CALL(__open64, text<0>);
CALL(__open_2, text<0>);
CALL(__open64_2, text<0>);
CALL(creat, text<0>);
CALL(creat64, text<0>);
CALL(fopen, text<0, 1>);
CALL(fopen64, text<0, 1>);
CALL(freopen, text<0, 1>);
CALL(freopen64, text<0, 1>);
CALL(opendir, text<0>);
CALL(popen, text<0, 1>);
CALL(system, text<0>);
CALL(access, text<0>);
CALL(euidaccess, text<0>);
CALL(eaccess, text<0>);
CALL(chmod, text<0>);
CALL(lchmod, text<0>);
CALL(chown, text<0>);
CALL(lchown, text<0>);
CALL(link, text<0, 1>);
CALL(symlink, text<0, 1>);
CALL(unlink, text<0>);
CALL(rename, text<0, 1>);
CALL(remove, text<0>);
CALL(mkdir, text<0>);
CALL(rmdir, text<0>);
CALL(mknod, text<0>);
CALL(mkfifo, text<0>);
CALL(truncate, text<0>);
CALL(truncate64, text<0>);
CALL(chdir, text<0>);
CALL(chroot, text<0>);
CALL(pathconf, text<0>);
CALL(removexattr, text<0, 1>);
CALL(lremovexattr, text<0, 1>);
CALL(mq_open, text<0, 3>);
CALL(mq_unlink, text<0>);
CALL(shm_open, text<0>);
CALL(shm_unlink, text<0>);
CALL(memfd_create, text<0>);
CALL(acct, text<0>);
CALL(swapon, text<0>);
CALL(swapoff, text<0>);
CALL(umount, text<0>);
CALL(umount2, text<0>);
CALL(mount, text<0, 1, 2, 4>);
CALL(execl, text<0, 1, 2, 3, 4, 5>);
CALL(execlp, text<0, 1, 2, 3, 4, 5>);
CALL(execle, text<0, 1, 2, 3, 4, 5>);
CALL(openat, text<1>);
CALL(openat64, text<1>);
CALL(__openat_2, text<1>);
CALL(__openat64_2, text<1>);
CALL(faccessat, text<1>);
CALL(fchmodat, text<1>);
CALL(fchownat, text<1>);
CALL(linkat, text<1, 3>);
CALL(symlinkat, text<0, 2>);
CALL(unlinkat, text<1>);
CALL(renameat, text<1, 3>);
CALL(renameat2, text<1, 3>);
CALL(mkdirat, text<1>);
CALL(mknodat, text<1>);
CALL(mkfifoat, text<1>);
CALL(inotify_add_watch, text<1>);
CALL(fremovexattr, text<1>);

// Structures and small arrays.
CALL(uname, anything<1>);
CALL(adjtimex, anything<1>);
CALL(ntp_adjtime, anything<1>);
CALL(sigpending, anything<1>);
CALL(times, anything<1>);
CALL(sysinfo, anything<1>);
CALL(pipe, anything<1>);
CALL(__pipe, anything<1>);
CALL(wait, anything<1>);
CALL(getwd, anything<1>);
CALL(stat, anything<2>);
CALL(stat64, anything<2>);
CALL(lstat, anything<2>);
CALL(lstat64, anything<2>);
CALL(fstat, anything<2>);
CALL(fstat64, anything<2>);
CALL(statfs, anything<2>);
CALL(statfs64, anything<2>);
CALL(fstatfs, anything<2>);
CALL(fstatfs64, anything<2>);
CALL(statvfs, anything<2>);
CALL(statvfs64, anything<2>);
CALL(fstatvfs, anything<2>);
CALL(fstatvfs64, anything<2>);
CALL(ustat, anything<2>);
CALL(utime, anything<2>);
CALL(utimes, anything<2>);
CALL(lutimes, anything<2>);
CALL(futimes, anything<2>);
CALL(futimens, anything<2>);
CALL(getrlimit, anything<2>);
CALL(getrlimit64, anything<2>);
CALL(setrlimit, anything<2>);
CALL(setrlimit64, anything<2>);
CALL(getrusage, anything<2>);
CALL(getitimer, anything<2>);
CALL(timerfd_gettime, anything<2>);
CALL(timer_gettime, anything<2>);
CALL(clock_getres, anything<2>);
CALL(clock_settime, anything<2>);
CALL(timespec_get, anything<1>);
CALL(clock_adjtime, anything<2>);
CALL(nanosleep, anything<2>);
CALL(thrd_sleep, anything<2>);
CALL(adjtime, anything<2>);
CALL(settimeofday, anything<2>);
CALL(sigwait, anything<2>);
CALL(sigwaitinfo, anything<2>);
CALL(pthread_setname_np, anything<2>);
CALL(__getrlimit, anything<2>);
CALL(__statfs, anything<2>);
CALL(sched_getparam, anything<2>);
CALL(sched_setparam, anything<2>);
CALL(sched_rr_get_interval, anything<2>);
CALL(sigaltstack, anything<2>);
CALL(pipe2, anything<2>);
CALL(getgroups, anything<2>);
CALL(setgroups, anything<2>);
CALL(eventfd_read, anything<2>);
CALL(mq_getattr, anything<2>);
CALL(capget, anything<2>);
CALL(capset, anything<2>);
CALL(__xstat, anything<3>);
CALL(__xstat64, anything<3>);
CALL(__fxstat, anything<3>);
CALL(__fxstat64, anything<3>);
CALL(__lxstat, anything<3>);
CALL(__lxstat64, anything<3>);
CALL(futimesat, anything<3>);
CALL(fcntl, anything<3>);
CALL(fcntl64, anything<3>);
CALL(ioctl, anything<3>);
CALL(waitpid, anything<3>);
CALL(wait3, anything<3>);
CALL(poll, anything<3>);
CALL(__poll, anything<3>);
CALL(__fcntl, anything<3>);
CALL(__libc_fcntl64, anything<3>);
CALL(sigtimedwait, anything<3>);
CALL(__sigtimedwait, anything<3>);
CALL(signalfd, anything<3>);
CALL(accept, anything<3>);
CALL(bind, anything<3>);
CALL(connect, anything<3>);
CALL(__connect, anything<3>);
CALL(getpeername, anything<3>);
CALL(getsockname, anything<3>);
CALL(setitimer, anything<3>);
CALL(sched_getaffinity, anything<3>);
CALL(sched_setaffinity, anything<3>);
CALL(pthread_getaffinity_np, anything<3>);
CALL(pthread_setaffinity_np, anything<3>);
CALL(sched_setscheduler, anything<3>);
CALL(getresuid, anything<3>);
CALL(getresgid, anything<3>);
CALL(semop, anything<3>);
CALL(msgctl, anything<3>);
CALL(shmctl, anything<3>);
CALL(mincore, anything<3>);
CALL(mq_setattr, anything<3>);
CALL(getcpu, anything<3>);
CALL(open_by_handle_at, anything<3>);
CALL(fstatat, anything<4>);
CALL(fstatat64, anything<4>);
CALL(utimensat, anything<4>);
CALL(wait4, anything<4>);
CALL(waitid, anything<4>);
CALL(epoll_ctl, anything<4>);
CALL(epoll_wait, anything<4>);
CALL(accept4, anything<4>);
CALL(socketpair, anything<4>);
CALL(prlimit, anything<4>);
CALL(prlimit64, anything<4>);
CALL(timerfd_settime, anything<4>);
CALL(timer_settime, anything<4>);
CALL(clock_nanosleep, anything<4>);
CALL(semtimedop, anything<4>);
CALL(semctl, anything<4>);
CALL(msgsnd, anything<4>);
CALL(__libc_msgsnd, anything<4>);
CALL(sendfile, anything<4>);
CALL(sendfile64, anything<4>);
CALL(__poll_chk, anything<4>);
CALL(__getgroups_chk, anything<4>);
CALL(statx, anything<5>);
CALL(__fxstatat, anything<5>);
CALL(__fxstatat64, anything<5>);
CALL(select, anything<5>);
CALL(__select, anything<5>);
CALL(getsockopt, anything<5>);
CALL(setsockopt, anything<5>);
CALL(msgrcv, anything<5>);
CALL(__libc_msgrcv, anything<5>);
CALL(name_to_handle_at, anything<5>);
CALL(prctl, anything<5>);
CALL(copy_file_range, anything<6>);
CALL(splice, anything<6>);
