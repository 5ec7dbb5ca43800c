/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The ABI between code that the Clang plugin emits and the Muster runtime: static descriptors, function
 * pointers and extern "C" entry points. C99, so that C sources can be served, and versioned, so that a
 * binary built against another version is refused at start instead of misbehaving.
 *
 * Thread-safety: every function may be called from any thread of rank 0. Errors: functions that can fail
 * for reasons of the user's making end the program with a message (file, line, rank, device, what to do).
 */
#ifndef MUSTER_ABI_H
#define MUSTER_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "muster/chunk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library is built with hidden visibility: these are its exports. */
#pragma GCC visibility push(default)

#define MUSTER_ABI_VERSION 24u

/* Element and scalar types. MUSTER_TYPE_OTHER has no OpenCL counterpart (long double, __int128): kernels
 * that use it run natively only. */
typedef enum muster_type {
  MUSTER_TYPE_BOOL, /* one byte, 0 or 1 */
  MUSTER_TYPE_I8,
  MUSTER_TYPE_U8,
  MUSTER_TYPE_I16,
  MUSTER_TYPE_U16,
  MUSTER_TYPE_I32,
  MUSTER_TYPE_U32,
  MUSTER_TYPE_I64,
  MUSTER_TYPE_U64,
  MUSTER_TYPE_F32,
  MUSTER_TYPE_F64,
  MUSTER_TYPE_OTHER
} muster_type;

typedef struct muster_loc {
  const char* file;
  uint32_t line;
  uint32_t column;
} muster_loc;

/* ------------------------------------------------------------------ arrays */

typedef enum muster_array_class { MUSTER_PARTITIONED, MUSTER_REPLICATED } muster_array_class;

/* One per place in the source that allocates a managed array. Static storage. */
typedef struct muster_array_site {
  muster_loc loc;
  const char* name;      /* as in the source: "u" */
  const char* type_name; /* element type as in the source: "double" */
  uint32_t elem_size;    /* bytes */
  uint8_t elem_type;     /* muster_type */
  uint8_t array_class;   /* muster_array_class: what the plugin found; a launch may still read it whole */
  uint16_t reserved;
  const char* reason; /* why this class, one sentence for the user */
} muster_array_site;

/* Allocate a managed array; the pointer that comes back is an ordinary pointer into the host view.
 * `count` is in elements, `bytes` in bytes. Aligned to 64 bytes, and as a type of elem_size bytes may be. New memory
 * reads as zero, except that of new, malloc and aligned_alloc, which may hold what a freed array left, as in C. */
void* muster_array_create(const muster_array_site* site, size_t count);
void* muster_array_new(const muster_array_site* site, size_t count);
void* muster_array_malloc(const muster_array_site* site, size_t bytes);
void* muster_array_calloc(const muster_array_site* site, size_t n, size_t size);
void* muster_array_aligned_alloc(const muster_array_site* site, size_t alignment, size_t bytes);
/* As posix_memalign: 0, EINVAL or ENOMEM; `*pointer` is set only when 0 comes back. */
int muster_array_posix_memalign(const muster_array_site* site, void** pointer, size_t alignment, size_t bytes);
/* Take over an array of static storage. [storage, storage + bytes) must start on a 4096-byte boundary and
 * own its last page (the plugin wraps such arrays in an over-aligned struct). Contents are kept. */
void muster_array_adopt(const muster_array_site* site, void* storage, size_t bytes);

/* A table of pointers to rows, and its rows, allocated one by one: `slot` is where the row's pointer will be stored.
 * Rows of one length lie in one array of their table, evenly spaced, and are freed one by one. The rest as above.
 * A table that is an entry of another one has a slot, too, else NULL: where all tables of a table have equally many
 * entries, their rows lie in one array. */
void* muster_table_create(void* slot, size_t entries);
void* muster_table_malloc(void* slot, size_t bytes);
void* muster_table_calloc(void* slot, size_t n, size_t size);
void* muster_row_create(const muster_array_site* site, void* slot, size_t count);
void* muster_row_new(const muster_array_site* site, void* slot, size_t count);
void* muster_row_malloc(const muster_array_site* site, void* slot, size_t bytes);
void* muster_row_calloc(const muster_array_site* site, void* slot, size_t n, size_t size);

/* A row of `bytes` of a vector of vectors: a place that no row has, evenly spaced with those of the table's other rows
 * that are as long, in an array of `rows` rows; its content is undefined. It is row `number` of those that belong to
 * `table` (an address), or, where `neighbour` is not NULL, the row behind that one. NULL: there is no such place. */
