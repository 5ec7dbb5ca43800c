// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where Muster keeps what is costly to find out again: program binaries, device speeds.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "muster/cdm/host.h"

namespace muster::cdm {

namespace {

namespace fs = std::filesystem;

fs::path wantedDirectory() {
  const auto variable = [](const char* name) {
    const char* text = std::getenv(name);
    return fs::path(text ? text : "");
  };
  if (fs::path own = variable("MUSTER_CACHE_DIR"); !own.empty()) return own;
  if (fs::path xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return xdg / "muster";
  if (fs::path home = variable("HOME"); !home.empty()) return home / ".cache" / "muster";
  return {};
}

// What is wrong with using this folder, "" if nothing. Somebody else's folder could hold programs of theirs.
std::string problemWith(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory.parent_path(), error);
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return fmt::format("cannot be created: {}", std::strerror(errno));
  struct stat status{};
  if (stat(directory.c_str(), &status) != 0) return fmt::format("cannot be read: {}", std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) return "is no folder";
  if (status.st_uid != geteuid()) return fmt::format("belongs to user {}, not to {}", status.st_uid, geteuid());
  if (status.st_mode & (S_IWGRP | S_IWOTH)) return "can be written by other users (chmod 700 it)";
  if (access(directory.c_str(), W_OK | X_OK) != 0) return fmt::format("cannot be written: {}", std::strerror(errno));
  return "";
}

}  // namespace

fs::path cacheDirectory(const std::function<void(const std::string&)>& warn) {
  fs::path directory = wantedDirectory();
  if (!directory.has_filename() && directory.has_parent_path()) directory = directory.parent_path();
  std::string problem;
  if (directory.empty())
    problem = "none of MUSTER_CACHE_DIR, XDG_CACHE_HOME and HOME is set";
  else if (directory.is_relative())
    problem = fmt::format("{} is not an absolute path", directory.string());
  else if (std::string reason = problemWith(directory); !reason.empty())
    problem = fmt::format("{} {}", directory.string(), reason);
  if (problem.empty()) return directory;
  if (warn)
    warn(
        fmt::format("no cache directory: {}; programs are compiled and devices measured at every start (set "
                    "MUSTER_CACHE_DIR to a folder of your own)",
                    problem));
  return {};
}

}  // namespace muster::cdm
