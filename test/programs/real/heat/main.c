// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat equation solver in 2D.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "heat.h"

int main(int argc, char **argv)
{
    double a = 0.5;           // Diffusion constant
    field current, previous;  // Current and previous temperature fields
    double dt;                // Time step
    int nsteps;               // Number of time steps
    int image_interval = 20;
    double dx2, dy2, average_temp, first, lowest = 1e30, highest = -1e30;

    initialize(argc, argv, &current, &previous, &nsteps);
    write_field(&current, 0);
    first = average_temp = average(&current);
    printf("Average temperature at start: %f\n", average_temp);

    /* Largest stable time step */
    dx2 = current.dx * current.dx;
    dy2 = current.dy * current.dy;
    dt = dx2 * dy2 / (2.0 * a * (dx2 + dy2));
    for (int iter = 1; iter <= nsteps; iter++) {
        evolve(&current, &previous, a, dt);
        if (iter % image_interval == 0) {
            average_temp = average(&current);
            write_field(&current, iter);
            printf("Average temperature at step %i: %f\n", iter, average_temp);
        }
        /* Swap current field so that it will be used as previous for next iteration step */
        swap_fields(&current, &previous);
    }
    /* The maximum principle: nothing gets hotter or colder than the start and the edges were. */
    for (int i = 0; i < (previous.nx + 2) * (previous.ny + 2); i++) {
        lowest = fmin(lowest, previous.data[i]);
        highest = fmax(highest, previous.data[i]);
    }
    printf("Between %f and %f: %s\n", lowest, highest, lowest >= 5.0 && highest <= 85.0 && average_temp != first ? "ok" : "WRONG");
    finalize(&current, &previous);
    return lowest >= 5.0 && highest <= 85.0 ? 0 : 1;
}
