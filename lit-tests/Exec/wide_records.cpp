// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of records, whose members a work-item reads and writes by accesses of 16 or 8 bytes: of an iteration's own
// record, of records that are only read, by pointers and references to them. What has to stay as it is: members that
// an iteration may leave alone, bytes that no member has.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w -fplugin-arg-muster-strict -fplugin-arg-muster-print=schedule,kernels %s -o %t.muster > %t.printed
// RUN: FileCheck %s < %t.printed
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=first %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=pocl MUSTER_KERNELS=plain %t.muster | diff %t.expected -
// RUN: mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu,pocl \
// RUN:   MUSTER_MIN_SHARE=0 MUSTER_KERNELS=first %t.muster | diff %t.expected -
#include <complex>
#include <cstdio>
#include <cstring>

struct Body {
  float x, y, z, vx, vy, vz, mass, charge;
};

// CHECK-LABEL: schedule of muster_push_
// CHECK:         members of a record together
// CHECK-LABEL: void muster_push_
// CHECK:       #if MUSTER_BLOCKS == 1
// CHECK:         union { Body record; uint4 words[2]; } muster_record0;
// CHECK-NEXT:    muster_record0.words[0] = ((__global uint4 *)&p[i])[0];
// CHECK-NEXT:    muster_record0.words[1] = ((__global uint4 *)&p[i])[1];
// CHECK-NEXT:    const float pull = muster_record0.record.charge / muster_record0.record.mass;
// CHECK:         ((__global uint4 *)&p[i])[0] = muster_record0.words[0];
// CHECK-NEXT:    ((__global uint4 *)&p[i])[1] = muster_record0.words[1];
// CHECK:       #else
static void push(Body* p, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float pull = p[i].charge / p[i].mass;
    p[i].vx += pull * p[i].vy, p[i].vy -= pull * p[i].vx, p[i].vz += pull;
    p[i].x += p[i].vx, p[i].y += p[i].vy, p[i].z += p[i].vz;
    if (p[i].x > 3) p[i].x = 3, p[i].charge = -p[i].charge;
  }
}

// A reference to a record. The second word is only read.
// CHECK-LABEL: void muster_drift_
// CHECK:         muster_record0.words[0] = ((__global uint4 *)&p[i])[0];
// CHECK-NEXT:    muster_record0.words[1] = ((__global uint4 *)&p[i])[1];
// CHECK-NEXT:    muster_record0.record.x += muster_record0.record.vx * dt;
// CHECK:         ((__global uint4 *)&p[i])[0] = muster_record0.words[0];
// CHECK-NEXT:  #else
static void drift(Body* p, int n, float dt) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    Body& b = p[i];
    b.x += b.vx * dt;
    b.y += b.vy * dt;
    b.z += b.vz * dt + b.mass * b.charge;
  }
}

// Records that are only read, of an index that is read, too; the loop leaves some of them out.
// CHECK-LABEL: void muster_near_
// CHECK:         union { Body record; uint4 words[2]; } muster_record0;
// CHECK-NEXT:    muster_record0.words[0] = ((__global const uint4 *)&p[i])[0];
// CHECK-NEXT:    const float x = muster_record0.record.x;
// CHECK:         for (int k = 0; k < 4; ++k) {
// CHECK-NEXT:      const int j = list[i * 4 + k];
// CHECK-NEXT:      union { Body record; uint4 words[2]; } muster_record1;
// CHECK-NEXT:      muster_record1.words[0] = ((__global const uint4 *)&p[j])[0];
// CHECK-NEXT:      const float dx = x - muster_record1.record.x;
// CHECK:           continue;
// CHECK:           sum += p[j].mass / r;
// CHECK:       #else
static void near(const Body* p, const int* list, float* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float x = p[i].x, y = p[i].y, z = p[i].z;
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
      const int j = list[i * 4 + k];
      const float dx = x - p[j].x, dy = y - p[j].y, dz = z - p[j].z, r = dx * dx + dy * dy + dz * dz;
      if (r > 9 || j == i) continue;
      sum += p[j].mass / r;
    }
    out[i] = sum;
  }
}

// The index of a record moves on between two of its members.
static void moving(const Body* p, float* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int j = i;
    float sum = p[j].x + 2 * p[j].y;
    j = (j * 7 + 1) % n;
    sum += p[j].x + 3 * p[j].z;
    for (int k = 0; k < 3; k++) j = (j + k) % n, sum += p[j].vx - p[j].y;
    out[i] = sum;
  }
}

