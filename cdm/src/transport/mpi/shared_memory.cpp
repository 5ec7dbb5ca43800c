// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who shares memory with whom: every rank offers its own, opens what others offer, and they agree.
#include "transport/mpi/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace muster::cdm {
namespace {

constexpr std::size_t roomBytes = std::size_t{2} << 20;  // the executor's messages
constexpr std::size_t smallestBytes = std::size_t{16} << 10;
// What one rank's messages may take in all, and the least that each of its peers gets of that.
constexpr std::uint32_t allRooms = 32, leastRooms = 4;
// From each rank to each other one: few messages are that large (cap's PipelineLimits).
constexpr std::uint32_t bareRooms = 8;
// More would take too much memory in all, and so many have little to say to one another at a time.
constexpr int mostRanks = 16;

std::string systemError() { return std::strerror(errno); }

struct File {
  explicit File(int number) : number(number) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (number >= 0) close(number);
  }
  int number;
};

// What a rank tells of its memory.
struct Offer {
  std::int64_t process = 0;
  std::int32_t file = -1;  // -1: it shares none
  std::int32_t rank = 0;   // in the job
  std::uint64_t name = 0;  // a number that no other memory has, whatever processes and hosts are called
};

std::string linkOf(std::uint64_t name) { return "/memfd:muster-" + std::to_string(name); }

// The ranks of this host, in an order that they share.
class Host {
 public:
  explicit Host(const MpiJob& job) : job_(job) {}
  ~Host() {
    if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  Status start() {
    MUSTER_TRY(
        job_.check(PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, job_.rank(), MPI_INFO_NULL, &comm_),
                   "MPI_Comm_split_type"));
    MUSTER_TRY(job_.check(PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler"));
    MUSTER_TRY(job_.check(PMPI_Comm_rank(comm_, &me_), "MPI_Comm_rank"));
    return job_.check(PMPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  }
  [[nodiscard]] int me() const { return me_; }
  [[nodiscard]] int size() const { return size_; }

  // `bytes` of every rank, in their order.
  Status gather(const void* mine, void* all, std::size_t bytes) const {
    const int count = static_cast<int>(bytes);
    return job_.check(PMPI_Allgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_), "MPI_Allgather");
  }

 private:
  const MpiJob& job_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int me_ = 0, size_ = 1;
};

// The part of a file that serves messages to the host's rank number `to`.
class Parts {
 public:
  explicit Parts(int ranks)
      : geometry_{roomBytes, std::clamp(allRooms / static_cast<std::uint32_t>(ranks - 1), leastRooms, allRooms),
                  smallestBytes, bareRooms},
        bytes_(LoanSegment::bytesFor(geometry_)) {}

  [[nodiscard]] const LoanGeometry& geometry() const { return geometry_; }

  [[nodiscard]] Result<LoanSegment::Mapping> map(int file, int to) const {
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset(to));
    if (memory == MAP_FAILED) return Status(Errc::outOfMemory, "mmap: " + systemError());
    return LoanSegment::Mapping(static_cast<std::byte*>(memory),
                                [bytes = bytes_](std::byte* at) { munmap(at, bytes); });
  }
  // The file grows with it, so that memory that nobody uses takes none.
  [[nodiscard]] Status commit(int file, int to, std::size_t begin, std::size_t end) const {
    int error = 0;
    do {
      error = posix_fallocate(file, offset(to) + static_cast<off_t>(begin), static_cast<off_t>(end - begin));
    } while (error == EINTR);
    if (error == 0) return {};
    return {Errc::outOfMemory, "there are no " + std::to_string(end - begin) +
                                   " bytes of memory to share with another rank of this host (" + std::strerror(error) +
                                   ")"};
  }

 private:
  [[nodiscard]] off_t offset(int to) const { return static_cast<off_t>(bytes_) * to; }

  LoanGeometry geometry_;
  std::size_t bytes_;
};

Result<std::shared_ptr<File>> makeMemory(Offer& offer) {
  if (getrandom(&offer.name, sizeof offer.name, 0) != sizeof offer.name)
    return Status(Errc::io, "getrandom: " + systemError());
  const std::string name = linkOf(offer.name).substr(std::strlen("/memfd:"));
  auto file = std::make_shared<File>(memfd_create(name.c_str(), MFD_CLOEXEC));
  if (file->number < 0) return Status(Errc::io, "memfd_create: " + systemError());
  offer.file = file->number;
  return file;
}

Result<std::shared_ptr<File>> openMemory(const Offer& offer) {
  const std::string path = "/proc/" + std::to_string(offer.process) + "/fd/" + std::to_string(offer.file);
  auto file = std::make_shared<File>(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file->number < 0) return Status(Errc::io, path + ": " + systemError());
  // Process numbers of different containers, or of hosts of one name, may be the same.
  char link[64] = {};
  const std::string own = "/proc/self/fd/" + std::to_string(file->number);
  const ssize_t length = readlink(own.c_str(), link, sizeof link - 1);
  if (length < 0 || !std::string(link).starts_with(linkOf(offer.name) + " "))
    return Status(Errc::io, path + " is something else here: the ranks do not see the same processes");
  return file;
}

struct Pair {
  std::shared_ptr<LoanSegment> outgoing, incoming;
};

Result<Pair> connect(const Parts& parts, const std::shared_ptr<File>& own, int me, int peer, const Offer& offer) {
  const Result<std::shared_ptr<File>> theirs = openMemory(offer);
  if (!theirs) return theirs.status();
  Result<LoanSegment::Mapping> out = parts.map(own->number, peer), in = parts.map((*theirs)->number, me);
  if (!out) return out.status();
  if (!in) return in.status();
  MUSTER_TRY(parts.commit(own->number, peer, 0, LoanSegment::flagBytes(parts.geometry())));
  const auto commit = [parts, own, peer](std::size_t begin, std::size_t end) {
    return parts.commit(own->number, peer, begin, end);
  };
  return Pair{std::make_shared<LoanSegment>(std::move(*out), parts.geometry(), commit),
              std::make_shared<LoanSegment>(std::move(*in), parts.geometry())};
}

}  // namespace

