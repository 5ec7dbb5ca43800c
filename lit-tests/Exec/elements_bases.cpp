// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements and local objects of classes with base classes, with and without data; cases of enum classes; a maximum over
// a vector. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -fplugin-arg-muster-remarks=missed %s -o %t.muster 2> %t.remarks && %run %t.muster > %t.actual
// RUN: FileCheck --allow-empty --implicit-check-not=remark: %s < %t.remarks
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,opencl \
// RUN:   MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
#include "Inputs/wild_report.h"

enum class Kind : short { wall, fluid, solid };
struct Named {};
struct Place {
  double x, y;
  double length() const { return x * x + y * y; }
};
struct Charge {
  float q;
  void add(float more) { q += more; }
};
struct Particle : Named, Place, Charge {
  Kind kind;
  double energy() const { return length() * q; }
};
struct Moving : Particle {
  Moving(double x, int i) : Particle{{}, {x, 2 * x}, {1.5f}, Kind::fluid}, speed(i) {}
  int speed;
};
struct Tag : Named {
  double v;
};
constexpr Particle start[2] = {{{}, {1, 2}, {3}, Kind::solid}, {{}, {4, 5}, {6}, Kind::wall}};

namespace left {
struct Part {
  double v;
};
}  // namespace left
namespace right {
struct Part {
  float v;
};
}  // namespace right
template <int N>
struct Slot {
  int at;
};
struct Joined : left::Part, right::Part, Slot<0>, Slot<1> {
  double sum() const { return left::Part::v + 2 * right::Part::v + Slot<0>::at * 3 + Slot<1>::at; }
};

double distance(const Place& a, const Place* b) { return a.x - b->x + a.y * b->y; }

int main() {
  const int n = 211;
#pragma ompx managed(particles)
  Particle* particles = new Particle[n];
#pragma ompx managed(tags)
  Tag* tags = new Tag[n];
#pragma ompx managed(out)
  std::vector<double> out(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    particles[i] = start[i & 1];
    particles[i].x += i;
    particles[i].add(0.5f * i);
    particles[i].kind = i % 3 == 0 ? Kind::wall : i % 3 == 1 ? Kind::fluid : Kind::solid;
    tags[i].v = particles[i].energy();
  }
  const Particle fixed{{}, {0.25, 3}, {2}, Kind::solid};
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Moving own(i * 0.5, i);
    const Place place = own;
    switch (particles[i].kind) {
      case Kind::wall:
        out[i] = own.energy() + own.speed;
        break;
      case Kind::fluid:
        out[i] = distance(particles[i], &own) + place.length();
        break;
      default:
        out[i] = fixed.energy() - distance(fixed, &particles[i]) + tags[i].v;
    }
  }
  report("particles", &particles[0].x, 3 * n), report("out", out.data(), n);
  double most = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    if (out[i] > most) most = out[i];
  }
  std::printf("%.17g\n", most);
#pragma ompx managed(joined)
  std::vector<Joined> joined(n);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    joined[i].left::Part::v = i;
    joined[i].right::Part::v = 0.5f * i;
    static_cast<Slot<0>&>(joined[i]).at = i % 3;
    joined[i].Slot<1>::at = i % 5;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) out[i] = joined[i].sum();
  report("joined", out.data(), n);
  delete[] particles;
  delete[] tags;
}