void* muster_vector_row(const muster_array_site* site, const void* table, const void* neighbour, size_t number,
                        size_t rows, size_t bytes);

/* free / delete[] / realloc for pointers that may be managed: those that are not go to the C library. */
void muster_free(void* pointer);
/* The same for delete[], which may be the program's own: zero, and nothing was done, for those that are not managed. */
int muster_release(void* pointer);
void* muster_realloc(void* pointer, size_t bytes);
/* Non-zero when `pointer` lies in a managed array. Lock-free, a few nanoseconds. */
int muster_is_managed(const void* pointer);

/* std::vector: between begin and end, the calling thread's operator new of `min_bytes` or more gives managed
 * memory of this site (nests; end restores the previous site). */
void muster_vector_scope_begin(const muster_array_site* site, size_t min_bytes);
void muster_vector_scope_end(void);
/* Ends as a vector scope does: the thread's next operator new of exactly `bytes` gives `place`, no other is managed. */
void muster_place_scope_begin(void* place, size_t bytes);

/* Functions that allocate arrays: between begin and end, memory of `min_bytes` or more that the calling thread gets
 * from operator new[], malloc, calloc, aligned_alloc or posix_memalign is managed memory of this site. Nests, also with
 * vector scopes: the innermost counts. Not in programs under AddressSanitizer, which sees every allocation itself. */
void muster_allocation_scope_begin(const muster_array_site* site, size_t min_bytes);
void muster_allocation_scope_end(void);

/* alloc_start / alloc_end: arrays allocated between them by this thread form one block, placed together. */
void muster_block_begin(const muster_loc* loc);
void muster_block_end(const muster_loc* loc);

/* ------------------------------------------------------------------ kernels */

/* MUSTER_UPDATE: `x = x OP value` whose result is not used: an atomic update, or an element of an array reduction. */
enum { MUSTER_READ = 1, MUSTER_WRITE = 2, MUSTER_UPDATE = 4 };

/* EMBEDDED: a directive names the array, which lies inside of an object, among what else the object holds: where the
 * object is not in managed memory, a copy travels to the devices and back at every launch.
 * GROUP: the loop compares the pointers of one group, which then have to lead into one array (or to its end); without
 * ORDERED only for equality, for which memories with whole arrays will do otherwise. */
enum { MUSTER_ARRAY_EMBEDDED = 1, MUSTER_ARRAY_ORDERED = 2 };
#define MUSTER_ARRAY_GROUP(number) ((uint16_t)((number) << 2))
#define MUSTER_ARRAY_GROUP_OF(flags) ((flags) >> 2) /* 0: none */

typedef struct muster_array_param {
  const char* name;
  uint32_t elem_size;
  uint8_t type;   /* muster_type of an element (the innermost element type of an n-D array) */
  uint8_t mode;   /* MUSTER_READ | MUSTER_WRITE | MUSTER_UPDATE: union over its accesses */
  uint16_t flags; /* MUSTER_ARRAY_... */
  uint64_t bytes; /* of the array that the pointer is the start of, where its type says so; 0: not known */
} muster_array_param;

typedef struct muster_scalar_param {
  const char* name;
  uint32_t size; /* bytes */
  uint8_t type;  /* muster_type */
  uint8_t reserved[3];
  /* Not NULL for a global variable that the native code (or a function that it calls) reads under its own
   * name: the runtime stores the launch's value there on every rank but 0 before the native code runs. */
  void* global;
} muster_scalar_param;

typedef enum muster_result_kind {
  MUSTER_REDUCE_ADD, /* also OpenMP's `-` */
  MUSTER_REDUCE_MUL,
  MUSTER_REDUCE_AND,  /* & */
  MUSTER_REDUCE_OR,   /* | */
  MUSTER_REDUCE_XOR,  /* ^ */
  MUSTER_REDUCE_LAND, /* && */
  MUSTER_REDUCE_LOR,  /* || */
  MUSTER_REDUCE_MIN,
  MUSTER_REDUCE_MAX,
  MUSTER_LASTPRIVATE,  /* the value of the chunk that holds the last logical iteration */
  MUSTER_REDUCE_OTHER, /* what `combine` does: a key with its place; all bytes zero are no result, which changes nothing
                        */
  MUSTER_PROGRAM_END   /* a muster_program_end: how an iteration has ended the program, zero if none has */
} muster_result_kind;

