// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In C native code copies an object that the loop names.
// RUN: %cc -w -fsyntax-only -fplugin-arg-muster-remarks=missed %s 2>&1 | %filecheck %s
struct grid {
  int n;
#pragma omp managed(u)
  double u[400][300];
};
static struct grid g;
void loops(struct grid *p, double *a) {
// CHECK: :[[@LINE+1]]:1: remark: {{.*}}uses members of 'g', an object of more than 65536 bytes, by its name; use a pointer to it
#pragma omp parallel for
  for (int i = 0; i < 400; ++i) g.u[i][0] = g.n;
#pragma omp parallel for
  for (int i = 0; i < 400; ++i) p->u[i][0] = p->n;
}
