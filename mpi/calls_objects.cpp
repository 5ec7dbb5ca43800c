// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of calls: windows and files. Letters: shape.h.
#include "objects.h"
#include "passing.h"

using namespace muster::mpi;  // NOLINT(google-build-using-namespace): only the table is here

MPI_FUNCTION(Win_create, createWindow, "");
MPI_FUNCTION(Win_create_c, createWindow, "");
MPI_FUNCTION(Win_attach, attach, "");
MPI_FUNCTION(Win_detach, detach, "");
MPI_FUNCTION(Win_free, freeWindow, "");
MPI_COUNTED(Put, "sntg...w", Lasts::later);
MPI_COUNTED(Get, "rntg...w", Lasts::later);
MPI_COUNTED(Accumulate, "sntg....w", Lasts::later);
MPI_COUNTED(Get_accumulate, "sntrntg....w", Lasts::later);
MPI_FUNCTION(Fetch_and_op, passBuffers, "sreg..w", Lasts::later);
MPI_FUNCTION(Compare_and_swap, passBuffers, "ssreg.w", Lasts::later);
MPI_COUNTED(Rput, "snt.....q", Lasts::later);
MPI_COUNTED(Rget, "rnt.....q", Lasts::later);
MPI_COUNTED(Raccumulate, "snt......q", Lasts::later);
MPI_COUNTED(Rget_accumulate, "sntrnt......q", Lasts::later);
MPI_FUNCTION(Win_fence, synchronise, ".w");
MPI_FUNCTION(Win_complete, synchronise, "w");
MPI_FUNCTION(Win_unlock, synchronise, "gw");
MPI_FUNCTION(Win_unlock_all, synchronise, "w");
MPI_FUNCTION(Win_flush, synchronise, "gw");
MPI_FUNCTION(Win_flush_all, synchronise, "w");
MPI_FUNCTION(Win_flush_local, synchronise, "gw");
MPI_FUNCTION(Win_flush_local_all, synchronise, "w");

// What is read is both: at the end of a file Open MPI tells of more bytes than came.
MPI_COUNTED(File_read, "fbntu", Lasts::call);
MPI_COUNTED(File_read_all, "fbntu", Lasts::call);
MPI_COUNTED(File_read_at, "f.bntu", Lasts::call);
MPI_COUNTED(File_read_at_all, "f.bntu", Lasts::call);
MPI_COUNTED(File_read_shared, "fbntu", Lasts::call);
MPI_COUNTED(File_read_ordered, "fbntu", Lasts::call);
MPI_COUNTED(File_iread, "fbntQ", Lasts::later);
MPI_COUNTED(File_iread_all, "fbntQ", Lasts::later);
MPI_COUNTED(File_iread_at, "f.bntQ", Lasts::later);
MPI_COUNTED(File_iread_at_all, "f.bntQ", Lasts::later);
MPI_COUNTED(File_iread_shared, "fbntQ", Lasts::later);
MPI_COUNTED(File_write, "fsnt.", Lasts::call);
MPI_COUNTED(File_write_all, "fsnt.", Lasts::call);
MPI_COUNTED(File_write_at, "f.snt.", Lasts::call);
MPI_COUNTED(File_write_at_all, "f.snt.", Lasts::call);
MPI_COUNTED(File_write_shared, "fsnt.", Lasts::call);
MPI_COUNTED(File_write_ordered, "fsnt.", Lasts::call);
MPI_COUNTED(File_iwrite, "fsntq", Lasts::later);
MPI_COUNTED(File_iwrite_all, "fsntq", Lasts::later);
MPI_COUNTED(File_iwrite_at, "f.sntq", Lasts::later);
MPI_COUNTED(File_iwrite_at_all, "f.sntq", Lasts::later);
MPI_COUNTED(File_iwrite_shared, "fsntq", Lasts::later);

// What one of these begins, the call with _end ends: one for each file at a time.
#define MPI_SPLIT(name, letters)                                    \
  MPI_COUNTED(name##_begin, letters, Lasts::later);                \
  MPI_FUNCTION(name##_end, endFileAccess, "f..")

MPI_SPLIT(File_read_all, "fbnt");
MPI_SPLIT(File_read_at_all, "f.bnt");
MPI_SPLIT(File_read_ordered, "fbnt");
MPI_SPLIT(File_write_all, "fsnt");
MPI_SPLIT(File_write_at_all, "f.snt");
MPI_SPLIT(File_write_ordered, "fsnt");
