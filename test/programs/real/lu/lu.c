// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU factorisation with partial pivoting: a VLA matrix, and one parallel region around all steps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "matrix.h"

/* Factors a in place; perm[i] is the row that row i came from. Returns 0 if a is singular. */
int lu_factor(int n, double a[restrict n][n], int *perm)
{
	int singular = 0;
	int i, j, k;

	for (i = 0; i < n; i++)
		perm[i] = i;

	#pragma omp parallel shared(a, perm, n, singular) private(i, j, k)
	{
		for (k = 0; k < n; k++) {
			#pragma omp single
			{
				int p = k;
				for (int r = k + 1; r < n; r++)
					if (fabs(a[r][k]) > fabs(a[p][k]))
						p = r;
				if (fabs(a[p][k]) < 1e-14)
					singular = 1;
				if (p != k) {
					int t = perm[p];
					perm[p] = perm[k];
					perm[k] = t;
					for (int c = 0; c < n; c++) {
						double s = a[p][c];
						a[p][c] = a[k][c];
						a[k][c] = s;
					}
				}
			}
			#pragma omp for schedule(static)
			for (i = k + 1; i < n; i++) {
				a[i][k] /= a[k][k];
				for (j = k + 1; j < n; j++)
					a[i][j] -= a[i][k] * a[k][j];
			}
		}
	}
	return !singular;
}

/* Solves L U x = P b. */
void lu_solve(int n, double a[n][n], const int *perm, const double *b, double *x)
{
	for (int i = 0; i < n; i++) {
		double sum = b[perm[i]];
		for (int j = 0; j < i; j++)
			sum -= a[i][j] * x[j];
		x[i] = sum;
	}
	for (int i = n - 1; i >= 0; i--) {
		double sum = x[i];
		for (int j = i + 1; j < n; j++)
			sum -= a[i][j] * x[j];
		x[i] = sum / a[i][i];
	}
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 61;
	#pragma ompx managed(a)
	double (*a)[n] = malloc(sizeof(double[n][n]));
	#pragma ompx managed(copy)
	double (*copy)[n] = malloc(sizeof *copy * n);
	#pragma ompx managed(x)
	double *x = malloc(n * sizeof *x);
	double *b = malloc(n * sizeof *b);
	int *perm = malloc(n * sizeof *perm);
	double worst;

	fill_matrix(n, a);
	copy_matrix(n, a, copy);
	for (int i = 0; i < n; i++)
		b[i] = (i * 7) % 13 - 6;
	if (!lu_factor(n, a, perm)) {
		printf("singular\n");
		return 1;
	}
	lu_solve(n, a, perm, b, x);
	worst = residual(n, copy, x, b);
	printf("pivots:");
	for (int i = 0; i < 10 && i < n; i++)
		printf(" %d", perm[i]);
	printf("\nx: %.10f %.10f %.10f\n", x[0], x[n / 2], x[n - 1]);
	printf("%s\n", worst < 1e-9 ? "residual ok" : "RESIDUAL TOO LARGE");
	free(perm);
	free(b);
	free(x);
	free(copy);
	free(a);
	return worst < 1e-9 ? 0 : 1;
}
