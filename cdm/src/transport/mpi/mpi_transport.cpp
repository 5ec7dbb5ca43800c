// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport over MPI, and the one function that libmuster-mpi.so exports. A module of its own, so that
// programs that run alone need no MPI library.
#include <mpi.h>

#include <climits>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "transport/checks.h"
#include "transport/lending_transport.h"
#include "transport/mpi/command_tree.h"
#include "transport/mpi/messages.h"
#include "transport/mpi/mpi_job.h"
#include "transport/mpi/shared_memory.h"
#include "transport/mpi/watch.h"
#include "transport/mpi_module.h"

// An extension that many MPIs have. With those that do not, it is null.
extern "C" __attribute__((weak)) int MPIX_Query_cuda_support();

namespace muster::cdm {
namespace {

// "Open MPI v4.1.4": MPI's own text goes on with dates and builds.
std::string mpiVersion() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  if (PMPI_Get_library_version(text, &length) != MPI_SUCCESS) return "unknown MPI";
  const std::string version(text, static_cast<std::size_t>(length));
  return version.substr(0, version.find_first_of(",\n"));
}

class MpiTransport final : public LendingTransport {
 public:
  explicit MpiTransport(const MpiOptions& options)
      : LendingTransport([this](const std::string& text) { warn(text); }),
        sharedMemory_(options.sharedMemory),
        messages_(job_),
        commands_(job_),
        watch_(job_, commands_, options.silenceSeconds) {}

  // Collective.
  Status start() {
    Result<MPI_Comm> comm = job_.duplicateWorld();
    if (!comm) return comm.status();
    collective_ = *comm;
    MUSTER_TRY(messages_.start());
    MUSTER_TRY(commands_.start());
    const std::string host = thisHost();
    const Result<std::vector<Bytes>> names = allGather(std::as_bytes(std::span(host)));
    if (!names) return names.status();
    std::vector<std::string> hosts;
    for (const Bytes& name : *names) hosts.emplace_back(reinterpret_cast<const char*>(name.data()), name.size());
    job_.setHosts(std::move(hosts));
    MUSTER_TRY(shareMemory(job_, sharedMemory_, loans_, [this](const std::string& text) { warn(text); }));
    return watch_.start();
  }

  int rank() const override { return job_.rank(); }
  int size() const override { return job_.size(); }
  std::string hostName() const override { return thisHost(); }
  const char* name() const override { return "mpi"; }
  std::string libraryVersion() const override { return mpiVersion(); }

  Result<RequestPtr> send(int to, std::uint64_t tag, std::span<const std::byte> data) override {
    return messages_.send(to, tag, data);
  }
  Result<RequestPtr> receive(int from, std::uint64_t tag, std::span<std::byte> data) override {
    return messages_.receive(from, tag, data);
  }
  bool takesDeviceMemory() const override {
    return MPIX_Query_cuda_support != nullptr && MPIX_Query_cuda_support() == 1;
  }

  Status postCommand(std::span<const std::byte> command) override { return commands_.post(command); }
  Result<Bytes> nextCommand() override { return commands_.next(); }
  Result<bool> hasCommand() override { return commands_.isHere(); }
  void expectCommandSoon() override { commands_.expectSoon(); }

  Result<std::vector<Bytes>> allGather(std::span<const std::byte> mine) override;
  Status barrier() override;

  void abort(int code) override { job_.abort(code); }
  Status shutdown() override;

 private:
  Result<std::vector<std::uint64_t>> gatherLengths(std::uint64_t mine);
  void warn(const std::string& text) const {
    std::fprintf(stderr, "muster: warning: %s: %s\n", job_.nameOf(rank()).c_str(), text.c_str());
  }

  bool sharedMemory_;
  MpiJob job_;
  MPI_Comm collective_ = MPI_COMM_NULL;
  std::mutex oneCollective_;
  Messages messages_;
  CommandTree commands_;
  Watch watch_;
};

Result<std::vector<std::uint64_t>> MpiTransport::gatherLengths(std::uint64_t mine) {
  std::vector<std::uint64_t> lengths(static_cast<std::size_t>(size()));
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(job_.mutex());
    MUSTER_TRY(
        job_.check(PMPI_Iallgather(&mine, 1, MPI_UINT64_T, lengths.data(), 1, MPI_UINT64_T, collective_, &request),
                   "MPI_Iallgather"));
  }
  MUSTER_TRY(job_.await(request, "MPI_Iallgather"));
  return lengths;
}