// Some members only where a condition holds: others may have them.
// CHECK-LABEL: void muster_sometimes_
// CHECK-NOT:     union
static void sometimes(Body* p, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    p[i].x += p[i].y;
    if (i % 3 == 0) p[i].z = p[i].x;
    if (i % 5 == 0) p[i].vx += 1, p[i].mass += p[i].charge;
  }
}

struct Small {
  float re;
  short tag, level;
};
struct Holes {
  double value;
  int tag;
};
struct Nested {
  struct {
    double at[2];
  } first, second;
  int kind[4];
};

// CHECK-LABEL: void muster_small_
// CHECK:         union { Small record; uint2 words[1]; } muster_record0;
static void small(Small* s, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    s[i].re *= 1 + s[i].tag;
    s[i].tag = s[i].level;
    s[i].level = i % 100;
  }
}

// Bytes behind `tag` keep what they have: written alone they would not.
static void holes(Holes* h, Holes* g, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    h[i].value = i * 0.5, h[i].tag = i;
    g[i].value += g[i].tag, g[i].tag++;
  }
}

// CHECK-LABEL: void muster_nested_
// CHECK:         union { Nested record; uint4 words[3]; } muster_record0;
// CHECK-NEXT:    muster_record0.words[0] = ((__global uint4 *)&a[i])[0];
// CHECK-NEXT:    muster_record0.words[1] = ((__global uint4 *)&a[i])[1];
// CHECK-NEXT:    muster_record0.record.first.at[0] += muster_record0.record.second.at[1];
static void nested(Nested* a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i].first.at[0] += a[i].second.at[1];
    a[i].first.at[1] -= a[i].second.at[0];
    a[i].kind[1] = a[i].kind[0] + 1;
    for (int k = 2; k < 4; k++) a[i].kind[k] += k;
  }
}

static void whole(Body* p, const Body* q, Nested* a, const Nested* b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const Body one = q[i];
    p[i] = one;
    p[i].x += one.y + q[n - 1 - i].x * q[n - 1 - i].y;
    a[i] = b[i];
    a[i].first.at[1] = b[i].second.at[0];
  }
}

static void rotate(std::complex<double>* z, std::complex<double> by, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) z[i] = z[i] * by + std::complex<double>(z[i].imag(), i);
}

// Both name the same records.
static void shared(Body* p, const Body* q, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    p[i].x = 2, p[i].y += q[i].x, p[i].z += q[i].y;
    p[i].vx = q[i].z + q[i].x;
  }
}

// A choice in place of a choice, and an index that is a number of another type.
enum Part { Front, Back = 3 };
struct Four {
  float v[4];
};
static void chosen(const Body* p, Four* v, float* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    float s = 0;
    if (i % 3 == 0)
      s = 7;
    else if (p[i].x > p[i].y)
      s = p[i].z;
    out[i] = s + v[i].v[0] + v[i].v[1] + v[i].v[2] + v[i].v[Back];
    v[i].v[Back] = s, v[i].v[1u] += 2;
  }
}

// A function gets the first element of an array in a record, and goes on to others. Arrays of records that are only
// read stand for pointers.
struct Rows {
  float v[8], x, y;
};
static void scale(float* v, int count) {
  for (int k = 0; k < count; k++) v[k] *= 2;
}
static float sum(const float* v, int count) {
  float s = 0;
  for (int k = 0; k < count; k++) s += v[k];
  return s;
}
static void reached(Rows* r, const Rows* q, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    r[i].v[4] += r[i].v[5] + r[i].v[6] + r[i].v[7];
    scale(&r[i].v[0], 8);
    r[i].x = r[i].v[0] + r[i].v[1] + r[i].v[2] + r[i].v[3] + q[i].v[0] + q[i].v[1] + q[i].x + q[i].y;
    r[i].y = sum(q[i].v, 8) + sum(&q[i].v[i % 4], 3) + sum(q[i].v + 2, 3);
  }
}

// The index changes by another name, or behind a label.
static void again(const Body* p, float* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int j = i;
    int& r = j;
    float s = p[j].x + p[j].y;
    r = (r + 1) % n;
    s += p[j].x + p[j].y;
    out[i] = s;
  }
}
static void jumping(const Body* p, float* out, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    int j = i, c = 0;
    float s = p[j].x + p[j].y;
  next:
    s += 3 * p[j].x;
    j = (j + 1) % n;
    if (++c < 4) goto next;
    out[i] = s;
  }
}

