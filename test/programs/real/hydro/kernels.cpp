// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of one time step. All threads call hydro_step's kernels from one parallel region.
#include <algorithm>
#include <cmath>

#include "hydro.h"

void ideal_gas_kernel(int nx, int ny, double *density, double *energy, double *pressure, double *soundspeed) {
#pragma omp for
  for (int k = 0; k < ny; k++) {
    for (int j = 0; j < nx; j++) {
      double v = 1.0 / density[FTNREF2D(j, k, nx)];
      pressure[FTNREF2D(j, k, nx)] = (1.4 - 1.0) * density[FTNREF2D(j, k, nx)] * energy[FTNREF2D(j, k, nx)];
      double pressurebyenergy = (1.4 - 1.0) * density[FTNREF2D(j, k, nx)];
      double pressurebyvolume = -density[FTNREF2D(j, k, nx)] * pressure[FTNREF2D(j, k, nx)];
      double sound_speed_squared = v * v * (pressure[FTNREF2D(j, k, nx)] * pressurebyenergy - pressurebyvolume);
      soundspeed[FTNREF2D(j, k, nx)] = sqrt(sound_speed_squared);
    }
  }
}

static void viscosity_kernel(int nx, int ny, const double *density, const double *xvel, const double *yvel, double *viscosity) {
#pragma omp for collapse(2)
  for (int k = 0; k < ny; k++)
    for (int j = 0; j < nx; j++) {
      double ugrad = xvel[FTNREF2D(j + 1, k, nx)] - xvel[FTNREF2D(j - 1, k, nx)];
      double vgrad = yvel[FTNREF2D(j, k + 1, nx)] - yvel[FTNREF2D(j, k - 1, nx)];
      double div = ugrad + vgrad;
      viscosity[FTNREF2D(j, k, nx)] = div < 0.0 ? 2.0 * density[FTNREF2D(j, k, nx)] * div * div : 0.0;
    }
}

static void accelerate_kernel(chunk_type *chunk, double dt) {
  const int nx = chunk->x_cells, ny = chunk->y_cells;
  field_type *f = &chunk->field;
#pragma omp for
  for (int k = 0; k < ny; k++)
    for (int j = 0; j < nx; j++) {
      const double mass = f->density0[FTNREF2D(j, k, nx)] * f->volume[FTNREF2D(j, k, nx)];
      const double stepby = 0.5 * dt / mass;
      f->xvel1[FTNREF2D(j, k, nx)] =
          f->xvel0[FTNREF2D(j, k, nx)] -
          stepby * f->xarea[FTNREF2D(j, k, nx)] *
              (f->pressure[FTNREF2D(j + 1, k, nx)] - f->pressure[FTNREF2D(j - 1, k, nx)] +
               f->viscosity[FTNREF2D(j + 1, k, nx)] - f->viscosity[FTNREF2D(j - 1, k, nx)]);
      f->yvel1[FTNREF2D(j, k, nx)] =
          f->yvel0[FTNREF2D(j, k, nx)] -
          stepby * f->yarea[FTNREF2D(j, k, nx)] *
              (f->pressure[FTNREF2D(j, k + 1, nx)] - f->pressure[FTNREF2D(j, k - 1, nx)] +
               f->viscosity[FTNREF2D(j, k + 1, nx)] - f->viscosity[FTNREF2D(j, k - 1, nx)]);
    }
}

// Flux through the left and the lower face of each cell; nothing passes the walls.
static void flux_kernel(chunk_type *chunk, double dt) {
  const int nx = chunk->x_cells, ny = chunk->y_cells;
  field_type &f = chunk->field;
#pragma omp for nowait
  for (int k = 0; k < ny; k++)
    for (int j = 1; j < nx; j++) {
      const double u = 0.5 * (f.xvel1[FTNREF2D(j - 1, k, nx)] + f.xvel1[FTNREF2D(j, k, nx)]);
      f.vol_flux_x[FTNREF2D(j, k, nx)] = dt * f.xarea[FTNREF2D(j, k, nx)] * u;
      const int donor = u > 0.0 ? FTNREF2D(j - 1, k, nx) : FTNREF2D(j, k, nx);
      f.mass_flux_x[FTNREF2D(j, k, nx)] = f.vol_flux_x[FTNREF2D(j, k, nx)] * f.density0[donor];
    }
#pragma omp for
  for (int k = 1; k < ny; k++)
    for (int j = 0; j < nx; j++) {
      const double v = 0.5 * (f.yvel1[FTNREF2D(j, k - 1, nx)] + f.yvel1[FTNREF2D(j, k, nx)]);
      f.vol_flux_y[FTNREF2D(j, k, nx)] = dt * f.yarea[FTNREF2D(j, k, nx)] * v;
      const int donor = v > 0.0 ? FTNREF2D(j, k - 1, nx) : FTNREF2D(j, k, nx);
      f.mass_flux_y[FTNREF2D(j, k, nx)] = f.vol_flux_y[FTNREF2D(j, k, nx)] * f.density0[donor];
    }
}

