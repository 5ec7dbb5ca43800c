/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The part of a launch that one device runs, as a kernel's native code sees it. C, because the plugin
 * emits code against it for C and C++ alike. Everything here is plain data that lives for the call only.
 */
#ifndef MUSTER_CHUNK_H
#define MUSTER_CHUNK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One dimension of a launch's NDRange: the loop variable takes the values first + k * step for
 * k in [0, count). `first` and `step` are in units of the user's loop variable; step is never 0. */
typedef struct muster_dim {
  int64_t first;
  int64_t step;
  int64_t count;
} muster_dim;

/* What native code gets. Dimension 0 is the outermost loop; it is the one that is split over devices:
 * this chunk runs the logical iterations [lo, hi) of it and all iterations of the other dimensions. */
typedef struct muster_chunk {
  uint32_t struct_size; /* sizeof(muster_chunk) of the runtime */
  uint32_t n_dims;
  const muster_dim* dims;
  int64_t lo, hi;
  /* One pointer per array parameter: what the user's pointer would be, so that indexing it with the
   * user's own index gives the element, even where the device holds only a part of the array. */
  void* const* arrays;
  /* One pointer per scalar parameter, to its value (of the parameter's exact type). */
  const void* const* scalars;
  /* One pointer per result: a reduction's partial value, or the value of a lastprivate variable. The
   * native code writes it once, at the end. */
  void* const* results;
} muster_chunk;

typedef void (*muster_native_fn)(const muster_chunk* chunk);

#define MUSTER_SCHEDULE_CONSTANTS 4
#define MUSTER_SCHEDULE_COUNTS 4
#define MUSTER_SCHEDULE_BLOCKS 4
#define MUSTER_SCHEDULE_MULTIPLES 4
#define MUSTER_SCHEDULE_LINE 16 /* elements, of which a work-group touches whole lines of memory */
#define MUSTER_SCHEDULE_STEPS 4 /* of a loop that read together */
#define MUSTER_SHORTEST_RAGGED_ROW 13
#define MUSTER_SHORTEST_ROW_OF_NEST 32 /* as the next one, in loops of several dimensions that groups share */
#define MUSTER_SHORTEST_COMMON 2048    /* of elements that all work-items walk along */
#define MUSTER_SHORTEST_SUM 640
#define MUSTER_SHORTEST_KEPT 240
#define MUSTER_SHORTEST_ROW 64 /* of rows with fewer elements, much is in the cache when the next one is asked for */

/* A form of a kernel's text in which a work-item runs a block of iterations together, so many along each axis. Along
 * some axes accesses are wide, a bit for each: there blocks begin where the loop variable and a number that the text
 * knows are a multiple of the lanes, a power of two, or of MUSTER_SCHEDULE_LINE where there is one lane. Multiples of
 * the most such lanes have to be the values of some scalars, and the origins of some arrays (a bit for each, from array
 * 0 on). Without such axes a block may begin anywhere, and these are multiples of MUSTER_SCHEDULE_STEPS. Blocks of one
 * iteration may have the text without MUSTER_BLOCKS, with one point, in groups of their own. */
typedef struct muster_blocks {
  uint8_t lanes[3];
  uint8_t wide;
  uint8_t n_multiples;
  uint8_t distinct; /* not 0: no array that the kernel writes may share elements with another one */
  uint16_t multiples[MUSTER_SCHEDULE_MULTIPLES];
  uint32_t aligned;
  uint16_t group[2]; /* work-items of a work-group along axes 0 and 1; 0: as of other forms */
  uint8_t value;     /* not 0: the value that the first of the constants has to have, on which the text relies */
  /* Not 0: work-groups of just that size share what they read in the loop of `counts`, in local memory. */
  uint8_t shared;
  uint8_t phase; /* that number along axis 0, if accesses are wide there, modulo what blocks begin at multiples of */
} muster_blocks;

/* Rows that work-groups load together. */
enum muster_tiled_rows {
  /* Of one length, by the work-items along axis 1 of a group: where the product of the loops' counts is at least
   * MUSTER_SHORTEST_ROW. MUSTER_TILES is by what the length of a tile is divided, 1 or 2. */
  MUSTER_EVEN_ROWS = 1,
  /* Of lengths that the kernel sees, by groups of one dimension: where the array `row_array`, whose elements lie along
   * the rows, has MUSTER_SHORTEST_RAGGED_ROW of them for each iteration. */
  MUSTER_RAGGED_ROWS = 2,
  /* All work-items walk along the same elements: where the product of the loops' counts is at least
   * MUSTER_SHORTEST_COMMON. Groups are those of other forms. */
  MUSTER_COMMON_ROWS = 3,
  /* As MUSTER_EVEN_ROWS, and groups store rows together: no array that the kernel writes may share elements with
   * another one. */
  MUSTER_STORED_ROWS = 4
};

