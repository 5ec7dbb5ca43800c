// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native runs of whole launches.
#include "native/run_native.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>

namespace muster::rt {
namespace {

constexpr std::size_t kSlot = alignof(std::max_align_t);

std::size_t slotSize(const muster_result_param& result) { return (result.size + kSlot - 1) / kSlot * kSlot; }

void runWithResults(const muster_launch& launch, muster_chunk& chunk) {
  const muster_kernel& kernel = *launch.kernel;
  alignas(kSlot) std::array<std::byte, 256> smallValues;
  std::array<void*, 16> smallSlots;

  std::size_t bytes = 0;
  for (unsigned r = 0; r < kernel.n_results; ++r) bytes += slotSize(kernel.results[r]);
  std::unique_ptr<std::byte[]> largeValues;
  std::unique_ptr<void*[]> largeSlots;
  if (bytes > smallValues.size()) largeValues = std::make_unique<std::byte[]>(bytes);
  if (kernel.n_results > smallSlots.size()) largeSlots = std::make_unique<void*[]>(kernel.n_results);
  std::byte* value = largeValues ? largeValues.get() : smallValues.data();
  void** slots = largeSlots ? largeSlots.get() : smallSlots.data();
  for (unsigned r = 0; r < kernel.n_results; ++r) {
    slots[r] = value;
    if (kernel.results[r].kind == MUSTER_PROGRAM_END) std::memset(value, 0, kernel.results[r].size);
    value += slotSize(kernel.results[r]);
  }

  chunk.results = slots;
  kernel.native(&chunk);
  for (unsigned r = 0; r < kernel.n_results; ++r) kernel.results[r].combine(launch.results[r], slots[r]);
}

}  // namespace

void runNative(const muster_launch& launch, void* const* arrays) {
  const muster_kernel& kernel = *launch.kernel;
  muster_chunk chunk{.struct_size = sizeof(muster_chunk),
                     .n_dims = kernel.n_dims,
                     .dims = launch.dims,
                     .lo = 0,
                     .hi = launch.dims[0].count,
                     .arrays = arrays,
                     .scalars = launch.scalars,
                     .results = nullptr};
  if (kernel.n_results == 0) {
    kernel.native(&chunk);
  } else {
    runWithResults(launch, chunk);
  }
}

}  // namespace muster::rt