static void advec_kernel(int nx, int ny, const field_type *f, double *density1, double *energy1) {
#pragma omp for
  for (int k = 0; k < ny; k++)
    for (int j = 0; j < nx; j++) {
      const double pre_vol = f->volume[FTNREF2D(j, k, nx)];
      const double pre_mass = f->density0[FTNREF2D(j, k, nx)] * pre_vol;
      const double post_mass = pre_mass + f->mass_flux_x[FTNREF2D(j, k, nx)] - f->mass_flux_x[FTNREF2D(j + 1, k, nx)] +
                               f->mass_flux_y[FTNREF2D(j, k, nx)] - f->mass_flux_y[FTNREF2D(j, k + 1, nx)];
      const double total = f->vol_flux_x[FTNREF2D(j + 1, k, nx)] - f->vol_flux_x[FTNREF2D(j, k, nx)] +
                           f->vol_flux_y[FTNREF2D(j, k + 1, nx)] - f->vol_flux_y[FTNREF2D(j, k, nx)];
      density1[FTNREF2D(j, k, nx)] = post_mass / pre_vol;
      energy1[FTNREF2D(j, k, nx)] = std::max(
          0.05, f->energy0[FTNREF2D(j, k, nx)] -
                    (f->pressure[FTNREF2D(j, k, nx)] + f->viscosity[FTNREF2D(j, k, nx)]) * total / pre_mass);
    }
}

static void reset_field_kernel(int nx, int ny, double *density0, double *density1, double *energy0, double *energy1, double *xvel0,
                               double *xvel1, double *yvel0, double *yvel1) {
#pragma omp for
  for (int k = 0; k < ny; k++) {
    for (int j = 0; j < nx; j++) {
      density0[FTNREF2D(j, k, nx)] = density1[FTNREF2D(j, k, nx)];
      energy0[FTNREF2D(j, k, nx)] = energy1[FTNREF2D(j, k, nx)];
      xvel0[FTNREF2D(j, k, nx)] = xvel1[FTNREF2D(j, k, nx)];
      yvel0[FTNREF2D(j, k, nx)] = yvel1[FTNREF2D(j, k, nx)];
    }
  }
}

// Reflects what a stencil needs at the walls. sign is -1 for the velocity that meets the wall.
static void reflect(int nx, int ny, double *field, double sign_x, double sign_y) {
#pragma omp for
  for (int k = 0; k < ny; k++) {
    for (int depth = 1; depth <= 2; depth++) {
      field[FTNREF2D(-depth, k, nx)] = sign_x * field[FTNREF2D(depth - 1, k, nx)];
      field[FTNREF2D(nx - 1 + depth, k, nx)] = sign_x * field[FTNREF2D(nx - depth, k, nx)];
    }
  }
#pragma omp for
  for (int j = 0; j < nx; j++) {
    for (int depth = 1; depth <= 2; depth++) {
      field[FTNREF2D(j, -depth, nx)] = sign_y * field[FTNREF2D(j, depth - 1, nx)];
      field[FTNREF2D(j, ny - 1 + depth, nx)] = sign_y * field[FTNREF2D(j, ny - depth, nx)];
    }
  }
}

void update_halo(chunk_type *chunk) {
  const int nx = chunk->x_cells, ny = chunk->y_cells;
  field_type *f = &chunk->field;
  reflect(nx, ny, f->pressure, 1.0, 1.0);
  reflect(nx, ny, f->viscosity, 1.0, 1.0);
  reflect(nx, ny, f->xvel0, -1.0, 1.0);
  reflect(nx, ny, f->yvel0, 1.0, -1.0);
}

double calc_dt(const chunk_type *chunk) {
  const int nx = chunk->x_cells, ny = chunk->y_cells;
  const field_type *f = &chunk->field;
  double dt_min = 1.0;
#pragma omp parallel for reduction(min : dt_min)
  for (int k = 0; k < ny; k++) {
    for (int j = 0; j < nx; j++) {
      const double cc = f->soundspeed[FTNREF2D(j, k, nx)] + std::fabs(f->xvel0[FTNREF2D(j, k, nx)]) +
                        std::fabs(f->yvel0[FTNREF2D(j, k, nx)]);
      dt_min = std::min(dt_min, 0.2 * std::min(chunk->dx, chunk->dy) / cc);
    }
  }
  return dt_min;
}

void hydro_step(chunk_type *chunk, double dt) {
  const int nx = chunk->x_cells, ny = chunk->y_cells;
#pragma omp parallel
  {
    field_type *f = &chunk->field;
    viscosity_kernel(nx, ny, f->density0, f->xvel0, f->yvel0, f->viscosity);
    update_halo(chunk);
    accelerate_kernel(chunk, dt);
    flux_kernel(chunk, dt);
    advec_kernel(nx, ny, f, f->density1, f->energy1);
    reset_field_kernel(nx, ny, f->density0, f->density1, f->energy0, f->energy1, f->xvel0, f->xvel1, f->yvel0, f->yvel1);
    ideal_gas_kernel(nx, ny, f->density0, f->energy0, f->pressure, f->soundspeed);
  }
}
