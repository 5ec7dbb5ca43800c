// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival of bench/programs/dense.cpp: a kernel for each of its loops (dense_kernels.h), with the same
// results. Prints what `dense NAME SIZE STEPS` prints.
#include "dense_kernels.h"

#include "../programs/dense.h"
#include "opencl.h"
#include "rival.h"

void channels(const Run& run) {
  const int n = run.size;
  std::vector<float> in((size_t)Channels * (n + 2) * (n + 2)), w(Channels * Channels * 9);
  for (size_t i = 0; i < in.size(); ++i) in[i] = fraction(i);
  for (size_t i = 0; i < w.size(); ++i) w[i] = weight(i);
  const OpenCl cl("dense_opencl", channelsText, "");
  cl_kernel kernel = cl.kernel("channels");
  const size_t count = (size_t)Channels * n * n;
  cl_mem out = cl.zeros(count * sizeof(float));
  cl.set(kernel, cl.buffer(in), cl.buffer(w), out, n);
  timed(run, cl, [&] { cl.run<2>(kernel, {blocks(n, 4), (size_t)n}, {32, 4}); });
  printBuffer<float>(run, cl, out, count);
}

void nearest(const Run& run) {
  const int n = run.size;
  std::vector<float> point((size_t)n * Dimensions), centre(Centres * Dimensions);
  for (size_t i = 0; i < point.size(); ++i) point[i] = fraction(i);
  for (size_t i = 0; i < centre.size(); ++i) centre[i] = fraction(7 * i + 3);
  const OpenCl cl("dense_opencl", nearestText, "");
  cl_kernel kernel = cl.kernel("nearest");
  cl_mem result = cl.zeros(n * sizeof(int));
  cl.set(kernel, cl.buffer(point), cl.buffer(centre), result, n);
  timed(run, cl, [&] { cl.run<1>(kernel, {128 * blocks(n, 256)}, {128}); });
  printBuffer<int>(run, cl, result, n);
}

// `depth` elements a row of `a`.
template <class T>
static void pairs(const Run& run, const std::vector<T>& a, int depth, const std::string& options) {
  const int n = run.size;
  const OpenCl cl("dense_opencl", pairsText, options);
  cl_kernel kernel = cl.kernel("pairs");
  cl_mem c = cl.zeros((size_t)n * n * sizeof(T));
  cl.set(kernel, cl.buffer(a), c, n, depth);
  timed(run, cl, [&] { cl.run<2>(kernel, {16 * blocks(n, 64), 16 * blocks(n, 128)}, {16, 16}); });
  printBuffer<T>(run, cl, c, (size_t)n * n);
}

void gram(const Run& run) {
  const int n = run.size;
  std::vector<double> a((size_t)n * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = fraction(i);
  pairs(run, a, n, "-DDOUBLE -DT=double -DTURNED=0 -DFROM(i,j)=0 -DSTEP(s,l,r)=s+=l*r; -DDONE(s)=s");
}

void distances(const Run& run) {
  std::vector<float> point((size_t)run.size * Dimensions);
  for (size_t i = 0; i < point.size(); ++i) point[i] = fraction(i);
  pairs(run, point, Dimensions,
        std::string(OpenCl::exactFloat) +
            " -DT=float -DTURNED=0 -DFROM(i,j)=0 -DSTEP(s,l,r)=s+=(l-(r))*(l-(r)); -DDONE(s)=sqrt(s)");
}

void cheapest(const Run& run) {
  const int n = run.size;
  std::vector<int> cost((size_t)n * n);
  for (size_t i = 0; i < cost.size(); ++i) cost[i] = (int)mixed(i);
  pairs(run, cost, n, "-DT=int -DTURNED=1 -DFROM(i,j)=a[(size_t)(i)*n+(j)] -DSTEP(s,l,r)=s=min(s,l+(r)); -DDONE(s)=s");
}

void tridiagonal(const Run& run) {
  const size_t count = (size_t)run.size * Equations;
  std::vector<double> lower(count), middle(count), upper(count), right(count);
  for (size_t i = 0; i < count; ++i)
    lower[i] = beside(i), middle[i] = diagonal(i), upper[i] = beside(i + 1), right[i] = fraction(i);
  const OpenCl cl("dense_opencl", tridiagonalText, "");
  cl_kernel kernel = cl.kernel("tridiagonal");
  const int m = Equations;
  cl_mem ratio = cl.zeros(count * sizeof(double)), x = cl.zeros(count * sizeof(double));
  cl.set(kernel, cl.buffer(lower), cl.buffer(middle), cl.buffer(upper), cl.buffer(right), ratio, x, run.size, m);
  timed(run, cl, [&] { cl.run<1>(kernel, {128 * blocks(run.size, 32)}, {128}); });
  printBuffer<double>(run, cl, x, count);
}

void softmax(const Run& run) {
  const int n = run.size;
  std::vector<float> in((size_t)n * n);
  for (size_t i = 0; i < in.size(); ++i) in[i] = 4 * fraction(i);
  const OpenCl cl("dense_opencl", softmaxText, "-DKEPT=" + std::to_string(blocks(n, 256)));
  cl_kernel kernel = cl.kernel("softmax");
  cl_mem out = cl.zeros(in.size() * sizeof(float));
  cl.set(kernel, cl.buffer(in), out, n);
  timed(run, cl, [&] { cl.run<1>(kernel, {256 * (size_t)n}, {256}); });
  std::vector<float> data(in.size());
  cl.read(out, data);
  printAbout(run, data.data(), data.size());
}

void recurrence(const Run& run) {
  const int n = run.size;
  std::vector<float> in((size_t)n * n);
  for (size_t i = 0; i < in.size(); ++i) in[i] = fraction(i);
  const OpenCl cl("dense_opencl", recurrenceText, "");
  cl_kernel kernel = cl.kernel("recurrence");
  cl_mem out = cl.zeros(in.size() * sizeof(float));
  cl.set(kernel, cl.buffer(in), out, n);
  timed(run, cl, [&] { cl.run<1>(kernel, {128 * blocks(n, 32)}, {128}); });
  printBuffer<float>(run, cl, out, in.size());
}

int main(int argc, char** argv) { return runLoop(argc, argv, dense); }
