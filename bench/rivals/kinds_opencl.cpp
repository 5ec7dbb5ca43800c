// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival of bench/programs/kinds.cpp: a kernel for each of its loops (kinds_kernels.h), with the same
// results. Prints what `kinds NAME SIZE STEPS` prints.
#include "kinds_kernels.h"

#include "../programs/kinds.h"
#include "opencl.h"
#include "rival.h"

// Rows of n elements are aligned for accesses of so many.
static std::string wide(int n, int elements) { return n % elements == 0 ? "-DWIDE=1" : "-DWIDE=0"; }

void rows(const Run& run) {
  const int n = run.size;
  std::vector<float> a((size_t)n * n), x(n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = fraction(i + 1);
  for (int i = 0; i < n; ++i) x[i] = fraction(i);
  const OpenCl cl("kinds_opencl", rowsText, wide(n, 4));
  cl_kernel kernel = cl.kernel("rows");
  cl_mem y = cl.zeros(n * sizeof(float));
  cl.set(kernel, cl.buffer(a), cl.buffer(x), y, n);
  timed(run, cl, [&] { cl.run<1>(kernel, {256 * blocks(n, 32)}, {256}); });
  printBuffer<float>(run, cl, y, n);
}

void lattice(const Run& run) {
  const int n = run.size;
  const size_t plane = (size_t)n * n;
  std::vector<double> f(9 * plane);
  for (int k = 0; k < 9; ++k)
    for (size_t i = k * plane; i < (k + 1) * plane; ++i) f[i] = latticeWeight(k) * (1 + 0.125 * fraction(i));
  const OpenCl cl("kinds_opencl", latticeText, "");
  cl_kernel kernel = cl.kernel("lattice");
  cl_mem g = cl.zeros(9 * plane * sizeof(double));
  cl.set(kernel, cl.buffer(f), g, n);
  timed(run, cl, [&] {
    if (n > 2) cl.run<2>(kernel, {(size_t)n - 1, (size_t)n - 2}, {256, 1});
  });
  printBuffer<double>(run, cl, g, 9 * plane);
}

void median(const Run& run) {
  const int n = run.size;
  std::vector<unsigned char> in(wholeWords((size_t)n * n));
  for (size_t i = 0; i < in.size(); ++i) in[i] = (unsigned char)mixed(i);
  const OpenCl cl("kinds_opencl", medianText, wide(n, 8));
  cl_kernel kernel = cl.kernel("median");
  cl_mem out = cl.zeros(in.size());
  cl.set(kernel, cl.buffer(in), out, n);
  timed(run, cl, [&] { cl.run<2>(kernel, {blocks(n, 8), blocks(n, 8)}, {64, 4}); });
  printBuffer<unsigned char>(run, cl, out, in.size());
}

void transpose(const Run& run) {
  const int n = run.size;
  std::vector<float> a((size_t)n * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = fraction(i);
  const OpenCl cl("kinds_opencl", transposeText, wide(n, 4));
  cl_kernel kernel = cl.kernel("transpose");
  cl_mem b = cl.zeros(a.size() * sizeof(float));
  cl.set(kernel, cl.buffer(a), b, n);
  timed(run, cl, [&] { cl.run<2>(kernel, {16 * blocks(n, 64), 16 * blocks(n, 64)}, {16, 16}); });
  printBuffer<float>(run, cl, b, a.size());
}

void gray(const Run& run) {
  const int n = run.size;
  std::vector<unsigned char> rgb(3 * wholeWords(n));
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = (unsigned char)mixed(i);
  const OpenCl cl("kinds_opencl", grayText, "");
  cl_kernel kernel = cl.kernel("gray");
  cl_mem level = cl.zeros(wholeWords(n));
  cl.set(kernel, cl.buffer(rgb), level, n);
  timed(run, cl, [&] { cl.run<1>(kernel, {blocks(n, 16)}, {256}); });
  printBuffer<unsigned char>(run, cl, level, wholeWords(n));
}

void fir(const Run& run) {
  const int n = run.size;
  std::vector<float> x((size_t)n + 16);
  for (size_t i = 0; i < x.size(); ++i) x[i] = fraction(i);
  const OpenCl cl("kinds_opencl", firText, "");
  cl_kernel kernel = cl.kernel("fir");
  cl_mem y = cl.zeros(n * sizeof(float));
  cl.set(kernel, cl.buffer(x), y, n);
  timed(run, cl, [&] { cl.run<1>(kernel, {blocks(n, 4)}, {256}); });
  printBuffer<float>(run, cl, y, n);
}

void particles(const Run& run) {
  const int n = run.size;
  std::vector<Particle> p(n);
  for (int i = 0; i < n; ++i) p[i] = particle(i);
  const OpenCl cl("kinds_opencl", particlesText, OpenCl::exactFloat);
  cl_kernel kernel = cl.kernel("particles");
  cl_mem state = cl.buffer(p);
  cl.set(kernel, state, n);
  timed(run, cl, [&] { cl.run<1>(kernel, {(size_t)n}, {256}); });
  printBuffer<Particle>(run, cl, state, n);
}

void mandelbrot(const Run& run) {
  const int n = run.size;
  const OpenCl cl("kinds_opencl", mandelbrotText, "");
  cl_kernel kernel = cl.kernel("mandelbrot");
  cl_mem count = cl.zeros((size_t)n * n * sizeof(int));
  cl.set(kernel, count, n, 3.0 / n);
  timed(run, cl, [&] { cl.run<2>(kernel, {256 * blocks(n, 16), blocks(n, 16)}, {256, 1}); });
  printBuffer<int>(run, cl, count, (size_t)n * n);
}

void sparse(const Run& run) {
  const int n = run.size, edge = edgeOf(n);
  std::vector<int> start((size_t)n + 1), column((size_t)27 * n);
  std::vector<double> value(column.size()), x(n);
  for (int i = 0; i <= n; ++i) start[i] = 27 * i;
  for (int i = 0; i < n; ++i) {
    x[i] = fraction(i);
    for (int k = 0; k < 27; ++k) column[27 * i + k] = neighbour(i, k, edge, n);
  }
  for (size_t k = 0; k < value.size(); ++k) value[k] = fraction(k + 1) - 0.5;
  const OpenCl cl("kinds_opencl", sparseText, "");
  cl_kernel kernel = cl.kernel("sparse");
  cl_mem y = cl.zeros(n * sizeof(double));
  cl.set(kernel, cl.buffer(start), cl.buffer(column), cl.buffer(value), cl.buffer(x), y, n);
  timed(run, cl, [&] { cl.run<1>(kernel, {128 * blocks(n, 128)}, {128}); });
  printBuffer<double>(run, cl, y, n);
}

int main(int argc, char** argv) { return runLoop(argc, argv, kinds); }
