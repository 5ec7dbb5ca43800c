// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival of samples/black-scholes: one work-item per option; with a third argument "fast" under
// -cl-fast-relaxed-math. Prints what `black_scholes OPTIONS STEPS` prints, but for rounding.
#include <cmath>

#include "opencl.h"
#include "sample.h"

static const char* const kernelText = R"(
#ifndef FAST
#pragma OPENCL FP_CONTRACT OFF
#endif
float cumulativeNormal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  const float polynomial =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * exp(-0.5f * d * d) * polynomial;
  return d > 0.0f ? 1.0f - tail : tail;
}
__kernel void price(__global const float *restrict spot, __global const float *restrict strike,
                    __global const float *restrict years, __global float *restrict call, __global float *restrict put,
                    int n, float rate, float volatility) {
  const int i = (int)get_global_id(0);
  if (i >= n) return;
  const float spread = volatility * sqrt(years[i]);
  const float d1 = (log(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread;
  const float d2 = d1 - spread;
  const float n1 = cumulativeNormal(d1), n2 = cumulativeNormal(d2);
  const float discounted = strike[i] * exp(-rate * years[i]);
  call[i] = spot[i] * n1 - discounted * n2;
  put[i] = discounted * (1.0f - n2) - spot[i] * (1.0f - n1);
}
)";

int main(int argc, char** argv) {
  const int n = (int)numberArgument(argc, argv, 1, "options", 100000, 1, 2000000000);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 5, 1, 1000000);
  const bool fast = argc > 3 && strcmp(argv[3], "fast") == 0;
  const float volatility = 0.30f;
  std::vector<float> spot(n), strike(n), years(n), call(n), put(n);
  for (int i = 0; i < n; ++i) {
    const unsigned random = (unsigned)i * 2654435761u;
    spot[i] = 5.0f + (float)(random >> 22) / 1024.0f * 25.0f;
    strike[i] = 1.0f + (float)((random >> 12) & 1023u) / 1024.0f * 99.0f;
    years[i] = 0.25f + (float)((random >> 2) & 1023u) / 1024.0f * 9.75f;
  }

  const OpenCl cl("black_scholes_opencl", kernelText, fast ? "-DFAST -cl-fast-relaxed-math" : OpenCl::exactFloat);
  cl_kernel kernel = cl.kernel("price");
  cl_mem deviceSpot = cl.buffer(spot), deviceStrike = cl.buffer(strike), deviceYears = cl.buffer(years),
         deviceCall = cl.buffer(call), devicePut = cl.buffer(put);
  float rate = 0.02f;
  const auto price = [&] {
    cl.set(kernel, deviceSpot, deviceStrike, deviceYears, deviceCall, devicePut, n, rate, volatility);
    cl.run<1>(kernel, {(size_t)n}, {256});
  };
  price();
  cl.finish();
  const double start = secondsNow();
  for (int step = 0; step < steps; ++step) {
    rate = 0.02f + 0.0005f * (float)(step % 40);
    price();
  }
  cl.finish();
  printTime("black_scholes_opencl", secondsNow() - start, steps);

  cl.read(deviceCall, call);
  cl.read(devicePut, put);
  float largest = 0;
  double calls = 0, puts = 0;
  for (int i = 0; i < n; ++i) {
    largest = fmaxf(largest, fabsf(call[i] - put[i] - (spot[i] - strike[i] * expf(-rate * years[i]))));
    calls += call[i];
    puts += put[i];
  }
  printf("black-scholes: %d options, last call %.6g, mean call %.8g, mean put %.8g, put-call parity %s\n", n,
         call[n - 1], calls / n, puts / n, largest < 1e-4f ? "holds" : "VIOLATED");
  return 0;
}
