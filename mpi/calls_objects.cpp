// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of calls: windows and files. Letters: shape.h.
#include "objects.h"
#include "passing.h"

using namespace muster::mpi;  // NOLINT(google-build-using-namespace): only the table is here

MPI_FUNCTION(Win_create, createWindow, "");
MPI_FUNCTION(Win_attach, attach, "");
MPI_FUNCTION(Win_detach, detach, "");
MPI_FUNCTION(Win_free, freeWindow, "");
MPI_FUNCTION(Put, passBuffers, "sntg...w", Lasts::later);
MPI_FUNCTION(Get, passBuffers, "rntg...w", Lasts::later);
MPI_FUNCTION(Accumulate, passBuffers, "sntg....w", Lasts::later);
MPI_FUNCTION(Get_accumulate, passBuffers, "sntrntg....w", Lasts::later);
MPI_FUNCTION(Fetch_and_op, passBuffers, "sreg..w", Lasts::later);
MPI_FUNCTION(Compare_and_swap, passBuffers, "ssreg.w", Lasts::later);
MPI_FUNCTION(Rput, passBuffers, "snt.....q", Lasts::later);
MPI_FUNCTION(Rget, passBuffers, "rnt.....q", Lasts::later);
MPI_FUNCTION(Raccumulate, passBuffers, "snt......q", Lasts::later);
MPI_FUNCTION(Rget_accumulate, passBuffers, "sntrnt......q", Lasts::later);
MPI_FUNCTION(Win_fence, synchronise, ".w");
MPI_FUNCTION(Win_complete, synchronise, "w");
MPI_FUNCTION(Win_unlock, synchronise, "gw");
MPI_FUNCTION(Win_unlock_all, synchronise, "w");
MPI_FUNCTION(Win_flush, synchronise, "gw");
MPI_FUNCTION(Win_flush_all, synchronise, "w");
MPI_FUNCTION(Win_flush_local, synchronise, "gw");
MPI_FUNCTION(Win_flush_local_all, synchronise, "w");

// What is read is both: at the end of a file Open MPI tells of more bytes than came.
MPI_FUNCTION(File_read, passBuffers, "fbntu");
MPI_FUNCTION(File_read_all, passBuffers, "fbntu");
MPI_FUNCTION(File_read_at, passBuffers, "f.bntu");
MPI_FUNCTION(File_read_at_all, passBuffers, "f.bntu");
MPI_FUNCTION(File_read_shared, passBuffers, "fbntu");
MPI_FUNCTION(File_read_ordered, passBuffers, "fbntu");
MPI_FUNCTION(File_iread, passBuffers, "fbntQ", Lasts::later);
MPI_FUNCTION(File_iread_all, passBuffers, "fbntQ", Lasts::later);
MPI_FUNCTION(File_iread_at, passBuffers, "f.bntQ", Lasts::later);
MPI_FUNCTION(File_iread_at_all, passBuffers, "f.bntQ", Lasts::later);
MPI_FUNCTION(File_iread_shared, passBuffers, "fbntQ", Lasts::later);
MPI_FUNCTION(File_write, passBuffers, "fsnt.");
MPI_FUNCTION(File_write_all, passBuffers, "fsnt.");
MPI_FUNCTION(File_write_at, passBuffers, "f.snt.");
MPI_FUNCTION(File_write_at_all, passBuffers, "f.snt.");
MPI_FUNCTION(File_write_shared, passBuffers, "fsnt.");
MPI_FUNCTION(File_write_ordered, passBuffers, "fsnt.");
MPI_FUNCTION(File_iwrite, passBuffers, "fsntq", Lasts::later);
MPI_FUNCTION(File_iwrite_all, passBuffers, "fsntq", Lasts::later);
MPI_FUNCTION(File_iwrite_at, passBuffers, "f.sntq", Lasts::later);
MPI_FUNCTION(File_iwrite_at_all, passBuffers, "f.sntq", Lasts::later);
MPI_FUNCTION(File_iwrite_shared, passBuffers, "fsntq", Lasts::later);

// What one of these begins, the call with _end ends: one for each file at a time.
#define MPI_SPLIT(name, letters)                                    \
  MPI_FUNCTION(name##_begin, passBuffers, letters, Lasts::later);   \
  MPI_FUNCTION(name##_end, endFileAccess, "f..")

MPI_SPLIT(File_read_all, "fbnt");
MPI_SPLIT(File_read_at_all, "f.bnt");
MPI_SPLIT(File_read_ordered, "fbnt");
MPI_SPLIT(File_write_all, "fsnt");
MPI_SPLIT(File_write_at_all, "f.snt");
MPI_SPLIT(File_write_ordered, "fsnt");
