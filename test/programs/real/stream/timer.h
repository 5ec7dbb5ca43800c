// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TIMER_H
#define TIMER_H
#include <sys/time.h>
#include <sys/types.h>

static inline double mysecond(void) {
  struct timeval tp;
  gettimeofday(&tp, NULL);
  return ((double)tp.tv_sec + (double)tp.tv_usec * 1.e-6);
}
#endif
