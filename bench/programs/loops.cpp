// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single loops of many kinds, again and again on one device: what forms of kernels are worth (MUSTER_KERNELS=auto
// beside plain, decision 0031). Lines as of the other programs, one for each loop. Usage: loops [MILLIONS [REPEATS]].
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>

#include "report.h"

#pragma ompx managed(fa, fb, da, db, sa, sb, ca, cb)
static float *fa, *fb;
static double *da, *db;
static unsigned short *sa, *sb;
static unsigned char *ca, *cb;
#pragma ompx managed(column, weight, source, left, right, product, key, bins, few, sums)
static double *column, *weight, *source;
static float *left, *right, *product;
static int *key, *bins, *few;
static double* sums;

static float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float c =
      0.39894228f * expf(-0.5f * d * d) *
      (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - c : c;
}

// The median of five batches, after two launches.
template <class Launch>
static void timed(const char* name, int repeats, double bytes, Launch launch, const void* data, size_t size) {
  launch(), launch();
  double seconds[5];
  for (double& batch : seconds) {
    const double began = now();
    for (int r = 0; r < repeats; r++) launch();
    batch = now() - began;
  }
  std::sort(seconds, seconds + 5);
  report(name, seconds[2], repeats, bytes, checksum(data, size));
}

static void streams(long n, int repeats) {
  const size_t seen = 1 << 16;
  timed(
      "float", repeats, 12.0 * n,
      [=] {
#pragma omp parallel for
        for (long i = 0; i < n; i++) fa[i] += 1.0001f * fb[i];
      },
      fa, seen);
  timed(
      "double", repeats, 24.0 * n,
      [=] {
#pragma omp parallel for
        for (long i = 0; i < n; i++) da[i] += 1.0001 * db[i];
      },
      da, seen);
  timed(
      "short", repeats, 6.0 * n,
      [=] {
#pragma omp parallel for
        for (long i = 0; i < n; i++) sa[i] += 3 * sb[i];
      },
      sa, seen);
  timed(
      "byte", repeats, 3.0 * n,
      [=] {
#pragma omp parallel for
        for (long i = 0; i < n; i++) ca[i] += 3 * cb[i];
      },
      ca, seen);
  timed(
      "options", repeats, 4.0 * n,
      [=] {
#pragma omp parallel for
        for (long i = 0; i < n / 4; i++) {
          const float price = fb[i] * 10, strike = fb[i + n / 4] * 9, years = 0.5f;
          const float d = (logf(price / strike) + 0.065f * years) / (0.3f * sqrtf(years)), e = d - 0.3f * sqrtf(years);
          const float discount = expf(-0.02f * years);
          fa[i] = price * normal(d) - strike * discount * normal(e);
          fa[i + n / 4] = strike * discount * (1.0f - normal(e)) - price * (1.0f - normal(d));
        }
      },
      fa, seen);
}