Status shareMemory(const MpiJob& job, bool wanted, Loans& loans, const Loans::Warn& warn) {
  Host host(job);
  MUSTER_TRY(host.start());
  if (host.size() < 2 || host.size() > mostRanks) return {};
  const auto ranks = static_cast<std::size_t>(host.size());
  const Parts parts(host.size());
  std::string problem;
  Offer mine{getpid(), -1, job.rank(), 0};
  std::shared_ptr<File> own;
  if (wanted) {
    Result<std::shared_ptr<File>> made = makeMemory(mine);
    if (made) own = std::move(*made);
    problem = made.status().message();
  }
  std::vector<Offer> offers(ranks);
  MUSTER_TRY(host.gather(&mine, offers.data(), sizeof mine));
  std::vector<Pair> pairs(ranks);
  std::vector<std::uint8_t> connected(ranks), all(ranks * ranks);
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    if (own == nullptr || offers[peer].file < 0 || offers[peer].rank == job.rank()) continue;
    Result<Pair> pair = connect(parts, own, host.me(), static_cast<int>(peer), offers[peer]);
    connected[peer] = pair.ok();
    if (pair) pairs[peer] = std::move(*pair);
    if (!pair) problem = pair.status().message();
  }
  MUSTER_TRY(host.gather(connected.data(), all.data(), ranks));
  for (std::size_t peer = 0; peer < ranks; ++peer) {
    const bool both = connected[peer] != 0 && all[peer * ranks + static_cast<std::size_t>(host.me())] != 0;
    if (both) loans.add(offers[peer].rank, std::move(pairs[peer].outgoing), std::move(pairs[peer].incoming));
  }
  if (!problem.empty())
    warn("memory cannot be shared with all ranks of this host (" + problem +
         "); messages go through MPI instead, which is slower");
  return {};
}

}  // namespace muster::cdm