Result<std::vector<Bytes>> MpiTransport::allGather(std::span<const std::byte> mine) {
  const std::lock_guard alone(oneCollective_);
  const Result<std::vector<std::uint64_t>> lengths = gatherLengths(mine.size());
  if (!lengths) return lengths.status();
  const std::uint64_t total = std::accumulate(lengths->begin(), lengths->end(), std::uint64_t{0});
  if (total > (std::uint64_t{1} << 30)) {
    return {Errc::invalidArgument, job_.nameOf(rank()) + ": allGather of " + std::to_string(total) +
                                       " bytes, at most 1 GiB is possible; send bulk data as messages"};
  }
  std::vector<int> counts(lengths->begin(), lengths->end()), offsets(lengths->size());
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  Bytes all(total);
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(job_.mutex());
    MUSTER_TRY(job_.check(PMPI_Iallgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all.data(),
                                           counts.data(), offsets.data(), MPI_BYTE, collective_, &request),
                          "MPI_Iallgatherv"));
  }
  MUSTER_TRY(job_.await(request, "MPI_Iallgatherv"));
  std::vector<Bytes> parts;
  parts.reserve(counts.size());
  for (std::size_t r = 0; r < counts.size(); ++r) {
    parts.emplace_back(all.begin() + offsets[r], all.begin() + offsets[r] + counts[r]);
  }
  return parts;
}

Status MpiTransport::barrier() {
  const std::lock_guard alone(oneCollective_);
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const std::lock_guard lock(job_.mutex());
    MUSTER_TRY(job_.check(PMPI_Ibarrier(collective_, &request), "MPI_Ibarrier"));
  }
  return job_.await(request, "MPI_Ibarrier");
}

Status MpiTransport::shutdown() {
  MUSTER_TRY(barrier());
  MUSTER_TRY(watch_.stop());
  MUSTER_TRY(commands_.stop());
  MUSTER_TRY(messages_.stop());
  MUSTER_TRY(job_.check(PMPI_Comm_free(&collective_), "MPI_Comm_free"));
  return job_.check(PMPI_Finalize(), "MPI_Finalize");
}

const char* levelName(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    default:
      return "MPI_THREAD_SERIALIZED";
  }
}

Status initialise(const MpiModuleCall& call) {
  int already = 0, level = MPI_THREAD_SINGLE, ranks = 0;
  PMPI_Initialized(&already);
  if (already)
    return {Errc::invalidArgument, "MPI is already initialised; Muster does that itself at the start of main"};
  if (PMPI_Init_thread(call.argc, call.argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) {
    return {Errc::io, "MPI_Init_thread failed on host " + thisHost()};
  }
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (level < MPI_THREAD_SERIALIZED) {
    return {Errc::unsupported, std::string("this MPI library gives ") + levelName(level) +
                                   " only, Muster needs MPI_THREAD_SERIALIZED; use a build of MPI with threads"};
  }
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (call.launchedRanks > 1 && ranks == 1) {
    return {Errc::unsupported, "the launcher started " + std::to_string(call.launchedRanks) +
                                   " ranks, but MPI sees only this one: launcher and MPI library do not fit together. "
                                   "Use the mpirun (or srun --mpi=pmix) of " +
                                   mpiVersion()};
  }
  return {};
}

}  // namespace
}  // namespace muster::cdm

extern "C" __attribute__((visibility("default"))) bool muster_mpi_transport(muster::cdm::MpiModuleCall* call) {
  if (call->version != muster::cdm::mpiModuleVersion) return false;
  call->status = muster::cdm::initialise(*call);
  if (!call->status.ok()) return true;
  auto transport = std::make_unique<muster::cdm::MpiTransport>(call->options);
  call->status = transport->start();
  if (call->status.ok()) call->transport = std::move(transport);
  return true;
}
