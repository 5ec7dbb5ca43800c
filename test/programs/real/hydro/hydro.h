// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_H
#define HYDRO_H

struct field_type {
  double *density0, *density1;
  double *energy0, *energy1;
  double *pressure, *viscosity, *soundspeed;
  double *xvel0, *xvel1, *yvel0, *yvel1;
  double *vol_flux_x, *mass_flux_x, *vol_flux_y, *mass_flux_y;
  double *cellx, *celly, *volume, *xarea, *yarea;
};

struct chunk_type {
  int x_cells, y_cells;
  double dx, dy;
  field_type field;
};

// Arrays have two layers of ghost cells; indexes start at -2.
#define FTNREF2D(i, j, nx) (((j) + 2) * ((nx) + 4) + (i) + 2)

void build_field(chunk_type *chunk);
void free_field(chunk_type *chunk);
void initialise_chunk(chunk_type *chunk);
void update_halo(chunk_type *chunk);
void hydro_step(chunk_type *chunk, double dt);
double calc_dt(const chunk_type *chunk);
void ideal_gas_kernel(int nx, int ny, double *density, double *energy, double *pressure, double *soundspeed);
#endif
