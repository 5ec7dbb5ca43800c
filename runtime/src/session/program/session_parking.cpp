// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays that the program frees are kept for the next ones of their kind (docs/decisions/0022). The other ranks are not
// told: to them the array lives on.
#include <sys/resource.h>

#include <algorithm>

#include "engine/arrays/blocks.h"
#include "session/program/session.h"

namespace muster::rt {

ParkedArrays::Kind Session::kindOf(const ArrayRecord& record) {
  return {record.array->bytes(), record.elemSize,
          record.site != nullptr && record.site->array_class == MUSTER_REPLICATED};
}

// Where address space is limited, the program may need for other things what is kept for arrays.
bool Session::mayKeepArrays() {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
}

// Blocks are numbered as they come: no other array is of this one's kind. Where memories of devices are small, what is
// kept would be in the way.
bool Session::parks(HostArray& array) {
  const auto* record = static_cast<const ArrayRecord*>(array.owner);
  return keepsArrays_ && record != nullptr && record->site != nullptr && record->block == 0 &&
         !controller_.insideChunk() && controller_.roomy();
}

void Session::park(HostArray& array) {
  auto* record = static_cast<ArrayRecord*>(array.owner);
  if (const Status status = controller_.discardContents(record->id); !status.ok()) fail(status);
  const std::lock_guard lock(arraysMutex_);
  record->parked = true;
  parked_.park(kindOf(*record), record->id, array);
}

HostArray* Session::unpark(const muster_array_site* site, std::size_t bytes, std::size_t alignment) {
  if (currentBlock().number != 0) return nullptr;
  const std::lock_guard lock(arraysMutex_);
  HostArray* array =
      parked_.take({bytes, std::max(site->elem_size, 1U), site->array_class == MUSTER_REPLICATED}, alignment);
  if (array == nullptr) return nullptr;
  auto* record = static_cast<ArrayRecord*>(array->owner);
  record->parked = false;
  record->site = site;
  if (reporting_) {
    report_->countKept(site, bytes);
    report_->nameArray(record->id, site);
  }
  return array;
}

std::vector<HostArray*> Session::surplus() {
  const bool roomy = controller_.roomy();
  const std::lock_guard lock(arraysMutex_);
  return roomy ? parked_.surplus() : parked_.takeAll();
}

std::vector<HostArray*> Session::unparkAll() {
  const std::lock_guard lock(arraysMutex_);
  return parked_.takeAll();
}

}  // namespace muster::rt
