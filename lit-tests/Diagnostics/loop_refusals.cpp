// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a loop stays plain OpenMP: one remark for each, at the directive, with a note at the cause.
//
// RUN: %muster++ -std=c++20 -w -fsyntax-only %s 2>&1 | FileCheck --implicit-check-not=remark: --implicit-check-not=warning: --implicit-check-not=error: %s
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

int undefined(int), undefined(int, const void *), undefined(int, ...);
void undefinedEffect(int, ...);
volatile int changing;
thread_local int own;
int counter;
static double shared[1000];
struct Cell {
  double x;
  Cell *next;
};
struct Holder {
  double *p;
  int n;
  void run() {
    // CHECK: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: uses 'this' for something else than members [-Rmuster-missed]
    // CHECK: :[[#@LINE+2]]:40: note: here
#pragma omp parallel for
    for (int i = 0; i < 3; ++i) p[i] = this == last;
  }
  Holder *last;
};
static int recursive(int k) { return k < 2 ? 1 : recursive(k - 1) + k; }
static void count() { ++counter; }
static double fromGlobal(int i) { return shared[i] + sizeof(shared); }

void bodies(double *a, int n, Cell *cells, double **rows, Holder h, int *k, std::vector<bool> &bits) {
  int flag = 0;
  double *q = a;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: calls 'printf', which prints; keep the values in an array and print them after the loop
#pragma omp parallel for
  for (int i = 0; i < n; ++i) printf("%g", a[i]);
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: calls 'undefined', which is not defined in this translation unit
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = undefined(i, &n);
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: calls 'undefined', which is not defined in this translation unit
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = undefined(i, i);
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: calls 'undefinedEffect', which is not defined in this translation unit
#pragma omp parallel for
  for (int i = 0; i < n; ++i) undefinedEffect(a[i] = i);
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: calls the recursive function 'recursive'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = recursive(i);
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'flag' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (a[i] > 0) flag = i;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'flag' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    int *p = &flag;
    *p += a[i] > 0;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'counter' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    a[i] = 0;
    count();
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: calls 'fromGlobal', which uses the global 'shared'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = fromGlobal(i);
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: assigns to the shared pointer 'q'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    q = a;
    q[i] = 0;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses 'cells', whose elements of type 'Cell' hold a pointer ('next'), which no other device can follow
#pragma omp parallel for
  for (int i = 0; i < n; ++i) cells[i].x = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: assigns to 'rows[i]', the pointer of a table to one of its rows
#pragma omp parallel for
  for (int i = 0; i < n; ++i) rows[i] = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'h.n' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) h.p[i] = h.n++;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses 'bits', a vector of bits
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = bits[i];
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses the volatile variable 'changing'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = changing;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses the thread-local variable 'own'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = own;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: declares the static variable 's'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    static int s = 0;
    a[i] = s;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains a 'goto' into a block; jump to a label of a block around it
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] > 0) goto end;
    {
      a[i] = 1;
    end:;
    }
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains inline assembly
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    asm("");
    a[i] = 0;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: throws or catches exceptions
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    try {
      a[i] = 0;
    } catch (...) {
    }
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: allocates or frees memory
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double *p = new double[3];
    a[i] = p[0];
    delete[] p;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains a mutable lambda expression with a copy of 'p', which is no number
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = [p = a + i]() mutable { return *p++; }();
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains another OpenMP directive
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp task
    a[0] = i;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains 'omp critical' around something else than one update
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    a[0] = i;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: declares 'v' of type 'std::vector<double>'
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::vector<double> v(3);
    a[i] = v[0];
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: casts a pointer to another element type
#pragma omp parallel for
  for (int i = 0; i < n; ++i) ((int *)a)[i] = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains a loop that makes 'p' point to another array
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double *p = a, *other = shared;
    for (int j = 0; j < 3; ++j) {
      p[i] = 1;
      p = other;
    }
  }
  int (*function)(int) = undefined;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: calls a function through a pointer
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = function(i);
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses the name of the function that it is in
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = __func__[0];
}

