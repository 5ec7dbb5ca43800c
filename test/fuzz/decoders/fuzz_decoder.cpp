// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer harness for every decoder of messages between ranks. The environment variable FUZZ_GROUP says which
// ones are meant; the first byte of an input chooses among them. What is accepted must be what encoding writes, where
// there is one way to write it. With --write-seeds FOLDER it writes valid messages, one per file, and ends.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "merge/diff.h"
#include "protocol/protocol.h"
#include "trace/trace_buffer.h"
#include "trace/trace_writer.h"

namespace {

using muster::cdm::Bytes;
using Input = std::span<const std::byte>;
namespace protocol = muster::rt::protocol;

struct Decoder {
  std::function<void(Input)> run;
  std::function<std::vector<Bytes>()> seeds;
};

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void requireSame(const Bytes& encoded, Input input) {
  require(encoded.size() == input.size() && std::equal(encoded.begin(), encoded.end(), input.begin()),
          "bytes were accepted that encoding does not write");
}

// ---------------------------------------------------------------- commands

std::vector<Bytes> commandSeeds() {
  protocol::Launch launch;
  launch.kernel = 7;
  launch.dims = {{1, 1, 100}, {-5, 2, 7}};
  launch.forms = {1, 2, 3, -4};
  launch.arrays = {{3, 17, false}, {protocol::Launch::kNotManaged, 0, false}, {5, 0, true}};
  launch.scalars = {Bytes(8), {}, Bytes(1)};
  const std::vector<protocol::Command> commands = {
      protocol::CreateArray{7, 8, 1000, "u (a.cpp:3)"},
      protocol::ReleaseArray{7},
      launch,
      protocol::HostAccess{7, muster::cap::IntervalSet{{10, 20}, {30, 32}}, muster::cap::HostMode::overwrite},
      protocol::Evict{{{1, 2, 0, 5, 9}}},
      protocol::Weights{{1.0, 0.25}, 0.1, {7}},
      protocol::Measure{},
      protocol::Shutdown{}};
  std::vector<Bytes> seeds;
  for (const protocol::Command& command : commands) seeds.push_back(protocol::encode(command, 5));
  return seeds;
}

void runCommand(Input input) {
  const auto decoded = protocol::decode(input);
  if (decoded.ok()) requireSame(protocol::encode(decoded->command, decoded->sequence), input);
}

// ---------------------------------------------------------------- start and end of a session

template <class Decode>
Decoder exact(Decode decode, std::vector<Bytes> seeds) {
  return {[decode](Input input) {
            const auto decoded = decode(input);
            if (decoded.ok()) requireSame(protocol::encode(*decoded), input);
          },
          [seeds] { return seeds; }};
}

std::vector<Decoder> sessionDecoders() {
  protocol::RankDevices devices;
  devices.threads = 4;
  muster::cdm::DeviceInfo card;
  card.name = "card", card.hardwareId = "0000:01:00.0";
  devices.devices = {{card, 1.5, 2e9, 1e-6}};
  devices.leftOut = {{"opencl:1", "too slow"}};
  protocol::RankTotals totals;
  totals.times = {{7, 1, 3, 1000, 5000}};
  totals.merges = {{7, 2, 100, 200}};
  const protocol::Hello hello{1, "abc", "def", "node7", {{"MUSTER_INFO", "1"}}};
  return {exact(protocol::decodeHello, {protocol::encode(hello), protocol::encode(protocol::Hello{})}),
          exact(protocol::decodeRankDevices, {protocol::encode(devices), protocol::encode(protocol::RankDevices{})}),
          exact(protocol::decodeRankTotals, {protocol::encode(totals)}),
          {[](Input input) { (void)protocol::decodeMeasured(input); },
           [totals] { return std::vector<Bytes>{protocol::encodeMeasured(totals.times)}; }}};
}

// ---------------------------------------------------------------- diffs

// An input begins with its shape, which a real receiver knows from the plan.
muster::cap::DiffShape shapeOf(Input& input) {
  std::uint32_t numbers[2] = {};
  const std::size_t bytes = std::min(input.size(), sizeof numbers);
  std::memcpy(numbers, input.data(), bytes);
  input = input.subspan(bytes);
  return {numbers[0] % (1u << 20), 1 + numbers[1] % 16};
}

void runDiff(Input input) {
  const muster::cap::DiffShape shape = shapeOf(input);
  const auto changes = muster::cap::takeDiff(input, shape);
  if (!changes.ok()) return;
  require(changes->values.size() == changes->positions.size() * shape.elemSize, "positions without values");
  for (std::size_t i = 0; i < changes->positions.size(); ++i) {
    require(changes->positions[i] < shape.elements, "a position that does not exist");
    require(i == 0 || changes->positions[i - 1] < changes->positions[i], "positions that do not ascend");
  }
  Bytes again;
  muster::cap::appendDiff(again, shape, *changes);
  std::span<const std::byte> left(again);
  const auto second = muster::cap::takeDiff(left, shape);
  require(second.ok() && second->positions == changes->positions, "a diff does not survive its own encoding");
}

std::vector<Bytes> diffSeeds() {
  const muster::cap::DiffShape shape{70000, 4};
  std::vector<Bytes> seeds;
  for (const std::uint32_t step : {1u, 2u, 5u, 300u, 66000u}) {
    muster::cap::Changes changes;
    for (std::uint32_t p = 3; p < std::min(shape.elements, 200 * step); p += step) changes.positions.push_back(p);
    const Bytes values(changes.positions.size() * shape.elemSize, std::byte{7});
    changes.values = values;
    const std::uint32_t numbers[2] = {shape.elements, shape.elemSize - 1};
    Bytes seed(sizeof numbers);
    std::memcpy(seed.data(), numbers, sizeof numbers);
    muster::cap::appendDiff(seed, shape, changes);
    seeds.push_back(std::move(seed));
  }
  return seeds;
}

// ---------------------------------------------------------------- a rank's events

// What is accepted becomes a part of the trace file, whatever its numbers are: still JSON.
void runTrace(Input input) {
  const auto decoded = muster::rt::decodeRankTrace(input);
  if (!decoded.ok()) return;
  requireSame(muster::rt::encode(*decoded), input);
  const muster::rt::TraceNames names{.kernel = [](std::uint64_t id) -> muster::rt::TraceNames::Kernel {
                                       return {"k" + std::to_string(id), "a.cpp:3"};
                                     },
                                     .array = [](std::uint32_t id) { return "u" + std::to_string(id); },
                                     .call = [](std::uint64_t name) { return "c" + std::to_string(name); },
                                     .devices = {{0, "cpu"}, {1, "card"}, {1, "cpu"}},
                                     .hosts = {"node0", "node1"}};
  std::ostringstream file;
  muster::rt::TraceWriter writer(file, names, 1000);
  writer.addRank(1, muster::rt::RankClock({0, 50}, {100000, 60}), *decoded);
  writer.finish();
  require(nlohmann::json::accept(file.str()), "the trace file is no JSON");
}

std::vector<Bytes> traceSeeds() {
  using muster::cap::TraceEvent;
  muster::rt::RankTrace all;
  all.dropped = 3;
  for (int kind = 0; kind <= static_cast<int>(TraceEvent::Kind::call); ++kind) {
    TraceEvent event{.kind = static_cast<TraceEvent::Kind>(kind), .beginNs = 2000 + 10 * kind, .endNs = 5000};
    event.kernel = 7;
    event.device = static_cast<std::uint32_t>(kind % 4);
    event.array = kind % 2 == 0 ? 5 : TraceEvent::none;
    event.peer = kind % 3 - 1;
    all.events.push_back(event);
  }
  muster::rt::RankTrace one;
  one.events = {all.events.front()};
  return {muster::rt::encode(all), muster::rt::encode(one), muster::rt::encode(muster::rt::RankTrace())};
}

const std::vector<Decoder>& decoders() {
  static const std::vector<Decoder> list = [] {
    const char* named = std::getenv("FUZZ_GROUP");
    const std::string group = named != nullptr ? named : "";
    if (group == "commands") return std::vector<Decoder>{{runCommand, commandSeeds}};
    if (group == "session") return sessionDecoders();
    if (group == "trace") return std::vector<Decoder>{{runTrace, traceSeeds}};
    if (group == "diff") return std::vector<Decoder>{{runDiff, diffSeeds}};
    std::fprintf(stderr, "FUZZ_GROUP is '%s', not commands, session, diff or trace\n", group.c_str());
    std::exit(1);
  }();
  return list;
}

void writeSeeds(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  int number = 0;
  for (std::size_t i = 0; i < decoders().size(); ++i) {
    for (const Bytes& seed : decoders()[i].seeds()) {
      // A seed that its decoder refuses would teach the fuzzer nothing.
      decoders()[i].run(seed);
      std::ofstream out(folder / std::to_string(number++), std::ios::binary);
      out.put(static_cast<char>(i));
      out.write(reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
      require(out.good(), "a seed cannot be written");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::strcmp((*argv)[1], "--write-seeds") == 0) {
    writeSeeds((*argv)[2]);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Input input(reinterpret_cast<const std::byte*>(data), size);
  decoders()[std::to_integer<std::size_t>(input[0]) % decoders().size()].run(input.subspan(1));
  return 0;
}
