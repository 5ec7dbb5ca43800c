// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/faults/code_place.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstring>

#include "host/system/system_call.h"

namespace muster::rt {
namespace {

// Lines of a file, as far as they fit; without memory from the heap.
class Lines {
 public:
  explicit Lines(const char* path)
      : file_(static_cast<int>(systemCall.known()(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC))) {}
  ~Lines() {
    if (file_ >= 0) systemCall.known()(SYS_close, file_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // nullptr: there are no more.
  const char* next() {
    for (std::size_t length = 0;;) {
      if (at_ == end_ && !fill()) return nullptr;
      const char c = bytes_[at_++];
      if (c == '\n') {
        line_[length] = '\0';
        return line_;
      }
      if (length + 1 < sizeof line_) line_[length++] = c;
    }
  }

 private:
  bool fill() {
    const long got = file_ < 0 ? -1 : systemCall.known()(SYS_read, file_, bytes_, sizeof bytes_);
    at_ = 0;
    end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
    return got > 0;
  }

  int file_;
  std::size_t at_ = 0, end_ = 0;
  char bytes_[1024];
  char line_[512];
};

}  // namespace

CodePlace placeOfCode(const void* instruction) {
  const auto address = reinterpret_cast<std::uintptr_t>(instruction);
  CodePlace place;
  char file[sizeof place.file] = {};
  std::uintptr_t first = 0;  // where this file begins
  Lines maps("/proc/self/maps");
  while (const char* at = maps.next()) {  // begin-end rights offset device node path
    std::uintptr_t begin = 0, end = 0;
    const char* const lineEnd = at + std::strlen(at);
    at = std::from_chars(at, lineEnd, begin, 16).ptr;
    if (*at == '-') ++at;
    at = std::from_chars(at, lineEnd, end, 16).ptr;
    const char* path = std::strchr(at, '/');
    if (path == nullptr) path = "";
    if (std::strncmp(path, file, sizeof file - 1) != 0) {
      std::strncpy(file, path, sizeof file - 1);
      first = begin;
    }
    if (address < begin || address >= end) continue;
    std::memcpy(place.file, file, sizeof file);
    place.offset = address - first;
    break;
  }
  char program[sizeof place.file] = {};
  const long length = systemCall.known()(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", program, sizeof program - 1);
  place.ofProgram = length > 0 && std::strcmp(program, place.file) == 0;
  return place;
}

}  // namespace muster::rt
