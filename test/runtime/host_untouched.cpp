// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of an array nobody ever touched: never too many, whichever way bytes are written, and most of them; the
// files that are kept open for it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "host/memory/host_memory.h"

namespace {

// A page of data that lseek does not see, as while the kernel moves it; 0: none.
off_t pageOnTheMove = 0;

}  // namespace

extern "C" off_t lseek(int file, off_t offset, int whence) noexcept {
  const auto ask = [&](off_t from) { return static_cast<off_t>(syscall(SYS_lseek, file, from, whence)); };
  const off_t found = ask(offset);
  return whence == SEEK_DATA && pageOnTheMove != 0 && found == pageOnTheMove ? ask(found + 4096) : found;
}

namespace muster::rt {
namespace {

constexpr std::size_t kKilo = 1024, kMega = kKilo * kKilo, kPage = 4096;
constexpr std::size_t kLeast = 64 * kKilo;

HostArray& allocate(std::size_t bytes, bool mirrored = true) {
  auto array = hostMemory().allocate(bytes, 1, mirrored);
  if (!array) throw std::runtime_error(array.status().message());
  return **array;
}

std::size_t total(const std::vector<ByteRange>& ranges) {
  std::size_t sum = 0;
  for (const ByteRange& range : ranges) sum += range.hi - range.lo;
  return sum;
}

// Where the system gives shared memory huge pages, a byte that is touched touches two megabytes.
bool smallPages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
  std::string text;
  std::getline(file, text);
  return text.empty() || text.find("[never]") != std::string::npos || text.find("[deny]") != std::string::npos;
}

// Since Linux 6.5, if containers do not forbid it: whether holes beside memory can be told for sure.
bool countsPages() {
  const int file = memfd_create("probe", MFD_CLOEXEC);
  const std::uint64_t range[2] = {0, 4096};
  std::uint64_t pages[5];
  const bool counts = syscall(451, file, range, pages, 0) == 0;
  close(file);
  return counts;
}

bool readable(const std::byte* place) {
  const auto value = std::to_integer<int>(*static_cast<const volatile std::byte*>(place));
  return value >= 0;
}

// Numbers of the files that are the memory of arrays.
std::vector<int> filesOfArrays() {
  std::vector<int> files;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target == "/memfd:muster (deleted)") files.push_back(std::stoi(entry.path().filename()));
  }
  return files;
}

TEST(Untouched, isAllOfANewArray) {
  HostArray& array = allocate(64 * kMega);
  EXPECT_EQ(array.untouched(0, 64 * kMega, kLeast), (std::vector<ByteRange>{{0, 64 * kMega}}));
  EXPECT_EQ(array.untouched(12345, 5 * kMega + 1, kLeast), (std::vector<ByteRange>{{12345, 5 * kMega + 1}}));
  EXPECT_TRUE(array.untouched(0, kLeast - 1, kLeast).empty());
  EXPECT_TRUE(array.untouched(7, 7, kLeast).empty());
  EXPECT_TRUE(array.untouched(0, 65 * kMega, kLeast).empty()) << "not inside the array";
  hostMemory().release(array);
}

TEST(Untouched, isNothingOfAnArrayThatWasWritten) {
  HostArray& array = allocate(8 * kMega);
  std::memset(array.user(), 0, array.bytes());
  EXPECT_TRUE(array.untouched(0, array.bytes(), kLeast).empty());
  hostMemory().release(array);
  HostArray& next = allocate(8 * kMega);
  EXPECT_EQ(total(next.untouched(0, next.bytes(), kLeast)), next.bytes()) << "a new array in the same place";
  hostMemory().release(next);
}

