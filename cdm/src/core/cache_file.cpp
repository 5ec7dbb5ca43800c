// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole-file input and output for the cache directory.
#include "core/cache_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace muster::cdm {

std::string readCacheFile(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return in ? std::string(std::istreambuf_iterator<char>(in), {}) : "";
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

}  // namespace

Status writeCacheFile(const std::filesystem::path& file, const std::string& content) {
  std::string temporary = file.string() + ".XXXXXX";
  const int descriptor = mkstemp(temporary.data());  // 0600
  if (descriptor < 0) return {Errc::io, fmt::format("cannot write {}: {}", file.string(), std::strerror(errno))};
  int error = writeAll(descriptor, content);
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return {};
  (void)unlink(temporary.c_str());
  return {Errc::io, fmt::format("cannot write {}: {}", file.string(), std::strerror(error))};
}

}  // namespace muster::cdm
