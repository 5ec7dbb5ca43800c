// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that concern windows and files, which outlive a call, and the beginning of MPI.
#pragma once

#include "call.h"

namespace muster::mpi {

// An array in a window is held (muster/buffers.h): other processes read and write it when they like.
Word createWindow(Call& call, Word* arguments);  // MPI_Win_create: base, size, unit, info, communicator, window
Word attach(Call& call, Word* arguments);        // MPI_Win_attach: window, base, size
Word detach(Call& call, Word* arguments);        // MPI_Win_detach: window, base
Word freeWindow(Call& call, Word* arguments);    // MPI_Win_free: window (by address)
// Accesses to a window are complete: of all targets, or of the one that the call names.
Word synchronise(Call& call, Word* arguments);

Word endFileAccess(Call& call, Word* arguments);  // MPI_File_read_all_end and the like: file, buffer, status

Word beginMpi(Call& call, Word* arguments);      // MPI_Init, MPI_Init_thread
Word beginSession(Call& call, Word* arguments);  // MPI_Session_init
Word endMpi(Call& call, Word* arguments);    // MPI_Finalize

}  // namespace muster::mpi
