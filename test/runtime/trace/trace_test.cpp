// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces of whole jobs: the file is what viewers expect, nothing is missing, and its bytes are those of the plans.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "timed_job.h"
#include "trace/exchange.h"
#include "trace/job_trace.h"
#include "trace/trace_writer.h"

namespace muster::test {
namespace {

using nlohmann::json;
using Kind = cap::TraceEvent::Kind;

rt::TraceNames namesOf(const TimedJob& job) {
  rt::TraceNames names;
  names.kernel = [&job](std::uint64_t id) -> rt::TraceNames::Kernel {
    const rt::KernelEntry* kernel = job.registry().find(id);
    return {kernel->code.name, kernel->code.location};
  };
  names.array = [](std::uint32_t id) { return id == 0 ? "x" : "y"; };
  for (const rt::DeviceEntry& device : job.table().devices())
    names.devices.push_back({device.place.rank, device.info.name});
  names.hosts.assign(static_cast<std::size_t>(job.ranks()), "test");
  return names;
}

// The job's trace as its file would be.
json documentOf(TimedJob& job) {
  std::ostringstream out;
  const rt::TraceNames names = namesOf(job);
  rt::TraceWriter writer(out, names, 0);
  for (int rank = 0; rank < job.ranks(); ++rank) writer.addRank(rank, rt::RankClock({}, {}), job.trace(rank).take());
  writer.finish();
  return json::parse(out.str());
}

std::vector<json> ofCategory(const json& document, const std::string& category) {
  std::vector<json> found;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "X" && event["cat"] == category) found.push_back(event);
  }
  return found;
}

std::int64_t nanoseconds(const json& microseconds) {
  return static_cast<std::int64_t>(std::llround(microseconds.get<double>() * 1000));
}

// Events of one thread lie apart or inside one another: viewers draw anything else wrongly.
void expectNested(const json& document) {
  std::map<std::pair<int, int>, std::vector<std::pair<std::int64_t, std::int64_t>>> threads;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const std::int64_t begin = nanoseconds(event["ts"]);
    threads[{event["pid"], event["tid"]}].emplace_back(begin, begin + nanoseconds(event["dur"]));
  }
  for (auto& [thread, events] : threads) {
    std::sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, -a.second) < std::pair(b.first, -b.second);
    });
    std::vector<std::int64_t> open;
    for (const auto& [begin, end] : events) {
      while (!open.empty() && open.back() <= begin) open.pop_back();
      EXPECT_TRUE(open.empty() || end <= open.back()) << "rank " << thread.first << " thread " << thread.second;
      open.push_back(end);
    }
  }
}

// What viewers need of each event. Perfetto takes process 0 and thread 0 for the idle task of Linux.
void expectFields(const json& document) {
  for (const json& event : document["traceEvents"]) {
    const std::string phase = event["ph"];
    EXPECT_TRUE(event["name"].is_string() && event["pid"] > 0 && event["tid"] > 0) << event;
    if (phase == "X") {
      EXPECT_TRUE(event["ts"].is_number() && event["dur"] >= 0 && event["args"].is_object()) << event;
    } else if (phase == "s" || phase == "f") {
      EXPECT_TRUE(event["ts"].is_number() && event["id"].is_string() && event["cat"].is_string()) << event;
    } else {
      EXPECT_TRUE(phase == "M" && !event.contains("ts") && event["args"].size() == 1) << event;
    }
  }
}

std::vector<JobOptions> someJobs() {
  return {{.ranks = {{0}}, .trace = true},
          {.ranks = {{0, 1e-9}}, .trace = true},
          {.ranks = {{1e-9}, {2e-9}, {1e-9}}, .minShare = 0, .trace = true},
          {.ranks = {{0}, {0, 1e-9}, {0}}, .trace = true}};
}

