// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Page access from array states.
#include "hostview/host_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/system/runtime_section.h"

namespace muster::rt {

namespace {

// More are not worth a system call each: pages between them that the host may still use are asked for again when
// touched.
constexpr std::size_t kMostLosses = 64;

// One range for all that leave the host as much.
std::vector<Loss> joined(const std::vector<Loss>& losses) {
  std::vector<Loss> hulls;
  for (const PageAccess left : {PageAccess::none, PageAccess::read}) {
    Loss hull{{}, left};
    for (const Loss& loss : losses) {
      if (loss.left == left) hull.elements = hull.elements.hull(loss.elements);
    }
    if (!hull.elements.empty()) hulls.push_back(hull);
  }
  return hulls;
}

}  // namespace

PageAccess hostStatus(const cap::MemorySet& holders) {
  if (holders.front() != cap::hostMemory) return PageAccess::none;  // sorted: the host is first
  return holders.size() == 1 ? PageAccess::readWrite : PageAccess::read;
}

std::vector<Loss> hostLosses(const cap::ArrayState& before, const cap::ArrayState& after) {
  std::vector<Loss> losses;
  auto old = before.pieces().begin();
  for (const auto& piece : after.pieces()) {
    const PageAccess left = hostStatus(piece.holders);
    std::int64_t lo = piece.elements.lo;
    while (lo < piece.elements.hi) {
      while (old->elements.hi <= lo) ++old;
      const std::int64_t hi = std::min(piece.elements.hi, old->elements.hi);
      if (left < hostStatus(old->holders)) {
        if (!losses.empty() && losses.back().elements.hi == lo && losses.back().left == left) {
          losses.back().elements.hi = hi;
        } else {
          losses.push_back({{lo, hi}, left});
        }
      }
      lo = hi;
    }
  }
  return losses.size() > kMostLosses ? joined(losses) : losses;
}

void HostView::add(std::uint32_t id, HostArray& array, std::uint32_t elemSize, std::int64_t count) {
  const std::lock_guard lock(mutex_);
  views_[id] = std::make_unique<View>(View{&array, elemSize, count, FaultBlocks(array.bytes(), memory_.pageSize())});
}

void HostView::remove(std::uint32_t id) {
  const std::lock_guard lock(mutex_);
  views_.erase(id);
}

HostView::View* HostView::find(std::uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = views_.find(id);
  return found == views_.end() ? nullptr : found->second.get();
}

Status HostView::stateChanges(std::uint32_t id, const cap::ArrayState& before, const cap::ArrayState& after) {
  View* view = find(id);
  if (view == nullptr) return {};
  for (const Loss& loss : hostLosses(before, after)) {
    const std::size_t lo = static_cast<std::size_t>(loss.elements.lo) * view->elemSize;
    const std::size_t hi = static_cast<std::size_t>(loss.elements.hi) * view->elemSize;
    // Pages without access stay so, because access is given back lazily.
    MUSTER_TRY(memory_.limitAccess(*view->array, lo, hi, loss.left));
  }
  return {};
}

Status HostView::hostUse(const HostUse& use) {
  View* view = find(use.array);
  if (view == nullptr) return {};
  return memory_.limitAccess(*view->array, static_cast<std::size_t>(use.elements.lo) * view->elemSize,
                             static_cast<std::size_t>(use.elements.hi) * view->elemSize,
                             use.write ? PageAccess::none : PageAccess::read);
}

// Gives the pages the access that the state allows; all their elements are valid on the host.
Status HostView::open(View& view, ByteRange pages, const cap::ArrayState& state, bool readOnly) {
  const cap::Interval elements{static_cast<std::int64_t>(pages.lo / view.elemSize),
                               std::min<std::int64_t>(view.count, (pages.hi + view.elemSize - 1) / view.elemSize)};
  const bool own = elements.empty() || (!readOnly && state.heldOnlyBy(cap::hostMemory).contains(elements));
  return memory_.setAccess(*view.array, pages.lo, pages.hi, own ? PageAccess::readWrite : PageAccess::read);
}

Result<std::int64_t> HostView::acquirePages(std::uint32_t id, View& view, ByteRange pages, bool write) {
  const cap::Interval elements{static_cast<std::int64_t>(pages.lo / view.elemSize),
                               std::min<std::int64_t>(view.count, (pages.hi + view.elemSize - 1) / view.elemSize)};
  return controller_->hostAccess(
      id, elements.empty() ? cap::IntervalSet() : cap::IntervalSet(elements),
      write ? cap::HostMode::write : cap::HostMode::read,
      [&](const cap::ArrayState& state, bool readOnly) { return open(view, pages, state, readOnly); });
}

Result<std::int64_t> HostView::fault(std::uint32_t id, std::size_t offset, bool write) {
  View* view = find(id);
  if (view == nullptr)
    return Status(Errc::notFound, fmt::format("the program touched array {} after it was released", id));
  // Nothing is fetched, so that the program need not fault again.
  if (controller_->isUndefined(id)) return acquire(id, 0, view->array->bytes(), true);
  // Behind the last element, on its page: as the last element.
  const FaultBlock block = view->blocks.next(std::min(offset, view->array->bytes() - 1), write);
  return acquirePages(id, *view, block.bytes, block.write);
}

Result<std::int64_t> HostView::acquire(std::uint32_t id, std::size_t lo, std::size_t hi, bool write) {
  View* view = find(id);
  if (view == nullptr || hi <= lo) return std::int64_t{0};
  const std::size_t page = memory_.pageSize();
  const ByteRange pages{lo / page * page, std::min((hi + page - 1) / page * page, view->array->bytes())};
  return acquirePages(id, *view, pages, write);
}

}  // namespace muster::rt