static void nests(long n, int repeats) {
  // Rows of such lengths begin where wide accesses are aligned; the last ones do not.
  const int side = (int)sqrt((double)n) / 4 * 4, odd = side - 1, edge = (int)cbrt((double)n) / 4 * 4;
  timed(
      "sobel", repeats, 2.0 * side * side,
      [=] {
#pragma omp parallel for
        for (int i = 1; i < side - 1; i++)
          for (int j = 1; j < side - 1; j++) {
            const unsigned char *up = cb + (long)(i - 1) * side, *mid = up + side, *down = mid + side;
            const int x = up[j + 1] + 2 * mid[j + 1] + down[j + 1] - up[j - 1] - 2 * mid[j - 1] - down[j - 1];
            const int y = down[j - 1] + 2 * down[j] + down[j + 1] - up[j - 1] - 2 * up[j] - up[j + 1];
            const float v = sqrtf((float)(x * x + y * y));
            ca[(long)i * side + j] = v > 255.0f ? 255 : (unsigned char)v;
          }
      },
      ca, 1 << 16);
  timed(
      "jacobi-float", repeats, 8.0 * side * side,
      [=] {
#pragma omp parallel for
        for (int i = 1; i < side - 1; i++)
          for (int j = 1; j < side - 1; j++)
            fa[i * side + j] =
                0.25f * (fb[(i - 1) * side + j] + fb[(i + 1) * side + j] + fb[i * side + j - 1] + fb[i * side + j + 1]);
      },
      fa, 1 << 16);
  timed(
      "jacobi-odd", repeats, 8.0 * odd * odd,
      [=] {
#pragma omp parallel for
        for (int i = 1; i < odd - 1; i++)
          for (int j = 1; j < odd - 1; j++)
            fa[i * odd + j] =
                0.25f * (fb[(i - 1) * odd + j] + fb[(i + 1) * odd + j] + fb[i * odd + j - 1] + fb[i * odd + j + 1]);
      },
      fa, 1 << 16);
  timed(
      "jacobi", repeats, 16.0 * side * side,
      [=] {
#pragma omp parallel for
        for (int i = 1; i < side - 1; i++)
          for (int j = 1; j < side - 1; j++)
            da[i * side + j] =
                0.25 * (db[(i - 1) * side + j] + db[(i + 1) * side + j] + db[i * side + j - 1] + db[i * side + j + 1]);
      },
      da, 1 << 16);
  timed(
      "heat", repeats, 16.0 * edge * edge * edge,
      [=] {
#pragma omp parallel for
        for (int i = 1; i < edge - 1; i++)
          for (int j = 1; j < edge - 1; j++)
            for (int k = 1; k < edge - 1; k++)
              da[(i * edge + j) * edge + k] =
                  0.4 * db[(i * edge + j) * edge + k] +
                  0.1 * (db[((i - 1) * edge + j) * edge + k] + db[((i + 1) * edge + j) * edge + k] +
                         db[(i * edge + j - 1) * edge + k] + db[(i * edge + j + 1) * edge + k] +
                         db[(i * edge + j) * edge + k - 1] + db[(i * edge + j) * edge + k + 1]);
      },
      da, 1 << 16);
}

// Loops inside an iteration: windows whose size is an argument, a star, and a step of a lattice (d2q9, planes).
static void window(const char* name, const float* in, float* out, int side, int radius, int repeats) {
  timed(
      name, repeats, 8.0 * side * side,
      [=] {
#pragma omp parallel for
        for (int i = radius; i < side - radius; i++)
          for (int j = radius; j < side - radius; j++) {
            float sum = 0;
            for (int k = -radius; k <= radius; k++)
              for (int l = -radius; l <= radius; l++)
                sum += in[(i + k) * side + j + l] * right[(k + radius) * (2 * radius + 1) + l + radius];
            out[i * side + j] = sum;
          }
      },
      out, 1 << 16);
}

static void star(int edge, int reach, int repeats) {
  timed(
      "star-3", repeats, 16.0 * edge * edge * edge,
      [=] {
#pragma omp parallel for
        for (int i = reach; i < edge - reach; i++)
          for (int j = reach; j < edge - reach; j++)
            for (int k = reach; k < edge - reach; k++) {
              double sum = db[(i * edge + j) * edge + k];
              for (int l = 1; l <= reach; l++)
                sum += weight[l] * (db[((i - l) * edge + j) * edge + k] + db[((i + l) * edge + j) * edge + k] +
                                    db[(i * edge + j - l) * edge + k] + db[(i * edge + j + l) * edge + k] +
                                    db[(i * edge + j) * edge + k - l] + db[(i * edge + j) * edge + k + l]);
              da[(i * edge + j) * edge + k] = sum;
            }
      },
      da, 1 << 16);
}

