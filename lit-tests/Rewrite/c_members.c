// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of structs in a C loop: stand-ins under the user's names, in which the loop's members are set.
//
// RUN: %cc -std=c99 -pedantic-errors -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '// *CHECK' | FileCheck %s
// RUN: %cc -std=c99 -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck --check-prefix=FACTS %s

typedef struct {
  int nx, ny;
  const double *in;
} field;
struct model {
  struct {
    float omega, weights[9];
  } constants;
  field *grid;
};
static struct {
  double *rho;
} state;

// FACTS: writes state.rho[i]
// CHECK:      static void muster_loop_[[#LINE:]]_run(const muster_chunk *muster_c) {
// CHECK-NEXT:   typedef __typeof_unqual__(state) muster_type0;
// CHECK-NEXT:   _Static_assert(sizeof(muster_type0) == 8, "Muster knows another layout of this type");
// CHECK-NEXT:   typedef struct model muster_type1;
// CHECK-NEXT:   _Static_assert(sizeof(muster_type1) == 48,
// CHECK-NEXT:   typedef field muster_type2;
// CHECK:        const double *muster_[[IN:m[0-9]+_modelgridin]] = (const double *)(muster_c->arrays[1]);
// CHECK:        const float *muster_[[WEIGHTS:m[0-9]+_modelconstantsweights]] = (const float *)(muster_c->scalars[1]);
// CHECK:        {{^}}#pragma omp parallel for firstprivate(
// CHECK:          for (; i < muster_end; ++i) {
// CHECK-NEXT:     muster_type0 muster_o0;
// CHECK-NEXT:     muster_type1 muster_o1;
// CHECK-NEXT:     muster_type2 muster_o2;
// CHECK-NEXT:     muster_set_member(&muster_o0, 0, &muster_m0_staterho, sizeof(double *));
// CHECK-NEXT:     muster_set_member(&muster_o2, 8, &muster_[[IN]], sizeof(const double *));
// CHECK:          muster_set_member(&muster_o1, 4, muster_[[WEIGHTS]], sizeof(const float[9]));
// CHECK-NEXT:     muster_set_member(&muster_o1, 40, &(void *){&muster_o2}, sizeof(void *));
// CHECK-NEXT:     muster_type0 state = muster_o0;
// CHECK-NEXT:     const muster_type1 model = muster_o1;
// CHECK:      {{^}}#pragma clang diagnostic pop
// CHECK:      state.rho[i] = model.grid->in[i * model.grid->ny] * model.constants.weights[i % 9];
// CHECK:      {"state.rho", sizeof(double), MUSTER_TYPE_F64, MUSTER_WRITE, 0, 0},
// CHECK:      {"model.grid->ny", sizeof(model.grid->ny), MUSTER_TYPE_I32, {0, 0, 0}, (void *)0},
// CHECK:      (void *)state.rho,
// CHECK:      (model.grid ? (const void *)&model.grid->ny : (const void *)muster_nothing{{[0-9]+}}),
void relax(const struct model model) {
#pragma omp parallel for
  for (int i = 0; i < model.grid->nx; i++) {
    state.rho[i] = model.grid->in[i * model.grid->ny] * model.constants.weights[i % 9];
  }
}
