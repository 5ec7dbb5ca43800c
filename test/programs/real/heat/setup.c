// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Setup routines for heat equation solver.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heat.h"

#define NSTEPS 40 // Default number of iteration steps

void initialize(int argc, char *argv[], field *current, field *previous, int *nsteps)
{
    int rows = 61, cols = 43;
    *nsteps = NSTEPS;
    switch (argc) {
    case 1:
        break;
    case 3:
        rows = atoi(argv[1]);
        cols = atoi(argv[2]);
        break;
    case 4:
        rows = atoi(argv[1]);
        cols = atoi(argv[2]);
        *nsteps = atoi(argv[3]);
        break;
    default:
        printf("Unsupported number of command line arguments\n");
        exit(-1);
    }
    set_field_dimensions(current, rows, cols);
    set_field_dimensions(previous, rows, cols);
    generate_field(current);
    allocate_field(previous);
    copy_field(current, previous);
}

void set_field_dimensions(field *temperature, int nx, int ny)
{
    temperature->dx = DX;
    temperature->dy = DY;
    temperature->nx = nx;
    temperature->ny = ny;
}

/* Allocate memory for a temperature field and initialise it to zero */
void allocate_field(field *temperature)
{
    // Include also boundary layers
    int newSize = (temperature->nx + 2) * (temperature->ny + 2);
#pragma ompx managed(temperature->data)
    temperature->data = (double *)malloc(newSize * sizeof(double));
    memset(temperature->data, 0, newSize * sizeof(double));
}

/* Generate initial temperature field.  Pattern is disc with a radius of nx / 6 */
void generate_field(field *temperature)
{
    double radius;
    int dx, dy;
    int i, j;
    int width = temperature->ny + 2;

    allocate_field(temperature);
    radius = temperature->nx / 6.0;
#pragma omp parallel for private(j, dx, dy)
    for (i = 0; i < temperature->nx + 2; i++) {
        for (j = 0; j < temperature->ny + 2; j++) {
            /* Distances of point i, j from the origin */
            dx = i - temperature->nx / 2 + 1;
            dy = j - temperature->ny / 2 + 1;
            if (dx * dx + dy * dy < radius * radius)
                temperature->data[idx(i, j, width)] = 5.0;
            else
                temperature->data[idx(i, j, width)] = 65.0;
        }
    }
    /* Boundary conditions */
    for (i = 0; i < temperature->nx + 2; i++) {
        temperature->data[idx(i, 0, width)] = 20.0;
        temperature->data[idx(i, temperature->ny + 1, width)] = 70.0;
    }
    for (j = 0; j < temperature->ny + 2; j++) {
        temperature->data[idx(0, j, width)] = 85.0;
        temperature->data[idx(temperature->nx + 1, j, width)] = 5.0;
    }
}

void copy_field(field *source, field *target)
{
    memcpy(target->data, source->data, (source->nx + 2) * (source->ny + 2) * sizeof(double));
}

void swap_fields(field *temperature1, field *temperature2)
{
    double *tmp;
    tmp = temperature1->data;
    temperature1->data = temperature2->data;
    temperature2->data = tmp;
}

void finalize(field *temperature1, field *temperature2)
{
    free(temperature1->data);
    free(temperature2->data);
}
