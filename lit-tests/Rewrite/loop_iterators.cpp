// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over a vector's iterator counts how far it is from the vector's start. In native code the iterator is what the
// view of the vector has, in kernels a pointer.
//
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=rewrite %s | grep -v '// *CHECK' | FileCheck %s
// RUN: %muster++ -w -fsyntax-only -fplugin-arg-muster-print=facts %s | FileCheck --check-prefix=FACTS %s
#include <vector>
// CHECK: long muster_index_it = static_cast<long>(muster_first0 + muster_k0);
// CHECK: auto it = (v.begin()) + muster_index_it;
// CHECK: __global double *it = v + my_muster_index_it;
// CHECK: *it = *(it - 1L) + (it - v);
// CHECK: const long muster_lower0 = 1;
// CHECK: ::muster::tripCount(muster_lower0, static_cast<long>((v.size() - 1)), muster_step0, ::muster::Relation::less, false)
// CHECK: 1, -1,  // reads v[muster_index_it - 1]
// FACTS: dim muster_index_it: long from 1 while < static_cast<long>((v.size() - 1)) step 1, it from v.data()
void neighbours(std::vector<double> &v) {
#pragma omp parallel for
  for (auto it = v.begin() + 1; it < v.end() - 1; ++it) *it = *(it - 1) + (it - v.begin());
}
struct Field {
  std::vector<double> values;
  // CHECK: auto it = (muster_this->values.cbegin()) + muster_index_it;
  // CHECK: tripCount(muster_lower0, static_cast<long>((last) - (values.cbegin())), muster_step0, ::muster::Relation::notEqual, false)
  double sum() const {
    double s = 0;
    const auto last = values.end();
#pragma omp parallel for reduction(+ : s)
    for (auto it = values.begin(); it != last; ++it) s += *it;
    return s;
  }
};
double sum(const Field &field) { return field.sum(); }
