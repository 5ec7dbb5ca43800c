// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HEAT_H
#define HEAT_H

/* Datatype for temperature field */
typedef struct {
  /* nx and ny are the true dimensions of the field. The array data
   * contains also ghost layers, so it will have dimensions nx+2 x ny+2 */
  int nx;
  int ny;
  double dx;
  double dy;
  double *data;
} field;

/* We use here fixed grid spacing */
#define DX 0.01
#define DY 0.01

static inline int idx(int i, int j, int width) { return i * width + j; }

void set_field_dimensions(field *temperature, int nx, int ny);
void allocate_field(field *temperature);
void generate_field(field *temperature);
void initialize(int argc, char *argv[], field *current, field *previous, int *nsteps);
void finalize(field *temperature1, field *temperature2);
void copy_field(field *source, field *target);
void swap_fields(field *temperature1, field *temperature2);
double average(field *temperature);
void evolve(field *curr, field *prev, double a, double dt);
void write_field(field *temperature, int iter);
#endif
