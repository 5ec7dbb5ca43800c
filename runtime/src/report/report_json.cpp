// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report for programs (MUSTER_INFO_FILE; fields: docs/configuration.md).
#include <nlohmann/json.hpp>

#include "report/report.h"

namespace muster::rt {
namespace {

nlohmann::json toJson(const DeviceReport& device) {
  return {{"rank", device.rank},
          {"host", device.host},
          {"name", device.name},
          {"backend", device.backend},
          {"kind", device.kind},
          {"weight", device.weight},
          {"bytesPerSecond", device.bytesPerSecond},
          {"latencySeconds", device.latencySeconds},
          {"threads", device.threads},
          {"direct", device.direct}};
}

nlohmann::json toJson(const ArrayReport& array) {
  return {{"name", array.name},
          {"location", array.location},
          {"type", array.type},
          {"class", array.arrayClass},
          {"reason", array.reason},
          {"bytes", array.bytes},
          {"block", array.block},
          {"allocations", array.count},
          {"kept", array.kept},
          {"fetches", array.fetches},
          {"fetchedBytes", array.fetchedBytes},
          {"fetchSeconds", array.fetchSeconds},
          {"allocationSeconds", array.allocationSeconds},
          {"bytesOut", array.bytesOut},
          {"bytesIn", array.bytesIn},
          {"bytesAcross", array.bytesAcross}};
}

nlohmann::json toJson(const LoopReport& loop) {
  nlohmann::json shares = nlohmann::json::array();
  if (loop.lastSplit != nullptr) {
    for (const cap::Chunk& chunk : loop.lastSplit->chunks)
      shares.push_back({{"device", chunk.device}, {"lo", chunk.lo}, {"hi", chunk.hi}});
  }
  nlohmann::json stepBacks = nlohmann::json::array();
  for (const auto& [reason, launches] : loop.stepBacks)
    stepBacks.push_back({{"reason", reason}, {"launches", launches}});
  nlohmann::json devices = nlohmann::json::array();
  for (const auto& [device, time] : loop.devices)
    devices.push_back({{"device", device},
                       {"launches", time.launches},
                       {"fused", time.fused},
                       {"iterations", time.iterations},
                       {"seconds", time.seconds}});
  return {{"name", loop.name},
          {"location", loop.location},
          {"launches", loop.launches},
          {"joined", loop.joined},
          {"joinedInto", loop.joinedInto},
          {"nativeLaunches", loop.nativeLaunches},
          {"seconds", loop.seconds},
          {"programSeconds", loop.programSeconds},
          {"inPlaceSeconds", loop.inPlaceSeconds},
          {"bytesMoved", loop.bytesMoved},
          {"lastBytesMoved", loop.lastBytesMoved},
          {"lastSplit", shares},
          {"devices", devices},
          {"merges", loop.merges},
          {"bytesChanged", loop.bytesChanged},
          {"bytesMerged", loop.bytesMerged},
          {"corrections", loop.corrections},
          {"stepBacks", stepBacks}};
}

}  // namespace

std::string Report::json() const {
  const std::lock_guard lock(mutex_);
  nlohmann::json root = {
      {"version", 1},
      {"programSeconds", programSeconds_},
      {"devices", nlohmann::json::array()},
      {"leftOut", nlohmann::json::array()},
      {"arrays", nlohmann::json::array()},
      {"loops", nlohmann::json::array()},
      {"threads",
       {{"onDevices", threads_.onDevices}, {"onCores", threads_.onCores}, {"donations", threads_.donations}}},
      {"plans", {{"made", plansMade_}, {"found", plansFound_}}}};
  if (directMessagesFrom_) root["directMessagesFrom"] = *directMessagesFrom_;
  const std::vector<double> busy = busySeconds();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    root["devices"].push_back(toJson(devices_[i]));
    root["devices"].back()["busySeconds"] = busy[i];
  }
  for (const LeftOut& left : leftOut_)
    root["leftOut"].push_back({{"rank", left.rank}, {"device", left.device}, {"reason", left.reason}});
  for (const ArrayReport& array : arrays_) root["arrays"].push_back(toJson(array));
  for (const LoopReport* loop : loopsInOrder()) root["loops"].push_back(toJson(*loop));
  return root.dump(2) + "\n";
}

}  // namespace muster::rt
