// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to arrays of structs are by element: the index is the struct's, a write of a member is a write in part.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck %s
#include <complex>
#include <utility>
#include <vector>

struct Particle {
  double pos[3], vel[3];
  float mass;
  double kinetic() const { return 0.5 * mass * (vel[0] * vel[0] + vel[1] * vel[1]); }
  void push(double f) { vel[2] += f; }
};

// CHECK-LABEL: loop {{[0-9]+}} in members
// CHECK:   array p: pointer of {{.*}}Particle read written
// CHECK:   array u: pointer of double read written
// CHECK:   writes p[i] in part conditionally at
// CHECK:   reads p[i + 1] at
// CHECK:   reads p[i] at
// CHECK:   writes p[i + 2] at
// CHECK:   writes u[i] at
// CHECK-NOT: ?
void members(Particle *p, double *u, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    p[i].mass = 1;
    p[i].pos[i % 3] = p[i + 1].vel[2];
    p[i + 2] = p[i];
    u[i] = p[i].kinetic();
    (p + i)->push(u[i]);
  }
}

// A pointer into a member stays in its element as long as that can be shown.
double norm(const double *x, int d) {
  double s = 0;
  for (int k = 0; k < d; k++) s += x[k] * x[k];
  return s;
}
// CHECK-LABEL: loop {{[0-9]+}} in pointers
// CHECK:   reads p[i] at
// CHECK:   writes u[i] at
// CHECK:   reads p[?] conditionally at {{.*}}: the index of 'x[k]'
// CHECK-NOT: p[i
void pointers(Particle *p, double *u, int n, int d) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    u[i] = norm(p[i].pos, 3);
    u[i] += norm(p[i].vel, d);
  }
}

// Whether chunks meet is for the launch to see; of two writes at one index, one in part, the whole one counts.
// CHECK-LABEL: loop {{[0-9]+}} in rows
// CHECK:   writes p[nx*i + j] in part conditionally at
// CHECK:   writes p[nx*i + j + 1] in part at
void rows(Particle *p, int n, int nx) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < nx; j++) {
      p[i * nx + j].vel[0] += p[i * nx + j].mass;
      p[i * nx + j + 1] = Particle{};
      p[i * nx + j + 1].mass = 2;
    }
}

// CHECK-LABEL: loop {{[0-9]+}} in atomics
// CHECK:   reads p[?] in order
// CHECK:   writes p[?] in order in part conditionally
void atomics(std::vector<Particle> &p, const int *k, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    p[k[i]].mass += 1;
  }
}

// CHECK-LABEL: loop {{[0-9]+}} in library
// CHECK-DAG:   reads z[i] at
// CHECK-DAG:   reads z[i + 1] {{.*}}at
// CHECK-DAG:   writes z[i] {{.*}}at
// CHECK-DAG:   writes q[i] {{.*}}at
// CHECK-NOT: ?
void library(std::complex<double> *z, std::pair<int, double> *q, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    z[i] = z[i] * z[i + 1] + 2.0;
    z[i] += std::conj(z[i]);
    q[i].second = std::norm(z[i]);
    q[i] = std::pair<int, double>(i, 2.0);
  }
}
