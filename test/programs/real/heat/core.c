// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Main solver routines for the heat equation solver.
#include <math.h>

#include "heat.h"

/* Update the temperature values using five-point stencil */
void evolve(field *curr, field *prev, double a, double dt)
{
    int i, j;
    double dx2, dy2;
    int ic, iu, id, il, ir; // indexes for center, up, down, left, right
    int width;

    width = curr->ny + 2;
    /* Determine the temperature field at next time step
     * As we have fixed boundary conditions, the outermost gridpoints
     * are not updated. */
    dx2 = prev->dx * prev->dx;
    dy2 = prev->dy * prev->dy;
#pragma omp parallel for private(i, j, ic, iu, id, il, ir)
    for (i = 1; i < curr->nx + 1; i++) {
        for (j = 1; j < curr->ny + 1; j++) {
            ic = idx(i, j, width);
            iu = idx(i+1, j, width);
            id = idx(i-1, j, width);
            ir = idx(i, j+1, width);
            il = idx(i, j-1, width);
            curr->data[ic] = prev->data[ic] + a * dt *
                             ((prev->data[iu] - 2.0 * prev->data[ic] + prev->data[id]) / dx2 +
                              (prev->data[ir] - 2.0 * prev->data[ic] + prev->data[il]) / dy2);
        }
    }
}

/* Average temperature: a serial sum is good enough */
double average(field *temperature)
{
    double average = 0.0;
    int width = temperature->ny + 2;
    for (int i = 1; i < temperature->nx + 1; i++)
        for (int j = 1; j < temperature->ny + 1; j++)
            average += temperature->data[idx(i, j, width)];
    return average / (temperature->nx * temperature->ny);
}
