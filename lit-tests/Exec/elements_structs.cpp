// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of structs: members, whole elements, references, methods, operators, pointers to members. The plain program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-print=plan -fplugin-arg-muster-remarks=missed %s -o %t.muster 2>&1 \
// RUN:   | FileCheck --allow-empty --implicit-check-not='native only' --implicit-check-not='step back' --implicit-check-not=remark: %s
// RUN: %run %t.muster > %t.actual
// RUN: diff %t.expected %t.actual
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl %t.muster | diff %t.expected -
// All loops have device code, and none stays plain OpenMP.
// CHECK: kernel
#include <cstdio>
#include <cmath>
#include <vector>
#include <utility>
struct Vec3 {
  float x, y, z;
  Vec3 operator+(const Vec3& o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vec3& operator+=(const Vec3& o) { x += o.x; y += o.y; z += o.z; return *this; }
  float norm() const { return std::sqrt(x * x + y * y + z * z); }
};
inline Vec3 operator*(float s, const Vec3& v) { return {s * v.x, s * v.y, s * v.z}; }
struct Particle { double pos[3]; double vel[3]; float mass; char kind; };
struct alignas(32) Wide { float a; double b; short c[3]; };
double dist(const double* a, const double* b) {
  double s = 0;
  for (int k = 0; k < 3; k++) s += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(s);
}
int main() {
  const int n = 1037;
#pragma ompx managed(p)
  Particle* p = new Particle[n];
#pragma ompx managed(v)
  std::vector<Vec3> v(n);
#pragma ompx managed(w)
  Wide* w = new Wide[n];
#pragma ompx managed(d)
  double* d = new double[n];
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) p[i].pos[k] = i * 0.1 + k, p[i].vel[k] = k - i * 0.01;
    p[i].mass = i % 7; p[i].kind = i % 3;
    v[i] = {i * 1.0f, 2.0f, i * 0.5f};
    w[i].a = i; w[i].b = i * 2; w[i].c[0] = w[i].c[1] = w[i].c[2] = i;
  }
  for (int t = 0; t < 3; t++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      Particle& a = p[i];
      for (int k = 0; k < 3; k++) {
        a.vel[k] += 0.01 * a.mass;
        a.pos[k] += 0.1 * a.vel[k];
      }
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      double s = 0;
      for (int j = 0; j < n; j++) s += dist(p[i].pos, p[j].pos);
      d[i] = s;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) p[i].vel[0] += 1e-6 * (p[j].pos[1] - p[i].pos[1]);
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      v[i] += 0.5f * v[i] + Vec3{1, 2, 3};
      if (v[i].norm() > 100) v[i] = Vec3{0, 1, 0};
    }
#pragma omp parallel for
    for (int i = 1; i < n; i++) {
      Wide t = w[i];
      t.b += t.a;
      t.c[i % 3]++;
      w[i] = t;
    }
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += d[i] + p[i].vel[0] + v[i].x * 3 + v[i].z + w[i].b + w[i].c[0] + w[i].c[2] * 3;
  printf("%.17g\n", s);
}
