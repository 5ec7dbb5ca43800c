// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The micro benchmark: a five-point stencil on floats, the same for every device. Bound by memory, as most
// loops are. In one dimension, because some drivers take three times as long to compile it in two. Compiled with
// OpenMP: the CPU device runs it with the team that user code has.
#include "muster/cdm/benchmark_kernel.h"

namespace muster::cdm {

namespace {

void updateNatively(const muster_chunk* chunk) {
  const muster_dim dim = chunk->dims[0];
  const auto* u = static_cast<const float*>(chunk->arrays[0]);
  auto* v = static_cast<float*>(chunk->arrays[1]);
  const std::int64_t width = *static_cast<const std::int64_t*>(chunk->scalars[0]);
#pragma omp parallel for schedule(static)
  for (std::int64_t at = dim.first + chunk->lo; at < dim.first + chunk->hi; ++at)
    v[at] = 0.25f * (u[at - width] + u[at + width] + u[at - 1] + u[at + 1]);
}

constexpr const char* openclText = R"(
#pragma OPENCL FP_CONTRACT OFF
__kernel __attribute__((reqd_work_group_size(MUSTER_WG0, MUSTER_WG1, MUSTER_WG2)))
void muster_benchmark(__global const float *u_buf, long u_origin, __global float *v_buf, long v_origin, long width,
                      long muster_first_0, long muster_step_0, long muster_lo_0, long muster_hi_0) {
  __global const float *u = u_buf + u_origin;
  __global float *v = v_buf + v_origin;
  long k = muster_lo_0 + (long)get_global_id(0);
  if (k < muster_hi_0) {
    long at = muster_first_0 + k;
    v[at] = 0.25f * (u[at - width] + u[at + width] + u[at - 1] + u[at + 1]);
  }
}
)";

KernelCode makeKernel() {
  KernelCode code;
  code.id = benchmarkKernelId;
  code.name = "muster_benchmark";
  code.location = "Muster's micro benchmark";
  code.native = updateNatively;
  code.opencl = openclText;
  code.dimensions = 1;
  code.arrays = {{"u", sizeof(float), false}, {"v", sizeof(float), true}};
  code.scalars = {{"width", ScalarType::i64, sizeof(std::int64_t)}};
  return code;
}

}  // namespace

const KernelCode& benchmarkKernel() {
  static const KernelCode code = makeKernel();
  return code;
}

}  // namespace muster::cdm
