// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear algebra in the style of Numerical Recipes: vectors and matrices from 1, rows in one block, rotations in place,
// Cholesky by blocks, a triangular system by levels.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#define NR_END 1
double *vector(long nl, long nh) {
  double *v;
#pragma omp managed(v)
  v = (double *)malloc((size_t)((nh-nl+1+NR_END)*sizeof(double)));
  return v-nl+NR_END;
}
void free_vector(double *v, long nl, long nh) { free((char*)(v+nl-NR_END)); }
int *ivector(long nl, long nh) {
  int *v;
#pragma omp managed(v)
  v = (int *)malloc((size_t)((nh-nl+1+NR_END)*sizeof(int)));
  return v-nl+NR_END;
}
double **matrix(long nrl, long nrh, long ncl, long nch) {
  long i, nrow=nrh-nrl+1, ncol=nch-ncl+1; double **m;
  m = (double **)malloc((size_t)((nrow+NR_END)*sizeof(double*)));
  m += NR_END; m -= nrl;
#pragma omp managed(m[nrl])
  m[nrl] = (double *)malloc((size_t)((nrow*ncol+NR_END)*sizeof(double)));
  m[nrl] += NR_END; m[nrl] -= ncl;
  for (i=nrl+1; i<=nrh; i++) m[i] = m[i-1]+ncol;
  return m;
}
void free_matrix(double **m, long nrl, long nrh, long ncl, long nch) { free((char*)(m[nrl]+ncl-NR_END)); free((char*)(m+nrl-NR_END)); }
static double dotp(double *a, double *b, int n) { double s = 0; int i;
#pragma omp parallel for reduction(+:s)
  for (i = 1; i <= n; i++) s += a[i]*b[i];
  return s; }
static void matvec(double **a, double *x, double *y, int n) { int i, j;
#pragma omp parallel for private(j)
  for (i = 1; i <= n; i++) { double s = 0; for (j = 1; j <= n; j++) s += a[i][j]*x[j]; y[i] = s; } }
