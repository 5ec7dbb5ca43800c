// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between processes of a program that each run their own main, by the library that the program uses itself
// (muster/buffers.h). No commands: each process is a job of its own. As thread-safe as that library.
#pragma once

#include <string>
#include <utility>

#include "muster/buffers.h"
#include "muster/cdm/transport.h"

namespace muster::rt {

class ProcessTransport final : public cdm::Transport {
 public:
  ProcessTransport(const muster_processes& processes, std::string host)
      : processes_(processes), host_(std::move(host)) {}

  [[nodiscard]] int rank() const override { return processes_.rank; }
  [[nodiscard]] int size() const override { return processes_.count; }
  [[nodiscard]] std::string hostName() const override { return host_; }
  [[nodiscard]] const char* name() const override { return "program"; }
  [[nodiscard]] std::string libraryVersion() const override;
  [[nodiscard]] bool takesDeviceMemory() const override { return true; }

  Result<cdm::RequestPtr> send(int to, std::uint64_t tag, std::span<const std::byte> data) override;
  Result<cdm::RequestPtr> receive(int from, std::uint64_t tag, std::span<std::byte> data) override;
  Result<std::vector<cdm::Bytes>> allGather(std::span<const std::byte> mine) override;

  Status postCommand(std::span<const std::byte>) override { return noCommands(); }
  Result<cdm::Bytes> nextCommand() override { return noCommands(); }
  Result<bool> hasCommand() override { return noCommands(); }
  Status barrier() override { return allGather({}).status(); }
  [[noreturn]] void abort(int code) override;
  Status shutdown() override { return {}; }

 private:
  static Status noCommands() { return {Errc::unsupported, "each process of the program is a job of its own"}; }

  const muster_processes& processes_;
  std::string host_;
};

}  // namespace muster::rt
