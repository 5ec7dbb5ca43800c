// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of calls: those of all processes of a communicator. Letters: shape.h. Each with its forms that return a
// request, whose last argument that is, at once or for later starts; and all three with wide counts.
#include "passing.h"

using namespace muster::mpi;  // NOLINT(google-build-using-namespace): only the table is here

#define MPI_COLLECTIVE(name, iname, letters)                  \
  MPI_COUNTED(name, letters, Lasts::call);                    \
  MPI_COUNTED(iname, letters "q", Lasts::later);              \
  MPI_COUNTED(name##_init, letters ".q", Lasts::starts)

MPI_FUNCTION(Barrier, passBuffers, "C");
MPI_COLLECTIVE(Bcast, Ibcast, "xnt0c");
MPI_COLLECTIVE(Gather, Igather, "sntRPt0c");
MPI_COLLECTIVE(Gatherv, Igatherv, "sntRvdt0c");
MPI_COLLECTIVE(Scatter, Iscatter, "SPtrnt0c");
MPI_COLLECTIVE(Scatterv, Iscatterv, "Svdtrnt0c");
MPI_COLLECTIVE(Allgather, Iallgather, "sntrPtc");
MPI_COLLECTIVE(Allgatherv, Iallgatherv, "sntrvdtc");
MPI_COLLECTIVE(Alltoall, Ialltoall, "sPtrPtc");
MPI_COLLECTIVE(Alltoallv, Ialltoallv, "svdtrvdtc");
MPI_COLLECTIVE(Alltoallw, Ialltoallw, "svBTrvBTc");

MPI_COLLECTIVE(Reduce, Ireduce, "sRnt.0c");
MPI_COLLECTIVE(Allreduce, Iallreduce, "srnt.C");
MPI_COLLECTIVE(Reduce_scatter, Ireduce_scatter, "srzt.c");
MPI_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, "sryt.c");
MPI_COLLECTIVE(Scan, Iscan, "srnt.c");
// The first process keeps what its buffer holds.
MPI_COLLECTIVE(Exscan, Iexscan, "sbnt.c");
MPI_COUNTED(Reduce_local, "sbnt.", Lasts::call);

// Neighbours that are MPI_PROC_NULL leave their parts of the buffer alone.
MPI_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, "sntbItc");
MPI_COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, "sntbjdtc");
MPI_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, "sOtbItc");
MPI_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, "skdtbjdtc");
MPI_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, "skATbjATc");
