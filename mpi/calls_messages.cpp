// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of calls: messages between two processes, and requests. Letters: shape.h.
#include "objects.h"
#include "passing.h"

using namespace muster::mpi;  // NOLINT(google-build-using-namespace): only the table is here

MPI_FUNCTION(Init, beginMpi, "..");
MPI_FUNCTION(Init_thread, beginMpi, "....");

MPI_FUNCTION(Session_init, beginSession, "...");
MPI_FUNCTION(Finalize, endMpi, "");
MPI_FUNCTION(Session_finalize, endMpi, ".");

MPI_COUNTED(Send, "sntp.c", Lasts::call);
MPI_COUNTED(Bsend, "sntp.c", Lasts::call);
MPI_COUNTED(Ssend, "sntp.c", Lasts::call);
MPI_COUNTED(Rsend, "sntp.c", Lasts::call);
MPI_COUNTED(Recv, "rntp.cu", Lasts::call);
MPI_COUNTED(Mrecv, "rnt.u", Lasts::call);
MPI_COUNTED(Sendrecv, "sntp.rntp.cu", Lasts::call);
MPI_COUNTED(Sendrecv_replace, "bnt....cu", Lasts::call);

MPI_COUNTED(Isend, "sntp.cq", Lasts::later);
MPI_COUNTED(Ibsend, "sntp.cq", Lasts::later);
MPI_COUNTED(Issend, "sntp.cq", Lasts::later);
MPI_COUNTED(Irsend, "sntp.cq", Lasts::later);
MPI_COUNTED(Irecv, "rntp.cQ", Lasts::later);
MPI_COUNTED(Imrecv, "rnt.Q", Lasts::later);
// Of MPI 4. MPICH 4.0 says of these that nothing came, so what is received into counts as both.
MPI_COUNTED(Isendrecv, "sntp.bntp.cq", Lasts::later);
MPI_COUNTED(Isendrecv_replace, "bnt....cq", Lasts::later);

MPI_COUNTED(Send_init, "sntp.cq", Lasts::starts);
MPI_COUNTED(Bsend_init, "sntp.cq", Lasts::starts);
MPI_COUNTED(Ssend_init, "sntp.cq", Lasts::starts);
MPI_COUNTED(Rsend_init, "sntp.cq", Lasts::starts);
MPI_COUNTED(Recv_init, "rntp.cQ", Lasts::starts);

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

MPI_COUNTED(Pack, "sntbh.c", Lasts::call);
MPI_COUNTED(Unpack, "sh.rntc", Lasts::call);
MPI_COUNTED(Pack_external, ".sntbH.", Lasts::call);
MPI_COUNTED(Unpack_external, ".sH.rnt", Lasts::call);

MPI_FUNCTION(Buffer_attach, holdBuffer, "");
MPI_FUNCTION(Buffer_attach_c, holdBuffer, "");
MPI_FUNCTION(Buffer_detach, detachBuffer, "");
MPI_FUNCTION(Buffer_detach_c, detachBuffer, "");
// Of MPI 4: parts are given and taken while loops run.
MPI_FUNCTION(Psend_init, holdBuffer, "");
MPI_FUNCTION(Precv_init, holdBuffer, "");
