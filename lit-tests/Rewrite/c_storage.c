// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Managed storage in C: allocations without casts, arrays of the file and of functions, the session.
//
// RUN: %cc -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '// *CHECK' | FileCheck %s
#include <stdlib.h>

// CHECK: static struct __attribute__((aligned(4096))) { double grid[16][32]; } muster_storage_grid __asm__("muster_storage_grid_[[#]]") __attribute__((used)); extern double grid[16][32] __attribute__((alias("muster_storage_grid_[[#]]"))); __attribute__((constructor)) static void muster_adopt_grid(void) { muster_array_adopt(&muster_site_grid_[[#]], &muster_storage_grid, sizeof muster_storage_grid.grid); }
#pragma ompx managed(grid)
double grid[16][32];

// CHECK: void arrays(void) {
// CHECK: double (*const local)[5] __attribute__((cleanup(muster_end_of_array))) = (double (*)[5])muster_array_new(&muster_site_local_[[#]], 15);
// CHECK: int muster_initial_first[4] = {1, 2}; int *const first __attribute__((cleanup(muster_end_of_array))) = (int *)muster_array_new(&muster_site_first_[[#]], 4); __builtin_memcpy(first, &muster_initial_first, sizeof muster_initial_first);
// CHECK: static struct __attribute__((aligned(4096))) { float kept[7]; } muster_storage_kept = {{{}}{3}}; static int muster_done_kept; float *const kept = (muster_adopt_once(&muster_done_kept, &muster_site_kept_[[#]], &muster_storage_kept, sizeof muster_storage_kept.kept), muster_storage_kept.kept);
// CHECK: use(sizeof (*(double (*)[3][5])local), &(*(int (*)[4])first), kept, local[1]);
void use(unsigned long size, int (*first)[4], float *kept, double *row);
void arrays(void) {
#pragma ompx managed(local)
  double local[3][5];
#pragma ompx managed(first)
  int first[4] = {1, 2};
#pragma ompx managed(kept)
  static float kept[7] = {3};
  use(sizeof local, &first, kept, local[1]);
}

// CHECK: void teams(void) {
// CHECK: int (*const pairs)[2] __attribute__((cleanup(muster_end_of_array))) =
// CHECK: use(sizeof (*(int (*)[3][2])pairs), (int(*)[4]) & (*(int (*)[3][2])pairs), 0, 0);
void teams(void) {
#pragma omp parallel
  {
#pragma ompx managed(pairs)
    int pairs[3][2];
    use(sizeof pairs, (int(*)[4]) & pairs, 0, 0);
  }
}

// CHECK: int jumped[4];
void jumps(void) {
#pragma omp parallel
  {
    goto end;
#pragma ompx managed(jumped)
    int jumped[4];
    jumped[0] = 1;
  end:;
  }
}

// CHECK: int main(int argc, char *argv[]) { int muster_session __attribute__((cleanup(muster_end_of_main), unused)) = muster_begin_of_main(argc, argv);
// CHECK: double *a = muster_array_malloc(&muster_site_a_[[#]], 100 * sizeof *a);
// CHECK: a = muster_realloc(a, 200 * sizeof *a);
// CHECK: muster_free(a);
int main(int argc, char *argv[]) {
#pragma ompx managed(a)
  double *a = malloc(100 * sizeof *a);
  a = realloc(a, 200 * sizeof *a);
  free(a);
  return argc + !argv;
}
