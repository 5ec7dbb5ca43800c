// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/in_place/earlier_runs.h"

#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "muster/cdm/file.h"

namespace muster::rt {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostEntries = 64;  // of a file; the one that was written longest ago goes
constexpr std::size_t kMostLoops = 4096;  // of an entry

// The entries, last written first; empty if they are another program's, or there are none.
Json entriesOf(const std::filesystem::path& file, const std::string& key) {
  std::ifstream in(file);
  Json whole = in ? Json::parse(in, nullptr, false) : Json();
  const bool isSound =
      whole.is_object() && whole.value("program", Json()) == key && whole.value("runs", Json()).is_array();
  return isSound ? whole["runs"] : Json::array();
}

bool isOf(const Json& entry, std::uint64_t firstLoop) {
  return entry.is_object() && entry.value("first", Json()) == firstLoop;
}

}  // namespace

EarlierRuns::EarlierRuns(const std::filesystem::path& directory, std::string key) : key_(std::move(key)) {
  if (!directory.empty()) file_ = directory / "runs" / fmt::format("{:016x}.json", std::hash<std::string>()(key_));
}

RunHistory EarlierRuns::find(std::uint64_t firstLoop) const {
  if (file_.empty()) return {};
  try {
    for (const Json& entry : entriesOf(file_, key_)) {
      if (!isOf(entry, firstLoop)) continue;
      RunHistory history;
      history.untried = entry.at("untried").get<double>();
      history.lostAt = entry.at("lost_at").get<double>();
      history.other = entry.at("other").get<double>();
      history.notEnough = entry.at("not_enough").get<double>();
      history.tooEarly = entry.at("too_early").get<double>();
      for (const Json& loop : entry.at("loops"))
        history.loops.push_back({loop.at(0).get<std::uint64_t>(), loop.at(1).get<double>(), loop.at(2).get<double>(),
                                 loop.at(3).get<double>(), loop.at(4).get<double>(), loop.at(5).get<double>(),
                                 loop.at(6).get<bool>(), loop.at(7).get<double>()});
      return history;
    }
  } catch (const Json::exception&) {
    return {};
  }
  return {};
}

Status EarlierRuns::write(std::uint64_t firstLoop, const RunHistory& history) const {
  if (file_.empty()) return {};
  Json loops = Json::array();
  for (const LoopHistory& loop : history.loops) {
    if (loops.size() == kMostLoops) break;
    loops.push_back({loop.loop, loop.inPlace, loop.everywhere, loop.launches, loop.first, loop.least, loop.isBuilt,
                     loop.iterations});
  }
  Json runs = Json::array({{{"first", firstLoop},
                            {"untried", history.untried},
                            {"lost_at", history.lostAt},
                            {"other", history.other},
                            {"not_enough", history.notEnough},
                            {"too_early", history.tooEarly},
                            {"loops", std::move(loops)}}});
  for (const Json& entry : entriesOf(file_, key_))
    if (!isOf(entry, firstLoop) && runs.size() < kMostEntries) runs.push_back(entry);
  std::error_code error;
  std::filesystem::create_directories(file_.parent_path(), error);
  const std::string text =
      Json{{"program", key_}, {"runs", std::move(runs)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  const Status written = cdm::replaceFile(file_, text + '\n', 0666);
  if (written.ok()) return {};
  return {Errc::invalidArgument,
          fmt::format("what this run showed of its loops cannot be kept: {}", written.message())};
}

}  // namespace muster::rt