static void lattice(int ny, int nx, int repeats) {
  static const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  timed(
      "lattice", repeats, 144.0 * ny * nx,
      [=] {
#pragma omp parallel for
        for (int y = 1; y < ny - 1; y++)
          for (int x = 1; x < nx - 1; x++) {
            double q[9], rho = 0, ux = 0, uy = 0;
            for (int k = 0; k < 9; k++) {
              q[k] = db[(k * ny + y - cy[k]) * nx + x - cx[k]] + 1;
              rho += q[k], ux += q[k] * cx[k], uy += q[k] * cy[k];
            }
            ux /= rho, uy /= rho;
            for (int k = 0; k < 9; k++) {
              const double along = 3 * (cx[k] * ux + cy[k] * uy), share = k == 0 ? 16 : k < 5 ? 4 : 1;
              const double rest = share / 36 * rho * (1 + along + 0.5 * along * along - 1.5 * (ux * ux + uy * uy));
              da[(k * ny + y) * nx + x] = q[k] + 0.6 * (rest - q[k]);
            }
          }
      },
      da + nx + 1, 1 << 12);
}

// A row for each iteration.
static void rows(int count, int length, int repeats) {
  const bool isLong = length > 4000;
  timed(
      isLong ? "matrix-vector" : "matrix-vector-1000", repeats, 4.0 * count * length,
      [=] {
#pragma omp parallel for
        for (int i = 0; i < count; i++) {
          float sum = 0;
          for (int k = 0; k < length; k++) sum += fb[i * length + k] * right[k];
          product[i] = sum;
        }
      },
      product, 1 << 12);
  timed(
      isLong ? "row-sums" : "row-sums-1000", repeats, 8.0 * count * length,
      [=] {
#pragma omp parallel for
        for (int i = 0; i < count; i++) {
          const double* row = db + (long)i * length;
          double sum = 0;
          for (int k = 0; k < length; k++) sum += row[k];
          column[i] = sum / length;
        }
      },
      column, 1 << 12);
}

// Loops that work-groups share: a step of all-pairs shortest paths, one of an elimination, the lower half of a matrix,
// and the upper half of the products of all columns.
static void halves(int side, int few, int repeats) {
  const int k = side / 2;
  timed(
      "paths", repeats, 8.0 * side * side,
      [=] {
#pragma omp parallel for
        for (int i = 0; i < side; i++)
          for (int j = 0; j < side; j++)
            if (fa[i * side + k] + fa[k * side + j] < fa[i * side + j])
              fa[i * side + j] = fa[i * side + k] + fa[k * side + j];
      },
      fa, 1 << 16);
  timed(
      "elimination", repeats, 16.0 * side * side,
      [=] {
#pragma omp parallel for
        for (int i = 1; i < side; i++) {
          da[i * side] /= da[0] + 3;
          for (int j = 1; j < side; j++) da[i * side + j] -= da[i * side] * da[j];
        }
      },
      da, 1 << 16);
  timed(
      "lower-half", repeats, 12.0 * side * side,
      [=] {
#pragma omp parallel for
        for (int i = 0; i < side; i++)
          for (int j = 0; j <= i; j++) da[i * side + j] = 0.5 * da[i * side + j] + db[i * side + j];
      },
      da, 1 << 16);
  timed(
      "column-products", 2, 8.0 * few * few,
      [=] {
#pragma omp parallel for
        for (int i = 0; i < few; i++)
          for (int j = i; j < few; j++) {
            double sum = 0;
            for (int l = 0; l < few; l++) sum += source[l * few + i] * source[l * few + j];
            column[i * few + j] = sum;
          }
      },
      column, 1 << 16);
}

// The parallel loop runs along memory; and a batch of small products.
static void columns(long n, int repeats) {
  const int side = (int)sqrt(n / 3.0);
  timed(
      "columns", repeats, 24.0 * side * side,
      [=] {
#pragma omp parallel for
        for (int i = 1; i < side - 1; i++)
          for (int j = 1; j < side - 1; j++)
            column[j * side + i] =
                weight[j * side + i] *
                (source[j * side + i] + source[j * side + i - 1] + source[j * side + i + 1] +
                 source[(j - 1) * side + i] + source[(j + 1) * side + i] + source[(j - 1) * side + i - 1] +
                 source[(j - 1) * side + i + 1] + source[(j + 1) * side + i - 1] + source[(j + 1) * side + i + 1]);
      },
      column, 1 << 16);
  const int many = (int)(n / 20000);
  timed(
      "products", repeats, 0,
      [=] {
        const int m = 32;
#pragma omp parallel for
        for (int e = 0; e < many; e++)
          for (int i = 0; i < m; i++)
            for (int j = 0; j < m; j++) {
              float sum = 0;
              for (int k = 0; k < m; k++) sum += left[(e * m + i) * m + k] * right[(e * m + k) * m + j];
              product[(e * m + i) * m + j] = sum;
            }
      },
      product, 1 << 12);
}

