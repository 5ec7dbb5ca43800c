// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Large stretches of memory, worked on by several processors of the host: one alone copies a fraction of what the
// memory, or a GPU's bus, can take. Thread-safe.
#pragma once

#include <cstddef>
#include <functional>

namespace muster::cdm {

// How many threads take part, with the caller: at most 8, which no memory of one socket outruns.
[[nodiscard]] unsigned threadsOfParts();

// work(lo, hi) for consecutive parts of [0, bytes), of `part` bytes (the last one may be less), by the caller and by
// threads that wait for this; in no order. Returns when all are done. While another thread's are worked on, or in a
// child of fork, the caller does all of its own. work must not throw, and may touch no memory that is protected.
void inParts(std::size_t bytes, std::size_t part, const std::function<void(std::size_t lo, std::size_t hi)>& work);

// memcpy, by several threads where that pays.
void copyInParts(void* to, const void* from, std::size_t bytes);

// So many rows of `bytes` each, which begin a pitch apart: by this thread.
void copyRows(std::byte* to, std::size_t toPitch, const std::byte* from, std::size_t fromPitch, std::size_t bytes,
              std::size_t rows);

}  // namespace muster::cdm
