// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// European options by the formula of Black and Scholes: call and put prices of n options, repriced for a new interest
// rate in each step. Arguments: n, steps.
#include <cmath>

#include "sample.h"

namespace {

// The cumulative normal distribution; Abramowitz and Stegun 26.2.17, error below 7.5e-8.
inline float cumulativeNormal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float polynomial =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228f * expf(-0.5f * d * d) * polynomial;
  return d > 0.0f ? 1.0f - tail : tail;
}

void price(const float* spot, const float* strike, const float* years, float* call, float* put, int n, float rate,
           float volatility) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const float spread = volatility * sqrtf(years[i]);
    const float d1 = (logf(spot[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread;
    const float d2 = d1 - spread;
    const float n1 = cumulativeNormal(d1), n2 = cumulativeNormal(d2);
    const float discounted = strike[i] * expf(-rate * years[i]);
    call[i] = spot[i] * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - spot[i] * (1.0f - n1);
  }
}

// Put-call parity, call - put = spot - discounted strike, holds for right prices: the largest violation.
float parityError(const float* spot, const float* strike, const float* years, const float* call, const float* put,
                  int n, float rate) {
  float largest = 0;
#pragma omp parallel for reduction(max : largest)
  for (int i = 0; i < n; ++i) {
    const float error = fabsf(call[i] - put[i] - (spot[i] - strike[i] * expf(-rate * years[i])));
    if (error > largest) largest = error;
  }
  return largest;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = (int)numberArgument(argc, argv, 1, "options", 100000, 1, 2000000000);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 5, 1, 1000000);
  const float volatility = 0.30f;

#pragma omp alloc_start
#pragma omp managed(spot, strike, years)
  float *spot = new float[n], *strike = new float[n], *years = new float[n];
#pragma omp managed(call, put)
  float *call = new float[n], *put = new float[n];
#pragma omp alloc_end

#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    const unsigned random = (unsigned)i * 2654435761u;
    spot[i] = 5.0f + (float)(random >> 22) / 1024.0f * 25.0f;
    strike[i] = 1.0f + (float)((random >> 12) & 1023u) / 1024.0f * 99.0f;
    years[i] = 0.25f + (float)((random >> 2) & 1023u) / 1024.0f * 9.75f;
  }

  float rate = 0.02f;
  price(spot, strike, years, call, put, n, rate, volatility);  // not timed: kernels are built, arrays are spread
  const double start = secondsNow();
  for (int step = 0; step < steps; ++step) {
    rate = 0.02f + 0.0005f * (float)(step % 40);
    price(spot, strike, years, call, put, n, rate, volatility);
  }
  const float last = call[n - 1];  // makes the host wait for the last step, wherever it ran
  printTime("black-scholes", secondsNow() - start, steps);

  const bool parity = parityError(spot, strike, years, call, put, n, rate) < 1e-4f;
  double calls = 0, puts = 0;
  for (int i = 0; i < n; ++i) {
    calls += call[i];
    puts += put[i];
  }
  printf("black-scholes: %d options, last call %.6g, mean call %.8g, mean put %.8g, put-call parity %s\n", n, last,
         calls / n, puts / n, parity ? "holds" : "VIOLATED");
  delete[] spot;
  delete[] strike;
  delete[] years;
  delete[] call;
  delete[] put;
  return parity ? 0 : 1;
}
