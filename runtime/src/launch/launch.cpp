// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point of every parallel loop: natively at once where there is nothing else, as a command to all ranks
// otherwise.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
#include <utility>

#include "host/system/runtime_section.h"
#include "host/system/session_use.h"
#include "launch/arguments.h"
#include "launch/borrowed.h"
#include "launch/serial.h"
#include "launch/stale_scalars.h"
#include "launch/step_back.h"
#include "muster/cdm/iterations.h"
#include "native/float_mode.h"
#include "native/openmp.h"
#include "native/run_native.h"
#include "registry/functions.h"
#include "registry/registry.h"
#include "session/program/held_arrays.h"
#include "session/program/session.h"
#include "tuner/in_place/in_place.h"

namespace muster::rt {

void noteStepBack(Session& session, const muster_kernel& kernel, const std::string& reason) {
  if (!session.reporting() || !session.report().countStepBack(kernel, reason)) return;
  if (session.config().info >= 1) fmt::print(stderr, "muster: {}: this loop runs {}\n", location(kernel.loc), reason);
}

namespace {

// The planner knows arrays by number.
std::string textOf(const cap::PlanReason& reason, const muster_kernel& kernel) {
  return reason.parameter < kernel.n_arrays ? reason.toString(kernel.arrays[reason.parameter].name) : reason.toString();
}

// Why devices that need the OpenCL text take no part; empty: they may.
std::string nativeReason(const muster_kernel& kernel, const Arguments& arguments) {
  if (kernel.opencl == nullptr) return kernel.opencl_reason != nullptr ? kernel.opencl_reason : "it has no OpenCL code";
  const KernelEntry* const entry = kernel.calls != nullptr ? registry().find(kernel.id) : nullptr;
  if (entry != nullptr && !entry->nativeReason.empty()) return "it " + entry->nativeReason;
  return arguments.nativeReason;
}

// Why not all devices took part, if so.
std::string stepBackReason(const muster_kernel& kernel, const Arguments& arguments, const cap::Plan& plan,
                           bool hasOpenCl) {
  const std::string native = nativeReason(kernel, arguments);
  if (plan.onHost) {
    if (!arguments.reason.empty()) return "on rank 0's CPU: " + arguments.reason;
    // Without CPU devices there is no other place for its native code.
    const bool isNative = plan.reason.kind == cap::PlanReason::Kind::askedForHost && !native.empty();
    return "on rank 0's CPU: " + (isNative ? native : textOf(plan.reason, kernel));
  }
  if (!plan.reason.empty()) return "on one device: " + textOf(plan.reason, kernel);
  return !hasOpenCl || native.empty() ? "" : "on CPU devices only: " + native;
}

void launchNatively(Session& session, const muster_launch& launch) {
  if (!session.reporting()) {
    runNative(launch, launch.arrays);
    return;
  }
  const std::int64_t beganNs = cap::traceClock();
  runNative(launch, launch.arrays);
  session.noteNative(launch, beganNs);
}

void launchInPlace(Session& session, const muster_launch& launch, bool hasParts) {
  const OneThreadLess room(session.inPlace()->builds() && !hasParts);
  const ChunkScope chunk;
  launchNatively(session, launch);
}

// Several launches became one, of this loop or of two in turn.
void countJoined(Session& session, const muster_kernel& kernel, const LaunchOutcome& outcome) {
  const auto& [first, second] = outcome.kernel->turns;
  if (first == nullptr) return session.report().countJoined(kernel, outcome.steps);
  session.report().countJoined(*first->descriptor, (outcome.steps + 1) / 2);
  session.report().countJoined(*second->descriptor, outcome.steps / 2);
}

// Level 2: one line per launch, timed with its devices; level 3: also the plan.
void trace(Session& session, const muster_kernel& kernel, const cap::Plan& plan, double seconds) {
  fmt::print(stderr, "muster: {} ({}): {}, {} moved{}\n", location(kernel.loc), kernel.name, formatSeconds(seconds),
             formatByteCount(static_cast<std::uint64_t>(plan.bytesMoved())), plan.onHost ? ", on the host" : "");
  if (session.config().info >= 3) fmt::print(stderr, "{}", plan.toString());
}

void noteBorrowed(Session& session, const muster_kernel& kernel, const BorrowedArrays& borrowed) {
  if (!borrowed.names().empty())
    noteStepBack(session, kernel,
                 "with copies of arrays that are not managed (" + borrowed.names() +
                     "), compared at every launch; marking them is cheaper");
  if (!borrowed.embeddedNames().empty())
    noteStepBack(session, kernel,
                 "with copies of arrays inside of objects (" + borrowed.embeddedNames() +
                     "), compared and written back at every launch; arrays of their own are cheaper");
}

// A function that the body calls may end the whole job at once, in the middle of another rank's chunk.
void keepOutput(Session& session, const muster_kernel& kernel) {
  const bool mayEnd = std::any_of(kernel.results, kernel.results + kernel.n_results,
                                  [](const auto& result) { return result.kind == MUSTER_PROGRAM_END; });
  if (mayEnd && session.ranks() > 1) std::fflush(stdout);
}

// Of a launch that began then; waits for the devices where each is to be traced.
void countLaunch(Session& session, const muster_kernel& kernel, const cap::PlanRef& plan, std::int64_t beganNs) {
  const bool traces = session.config().info >= 2;
  if (traces) {
    if (const Status status = session.controller().finishDevices(); !status.ok()) session.fail(status);
  }
  const double seconds = cap::secondsSince(beganNs);
  session.report().countLaunch(kernel, seconds, plan);
  if (traces) trace(session, kernel, *plan, seconds);
}

// whyInOrder: nullptr if iterations need not run in their order.
void launchEverywhere(Session& session, const muster_launch& given, const char* whyInOrder) {
  const std::int64_t beganNs = cap::traceClock();
  keepOutput(session, *given.kernel);
  BorrowedArrays borrowed(given);
  const muster_launch& launch = borrowed.launch();
  Arguments arguments = resolveArguments(launch, session.controller().spareCommand());
  if (whyInOrder != nullptr) arguments.reason = whyInOrder;
  const FloatMode::Scope own(FloatMode::standard());  // all ranks plan alike
  const auto outcome = session.controller().launch(
      std::move(arguments.command), {arguments.hostPointers.begin(), arguments.hostPointers.size()},
      {launch.results, launch.kernel->n_results}, {.mayWait = !borrowed.any(), .uneven = isUneven(launch)});
  if (!outcome.ok()) session.fail(outcome.status().at(fmt::format("loop at {}", location(launch.kernel->loc))));
  borrowed.writeBack();
  if (!session.reporting()) return;
  countLaunch(session, *launch.kernel, outcome->plan, beganNs);
  if (outcome->steps > 1) countJoined(session, *launch.kernel, *outcome);
  if (!outcome->note.empty()) noteStepBack(session, *launch.kernel, outcome->note);
  if (!outcome->hostReason.empty()) arguments.reason = outcome->hostReason;
  noteBorrowed(session, *launch.kernel, borrowed);
  const std::string reason = stepBackReason(*launch.kernel, arguments, *outcome->plan, session.hasOpenCl());
  if (!reason.empty()) noteStepBack(session, *launch.kernel, reason);
}

// False: it cannot run there, and nothing happened.
bool launchOnOneDevice(Session& session, const muster_launch& launch, std::uint32_t device) {
  const SessionUse use;
  if (Session::current() != &session) return false;
  const std::int64_t beganNs = cap::traceClock();
  Arguments arguments = resolveArguments(launch, session.controller().spareCommand());
  const std::string& reason = arguments.reason.empty() ? arguments.nativeReason : arguments.reason;
  if (!reason.empty()) {
    noteStepBack(session, *launch.kernel, "on its thread's core: " + reason);
    return false;
  }
  keepOutput(session, *launch.kernel);
  const FloatMode::Scope own(FloatMode::standard());
  const auto outcome =
      session.controller().launchOn(device, std::move(arguments.command), {launch.results, launch.kernel->n_results});
  if (!outcome.ok()) session.fail(outcome.status().at(fmt::format("loop at {}", location(launch.kernel->loc))));
  if (!*outcome) return false;
  if (session.reporting()) countLaunch(session, *launch.kernel, (*outcome)->plan, beganNs);
  return true;
}

// One of several threads that launch at once: OpenMP gives each of these loops one thread.
void launchInThread(Session& session, const muster_launch& launch) {
  using Kind = cap::TraceEvent::Kind;
  ThreadDevices::Launch own(*session.threads(), launch.kernel->id,
                            cdm::iterationsOf(1, std::span(launch.dims, launch.kernel->n_dims)));
  const std::int64_t beganNs = session.trace() != nullptr ? cap::traceClock() : 0;
  if (!own.device() || !launchOnOneDevice(session, launch, *own.device())) {
    own.stayOnCore();
    launchNatively(session, launch);
  }
  if (session.trace() == nullptr) return;
  session.trace()->events().record({.kind = own.device() ? Kind::onDevice : Kind::onCore,
                                    .beginNs = beganNs,
                                    .endNs = cap::traceClock(),
                                    .kernel = launch.kernel->id,
                                    .index = static_cast<std::uint32_t>(own.thread())});
}

// Neither from inside of another loop or region nor beside one.
bool mayDecide(Session& session) {
  return session.inPlace() != nullptr && !session.controller().runsOnHost() && openMpLevels().active == 0 &&
         !heldArrays().pinned();
}

void launchOnDevices(Session& session, const muster_launch& launch, const char* whyInOrder) {
  if (const char* const held = heldArrays().whyOnHost(launch); held != nullptr) {
    // Over the program's own view, whose pages of held arrays never lose their access.
    noteStepBack(session, *launch.kernel, "on rank 0's CPU: " + std::string(held));
    launchNatively(session, launch);
  } else if (session.controller().runsOnHost() || (whyInOrder != nullptr && openMpLevels().active > 0)) {
    // Perhaps from inside another loop, which this one would wait for, or from many threads at once. Page protection
    // keeps the data right.
    noteStepBack(session, *launch.kernel,
                 "on rank 0's CPU: " + std::string(whyInOrder != nullptr ? whyInOrder : "another loop was running"));
    launchNatively(session, launch);
  } else if (whyInOrder != nullptr) {
    muster_launch ordered = launch;
    ordered.flags |= MUSTER_LAUNCH_HOST;
    launchEverywhere(session, ordered, whyInOrder);
  } else if (session.threads() != nullptr && openMpLevels().active > 0) {
    const ThreadDevices::Nested nested(*session.threads());
    if (session.threads()->areSeveral()) return launchInThread(session, launch);
    const SessionUse use;
    Session::current() == &session ? launchEverywhere(session, launch, nullptr) : runNative(launch, launch.arrays);
  } else {
    launchEverywhere(session, launch, nullptr);
  }
}

void launchLoop(const muster_launch& launch) {
  if (isEmpty(launch)) return;
  threadState.launches = true;
  warnOfStaleScalars(launch);
  Session* session = Session::current();
  const char* const serial = whySerial(launch);
  const OneThread oneThread(serial != nullptr);
  const bool hasParts = serial == nullptr && hasThreadParts(launch);
  const TeamOfThreads team(hasParts ? threadsOfRegion(launch) : 0);
  if (session == nullptr) {  // NOLINT(bugprone-branch-clone)
    runNative(launch, launch.arrays);
  } else if (session->hostOnly()) {
    launchNatively(*session, launch);
  } else if (session->controller().insideChunk()) {
    runNative(launch, launch.arrays);  // of a loop inside a function that the chunk calls, over the chunk's own data
  } else {
    const InPlace::Launch inPlace(session->inPlace(), launch, mayDecide(*session));
    session = Session::current();  // another one may have taken its place
    if (session == nullptr)
      runNative(launch, launch.arrays);
    else if (inPlace.runsInPlace())
      launchInPlace(*session, launch, hasParts);
    else
      launchOnDevices(*session, launch, serial != nullptr ? serial : whyInChunks(launch, hasParts));
  }
}

}  // namespace
}  // namespace muster::rt

extern "C" int muster_can_launch(const muster_kernel* kernel) {
  using namespace muster::rt;
  const std::string& why = functionTable().whyHere(*kernel->calls);
  if (why.empty()) return 1;
  if (Session* const session = Session::current(); session != nullptr)
    noteStepBack(*session, *kernel, "on rank 0's CPU: " + why);
  return 0;
}

extern "C" int muster_are_apart(const muster_kernel* kernel, void* const* arrays) {
  using namespace muster::rt;
  if (!mayShareElements(*kernel, arrays)) return 1;
  if (Session* const session = Session::current(); session != nullptr && !session->hostOnly())
    noteStepBack(
        *session, *kernel,
        "on rank 0's CPU: two of its arrays may be one, and the size of its schedule's chunks is computed by a "
        "call or through a pointer; a variable allows more");
  return 0;
}

extern "C" void muster_launch_loop(const muster_launch* launch) { muster::rt::launchLoop(*launch); }
