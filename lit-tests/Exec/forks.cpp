// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Children of a program with managed arrays: each sees its own copy, as it was; its loops run, its end is its own. What
// starts other programs works as ever.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict %s -o %t.muster
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu MUSTER_INFO=1 mpirun --allow-run-as-root --oversubscribe -n 2 %t.muster 2>&1 | FileCheck --check-prefix=ONCE %s
// ONCE: what this run did
// ONCE-NOT: what this run did
#include <pty.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static const int n = 200000;
static long *a;
#pragma ompx managed(table)
static int table[4096];

static void add(long k) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] += i % 7 + k;
}
static long sum() {
  long s = 0;
  for (int i = 0; i < n; ++i) s += a[i];
  for (int i = 0; i < 4096; ++i) s += table[i];
  return s;
}
static void fill(int k) {
#pragma omp parallel for
  for (int i = 0; i < 4096; ++i) table[i] = i + k;
}
static void say(const char *who, long value) {
  std::printf("%-12s %ld\n", who, value);
  std::fflush(stdout);
}
static int wait() {
  int status = 0;
  ::wait(&status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
struct AtEnd {
  ~AtEnd() {
    std::printf("end of %s\n", getenv("WHO"));
  }
} atEnd;

// The child's values, changes on both sides while both run, loops in both, memory of the child's own.
static void computing() {
  int ends[2];
  pipe(ends);
  add(1);
  fill(3);
  if (fork() == 0) {
    setenv("WHO", "child", 1);
    char go;
    read(ends[0], &go, 1);  // the parent has changed its arrays
    say("child", sum());
    a[5] = 1000;
    add(2);
    fill(5);
    say("child", sum());
#pragma ompx managed(b)
    long *b = new long[n];
#pragma omp parallel for
    for (int i = 0; i < n; ++i) b[i] = 2 * a[i];
    say("child", b[n - 1]);
    delete[] b;
    delete[] a;
    exit(7);
  }
  add(100);
  a[6] = -5;
  fill(50);
  write(ends[1], "x", 1);
  say("code", wait());
  say("parent", sum());
  add(1);
  say("parent", sum());
}

static void ends() {
  for (int how = 0; how < 4; ++how) {
    add(how);
    const pid_t child = how < 3 ? fork() : _Fork();
    if (child == 0) {
      if (how == 0) _exit(3);
      if (how == 1) abort();
      if (how == 2) execl("/bin/sh", "sh", "-c", "exit 4", nullptr);
      _exit(sum() == 0);
    }
    say("code", wait());
  }
  int terminal;
  add(1);
  if (forkpty(&terminal, nullptr, nullptr, nullptr) == 0) _exit(static_cast<int>(sum() % 100));
  say("pty", wait());
  // A child of a child.
  add(1);
  if (fork() == 0) {
    add(1);
    if (fork() == 0) {
      add(1);
      say("grandchild", sum());
      _exit(0);
    }
    wait();
    say("child", sum());
    _exit(0);
  }
  wait();
  say("parent", sum());
}

static void programs() {
  add(1);
  say("system", WEXITSTATUS(system("exit 5")));
  FILE *from = popen("echo popen", "r");
  char line[64] = "";
  fgets(line, sizeof line, from);
  std::printf("%s", line);
  pclose(from);
  pid_t child;
  char sh[] = "sh", c[] = "-c", text[] = "exit 6";
  char *arguments[] = {sh, c, text, nullptr};
  posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments, environ);
  say("spawn", wait());
  if ((child = vfork()) == 0) {
    execl("/bin/sh", "sh", "-c", "exit 8", nullptr);
    _exit(1);
  }
  say("vfork", wait());
  say("parent", sum());
}

// What the parent has freed, and Muster keeps, is nobody's in the child.
static long again(int k) {
#pragma ompx managed(b)
  long *b = new long[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) b[i] = i % k;
  const long found = b[n - 1] + b[n / 2];
  delete[] b;
  return found;
}
static void freed() {
  again(3);
  if (fork() == 0) {
    for (int k = 5; k < 9; ++k) say("child", again(k));
    _exit(0);
  }
  wait();
  for (int k = 9; k < 13; ++k) say("parent", again(k));
}

int main() {
  setenv("WHO", "parent", 1);
#pragma ompx managed(a)
  a = new long[n]();
  computing();
  ends();
  programs();
  freed();
  delete[] a;
}
