// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where process_vm_readv is forbidden, as many containers do: tables of rows, of which entries may not be there, and
// arrays that are not managed are read in another way, and the loops are distributed.
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl MUSTER_INFO=1 %t 2>&1 | FileCheck %s
// CHECK-NOT: this loop runs on
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

static bool forbid() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog filter = {sizeof program / sizeof *program, program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

int main() {
  if (!forbid()) return std::puts("cannot forbid a system call"), 1;
  const int n = 1300, m = 7;
#pragma ompx managed(a)
  double **a = (double **)malloc(n * sizeof *a);
  for (int i = 0; i < n; ++i) a[i] = (double *)calloc(m, sizeof **a);
  double *weights = new double[m];
  for (int j = 0; j < m; ++j) weights[j] = j + 0.5;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] = i * weights[j];
  // The last entries of a page, with nothing behind it.
  const long page = sysconf(_SC_PAGESIZE);
  char *memory = (char *)mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(memory + page, page);
  double **last = (double **)(memory + page) - 6;
  for (int i = 0; i < 6; ++i) last[i] = a[i];
#pragma omp parallel for
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < m; ++j) last[i][j] += j;
  // CHECK: rows_forbidden.cpp:[[@LINE+1]]: this loop runs on rank 0's CPU, as a plain loop: the rows of last are not evenly spaced: there is no row 6
#pragma omp parallel for
  for (int i = 0; i < 7; ++i)
    if (i < 6) last[i][0] = -i;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) sum += a[i][j] * (i % 5 + j);
  std::printf("%.12g %g %g\n", sum, a[5][0], a[5][6]);
}
// CHECK-NOT: this loop runs on
// CHECK-NOT: stay on rank 0
