/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory that a program hands to a library which reads or fills it by itself, such as a message buffer of MPI. Threads
 * of the library, other processes and network cards see no page protection: what they read must be valid before, and
 * what they write must be told after.
 *
 * An array lies in one of three ways (muster_buffer::kind):
 *   plain     the library may have its address; nothing else is needed.
 *   private   it lies in the program's memory alone, until the program moves to all devices, which may be at any
 *             launch. Who keeps its address over launches copies instead, or pins the arrays meanwhile.
 *   mirrored  devices may have newer elements than the host. `alias` is where the library may read and write at any
 *             time. Elements are valid there after muster_buffer_fetch. Who writes some calls muster_buffer_settle
 *             before and muster_buffer_own after.
 *
 * Errors end the program with a message. All functions may be called from any thread. */
#ifndef MUSTER_BUFFERS_H
#define MUSTER_BUFFERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who runs main(): nobody knows yet (before it begins, after it has ended); rank 0; each rank its own (MUSTER_RANKS).
 */
enum { MUSTER_RANKS_UNKNOWN = 0, MUSTER_RANKS_SHARED = 1, MUSTER_RANKS_OWN = 2 };
int muster_ranks(void);

/* 0: all memory is plain now and will be. */
int muster_buffers_matter(void);

enum { MUSTER_BUFFER_PLAIN = 0, MUSTER_BUFFER_PRIVATE = 1, MUSTER_BUFFER_MIRRORED = 2 };
typedef struct muster_buffer {
  int kind;
  uint32_t element; /* bytes of one element */
  char* begin;      /* of the array that holds the address; null if none does */
  size_t bytes;     /* of the array */
  char* alias;      /* of the same memory, if it is mirrored */
} muster_buffer;
void muster_buffer_find(const void* address, muster_buffer* buffer);

/* Bytes of an array: [first, first + bytes). Parts may come in any order and overlap. */
typedef struct muster_part {
  size_t first, bytes;
} muster_part;

/* Of a mirrored array. Fetch: the newest elements are at the alias. Settle: launches that read or write these elements
 * at the alias are over. Own: what stands at the alias is the newest; elements of which the parts hold only some bytes
 * must have been fetched before. */
void muster_buffer_fetch(const muster_buffer* buffer, const muster_part* parts, size_t count);
void muster_buffer_settle(const muster_buffer* buffer, const muster_part* parts, size_t count);
void muster_buffer_own(const muster_buffer* buffer, const muster_part* parts, size_t count);

/* From begin to end the library reads these parts of a mirrored array, fills them at the alias, or fills a copy that is
 * put there at the end; `call` began it. A loop that writes these parts meanwhile, or touches what is filled, is the
 * program's error, which MUSTER_CHECK=races names.
 * Reads, and fills of a copy: 0 without that check.
 * Fills of the alias: launches that use the parts are over, and later ones run on the host where what comes might be
 * lost. 0: the library may not, and a copy must do. Own follows for what came, then end. */
enum { MUSTER_FLIGHT_READS = 0, MUSTER_FLIGHT_FILLS_COPY = 1, MUSTER_FLIGHT_FILLS_ALIAS = 2 };
int muster_flights_are_checked(void); /* 0: there is no such check, and only fills of the alias need be told */
uint64_t muster_flight_begin(const muster_buffer* buffer, const muster_part* parts, size_t count, const char* call,
                             int how);
void muster_flight_end(uint64_t flight);

/* For a library that takes addresses of devices' memory, and is faster so. Parts are whole elements of a mirrored
 * array. Lend: memory of a device for these parts, one behind the other, which the library may read or fill until it is
 * taken or given back. `filled`: the newest elements are there, and the host has none of them. Otherwise the device has
 * some of each, as of ghost cells, maybe older ones. Null: no device can, or the host is the better place. Arrays are
 * to be pinned until it is taken or given back. Take: what the library left there is the newest of these parts; they
 * may be the first ones of those that it was lent for. Give back: nobody needs it. */
void* muster_device_lend(const muster_buffer* buffer, const muster_part* parts, size_t count, int filled);
void muster_device_take(void* lent, const muster_buffer* buffer, const muster_part* parts, size_t count);
void muster_device_give_back(void* lent);

/* Whether memory that devices lend is to be used at all (MUSTER_GPU_AWARE_MPI). */
enum { MUSTER_DEVICES_NEVER = 0, MUSTER_DEVICES_MEASURED = 1, MUSTER_DEVICES_ALWAYS = 2 };
int muster_device_use(void);

/* Processes of the program, each of which runs its own main, and how they exchange bytes. Functions return 0, or the
 * library's error; tags are below 2^15. A request is complete once test says so, and is gone then. */
typedef struct muster_processes {
  int rank, count;
  const char* library;                                   /* its name and version, at the beginning */
  int (*gather)(const void* mine, int bytes, void* all); /* `bytes` of each, in the order of ranks */
  int (*send)(int to, int tag, const void* data, int bytes, void** request);
  int (*receive)(int from, int tag, void* data, int bytes, void** request);
  int (*test)(void** request, int* complete);
} muster_processes;
/* Messages of so many bytes and more are faster from memory that devices lend; SIZE_MAX: none is. All processes call it
 * together, and it tries that with messages of its own. Null: always is what they are, which the report then says. */
size_t muster_device_messages(const muster_processes* processes);

/* While more pins are set than taken off, private arrays stay private, and mirrored ones mirrored. */
void muster_pin_arrays(void);
void muster_unpin_arrays(void);

/* From hold to release the library may read and write the array that holds the address as it likes, by the address that
 * the program knows, and so may the program. Loops that use the array run on the host. Arrays are pinned meanwhile.
 * Holds are counted. An address of no array is ignored. `why` (a literal) goes on after "its loops run on the CPU: ".
 */
void muster_hold_array(const void* address, const char* why);
void muster_release_array(const void* address);

/* The library has started so many threads that touch arrays only as told above. */
void muster_note_threads(int count);

/* For MUSTER_TRACE. Begin: the time, or 0 where no trace is written. End: the program was in this call of the library
 * since then. name: of static storage. `together`: no process of the program comes back from it before all have begun
 * it, and all make such calls in the same order; clocks of different hosts are compared by these. */
int64_t muster_trace_begin(void);
void muster_trace_end(int64_t begin, const char* name, int together);

/* Prints "muster: error: " and the text, and ends the job: the program is used in a way that cannot work. */
void muster_fail(const char* text);

#ifdef __cplusplus
}
#endif

#endif
