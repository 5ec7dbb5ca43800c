// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wave equation on a membrane: grids with operator(), one parallel region around the time loop, private pointers
// that every thread swaps.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "grid.hpp"

#define FOR_INTERIOR _Pragma("omp for collapse(2)") for (int i = 0; i < rows; ++i) for (int j = 0; j < cols; ++j)

int main(int argc, char *argv[])
{
    const int rows = argc > 1 ? std::atoi(argv[1]) : 53;
    const int cols = argc > 2 ? std::atoi(argv[2]) : 47;
    const int steps = argc > 3 ? std::atoi(argv[3]) : 24;
    const double c2 = 0.25;
    Grid<double> a(rows, cols), b(rows, cols), c(rows, cols);
    double energy = 0.0, largest = 0.0;
    Grid<double> *result = nullptr;

    #pragma omp parallel
    {
        Grid<double> *previous = &a, *current = &b, *next = &c;
        FOR_INTERIOR {
            const double dx = (i - rows / 3) / 5.0, dy = (j - cols / 2) / 5.0;
            (*current)(i, j) = (*previous)(i, j) = std::exp(-(dx * dx + dy * dy));
        }
        for (int t = 0; t < steps; ++t) {
            FOR_INTERIOR {
                const double laplace = (*current)(i - 1, j) + (*current)(i + 1, j) + (*current)(i, j - 1) + (*current)(i, j + 1)
                                     - 4.0 * (*current)(i, j);
                (*next)(i, j) = 2.0 * (*current)(i, j) - (*previous)(i, j) + c2 * laplace;
            }
            Grid<double> *oldest = previous;
            previous = current;
            current = next;
            next = oldest;
            if (t % 8 == 7) {
                #pragma omp single
                energy = largest = 0.0;
                #pragma omp for reduction(+:energy) reduction(max:largest)
                for (int i = 0; i < rows; ++i)
                    for (int j = 0; j < cols; ++j) {
                        const double v = (*current)(i, j) - (*previous)(i, j);
                        energy += v * v;
                        largest = std::fmax(largest, std::fabs((*current)(i, j)));
                    }
                #pragma omp master
                std::printf("step %d: motion %.8f, largest %.8f\n", t + 1, energy, largest);
                #pragma omp barrier
            }
        }
        #pragma omp single
        result = current;
    }
    bool ok = true;
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) ok = ok && std::fabs((*result)(i, j)) < 2.0;
        if (i % 10 == 0) std::printf("%.10f\n", (*result)(i, cols / 2));
    }
    std::printf("%s\n", ok ? "stable" : "UNSTABLE");
    return ok ? 0 : 1;
}