TEST(Trace, HasEveryLaunchChunkAndMessageOfEveryRank) {
  for (const JobOptions& options : someJobs()) {
    TimedJob job(options, 5000);
    for (int i = 0; i < 10; ++i) job.step();
    job.scale();
    job.expectRight();
    job.end();
    const json document = documentOf(job);
    expectNested(document);
    expectFields(document);

    std::map<std::string, std::uint64_t> titles;
    std::uint64_t moved = 0, sent = 0, received = 0;
    for (const json& event : document["traceEvents"]) {
      if (event["ph"] != "X") continue;
      const std::string title = event["name"];
      ++titles[title.substr(0, title.find(' '))];
      const std::uint64_t bytes = event["args"].value("bytes", std::uint64_t{0});
      if (title.starts_with("send") || title.starts_with("copy")) moved += bytes;
      if (title.starts_with("send")) sent += bytes;
      if (title.starts_with("receive")) received += bytes;
    }
    const auto ranks = static_cast<std::uint64_t>(job.ranks());
    EXPECT_EQ(titles["launch"], job.launches() * ranks);
    EXPECT_EQ(titles["plan"], job.launches() * ranks);
    EXPECT_EQ(titles["send"], titles["receive"]);
    EXPECT_EQ(sent, received);
    EXPECT_EQ(moved, static_cast<std::uint64_t>(job.bytesPlanned()));
    if (ranks > 1) EXPECT_GT(sent, 0u);

    // Every iteration of every launch is in some chunk, with the loop's place.
    std::uint64_t iterations = 0;
    for (const json& chunk : ofCategory(document, "kernel")) {
      iterations += chunk["args"]["iterations"].get<std::uint64_t>();
      const std::string loop = chunk["args"]["loop"];
      EXPECT_TRUE(loop == "steps.cpp:7" || loop == "steps.cpp:9") << loop;
    }
    EXPECT_EQ(iterations, 10u * 4998 + 5000);
  }
}

TEST(Trace, ArrowsLeadFromEachSendToItsReceive) {
  TimedJob job({.ranks = {{1e-9}, {0}, {1e-9}}, .trace = true}, 5000);
  for (int i = 0; i < 6; ++i) job.step();
  job.end();
  const json document = documentOf(job);
  std::map<std::string, std::pair<int, int>> arrows;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "s") ++arrows[event["id"]].first;
    if (event["ph"] == "f") ++arrows[event["id"]].second;
    if (event["ph"] != "s" && event["ph"] != "f") continue;
    // It binds to the event around it.
    const std::int64_t at = nanoseconds(event["ts"]);
    const auto& all = document["traceEvents"];
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const json& other) {
      return other["ph"] == "X" && other["pid"] == event["pid"] && other["tid"] == event["tid"] &&
             nanoseconds(other["ts"]) <= at && at <= nanoseconds(other["ts"]) + nanoseconds(other["dur"]);
    }));
  }
  EXPECT_FALSE(arrows.empty());
  for (const auto& [id, ends] : arrows) EXPECT_EQ(ends, std::pair(1, 1)) << id;
}

TEST(Trace, NamesProcessesAndThreads) {
  TimedJob job({.ranks = {{0, 1e-9}, {1e-9}}, .trace = true}, 5000);
  for (int i = 0; i < 3; ++i) job.step();
  job.end();
  const json document = documentOf(job);
  std::map<std::pair<int, int>, std::string> threads;
  std::map<int, std::string> processes;
  for (const json& event : document["traceEvents"]) {
    if (event["name"] == "thread_name") threads[{event["pid"], event["tid"]}] = event["args"]["name"];
    if (event["name"] == "process_name") processes[event["pid"]] = event["args"]["name"];
  }
  EXPECT_EQ(processes, (std::map<int, std::string>{{1, "rank 0 on test"}, {2, "rank 1 on test"}}));
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "X") EXPECT_TRUE(threads.contains({event["pid"], event["tid"]})) << event.dump();
  }
  const auto has = [&](const std::string& name) {
    return std::any_of(threads.begin(), threads.end(), [&](const auto& thread) { return thread.second == name; });
  };
  EXPECT_TRUE(has("host"));
  EXPECT_TRUE(has("messages"));
  EXPECT_TRUE(has("[1] timed \"device\": kernels"));
  EXPECT_TRUE(has("[1] timed \"device\": transfers"));
}

