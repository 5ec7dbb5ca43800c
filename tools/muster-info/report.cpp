// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report as JSON: between ranks, and for programs that read muster-info's output.
#include "report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace muster::info {
namespace {

using nlohmann::json;

constexpr std::pair<cdm::DeviceKind, const char*> kinds[] = {
    {cdm::DeviceKind::cpu, "cpu"}, {cdm::DeviceKind::gpu, "gpu"}, {cdm::DeviceKind::accelerator, "accelerator"}};

json toJson(const std::optional<cdm::Measured>& measured) {
  if (!measured) return nullptr;
  return {{"updatesPerSecond", measured->speed},
          {"bytesPerSecond", measured->bytesPerSecond},
          {"latencySeconds", measured->latencySeconds},
          {"fromCache", measured->fromCache}};
}

std::optional<cdm::Measured> measuredFrom(const json& value) {
  if (value.is_null()) return {};
  return cdm::Measured{value.at("updatesPerSecond").get<double>(), value.at("bytesPerSecond").get<double>(),
                       value.at("latencySeconds").get<double>(), value.at("fromCache").get<bool>()};
}

json toJson(const std::optional<Link>& link) {
  if (!link) return nullptr;
  return {{"bytesPerSecond", link->bytesPerSecond}, {"latencySeconds", link->latencySeconds}};
}

json toJson(const DeviceReport& device) {
  const cdm::DeviceInfo& info = device.info;
  return {{"name", info.name},
          {"vendor", info.vendor},
          {"driver", info.driver},
          {"backend", info.backend},
          {"selector", info.selector},
          {"kind", cdm::toString(info.kind)},
          {"memoryBytes", info.memoryBytes},
          {"maxAllocationBytes", info.maxAllocationBytes},
          {"computeUnits", info.computeUnits},
          {"fp64", info.fp64},
          {"hostAddressable", info.hostAddressable},
          {"hardwareId", info.hardwareId},
          {"measured", toJson(device.measured)},
          {"fromRank0", toJson(device.fromRank0)},
          {"error", device.error}};
}

cdm::DeviceKind kindFrom(const std::string& text) {
  const auto* found = std::find_if(std::begin(kinds), std::end(kinds), [&](const auto& k) { return text == k.second; });
  if (found == std::end(kinds)) throw std::invalid_argument("unknown kind of device: " + text);
  return found->first;
}

DeviceReport deviceFrom(const json& value) {
  DeviceReport device;
  cdm::DeviceInfo& info = device.info;
  value.at("name").get_to(info.name);
  value.at("vendor").get_to(info.vendor);
  value.at("driver").get_to(info.driver);
  value.at("backend").get_to(info.backend);
  value.at("selector").get_to(info.selector);
  info.kind = kindFrom(value.at("kind").get<std::string>());
  value.at("memoryBytes").get_to(info.memoryBytes);
  value.at("maxAllocationBytes").get_to(info.maxAllocationBytes);
  value.at("computeUnits").get_to(info.computeUnits);
  value.at("fp64").get_to(info.fp64);
  value.at("hostAddressable").get_to(info.hostAddressable);
  value.at("hardwareId").get_to(info.hardwareId);
  device.measured = measuredFrom(value.at("measured"));
  value.at("error").get_to(device.error);
  return device;
}

json toJson(const RankReport& report) {
  json devices = json::array(), leftOut = json::array();
  for (const DeviceReport& device : report.devices) devices.push_back(toJson(device));
  for (const cdm::LeftOut& left : report.leftOut) leftOut.push_back({{"device", left.device}, {"reason", left.reason}});
  return {{"rank", report.rank},
          {"host", report.host},
          {"openmp", report.openmp},
          {"cpuThreads", report.cpuThreads},
          {"devices", devices},
          {"leftOut", leftOut},
          {"gpusOfOwn", report.gpusOfOwn},
          {"sharersOfOwn", report.sharersOfOwn},
          {"warnings", report.warnings},
          {"error", report.error}};
}

RankReport rankFrom(const json& value) {
  RankReport report;
  value.at("rank").get_to(report.rank);
  value.at("host").get_to(report.host);
  value.at("openmp").get_to(report.openmp);
  value.at("cpuThreads").get_to(report.cpuThreads);
  for (const json& device : value.at("devices")) report.devices.push_back(deviceFrom(device));
  for (const json& left : value.at("leftOut")) {
    report.leftOut.push_back({left.at("device").get<std::string>(), left.at("reason").get<std::string>()});
  }
  value.at("gpusOfOwn").get_to(report.gpusOfOwn);
  value.at("sharersOfOwn").get_to(report.sharersOfOwn);
  value.at("warnings").get_to(report.warnings);
  value.at("error").get_to(report.error);
  return report;
}

// Names and messages come from drivers: what is not UTF-8 is replaced.
std::string dump(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace

bool JobReport::failed() const {
  return std::any_of(ranks.begin(), ranks.end(), [](const RankReport& rank) {
    return !rank.error.empty() || std::any_of(rank.devices.begin(), rank.devices.end(),
                                              [](const DeviceReport& device) { return !device.error.empty(); });
  });
}

double JobReport::slowest() const {
  double slowest = 0;
  for (const RankReport& rank : ranks) {
    for (const DeviceReport& device : rank.devices) {
      if (!device.measured) continue;
      slowest = slowest == 0 ? device.measured->speed : std::min(slowest, device.measured->speed);
    }
  }
  return slowest;
}

cdm::Bytes encode(const RankReport& report) {
  const std::string text = dump(toJson(report), -1);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Result<RankReport> decodeRankReport(std::span<const std::byte> bytes) try {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  return rankFrom(json::parse(text, text + bytes.size()));
} catch (const std::exception& error) {
  return {Errc::protocol, std::string("malformed report of a rank: ") + error.what()};
}

std::string toJson(const JobReport& report) {
  const double slowest = report.slowest();
  json ranks = json::array();
  for (const RankReport& rank : report.ranks) {
    json value = toJson(rank);
    for (std::size_t i = 0; i < rank.devices.size(); ++i) {
      const std::optional<cdm::Measured>& measured = rank.devices[i].measured;
      value["devices"][i]["weight"] = measured ? json(measured->speed / slowest) : json();
    }
    ranks.push_back(std::move(value));
  }
  return dump({{"muster", report.version},
               {"abi", report.abi},
               {"transport", report.transport},
               {"mpi", report.mpi},
               {"failed", report.failed()},
               {"ranks", ranks}},
              2);
}

}  // namespace muster::info