/* Where work-groups run an iteration each, and share a loop inside it. */
enum muster_grouped {
  MUSTER_GROUPED_COUNTED = 1,   /* where `group_count` is at least MUSTER_SHORTEST_ROW, or that of nests */
  MUSTER_GROUPED_UNCOUNTED = 2, /* where work-items with an iteration each do not fill the device */
  /* As MUSTER_GROUPED_COUNTED. Where the loop is short, a group has several iterations: so many along axes 0 and 1 as
   * it has work-items along axes 1 and 2. Those along axis 0 share an iteration's loop. */
  MUSTER_GROUPED_ROWS = 3,
  /* As MUSTER_GROUPED_COUNTED, where `group_count` is at least MUSTER_SHORTEST_SUM: groups add up over the loop. */
  MUSTER_GROUPED_SUMS = 4,
  /* The same, where it is at least MUSTER_SHORTEST_KEPT. Work-items keep elements of MUSTER_KEPT_STEPS of their steps
   * from one such loop to the next. */
  MUSTER_GROUPED_KEPT = 5
};
#define MUSTER_KEPT_STEPS 32

/* A loop that gives each element of an array anew from those around it of another array, and from what it does not
 * write, as a step of time does. Where the two arrays change places from one launch to the next, an odd number of
 * launches can be one: KernelLaunch::steps. The numbers are those of array parameters.
 *
 * Two such loops may take turns. Then the text of one of them has steps of both: that of the other one is in front of
 * it, with MUSTER_GUEST_TEXT, and MUSTER_GUEST_FIRST is 1 where the other one's step is the first one. */
typedef struct muster_steps {
  uint8_t most;      /* so many steps the text can do at once, with MUSTER_STEPS; 0: it is no such loop; 1: a copy */
  uint8_t reach;     /* iterations of dims[0] from an element to the furthest that it is made of */
  uint8_t from, to;  /* the array that is read, and the one that is written */
  uint8_t registers; /* that a work-item of that text should have at most */
  uint8_t corners;   /* not 0: of the furthest row below, other columns than the element's are read, too */
  uint8_t guest;     /* not 0: its text can stand in front of another one's */
  /* Rows and columns to the first and the last element that is read in memory; and the same where a further row lies in
   * front of it. */
  int8_t around[4][2];
  uint16_t equal[2]; /* scalars whose values have to be the same: lengths of the two arrays' rows */
} muster_steps;
/* Columns that a work-item has in that text, of elements of that size, and those at either side of a work-group that
 * its neighbours give new values: whole work-items. */
#define MUSTER_STEP_COLUMNS(bytes) ((bytes) == 8 ? 2u : 4u)
#define MUSTER_STEP_HALO(steps, bytes)                                                            \
  (((steps).most * (steps).reach + MUSTER_STEP_COLUMNS(bytes) - 1) / MUSTER_STEP_COLUMNS(bytes) * \
   MUSTER_STEP_COLUMNS(bytes))

/* How a kernel's iterations lie in the NDRange of its OpenCL text. */
typedef struct muster_schedule {
  uint8_t order[3];    /* along axis a lies dims[n_dims - 1 - order[a]]; {0, 1, 2}: the innermost one along axis 0 */
  uint8_t points_axis; /* along which a work-item runs MUSTER_POINTS iterations, a macro of the text: */
  uint8_t points;      /* so many where the launch fills the device, else 1 */
  /* Loops inside an iteration: several iterations a work-item only where the product of their counts is at most
   * most_counted. A count is counts[i][0] and, for each 1 of the value of the scalar constants[k], counts[i][k + 1].
   * The text takes the value of scalar s from the macro MUSTER_VALUE_s, if there is one, instead of its argument. */
  uint8_t n_constants, n_counts;
  uint8_t tiled; /* with MUSTER_TILES work-groups load rows together: muster_tiled_rows, 0 for none */
  uint8_t row_array;
  uint8_t grouped; /* with MUSTER_GROUPS a work-group runs an iteration: muster_grouped, 0: there is no such form */
  /* Where the arrays of `privatized` do not fit, the text may collect parts of them, with MUSTER_PRIVATE 2, and all
   * iterations run again for each: at most so many. */
  uint8_t most_passes;
  uint16_t most_counted;
  /* A bit for each array, from array 0 on: with MUSTER_PRIVATE 1 the text collects a work-group's updates of it in
   * local memory, and has three more arguments for each: `local T *`, and as `uint` the number of elements and of
   * those that there is room for. MUSTER_COPIES is the logarithm of the copies of each, which lie beside each other. */
  uint32_t privatized;
  uint8_t updates_per_read; /* of a work-item that collects: so many follow one read of 16 bytes, or 1 */
  /* Of these forms the first one that the launch fits: blocks[i] is that of MUSTER_BLOCKS == i + 1. */
  uint8_t n_blocks;
  muster_blocks blocks[MUSTER_SCHEDULE_BLOCKS];
  uint16_t constants[MUSTER_SCHEDULE_CONSTANTS];
  float counts[MUSTER_SCHEDULE_COUNTS][MUSTER_SCHEDULE_CONSTANTS + 1];
  float group_count[MUSTER_SCHEDULE_CONSTANTS + 1]; /* as one of `counts`, of the loop that groups share */
  muster_steps steps;
} muster_schedule;

#ifdef __cplusplus
}
#endif
#endif
