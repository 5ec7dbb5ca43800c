// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System calls and stdio with buffers whose pages are protected, because their values are on a device: without
// interposition the kernel answers EFAULT.
#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "host_fake_session.h"
#include "muster/abi.h"

// Declared by glibc only for programs built with _FORTIFY_SOURCE.
extern "C" ssize_t __read_chk(int fd, void* buffer, size_t bytes, size_t room);
extern "C" ssize_t __pread_chk(int fd, void* buffer, size_t bytes, off_t offset, size_t room);
extern "C" ssize_t __pread64_chk(int fd, void* buffer, size_t bytes, off64_t offset, size_t room);
extern "C" size_t __fread_chk(void* buffer, size_t room, size_t size, size_t count, FILE* file);
extern "C" size_t __fread_unlocked_chk(void* buffer, size_t room, size_t size, size_t count, FILE* file);
extern "C" ssize_t __recv_chk(int fd, void* buffer, size_t bytes, size_t room, int flags);
extern "C" ssize_t __recvfrom_chk(int fd, void* buffer, size_t bytes, size_t room, int flags, sockaddr* from,
                                  socklen_t* length);

namespace {

const muster_array_site kSite = {{"prog.cpp", 12, 3}, "u", "int", 4, MUSTER_TYPE_I32, MUSTER_PARTITIONED, 0, ""};
constexpr std::size_t kCount = 16'384;
constexpr std::size_t kBytes = kCount * sizeof(std::int32_t);
constexpr auto kSize = static_cast<ssize_t>(kBytes);

class InterposedIo : public testing::Test {
 protected:
  void SetUp() override {
    fakeSessionBegin();
    array_ = static_cast<std::int32_t*>(muster_array_create(&kSite, kCount));
    char name[] = "/tmp/muster-io-XXXXXX";
    file_ = mkstemp(name);
    ASSERT_GE(file_, 0);
    path_ = name;
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_), 0);
    const int size = 1 << 20;
    setsockopt(sockets_[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  }
  void TearDown() override {
    muster_free(array_);
    fakeSessionEnd();
    close(file_);
    for (const int socket : sockets_) close(socket);
    unlink(path_.c_str());
  }

  // The array holds from, from + 1, ... and these values are on the device only.
  void fillAndMove(std::int32_t from) {
    std::iota(array_, array_ + kCount, from);
    fakeMoveToDevice(array_);
  }
  std::vector<std::int32_t> expected(std::int32_t from) const {
    std::vector<std::int32_t> values(kCount);
    std::iota(values.begin(), values.end(), from);
    return values;
  }
  // `call` writes the array to the file from its start.
  void expectWrites(const std::function<bool()>& call) {
    fillAndMove(++seed_ * 1000);
    ASSERT_EQ(ftruncate(file_, 0), 0);
    lseek(file_, 0, SEEK_SET);
    const std::size_t accesses = fakeHostAccesses();
    const std::size_t faults = fakeFaults();
    ASSERT_TRUE(call()) << strerror(errno);
    EXPECT_GT(fakeHostAccesses(), accesses);
    EXPECT_EQ(fakeFaults(), faults);
    std::ifstream stream(path_, std::ios::binary);
    std::vector<std::int32_t> values(kCount);
    stream.read(reinterpret_cast<char*>(values.data()), kBytes);
    ASSERT_EQ(stream.gcount(), kSize);
    EXPECT_EQ(values, expected(seed_ * 1000));
  }
  // `call` reads the file from its start into the array.
  void expectReads(const std::function<bool()>& call) {
    const std::vector<std::int32_t> values = expected(++seed_ * 1000);
    ASSERT_EQ(pwrite(file_, values.data(), kBytes, 0), kSize);
    lseek(file_, 0, SEEK_SET);
    fillAndMove(-5);
    const std::size_t faults = fakeFaults();
    ASSERT_TRUE(call()) << strerror(errno);
    EXPECT_EQ(fakeFaults(), faults);
    EXPECT_EQ(std::vector<std::int32_t>(array_, array_ + kCount), values);
  }

  std::int32_t* array_ = nullptr;
  int file_ = -1;
  int sockets_[2] = {-1, -1};
  std::string path_;
  std::int32_t seed_ = 0;
};

void codeOfThisObject() {}

// libomp's calls are given what is left over in registers, while its threads wait for one another.
TEST_F(InterposedIo, callsOfForeignLibrariesFetchNothing) {
  fillAndMove(7);
  fakeForeignCaller(reinterpret_cast<const void*>(&fakeForeignCaller));
  EXPECT_EQ(write(file_, array_, kBytes), kSize);  // that library is another
  fillAndMove(7);
  const std::size_t accesses = fakeHostAccesses();
  fakeForeignCaller(reinterpret_cast<const void*>(&codeOfThisObject));
  EXPECT_EQ(syscall(SYS_getpid, 0, 0, 0, array_, array_, array_), getpid());
  EXPECT_EQ(write(file_, array_, kBytes), -1);
  fakeForeignCaller(nullptr);
  EXPECT_EQ(fakeHostAccesses(), accesses);
  EXPECT_EQ(write(file_, array_, kBytes), kSize);
  EXPECT_GT(fakeHostAccesses(), accesses);
}

// A driver's calls in a command, which a fetch would wait for.
TEST_F(InterposedIo, callsOfTheRuntimeFetchNothing) {
  fillAndMove(7);
  const std::size_t accesses = fakeHostAccesses();
  fakeRuntimeSection(true);
  EXPECT_EQ(syscall(SYS_dup3, -1, 0, 0, array_, array_, array_), -1);
  EXPECT_EQ(write(file_, array_, kBytes), -1);
  fakeRuntimeSection(false);
  EXPECT_EQ(fakeHostAccesses(), accesses);
  EXPECT_EQ(write(file_, array_, kBytes), kSize);
  EXPECT_GT(fakeHostAccesses(), accesses);
}

// Registers that a call has no parameters for still hold what was in them.
TEST_F(InterposedIo, wordsBeyondTheParametersAreNoArguments) {
  fillAndMove(7);
  const std::size_t accesses = fakeHostAccesses();
  using SixWords = long(long, long, long, long, long, long);
  const auto call = [&](const char* name, long second) {
    auto* const function = reinterpret_cast<SixWords*>(dlsym(RTLD_DEFAULT, name));
    const auto array = reinterpret_cast<long>(array_);
    return function(reinterpret_cast<long>(path_.c_str()), second, array, array, array, array);
  };
  EXPECT_EQ(call("access", R_OK), 0);
  EXPECT_EQ(call("chmod", 0600), 0);
  EXPECT_EQ(call("mkdir", 0700), -1);
  const auto file = static_cast<int>(call("memfd_create", 0));
  EXPECT_GE(file, 0);
  close(file);
  EXPECT_EQ(fakeHostAccesses(), accesses);
}

TEST_F(InterposedIo, writes) {
  iovec parts[2] = {{array_, kBytes / 2}, {array_ + kCount / 2, kBytes / 2}};
  expectWrites([&] { return write(file_, array_, kBytes) == kSize; });
  expectWrites([&] { return pwrite(file_, array_, kBytes, 0) == kSize; });
  expectWrites([&] { return pwrite64(file_, array_, kBytes, 0) == kSize; });
  expectWrites([&] { return writev(file_, parts, 2) == kSize; });
  expectWrites([&] { return pwritev(file_, parts, 2, 0) == kSize; });
  expectWrites([&] { return pwritev64(file_, parts, 2, 0) == kSize; });
}

TEST_F(InterposedIo, reads) {
  iovec parts[2] = {{array_, kBytes / 2}, {array_ + kCount / 2, kBytes / 2}};
  expectReads([&] { return read(file_, array_, kBytes) == kSize; });
  expectReads([&] { return pread(file_, array_, kBytes, 0) == kSize; });
  expectReads([&] { return pread64(file_, array_, kBytes, 0) == kSize; });
  expectReads([&] { return readv(file_, parts, 2) == kSize; });
  expectReads([&] { return preadv(file_, parts, 2, 0) == kSize; });
  expectReads([&] { return preadv64(file_, parts, 2, 0) == kSize; });
}

TEST_F(InterposedIo, fortifiedReads) {
  expectReads([&] { return __read_chk(file_, array_, kBytes, kBytes) == kSize; });
  expectReads([&] { return __pread_chk(file_, array_, kBytes, 0, kBytes) == kSize; });
  expectReads([&] { return __pread64_chk(file_, array_, kBytes, 0, kBytes) == kSize; });
}

TEST_F(InterposedIo, stdio) {
  FILE* file = fopen(path_.c_str(), "r+b");
  ASSERT_NE(file, nullptr);
  const auto again = [&] { return freopen(path_.c_str(), "r+b", file) != nullptr; };
  expectWrites([&] { return again() && fwrite(array_, 4, kCount, file) == kCount && fflush(file) == 0; });
  expectWrites([&] { return again() && fwrite_unlocked(array_, 4, kCount, file) == kCount && fflush(file) == 0; });
  expectReads([&] { return again() && fread(array_, 4, kCount, file) == kCount; });
  expectReads([&] { return again() && fread_unlocked(array_, 4, kCount, file) == kCount; });
  expectReads([&] { return again() && __fread_chk(array_, kBytes, 4, kCount, file) == kCount; });
  expectReads([&] { return again() && __fread_unlocked_chk(array_, kBytes, 4, kCount, file) == kCount; });
  fclose(file);
}

TEST_F(InterposedIo, streams) {
  const auto* bytes = reinterpret_cast<const char*>(array_);
  expectWrites([&] {
    std::ofstream stream(path_, std::ios::binary);
    stream.write(bytes, kBytes);
    stream.close();
    return static_cast<bool>(stream);
  });
  expectReads([&] {
    std::ifstream stream(path_, std::ios::binary);
    stream.read(reinterpret_cast<char*>(array_), kBytes);
    return static_cast<bool>(stream);
  });
}

TEST_F(InterposedIo, sockets) {
  std::vector<std::int32_t> other(kCount);
  iovec part{array_, kBytes};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  const std::function<ssize_t()> sends[] = {[&] { return send(sockets_[0], array_, kBytes, 0); },
                                            [&] { return sendto(sockets_[0], array_, kBytes, 0, nullptr, 0); },
                                            [&] { return sendmsg(sockets_[0], &message, 0); }};
  for (const auto& call : sends) {
    fillAndMove(++seed_);
    const std::size_t faults = fakeFaults();
    ASSERT_EQ(call(), kSize) << strerror(errno);
    EXPECT_EQ(fakeFaults(), faults);
    ASSERT_EQ(recv(sockets_[1], other.data(), kBytes, MSG_WAITALL), kSize);
    EXPECT_EQ(other, expected(seed_));
  }
  const std::function<ssize_t()> receives[] = {
      [&] { return recv(sockets_[1], array_, kBytes, MSG_WAITALL); },
      [&] { return recvfrom(sockets_[1], array_, kBytes, MSG_WAITALL, nullptr, nullptr); },
      [&] { return recvmsg(sockets_[1], &message, MSG_WAITALL); },
      [&] { return __recv_chk(sockets_[1], array_, kBytes, kBytes, MSG_WAITALL); },
      [&] { return __recvfrom_chk(sockets_[1], array_, kBytes, kBytes, MSG_WAITALL, nullptr, nullptr); }};
  for (const auto& call : receives) {
    const std::vector<std::int32_t> values = expected(++seed_);
    ASSERT_EQ(send(sockets_[0], values.data(), kBytes, 0), kSize);
    fillAndMove(-7);
    const std::size_t faults = fakeFaults();
    ASSERT_EQ(call(), kSize) << strerror(errno);
    EXPECT_EQ(fakeFaults(), faults);
    EXPECT_EQ(std::vector<std::int32_t>(array_, array_ + kCount), values);
  }
}

// A read that gets less than it asked for leaves the rest of the buffer as the device had it.
// The C library reads into them by calls of its own.
TEST_F(InterposedIo, buffersOfStreams) {
  using Give = void(FILE*, char*);
  Give* const ways[] = {[](FILE* file, char* buffer) { EXPECT_EQ(setvbuf(file, buffer, _IOFBF, kBytes), 0); },
                        [](FILE* file, char* buffer) { setbuffer(file, buffer, kBytes); }, setbuf};
  ASSERT_EQ(pwrite(file_, "ten bytes.", 10, 0), 10);
  for (Give* const give : ways)
    for (const bool managed : {true, false}) {
      fillAndMove(3);
      char own[BUFSIZ + kBytes];
      FILE* const file = fopen(path_.c_str(), "r");
      ASSERT_NE(file, nullptr);
      give(file, managed ? reinterpret_cast<char*>(array_) : own);
      char text[11] = {};
      EXPECT_EQ(fread(text, 1, 10, file), 10u);
      EXPECT_STREQ(text, "ten bytes.");
      fclose(file);
    }
}

TEST_F(InterposedIo, aFutexIsReadByTheSystem) {
  fillAndMove(3);
  timespec soon{0, 1'000'000};
  EXPECT_EQ(syscall(SYS_futex, array_, FUTEX_WAIT, 3, &soon, nullptr, 0), -1);
  EXPECT_EQ(errno, ETIMEDOUT);
}

TEST_F(InterposedIo, shortReadKeepsTheRest) {
  fillAndMove(0);
  const std::int32_t values[] = {70, 71, 72};
  ASSERT_EQ(write(file_, values, sizeof values), static_cast<ssize_t>(sizeof values));
  lseek(file_, 0, SEEK_SET);
  ASSERT_EQ(read(file_, array_, kBytes), static_cast<ssize_t>(sizeof values));
  EXPECT_EQ(array_[2], 72);
  for (std::size_t i = 3; i < kCount; ++i) ASSERT_EQ(array_[i], static_cast<std::int32_t>(i));
}

TEST_F(InterposedIo, plainBuffersAndErrorsPassThrough) {
  char buffer[16] = "plain";
  ASSERT_EQ(write(file_, buffer, 5), 5);
  EXPECT_EQ(pread(file_, buffer, sizeof buffer, 0), 5);
  errno = 0;
  EXPECT_EQ(read(-1, buffer, 1), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(read(file_, nullptr, 0), 0);
  EXPECT_EQ(fakeHostAccesses(), 0u);
}

}  // namespace
