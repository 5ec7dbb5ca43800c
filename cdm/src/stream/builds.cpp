// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/builds.h"

#include <fmt/format.h>

#include "muster/cdm/benchmark_kernel.h"
#include "muster/cdm/clock.h"

namespace muster::cdm {

Builds::Builds(Driver& driver, const StreamOptions& options)
    : driver_(driver),
      failBuilds_(options.failBuilds),
      keptIn_(driver.limits().keepsBinaries ? options.cacheDirectory : std::filesystem::path()),
      built_(options.built) {}

bool Builds::isToFail(const KernelCode& code) const { return failBuilds_ && code.id != benchmarkKernelId; }

Result<Owned<DriverKernel>> Builds::build(const KernelBuild& build) {
  const KernelCode& code = build.code;
  const auto refused = [&](const Status& why, const char* what) {
    if (why.code() != Errc::buildFailed) return why;
    return Status(why.code(), fmt::format("{}: kernel {} ({}) {}: {}", driver_.info().name, code.name, code.location,
                                          what, why.message()));
  };
  if (driver_.textOf(code).empty())
    return Status(Errc::unsupported, fmt::format("{}: kernel {} ({}) has no text for such a device",
                                                 driver_.info().name, code.name, code.location));
  const Result<Owned<DriverProgram>> built = program(code, driver_.optionsOf(build));
  if (!built) return refused(built.status(), "does not build");
  Result<Owned<DriverKernel>> kernel = driver_.kernelOf(built->get(), build);
  if (!kernel) return refused(kernel.status(), "is not in its program");
  return kernel;
}

bool Builds::isKept(const KernelBuild& build) const {
  return driver_.limits().keepsBinaries &&
         !driver_.cache().load(driver_.keyOf(build.code, driver_.optionsOf(build))).empty();
}

Result<Owned<DriverProgram>> Builds::program(const KernelCode& code, const std::string& options) {
  const bool keeps = driver_.limits().keepsBinaries;
  const std::string key = driver_.keyOf(code, options);
  if (keeps && !isToFail(code))
    if (const std::string binary = driver_.cache().load(key); !binary.empty())
      if (Owned<DriverProgram> loaded = driver_.load(binary, options)) return loaded;
  const std::int64_t began = traceClock();
  Result<Owned<DriverProgram>> built = compile(code, options);
  if (built_) built_(secondsSince(began), keptIn_);
  if (keeps && built) driver_.cache().store(key, driver_.binaryOf(built->get()));
  return built;
}

Result<Owned<DriverProgram>> Builds::compile(const KernelCode& code, const std::string& options) {
  if (!isToFail(code)) return driver_.compile(driver_.textOf(code), options);
  return driver_.compile(driver_.textOf(code) + "\n#error MUSTER_INJECT=build-failure is set\n", options);
}

}  // namespace muster::cdm
