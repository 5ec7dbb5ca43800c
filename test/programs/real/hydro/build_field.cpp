// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage and the start state: a dense, hot square in the lower left corner.
#include <cstdlib>

#include "hydro.h"

void build_field(chunk_type *chunk) {
  const size_t size = (size_t)(chunk->x_cells + 4) * (chunk->y_cells + 4);
  field_type &f = chunk->field;
#pragma ompx managed(f.density0)
  f.density0 = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.density1)
  f.density1 = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.energy0)
  f.energy0 = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.energy1)
  f.energy1 = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.pressure)
  f.pressure = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.viscosity)
  f.viscosity = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.soundspeed)
  f.soundspeed = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.xvel0)
  f.xvel0 = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.xvel1)
  f.xvel1 = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.yvel0)
  f.yvel0 = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.yvel1)
  f.yvel1 = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.vol_flux_x)
  f.vol_flux_x = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.mass_flux_x)
  f.mass_flux_x = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.vol_flux_y)
  f.vol_flux_y = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.mass_flux_y)
  f.mass_flux_y = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.cellx)
  f.cellx = (double *)calloc(chunk->x_cells + 4, sizeof(double));
#pragma ompx managed(f.celly)
  f.celly = (double *)calloc(chunk->y_cells + 4, sizeof(double));
#pragma ompx managed(f.volume)
  f.volume = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.xarea)
  f.xarea = (double *)calloc(size, sizeof(double));
#pragma ompx managed(f.yarea)
  f.yarea = (double *)calloc(size, sizeof(double));
}

void free_field(chunk_type *chunk) {
  field_type &f = chunk->field;
  double *all[] = {f.density0, f.density1, f.energy0,    f.energy1,     f.pressure,   f.viscosity,   f.soundspeed,
                   f.xvel0,    f.xvel1,    f.yvel0,      f.yvel1,       f.vol_flux_x, f.mass_flux_x, f.vol_flux_y,
                   f.mass_flux_y, f.cellx, f.celly,      f.volume,      f.xarea,      f.yarea};
  for (double *array : all) free(array);
}

void initialise_chunk(chunk_type *chunk) {
  const int nx = chunk->x_cells, ny = chunk->y_cells;
  const double dx = chunk->dx, dy = chunk->dy;
  field_type *f = &chunk->field;
#pragma omp parallel
  {
#pragma omp for nowait
    for (int j = -2; j < nx + 2; j++) f->cellx[j + 2] = (j + 0.5) * dx;
#pragma omp for
    for (int k = -2; k < ny + 2; k++) f->celly[k + 2] = (k + 0.5) * dy;
#pragma omp for
    for (int k = -2; k < ny + 2; k++) {
      for (int j = -2; j < nx + 2; j++) {
        f->volume[FTNREF2D(j, k, nx)] = dx * dy;
        f->xarea[FTNREF2D(j, k, nx)] = dy;
        f->yarea[FTNREF2D(j, k, nx)] = dx;
      }
    }
#pragma omp for
    for (int k = -2; k < ny + 2; k++) {
      for (int j = -2; j < nx + 2; j++) {
        const bool inside = f->cellx[j + 2] < nx * dx / 3 && f->celly[k + 2] < ny * dy / 4;
        f->density0[FTNREF2D(j, k, nx)] = inside ? 1.0 : 0.2;
        f->energy0[FTNREF2D(j, k, nx)] = inside ? 2.5 : 1.0;
      }
    }
  }
}
