// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access of the pages of mirrored arrays: one system call for each run of pages that changes.
#include <algorithm>

#include "host/memory/host_memory_impl.h"
#include "host/space/mapping.h"
#include "host/system/locked.h"

namespace muster::rt {

Result<PageRange> HostMemoryImpl::pagesOf(const HostArrayImpl& array, std::size_t lo, std::size_t hi) const {
  if (!array.pages_) return Status(Errc::invalidArgument, "only a mirrored array has pages with access of their own");
  if (lo > hi || hi > array.mapped_) return Status(Errc::invalidArgument, "the range is not inside the array");
  if (lo == hi) return PageRange{};
  return PageRange{lo / pageSize_, roundUp(hi, pageSize_) / pageSize_};
}

Status HostMemoryImpl::changePages(HostArrayImpl& array, PageRange pages, PageAccess access) {
  // Before the pages lose access, so that no fault that follows from it can see the old count.
  if (array.pages_->firstAbove(pages.lo, pages.hi, access)) {
    array.revocations_.fetch_add(1, std::memory_order_acq_rel);
  }
  MUSTER_TRY(protect(array.user_ + pages.lo * pageSize_, (pages.hi - pages.lo) * pageSize_, access));
  const std::size_t before = array.pages_->runs();
  array.pages_->assign(pages.lo, pages.hi, access);
  fragments_.fetch_add(array.pages_->runs() - before, std::memory_order_relaxed);
  return Status::success();
}

Status HostMemoryImpl::setAccess(HostArray& array, std::size_t lo, std::size_t hi, PageAccess access) {
  auto& impl = static_cast<HostArrayImpl&>(array);
  const Locked lock(impl.pagesMutex_);
  const auto pages = pagesOf(impl, lo, hi);
  if (!pages) return pages.status();
  const auto changed = impl.pages_->differing(pages->lo, pages->hi, access);
  return changed ? changePages(impl, *changed, access) : Status::success();
}

Status HostMemoryImpl::limitAccess(HostArray& array, std::size_t lo, std::size_t hi, PageAccess most) {
  auto& impl = static_cast<HostArrayImpl&>(array);
  const Locked lock(impl.pagesMutex_);
  const auto pages = pagesOf(impl, lo, hi);
  if (!pages) return pages.status();
  std::size_t from = pages->lo;
  while (const auto above = impl.pages_->firstAbove(from, pages->hi, most)) {
    MUSTER_TRY(changePages(impl, *above, most));
    from = above->hi;
  }
  return Status::success();
}

Status HostMemoryImpl::watch(HostArrayImpl& array) {
  const Locked lock(mutex_);
  if (array.mirrored() || array.adopted_) return {Errc::invalidArgument, "only a private array can be watched"};
  static std::atomic<std::uint64_t> watches{0};
  array.watchNumber_.store(++watches, std::memory_order_release);
  array.watch_.store(HostArrayImpl::Watch::on, std::memory_order_release);
  Status status = protect(array.user_, array.mapped_, PageAccess::read);
  if (!status.ok()) array.watch_.store(HostArrayImpl::Watch::ended, std::memory_order_release);
  return status;
}

// Access comes first: whoever reads that it is watched finds its pages protected, or a write that is on its way here.
bool HostArrayImpl::endWatch() {
  if (watch_.load(std::memory_order_acquire) == Watch::never) return false;
  if (!protect(user_, mapped_, PageAccess::readWrite).ok()) return false;
  watch_.store(Watch::ended, std::memory_order_release);
  return true;
}

PageAccess HostMemoryImpl::access(const HostArray& array, std::size_t offset) const {
  const auto& impl = static_cast<const HostArrayImpl&>(array);
  const Locked lock(impl.pagesMutex_);
  if (!impl.pages_) return PageAccess::readWrite;
  return impl.pages_->at(std::min(offset, impl.mapped_ - 1) / pageSize_);
}

std::optional<std::size_t> HostMemoryImpl::firstBelow(const HostArrayImpl& array, std::size_t lo, std::size_t hi,
                                                      PageAccess access) const {
  const Locked lock(array.pagesMutex_);
  const auto pages = pagesOf(array, lo, hi);
  if (!pages) return std::nullopt;
  const auto below = array.pages_->firstBelow(pages->lo, pages->hi, access);
  if (!below) return std::nullopt;
  return below->lo * pageSize_;
}

}  // namespace muster::rt
