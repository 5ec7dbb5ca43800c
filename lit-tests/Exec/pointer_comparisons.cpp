// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that compare and subtract pointers: those into one array are to each other on all devices as they are in the
// program, also where they lead to its end, or where the loop touches nothing behind them. What compares pointers to
// several arrays for their order runs where the program's addresses are.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t.muster 2> %t.remarks
// RUN: FileCheck --check-prefix=REMARKS --implicit-check-not=remark: %s < %t.remarks
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 MUSTER_INFO=1 %t.muster 2>&1 | FileCheck %s
//
// REMARKS: remark: loop 'muster_throughFunctions_{{[0-9]+}}' runs on CPUs only: calls 'std::find'
// CHECK: this loop runs on CPU devices only: calls 'std::find'
// CHECK: this loop runs on rank 0's CPU: it compares b with a pointer that leads to something else
// CHECK: this loop runs on CPU devices only: it compares b with a pointer into another array
#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>
#include "Inputs/wild_report.h"

// Its size is the difference of two members.
struct Range {
#pragma ompx managed(first_)
  int* first_;
  int* last_;
  explicit Range(std::size_t n) { first_ = new int[n], last_ = first_ + n; }
  std::size_t size() const { return last_ - first_; }
  bool empty() const { return first_ == last_; }
  int* begin() const { return first_; }
  int* end() const { return last_; }
  int& operator[](std::size_t i) const { return first_[i]; }
};

static void sums(const Range& range, long* out, std::size_t blocks, std::size_t size) {
#pragma omp parallel for
  for (std::size_t block = 0; block < blocks; ++block) {
    long sum = 0;
    const std::size_t end = std::min((block + 1) * size, range.size());
    for (std::size_t i = block * size; i < end; ++i) sum += range[i];
    out[block] = range.empty() ? -1 : sum;
  }
}

static void walks(const Range& range, long* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    long sum = 0;
    for (const int* p = range.begin() + i; p != range.end() && p < range.begin() + i + 5; ++p) sum += *p;
    out[i] = sum;
  }
}

static void untilEnd(const int* a, long* out, int n, int m) {
  const int *end = a + n * m, *inside = a + n * m - 1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    long sum = 0;
    for (const int* p = a + i * m; p < a + (i + 1) * m && p < end && p <= inside; ++p) sum += *p;
    out[i] = sum;
  }
}

// Nothing is read of the array that the pointers lead into.
static void distances(const int* first, const int* last, long* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = (last - first) + i;
}

// Two parts of one allocation.
static void apart(double* pool, long* out, int n) {
  double *a = pool, *b = pool + n;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    b[i] = 2 * i;
    out[i] = (b - a) + (&b[i] > a ? 1 : 0);
  }
}

static void nulls(const int* mask, int* other, long* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = (mask ? 1 : 0) + (other != nullptr ? 2 : 0) + (mask == nullptr ? 4 : 0);
}

static void throughSpan(std::span<const int> values, long* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    long count = 0;
    for (const int* p = values.data(); p != values.data() + values.size(); ++p) count += *p == i;
    out[i] = count;
  }
}

static void throughFunctions(const std::vector<int>& values, long* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    out[i] = std::find(values.data(), values.data() + values.size(), i % 13) - values.data() +
             std::less<const int*>()(values.data() + i, values.data() + 20);
}

static void privately(const int* a, long* out, int n) {
  const int *p = a, *end = a + n;
#pragma omp parallel for firstprivate(p, end)
  for (int i = 0; i < n; ++i) out[i] = (end - p) - (p + i < end ? 1 : 0);
}

// Which of two arrays comes first only the program's addresses tell.
static long overlapping(const int* a, const int* b, long* out, int n) {
  long changed = 0;
#pragma omp parallel for reduction(+ : changed)
  for (int i = 0; i < n; ++i) {
    out[i] = a[i];
    changed += a < b + n && b < a + n;
  }
  return changed;
}
static void same(const int* a, const int* b, long* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = a == b ? -1 : a[i] - b[i];
}

int main() {
  const int n = 103, m = 10;
  Range range(n);
  fill(range.first_, n);
#pragma ompx managed(out)
  long* out = new long[n]();
  sums(range, out, 1, 1 << 20), report("sums", out, 1);
  sums(range, out, 4, 26), report("blocks", out, 4);
  walks(range, out, n), report("walks", out, n);
#pragma ompx managed(a)
  int* a = new int[n * m];
  fill(a, n * m);
  untilEnd(a, out, n, m), report("until", out, n);
  distances(a, a + n * m, out, n), report("distances", out, n);
  distances(a + 7, a + n, out, n), report("inside", out, n);
#pragma ompx managed(page)
  int* page = new int[1024];  // of a page: what lies behind belongs to somebody else
  fill(page, 1024);
  distances(page, page + 1024, out, n), report("page", out, n);
#pragma ompx managed(pool)
  double* pool = new double[2 * n];
  apart(pool, out, n), report("apart", out, n), report("pool", pool, 2 * n);
  nulls(a, a + 3, out, n), report("nulls", out, n);
  throughSpan({a, 50}, out, n), report("span", out, n);
#pragma ompx managed(values)
  std::vector<int> values(n);
  fill(values.data(), n);
  throughFunctions(values, out, n), report("functions", out, n);
  privately(a, out, n), report("private", out, n);
  std::printf("overlap %ld %ld\n", overlapping(a, a + 50, out, n), overlapping(a, page, out, n));
  same(a, a, out, n), report("same", out, n);
  same(a, page, out, n), report("different", out, n);
}
