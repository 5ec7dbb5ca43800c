// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executor/message_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace muster::cap {
namespace {

// Of ghost rows, of large ones, and of the parts of whole arrays.
constexpr std::array<std::size_t, 3> sizes{std::size_t{16} << 10, std::size_t{256} << 10, std::size_t{2} << 20};
constexpr int rounds = 5;  // the fastest counts
// It has to be worth a way of its own.
constexpr double gain = 0.95;

// What one rank tells all others.
struct Finding {
  bool hasMemory = true, isRight = true;
  std::array<double, sizes.size()> throughHost{}, direct{};  // seconds
};
using Findings = std::vector<Finding>;

Result<Findings> share(cdm::Transport& transport, const Finding& mine) {
  const Result<std::vector<cdm::Bytes>> all = transport.allGather(std::as_bytes(std::span(&mine, 1)));
  if (!all.ok()) return all.status();
  Findings findings(all->size());
  for (std::size_t i = 0; i < all->size(); ++i) {
    if ((*all)[i].size() != sizeof(Finding)) panic("a rank tells of a trial of messages in another form");
    std::memcpy(&findings[i], (*all)[i].data(), sizeof(Finding));
  }
  return findings;
}

// This rank's place. No device: it only hears what the others find.
struct Ring {
  int next = 0, before = 0;
  cdm::ComputeDevice* device = nullptr;
};

// Neighbours are on different hosts where there are several: it goes round the hosts, with the first rank of each, then
// with the second ones.
Result<Ring> findRing(cdm::Transport& transport, std::span<cdm::ComputeDevice* const> devices,
                      std::span<const DevicePlace* const> members) {
  const std::string host = transport.hostName();
  const Result<std::vector<cdm::Bytes>> hosts = transport.allGather(std::as_bytes(std::span(host)));
  if (!hosts.ok()) return hosts.status();
  std::map<int, const DevicePlace*> first;  // by rank
  for (const DevicePlace* place : members) first.try_emplace(place->rank, place);
  std::map<cdm::Bytes, std::size_t> onHost;
  std::vector<std::pair<std::size_t, int>> order;  // number on its host, rank
  order.reserve(first.size());
  for (const auto& [rank, place] : first) order.emplace_back(onHost[(*hosts)[static_cast<std::size_t>(rank)]]++, rank);
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i].second != transport.rank()) continue;
    return Ring{order[(i + 1) % order.size()].second, order[(i + order.size() - 1) % order.size()].second,
                devices[first.at(transport.rank())->index]};
  }
  return Ring{};
}

