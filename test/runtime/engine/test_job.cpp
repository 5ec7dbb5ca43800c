// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ABI as the test kernels see it: launches go into the job that lives.
#include "test_job.h"

namespace muster::rt::testing {

TestJob* TestJob::current_ = nullptr;

}  // namespace muster::rt::testing

extern "C" {
void muster_launch_loop(const muster_launch* launch) { muster::rt::testing::TestJob::current()->launch(*launch); }
void muster_register_kernels(const muster_kernel* const* begin, const muster_kernel* const* end, uint32_t version) {
  muster::rt::registry().add(begin, end, version);
}
}
