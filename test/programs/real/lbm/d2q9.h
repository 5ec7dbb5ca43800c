// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef D2Q9_H
#define D2Q9_H
#define NSPEEDS 9

/* struct to hold the parameter values */
typedef struct {
  int nx;           /* no. of cells in x-direction */
  int ny;           /* no. of cells in y-direction */
  int maxIters;     /* no. of iterations */
  int reynolds_dim; /* dimension for Reynolds number */
  float density;    /* density per link */
  float accel;      /* density redistribution */
  float omega;      /* relaxation parameter */
} t_param;

/* struct to hold the 'speed' values */
typedef struct {
  float speeds[NSPEEDS];
} t_speed;

int initialise(int argc, char *argv[], t_param *params, t_speed **cells_ptr, t_speed **tmp_cells_ptr, int **obstacles_ptr,
               float **av_vels_ptr);
int finalise(t_speed **cells_ptr, t_speed **tmp_cells_ptr, int **obstacles_ptr, float **av_vels_ptr);
float total_density(const t_param params, t_speed *cells);
void die(const char *message, const int line, const char *file);
#endif