/* Calls that end the program, and that an iteration leaves to the launch site. */
typedef enum muster_ending {
  MUSTER_END_NONE,
  MUSTER_END_EXIT,
  MUSTER_END_AT_ONCE, /* _exit, _Exit */
  MUSTER_END_QUICKLY, /* quick_exit */
  MUSTER_END_ABORT,
  MUSTER_END_TERMINATE, /* std::terminate */
  MUSTER_END_MPI_ABORT  /* MPI_Abort(MPI_COMM_WORLD, code) */
} muster_ending;

#define MUSTER_MOST_REPORTS 14

typedef struct muster_program_end {
  int32_t how; /* muster_ending */
  int32_t code;
  /* How often devices came by messages on stderr that are always the same; the launch site writes them. */
  int32_t reports[MUSTER_MOST_REPORTS];
} muster_program_end;

typedef struct muster_result_param {
  const char* name;
  uint32_t size;
  uint8_t type; /* muster_type */
  uint8_t kind; /* muster_result_kind */
  uint16_t reserved;
  /* *into = *into OP *partial in the variable's own type (assignment for lastprivate). */
  void (*combine)(void* into, const void* partial);
} muster_result_param;

/* One indexed use of an array parameter. Its element index is an affine form over the launch's variables
 * (see muster_launch.forms), unless it is unbounded. */
enum {
  MUSTER_ACCESS_UNBOUNDED = 1,   /* nothing is known: the whole array */
  MUSTER_ACCESS_CONDITIONAL = 2, /* may not happen in every iteration (inside if, ?:, &&, a loop that may be empty) */
  MUSTER_ACCESS_ATOMIC = 4,      /* an atomic read or write: that others write the element too is no error */
  MUSTER_ACCESS_ORDERED = 8,     /* its value depends on the order of all updates (capture): one device must run all */
  MUSTER_ACCESS_PARTIAL = 16     /* a write of a part of an element, as of a member: only one device may write it */
};
/* The operation of an update, a muster_result_kind up to MUSTER_REDUCE_MAX, in the upper half of the flags. */
#define MUSTER_ACCESS_OP(kind) ((uint32_t)(kind) << 16)
#define MUSTER_ACCESS_OP_OF(flags) ((flags) >> 16)
typedef struct muster_access {
  uint16_t array; /* index into arrays */
  uint16_t mode;  /* MUSTER_READ, MUSTER_WRITE or MUSTER_UPDATE, exactly one */
  uint32_t flags;
  uint32_t line; /* of the access in the source */
} muster_access;

enum {
  MUSTER_KERNEL_NEEDS_DISTINCT = 1, /* the OpenCL text is right only if no two array arguments overlap */
  MUSTER_KERNEL_NEEDS_FP64 = 2,
  MUSTER_KERNEL_MAY_CARRY = 4, /* iterations may give each other values: they run in order where OpenMP runs them so */
  MUSTER_KERNEL_OF_TEAM = 8,   /* an `omp for`, which the team around it runs */
  MUSTER_KERNEL_FLOATS = 16,   /* the OpenCL text computes with floating-point numbers */
  MUSTER_KERNEL_ANY_DENORMALS = 32, /* compiled for denormal numbers that are flushed to zero, or not (-ffast-math) */
  MUSTER_KERNEL_CHUNKS_CARRY = 64,  /* may also do so within chunks of the schedule, of several iterations each */
  /* What the source was compiled to leave open, beside denormal numbers: whether products and sums are fused where they
   * meet (-ffp-contract=fast), what NaN and infinities become (-ffinite-math-only), in which order numbers are added
   * and the signs of zeros (-fassociative-math), and last digits of quotients, roots and functions (-freciprocal-math
   * -fapprox-func). */
  MUSTER_KERNEL_ANY_FUSING = 4096,
  MUSTER_KERNEL_ANY_NAN = 8192,
  MUSTER_KERNEL_ANY_ORDER = 16384,
  MUSTER_KERNEL_ANY_DIGITS = 32768,
  MUSTER_KERNEL_FLOAT_RULES = 32 | 4096 | 8192 | 16384 | 32768
};

/* Functions of other translation units that a parallel region or a loop calls, by the linker's names. */
/* Of a region: its result may depend on the number of threads that it asks for. It calls these with other threads kept
 * away, by `critical` or a lock. */
