// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults that are not the fault service's to answer: they go where they would go without it, or end the program.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "counting_array.h"
#include "host/faults/code_place.h"
#include "host/memory/host_memory.h"
#include "host/system/runtime_section.h"
#include "host/system/system_call.h"
#include "host_fake_device.h"
#include "muster/abi.h"

namespace muster::test {
namespace {

using rt::HostArray;
using rt::hostMemory;
using rt::PageAccess;

constexpr std::size_t kPage = 4096;

sigjmp_buf beforeForeignFault;
int foreignFaults = 0;
const void* foreignAddress = nullptr;
void onForeignFault(int, siginfo_t* info, void*) {
  ++foreignFaults;
  foreignAddress = info->si_addr;
  siglongjmp(beforeForeignFault, 1);
}

TEST(ForeignFaults, goToTheHandlerThatWasThereBefore) {
  struct sigaction action{};
  action.sa_sigaction = onForeignFault;
  action.sa_flags = SA_SIGINFO;
  struct sigaction before{};
  ASSERT_EQ(sigaction(SIGSEGV, &action, &before), 0);
  void* page = mmap(nullptr, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  {
    FakeDevice device;
    std::int64_t* array = countingArray(1024);
    for (int round = 1; round <= 3; ++round) {
      if (sigsetjmp(beforeForeignFault, 1) == 0) *static_cast<volatile char*>(page) = 1;
      EXPECT_EQ(foreignFaults, round);
      EXPECT_EQ(foreignAddress, page);
    }
    device.moveToDevice(array);
    EXPECT_EQ(*const_cast<volatile std::int64_t*>(&array[9]), 9) << "ours still work after it";
    EXPECT_EQ(foreignFaults, 3);
    muster_free(array);
  }
  struct sigaction after{};
  ASSERT_EQ(sigaction(SIGSEGV, &before, &after), 0);
  EXPECT_EQ(after.sa_sigaction, onForeignFault) << "the previous handler is back after the service stopped";
  munmap(page, kPage);
}

// A crash handler that the program installs during the session goes behind ours and stays after it.
TEST(ForeignFaults, aHandlerInstalledLaterGoesBehindOurs) {
  foreignFaults = 0;
  void* page = mmap(nullptr, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction action{};
  action.sa_sigaction = onForeignFault;
  action.sa_flags = SA_SIGINFO;
  struct sigaction seen{};
  signal(SIGSEGV, SIG_DFL);
  {
    FakeDevice device;
    std::int64_t* array = countingArray(1024);
    device.moveToDevice(array);
    ASSERT_EQ(signal(SIGSEGV, SIG_IGN), SIG_DFL);
    ASSERT_EQ(sigaction(SIGSEGV, &action, &seen), 0);
    EXPECT_EQ(seen.sa_handler, SIG_IGN);
    EXPECT_EQ(*const_cast<volatile std::int64_t*>(&array[9]), 9);
    EXPECT_EQ(foreignFaults, 0);
    if (sigsetjmp(beforeForeignFault, 1) == 0) *static_cast<volatile char*>(page) = 1;
    EXPECT_EQ(foreignFaults, 1);
    muster_free(array);
  }
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &seen), 0);
  EXPECT_EQ(seen.sa_sigaction, onForeignFault);
  EXPECT_NE(signal(SIGSEGV, SIG_DFL), SIG_ERR);
  munmap(page, kPage);
}

// ---------------------------------------------------------------- what must end the program

class FaultDeath : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(FaultDeath, foreignFaultEndsByItsSignal) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_DFL);
        FakeDevice device;
        *reinterpret_cast<volatile int*>(8) = 1;
      },
      testing::KilledBySignal(SIGSEGV), "^$");
}

TEST_F(FaultDeath, aFaultInALibrarySaysWhere) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_DFL);
        FakeDevice device;
        volatile std::size_t bytes = 100;
        std::memset(reinterpret_cast<void*>(bytes), 1, bytes);
      },
      testing::KilledBySignal(SIGSEGV), "SIGSEGV in /.*libc.*\\+0x[0-9a-f]+, in thread '.+': access to 0x64. Where");
}

