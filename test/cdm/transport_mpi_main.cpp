// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport's cases over MPI: every rank of mpirun runs the same tests in the same order. With an argument it
// plays one part in a test of failures instead (transport_faults.py):
//   abort=N  rank 1 aborts the job with exit code N      hang  all ranks wait until somebody kills one
//   big      one message of more than INT_MAX bytes
//   full=N   no rank can share more than N MiB; loans travel all the same
//   speed    prints what large messages between ranks 0 and 1 cost, as loans and as messages
// SHARED=off: shares no memory.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdlib>
#include <iostream>

#include "aliased_bytes.h"
#include "loan_cases.h"
#include "muster/cdm/transports.h"
#include "transport_cases.h"

namespace muster::cdm::test {
namespace {

std::unique_ptr<Transport> job;

class Mpi : public testing::TestWithParam<TransportCase> {};

TEST_P(Mpi, Case) {
  GetParam().run(*job);
  const Status status = job->barrier();
  ASSERT_TRUE(status.ok()) << status.message();
}

INSTANTIATE_TEST_SUITE_P(All, Mpi, testing::ValuesIn(transportCases),
                         [](const testing::TestParamInfo<TransportCase>& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(Loans, Mpi, testing::ValuesIn(loanCases),
                         [](const testing::TestParamInfo<TransportCase>& info) { return info.param.name; });

double processSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Ranks may be more than cores: waiting must cost next to nothing.
TEST(MpiWaiting, LeavesTheCore) {
  constexpr double seconds = 3;
  ASSERT_TRUE(job->barrier().ok());
  const double before = processSeconds();
  if (job->rank() == 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    ASSERT_TRUE(job->postCommand(Bytes(1)).ok());
  } else {
    ASSERT_TRUE(job->nextCommand().ok());
  }
  const double used = (processSeconds() - before) / seconds;
  if (job->rank() == 1) std::printf("  an idle rank uses %.2f %% of a core\n", used * 100);
  EXPECT_LT(used, 0.05) << "rank " << job->rank();
}

// Long messages travel in pieces of 64 MiB. A sender that has less, at the end of a piece or within one, or more.
TEST(MpiMessages, DifferentNumbersOfPiecesAreAnError) {
  constexpr std::size_t piece = std::size_t{64} << 20;
  constexpr std::pair<std::size_t, std::size_t> sentAndExpected[] = {
      {piece, piece + 4096}, {10, piece + 4096}, {piece, 3 * piece}, {piece + 4096, piece}};
  if (job->rank() > 1) return;
  const AliasedBytes memory(3 * piece);
  std::uint64_t tag = 0;
  for (const auto& [sent, expected] : sentAndExpected) {
    ++tag;
    if (job->rank() == 0 && job->size() > 1) {
      RequestPtr request = mustSend(*job, 1, tag, memory.all().first(sent));
      mustWait(*job, {&request, 1});
    } else if (job->rank() == 1) {
      RequestPtr request = mustReceive(*job, 0, tag, memory.all().first(expected));
      EXPECT_EQ(job->wait(request).code(), Errc::protocol) << sent << " bytes for " << expected;
    }
  }
}

int big() {
  const std::size_t size = std::size_t{INT_MAX} + 12345;
  const AliasedBytes memory(size);
  const Bytes bytes = pattern(AliasedBytes::period, 4);
  RequestPtr request;
  if (job->rank() == 0) {
    std::copy(bytes.begin(), bytes.end(), memory.data());
    request = mustSend(*job, 1, 1, memory.all());
  } else if (job->rank() == 1) {
    request = mustReceive(*job, 0, 1, memory.all());
  }
  mustWait(*job, {&request, 1});
  EXPECT_TRUE(job->rank() > 1 || std::equal(bytes.begin(), bytes.end(), memory.once().begin()));
  EXPECT_TRUE(job->shutdown().ok());
  return testing::Test::HasFailure() ? 1 : 0;
}

// A memfd cannot grow beyond the limit for files.
int full(rlim_t megabytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{megabytes << 20, RLIM_INFINITY};
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  testing::internal::CaptureStderr();
  (void)exchangeLoans(*job);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("bytes of memory to share with another rank of this host"), std::string::npos) << said;
  EXPECT_EQ(said.find("warning"), said.rfind("warning")) << said;
  EXPECT_TRUE(job->shutdown().ok());
  return testing::Test::HasFailure() ? 1 : 0;
}

// As the executor moves 32 MiB between two CPUs: in parts, from one array to another.
class Stream {
 public:
  static constexpr std::size_t part = std::size_t{2} << 20, parts = 16;

  // Seconds of one transfer.
  double once(bool loans) {
    EXPECT_TRUE(job->barrier().ok());
    const auto start = std::chrono::steady_clock::now();
    if (job->rank() < 2) loans ? lend() : send();
    return secondsSince(start);
  }

 private:
  std::span<std::byte> piece(std::size_t i) { return std::span(data_).subspan(i * part, part); }

  void send() {
    RequestPtr requests[parts];
    for (std::size_t i = 0; i < parts; ++i)
      requests[i] = job->rank() == 0 ? mustSend(*job, 1, i, piece(i)) : mustReceive(*job, 0, i, piece(i));
    mustWait(*job, requests);
  }
  void lend() {
    Loan loans[parts];
    RequestPtr requests[parts];
    for (std::size_t i = 0; i < parts; ++i) {
      if (job->rank() == 1) {
        requests[i] = std::move(*job->borrow(0, i, part, &loans[i]));
        continue;
      }
      while ((loans[i] = *job->takeRoom(1, part)).held == nullptr) std::this_thread::yield();
      std::memcpy(loans[i].bytes.data(), piece(i).data(), part);
      requests[i] = std::move(*job->lend(1, i, std::move(loans[i])));
    }
    for (std::size_t i = 0; i < parts; ++i) {
      mustWait(*job, {&requests[i], 1});
      if (job->rank() == 1) std::memcpy(piece(i).data(), loans[i].bytes.data(), part);
      loans[i] = {};
    }
  }

  Bytes data_ = Bytes(parts * part);
};

int speed() {
  Stream stream;
  const bool shared = job->size() > 1 && job->loanLimits(1 - std::min(job->rank(), 1)).largest > 0;
  for (const bool loans : {false, true}) {
    if (loans && !shared) continue;
    double best = 1e9;
    for (int i = 0; i < 10; ++i) best = std::min(best, stream.once(loans));
    if (job->rank() == 1)
      std::printf("32 MiB as %s: %.2f GB/s\n", loans ? "loans" : "messages",
                  Stream::part * Stream::parts / best * 1e-9);
  }
  return job->shutdown().ok() ? 0 : 1;
}

int play(const std::string& part) {
  if (part == "big") return big();
  if (part.starts_with("full=")) return full(static_cast<rlim_t>(std::atoi(part.c_str() + 5)));
  if (part == "speed") return speed();
  std::printf("rank %d pid %d\n", job->rank(), getpid());
  std::fflush(stdout);
  if (part.starts_with("abort=") && job->rank() == 1) job->abort(std::atoi(part.c_str() + 6));
  if (job->rank() == 0) {
    Bytes data(1);
    RequestPtr never = mustReceive(*job, job->size() - 1, 1, data);
    mustWait(*job, {&never, 1});
  }
  std::cerr << job->nextCommand().status().message() << '\n';
  return 0;  // only after an error that should have ended the job
}

}  // namespace

int run(int argc, char** argv) {
  MpiOptions options;
  if (const char* seconds = std::getenv("SILENCE")) options.silenceSeconds = std::atof(seconds);
  if (const char* shared = std::getenv("SHARED")) options.sharedMemory = std::string(shared) != "off";
  Result<std::unique_ptr<Transport>> made = makeMpiTransport(&argc, &argv, options);
  if (!made) {
    std::cerr << made.status().message() << '\n';
    return 2;
  }
  job = std::move(*made);
  GTEST_FLAG_SET(brief, job->rank() > 0);
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1) return play(argv[1]);
  const int failed = RUN_ALL_TESTS();
  const Status status = job->shutdown();
  if (!status.ok()) std::cerr << status.message() << '\n';
  return failed != 0 || !status.ok() ? 1 : 0;
}

}  // namespace muster::cdm::test

int main(int argc, char** argv) { return muster::cdm::test::run(argc, argv); }
