// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// muster-info: the ranks, hosts and devices that a job would run on, why a device is left out, how fast they are, and
// the versions of everything underneath. Under mpirun rank 0 prints for all ranks.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "inspect.h"
#include "muster/abi.h"
#include "muster/cdm/launcher.h"
#include "muster/cdm/transports.h"
#include "print.h"

namespace muster::info {
namespace {

struct Options {
  InspectOptions inspect;
  bool json = false;
};

Result<std::unique_ptr<cdm::Transport>> makeTransport(int* argc, char*** argv) {
  if (cdm::underMpiLauncher()) return cdm::makeMpiTransport(argc, argv);
  return cdm::makeLocalTransport();
}

// Rank 0's exit code; the others' is 0 unless the job itself fails.
Result<int> report(cdm::Transport& transport, const Options& options) {
  const Result<Inspection> mine = inspect(transport, options.inspect);
  if (!mine) return mine.status();
  Result<std::vector<RankReport>> ranks = gatherReports(transport, mine->report);
  if (!ranks) return ranks.status();
  if (options.inspect.measures) MUSTER_TRY(measureLinks(transport, *mine, *ranks));
  if (transport.rank() != 0) return 0;
  const JobReport job{MUSTER_VERSION, transport.name(), transport.libraryVersion(), MUSTER_ABI_VERSION,
                      std::move(*ranks)};
  std::cout << (options.json ? toJson(job) + "\n" : toText(job)) << std::flush;
  return job.failed() || !std::cout ? 1 : 0;
}

int run(int argc, char** argv) {
  CLI::App app("Shows what a Muster job runs on. Start it like the job: alone, or with mpirun.", "muster-info");
  Options options;
  bool quick = false, fresh = false;
  app.add_flag("--json", options.json, "print JSON");
  app.add_flag("--quick", quick, "do not measure");
  app.add_flag("--fresh", fresh, "measure anew instead of taking speeds from the cache");
  app.add_option("--devices", options.inspect.selection, "the devices to use, as in MUSTER_DEVICES")
      ->envname("MUSTER_DEVICES");
  app.set_version_flag("--version", std::string(MUSTER_VERSION));
  CLI11_PARSE(app, argc, argv);
  options.inspect.measures = !quick;
  options.inspect.usesCache = !fresh;

  Result<std::unique_ptr<cdm::Transport>> transport = makeTransport(&argc, &argv);
  if (!transport) {
    std::cerr << "muster-info: " << transport.status().message() << '\n';
    return 1;
  }
  const Result<int> code = report(**transport, options);
  if (!code) {
    std::cerr << "muster-info: " << code.status().message() << '\n';
    (*transport)->abort(1);
  }
  const Status ended = (*transport)->shutdown();
  if (!ended.ok()) std::cerr << "muster-info: " << ended.message() << '\n';
  return ended.ok() ? *code : 1;
}

}  // namespace
}  // namespace muster::info

int main(int argc, char** argv) { return muster::info::run(argc, argv); }
