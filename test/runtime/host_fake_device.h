// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stand-in for the session in tests of host memory: one device with memory of its own. Arrays are mirrored; what was
// moved to the device is wiped on the host and protected, and comes back through faults or host access, by way of the
// alias.
#pragma once

#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "host/faults/fault_blocks.h"
#include "host/memory/host_memory.h"
#include "host/system/runtime_section.h"
#include "muster/abi.h"

namespace muster::test {

class FakeDevice final : public rt::ArrayListener {
 public:
  FakeDevice() {
    rt::setArrayListener(this);
    const Status status = rt::startFaultService(
        [this](rt::HostArray& array, std::size_t offset, bool write) { return serve(array, offset, write); });
    if (!status.ok()) panic(status.message());
  }
  ~FakeDevice() override {
    rt::forEachArray([this](rt::HostArray& array, const muster_array_site*) { bring(array, 0, array.bytes(), true); });
    rt::stopFaultService();
    rt::setArrayListener(nullptr);
  }

  // The array's newest values are on the device only.
  void moveToDevice(const void* pointer) {
    rt::HostArray& array = *rt::hostMemory().find(pointer);
    const Locked lock(mutex_);
    fetch(array, 0, array.bytes());
    std::vector<std::byte>& copy = copies_[&array];
    copy.assign(array.alias(), array.alias() + array.bytes());
    require(rt::hostMemory().setAccess(array, 0, array.bytes(), rt::PageAccess::none));
    std::memset(array.alias(), 0xee, array.bytes());
  }

  std::size_t faults() const {
    const std::lock_guard lock(mutex_);
    return faults_;
  }
  std::size_t hostAccesses() const {
    const std::lock_guard lock(mutex_);
    return hostAccesses_;
  }
  void useBlockSize(std::size_t bytes) { blockSize_ = bytes; }

  bool wantsMirrored() override { return true; }
  void created(rt::HostArray&, const muster_array_site*, std::size_t) override {}
  void aboutToRelease(rt::HostArray& array) override {
    const Locked lock(mutex_);
    copies_.erase(&array);
  }
  void hostAccess(rt::HostArray& array, std::size_t offset, std::size_t bytes, int mode) override {
    const Locked lock(mutex_);
    ++hostAccesses_;
    bringLocked(array, offset, offset + bytes, (mode & MUSTER_WRITE) != 0);
  }

 private:
  struct Locked : rt::RuntimeSection {
    explicit Locked(std::mutex& mutex) : guard(mutex) {}
    std::lock_guard<std::mutex> guard;
  };
  static void require(const Status& status) {
    if (!status.ok()) panic(status.message());
  }

  bool serve(rt::HostArray& array, std::size_t offset, bool write) {
    const std::lock_guard lock(mutex_);
    ++faults_;
    const std::size_t lo = offset / blockSize_ * blockSize_;
    bringLocked(array, lo, std::min(lo + blockSize_, array.bytes()), write);
    return true;
  }
  void bring(rt::HostArray& array, std::size_t lo, std::size_t hi, bool write) {
    const Locked lock(mutex_);
    bringLocked(array, lo, hi, write);
  }
  void bringLocked(rt::HostArray& array, std::size_t lo, std::size_t hi, bool write) {
    if (!array.mirrored() || lo >= hi) return;
    fetch(array, lo, hi);
    const std::size_t page = rt::hostMemory().pageSize();
    for (std::size_t at = lo / page * page; at < hi; at += page) {
      if (write || rt::hostMemory().access(array, at) == rt::PageAccess::none) {
        require(rt::hostMemory().setAccess(array, at, std::min(at + page, array.bytes()),
                                           write ? rt::PageAccess::readWrite : rt::PageAccess::read));
      }
    }
  }
  // Fills the pages that the host does not have.
  void fetch(rt::HostArray& array, std::size_t lo, std::size_t hi) {
    const auto copy = copies_.find(&array);
    if (copy == copies_.end()) return;
    const std::size_t page = rt::hostMemory().pageSize();
    for (std::size_t at = lo / page * page; at < hi; at += page) {
      if (rt::hostMemory().access(array, at) != rt::PageAccess::none) continue;
      const std::size_t end = std::min(at + page, array.bytes());
      std::memcpy(array.alias() + at, copy->second.data() + at, end - at);
    }
  }

  mutable std::mutex mutex_;
  std::map<rt::HostArray*, std::vector<std::byte>> copies_;
  std::size_t blockSize_ = std::size_t{16} << 10;
  std::size_t faults_ = 0;
  std::size_t hostAccesses_ = 0;
};

}  // namespace muster::test