int *start();
std::vector<int> &many();
static int ofVector(int i, const std::vector<int> &values) { return values[i] + 1; }
static int ofIterator(std::vector<int>::iterator it) { return it[0] + 1; }
struct Part {
  int value;
};
Part parts[3];
struct Whole : Part {
  int other;
} *manyWholes;
void constructs(double *a, int n, int *begin, int *end) {
  int s = 0;
  double square[3][3] = {};
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: counts with a pointer that starts from no plain name; give it one before the loop
#pragma omp parallel for
  for (int *p = start(); p < end; ++p) *p = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: counts with a pointer of another type than the one that it starts from
#pragma omp parallel for
  for (Part *p = manyWholes; p < manyWholes + n; ++p) p->value = 0;
  int *it;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: counts with a pointer that keeps its value; declare it in the loop's head
#pragma omp parallel for simd
  for (it = begin; it < end; ++it) *it = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: counts with a pointer that starts from a variable of the iterations' own
#pragma omp parallel for private(it)
  for (int *p = it + 1; p < end; ++p) *(it = p) = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: changes its loop variable 'p'
#pragma omp parallel for
  for (int *p = begin; p < end; ++p) *p++ = 0;
  static std::vector<int> numbers;
  static std::vector<bool> bits;
  static std::vector<Whole> objects;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: is not a 'for' loop over an integer or a pointer
#pragma omp parallel for
  for (__int128 i = 0; i < n; ++i) a[i] = 0;
  static std::deque<int> queue;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: counts with an iterator of something else than a vector; write 'for (auto &x : v)' or count with an integer
#pragma omp parallel for
  for (auto it = queue.begin(); it < queue.end(); ++it) a[*it] = 0;
  auto start = numbers.begin(), next = start;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: counts with an iterator that does not start from the beginning of a vector
#pragma omp parallel for
  for (auto it = start; it < numbers.end(); ++it) *it = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: counts with an iterator that is declared outside; declare it in the loop's head
#pragma omp parallel for
  for (next = numbers.begin(); next < numbers.end(); ++next) *next = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: declares 'other' by the type of an iterator, which is a pointer there; write 'auto'
#pragma omp parallel for
  for (auto it = numbers.begin(); it < numbers.end(); ++it) {
#define ITERATOR std::vector<int>::iterator
    ITERATOR other = it;
    *other = 0;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: gives an iterator to 'ofIterator'; give it a pointer, '&*it', or the element
#pragma omp parallel for
  for (auto it = numbers.begin(); it < numbers.end(); ++it) *it = ofIterator(it);
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: gives the vector 'numbers' to 'ofVector'; give it a pointer to the elements, and their number
#pragma omp parallel for
  for (int i = 0; i < 10; ++i) numbers[i] = ofVector(i, numbers);
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: changes its loop variable 'it'
#pragma omp parallel for
  for (auto it = numbers.begin(); it < numbers.end(); ++it) *it++ = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: is over something else than a vector or an array with a name; count with an integer
#pragma omp parallel for
  for (int &x : many()) x = a[0] > 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: is over something else than a vector or an array with a name; count with an integer
#pragma omp parallel for
  for (auto x : bits) a[0] = x;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: makes something else of its elements than references or numbers; write 'auto &'
#pragma omp parallel for
  for (auto x : objects) a[x.other] = x.value;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: makes something else of its elements than references or numbers; write 'auto &'
#pragma omp parallel for
  for (auto &[x] : parts) x = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: changes its loop variable 'x'
#pragma omp parallel for
  for (int x : numbers) a[0] = ++x;
  int j;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: collapses loops that are not rectangular
#pragma omp parallel for simd collapse(2)
  for (int i = 0; i < n; ++i)
    for (j = i; j < n; ++j) a[i * n + j] = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: clause 'ordered'
#pragma omp parallel for ordered
  for (int i = 0; i < n; ++i) a[i] = 0;
  Part last;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'lastprivate' of 'last', which is not of arithmetic type
#pragma omp parallel for lastprivate(last)
  for (int i = 0; i < n; ++i) last.value = i;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'firstprivate' of 'bits', which is no number, and no struct or array of numbers of up to 4096 bytes
#pragma omp parallel for firstprivate(bits)
  for (int i = 0; i < n; ++i) a[i] = bits[i % 3];
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: is cut by preprocessor directives
#pragma omp parallel for
  for (int i = 0;
#define LAST n
       i < LAST; ++i)
    a[i] = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: is an 'omp task', which is not outlined yet
#pragma omp task
  a[0] = 1;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) s += i;  // touches no array: not Muster's business
}
struct Pair {
  double first, second;
};
struct Owner {
  int n;
  Pair *pair, *pairs;
};
static double sumOf(const Pair &pair) {
  const Pair copy = pair;
  return copy.first + copy.second;
}
void wholes(Owner *owner, double *a) {
// CHECK: :[[#@LINE+2]]:1: remark: {{.*}}: uses 'pair', an object outside of the loop, as a whole; name the members that are meant
// CHECK: :[[#@LINE+4]]:23: note: here
#pragma omp parallel for
  for (int i = 0; i < owner->n; ++i) {
    const Pair &pair = *owner->pair;
    owner->pairs[i] = pair;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses 'pair', an object outside of the loop, as a whole
#pragma omp parallel for
  for (int i = 0; i < owner->n; ++i) a[i] = sumOf(*owner->pair);
}
