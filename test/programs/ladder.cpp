// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One loop for each thing that the rows of the coverage ladder name; scripts/coverage-table.py says in docs/coverage.md
// what the plugin makes of each. `step:` begins a row of the ladder, `form:` names what a loop stands for.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

// step: local or global T*, 1-D array, vector; a[i+c]; private, firstprivate, schedule
#pragma omp managed(global)
double* global = new double[100]();
#pragma omp managed(table)
double table[100];

void simple(int n, double weight) {
#pragma omp managed(local)
  std::vector<double> local(100);
  double t;
// form: pointer, shifted read
#pragma omp parallel for private(t) firstprivate(weight) schedule(static)
  for (int i = 1; i < n - 1; i++) {
    t = global[i - 1] + global[i + 1];
    table[i] = t * weight;
  }
// form: vector and fixed array
#pragma omp parallel for
  for (int i = 0; i < n; i++) local[i] = table[i];
}

// step: parameters, scalar reduction
double dot(const double* x, const double* y, int n) {
  double sum = 0;
// form: sum over parameters
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// step: flattened, collapse, triangular, step
void flattened(double* a, int n, int m) {
// form: collapse
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i * m + j] = i + j;
// form: triangle
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) a[i * m + j] += 1;
// form: step
#pragma omp parallel for
  for (int i = 0; i < n * m; i += 2) a[i] = 0;
}

// step: n-D fixed or pointer to array, T**, vector of vectors
double fixed[20][30];
void rows(double (*block)[30], double** pointers, std::vector<std::vector<double>>& nested, int n) {
// form: fixed n-D array
#pragma omp parallel for
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < 30; j++) fixed[i][j] = i;
// form: pointer to array
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 30; j++) block[i][j] = i;
// form: T**
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 30; j++) pointers[i][j] = i;
// form: vector of vectors
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 30; j++) nested[i][j] = i;
}

// step: split parallel { for }, region-private scalars
void region(double* a, double* b, int n, int steps) {
  double sum = 0;
#pragma omp parallel
  {
    double scale = 0.5;
    for (int t = 0; t < steps; t++) {
// form: time loop inside
#pragma omp for
      for (int i = 0; i < n; i++) b[i] = a[i] * scale;
#pragma omp single
      sum = 0;
// form: reduction in a region
#pragma omp for reduction(+ : sum)
      for (int i = 0; i < n; i++) sum += b[i];
    }
  }
  std::printf("%g\n", sum);
}

// step: user functions, templates
static double square(double x) { return x * x; }
template <class T>
void scaled(T* a, T factor, int n) {
// form: template
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] *= factor;
}
void functions(double* a, const double* b, int n) {
// form: user function
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = square(b[i]);
  const auto half = [](double x) { return x / 2; };
// form: lambda called in the body
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = half(a[i]);
  scaled(a, 2.0, n);
}

// step: random reads
void randomReads(double* y, const double* x, const double* values, const int* start, const int* column, int n) {
// form: CSR
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; k++) sum += values[k] * x[column[k]];
    y[i] = sum;
  }
}

// step: members, arrays of structs, bounds that are expressions
struct Particle {
  double position[3];
  float mass;
};
struct Field {
  int nx, ny;
  double* data;
};
struct Solver {
  int n;
  std::vector<double> rho;
  void advance() {
// form: this->vector
#pragma omp parallel for
    for (int i = 0; i < n; i++) rho[i] *= 0.5;
  }
};
void members(Particle* p, Field* f, Solver& s) {
// form: array of structs
#pragma omp parallel for
  for (int i = 0; i < s.n; i++) p[i].position[0] += p[i].mass;
// form: pointer member, bound is a member
#pragma omp parallel for
  for (int i = 0; i < f->nx * f->ny; i++) f->data[i] = i;
  s.advance();
}
void complexes(std::complex<double>* z, int n) {
// form: std::complex
#pragma omp parallel for
  for (int i = 0; i < n; i++) z[i] *= std::complex<double>(0, 1);
}

// step: scratch arrays, row pointers
void scratch(double* a, const double* b, int n, int m) {
// form: scratch array
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double t[4] = {1, 2, 3, 4};
    for (int k = 0; k < 4; k++) t[k] += b[i];
    a[i] = t[0] + t[3];
  }
// form: row pointer
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double* row = a + i * m;
    for (int j = 0; j < m; j++) row[j] = j;
  }
}

// step: containers with operator[] / operator()
class Matrix {
  int rows_, columns_;
  double* data_;

 public:
  Matrix(int rows, int columns) : rows_(rows), columns_(columns), data_(new double[rows * columns]) {}
  Matrix(const Matrix&) = delete;
  ~Matrix() { delete[] data_; }
  double& operator()(int i, int j) { return data_[i * columns_ + j]; }
  double& operator[](int i) { return data_[i]; }
  int rows() const { return rows_; }
};
void containers(Matrix& m, int n) {
// form: operator()
#pragma omp parallel for
  for (int i = 0; i < m.rows(); i++)
    for (int j = 0; j < n; j++) m(i, j) = i;
// form: operator[]
#pragma omp parallel for
  for (int i = 0; i < n; i++) m[i] += 1;
}

// step: random writes, writes to shared scalars
bool randomWrites(int* out, const int* at, int n) {
// form: scatter
#pragma omp parallel for
  for (int i = 0; i < n; i++) out[at[i]] = i;
  bool changed = false;
// form: flag that only becomes true
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (out[i] > 3) changed = true;
  return changed;
}

// step: orphaned for
void orphaned(double* a, int n) {
// form: orphaned for
#pragma omp for
  for (int i = 0; i < n; i++) a[i] = i;
}

// step: atomic, critical, thread ids, array reductions
extern "C" int omp_get_thread_num(void);
void updates(int* h, const int* key, double* part, int n) {
// form: atomic
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    h[key[i]]++;
  }
// form: array reduction
#pragma omp parallel for reduction(+ : h[ : 64])
  for (int i = 0; i < n; i++) h[key[i]] += 2;
  double largest = 0;
// form: critical maximum
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
#pragma omp critical
    largest = std::max(largest, part[i]);
  }
  std::printf("%g\n", largest);
// form: thread number
#pragma omp parallel for
  for (int i = 0; i < n; i++) part[omp_get_thread_num()] += key[i];
}

// step: I/O, rand, malloc, bodies in other units, functors
double elsewhere(double x);
struct Add {
  double by;
  double operator()(double x) const { return x + by; }
};
void rest(double* a, int n) {
// form: output
#pragma omp parallel for
  for (int i = 0; i < n; i++) std::printf("%g\n", a[i]);
// form: malloc in the body
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double* t = static_cast<double*>(std::malloc(8));
    *t = a[i];
    a[i] = *t + 1;
    std::free(t);
  }
// form: function in another unit
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = elsewhere(a[i]);
  const Add add{2};
// form: functor
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = add(a[i]);
}
