// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and critical regions that stay plain OpenMP, and why.
//
// RUN: %muster++ -w -fsyntax-only %s 2>&1 | %filecheck %s
#include <cmath>

struct Pair {
  int first, second;
};
#pragma omp declare reduction(merge : int : omp_out += omp_in) initializer(omp_priv = 0)
#pragma omp declare reduction(double_ : int : omp_out += omp_in) initializer(omp_priv = 2 * omp_orig)
namespace other {
#pragma omp declare reduction(merge : Pair : omp_out.first += omp_in.first)
}
struct Wide {
  int values[1100];
};
#pragma omp declare reduction(merge : Wide : omp_out.values[0] += omp_in.values[0])
struct Made {
  explicit Made(int x) : value(x) {}
  Made(const Made &) = default;
  int value;
};
#pragma omp declare reduction(merge : Made : omp_out.value += omp_in.value) initializer(omp_priv(3))
struct Owner {
  int *values;
};
#pragma omp declare reduction(merge : Owner : omp_out.values[0] += omp_in.values[0])
static int calls;
static int counted(int x) { return x + calls; }
#pragma omp declare reduction(counted : int : omp_out += counted(omp_in)) initializer(omp_priv = 0)

void declared(const int *key, int *h, int n, Pair pair, Wide wide, Made made, Owner owner, double best, int at) {
  int x = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' with an operator of the user's own, whose copies depend on the value before the loop; give omp_priv that value itself, or a constant
#pragma omp parallel for reduction(double_ : x)
  for (int i = 0; i < n; ++i) x += key[i];
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' with an operator of the user's own, which is declared in another scope; declare it in one around the loop
#pragma omp parallel for reduction(other::merge : pair)
  for (int i = 0; i < n; ++i) pair.first += key[i];
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' with an operator of the user's own, of 'wide', which is too large
#pragma omp parallel for reduction(merge : wide)
  for (int i = 0; i < n; ++i) wide.values[0] += key[i];
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' with an operator of the user's own, whose copies a constructor makes; give omp_priv a value by its initializer
#pragma omp parallel for reduction(merge : made)
  for (int i = 0; i < n; ++i) made.value += key[i];
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' with an operator of the user's own, of 'owner', which is no plain struct
#pragma omp parallel for reduction(merge : owner)
  for (int i = 0; i < n; ++i) owner.values[0] += key[i];
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' with an operator of the user's own, which uses more than its operands
#pragma omp parallel for reduction(counted : x)
  for (int i = 0; i < n; ++i) x += key[i];
// The place is used for something else; other values of the variables would show.
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains 'omp critical' around something else than one update
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    if (key[i] < best) {
      best = key[i];
      at = i;
    }
    h[i] = at;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains 'omp critical' around something else than one update
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    if (key[i] < best) {
      best = 2 * key[i];
      at = i;
    }
  }
// Without protection.
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'best' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    if (key[i] < best) {
      best = key[i];
      at = i;
    }
// CHECK: :[[#@LINE+1]]:{{[0-9]+}}: remark: {{.*}}: clause 'linear' for something else than an integer of the function with a constant step; compute the value from the loop's variable in the body
#pragma omp parallel for simd linear(x : n)
  for (int i = 0; i < n; ++i) h[i] = x;
}

void reductions(const int *key, int *h, double *d, int n) {
  int table[8] = {}, x = 0, own = 0;
// CHECK: :[[#@LINE+2]]:1: remark: loop stays plain OpenMP on rank 0: uses 'table' for something else than updates by the operator of its reduction [-Rmuster-missed]
// CHECK: :[[#@LINE+2]]:{{[0-9]+}}: note: here
#pragma omp parallel for reduction(+ : table)
  for (int i = 0; i < n; ++i) h[i] = table[key[i]]++;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses 'table' for something else than updates by the operator of its reduction
#pragma omp parallel for reduction(+ : table)
  for (int i = 0; i < n; ++i) table[key[i]] = key[i];
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: updates 'table' by another operator than that of its reduction
#pragma omp parallel for reduction(+ : table)
  for (int i = 0; i < n; ++i) table[key[i]] *= 2;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: uses 'table' for something else than updates by the operator of its reduction
#pragma omp parallel for reduction(+ : table)
  for (int i = 0; i < n; ++i) table[key[i]] += 0.5;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' with an operator of the user's own, over something other than a variable
#pragma omp parallel for reduction(merge : table)
  for (int i = 0; i < n; ++i) table[key[i]]++;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' over several sections of one array, which OpenMP does not allow
#pragma omp parallel for reduction(+ : h[0 : 4]) reduction(max : h[4 : 4])
  for (int i = 0; i < n; ++i) h[key[i] % 4]++;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains 'omp critical' around something else than one update
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    {
      h[key[i]]++;
      x++;
    }
  }
// CHECK: :[[#@LINE+2]]:1: remark: {{.*}}: 'reduction' over elements of type 'long double'
  long double wide[4] = {};
#pragma omp parallel for reduction(+ : wide)
  for (int i = 0; i < n; ++i) wide[i % 4]++;
  using Row = double[n];
  Row *rows = (Row *)d;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: 'reduction' names something other than a variable, an array or a simple section of one
#pragma omp parallel for reduction(+ : rows[0 : 2][0 : n])
  for (int i = 0; i < n; ++i) rows[i % 2][key[i]]++;
// A NaN would show that the device compares the other way round.
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: contains 'omp critical' around something else than one update
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp critical
    d[key[i]] = std::fmax(d[key[i]], i);
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'x' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
#pragma omp atomic capture
    h[i] = x++;
  }
}
