// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/*
** Code to implement a d2q9-bgk lattice boltzmann scheme.
** 'd2' inidates a 2-dimensional grid, and 'q9' indicates 9 velocities per grid cell.
** 'bgk' refers to the Bhatnagar-Gross-Krook collision step.
**
** The 'speeds' in each cell are numbered as follows:
**
** 6 2 5
**  \|/
** 3-0-1
**  /|\
** 7 4 8
*/
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "d2q9.h"

int timestep(const t_param params, t_speed *cells, t_speed *tmp_cells, int *obstacles);
int accelerate_flow(const t_param params, t_speed *cells, int *obstacles);
int propagate(const t_param params, t_speed *cells, t_speed *tmp_cells);
int rebound(const t_param params, t_speed *cells, t_speed *tmp_cells, int *obstacles);
int collision(const t_param params, t_speed *cells, t_speed *tmp_cells, int *obstacles);
float av_velocity(const t_param params, t_speed *cells, int *obstacles);

int main(int argc, char *argv[])
{
  t_param params;             /* struct to hold parameter values */
  t_speed *cells = NULL;      /* grid containing fluid densities */
  t_speed *tmp_cells = NULL;  /* scratch space */
  int *obstacles = NULL;      /* grid indicating which cells are blocked */
  float *av_vels = NULL;      /* a record of the av. velocity computed for each timestep */

  initialise(argc, argv, &params, &cells, &tmp_cells, &obstacles, &av_vels);
  float before = total_density(params, cells);
  for (int tt = 0; tt < params.maxIters; tt++) {
    timestep(params, cells, tmp_cells, obstacles);
    av_vels[tt] = av_velocity(params, cells, obstacles);
    if (tt % 4 == 3) printf("==timestep: %d==\nav velocity: %.5e\n", tt, av_vels[tt]);
  }
  float after = total_density(params, cells);
  const float viscosity = 1.f / 6.f * (2.f / params.omega - 1.f);
  printf("==done==\nReynolds number:\t\t%.6e\n", av_velocity(params, cells, obstacles) * params.reynolds_dim / viscosity);
  printf("tot density: %.4f %s\n", after, fabsf(after - before) < 1e-3f * before ? "conserved" : "LOST");
  finalise(&cells, &tmp_cells, &obstacles, &av_vels);
  return fabsf(after - before) < 1e-3f * before ? EXIT_SUCCESS : EXIT_FAILURE;
}

int timestep(const t_param params, t_speed *cells, t_speed *tmp_cells, int *obstacles)
{
  accelerate_flow(params, cells, obstacles);
  propagate(params, cells, tmp_cells);
  rebound(params, cells, tmp_cells, obstacles);
  collision(params, cells, tmp_cells, obstacles);
  return EXIT_SUCCESS;
}

int accelerate_flow(const t_param params, t_speed *cells, int *obstacles)
{
  /* compute weighting factors */
  float w1 = params.density * params.accel / 9.f;
  float w2 = params.density * params.accel / 36.f;

  /* modify the 2nd row of the grid */
  int jj = params.ny - 2;

#pragma omp parallel for
  for (int ii = 0; ii < params.nx; ii++) {
    /* if the cell is not occupied and we don't send a negative density */
    if (!obstacles[ii + jj * params.nx] && (cells[ii + jj * params.nx].speeds[3] - w1) > 0.f &&
        (cells[ii + jj * params.nx].speeds[6] - w2) > 0.f && (cells[ii + jj * params.nx].speeds[7] - w2) > 0.f) {
      /* increase 'east-side' densities */
      cells[ii + jj * params.nx].speeds[1] += w1;
      cells[ii + jj * params.nx].speeds[5] += w2;
      cells[ii + jj * params.nx].speeds[8] += w2;
      /* decrease 'west-side' densities */
      cells[ii + jj * params.nx].speeds[3] -= w1;
      cells[ii + jj * params.nx].speeds[6] -= w2;
      cells[ii + jj * params.nx].speeds[7] -= w2;
    }
  }
  return EXIT_SUCCESS;
}