#define ROTATE(a,i,j,k,l) g=a[i][j];h=a[k][l];a[i][j]=g-s*(h+g*tau);a[k][l]=h+s*(g-h*tau);
static void jacobi_sweep(double **a, int n, double *d) {
  for (int p = 1; p < n; p++) for (int q = p+1; q <= n; q++) {
    if (fabs(a[p][q]) < 1e-14) continue;
    double theta = (a[q][q]-a[p][p])/(2*a[p][q]), t = (theta >= 0 ? 1 : -1)/(fabs(theta)+sqrt(theta*theta+1)), c = 1/sqrt(t*t+1), s = t*c;
    int i;
#pragma omp parallel for
    for (i = 1; i <= n; i++) { double x = a[i][p], y = a[i][q]; a[i][p] = c*x-s*y; a[i][q] = s*x+c*y; }
#pragma omp parallel for
    for (i = 1; i <= n; i++) { double x = a[p][i], y = a[q][i]; a[p][i] = c*x-s*y; a[q][i] = s*x+c*y; }
  }
  for (int i = 1; i <= n; i++) d[i] = a[i][i];
}
static void cholesky(double *A, int n, int nb) {
  for (int k = 0; k < n; k += nb) {
    int kb = k+nb < n ? nb : n-k;
    for (int j = k; j < k+kb; j++) {
      double s = A[(size_t)j*n+j]; for (int t = k; t < j; t++) s -= A[(size_t)j*n+t]*A[(size_t)j*n+t];
      A[(size_t)j*n+j] = sqrt(s);
      for (int i = j+1; i < k+kb; i++) { double r = A[(size_t)i*n+j]; for (int t = k; t < j; t++) r -= A[(size_t)i*n+t]*A[(size_t)j*n+t]; A[(size_t)i*n+j] = r/A[(size_t)j*n+j]; }
    }
#pragma omp parallel for
    for (int i = k+kb; i < n; i++)
      for (int j = k; j < k+kb; j++) { double r = A[(size_t)i*n+j]; for (int t = k; t < j; t++) r -= A[(size_t)i*n+t]*A[(size_t)j*n+t]; A[(size_t)i*n+j] = r/A[(size_t)j*n+j]; }
#pragma omp parallel for schedule(dynamic)
    for (int i = k+kb; i < n; i++)
      for (int j = k+kb; j <= i; j++) { double r = 0; for (int t = k; t < k+kb; t++) r += A[(size_t)i*n+t]*A[(size_t)j*n+t]; A[(size_t)i*n+j] -= r; }
  }
}
int main(void) {
  int n = 37; double **a = matrix(1,n,1,n), *x = vector(1,n), *y = vector(1,n), *d = vector(1,n);
  for (int i = 1; i <= n; i++) { x[i] = 1.0/i; for (int j = 1; j <= n; j++) a[i][j] = 1.0/(i+j) + (i==j); }
  for (int k = 0; k < 5; k++) { matvec(a,x,y,n); double nrm = sqrt(dotp(y,y,n)); int i;
#pragma omp parallel for
    for (i = 1; i <= n; i++) x[i] = y[i]/nrm;
    printf("%.10f\n", nrm); }
  for (int s = 0; s < 2; s++) jacobi_sweep(a,n,d);
  double tr = 0, trace = 0; for (int i = 1; i <= n; i++) { tr += d[i]; trace += 1.0/(2*i) + 1; }
  int ok = fabs(tr-trace) < 1e-10; /* rotations keep it */
  printf("%.10f %.10f\n", tr, d[1]);
  free_matrix(a,1,n,1,n);
  int N = 75; double *A;
#pragma omp managed(A)
  A = malloc(sizeof(double)*N*N);
#pragma omp parallel for
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A[(size_t)i*N+j] = (i==j)*N + 1.0/(1+abs(i-j));
  cholesky(A,N,16);
  double worst = 0;
#pragma omp parallel for reduction(max:worst)
  for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) {
    double s = 0; for (int k = 0; k <= j; k++) s += A[(size_t)i*N+k]*A[(size_t)j*N+k];
    worst = fmax(worst, fabs(s - (i==j)*N - 1.0/(1+abs(i-j)))); }
  ok = ok && worst < 1e-11;
  double ld = 0; for (int i = 0; i < N; i++) ld += log(A[(size_t)i*N+i]); printf("%.12f\n", ld);
  /* lower triangular solve by levels */
  int nl = 0, *level = ivector(0,N-1), *ord = ivector(0,N-1), *lptr = ivector(0,N);
  for (int i = 0; i < N; i++) level[i] = i < 3 ? 0 : level[i/2] + 1;
  for (int i = 0; i < N; i++) if (level[i]+1 > nl) nl = level[i]+1;
  int o = 0; for (int l = 0; l < nl; l++) { lptr[l] = o; for (int i = 0; i < N; i++) if (level[i] == l) ord[o++] = i; } lptr[nl] = o;
  double *b = vector(0,N-1); for (int i = 0; i < N; i++) b[i] = 1;
  for (int l = 0; l < nl; l++) {
#pragma omp parallel for
    for (int k = lptr[l]; k < lptr[l+1]; k++) { int i = ord[k]; double s = b[i]; if (i >= 3) s -= 0.5*b[i/2]; b[i] = s/2; }
  }
  for (int i = 3; i < N; i++) ok = ok && fabs(2*b[i]+0.5*b[i/2]-1) < 1e-14;
  double bs = 0; for (int i = 0; i < N; i++) bs += b[i]*i;
  printf(ok ? "all residuals are small\n" : "residuals: WRONG\n");
  printf("%.12f %d\n", bs, nl);
  free_vector(x,1,n); free_vector(y,1,n); free_vector(d,1,n); free_vector(b,0,N-1); free(A);
  free(level-1); free(ord-1); free(lptr-1);
  return !ok;
}