// Matrices of a size that is a multiple of 4, and of one that is not.
template <class T>
static void multiply(const char* name, const T* a, const T* b, T* c, int n, int repeats) {
  timed(
      name, repeats, 0,
      [=] {
#pragma omp parallel for
        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++) {
            T sum = 0;
            for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
          }
      },
      c, 1 << 12);
}

static void counts(long n, int repeats) {
  for (const int count : {256, 4096, 65536}) {
    for (int i = 0; i < count; i++) bins[i] = 0;
    const char* name = count == 256 ? "bins-256" : count == 4096 ? "bins-4096" : "bins-65536";
    timed(
        name, repeats, 4.0 * n,
        [=] {
#pragma omp parallel for
          for (long i = 0; i < n; i++) {
#pragma omp atomic
            bins[(unsigned)key[i] % count]++;
          }
        },
        bins, count * sizeof *bins);
  }
  timed(
      "bytes-256", repeats, 1.0 * n,
      [=] {
#pragma omp parallel for
        for (long i = 0; i < n; i++) {
#pragma omp atomic
          few[cb[i]]++;
        }
      },
      few, 1024);
  timed(
      "sums-256", repeats, 1.0 * n / 64,
      [=] {
#pragma omp parallel for
        for (long i = 0; i < n / 64; i++) {
#pragma omp atomic
          sums[cb[i]] += 0.5;
        }
      },
      sums, 2048);
}

int main(int argc, char** argv) {
  const long n = (argc > 1 ? atol(argv[1]) : 200) * 1000000;
  const int repeats = argc > 2 ? atoi(argv[2]) : 20;
  fa = new float[n], fb = new float[n], da = new double[n], db = new double[n];
  sa = new unsigned short[n], sb = new unsigned short[n], ca = new unsigned char[n], cb = new unsigned char[n];
  column = new double[n / 3], weight = new double[n / 3], source = new double[n / 3];
  left = new float[n / 19], right = new float[n / 19], product = new float[n / 19];
  key = new int[n], bins = new int[65536](), few = new int[256](), sums = new double[256]();
#pragma omp parallel for
  for (long i = 0; i < n; i++) {
    fa[i] = i % 7, fb[i] = i % 5 + 1, da[i] = i % 3, db[i] = i % 11, sa[i] = i, sb[i] = i % 9, ca[i] = i,
    cb[i] = i * 7 % 251;
    key[i] = (int)((unsigned)i * 2654435761u >> 8);
  }
#pragma omp parallel for
  for (long i = 0; i < n / 3; i++) source[i] = i % 17, column[i] = 0, weight[i] = 1.0 / (i % 5 + 1);
#pragma omp parallel for
  for (long i = 0; i < n / 19; i++) left[i] = i % 17 * 0.5f, right[i] = i % 23 * 0.25f, product[i] = 0;
  streams(n, repeats);
  nests(n, repeats);
  columns(n, repeats);
  const int side = (int)sqrt((double)n), matrix = (int)sqrt(n / 24.0) / 4 * 4;
  multiply("product", left, right, product, matrix, 4), multiply("product-odd", left, right, product, matrix - 1, 4);
  multiply("product-double", source, weight, column, matrix, 4);
  window("window-3", fb, fa, side, 1, repeats), window("window-5", fb, fa, side, 2, repeats);
  window("window-7", fb, fa, side, 3, repeats);
  star((int)cbrt((double)n), 3, repeats);
  lattice((int)sqrt(n / 9.0), (int)sqrt(n / 9.0), repeats);
  halves(side, std::min(2000, side / 2), repeats);
  rows(side, side, repeats), rows((int)(n / 1000), 1000, repeats);
  counts(n, 3);
}