// Through the program's view, the runtime's one, by the system for the program, and by reading.
TEST(Untouched, neverHasWhatWasTouchedInAnyWay) {
  constexpr std::size_t kBytes = 48 * kMega + 100;
  HostArray& array = allocate(kBytes);
  std::vector<std::size_t> touched;
  std::mt19937 random(5);
  const int source = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(source, 0);
  for (unsigned round = 0; round < 60; ++round) {
    const std::size_t at = random() % kBytes;
    touched.push_back(at);
    if (round % 4 == 0) array.user()[at] = std::byte{1};
    if (round % 4 == 1) array.alias()[at] = std::byte{1};
    if (round % 4 == 2) ASSERT_EQ(pread(source, array.user() + at, 1, 0), 1);
    if (round % 4 == 3) EXPECT_TRUE(readable(array.user() + at));
    // Pages that lose their access keep their memory.
    const PageAccess access = round % 2 == 0 ? PageAccess::none : PageAccess::read;
    ASSERT_TRUE(hostMemory().setAccess(array, 0, kBytes, access).ok());
    const std::size_t lo = random() % kBytes, hi = lo + random() % (kBytes - lo);
    std::size_t last = lo;
    for (const ByteRange& range : array.untouched(lo, hi, kLeast)) {
      EXPECT_LE(last, range.lo);
      EXPECT_GE(range.hi - range.lo, kLeast);
      EXPECT_LE(range.hi, hi);
      last = range.hi;
      for (const std::size_t place : touched) EXPECT_FALSE(range.lo <= place && place < range.hi) << place;
    }
    ASSERT_TRUE(hostMemory().setAccess(array, 0, kBytes, PageAccess::readWrite).ok());
  }
  close(source);
  // What is left is most of it: each touch costs a page, and what is stepped over behind it.
  if (smallPages() && countsPages()) {
    EXPECT_GE(total(array.untouched(0, kBytes, kLeast)), kBytes - touched.size() * 3 * kLeast);
  }
  hostMemory().release(array);
}

TEST(Untouched, isMostOfWhatLiesBetweenWrittenParts) {
  if (!smallPages()) GTEST_SKIP() << "shared memory has huge pages here";
  if (!countsPages()) GTEST_SKIP() << "the system does not count pages";
  HostArray& array = allocate(64 * kMega);
  for (std::size_t at = 0; at < 64; at += 2) std::memset(array.user() + at * kMega, 1, kMega);
  const std::vector<ByteRange> ranges = array.untouched(0, 64 * kMega, kLeast);
  EXPECT_EQ(ranges.size(), 32u);
  EXPECT_GE(total(ranges), 24 * kMega);
  // Single pages in the middle of much.
  HostArray& sparse = allocate(64 * kMega);
  for (std::size_t at = 0; at < 64; ++at) sparse.user()[at * kMega + 5 * kPage] = std::byte{1};
  EXPECT_GE(total(sparse.untouched(0, 64 * kMega, kLeast)), 56 * kMega);
  hostMemory().release(array);
  hostMemory().release(sparse);
}

// lseek takes a page for a hole that the kernel moves at that moment.
TEST(Untouched, neverHasAPageThatTheKernelMoves) {
  HostArray& array = allocate(8 * kMega);
  constexpr std::size_t kPlace = 5 * kMega;
  array.user()[kPlace] = std::byte{1};
  off_t data = lseek(filesOfArrays().front(), 0, SEEK_DATA);
  ASSERT_GT(data, 0);
  pageOnTheMove = data;
  const std::vector<ByteRange> ranges = array.untouched(0, array.bytes(), kLeast);
  pageOnTheMove = 0;
  for (const ByteRange& range : ranges) EXPECT_FALSE(range.lo <= kPlace && kPlace < range.hi);
  hostMemory().release(array);
}

TEST(Untouched, takesNoMemoryToAskFor) {
  HostArray& array = allocate(256 * kMega);
  const auto resident = [] {
    std::ifstream statm("/proc/self/statm");
    std::size_t all = 0, pages = 0;
    statm >> all >> pages;
    return pages * kPage;
  };
  const std::size_t before = resident();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(total(array.untouched(0, array.bytes(), kLeast)), array.bytes());
  EXPECT_LT(resident(), before + 4 * kMega);
  hostMemory().release(array);
}

