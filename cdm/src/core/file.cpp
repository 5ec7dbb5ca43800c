// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole-file input and output.
#include "muster/cdm/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace muster::cdm {

std::string readFile(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();  // an iterator would throw where the read fails: a folder, or /proc of a process that just ended
  return text.bad() ? "" : text.str();
}

namespace {

// 0 or errno.
int writeAll(int descriptor, const std::string& content) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t n = write(descriptor, content.data() + done, content.size() - done);
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return 0;
}

// A new file beside `file`, or -1; its name. Names of processes that died may be taken.
int createBeside(const std::filesystem::path& file, mode_t mode, std::string& name) {
  static std::atomic<unsigned> next{0};
  constexpr unsigned kMostTries = 1000;
  for (unsigned tries = 0; tries < kMostTries; ++tries) {
    name = fmt::format("{}.{}.{}", file.string(), getpid(), next++);
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

}  // namespace

Status replaceFile(const std::filesystem::path& file, const std::string& content, mode_t mode) {
  std::string temporary;
  const int descriptor = createBeside(file, mode, temporary);
  if (descriptor < 0) return {Errc::io, fmt::format("cannot write {}: {}", file.string(), std::strerror(errno))};
  int error = writeAll(descriptor, content);
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return {};
  (void)unlink(temporary.c_str());
  return {Errc::io, fmt::format("cannot write {}: {}", file.string(), std::strerror(error))};
}

}  // namespace muster::cdm
