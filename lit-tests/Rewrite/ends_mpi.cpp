// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An iteration that calls MPI_Abort for all processes is left, and the launch site ends the program. Of another
// communicator nobody knows whose end it is.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s 2>/dev/null | grep -v '// *CHECK' | FileCheck %s
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=kernels %s 2>/dev/null | FileCheck %s --check-prefix=KERNEL
// RUN: %muster++ -fsyntax-only %s 2>&1 | FileCheck %s --check-prefix=REMARK
typedef struct Communicator *MPI_Comm;
extern "C" {
extern struct Communicator all;
int MPI_Abort(MPI_Comm communicator, int code);
}
#define GLOBAL(type, name) ((type)(void *)&(name))
#define MPI_COMM_WORLD GLOBAL(MPI_Comm, all)
#define FAILURE 7
enum { VolumeError = -1 };

void loop(int n, MPI_Comm some) {
#pragma omp managed(a)
  double *a = new double[n];
// CHECK: if (a[i] < 0) __extension__({ muster_end_iteration(muster_c->results[0], 6, VolumeError); goto muster_left; });
// CHECK-NEXT: if (a[i] > 9) __extension__({ muster_end_iteration(muster_c->results[0], 6, FAILURE + i); goto muster_left; });
// CHECK: muster_end_program(&muster_ended);
// KERNEL: muster_end_program(muster_end_out, 6, -1);
// KERNEL: muster_end_program(muster_end_out, 6, 7 + i);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] < 0) MPI_Abort(MPI_COMM_WORLD, VolumeError);
    if (a[i] > 9) MPI_Abort(MPI_COMM_WORLD, FAILURE + i);
    a[i] = 1;
  }
// REMARK: [[@LINE+1]]:{{.*}}stays plain
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    if (a[i] < 0) MPI_Abort(some, 1);
    a[i] = 1;
  }
}
