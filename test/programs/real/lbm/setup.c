// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdio.h>
#include <stdlib.h>

#include "d2q9.h"

int initialise(int argc, char *argv[], t_param *params, t_speed **cells_ptr, t_speed **tmp_cells_ptr, int **obstacles_ptr,
               float **av_vels_ptr)
{
  params->nx = argc > 1 ? atoi(argv[1]) : 48;
  params->ny = argc > 2 ? atoi(argv[2]) : 37;
  params->maxIters = argc > 3 ? atoi(argv[3]) : 20;
  params->reynolds_dim = params->nx / 2;
  params->density = 0.1f;
  params->accel = 0.005f;
  params->omega = 1.7f;

  /* main grid */
#pragma ompx managed(*cells_ptr)
  *cells_ptr = (t_speed *)malloc(sizeof(t_speed) * (params->ny * params->nx));
  if (*cells_ptr == NULL) die("cannot allocate memory for cells", __LINE__, __FILE__);
  /* 'helper' grid, used as scratch space */
#pragma ompx managed(*tmp_cells_ptr)
  *tmp_cells_ptr = (t_speed *)malloc(sizeof(t_speed) * (params->ny * params->nx));
  if (*tmp_cells_ptr == NULL) die("cannot allocate memory for tmp_cells", __LINE__, __FILE__);
  /* the map of obstacles */
#pragma ompx managed(*obstacles_ptr)
  *obstacles_ptr = (int *)malloc(sizeof(int) * (params->ny * params->nx));
  if (*obstacles_ptr == NULL) die("cannot allocate column memory for obstacles", __LINE__, __FILE__);

  /* initialise densities */
  float w0 = params->density * 4.f / 9.f;
  float w1 = params->density / 9.f;
  float w2 = params->density / 36.f;
  for (int jj = 0; jj < params->ny; jj++) {
    for (int ii = 0; ii < params->nx; ii++) {
      /* centre */
      (*cells_ptr)[ii + jj * params->nx].speeds[0] = w0;
      /* axis directions */
      for (int kk = 1; kk <= 4; kk++) (*cells_ptr)[ii + jj * params->nx].speeds[kk] = w1;
      /* diagonals */
      for (int kk = 5; kk < NSPEEDS; kk++) (*cells_ptr)[ii + jj * params->nx].speeds[kk] = w2;
    }
  }
  /* walls below and above, and a block in the middle */
  for (int jj = 0; jj < params->ny; jj++)
    for (int ii = 0; ii < params->nx; ii++)
      (*obstacles_ptr)[ii + jj * params->nx] =
          jj == 0 || jj == params->ny - 1 || (abs(ii - params->nx / 3) < 3 && abs(jj - params->ny / 2) < 4);
  *av_vels_ptr = (float *)malloc(sizeof(float) * params->maxIters);
  return EXIT_SUCCESS;
}

int finalise(t_speed **cells_ptr, t_speed **tmp_cells_ptr, int **obstacles_ptr, float **av_vels_ptr)
{
  free(*cells_ptr);
  *cells_ptr = NULL;
  free(*tmp_cells_ptr);
  *tmp_cells_ptr = NULL;
  free(*obstacles_ptr);
  *obstacles_ptr = NULL;
  free(*av_vels_ptr);
  *av_vels_ptr = NULL;
  return EXIT_SUCCESS;
}

float total_density(const t_param params, t_speed *cells)
{
  float total = 0.f; /* accumulator */
  for (int jj = 0; jj < params.ny; jj++)
    for (int ii = 0; ii < params.nx; ii++)
      for (int kk = 0; kk < NSPEEDS; kk++) total += cells[ii + jj * params.nx].speeds[kk];
  return total;
}

void die(const char *message, const int line, const char *file)
{
  fprintf(stderr, "Error at line %d of file %s:\n%s\n", line, file, message);
  fflush(stderr);
  exit(EXIT_FAILURE);
}
