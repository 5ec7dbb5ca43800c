// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exports the fake device from the shared library that the interposition tests link.
#include "host_fake_session.h"

#include <memory>

#include "host/interpose/foreign_calls.h"
#include "host/system/runtime_section.h"
#include "host_fake_device.h"

namespace {
std::unique_ptr<muster::test::FakeDevice> device;
}

void fakeSessionBegin() { device = std::make_unique<muster::test::FakeDevice>(); }
void fakeSessionEnd() { device.reset(); }
void fakeMoveToDevice(const void* pointer) { device->moveToDevice(pointer); }
std::size_t fakeFaults() { return device->faults(); }
std::size_t fakeHostAccesses() { return device->hostAccesses(); }
void fakeForeignCaller(const void* function) {
  muster::rt::forgetForeignCode();
  muster::rt::noteForeignCaller(function);
}
void fakeRuntimeSection(bool inside) {
  if (inside)
    ++muster::rt::threadState.runtimeSections;
  else
    --muster::rt::threadState.runtimeSections;
}