TEST(Trace, WhatOverlapsGoesToRowsOfItsOwn) {
  rt::RankTrace trace;
  for (const auto& [begin, end] : std::vector<std::pair<int, int>>{{0, 100}, {10, 50}, {60, 150}, {160, 170}}) {
    cap::TraceEvent event;
    event.kind = Kind::wait;
    event.beginNs = begin;
    event.endNs = end;
    trace.events.push_back(event);
  }
  std::ostringstream out;
  rt::TraceNames names;
  names.hosts = {"h"};
  rt::TraceWriter writer(out, names, 0);
  writer.addRank(0, rt::RankClock({}, {}), trace);
  writer.finish();
  const json document = json::parse(out.str());
  expectNested(document);
  std::map<int, int> rows;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] == "X") ++rows[event["tid"]];
  }
  EXPECT_EQ(rows, (std::map<int, int>{{1, 3}, {2, 1}}));
}

TEST(Trace, ThreadsThatLaunchAtOnceHaveRowsBehindTheDevices) {
  rt::RankTrace trace;
  trace.events.push_back({.kind = Kind::onDevice, .beginNs = 0, .endNs = 100, .kernel = 1, .index = 2});
  trace.events.push_back({.kind = Kind::onCore, .beginNs = 10, .endNs = 90, .kernel = 1, .index = 0});
  trace.events.push_back({.kind = Kind::onCore, .beginNs = 100, .endNs = 120, .kernel = 1, .index = 2});
  std::ostringstream out;
  rt::TraceNames names;
  names.kernel = [](std::uint64_t) { return rt::TraceNames::Kernel{"k", "a.cpp:1"}; };
  names.hosts = {"h"};
  names.devices = {{0, "cpu"}, {0, "gpu"}};
  rt::TraceWriter writer(out, names, 0);
  writer.addRank(0, rt::RankClock({}, {}), trace);
  writer.finish();
  const json document = json::parse(out.str());
  std::map<int, std::string> threads;
  std::map<std::string, std::string> categories;  // by thread, in the order of time
  for (const json& event : document["traceEvents"])
    if (event["name"] == "thread_name") threads[event["tid"]] = event["args"]["name"];
  for (const json& event : document["traceEvents"])
    if (event["ph"] == "X") categories[threads[event["tid"]]] += event["cat"].get<std::string>() + " ";
  EXPECT_EQ(categories, (std::map<std::string, std::string>{{"thread 0", "core "}, {"thread 2", "device core "}}));
}

TEST(Trace, ABufferKeepsTheFirstEventsAndCountsTheOthers) {
  rt::TraceBuffer buffer(3);
  for (std::uint64_t i = 0; i < 5; ++i) {
    cap::TraceEvent event;
    event.sequence = i;
    buffer.record(event);
  }
  const rt::RankTrace trace = buffer.take();
  ASSERT_EQ(trace.events.size(), 3u);
  EXPECT_EQ(trace.events.back().sequence, 2u);
  EXPECT_EQ(trace.dropped, 2u);
  EXPECT_EQ(buffer.take().dropped, 0u);

  std::ostringstream out;
  rt::TraceNames names;
  names.kernel = [](std::uint64_t) { return rt::TraceNames::Kernel{"k", "a.cpp:1"}; };
  names.hosts = {"h"};
  rt::TraceWriter writer(out, names, 0);
  writer.addRank(0, rt::RankClock({}, {}), trace);
  writer.finish();
  EXPECT_EQ(json::parse(out.str())["otherData"]["events left out on rank 0"], 2);
}

