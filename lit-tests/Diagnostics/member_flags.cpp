// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members that are no flags: the loop reads them, too, or sets them to several values.
//
// RUN: %muster++ -fsyntax-only -w -fplugin-arg-muster-remarks %s 2>&1 | %filecheck %s
struct Status {
  int state, other;
  bool isSet() const { return state; }
  int both() const { return state + other; }
};
union Bits {
  int whole;
  unsigned char part;
};
#define SET(s) (s)->state = 1
int number(Status s) { return s.other; }

#pragma omp managed(a)
double *a = new double[100];

void test(int n, Status *s, Status &t, Bits *bits, Status *many) {
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 's->state' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] > 4) s->state = 1;
    a[i] = s->state;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 's->state' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] > 4) s->state = 1;
    if (a[i] > 8) s->state = 2;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 's->state' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] > 4) s->state = i;
// Maybe the same object.
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 's->state' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] > 4) s->state = 1;
    a[i] = t.state;
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: calls 'isSet', which uses 'state', private in the loop
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] > 4) s->state = 1;
    a[i] = s->isSet();
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: calls 'both', which uses 'state', private in the loop
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] > 4) s->state = 1;
    a[i] = t.both();
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 't.state' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (a[i] > 4) t.state = 1;
    a[i] = number(t);
  }
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'bits->part' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] > 4) bits->part = 1;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 's->state' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] > 4) SET(s);
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 's->state' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (i == 4) (s->state = 1) += 5;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 's->state' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (i == 4) {
      int &state = (a[i] = 2, s->state = 1);
      state = 3;
    }
  int plain = 0;
// CHECK: :[[#@LINE+1]]:1: remark: {{.*}}: writes the shared variable 'plain' without a reduction
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    if (a[i] > 4) (plain = 1)++;
  a[0] += plain;
}
// CHECK: remark: array 'a' is partitioned
