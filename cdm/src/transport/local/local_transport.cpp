// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport of a job of one rank: there is nobody to talk to.
#include <cstdlib>

#include "muster/cdm/transports.h"
#include "transport/checks.h"

namespace muster::cdm {
namespace {

class LocalTransport final : public Transport {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string hostName() const override { return thisHost(); }
  const char* name() const override { return "local"; }

  Result<RequestPtr> send(int to, std::uint64_t, std::span<const std::byte>) override { return noMessages(to); }
  Result<RequestPtr> receive(int from, std::uint64_t, std::span<std::byte>) override { return noMessages(from); }

  Status postCommand(std::span<const std::byte> command) override { return checkCommand(0, command.size()); }
  Result<Bytes> nextCommand() override { return checkCommandReceiver(0); }
  Result<bool> hasCommand() override { return checkCommandReceiver(0); }

  Result<std::vector<Bytes>> allGather(std::span<const std::byte> mine) override {
    return std::vector<Bytes>{Bytes(mine.begin(), mine.end())};
  }
  Status barrier() override { return {}; }

  void abort(int code) override { std::_Exit(code); }
  Status shutdown() override { return {}; }

 private:
  static Status noMessages(int peer) {
    MUSTER_TRY(checkPeer(0, 1, peer));
    return {Errc::unsupported, "rank 0: a job of one rank sends no messages to itself"};
  }
};

}  // namespace

std::unique_ptr<Transport> makeLocalTransport() { return std::make_unique<LocalTransport>(); }

}  // namespace muster::cdm