TEST(Untouched, isNotKnownOfPlainAndSmallArrays) {
  HostArray& plain = allocate(8 * kMega, false);
  HostArray& small = allocate(512 * kKilo);
  EXPECT_TRUE(plain.untouched(0, plain.bytes(), kLeast).empty());
  EXPECT_TRUE(small.untouched(0, small.bytes(), kLeast).empty());
  ASSERT_TRUE(hostMemory().mirror(plain).ok());
  plain.user()[0] = std::byte{1};
  if (countsPages()) {
    EXPECT_GE(total(plain.untouched(0, plain.bytes(), kLeast)), 4 * kMega) << "known once it is mirrored";
  }
  hostMemory().release(plain);
  hostMemory().release(small);
}

struct alignas(kPage) Static {
  unsigned char bytes[8 * kMega];
};
Static storage;

TEST(Untouched, isKnownOfStaticStorageThatIsMirrored) {
  storage.bytes[100] = 1;
  storage.bytes[5 * kMega] = 2;
  const auto array = hostMemory().adopt(&storage, sizeof storage, true);
  ASSERT_TRUE(array);
  const std::vector<ByteRange> ranges = (*array)->untouched(0, sizeof storage, kLeast);
  if (countsPages()) EXPECT_GE(total(ranges), 2 * kMega);
  for (const ByteRange& range : ranges)
    for (const std::size_t place : {std::size_t{100}, 5 * kMega}) EXPECT_FALSE(range.lo <= place && place < range.hi);
  hostMemory().release(**array);
  EXPECT_EQ(storage.bytes[5 * kMega], 2);
}

// ---------------------------------------------------------------- files

TEST(FilesOfArrays, areAPartOfWhatTheProgramMayOpen) {
  const std::size_t before = filesOfArrays().size();
  rlimit limit;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  std::vector<HostArray*> arrays;
  for (int i = 0; i < 400; ++i) arrays.push_back(&allocate(kMega));
  EXPECT_LE(filesOfArrays().size(), std::min<std::size_t>(256, limit.rlim_cur / 4));
  for (HostArray* array : arrays) {
    const std::vector<ByteRange> ranges = array->untouched(0, kMega, kLeast);
    EXPECT_TRUE(ranges.empty() || total(ranges) == kMega);
    hostMemory().release(*array);
  }
  EXPECT_EQ(filesOfArrays().size(), before);
  // Fewer may be open now: arrays do without.
  rlimit few = limit;
  few.rlim_cur = 40;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  arrays.clear();
  for (int i = 0; i < 60; ++i) arrays.push_back(&allocate(kMega));
  EXPECT_LE(filesOfArrays().size(), 10u);
  for (HostArray* array : arrays) hostMemory().release(*array);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST(FilesOfArrays, leaveLowNumbersToTheProgram) {
  const int before = dup(0);
  close(before);
  HostArray& array = allocate(kMega);
  for (const int file : filesOfArrays()) EXPECT_GT(file, before);
  const int after = dup(0);
  EXPECT_EQ(after, before);
  close(after);
  hostMemory().release(array);
}

// Programs that become daemons close all files, known or not, and open others in their place.
TEST(FilesOfArrays, mayBeClosedByTheProgram) {
  HostArray& array = allocate(8 * kMega);
  const std::vector<int> files = filesOfArrays();
  ASSERT_EQ(files.size(), 1u);
  close(files[0]);
  EXPECT_TRUE(array.untouched(0, array.bytes(), kLeast).empty());
  const int other = memfd_create("other", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(other, 8 * kMega), 0);
  ASSERT_EQ(dup2(other, files[0]), files[0]);
  close(other);
  EXPECT_TRUE(array.untouched(0, array.bytes(), kLeast).empty()) << "another file with holes";
  EXPECT_EQ(lseek(files[0], 0, SEEK_CUR), 0) << "it is none of ours to move in";
  array.user()[5] = std::byte{7};
  EXPECT_EQ(array.alias()[5], std::byte{7});
  hostMemory().release(array);
  EXPECT_EQ(fcntl(files[0], F_GETFD), 0) << "nor to close";
  close(files[0]);
}

}  // namespace
}  // namespace muster::rt
