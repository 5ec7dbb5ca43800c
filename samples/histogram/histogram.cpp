// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The histogram of n samples of 8 bits, in the two ways that people write it: atomic updates of one array, and a
// reduction over it. Arguments: samples, steps, "atomic" or "reduction" (both without it).
#include "sample.h"

namespace {

constexpr int bins = 256;

void countAtomic(const unsigned char* samples, unsigned* histogram, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
#pragma omp atomic
    histogram[samples[i]]++;
  }
}

void countReduction(const unsigned char* samples, unsigned* histogram, long n) {
#pragma omp parallel for reduction(+ : histogram[0 : bins])
  for (long i = 0; i < n; ++i) histogram[samples[i]]++;
}

void print(const char* name, const unsigned* histogram) {
  unsigned long long total = 0, moment = 0;
  for (int bin = 0; bin < bins; ++bin) {
    total += histogram[bin];
    moment += (unsigned long long)histogram[bin] * (unsigned)bin;
  }
  printf("histogram %s: %llu samples, mean %.6f, checksum %016llx\n", name, total, (double)moment / (double)total,
         checksum(histogram, bins * sizeof *histogram));
}

}  // namespace

int main(int argc, char** argv) {
  const long n = numberArgument(argc, argv, 1, "samples", 1000000, 1, 1000000000000);
  const int steps = (int)numberArgument(argc, argv, 2, "steps", 3, 1, 1000000);
  const char* variant = argc > 3 ? argv[3] : "both";
  const bool atomic = strcmp(variant, "reduction") != 0, reduction = strcmp(variant, "atomic") != 0;
  if (atomic && reduction && strcmp(variant, "both") != 0) {
    fprintf(stderr, "%s: '%s' is neither atomic nor reduction nor both\n", argv[0], variant);
    return 2;
  }

#pragma omp managed(samples)
  unsigned char* samples = new unsigned char[n];
#pragma omp managed(histogram)
  unsigned* histogram = new unsigned[bins]();

  // The sum of two uniform numbers: some bins are hit more often than others.
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    unsigned random = (unsigned)i * 2654435761u;
    random = (random ^ (random >> 15)) * 2246822519u;
    samples[i] = (unsigned char)(((random >> 24) + ((random >> 8) & 255u)) / 2);
  }

  if (atomic) {
    countAtomic(samples, histogram, n);  // not timed: kernels are built, arrays are spread
    const double start = secondsNow();
    for (int step = 0; step < steps; ++step) countAtomic(samples, histogram, n);
    const unsigned first = histogram[0];
    printTime("histogram atomic", secondsNow() - start, steps);
    printf("histogram atomic: bin 0 holds %u\n", first);
    print("atomic", histogram);
  }
  if (reduction) {
    for (int bin = 0; bin < bins; ++bin) histogram[bin] = 0;
    countReduction(samples, histogram, n);
    const double start = secondsNow();
    for (int step = 0; step < steps; ++step) countReduction(samples, histogram, n);
    const unsigned first = histogram[0];
    printTime("histogram reduction", secondsNow() - start, steps);
    printf("histogram reduction: bin 0 holds %u\n", first);
    print("reduction", histogram);
  }
  delete[] samples;
  delete[] histogram;
  return 0;
}
