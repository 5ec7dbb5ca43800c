/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C side of the ABI: what rewritten C code is made of besides muster/abi.h. C99, header-only; muster.hpp and
 * forms.hpp are its counterparts in C++, and the arithmetic is the same. Names start with muster_. Pure, except where a
 * comment says otherwise.
 */
#ifndef MUSTER_MUSTER_H
#define MUSTER_MUSTER_H

#include <stdlib.h>

#include "muster/abi.h"

/* ------------------------------------------------------------------ native code */

/* By its Fortran name: the runtime takes calls of omp_get_max_threads for the program's. */
extern int omp_get_max_threads_(void);

/* In how many blocks native code runs `count` iterations: one for each thread, at least one. */
static inline int muster_blocks_of(int64_t count) {
  const int threads = omp_get_max_threads_();
  return count >= threads ? threads : count > 0 ? (int)count : 1;
}

/* ------------------------------------------------------------------ program and arrays */

/* The initial value of a variable of main(), whose cleanup (__attribute__) is the second; the others are those of a
 * region's team and of a local array's pointer. */
#define muster_begin_of_main(count, values) (muster_session_begin(&(count), &(values)), 0)
static inline void muster_end_of_main(const void* variable) {
  (void)variable;
  muster_session_end();
}
static inline void muster_end_of_team(const void* variable) {
  (void)variable;
  muster_team_end();
}
static inline void muster_end_of_array(const void* variable) { muster_free(*(void* const*)variable); }