enum { MUSTER_CALLS_COUNTED = 1, MUSTER_CALLS_PROTECTED = 2 };

typedef struct muster_calls {
  muster_loc loc; /* of the directive */
  void (*const* functions)(void);
  const char* const* names;
  uint32_t n_functions;
  uint32_t flags;       /* MUSTER_CALLS_... */
  const void* known[2]; /* the runtime's, NULL at first: what it found out for regions, and for loops */
} muster_calls;

/* One per parallel loop (per instantiation, in templates). Static storage; registered in the section
 * muster_kernels. `id` is a hash of file, position and text: the same on every rank, unique in a program. */
typedef struct muster_kernel {
  uint32_t abi_version; /* MUSTER_ABI_VERSION */
  uint32_t flags;
  uint64_t id;
  const char* name; /* OpenCL kernel function: "muster_sobel_42" */
  muster_loc loc;   /* of the directive */
  muster_native_fn native;
  const char* opencl;        /* OpenCL C 1.2 text, NULL if this loop has no device code */
  const char* opencl_reason; /* why not, when NULL */
  uint16_t n_arrays, n_scalars, n_results;
  uint16_t n_dims;  /* NDRange dimensions, 1 to 3; dims[0] is outermost and split over devices */
  uint16_t n_inner; /* further bounded loop variables inside the body, for access maps only */
  uint16_t n_accesses;
  const muster_array_param* arrays;
  const muster_scalar_param* scalars;
  const muster_result_param* results;
  const muster_access* accesses;
  /* Not NULL: the body calls these, whose texts the OpenCL text needs in front of it; muster_can_launch. */
  const muster_calls* calls;
  const muster_schedule* schedule; /* NULL: {{0, 1, 2}, 0, 1} */
} muster_kernel;

/* ------------------------------------------------------------------ launches */

/* How many of the forms' values describe one inner variable. */
#define MUSTER_INNER_VALUES(variables) (2 * ((variables) + 1) + 1)

enum {
  MUSTER_LAUNCH_HOST = 1,   /* run on rank 0's CPU: the forms may be wrong, what they assume does not hold */
  MUSTER_LAUNCH_SERIAL = 2, /* run there by one thread: an `if` clause says so */
  /* Its schedule is static or dynamic, in chunks of several iterations each; with chunk 0, and where it is that of
   * schedule(runtime), the program may count on which iterations each thread gets. */
  MUSTER_LAUNCH_CHUNKS = 4,
  MUSTER_LAUNCH_UNEVEN = 8 /* its schedule is dynamic or guided: iterations may cost unequally */
};
/* schedule(runtime) */
#define MUSTER_CHUNK_RUNTIME (-1)

/* The constant of an access's form that says that this launch has no such access. */
#define MUSTER_NO_ACCESS (-(INT64_C(1) << 62))

/* One execution of one parallel loop. All pointers need to live for the call only.
 *
 * forms: an affine form over V = n_dims + n_inner variables is V coefficients and one constant, V + 1
 * values. Layout: for each inner variable in order two forms, which use earlier variables only, and a divisor, at
 * least 1: the variable takes all values from the first form to the second, both divided by the divisor and rounded
 * down (x / 2 is one value, from x to x by 2). Then for each access the form of its element
 * index relative to the array pointer that was passed. Variables 0 .. n_dims-1 are the user's loop variables
 * (values, not logical iteration numbers); for n-D arrays the index is the flattened one. */
typedef struct muster_launch {
  uint32_t struct_size;
  uint32_t flags;
  const muster_kernel* kernel;
  const muster_dim* dims;     /* n_dims */
  const int64_t* forms;       /* n_inner * MUSTER_INNER_VALUES(V) + n_accesses * (V + 1) */
  void* const* arrays;        /* n_arrays pointers, managed or not */
  const void* const* scalars; /* n_scalars addresses of values */
  void* const* results;       /* n_results addresses of the user's variables: combined into */
  int64_t threads;            /* of the num_threads clause, 1 also by thread_limit(1); 0: there is none */
  int64_t chunk; /* of the schedule clause, in iterations of all dims, or MUSTER_CHUNK_RUNTIME; 0: a part per thread */
} muster_launch;

/* Around a parallel region that one thread runs in place of a team, which asks for `threads` threads (0: it does not
 * say), and for one alone unless `condition` holds. Nests; begin and end in one thread.
 * `calls`: not NULL if one thread runs it only where all its functions are known to be harmless, else its team. */
