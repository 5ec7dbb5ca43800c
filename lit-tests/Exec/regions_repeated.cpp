// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each thread of a region does in its turn by calls of the library, and what is not the same once and several
// times: such regions keep their teams.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 %s -o %t 2>&1 | %filecheck %s
// RUN: %run %t | diff %t.expected -
// RUN: env OMP_NUM_THREADS=2 MUSTER_DEVICES=cpu,opencl mpirun --allow-run-as-root --oversubscribe -n 2 %t | diff %t.expected -
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

static const int n = 1000;
static double* p;

#define REGION(...)                                           \
  _Pragma("omp parallel num_threads(3)") {                    \
    __VA_ARGS__                                               \
    _Pragma("omp for") for (int i = 0; i < n; ++i) p[i] += 1; \
  }
#define IN_TURN(...) REGION(_Pragma("omp critical") { __VA_ARGS__; })

// CHECK-COUNT-11: remark: region stays plain OpenMP on rank 0: adds the same once for each thread of the team
// CHECK: remark: region stays plain OpenMP on rank 0: prints outside of its loops
// CHECK-COUNT-22: remark: region stays plain OpenMP on rank 0: adds the same once for each thread of the team
// CHECK-NOT: region stays plain

static void add(std::ostringstream& text) { text << "b"; }

static void containers() {
  std::vector<int> v = {1, 2};
  IN_TURN(v.resize(v.size() + 2))
  IN_TURN(v.insert(v.end(), 5))
  IN_TURN(v.erase(v.begin()))
  std::set<int> left = {1, 2, 3, 4, 5};
  IN_TURN(left.erase(left.begin()))
  std::deque<int> queue(9);
  IN_TURN(queue.pop_front())
  std::list<int> from(3), to;
  IN_TURN(if (!from.empty()) to.splice(to.begin(), from, from.begin()))
  std::printf("%zu %d %zu %zu %zu\n", v.size(), v[0], left.size(), queue.size(), to.size());
}

static void streams() {
  std::ostringstream out;
  IN_TURN(out << "a" << 1)
  IN_TURN(add(out))
  std::istringstream in("1 2 3 4 5 6 7 8");
  int read = 0;
  IN_TURN(in >> read)
  std::string word;
  IN_TURN(std::getline(in, word, ' '))
  in >> read;
  std::FILE* file = std::tmpfile();
  for (int i = 0; i < 100; ++i) std::fputc(i, file);
  std::rewind(file);
  REGION(int c = std::fgetc(file); p[0] += c < 0;)
  std::printf("%s %d %ld\n", out.str().c_str(), read, std::ftell(file));
  REGION(std::fputc('q', file);)
  std::printf("%ld\n", std::ftell(file));
}

static void elements() {
  std::vector<int> v = {4, 5, 6, 7};
  IN_TURN(std::rotate(v.begin(), v.begin() + 1, v.end()))
  IN_TURN(std::swap(v[0], v[1]))
  IN_TURN(std::reverse(v.begin(), v.end()))
  IN_TURN(std::for_each(v.begin(), v.end(), [](int& x) { x += 1; }))
  IN_TURN(std::transform(v.begin(), v.end(), v.begin(), [](int x) { return x + 1; }))
  IN_TURN(std::partial_sum(v.begin(), v.end(), v.begin()))
  std::vector<int> w = {1, 2};
  IN_TURN(v.swap(w))
  IN_TURN(std::next_permutation(w.begin(), w.end()))
  std::printf("%d %d %d %d\n", v[0], v[1], w[0], w[1]);
}

static void numbers() {
  std::mt19937 engine(5);
  double drawn = 0;
  IN_TURN(drawn = engine())
  std::uniform_int_distribution<int> dice(1, 6);
  IN_TURN(drawn = dice(engine))
  std::printf("%u\n", static_cast<unsigned>(engine()));
  std::srand(3);
  REGION(int own = std::rand(); p[0] += own < 0;)
  std::printf("%d %d\n", std::rand(), drawn < 0);
}

struct Ring {
  unsigned at = 0, seed = 1;
  void next() { at = at == 9 ? 0 : at + 1; }
  unsigned draw() { return seed = seed * 1664525u + 1013904223u; }
};
static unsigned levels;
static char text[64] = "x";

// What the program's own functions make of what was there before.
static void values() {
  Ring ring;
  IN_TURN(ring.next())
  REGION(unsigned drawn; _Pragma("omp critical") drawn = ring.draw(); p[0] += drawn < 1;)
  IN_TURN(levels |= 1u << levels % 8)
  IN_TURN(levels <<= 1)
  IN_TURN(std::strcat(text, "ab"))
  IN_TURN(std::snprintf(text + std::strlen(text), 4, "%d", 3))
  int moved[16] = {1};
  IN_TURN(std::memmove(moved + 1, moved, 8 * sizeof(int)))
  IN_TURN(std::copy_backward(moved, moved + 10, moved + 11); moved[0] = 2)
  int sum = 0;
  for (int value : moved) sum = sum * 3 + value;
  std::printf("%u %u %u %s %d\n", ring.at, ring.seed, levels, text, sum);
}

static int x = 1, y = 2, z = 3, which = 0;
static double best = -2;

// Through several variables.
static void rounds() {
  IN_TURN(int t = x; x = y; y = t)
  IN_TURN(int t = x; x = y; y = z; z = t)
  IN_TURN(x = 2 * y; if (x > 9) y = x - 3)
  std::printf("%d %d %d\n", x, y, z);
}

// The same once and several times.
static void harmless() {
  std::vector<int> v(4, 2), w;
  std::set<int> set = {1, 2, 3};
  std::map<int, int> map;
  IN_TURN(v.resize(9))
  IN_TURN(set.erase(2); set.insert(7); map.emplace(3, 4))
  IN_TURN(w = v; w.assign(3, 8); std::sort(w.begin(), w.end()))
  IN_TURN(std::fill(v.begin(), v.end(), 6))
  IN_TURN(std::transform(w.begin(), w.end(), v.begin(), [](int x) { return x + 1; }))
  IN_TURN(x = y; z = x + 1)
  REGION(double most = -1; _Pragma("omp for") for (int i = 0; i < n; ++i) if (p[i] > most) most = p[i];
         _Pragma("omp critical") { if (most > best) { best = most; which = 3; } })
  std::printf("%d %d %g %d\n", x, z, best, which);
  Ring ring;
  IN_TURN(ring.at = 4; levels |= 64; levels &= ~1u; std::strcpy(text, "y"); std::memcpy(text + 1, "z", 2))
  REGION(std::ostringstream own; own << "x"; std::vector<int> mine; mine.push_back(1);
         _Pragma("omp critical") { mine.insert(mine.end(), 3); own << 5; std::swap(mine[0], mine[1]); })
  std::printf("%zu %zu %zu %zu %d\n", v.size(), set.size(), map.size(), w.size(), v[0]);
}

int main() {
#pragma ompx managed(p)
  p = new double[n]();
  containers();
  streams();
  elements();
  numbers();
  values();
  rounds();
  harmless();
  std::printf("%g\n", p[7]);
  delete[] p;
}
