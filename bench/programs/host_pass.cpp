// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass of host code over an array that a device has just written: arguments pass (read, update, memcpy, memset,
// fwrite), bytes, steps, and how: "pages" (the code touches it, and its pages come by faults) or "transfer" (all of it
// is brought first by the runtime's one transfer, the pass comes after that).
#include <cstdlib>
#include <string>
#include <vector>

#include "report.h"

// From muster/abi.h; absent in the plain build.
extern "C" void muster_host_access(const void* pointer, size_t bytes, int mode) __attribute__((weak));

namespace {

double pass(const std::string& what, double* a, double* other, long n) {
  const size_t bytes = (size_t)n * sizeof(double);
  double sum = 0;
  if (what == "read") {
    for (long i = 0; i < n; ++i) sum += a[i];
  } else if (what == "update") {
    for (long i = 0; i < n; ++i) a[i] = a[i] * 0.5 + 1;
  } else if (what == "memcpy") {
    memcpy(other, a, bytes);
    sum = other[n / 3];
  } else if (what == "memset") {
    memset(a, 1, bytes);
  } else if (what == "fwrite") {
    FILE* file = fopen("/dev/null", "wb");
    if (file == nullptr || fwrite(a, 1, bytes, file) != bytes) exit(1);
    fclose(file);
  } else {
    fprintf(stderr, "host_pass: unknown pass %s\n", what.c_str());
    exit(1);
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "read", how = argc > 4 ? argv[4] : "pages";
  const long n = (argc > 2 ? atol(argv[2]) : 1000000000) / (long)sizeof(double);
  const int steps = argc > 3 ? atoi(argv[3]) : 3;
  std::vector<double> other((size_t)n);
#pragma omp managed(a)
  double* a = new double[n];
  const int mode = what == "update" || what == "memset" ? 3 : 1;  // MUSTER_READ, and MUSTER_WRITE
  double seconds = 0, sum = 0;
  for (int step = -1; step < steps;
       ++step) {  // the first one, in which pages are touched for the first time, does not count
#pragma omp parallel for
    for (long i = 0; i < n; ++i) a[i] = (double)(i + step);
    const double start = now();
    if (how == "transfer" && muster_host_access != nullptr) muster_host_access(a, (size_t)n * sizeof(double), mode);
    sum += pass(what, a, other.data(), n);
    if (step >= 0) seconds += now() - start;
  }
  sum += a[n / 2];
  report("host-pass", seconds, steps, (double)n * sizeof(double), checksum(&sum, sizeof sum));
  delete[] a;
  return 0;
}
