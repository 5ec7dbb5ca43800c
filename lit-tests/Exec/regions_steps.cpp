// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each thread of a region does in its turn, where what the last one left decides on it: steps of a state, claims
// of what is free. Such regions keep their teams. What is the same once and several times does not.
//
// RUN: %plain -O1 -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t && %run %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
// RUN: %muster++ -O1 -fsyntax-only %s 2>&1 | %filecheck %s
#include <omp.h>

#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <vector>

static const int n = 1000;
static double* p;

#define REGION(...)                                           \
  _Pragma("omp parallel num_threads(3)") {                    \
    __VA_ARGS__                                               \
    _Pragma("omp for") for (int i = 0; i < n; ++i) p[i] += 1; \
  }
#define IN_TURN(...) REGION(_Pragma("omp critical") { __VA_ARGS__; })

// CHECK-COUNT-29: remark: region stays plain OpenMP on rank 0: adds the same once for each thread of the team
// CHECK-NOT: region stays plain

static int state, first, x = 1, y = 2, z = 3, slot[8], a, b;

static void steps() {
  IN_TURN(switch (state) {
    case 0: state = 1; break;
    case 1: state = 2; break;
    case 2: state = 3; break;
  })
  std::printf("%d\n", state);
  IN_TURN(if (first == 0) first = 1; else if (first == 1) first = 7)
  std::printf("%d\n", first);
  first = 0;
  IN_TURN(if (!first) { first = 1; a = 5; } else b = 6)
  std::printf("%d %d\n", a, b);
  a = b = first = 0;
  IN_TURN(if (first) b = 1; first = 1)
  IN_TURN(x = y; y = 5)
  std::printf("%d %d %d\n", b, x, y);
  IN_TURN(z = first == 1 ? 9 : 8; first = 1; a = z)
  state = 0;
  IN_TURN(z = state == 0 ? 8 : 9; state = 1)
  std::printf("%d %d\n", z, a);
  IN_TURN(while (slot[a % 3] != 0) a = (a + 1) % 3; slot[a % 3] = 1)
  IN_TURN(for (int k = 0; k < 8; ++k) if (!slot[k]) { slot[k] = 2; break; })
  IN_TURN(for (int k = 0; k < 8; ++k) { if (slot[k]) continue; slot[k] = 3; break; })
  IN_TURN(int k = 0; while (slot[k]) ++k; if (k < 8) slot[k] = 4)
  for (int s : slot) std::printf(" %d", s);
  std::printf("\n");
}

// A smallest pair, of two that the threads would have.
static void top() {
  double most = 1, second = 0;
  REGION(double mine = 5; _Pragma("omp critical") {
    if (mine > most) { second = most; most = mine; } else if (mine > second) second = mine; })
  std::printf("%g %g\n", most, second);
}

struct Door {
  int at = 0, last = 0;
  bool open = false;
  std::mutex lock;
  void next() { at = at == 0 ? 3 : at == 3 ? 4 : 5; }
  void turn() {
    switch (at) {
      case 0: at = 1; break;
      case 1: at = 2; break;
      default: at = 7;
    }
  }
  void enter() {
    std::lock_guard<std::mutex> inside(lock);
    if (!open) {
      open = true;
      last = 1;
    } else {
      last = 2;
    }
  }
  void enterOnce() {
    std::lock_guard<std::mutex> inside(lock);
    if (open) return;
    open = true;
    last = 3;
  }
  bool isOpen() const { return open; }
  void unlock() { open = true; }
};
static bool isFree() { return state == 0; }
static void take() { state = 1; }
static void step(int* what) { *what = *what == 0 ? 1 : *what == 1 ? 5 : 6; }
static void choose(int* what) {
  if (*what == 0)
    *what = 1;
  else if (*what == 1)
    *what = 5;
}

static void functions() {
  Door door;
  IN_TURN(door.turn())
  IN_TURN(door.next())
  std::printf("%d\n", door.at);
  REGION(door.enter();)
  std::printf("%d\n", door.last);
  door.open = false;
  IN_TURN(if (door.isOpen()) a = 11; else door.unlock())
  state = 0;
  IN_TURN(if (isFree()) take(); else a += 0, b = 12)
  std::printf("%d %d\n", a, b);
  state = 0;
  IN_TURN(step(&state))
  std::printf("%d\n", state);
  state = 0;
  IN_TURN(choose(&state))
  std::printf("%d\n", state);
  state = 0;
  IN_TURN([&] { if (state == 0) state = 1; else state = 4; }())
  std::printf("%d\n", state);
  omp_lock_t lock;
  omp_init_lock(&lock);
  state = 0;
  REGION(omp_set_lock(&lock); if (state == 0) state = 1; else state = 3; omp_unset_lock(&lock);)
  std::printf("%d\n", state);
  omp_destroy_lock(&lock);
  std::set<int> seen;
  IN_TURN(if (seen.count(4)) b = 21; else seen.insert(4))
  IN_TURN(if (!seen.insert(5).second) b += 0, a = 22)
  std::map<int, int> kinds;
  IN_TURN(if (kinds[3] == 0) kinds[3] = 1; else kinds[3] = 2)
  std::vector<int> v(3);
  IN_TURN(if (v[0] == 0) std::fill(v.begin(), v.end(), 1); else b = 23)
  std::printf("%d %d %d\n", a, b, kinds[3]);
}

