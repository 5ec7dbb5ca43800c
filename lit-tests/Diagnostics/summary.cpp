// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A summary on request, step backs as errors on request, and Muster's remarks in LLVM's optimization record.
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-summary %s 2>&1 | %filecheck %s
// RUN: not %muster++ -fsyntax-only -fplugin-arg-muster-remarks=none -fplugin-arg-muster-strict %s 2>&1 | %filecheck --check-prefix=STRICT %s
// RUN: %muster++ -fsyntax-only -fplugin-arg-muster-strict -DSERVED %s 2>&1 | count 0
// RUN: %muster++ -O1 -c -w -fplugin-arg-muster-remarks=none -fsave-optimization-record -foptimization-record-file=%t.yaml %s -o %t.o
// RUN: FileCheck --check-prefix=YAML %s < %t.yaml
// RUN: python3 -c "import yaml, sys; yaml.SafeLoader.add_multi_constructor('!', lambda loader, tag, node: loader.construct_mapping(node, deep=True)); sys.exit(not any(r['Pass'] == 'muster' for r in yaml.safe_load_all(open(sys.argv[1]))))" %t.yaml
// CHECK: summary.cpp:1:1: remark: loops: 1 for all devices, 1 for CPUs only, 1 plain OpenMP; arrays: 1 partitioned, 0 replicated [-Rmuster-summary]
#include <cstdio>
void f(int n, long double *wide) {
#pragma omp managed(a)
  double *a = new double[n];
#pragma omp parallel for
  for (int i = 0; i < n; ++i) a[i] = i;
#ifndef SERVED
// STRICT-DAG: :[[@LINE+1]]:1: error: loop 'muster_f_[[@LINE+1]]' runs on CPUs only: {{.*}} [-Rmuster-missed]
#pragma omp parallel for
  for (int i = 0; i < n; ++i) wide[i] = a[i];
// STRICT-DAG: :[[@LINE+1]]:1: error: loop stays plain OpenMP on rank 0: calls 'printf', which prints; keep the values in an array and print them after the loop [-Rmuster-missed]
#pragma omp parallel for
  for (int i = 0; i < n; ++i) std::printf("%g\n", a[i]);
#endif
  delete[] a;
}
// YAML: Pass:            muster
// YAML-NEXT: Name:            Distributed
// YAML-NEXT: DebugLoc:        { File: '{{.*}}summary.cpp', Line: {{[0-9]+}}, Column: 1 }
// YAML-NEXT: Function:        '(source)'
// YAML-NEXT: Args:
// YAML-NEXT:   - String:          'loop is outlined as ''muster_f_{{[0-9]+}}'' for all devices'
// YAML-NEXT: ...
// YAML:      --- !Missed
// YAML:      - String:          'loop stays plain OpenMP on rank 0: calls ''printf'', which prints; keep the values in an array and print them after the loop'
