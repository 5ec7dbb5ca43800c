// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of calls: messages between two processes, and requests. Letters: shape.h.
#include "objects.h"
#include "passing.h"

using namespace muster::mpi;  // NOLINT(google-build-using-namespace): only the table is here

MPI_FUNCTION(Init, beginMpi, "..");
MPI_FUNCTION(Init_thread, beginMpi, "....");

MPI_FUNCTION(Finalize, endMpi, "");

MPI_FUNCTION(Send, passBuffers, "snt..c");
MPI_FUNCTION(Bsend, passBuffers, "snt..c");
MPI_FUNCTION(Ssend, passBuffers, "snt..c");
MPI_FUNCTION(Rsend, passBuffers, "snt..c");
MPI_FUNCTION(Recv, passBuffers, "rnt..cu");
MPI_FUNCTION(Mrecv, passBuffers, "rnt.u");
MPI_FUNCTION(Sendrecv, passBuffers, "snt..rnt..cu");
MPI_FUNCTION(Sendrecv_replace, passBuffers, "bnt....cu");

MPI_FUNCTION(Isend, passBuffers, "snt..cq", Lasts::later);
MPI_FUNCTION(Ibsend, passBuffers, "snt..cq", Lasts::later);
MPI_FUNCTION(Issend, passBuffers, "snt..cq", Lasts::later);
MPI_FUNCTION(Irsend, passBuffers, "snt..cq", Lasts::later);
MPI_FUNCTION(Irecv, passBuffers, "rnt..cQ", Lasts::later);
MPI_FUNCTION(Imrecv, passBuffers, "rnt.Q", Lasts::later);
MPI_FUNCTION(Isendrecv, passBuffers, "snt..rnt..cQ", Lasts::later);  // of MPI 4, as the next
MPI_FUNCTION(Isendrecv_replace, passBuffers, "bnt....cQ", Lasts::later);

MPI_FUNCTION(Send_init, passBuffers, "snt..cq", Lasts::starts);
MPI_FUNCTION(Bsend_init, passBuffers, "snt..cq", Lasts::starts);
MPI_FUNCTION(Ssend_init, passBuffers, "snt..cq", Lasts::starts);
MPI_FUNCTION(Rsend_init, passBuffers, "snt..cq", Lasts::starts);
MPI_FUNCTION(Recv_init, passBuffers, "rnt..cQ", Lasts::starts);

MPI_FUNCTION(Start, startOne, "");
MPI_FUNCTION(Startall, startAll, "");
MPI_FUNCTION(Wait, completeOne, "");
MPI_FUNCTION(Waitall, completeAll, "");
MPI_FUNCTION(Waitany, completeAny, "");
MPI_FUNCTION(Waitsome, completeSome, "");
MPI_FUNCTION(Test, testOne, "");
MPI_FUNCTION(Testall, testAll, "");
MPI_FUNCTION(Testany, testAny, "");
MPI_FUNCTION(Testsome, completeSome, "");
MPI_FUNCTION(Request_get_status, getStatus, "");
MPI_FUNCTION(Request_free, freeRequest, "");

MPI_FUNCTION(Pack, passBuffers, "sntbh.c");
MPI_FUNCTION(Unpack, passBuffers, "sh.rntc");
