// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matrix.h"

#include <math.h>

void fill_matrix(int n, double a[n][n])
{
	#pragma omp parallel for collapse(2)
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a[i][j] = 1.0 / (1 + (i * 31 + j * 17 + i * j) % 101) + (i == (j * 8 + 3) % n);
}

void copy_matrix(int n, double from[n][n], double to[n][n])
{
	int i, j;
	#pragma omp parallel for private(j)
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			to[i][j] = from[i][j];
}

/* The largest element of |a x - b|. */
double residual(int n, double a[n][n], const double *x, const double *b)
{
	double worst = 0;
	#pragma omp parallel for reduction(max: worst)
	for (int i = 0; i < n; i++) {
		double sum = -b[i];
		for (int j = 0; j < n; j++)
			sum += a[i][j] * x[j];
		if (fabs(sum) > worst)
			worst = fabs(sum);
	}
	return worst;
}