TEST(CodePlace, IsThatOfTheLinker) {
  (void)rt::systemCall.get();
  Dl_info info{};
  for (const void* code :
       {reinterpret_cast<const void*>(&onForeignFault), static_cast<const void*>(dlsym(RTLD_DEFAULT, "qsort"))}) {
    const rt::CodePlace place = rt::placeOfCode(code);
    ASSERT_NE(dladdr(code, &info), 0);
    EXPECT_EQ(place.offset, reinterpret_cast<std::uintptr_t>(code) - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
    EXPECT_EQ(std::filesystem::path(place.file), std::filesystem::canonical(info.dli_fname));
    EXPECT_EQ(place.ofProgram, code == reinterpret_cast<const void*>(&onForeignFault));
  }
  EXPECT_STREQ(rt::placeOfCode(nullptr).file, "");
  EXPECT_STREQ(rt::placeOfCode(&info).file, "");  // the stack's
}

TEST_F(FaultDeath, ignoringTheSignalDoesNotHideAFault) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_IGN);
        FakeDevice device;
        raise(SIGSEGV);  // a signal that was sent is ignored
        fputs("still here\n", stderr);
        *reinterpret_cast<volatile int*>(8) = 1;
      },
      testing::KilledBySignal(SIGSEGV), "still here");
}

TEST_F(FaultDeath, aSignalThatWasSentEndsTheProgram) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_DFL);
        FakeDevice device;
        raise(SIGSEGV);
      },
      testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(FaultDeath, useAfterReleaseSaysSo) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_DFL);
        FakeDevice device;
        volatile std::int64_t* array = countingArray(100);
        muster_free(const_cast<std::int64_t*>(array));
        array[0] = 1;
      },
      testing::KilledBySignal(SIGSEGV), "muster: access to .* in no managed array");
}

HostArray& protectedArray() {
  void* array = muster_array_create(&countingSite, 1000);
  HostArray& host = *hostMemory().find(array);
  if (!hostMemory().mirror(host).ok() || !hostMemory().setAccess(host, 0, 8000, PageAccess::none).ok()) abort();
  return host;
}

void startService(rt::FaultHandler handler) {
  if (!rt::startFaultService(std::move(handler)).ok()) abort();
}

TEST_F(FaultDeath, handlerThatDoesNothingIsNotAskedForEver) {
  EXPECT_EXIT(
      {
        startService([](HostArray&, std::size_t, bool) { return true; });
        static_cast<volatile std::byte*>(protectedArray().user())[16] = std::byte{1};
      },
      testing::KilledBySignal(SIGABRT), "byte 16 of array 'u' \\(prog.cpp:12\\): still not accessible after 1,000");
}

TEST_F(FaultDeath, readOnlyPageForAWriteIsNotEnough) {
  EXPECT_EXIT(
      {
        startService([](HostArray& array, std::size_t, bool) {
          return hostMemory().setAccess(array, 0, array.bytes(), PageAccess::read).ok();
        });
        static_cast<volatile std::byte*>(protectedArray().user())[16] = std::byte{1};
      },
      testing::KilledBySignal(SIGABRT), "still not accessible");
}

TEST_F(FaultDeath, handlerThatCannotEndsTheProgram) {
  EXPECT_EXIT(
      {
        startService([](HostArray&, std::size_t, bool) { return false; });
        static_cast<volatile std::byte*>(protectedArray().user())[16] = std::byte{1};
      },
      testing::KilledBySignal(SIGABRT), "byte 16 of array 'u' .*could not be brought to the host");
}

TEST_F(FaultDeath, faultInTheServiceThreadDoesNotHang) {
  EXPECT_EXIT(
      {
        startService([](HostArray& array, std::size_t offset, bool) {
          static_cast<volatile std::byte*>(array.user())[offset] = std::byte{1};
          return true;
        });
        static_cast<volatile std::byte*>(protectedArray().user())[16] = std::byte{1};
      },
      testing::KilledBySignal(SIGABRT), "service thread touched a protected page");
}

TEST_F(FaultDeath, faultInsideTheRuntimeDoesNotHang) {
  EXPECT_EXIT(
      {
        startService([](HostArray&, std::size_t, bool) { return true; });
        HostArray& array = protectedArray();
        const rt::RuntimeSection section;
        static_cast<volatile std::byte*>(array.user())[16] = std::byte{1};
      },
      testing::KilledBySignal(SIGABRT), "while the runtime works in this thread");
}

}  // namespace
}  // namespace muster::test
