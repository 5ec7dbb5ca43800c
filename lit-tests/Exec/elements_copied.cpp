// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs with copy constructors of their own that copy each member, as vectors of geometry often have. The plain
// program is the oracle.
//
// RUN: %plain -w %s -o %t.plain && %run %t.plain > %t.expected
// RUN: %muster-link -O1 -w %s -o %t.muster -fplugin-arg-muster-remarks=missed 2>&1 | %filecheck --allow-empty %s
// RUN: %run %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=opencl %t.muster | diff %t.expected -
// RUN: %run MUSTER_DEVICES=cpu,opencl MUSTER_MIN_SHARE=0 %t.muster | diff %t.expected -
// RUN: env OMP_NUM_THREADS=1 MUSTER_DEVICES=cpu mpirun --allow-run-as-root --oversubscribe -n 3 %t.muster | diff %t.expected -
// RUN: not %muster++ -fsyntax-only -w -DREFUSED %s 2>&1 | FileCheck --check-prefix=REFUSED %s
#include <cstdio>
#include <vector>

struct Vector {
  double x, y;
  Vector() : x(0), y(0) {}
  Vector(double x_, double y_) : x(x_), y(y_) {}
  Vector(const Vector &v) : x(v.x), y(v.y) {}
  Vector &operator=(const Vector &v) {
    x = v.x;
    y = v.y;
    return *this;
  }
  Vector &operator+=(const Vector &v) {
    x += v.x;
    y += v.y;
    return *this;
  }
};
Vector operator*(double r, const Vector &v) { return Vector(r * v.x, r * v.y); }
Vector turned(Vector v) {
  Vector copy = v;
  copy.x = -v.y;
  copy.y = v.x;
  return copy;
}

template <class T>
struct Cell {
  T mass;
  int kind;
  Cell() {}
  Cell(const Cell &other) {
    mass = other.mass;
    kind = other.kind;
  }
};

struct Particle {  // its copy constructor is the compiler's, but calls that of Vector
  Vector position, velocity, spin, path[2];
  float charge;
};

#ifdef REFUSED
struct Forgets {
  int x, y;
  Forgets() {}
  Forgets(const Forgets &other) : x(other.x) {}
};
struct Exchanges {
  int x, y;
  Exchanges() {}
  Exchanges(const Exchanges &other) : x(other.y), y(other.x) {}
};
struct Counts {
  int x;
  Counts() {}
  Counts(const Counts &other) : x(other.x + 1) {}
};
static int copies;
struct Tells {
  int x;
  Tells() {}
  Tells(const Tells &other) : x(other.x) { ++copies; }
};
struct Moves {
  int x;
  Moves() {}
  Moves(const Moves &other) : x(other.x) {}
  Moves(Moves &&other) : x(other.x) { other.x = 0; }
};
struct Ends {
  int x;
  Ends() {}
  Ends(const Ends &other) : x(other.x) {}
  ~Ends() { --copies; }
};
struct Holds {
  Forgets f;
};
void refused() {
// REFUSED: 'a' cannot be managed: its element type 'Forgets' cannot be copied byte by byte
#pragma ompx managed(a)
  Forgets *a = new Forgets[3];
// REFUSED: 'b' cannot be managed: its element type 'Exchanges' cannot be copied byte by byte
#pragma ompx managed(b)
  Exchanges *b = new Exchanges[3];
// REFUSED: 'c' cannot be managed: its element type 'Counts' cannot be copied byte by byte
#pragma ompx managed(c)
  Counts *c = new Counts[3];
// REFUSED: 'd' cannot be managed: its element type 'Tells' cannot be copied byte by byte
#pragma ompx managed(d)
  Tells *d = new Tells[3];
// REFUSED: 'e' cannot be managed: its element type 'Moves' cannot be copied byte by byte
#pragma ompx managed(e)
  Moves *e = new Moves[3];
// REFUSED: 'f' cannot be managed: its element type 'Ends' cannot be copied byte by byte
#pragma ompx managed(f)
  Ends *f = new Ends[3];
// REFUSED: 'g' cannot be managed: its element type 'Holds' cannot be copied byte by byte
#pragma ompx managed(g)
  Holds *g = new Holds[3];
}
#endif

int main() {
  const int n = 301;
#pragma ompx managed(p)
  Vector *p = new Vector[n];
#pragma ompx managed(v)
  std::vector<Vector> v(n, Vector(1, 2));
#pragma ompx managed(cells)
  Cell<double> *cells = new Cell<double>[n];
#pragma ompx managed(particles)
  Particle *particles = new Particle[n];
  Vector gravity(0.25, -1);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    p[i] = 0.5 * v[i];
    p[i] += i * gravity;
    cells[i].mass = i;
    cells[i].kind = i % 3;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Vector old = p[i];
    const Cell<double> cell = cells[n - 1 - i];
    v[i] = turned(old);
    v[i] += cell.mass * turned(p[(i + 1) % n]);
    particles[i].position = v[i];
    particles[i].velocity = old;
    particles[i].spin = Vector(cell.kind, 1);
    particles[i].charge = 2;
    particles[i].path[1] = turned(v[i]);
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    Particle particle = particles[i];
    particle.position += particle.charge * particle.spin;
    particle.position += particle.path[1];
    particles[i].position = particle.position;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += (i % 5) * (particles[i].position.x + 3 * particles[i].velocity.y + v[i].y);
  std::printf("%.17g %.17g %.17g\n", sum, v[7].x, particles[n - 1].position.y);
}