int propagate(const t_param params, t_speed *cells, t_speed *tmp_cells)
{
  /* loop over _all_ cells */
#pragma omp parallel for collapse(2)
  for (int jj = 0; jj < params.ny; jj++) {
    for (int ii = 0; ii < params.nx; ii++) {
      /* determine indices of axis-direction neighbours
      ** respecting periodic boundary conditions (wrap around) */
      int y_n = (jj + 1) % params.ny;
      int x_e = (ii + 1) % params.nx;
      int y_s = (jj == 0) ? (jj + params.ny - 1) : (jj - 1);
      int x_w = (ii == 0) ? (ii + params.nx - 1) : (ii - 1);
      /* propagate densities from neighbouring cells, following appropriate directions of travel */
      tmp_cells[ii + jj * params.nx].speeds[0] = cells[ii + jj * params.nx].speeds[0];   /* central cell, no movement */
      tmp_cells[ii + jj * params.nx].speeds[1] = cells[x_w + jj * params.nx].speeds[1];  /* east */
      tmp_cells[ii + jj * params.nx].speeds[2] = cells[ii + y_s * params.nx].speeds[2];  /* north */
      tmp_cells[ii + jj * params.nx].speeds[3] = cells[x_e + jj * params.nx].speeds[3];  /* west */
      tmp_cells[ii + jj * params.nx].speeds[4] = cells[ii + y_n * params.nx].speeds[4];  /* south */
      tmp_cells[ii + jj * params.nx].speeds[5] = cells[x_w + y_s * params.nx].speeds[5]; /* north-east */
      tmp_cells[ii + jj * params.nx].speeds[6] = cells[x_e + y_s * params.nx].speeds[6]; /* north-west */
      tmp_cells[ii + jj * params.nx].speeds[7] = cells[x_e + y_n * params.nx].speeds[7]; /* south-west */
      tmp_cells[ii + jj * params.nx].speeds[8] = cells[x_w + y_n * params.nx].speeds[8]; /* south-east */
    }
  }
  return EXIT_SUCCESS;
}

int rebound(const t_param params, t_speed *cells, t_speed *tmp_cells, int *obstacles)
{
  /* loop over the cells in the grid */
#pragma omp parallel for
  for (int jj = 0; jj < params.ny; jj++) {
    for (int ii = 0; ii < params.nx; ii++) {
      /* if the cell contains an obstacle */
      if (obstacles[jj * params.nx + ii]) {
        /* called after propagate, so taking values from scratch space mirroring, and writing into main grid */
        cells[ii + jj * params.nx].speeds[1] = tmp_cells[ii + jj * params.nx].speeds[3];
        cells[ii + jj * params.nx].speeds[2] = tmp_cells[ii + jj * params.nx].speeds[4];
        cells[ii + jj * params.nx].speeds[3] = tmp_cells[ii + jj * params.nx].speeds[1];
        cells[ii + jj * params.nx].speeds[4] = tmp_cells[ii + jj * params.nx].speeds[2];
        cells[ii + jj * params.nx].speeds[5] = tmp_cells[ii + jj * params.nx].speeds[7];
        cells[ii + jj * params.nx].speeds[6] = tmp_cells[ii + jj * params.nx].speeds[8];
        cells[ii + jj * params.nx].speeds[7] = tmp_cells[ii + jj * params.nx].speeds[5];
        cells[ii + jj * params.nx].speeds[8] = tmp_cells[ii + jj * params.nx].speeds[6];
      }
    }
  }
  return EXIT_SUCCESS;
}