TEST(Trace, EventsSurviveTheWayAndWrongBytesAreRefused) {
  rt::RankTrace trace;
  trace.dropped = 7;
  trace.events.push_back({Kind::receive, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -1});
  const cdm::Bytes bytes = rt::encode(trace);
  const auto decoded = rt::decodeRankTrace(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status().message();
  EXPECT_EQ(decoded->dropped, 7u);
  EXPECT_EQ(decoded->events, trace.events);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(rt::decodeRankTrace(std::span(bytes).first(length)).ok()) << length;
  cdm::Bytes bad = bytes;
  bad[18] = std::byte{200};  // the kind of the first event
  EXPECT_FALSE(rt::decodeRankTrace(bad).ok());
  trace.events.back().beginNs = INT64_MIN;  // no clock says that
  EXPECT_FALSE(rt::decodeRankTrace(rt::encode(trace)).ok());
}

TEST(Trace, ClocksThatDriftAreBroughtTogether) {
  // 1000 ahead at 10,000; 1100 ahead at 20,000.
  const rt::RankClock clock({10'000, 1000}, {20'000, 1100});
  EXPECT_EQ(clock.onRankZero(11'000), 10'000);
  EXPECT_NEAR(static_cast<double>(clock.onRankZero(16'050)), 15'000, 1);
  EXPECT_NEAR(static_cast<double>(clock.onRankZero(21'100)), 20'000, 2);
}

class JobTraces : public ::testing::TestWithParam<int> {};

TEST_P(JobTraces, OneFileHoldsAllRanks) {
  const std::string path =
      ::testing::TempDir() + "/trace-" + std::to_string(getpid()) + "-" + std::to_string(GetParam()) + ".json";
  const auto transports = cdm::makeLoopbackTransports(GetParam());
  const auto run = [&](int rank) {
    cdm::Transport& transport = *transports[static_cast<std::size_t>(rank)];
    auto trace = rt::JobTrace::begin(transport, path);
    ASSERT_TRUE(trace.ok()) << trace.status().message();
    (*trace)->nameArray(3, "u");
    for (int i = 0; i < 1000; ++i) {
      const cap::TraceScope scope(&(*trace)->events(), Kind::wait, static_cast<std::uint64_t>(i));
    }
    rt::TraceNames names;
    names.hosts.assign(static_cast<std::size_t>(GetParam()), "h");
    const Status status = (*trace)->end(transport, names, [](const std::string& text) { FAIL() << text; });
    EXPECT_TRUE(status.ok()) << status.message();
  };
  std::vector<std::thread> threads;
  for (int rank = 1; rank < GetParam(); ++rank) threads.emplace_back(run, rank);
  run(0);
  for (std::thread& thread : threads) thread.join();
  std::ifstream in(path);
  const json document = json::parse(in);
  std::remove(path.c_str());
  std::map<int, int> events;
  for (const json& event : document["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++events[event["pid"]];
    EXPECT_GE(event["ts"].get<double>(), 0) << "ranks of one process have one clock";
  }
  EXPECT_EQ(events.size(), static_cast<std::size_t>(GetParam()));
  for (const auto& [rank, count] : events) EXPECT_EQ(count, 1000);
}
INSTANTIATE_TEST_SUITE_P(Ranks, JobTraces, ::testing::Values(1, 3));

TEST(Trace, AFileThatCannotBeWrittenIsAnErrorThatNamesIt) {
  const auto transport = cdm::makeLocalTransport();
  const auto missing = rt::JobTrace::begin(*transport, "/does/not/exist.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.status().message().find("MUSTER_TRACE=/does/not/exist.json"), std::string::npos);
  EXPECT_NE(missing.status().message().find("No such file"), std::string::npos) << missing.status().message();

  // A full disk shows at the end.
  auto full = rt::JobTrace::begin(*transport, "/dev/full");
  ASSERT_TRUE(full.ok());
  for (int i = 0; i < 1000; ++i) (*full)->events().record({});
  rt::TraceNames names;
  names.hosts = {"h"};
  names.kernel = [](std::uint64_t) { return rt::TraceNames::Kernel{"k", "a.cpp:1"}; };
  const Status status = (*full)->end(*transport, names, [](const std::string&) {});
  EXPECT_EQ(status.code(), Errc::io);
  EXPECT_NE(status.message().find("No space left"), std::string::npos) << status.message();
}

}  // namespace
}  // namespace muster::test
