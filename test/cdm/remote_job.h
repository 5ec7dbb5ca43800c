// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loopback job in which one rank owns a device and all ranks but 0 serve remote calls.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "kernels.h"
#include "muster/cdm/remote.h"

namespace muster::cdm::test {

class RemoteJob {
 public:
  RemoteJob(int ranks, int owner, std::unique_ptr<ComputeDevice> device)
      : owner_(owner), device_(std::move(device)), transports_(makeLoopbackTransports(ranks)) {
    for (int rank = 1; rank < ranks; ++rank) servers_.emplace_back([this, rank] { serve(rank); });
  }

  ~RemoteJob() {
    EXPECT_TRUE(transports_[0]->postCommand({}).ok());  // an empty command ends the servers
    for (std::thread& server : servers_) server.join();
  }

  Transport& transport() { return *transports_[0]; }
  ComputeDevice& owned() { return *device_; }

  PostCall post() {
    return [this](std::span<const std::byte> call) { return transports_[0]->postCommand(call); };
  }

  std::unique_ptr<ComputeDevice> makeDevice(std::uint32_t index = 0) {
    return makeRemoteDevice(*transports_[0], post(), owner_, index, device_->info());
  }

 private:
  static const KernelCode* lookup(std::uint64_t id) {
    for (const KernelCode* kernel : allKernels()) {
      if (kernel->id == id) return kernel;
    }
    return nullptr;
  }

  void serve(int rank) {
    ComputeDevice* const own = device_.get();
    const std::span<ComputeDevice* const> devices(&own, rank == owner_ ? 1 : 0);
    for (;;) {
      const Result<Bytes> command = transports_[static_cast<std::size_t>(rank)]->nextCommand();
      ASSERT_TRUE(command.ok()) << command.status().message();
      if (command->empty()) return;
      const Status status = serveRemoteCall(*transports_[static_cast<std::size_t>(rank)], devices, lookup, *command);
      EXPECT_TRUE(status.ok()) << status.message();
    }
  }

  int owner_;
  std::unique_ptr<ComputeDevice> device_;
  std::vector<std::unique_ptr<Transport>> transports_;
  std::vector<std::thread> servers_;
};

}  // namespace muster::cdm::test