int collision(const t_param params, t_speed *cells, t_speed *tmp_cells, int *obstacles)
{
  const float c_sq = 1.f / 3.f; /* square of speed of sound */
  const float w0 = 4.f / 9.f;   /* weighting factor */
  const float w1 = 1.f / 9.f;   /* weighting factor */
  const float w2 = 1.f / 36.f;  /* weighting factor */

  /* loop over the cells in the grid
  ** NB the collision step is called after
  ** the propagate step and so values of interest
  ** are in the scratch-space grid */
#pragma omp parallel for schedule(static)
  for (int jj = 0; jj < params.ny; jj++) {
    for (int ii = 0; ii < params.nx; ii++) {
      /* don't consider occupied cells */
      if (!obstacles[ii + jj * params.nx]) {
        /* compute local density total */
        float local_density = 0.f;
        for (int kk = 0; kk < NSPEEDS; kk++) local_density += tmp_cells[ii + jj * params.nx].speeds[kk];

        /* compute x velocity component */
        float u_x = (tmp_cells[ii + jj * params.nx].speeds[1] + tmp_cells[ii + jj * params.nx].speeds[5] +
                     tmp_cells[ii + jj * params.nx].speeds[8] -
                     (tmp_cells[ii + jj * params.nx].speeds[3] + tmp_cells[ii + jj * params.nx].speeds[6] +
                      tmp_cells[ii + jj * params.nx].speeds[7])) /
                    local_density;
        /* compute y velocity component */
        float u_y = (tmp_cells[ii + jj * params.nx].speeds[2] + tmp_cells[ii + jj * params.nx].speeds[5] +
                     tmp_cells[ii + jj * params.nx].speeds[6] -
                     (tmp_cells[ii + jj * params.nx].speeds[4] + tmp_cells[ii + jj * params.nx].speeds[7] +
                      tmp_cells[ii + jj * params.nx].speeds[8])) /
                    local_density;

        /* velocity squared */
        float u_sq = u_x * u_x + u_y * u_y;

        /* directional velocity components */
        float u[NSPEEDS];
        u[1] = u_x;        /* east */
        u[2] = u_y;        /* north */
        u[3] = -u_x;       /* west */
        u[4] = -u_y;       /* south */
        u[5] = u_x + u_y;  /* north-east */
        u[6] = -u_x + u_y; /* north-west */
        u[7] = -u_x - u_y; /* south-west */
        u[8] = u_x - u_y;  /* south-east */

        /* equilibrium densities */
        float d_equ[NSPEEDS];
        /* zero velocity density: weight w0 */
        d_equ[0] = w0 * local_density * (1.f - u_sq / (2.f * c_sq));
        /* axis speeds: weight w1, diagonal speeds: weight w2 */
        for (int kk = 1; kk < NSPEEDS; kk++)
          d_equ[kk] = (kk < 5 ? w1 : w2) * local_density *
                      (1.f + u[kk] / c_sq + (u[kk] * u[kk]) / (2.f * c_sq * c_sq) - u_sq / (2.f * c_sq));

        /* relaxation step */
        for (int kk = 0; kk < NSPEEDS; kk++) {
          cells[ii + jj * params.nx].speeds[kk] =
              tmp_cells[ii + jj * params.nx].speeds[kk] +
              params.omega * (d_equ[kk] - tmp_cells[ii + jj * params.nx].speeds[kk]);
        }
      }
    }
  }
  return EXIT_SUCCESS;
}

float av_velocity(const t_param params, t_speed *cells, int *obstacles)
{
  int tot_cells = 0; /* no. of cells used in calculation */
  float tot_u;       /* accumulated magnitudes of velocity for each cell */

  /* initialise */
  tot_u = 0.f;

  /* loop over all non-blocked cells */
#pragma omp parallel for reduction(+ : tot_cells, tot_u)
  for (int jj = 0; jj < params.ny; jj++) {
    for (int ii = 0; ii < params.nx; ii++) {
      /* ignore occupied cells */
      if (!obstacles[ii + jj * params.nx]) {
        t_speed *cell = &cells[ii + jj * params.nx];
        float local_density = 0.f;
        for (int kk = 0; kk < NSPEEDS; kk++) local_density += cell->speeds[kk];
        float u_x = (cell->speeds[1] + cell->speeds[5] + cell->speeds[8] - (cell->speeds[3] + cell->speeds[6] + cell->speeds[7])) /
                    local_density;
        float u_y = (cell->speeds[2] + cell->speeds[5] + cell->speeds[6] - (cell->speeds[4] + cell->speeds[7] + cell->speeds[8])) /
                    local_density;
        /* accumulate the norm of x- and y- velocity components */
        tot_u += sqrtf((u_x * u_x) + (u_y * u_y));
        /* increase counter of inspected cells */
        ++tot_cells;
      }
    }
  }
  return tot_u / (float)tot_cells;
}