// What a thread knows of its turn, and does afterwards.
static void claims() {
  int taken = 0, others = 0;
  REGION(bool mine = false; _Pragma("omp critical") if (!taken) { taken = 1; mine = true; }
         if (!mine) {
           _Pragma("omp atomic write") others = 1;
         })
  std::printf("%d\n", others);
  taken = others = 0;
  REGION(int old; _Pragma("omp atomic capture") { old = taken; taken = 1; } if (old) {
           _Pragma("omp atomic write") others = 3;
         })
  std::printf("%d\n", others);
  int rows[8] = {};
  REGION(int mine = -1; _Pragma("omp critical") {
    for (int k = 0; k < 8 && mine < 0; ++k) if (!rows[k]) { rows[k] = 1; mine = k; } })
  REGION(bool got = false; _Pragma("omp critical") {
    for (int k = 0; k < 8; ++k) if (!rows[k] && !got) { rows[k] = 2; got = true; } })
  for (int r : rows) std::printf(" %d", r);
  std::printf("\n");
}

// The same once and several times.
static void harmless() {
  int done = 0, flag = 0, have = 0, at = -1, count = 4, total = 0;
  double least = 50, most = -1, mine = 7, first = 0, list[8] = {3, 9}, places[8] = {};
  std::set<int> seen;
  IN_TURN(if (!done) { done = 1; a = 41; seen.insert(4); })
  IN_TURN(if (done == 0) { done = 1; total = 9; } if (n > 5) b = 42; else b = 43)
  REGION(double own = 60; _Pragma("omp for") for (int i = 0; i < n; ++i) if (p[i] < own) own = p[i];
         _Pragma("omp critical") { if (own < least) { least = own; at = 6; } })
  REGION(double own = 60; _Pragma("omp critical") if (own > most) most = own;)
  REGION(double own = 61; int place = 3; _Pragma("omp critical") {
    if (own > most) { most = own; at = place; } else if (own == most && place < at) at = place; })
  REGION(double own = 8; _Pragma("omp critical") {
    if (!have) { have = 1; first = own; } else if (own < first) first = own; })
  REGION(double own[8] = {1, 2, 30}; _Pragma("omp critical") {
    for (int k = 0; k < 8; ++k) if (own[k] > list[k]) { list[k] = own[k]; places[k] = k; } })
  REGION(double own[8] = {1, 2, 30}; _Pragma("omp critical") {
    for (int k = 0; k < 8; ++k) if (own[k] > most) { most = own[k]; at = k; } })
  IN_TURN(count = 3; if (count == 3) flag = 1; else flag = 2; z = flag)
  IN_TURN(x = y; z = x + 1; if (z > 2) state = 6; else state = 4)
  IN_TURN(for (int k = 0; k < 8; ++k) if (!slot[k]) slot[k] = 9)
  REGION(double own = 70; _Pragma("omp critical") { double now = most; if (own > now) now = own; most = now; })
  REGION(double own = 2; _Pragma("omp critical") { double old = least; if (own < old) least = own; })
  Door door;
  REGION(door.enterOnce();)
  omp_lock_t lock;
  omp_init_lock(&lock);
  REGION(int error = 0; omp_set_lock(&lock); if (most < 2) most = 2; omp_unset_lock(&lock);
         if (error) a = 1; else a = 44;)
  omp_destroy_lock(&lock);
  IN_TURN(int own[2] = {1, 2}; if (own[0] == 1) own[0] = 2; else own[0] = 3; switch (own[1]) { case 2: own[1] = 4; })
  std::printf("%d %d %d %d %d %d %g %g %g %g %g %g %zu\n", done, flag, have, at, count, total, least, most,
              mine, first, list[2], places[2], seen.size());
  std::printf("%d %d %d %d %d %d\n", a, b, z, state, slot[7], door.last);
}

int main() {
#pragma ompx managed(p)
  p = new double[n]();
  steps();
  top();
  functions();
  claims();
  harmless();
  std::printf("%g\n", p[7]);
  delete[] p;
}