// Methods, and words that belong together because of a copy.
class Point {
 public:
  float x() const { return x_; }
  float y() const { return y_; }
  void move(float by) { x_ += by, y_ -= by; }

 private:
  float x_, y_;
};
struct Wide {
  double x;
  float a, b;
  double y;
};
static void methods(Point* a, const Point* b, Wide* w, const Wide* v, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i].move(b[i].x() * b[i].y());
    w[i] = v[i];
    w[i].a += w[i].b;
  }
}

template <class T>
static void print(const char* name, const T* data, size_t count) {
  unsigned long hash = 14695981039346656037UL;
  const unsigned char* bytes = (const unsigned char*)data;
  for (size_t i = 0; i < count * sizeof(T); i++) hash = (hash ^ bytes[i]) * 1099511628211UL;
  printf("%s %016lx\n", name, hash);
}

int main() {
  for (int n : {1, 7, 1000}) {
#pragma ompx managed(p, q)
    Body *p = new Body[n], *q = new Body[n];
#pragma ompx managed(list)
    int* list = new int[4 * n];
#pragma ompx managed(out)
    float* out = new float[n];
#pragma ompx managed(s)
    Small* s = new Small[n];
#pragma ompx managed(h, g)
    Holes *h = new Holes[n], *g = new Holes[n];
#pragma ompx managed(a, b)
    Nested *a = new Nested[n], *b = new Nested[n];
#pragma ompx managed(z)
    std::complex<double>* z = new std::complex<double>[n];
#pragma ompx managed(four)
    Four* four = new Four[n];
#pragma ompx managed(rows, other)
    Rows *rows = new Rows[n], *other = new Rows[n];
#pragma ompx managed(points, to)
    Point *points = new Point[n], *to = new Point[n];
#pragma ompx managed(wide, from)
    Wide *wide = new Wide[n], *from = new Wide[n];
    memset((void*)points, 0, n * sizeof *points), memset((void*)to, 0, n * sizeof *to);
    memset((void*)h, 5, n * sizeof *h), memset((void*)g, 7, n * sizeof *g);
    for (int i = 0; i < n; i++) {
      const float t = i % 17;
      p[i] = {t, t + 1, t + 2, 1, 2, t, t + 3, t - 2}, q[i] = {t / 2, t, 3, t, 5, 6, t, 8};
      for (int k = 0; k < 4; k++) list[4 * i + k] = (i * 13 + k * 5) % n;
      s[i] = {t, (short)(i % 5), (short)(i % 7)}, g[i].value = i, g[i].tag = i % 9, z[i] = {t, 2 - t};
      four[i] = {{t, 1, 2, 3}}, wide[i] = {0, 1, 2, 3}, from[i] = {t, 1, t + 2, 5};
      for (int k = 0; k < 8; k++) rows[i].v[k] = t + k, other[i].v[k] = k - t;
      rows[i].x = rows[i].y = 1, other[i].x = t, other[i].y = 2, points[i].move(t), to[i].move(1 + t);
      a[i] = {{{t, 2}}, {{3, t}}, {i, 1, 2, 3}}, b[i] = {{{1, t}}, {{t, 4}}, {3, i, 1, 0}};
    }
    push(p, n), print("push", p, n);
    drift(p, n, 0.25f), print("drift", p, n);
    near(p, list, out, n), print("near", out, n);
    moving(p, out, n), print("moving", out, n);
    sometimes(p, n), print("sometimes", p, n);
    small(s, n), print("small", s, n);
    holes(h, g, n), print("holes", h, n), print("holes", g, n);
    nested(a, n), print("nested", a, n);
    shared(p, p, n), print("shared", p, n);
    whole(p, q, a, b, n), print("whole", p, n), print("whole", a, n);
    shared(p, q, n), print("shared", p, n);
    rotate(z, {0.5, 1}, n), print("rotate", z, n);
    chosen(p, four, out, n), print("chosen", out, n), print("four", four, n);
    reached(rows, other, n), print("reached", rows, n);
    again(p, out, n), print("again", out, n);
    jumping(p, out, n), print("jumping", out, n);
    methods(to, points, wide, from, n), print("methods", to, n), print("wide", wide, n);
    delete[] four, delete[] rows, delete[] other, delete[] points, delete[] to, delete[] wide, delete[] from;
    delete[] p, delete[] q, delete[] list, delete[] out, delete[] s, delete[] h, delete[] g, delete[] a, delete[] b;
    delete[] z;
  }
}
