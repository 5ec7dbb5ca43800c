// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags that are members of objects outside of the loop: all that iterations do with them is to set one constant.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks %s -o %t.muster 2>&1 | FileCheck %s
// RUN: %run MUSTER_DEVICES=cpu %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
#include <cstdio>

constexpr int n = 123;

struct Status {
  bool good = true;
  unsigned char level = 0;
  long code = 5;
};

// miniMD's neighbour lists: `resize` asks for larger bins.
class Bins {
 public:
  Bins(int *of, int *count, int each) : of(of), count(count), each(each) {}
  int fill() {
    int rounds = 0;
    resize = 1;
    while (resize) {
      ++rounds;
      resize = 0;
#pragma omp parallel
      {
        // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_fill_[[#@LINE+1]]' for all devices
#pragma omp for
        for (int i = 0; i < n; i++) {
          int inBin = 0;
          for (int k = 0; k < n; k++) inBin += of[k] == of[i];
          if (inBin < each)
            count[i] = inBin;
          else
            resize = 1;
        }
#pragma omp master
        if (resize) each *= 2;
      }
    }
    return rounds * 1000 + each;
  }
  void check(Status *status, Status &other, bool calm) {
    // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_check_[[#@LINE+1]]' for all devices
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      if (count[i] > limit) status->good = false;
      if (count[i] > 2 && !calm) (other.level) = (unsigned char)(3 + 4);
      if (count[i] == -1) { this->inner.code = 12; }
      if (count[i] > 1000) this->seen = true;
      count[i] += each;
    }
    std::printf("%d %d %ld %d\n", status->good, other.level, inner.code, seen);
  }
  int *of, *count, each, limit = 3;
  Status inner;

 private:
  int resize = 0;
  bool seen = false;
};

template <class T>
struct Grid {
  T *u;
  int changed = 7;
  int step(T limit) {
    // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_step_[[#@LINE+1]]' in {{.*}} for all devices
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      if (u[i] <= limit) continue;
      u[i] = limit;
      changed = 0;
    }
    return changed;
  }
};

int main() {
#pragma ompx managed(of)
  int *of = new int[n];
#pragma ompx managed(count)
  int *count = new int[n];
#pragma ompx managed(u)
  double *u = new double[n];
  for (int i = 0; i < n; i++) of[i] = i % 7, count[i] = 0, u[i] = i;
  Bins bins(of, count, 2);
  std::printf("%d\n", bins.fill());
  Status status, other;
  bins.check(&status, other, true);
  bins.limit = 100;
  Status again;
  bins.check(&again, other, false);
  count[5] = -1;
  bins.check(&again, other, false);
  Grid<double> grid{u};
  std::printf("%d", grid.step(500));
  std::printf(" %d\n", grid.step(50));
  auto set = [&] {
    // CHECK-DAG: [[#@LINE+1]]:1: remark: loop is outlined as 'muster_main_[[#@LINE+1]]' for all devices
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      if (u[i] > 49) other.code = 1L, u[i]--;
  };
  set();
  long sum = 0;
  for (int i = 0; i < n; i++) sum += count[i] + of[i] + long(u[i]);
  std::printf("%ld %ld\n", other.code, sum);
  delete[] of;
  delete[] count;
  delete[] u;
}