// One rank's memory, and its messages.
class Runner {
 public:
  Runner(cdm::Transport& transport, const Ring& ring) : transport_(transport), ring_(ring), device_(*ring.device) {}
  ~Runner() {
    for (const cdm::BufferId buffer : buffers_) (void)device_.release(buffer);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  Status allocate() {
    const std::size_t bytes = sizes.back();
    for (int i = 0; i < 3; ++i) {
      const Result<cdm::BufferId> made = device_.allocate(bytes);
      if (!made.ok()) return made.status();
      buffers_.push_back(*made);
    }
    for (const auto& [way, call] : {std::pair(&throughHost_, &cdm::ComputeDevice::pinnedMemory),
                                    std::pair(&direct_, &cdm::ComputeDevice::messageMemory)})
      for (cdm::PinnedMemory* memory : {&way->out, &way->in}) {
        Result<cdm::PinnedMemory> made = (device_.*call)(bytes);
        if (!made.ok()) return made.status();
        *memory = std::move(*made);
      }
    for (std::size_t kind = 0; kind < 2; ++kind) {
      expected_[kind] = patternOf(ring_.before, kind, bytes);
      const std::vector<std::byte> values = patternOf(transport_.rank(), kind, bytes);
      const Result<cdm::Event> written = device_.write(buffers_[kind], 0, values.data(), bytes);
      if (!written.ok()) return written.status();
      MUSTER_TRY(device_.wait(*written));
    }
    return {};
  }

  Status run(Finding& finding) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      MUSTER_TRY(time(sizes[i], throughHost_, finding.throughHost[i], finding.isRight));
      MUSTER_TRY(time(sizes[i], direct_, finding.direct[i], finding.isRight));
    }
    return {};
  }

 private:
  struct Way {
    cdm::PinnedMemory out, in;
  };
  // Another one for each of some ranks in a row, and for two messages in a row; neighbouring bytes differ.
  static std::vector<std::byte> patternOf(int rank, std::size_t kind, std::size_t bytes) {
    std::vector<std::byte> values(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      values[i] = static_cast<std::byte>((i + i / 251 + 3 * static_cast<std::size_t>(rank) + 101 * kind) % 251);
    return values;
  }

  // Each message is looked at, beside the time.
  Status time(std::size_t bytes, const Way& way, double& seconds, bool& isRight) {
    seconds = std::numeric_limits<double>::infinity();
    std::vector<std::byte> got(bytes);
    for (int i = 0; i < rounds; ++i) {
      const auto began = std::chrono::steady_clock::now();
      MUSTER_TRY(exchange(bytes, way, buffers_[i % 2]));
      seconds = std::min(seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
      const Result<cdm::Event> read = device_.read(buffers_.back(), 0, got.data(), bytes);
      if (!read.ok()) return read.status();
      MUSTER_TRY(device_.wait(*read));
      isRight &= std::equal(got.begin(), got.end(), expected_[i % 2].begin());
    }
    return {};
  }

  Status exchange(std::size_t bytes, const Way& way, cdm::BufferId source) {
    Result<cdm::RequestPtr> incoming = transport_.receive(ring_.before, ++tag_, {way.in.get(), bytes});
    if (!incoming.ok()) return incoming.status();
    const Result<cdm::Event> read = device_.read(source, 0, way.out.get(), bytes);
    if (!read.ok()) return read.status();
    MUSTER_TRY(device_.wait(*read));
    Result<cdm::RequestPtr> outgoing = transport_.send(ring_.next, tag_, {way.out.get(), bytes});
    if (!outgoing.ok()) return outgoing.status();
    MUSTER_TRY(transport_.wait(*incoming));
    const Result<cdm::Event> written = device_.write(buffers_.back(), 0, way.in.get(), bytes);
    if (!written.ok()) return written.status();
    MUSTER_TRY(device_.wait(*written));
    return transport_.wait(*outgoing);
  }

  cdm::Transport& transport_;
  Ring ring_;
  cdm::ComputeDevice& device_;
  std::uint64_t tag_ = 0;
  std::vector<cdm::BufferId> buffers_;              // two sources and the target
  std::array<std::vector<std::byte>, 2> expected_;  // of the largest messages; others are their beginnings
  Way throughHost_, direct_;
};

// The smallest size from which on direct messages take less time, over all ranks.
std::size_t fastFrom(const Findings& findings) {
  std::size_t from = noMessage;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    double throughHost = 0, direct = 0;
    for (const Finding& finding : findings) throughHost += finding.throughHost[i], direct += finding.direct[i];
    if (direct >= gain * throughHost) break;
    from = sizes[i];
  }
  return from;
}

}  // namespace

Result<std::size_t> tryDirectMessages(cdm::Transport& transport, std::span<cdm::ComputeDevice* const> devices,
                                      std::span<const DevicePlace* const> members,
                                      const std::function<void(const std::string&)>& warn) {
  const Result<Ring> ring = findRing(transport, devices, members);
  if (!ring.ok()) return ring.status();
  std::unique_ptr<Runner> runner;
  Finding mine;
  Status problem;
  if (ring->device != nullptr) {
    runner = std::make_unique<Runner>(transport, *ring);
    problem = runner->allocate();
    mine.hasMemory = problem.ok();
  }
  Result<Findings> all = share(transport, mine);
  if (!all.ok()) return all.status();
  if (!problem.ok()) warn("messages between devices go through host memory: " + problem.message());
  if (!std::ranges::all_of(*all, &Finding::hasMemory)) return noMessage;
  if (runner != nullptr) MUSTER_TRY(runner->run(mine));
  all = share(transport, mine);
  if (!all.ok()) return all.status();
  if (!mine.isRight)
    warn(
        fmt::format("{} says that it takes memory of devices, but what comes is wrong; messages between devices go "
                    "through host memory",
                    transport.libraryVersion()));
  return std::ranges::all_of(*all, &Finding::isRight) ? fastFrom(*all) : noMessage;
}

}  // namespace muster::cap
