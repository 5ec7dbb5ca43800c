// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// muster-trace: what a trace of MUSTER_TRACE says: who computed, moved and waited how long and why, and a drawing.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "draw.h"
#include "summary.h"
#include "trace.h"

namespace muster::trace {
namespace {

int fail(const std::string& path, const std::string& why) {
  std::cerr << "muster-trace: " << path << ": " << why << '\n';
  return 1;
}

int run(int argc, char** argv) {
  CLI::App app("Shows what a trace of a Muster job says. MUSTER_TRACE=FILE writes one.", "muster-trace");
  std::vector<std::string> paths;
  std::string drawing;
  std::optional<double> from, to;
  app.add_option("FILE", paths, "the trace; of an MPI program the traces of its ranks")->required();
  app.add_option("--svg", drawing, "draw the timeline to this file instead");
  app.add_option("--from", from, "leave out what is before this time, in seconds");
  app.add_option("--to", to, "leave out what is after this time, in seconds");
  app.set_version_flag("--version", std::string(MUSTER_VERSION));
  CLI11_PARSE(app, argc, argv);

  Trace trace;
  try {
    trace = readTraces(paths);
    if (from || to) cut(trace, from, to);
  } catch (const Unusable& why) {
    return fail(why.path.empty() ? paths.front() : why.path, why.what());
  }
  if (drawing.empty()) {
    std::cout << toText(trace) << std::flush;
    return std::cout ? 0 : 1;
  }
  std::ofstream out(drawing);
  out << toSvg(trace);
  out.close();
  return out ? 0 : fail(drawing, "cannot be written");
}

}  // namespace
}  // namespace muster::trace

int main(int argc, char** argv) { return muster::trace::run(argc, argv); }