/* Takes over a static array of a function, once: `done` is 0 at first. Threads that come meanwhile wait. */
static inline void muster_adopt_once(int* done, const muster_array_site* site, void* storage, size_t bytes) {
  int none = 0;
  if (__atomic_load_n(done, __ATOMIC_ACQUIRE) == 2) return;
  if (__atomic_compare_exchange_n(done, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    muster_array_adopt(site, storage, bytes);
    __atomic_store_n(done, 2, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(done, __ATOMIC_ACQUIRE) != 2) continue;
}

/* ------------------------------------------------------------------ affine forms of a launch */

/* 64-bit arithmetic that clears *exact where the true value does not fit; the result is then meaningless. */
static inline int64_t muster_add(int* exact, int64_t left, int64_t right) {
  int64_t sum;
  if (__builtin_add_overflow(left, right, &sum)) *exact = 0;
  return sum;
}
static inline int64_t muster_mul(int* exact, int64_t left, int64_t right) {
  int64_t product;
  if (__builtin_mul_overflow(left, right, &product)) *exact = 0;
  return product;
}
/* An integer of any type as a coefficient: `value` is it as int64_t, `negative` whether it is. */
static inline int64_t muster_coefficient(int* exact, int64_t value, int negative) {
  if ((value < 0) != (negative != 0)) *exact = 0;
  return value;
}

/* Rounded down. */
static inline int64_t muster_divide(int* exact, int64_t value, int64_t divisor) {
  if (divisor == 1) return value;
  if (divisor < 1) *exact = 0;
  return divisor < 1 ? 0 : value / divisor - (value % divisor < 0);
}

/* Smallest and largest value of a variable or form; `never`: there is no iteration. */
typedef struct muster_interval {
  int64_t low, high;
  int low_exact, high_exact, never;
} muster_interval;

static inline muster_interval muster_values_of(const int64_t* form, const muster_interval* variables, size_t count) {
  muster_interval sum = {form[count], form[count], 1, 1, 0};
  for (size_t i = 0; i < count; ++i) {
    const muster_interval* variable = variables + i;
    if (form[i] == 0) continue;
    sum.low_exact &= form[i] < 0 ? variable->high_exact : variable->low_exact;
    sum.high_exact &= form[i] < 0 ? variable->low_exact : variable->high_exact;
    sum.low = muster_add(&sum.low_exact, sum.low,
                         muster_mul(&sum.low_exact, form[i], form[i] < 0 ? variable->high : variable->low));
    sum.high = muster_add(&sum.high_exact, sum.high,
                          muster_mul(&sum.high_exact, form[i], form[i] < 0 ? variable->low : variable->high));
    sum.never |= variable->never;
  }
  return sum;
}

/* The values of the launch's variables; 0 if there is no iteration. `forms` is laid out as in muster_launch, `values`
 * has room for n_dims + n_inner variables. */
static inline int muster_variables_of(muster_interval* values, const int64_t* forms, const muster_dim* dims,
                                      size_t n_dims, size_t n_inner) {
  const size_t variables = n_dims + n_inner;
  for (size_t i = 0; i < variables; ++i) {
    const muster_interval nothing = {0, 0, 1, 1, 1};
    values[i] = nothing;
  }
  for (size_t i = 0; i < n_dims; ++i) {
    int exact = 1;
    int64_t last;
    if (dims[i].count <= 0) return 0;
    last = muster_add(&exact, dims[i].first, muster_mul(&exact, dims[i].count - 1, dims[i].step));
    values[i].low = dims[i].step < 0 ? last : dims[i].first;
    values[i].high = dims[i].step < 0 ? dims[i].first : last;
    values[i].low_exact = dims[i].step < 0 ? exact : 1;
    values[i].high_exact = dims[i].step < 0 ? 1 : exact;
    values[i].never = 0;
  }
  for (size_t i = 0; i < n_inner; ++i, forms += MUSTER_INNER_VALUES(variables)) {
    const muster_interval least = muster_values_of(forms, values, variables);
    const muster_interval most = muster_values_of(forms + variables + 1, values, variables);
    const int64_t divisor = forms[2 * (variables + 1)];
    muster_interval* value = values + n_dims + i;
    value->low_exact = least.low_exact;
    value->high_exact = most.high_exact;
    value->low = muster_divide(&value->low_exact, least.low, divisor);
    value->high = muster_divide(&value->high_exact, most.high, divisor);
    value->never = least.never || most.never || (least.low_exact && most.high_exact && value->high < value->low);
  }
  return 1;
}

/* Whether the forms that follow those of the accesses stay in their ranges in all iterations of a launch. `forms` is
 * laid out as in muster_launch, with these at the end; `values` has room for n_dims + n_inner variables. */
static inline int muster_stays_within(const muster_range* ranges, size_t n_ranges, const int64_t* forms,
                                      const muster_dim* dims, size_t n_dims, size_t n_inner, size_t n_accesses,
                                      muster_interval* values) {
  const size_t variables = n_dims + n_inner;
  const int64_t* form = forms + n_inner * MUSTER_INNER_VALUES(variables) + n_accesses * (variables + 1);
  if (!muster_variables_of(values, forms, dims, n_dims, n_inner)) return 1;
  for (size_t i = 0; i < n_ranges; ++i, form += variables + 1) {
    const muster_interval value = muster_values_of(form, values, variables);
    if (value.never) continue;
    if (!value.low_exact || !value.high_exact) return 0;
    if (value.low < ranges[i].low || value.high > ranges[i].high) return 0;
  }
  return 1;
}

/* The smallest and largest value that `count` forms, from the `first` after the inner variables on, have in a launch. 0
 * if they have none, or it is not known. */
static inline int muster_span_of(muster_range* span, const int64_t* forms, const muster_dim* dims, size_t n_dims,
                                 size_t n_inner, size_t first, size_t count, muster_interval* values) {
  const size_t variables = n_dims + n_inner;
  int any = 0;
  if (!muster_variables_of(values, forms, dims, n_dims, n_inner)) return 0;
  for (size_t i = first; i < first + count; ++i) {
    const int64_t* form = forms + n_inner * MUSTER_INNER_VALUES(variables) + i * (variables + 1);
    const muster_interval value = muster_values_of(form, values, variables);
    if (value.never) continue;
    if (!value.low_exact || !value.high_exact) return 0;
    if (!any || value.low < span->low) span->low = value.low;
    if (!any || value.high > span->high) span->high = value.high;
    any = 1;
  }
  return any;
}

/* ------------------------------------------------------------------ loops */

/* Gives an object of native code the member that the loop uses, `offset` bytes from its start. */
static inline void muster_set_member(void* object, size_t offset, const void* value, size_t bytes) {
  __builtin_memcpy((char*)object + offset, value, bytes);
}

/* One that is too large for the stack: the initial value of its pointer, and the cleanup of that. */
static inline void* muster_large_object(size_t bytes) {
  void* object = calloc(1, bytes);
  if (object == NULL) abort();
  return object;
}
static inline void muster_end_of_object(const void* variable) { free(*(void* const*)variable); }

/* The relation in the condition of a loop, with the loop variable on its left. */
typedef enum muster_relation {
  MUSTER_LESS,
  MUSTER_LESS_EQUAL,
  MUSTER_GREATER,
  MUSTER_GREATER_EQUAL,
  MUSTER_NOT_EQUAL
} muster_relation;

static inline int muster_holds(uint64_t left, uint64_t right, muster_relation relation, int is_signed) {
  const int less = is_signed ? (int64_t)left < (int64_t)right : left < right;
  switch (relation) {
    case MUSTER_LESS:
      return less;
    case MUSTER_LESS_EQUAL:
      return less || left == right;
    case MUSTER_GREATER:
      return !less && left != right;
    case MUSTER_GREATER_EQUAL:
      return !less;
    case MUSTER_NOT_EQUAL:
      break; /* one of the others stands for it */
  }
  return 0;
}

static inline int64_t muster_saturate(uint64_t count) { return count > INT64_MAX ? INT64_MAX : (int64_t)count; }

/* Number of iterations of the canonical OpenMP loop `for (i = from; i RELATION to; i += step)`, or `-= step` for
 * `down`. `from` and `to` were converted to the common type of the comparison first, then to uint64_t; `is_signed` is
 * that type's. Otherwise as muster::tripCount (muster.hpp). */
static inline int64_t muster_trip_count(uint64_t from, uint64_t to, int64_t step, muster_relation relation, int down,
                                        int is_signed) {
  const uint64_t magnitude = step < 0 ? (uint64_t)0 - (uint64_t)step : (uint64_t)step;
  const int inclusive = relation == MUSTER_LESS_EQUAL || relation == MUSTER_GREATER_EQUAL;
  int upwards;
  uint64_t distance, last;
  if (step < 0) down = !down;
  if (relation == MUSTER_NOT_EQUAL) relation = down ? MUSTER_GREATER : MUSTER_LESS;
  upwards = relation == MUSTER_LESS || relation == MUSTER_LESS_EQUAL;
  if (magnitude == 0 || !muster_holds(from, to, relation, is_signed)) return 0;
  if (upwards == (down != 0)) return 0;
  /* Sign extension to 64 bits keeps the order, so this difference is exact. */
  distance = upwards ? to - from : from - to;
  last = (inclusive ? distance : distance - 1) / magnitude; /* number of the last iteration */
  return last == UINT64_MAX ? INT64_MAX : muster_saturate(last + 1);
}

#endif
