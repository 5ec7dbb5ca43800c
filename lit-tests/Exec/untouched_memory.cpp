// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that the host writes in part or not at all before loops use them: what nobody touched is zero on every device,
// as it is in fresh memory, whatever wrote the rest (stores, memset, fread, chunks of the CPU, a loop on the host), and
// takes no memory on the host.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster
// RUN: %run MUSTER_DEVICES=opencl %t.muster memory | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=2,3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=opencl MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=1,2,4 \
// RUN:   mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster memory | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_WEIGHTS=3,1,2,5,1,2 \
// RUN:   mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=opencl MUSTER_MIN_SHARE=0 MUSTER_SHARED_MEMORY=off \
// RUN:   mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "Inputs/wild_report.h"

struct Triple {
  float x, y, z;
};

// Bytes of arrays that the host has memory for.
static long memoryOfArrays() {
  long bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    struct stat file;
    if (std::filesystem::read_symlink(entry.path(), gone) == "/memfd:muster (deleted)" &&
        stat(entry.path().c_str(), &file) == 0)
      bytes += file.st_blocks * 512;
  }
  return bytes;
}

// Else a byte that is touched takes two megabytes.
static bool smallPages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  std::string text;
  std::getline(file, text);
  return text.empty() || text.find("[never]") != std::string::npos;
}

// Else only arrays without any memory are known to be untouched: cachestat, since Linux 6.5.
static bool countsPages() {
  const int file = memfd_create("probe", 0);
  const unsigned long long range[2] = {0, 4096};
  unsigned long long pages[5];
  const bool counts = syscall(451, file, range, pages, 0) == 0;
  close(file);
  return counts;
}

int main(int argc, char**) {
  const int n = 2000003;
#pragma ompx managed(a, b, c, d)
  double *a = (double*)std::calloc(n, sizeof(double)), *b = (double*)std::malloc(n * sizeof(double)),
         *c = (double*)std::malloc(n * sizeof(double)), *d = (double*)std::calloc(n, sizeof(double));
#pragma ompx managed(t)
  Triple* t = (Triple*)std::calloc(n, sizeof(Triple));

  // Parts that begin and end anywhere.
  for (int i = 123457; i < 200001; ++i) a[i] = i % 89;
  a[700003] = 7, a[n - 1] = 8;
  std::memset(b + 1500001, 0x3f, 60001 * sizeof(double));
  std::FILE* file = std::tmpfile();
  std::fwrite(a + 123457, sizeof(double), 50000, file);
  std::rewind(file);
  if (std::fread(c + 900007, sizeof(double), 50000, file) != 50000) return 1;
  std::fclose(file);
  for (int i = 1000; i < 1200; ++i) t[i * 1000] = {1.0f * i, 2, 3};

  // Conditional writes keep what was there: all of d and t goes to the devices, and into chunks' neighbours.
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (a[i] > 80) d[i] = a[i] + b[i];
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    if (c[i - 1] + c[i + 1] > 30) t[i].y += c[i];
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += d[i] + t[i].x + t[i].y;
  std::printf("%.17g\n", sum);
  // Written: 1.7 MB of doubles, 200 triples in pages of their own. (All: 88 MB.)
  if (argc > 1 && smallPages() && countsPages() && memoryOfArrays() > (8l << 20))
    std::printf("the host has memory for %ld bytes of arrays\n", memoryOfArrays());

  // The host reads what is still nowhere, writes beside it, and loops of other lengths cut elsewhere.
  double seen = a[n / 2] + b[17] + c[n - 5] + t[n - 1].z;
  b[400000] = 3, c[n - 5] = 4;
#pragma omp parallel for
  for (int i = 0; i < n / 3; ++i) a[i] = 2 * a[i] + b[n - 1 - i];
#pragma omp parallel for
  for (int i = n / 4; i < n; ++i)
    if (i % 1000 < 3) c[i] += a[i] + d[i];
  // The CPU of rank 0 alone: long double has no counterpart on devices.
#pragma omp parallel for
  for (int i = 600000; i < 640000; ++i) {
    long double x = d[i] + 1;
    d[i] = x;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    b[i] = d[i] - c[i];
    t[i].z += b[i];
  }
  std::printf("%.17g\n", seen);
  report("a", a, n), report("b", b, n), report("c", c, n), report("d", d, n);
  report("t", &t[0].x, 3l * n);

  // Grown memory keeps what it had, and is new behind it.
  std::free(c);
#pragma ompx managed(e)
  double* e = (double*)std::calloc(n, sizeof(double));
  e[n / 2] = 5;
  e = (double*)std::realloc(e, 2l * n * sizeof(double));
  e[2 * n - 1] = 6;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (i > 10) e[i] += e[n + i] + 1;
  report("e", e, 2l * n);
  std::free(a), std::free(b), std::free(d), std::free(t), std::free(e);
}
