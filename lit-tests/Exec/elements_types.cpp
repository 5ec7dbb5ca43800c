// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that are no plain numbers or structs: enumerations, bool, one and two bytes (also written in scattered
// places, which are merged), over-aligned and nested structs, std::pair, std::array, std::complex<float>. Bit-fields,
// which OpenCL C does not have, on CPUs. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-remarks=missed %s -o %t.muster 2>&1 \
// RUN:   | FileCheck --implicit-check-not=remark: %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 mpirun --allow-run-as-root --oversubscribe \
// RUN:   -n 3 %t.muster | diff %t.expected -
// Only the loop over bit-fields has no device code.
#include <array>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

enum Colour { red, green = -5, blue = 1000 };
enum Small : unsigned char { none, some = 7, most = 255 };
enum class State : int16_t { idle = -3, busy = 300, done };
enum class Mask : uint64_t { low = 1, high = 1ull << 63 };

struct Inner {
  int8_t small[3];
  State state;
  bool on[2];
};
struct Nested {
  Inner inner[2];
  double value;
  Inner last;
};
struct alignas(32) Over {
  float x;
  Nested nested;
  Small kind;
};
struct alignas(64) Line {
  int used;
};
struct Bits {
  unsigned low : 3, : 2, high : 11;
  signed char sign : 4;
  bool flag : 1;
};

static State next(State s) { return s == State::idle ? State::busy : s == State::busy ? State::done : State::idle; }

int main() {
  const int n = 1537;
  unsigned long sum = 0;
  auto add = [&](long x) { sum = sum * 1099511628211ul + x; };
  auto show = [&](const char *what) {
    printf("%s %lx\n", what, sum);
    sum = 0;
  };

#pragma ompx managed(colours)
  Colour *colours = new Colour[n];
#pragma ompx managed(smalls)
  std::vector<Small> smalls(n);
#pragma ompx managed(states)
  State *states = new State[n];
#pragma ompx managed(masks)
  Mask *masks = new Mask[n];
  for (int i = 0; i < n; i++) colours[i] = i % 3 ? green : blue, smalls[i] = Small(i % 256), states[i] = State::idle;
  for (int t = 0; t < 3; t++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      states[i] = i % 5 ? next(states[i]) : State(static_cast<int>(states[i]) + 1);
      masks[i] = states[i] == State::busy ? Mask::high : static_cast<Mask>(i);
      switch (smalls[i]) {
        case some:
          colours[i] = red;
          break;
        case most:
          colours[i] = Colour(colours[i] + 1);
          break;
        default:
          smalls[i] = Small(smalls[i] + 1 + (colours[i] == green));
      }
    }
  }
  for (int i = 0; i < n; i++) add(colours[i]), add(smalls[i]), add((long)states[i]), add((long)masks[i]);
  show("enums");

  // Neighbours that other devices write lie in the same word.
#pragma ompx managed(flags)
  bool *flags = new bool[n];
#pragma ompx managed(before)
  static bool before[1537];
#pragma ompx managed(bytes)
  int8_t *bytes = new int8_t[n];
#pragma ompx managed(words)
  uint16_t *words = new uint16_t[n];
#pragma omp parallel for
  for (int i = 0; i < n; i++) flags[(i * 5) % n] = i % 3 == 0, bytes[(i * 7) % n] = i, words[(i * 11) % n] = 40 * i;
  for (int t = 0; t < 4; t++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) before[i] = flags[i];
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) {
      flags[i] = before[i - 1] ^ before[i + 1] || (before[i] && bytes[i] > 0);
      bytes[i] += flags[i] ? 100 : -3;
      words[i] = words[i] * 3 >> flags[i];
    }
  }
  for (int i = 0; i < n; i++) add(flags[i]), add(bytes[i]), add(words[i]);
  show("bytes");

#pragma ompx managed(over)
  Over *over = new Over[n]();
#pragma ompx managed(lines)
  std::vector<Line> lines(n);
  for (int t = 0; t < 2; t++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      Over &o = over[i];
      Inner *in = &o.nested.inner[i % 2];
      in->small[i % 3] -= i;
      in->state = next(o.nested.last.state);
      in->on[t] = !in->on[1 - t];
      o.nested.last = *in;
      o.nested.last.small[2]++;
      o.nested.value += in->small[i % 3] * 0.5;
      o.x += o.nested.value;
      o.kind = o.x > 0 ? most : some;
      const Line line = {lines[i].used + i};
      lines[i] = line;
    }
  }
  for (int i = 0; i < n; i++) {
    const Inner &in = over[i].nested.inner[i % 2], &last = over[i].nested.last;
    add(in.small[0] + in.small[1] + in.on[0] * 3 + in.on[1]), add((long)in.state), add(last.small[2]), add(lines[i].used);
    add(over[i].kind), add((long)(over[i].nested.value * 4)), add((long)over[i].x);
  }
  show("structs");

#pragma ompx managed(pairs)
  std::pair<int, double> *pairs = new std::pair<int, double>[n];
#pragma ompx managed(small)
  std::vector<std::pair<char, int16_t>> small(n);
#pragma ompx managed(triples)
  std::array<float, 3> *triples = new std::array<float, 3>[n];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    pairs[i] = {i, i * 0.5};
    small[i] = std::make_pair(char(i % 100), int16_t(-i));
    triples[i] = {i * 1.f, 2, -1.f * i};
  }
#pragma omp parallel for
  for (int i = 1; i < n; i++) {
    auto [number, value] = pairs[i];
    std::pair<int, double> p(number + small[i - 1].second, value * triples[i - 1][2]);
    if (p.second < pairs[i].second) std::swap(p.first, number);
    p.first += number;
    pairs[i] = p;
    triples[i][1] += small[i].first + triples[i].size();
  }
  for (int i = 0; i < n; i++) add(pairs[i].first), add((long)pairs[i].second), add(small[i].second), add((long)triples[i][1]);
  show("pairs");

#pragma ompx managed(z)
  std::complex<float> *z = new std::complex<float>[n];
  for (int i = 0; i < n; i++) z[i] = {i % 7 - 3.f, i % 5 * 0.5f};
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    std::complex<float> w = z[i] * z[i] + std::complex<float>(0.5f, -1);
    w += conj(z[i]) * 2.f;
    z[i] = w.real() > w.imag() ? w : -w;
  }
  for (int i = 0; i < n; i++) add((long)(z[i].real() * 8)), add((long)(z[i].imag() * 8));
  show("complex");

#pragma ompx managed(bits)
  Bits *bits = new Bits[n]();
  for (int t = 0; t < 3; t++) {
// CHECK: elements_types.cpp:[[#@LINE+1]]:1: remark: {{.*}} runs on CPUs only: uses a bit field
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      bits[i].low += i + t;
      bits[i].high = bits[i].high * 3 + bits[i].low;
      bits[i].sign = bits[i].flag ? -bits[i].sign : i;
      bits[i].flag = !bits[i].flag || i % 4 == 0;
    }
  }
  for (int i = 0; i < n; i++) add(bits[i].low), add(bits[i].high), add(bits[i].sign), add(bits[i].flag);
  show("bits");
}