void muster_team_begin(int threads, int condition, const muster_calls* calls);
void muster_team_end(void);
/* How many threads the region gets that comes behind muster_team_begin. */
int muster_region_threads(void);
/* Whether one thread runs the region around the caller in place of its team. */
int muster_region_alone(void);
/* How many threads the plain program's team has here, in the region or right in front of it: for loops of that region
 * that are not launched, and for regions whose threads run in turn. */
int muster_team_threads(void);

/* Runs the loop on all devices of the current set, or, where that is not possible, on one of them (the order of
 * updates counts) or natively on rank 0's CPU over coherent data (an argument is not managed, or OpenMP would give all
 * iterations to one thread and they may carry values): the effect is that of the plain loop in either case. Returns
 * when results are in place and the host may go on. */
void muster_launch_loop(const muster_launch* launch);

/* For a result of kind MUSTER_PROGRAM_END: keeps the first end, and adds up messages. */
void muster_combine_ends(void* into, const void* partial);
/* Native code, in the place of the call that ends the program: does not return, unless other devices or ranks have
 * chunks of the launch. Then the end is in the chunk's result, and the iteration is over. */
void muster_end_iteration(void* result, int32_t how, int32_t code);
/* Behind a launch with such a result: ends the program as the iteration wanted it, if one did. */
void muster_end_program(const muster_program_end* end);

/* The values from `low` to `high`. */
typedef struct muster_range {
  int64_t low, high;
} muster_range;

/* One level of tables of tables, from the outermost: how many rows (at the last level elements) lie between the rows
 * of one of its entries and those of the next, and which entries [first, last] the loop may use, of those there are. */
typedef struct muster_row_level {
  int64_t length;
  int64_t first, last;
} muster_row_level;
#define MUSTER_MAX_ROW_LEVELS 3u /* T ****a */

/* Rows behind a table of pointers, `T **a`, as one array: row i starts at data + i * length elements; of rows that are
 * not evenly spaced (muster_find_starts) at data + starts[i]. */
typedef struct muster_rows {
  void* data;
  void* starts;
  int64_t length;
  int64_t first, last;                           /* the rows that the loop may use, of those that the table has */
  int64_t size;                                  /* of vectors: how many elements each of these rows has */
  muster_row_level level[MUSTER_MAX_ROW_LEVELS]; /* of tables of tables, in place of the three numbers above */
} muster_rows;

/* Before a launch of a kernel with `calls`: whether all ranks may run these functions. If not, the program has to run
 * the loop as the plain loop that it is; the reason is noted for the report. */
int muster_can_launch(const muster_kernel* kernel);

/* Before a launch with these arrays: whether no array that it writes is another one of them, too. If not, the program
 * has to run the loop as the plain loop that it is; the report says so. */
int muster_are_apart(const muster_kernel* kernel, void* const* arrays);

/* Before a launch whose array argument `array` is such a table: whether the rows [first, last], all that the loop may
 * use (INT64_MIN, INT64_MAX: all that the table has), are evenly spaced in one managed array. If so, `*rows` is set,
 * and its data is what the launch passes. If not, the program has to run the loop as the plain loop that it is; the
 * reason is noted for the report. */
int muster_find_rows(const muster_kernel* kernel, unsigned array, const void* table, int64_t first, int64_t last,
                     muster_rows* rows);

/* The same for a vector of `count` vectors, of which `table` is the first (each is three pointers: begin, end, end of
 * storage). The rows must have equally many elements, `size`. */
int muster_find_vector_rows(const muster_kernel* kernel, unsigned array, const void* table, size_t count, size_t size,
                            int64_t first, int64_t last, muster_rows* rows);

/* The same for tables of tables, `T ***a`: `levels` tables lead to a row, and the loop may use the entries `used` of
 * each. Row a[i][k] starts at data + (i * level[0].length + k) * level[1].length elements. */
int muster_find_tables(const muster_kernel* kernel, unsigned array, const void* table, unsigned levels,
                       const muster_range* used, muster_rows* rows);

/* The same for rows that may start anywhere in one managed array, or at its end. The next array argument is what the
 * rows are made of: the launch passes `data` there, and `starts` for the table. `starts` is a managed array of int64_t
 * then; where nothing is ever distributed the table itself, and no row is in [first, last]. */
int muster_find_starts(const muster_kernel* kernel, unsigned array, const void* table, int64_t first, int64_t last,
                       muster_rows* rows);

