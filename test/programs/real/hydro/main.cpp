// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compressible flow in a closed box: twenty arrays in a struct, kernels that get them as pointers or through it.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "hydro.h"

struct summary {
  double mass, ie, ke;
};

static summary field_summary(const chunk_type &chunk) {
  const field_type &f = chunk.field;
  double mass = 0.0, ie = 0.0, ke = 0.0;
#pragma omp parallel for reduction(+ : mass, ie, ke)
  for (int k = 0; k < chunk.y_cells; k++) {
    for (int j = 0; j < chunk.x_cells; j++) {
      const int at = FTNREF2D(j, k, chunk.x_cells);
      const double cell_mass = f.volume[at] * f.density0[at];
      mass += cell_mass;
      ie += cell_mass * f.energy0[at];
      ke += cell_mass * 0.5 * (f.xvel0[at] * f.xvel0[at] + f.yvel0[at] * f.yvel0[at]);
    }
  }
  return {mass, ie, ke};
}

int main(int argc, char **argv) {
  chunk_type chunk;
  chunk.x_cells = argc > 1 ? atoi(argv[1]) : 38;
  chunk.y_cells = argc > 2 ? atoi(argv[2]) : 29;
  const int steps = argc > 3 ? atoi(argv[3]) : 12;
  chunk.dx = 10.0 / chunk.x_cells;
  chunk.dy = 5.0 / chunk.y_cells;
  build_field(&chunk);
  initialise_chunk(&chunk);
#pragma omp parallel
  ideal_gas_kernel(chunk.x_cells, chunk.y_cells, chunk.field.density0, chunk.field.energy0, chunk.field.pressure,
                   chunk.field.soundspeed);
  const summary start = field_summary(chunk);
  double time = 0.0;
  for (int step = 1; step <= steps; step++) {
    const double dt = calc_dt(&chunk);
    hydro_step(&chunk, dt);
    time += dt;
    if (step % 4 == 0) {
      const summary now = field_summary(chunk);
      printf("step %d time %.8f mass %.8f ie %.8f ke %.8f\n", step, time, now.mass, now.ie, now.ke);
    }
  }
  const summary end = field_summary(chunk);
  const bool ok = std::fabs(end.mass - start.mass) < 1e-10 * start.mass && end.ke > 0.0;
  printf("mass %s\n", ok ? "conserved" : "LOST");
  free_field(&chunk);
  return ok ? 0 : 1;
}
