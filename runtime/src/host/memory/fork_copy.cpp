// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in the child of a fork: private pages with what was in the shared ones, at the same addresses.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "host/memory/host_memory_impl.h"
#include "host/space/mapping.h"
#include "host/system/runtime_section.h"

namespace muster::rt {

namespace {
constexpr int kForkFailed = 4;  // the exit code of failures (docs/configuration.md)
}

// The child has no handler for faults.
void HostMemoryImpl::lockForFork() {
  mutex_.lock();
  for (HostArrayImpl* array = first_; array != nullptr; array = array->next_) array->endWatch();
}
void HostMemoryImpl::unlockAfterFork() { mutex_.unlock(); }

Status HostMemoryImpl::takePrivateCopies() {
  const RuntimeSection section;
  for (HostArrayImpl* array = first_; array != nullptr; array = array->next_) {
    if (!array->mirrored()) continue;
    MUSTER_TRY(copyBack(*array, false));
    unmap(array->alias_, array->mapped_);
    array->alias_ = array->user_;
    fragments_.fetch_sub(array->pages_->runs(), std::memory_order_relaxed);
    array->pages_.reset();
    if (array->shared_ != nullptr) --filesKept_;
    array->shared_.reset();
    array->endMirroring();
    array->owner = nullptr;
  }
  for (HostArrayImpl& array : records_) {
    if (!array.hidden_) continue;  // else freed, and kept by the parent
    releaseRegion(array);
    recycle(array);
  }
  return Status::success();
}

ForkOfArrays::ForkOfArrays() {
  hostMemoryImpl().lockForFork();
  if (managedAddresses.mirrored.load() == 0) return;
  if (pipe2(done_, O_CLOEXEC) != 0) panic(std::string("a pipe for the child of a fork: ") + std::strerror(errno));
}

void ForkOfArrays::inParent() {
  hostMemoryImpl().unlockAfterFork();
  if (done_[0] < 0) return;
  close(done_[1]);
  char nothing = 0;
  while (read(done_[0], &nothing, 1) < 0 && errno == EINTR) {
  }
  close(done_[0]);
}

void ForkOfArrays::inChild() {
  setArrayListener(nullptr);
  abandonFaultService();
  const Status status = hostMemoryImpl().takePrivateCopies();
  hostMemoryImpl().unlockAfterFork();
  if (!status.ok()) {
    std::fprintf(stderr, "muster: error: copying the managed arrays for the child of a fork: %s\n",
                 status.message().c_str());
    _exit(kForkFailed);
  }
  for (const int end : done_) {
    if (end >= 0) close(end);
  }
}

}  // namespace muster::rt
