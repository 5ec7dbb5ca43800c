// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/sets/tune_log.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "report/report.h"

namespace muster::rt {

std::string describe(const Tuner::Step& step) {
  const std::string timed =
      step.secondsPerLaunch > 0 ? fmt::format(" takes {} per launch", formatSeconds(step.secondsPerLaunch)) : "";
  return fmt::format("device set {}{}; {}: {}", step.set, timed, step.decision, step.reason);
}

Result<std::unique_ptr<TuneLog>> TuneLog::open(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr)
    return Status(Errc::invalidArgument,
                  fmt::format("MUSTER_TUNE_LOG={}: cannot be written: {}", path, std::strerror(errno)));
  fmt::print(file, "elapsed s\tloop\tset\tus per launch\tmove us\tround us\tdecision\treason\n");
  return std::unique_ptr<TuneLog>(new TuneLog(path, file));
}

void TuneLog::write(const Tuner::Step& step, const std::string& loop) {
  fmt::print(file_.get(), "{:.6f}\t{}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{}\t{}\n", step.elapsed, loop, step.set,
             step.secondsPerLaunch * 1e6, step.movingSeconds * 1e6, step.roundSeconds * 1e6, step.decision,
             step.reason);
  std::fflush(file_.get());
}

Status TuneLog::close() {
  const bool failed = std::ferror(file_.get()) != 0;
  const bool closed = std::fclose(file_.release()) == 0;
  if (!failed && closed) return {};
  return {Errc::invalidArgument, fmt::format("MUSTER_TUNE_LOG={}: not all of it could be written", path_)};
}

}  // namespace muster::rt