/* For native code that reads the pointers to rows: a table whose entry i, of [first, last], is data + i * bytes. */
void* muster_row_pointers(void* data, int64_t bytes, int64_t first, int64_t last);
void muster_row_pointers_end(void* table, int64_t first);
/* The same for tables of tables, of elements of `bytes`; it ends as the table above, with level[0].first. */
void* muster_table_pointers(void* data, int64_t bytes, unsigned levels, const muster_row_level* level);
/* The same for rows that start anywhere: entry i is data + starts[i] * bytes. */
void* muster_start_pointers(void* data, void* starts, int64_t bytes, int64_t first, int64_t last);
void muster_start_pointers_end(void* table, int64_t first, int64_t last);
/* The same for vectors: entry i is begin, end and end of storage of `size` bytes. */
void* muster_row_vectors(void* data, int64_t bytes, int64_t size, int64_t first, int64_t last);
void muster_row_vectors_end(void* table, int64_t first);

/* ------------------------------------------------------------------ host access */

/* Make [pointer, pointer + bytes) valid on the host before code that reads it (MUSTER_READ) and/or announce that
 * the host will write it (MUSTER_WRITE). bytes = SIZE_MAX: to the end of the array that holds pointer. A
 * pointer that is not managed is ignored. Not needed for correctness, page protection sees every access; it makes
 * one bulk transfer out of many small ones. */
void muster_host_access(const void* pointer, size_t bytes, int mode);

/* ------------------------------------------------------------------ program */

/* First thing in main(): starts the session. On every rank but 0 it serves devices and does not return. */
void muster_session_begin(int* argc, char*** argv);
/* At the end of main() and at exit(): waits for all launches, prints what MUSTER_INFO asks for, ends other ranks. */
void muster_session_end(void);

/* Called by a constructor of each translation unit with the bounds of the module's muster_kernels section. */
void muster_register_kernels(const muster_kernel* const* begin, const muster_kernel* const* end, uint32_t abi_version);

/* ------------------------------------------------------------------ functions */

/* It does something that shows how many threads call it: prints, has a critical section, locks. */
enum { MUSTER_FUNCTION_ADDS_UP = 64 };
/* It adds to what it is given or to what is not its own: once for each thread, where `critical` is around its call. */
enum { MUSTER_FUNCTION_UPDATES = 128 };
/* Not of a function, but of its unit, in an entry with nothing else: other units may get numbers from it that come from
 * how many threads there are. */
enum { MUSTER_FUNCTION_TELLS_THREADS = 256 };

/* What a function reaches through a pointer: elements from this one to that, of the type that is pointed to. */
typedef struct muster_reach {
  int64_t first, last;
} muster_reach;
#define MUSTER_REACH_FAR (INT64_C(1) << 40) /* as far as any array goes */

/* A function that other translation units may call. Static storage. */
typedef struct muster_function {
  const char* name; /* the linker's */
  const void* code; /* of this unit's own definition */
  /* Not NULL: a parallel region that calls it keeps its team, because the function ... ("calls 'omp_get_thread_num'").
   * NULL: it is harmless if the functions of other units are that it calls. */
  const char* why_team;
  const char* why_here; /* the same for loops that call it, which then stay plain on rank 0 */
  const char* opencl; /* what defines it for kernels, behind the texts of its callees; NULL if there is no such text */
  const char* opencl_reason; /* why not */
  const void* const* callees;
  const char* const* callee_names;
  const muster_reach* reaches; /* of each pointer and reference that it gets, a method's object first */
  uint32_t n_callees, n_reaches;
  uint32_t flags; /* MUSTER_KERNEL_NEEDS_FP64, of MUSTER_KERNEL_FLOAT_RULES, MUSTER_FUNCTION_... */
  uint32_t reserved;
} muster_function;

/* What a function of any unit reaches through the pointer of this number: any element if that is not known. `ahead` not
 * 0: the pointer is into an element, with as many objects of its type from it on, and `before` in front of it; 0 if the
 * function stays within these. */
int64_t muster_reach_first(void (*function)(void), uint32_t pointer, int64_t before, int64_t ahead);
int64_t muster_reach_last(void (*function)(void), uint32_t pointer, int64_t before, int64_t ahead);

/* Called by a constructor of each translation unit. `count` 0: the unit is about to be unloaded. */
void muster_register_functions(const muster_function* functions, uint32_t count, uint32_t abi_version);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
