// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MUSTER_DEVICES: what is accepted, what is refused and how, and which devices come of it.
#include "discovery/selection.h"

#include <gtest/gtest.h>

namespace muster::cdm {

namespace {

using Kind = DeviceWord::Kind;
using Backend = Candidate::Backend;
using Indexes = std::vector<std::size_t>;

std::vector<Kind> kinds(const std::vector<DeviceWord>& words) {
  std::vector<Kind> result;
  for (const DeviceWord& word : words) result.push_back(word.kind);
  return result;
}

// A host with its CPU, POCL on it, and `gpus` GPUs, OpenCL numbers in this order.
std::vector<Candidate> host(std::size_t gpus) {
  std::vector<Candidate> candidates = {{"Xeon", DeviceKind::cpu, Backend::cpu, 0, false, ""},
                                       {"pocl", DeviceKind::cpu, Backend::opencl, 0, true, ""}};
  for (std::size_t g = 0; g < gpus; ++g)
    candidates.push_back({"GPU", DeviceKind::gpu, Backend::opencl, g + 1, false, "pci:" + std::to_string(g)});
  return candidates;
}

// The same where CUDA serves the first `cards` of them as well: candidates 1, 2, ...
std::vector<Candidate> hostWithCuda(std::size_t gpus, std::size_t cards) {
  std::vector<Candidate> candidates = host(gpus);
  for (std::size_t c = cards; c-- > 0;)
    candidates.insert(candidates.begin() + 1,
                      {"GPU", DeviceKind::gpu, Backend::cuda, c, false, "pci:" + std::to_string(c)});
  return candidates;
}

Result<Choice> chosen(const std::string& text, const std::vector<Candidate>& candidates, RankPlace place = {}) {
  const Result<Selection> selection = parseSelection(text);
  EXPECT_TRUE(selection.ok()) << selection.status().message();
  return choose(*selection, candidates, place,
                candidates.size() > 1 ? std::vector<Problem>() : std::vector<Problem>{{"OpenCL", "no platform"}});
}

Indexes taken(const std::string& text, const std::vector<Candidate>& candidates, RankPlace place = {}) {
  const Result<Choice> choice = chosen(text, candidates, place);
  EXPECT_TRUE(choice.ok()) << choice.status().message();
  return choice ? choice->taken : Indexes();
}

std::string reasonFor(const Result<Choice>& choice, const std::string& device) {
  for (const LeftOut& leftOut : choice->leftOut)
    if (leftOut.device.find(device) != std::string::npos) return leftOut.reason;
  return "(not left out)";
}

}  // namespace

TEST(ParseSelection, Words) {
  const Result<Selection> selection = parseSelection("cpu,gpu,opencl,opencl:12,pocl,all,cuda,cuda:1");
  ASSERT_TRUE(selection.ok());
  EXPECT_TRUE(selection->ranks.empty());
  EXPECT_EQ(kinds(*selection->others), (std::vector{Kind::cpu, Kind::gpu, Kind::opencl, Kind::opencl, Kind::pocl,
                                                    Kind::all, Kind::cuda, Kind::cuda}));
  const std::vector<std::optional<std::size_t>> indexes = {{}, {}, {}, 12, {}, {}, {}, 1};
  for (std::size_t i = 0; i < indexes.size(); ++i) EXPECT_EQ((*selection->others)[i].index, indexes[i]) << i;
}

TEST(ParseSelection, PerRank) {
  const Result<Selection> selection = parseSelection("0=cpu;2=opencl:1,cpu;*=gpu");
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(kinds(selection->ranks.at(0)), std::vector{Kind::cpu});
  EXPECT_EQ(kinds(selection->ranks.at(2)), (std::vector{Kind::opencl, Kind::cpu}));
  EXPECT_EQ(kinds(*selection->others), std::vector{Kind::gpu});
}

TEST(ParseSelection, SpacesAndCaseDoNotMatter) {
  const Result<Selection> selection = parseSelection("  0 = CPU , opencl: 1 ;\t* = Gpu ");
  ASSERT_TRUE(selection.ok()) << selection.status().message();
  EXPECT_EQ(kinds(selection->ranks.at(0)), (std::vector{Kind::cpu, Kind::opencl}));
  EXPECT_EQ(kinds(*selection->others), std::vector{Kind::gpu});
}

TEST(ParseSelection, NothingIsTheDefault) {
  for (const char* text : {"", "  \t"}) {
    const Result<Selection> selection = parseSelection(text);
    ASSERT_TRUE(selection.ok());
    EXPECT_TRUE(selection->ranks.empty());
    EXPECT_FALSE(selection->others.has_value());
  }
}

TEST(ParseSelection, MalformedTextIsRefusedWithTheReasonAndTheGrammar) {
  const std::pair<const char*, const char*> cases[] = {
      {"cpuu", "did you mean \"cpu\""},
      {"hip", "unknown word \"hip\""},
      {"cuda:", "device number"},
      {"cuda:x", "as in cuda:0"},
      {"opencel", "did you mean \"opencl\""},
      {"opencl:", "device number"},
      {"opencl:x", "device number"},
      {"opencl:-1", "device number"},
      {"opencl:1x", "device number"},
      {"opencl:99999999999999999999999", "device number"},
      {"cpu,,gpu", "an empty word"},
      {"cpu,", "an empty word"},
      {"gpu:0", "did you mean \"gpu\""},
      {"0=cpu;gpu", "names no rank"},
      {"x=cpu", "neither a rank"},
      {"-1=cpu", "neither a rank"},
      {"0=cpu;0=gpu", "two entries"},
      {"*=cpu;*=gpu", "two entries"},
      {"0=", "an empty word"},
      {"0=cpu;", "names no rank"},
      {"0=cpu=gpu", "unknown word"},
  };
  for (const auto& [text, reason] : cases) {
    const Status status = parseSelection(text).status();
    EXPECT_EQ(status.code(), Errc::invalidArgument) << text;
    EXPECT_NE(status.message().find(reason), std::string::npos) << text << ": " << status.message();
    EXPECT_NE(status.message().find("0=cpu;1=gpu;*=cpu,gpu"), std::string::npos) << text;
  }
}

TEST(Choose, DefaultIsTheCpuAndTheGpusWithoutPocl) {
  EXPECT_EQ(taken("", host(2)), (Indexes{0, 2, 3}));
  EXPECT_EQ(taken("", host(0)), (Indexes{0}));
  const Result<Choice> choice = chosen("", host(1));
  EXPECT_EQ(reasonFor(choice, "pocl"), "serves the same cores as the native CPU");
  EXPECT_FALSE(choice->explicitly);
}

TEST(Choose, Words) {
  EXPECT_EQ(taken("cpu", host(2)), (Indexes{0}));
  EXPECT_EQ(taken("gpu", host(2)), (Indexes{2, 3}));
  EXPECT_EQ(taken("opencl", host(2)), (Indexes{1, 2, 3}));
  EXPECT_EQ(taken("opencl:0", host(2)), (Indexes{1}));
  EXPECT_EQ(taken("opencl:2,cpu", host(2)), (Indexes{0, 3}));
  EXPECT_EQ(taken("pocl", host(2)), (Indexes{1}));
  EXPECT_EQ(taken("all", host(2)), (Indexes{0, 1, 2, 3}));
  EXPECT_EQ(taken("gpu,gpu,opencl:1", host(2)), (Indexes{2, 3}));
  EXPECT_EQ(taken("opencl:1,cpu,opencl:1", host(2)), (Indexes{0, 2, 2})) << "two devices on one card";
  EXPECT_EQ(reasonFor(chosen("gpu", host(1)), "cpu (Xeon)"), "is not in MUSTER_DEVICES");
}

TEST(Choose, WordsPerRank) {
  const std::string text = "0=cpu;1=opencl:1;*=pocl";
  EXPECT_EQ(taken(text, host(1), {0, 0, 3}), (Indexes{0}));
  EXPECT_EQ(taken(text, host(1), {1, 1, 3}), (Indexes{2}));
  EXPECT_EQ(taken(text, host(1), {2, 2, 3}), (Indexes{1}));
  // No entry and no "*": the default set.
  EXPECT_EQ(taken("5=pocl", host(1), {0, 0, 1}), (Indexes{0, 2}));
}

TEST(Choose, GpusAreSharedOutAmongLocalRanks) {
  EXPECT_EQ(taken("", host(4), {0, 0, 2}), (Indexes{0, 2, 4}));
  EXPECT_EQ(taken("", host(4), {1, 1, 2}), (Indexes{0, 3, 5}));
  // More ranks than GPUs: the last ones get none; the rank within the host counts, not that in the job.
  EXPECT_EQ(taken("gpu", host(2), {7, 1, 3}), (Indexes{3}));
  EXPECT_EQ(taken("gpu", host(2), {8, 2, 3}), (Indexes{}));
  EXPECT_EQ(reasonFor(chosen("", host(2), {0, 0, 2}), "opencl:2"),
            "belongs to local rank 1 (the host's GPUs are shared out)");
}

TEST(Choose, SharingCoversEachGpuOnce) {
  for (int ranks = 1; ranks <= 5; ++ranks)
    for (std::size_t gpus = 0; gpus <= 8; ++gpus) {
      std::vector<int> owners(gpus + 2, 0);
      for (int rank = 0; rank < ranks; ++rank)
        for (std::size_t i : taken("", host(gpus), {rank, rank, ranks})) ++owners[i];
      for (std::size_t g = 0; g < gpus; ++g) EXPECT_EQ(owners[g + 2], 1) << gpus << " GPUs, " << ranks << " ranks";
    }
}

TEST(Choose, NamedDevicesAreNotShared) {
  EXPECT_EQ(taken("opencl:1", host(2), {1, 1, 2}), (Indexes{2}));
  EXPECT_EQ(taken("1=gpu;*=cpu", host(2), {1, 1, 2}), (Indexes{2, 3}));
  // CPU-type OpenCL devices serve every rank.
  EXPECT_EQ(taken("pocl", host(2), {1, 1, 2}), (Indexes{1}));
}

TEST(Choose, SecondHandleOfTheSameHardwareIsLeftOut) {
  std::vector<Candidate> candidates = host(3);
  candidates[3].hardwareId = candidates[2].hardwareId;
  EXPECT_EQ(taken("", candidates), (Indexes{0, 2, 4}));
  EXPECT_NE(reasonFor(chosen("", candidates), "opencl:2").find("same hardware"), std::string::npos);
  // It does not count in the sharing either.
  EXPECT_EQ(taken("gpu", candidates, {1, 1, 2}), (Indexes{4}));
  EXPECT_EQ(taken("opencl:2", candidates), (Indexes{3}));
}

TEST(Choose, UnknownDevicesAreNotFoundAndTheOthersListed) {
  const Result<Choice> choice = chosen("opencl:7", host(1), {0, 0, 1});
  EXPECT_EQ(choice.status().code(), Errc::notFound);
  for (const char* part : {"opencl:7", "cpu (Xeon)", "opencl:0 (pocl, cpu)", "opencl:1 (GPU, gpu)"})
    EXPECT_NE(choice.status().message().find(part), std::string::npos) << choice.status().message();
  EXPECT_EQ(chosen("gpu", host(0)).status().code(), Errc::notFound);
  EXPECT_EQ(chosen("cpu,gpu", host(0)).status().code(), Errc::notFound);
}

TEST(Choose, OpenClWithoutAPlatform) {
  const std::vector<Candidate> bare(1, host(0)[0]);
  EXPECT_EQ(taken("", bare), (Indexes{0}));
  EXPECT_EQ(reasonFor(chosen("", bare), "OpenCL"), "no platform");
  const Result<Choice> named = chosen("opencl", bare);
  EXPECT_EQ(named.status().code(), Errc::notFound);
  EXPECT_NE(named.status().message().find("no platform"), std::string::npos);
}

TEST(Choose, OnlyWhatMayBeTakenIsLoaded) {
  const auto may = [](const char* text, int rank, Backend backend) {
    return mayTake(*parseSelection(text), rank, backend);
  };
  for (const Backend backend : {Backend::cuda, Backend::opencl}) {
    EXPECT_FALSE(may("cpu", 0, backend));
    EXPECT_FALSE(may("0=cpu;*=gpu", 0, backend));
    EXPECT_TRUE(may("0=cpu;*=gpu", 1, backend));
    EXPECT_TRUE(may("", 0, backend));
    EXPECT_TRUE(may("all", 0, backend));
  }
  for (const char* text : {"opencl", "opencl:0", "pocl"}) EXPECT_FALSE(may(text, 0, Backend::cuda)) << text;
  for (const char* text : {"cuda", "cuda:1"}) EXPECT_FALSE(may(text, 0, Backend::opencl)) << text;
  for (const char* text : {"", "gpu", "cpu,cuda"})
    EXPECT_FALSE(names(*parseSelection(text), 0, Backend::opencl)) << text;
  for (const char* text : {"opencl:0", "gpu,pocl", "all"})
    EXPECT_TRUE(names(*parseSelection(text), 0, Backend::opencl)) << text;
}

// Candidates 1 and 2 are CUDA's, 3 is POCL, 4 to 6 are OpenCL's, of which 4 and 5 are the same cards.
TEST(Choose, CudaComesBeforeOpenCl) {
  const std::vector<Candidate> candidates = hostWithCuda(3, 2);
  EXPECT_EQ(taken("", candidates), (Indexes{0, 1, 2, 6}));
  EXPECT_EQ(taken("gpu", candidates), (Indexes{1, 2, 6}));
  EXPECT_EQ(taken("all", candidates), (Indexes{0, 1, 2, 3, 6}));
  EXPECT_EQ(taken("cuda", candidates), (Indexes{1, 2}));
  EXPECT_EQ(taken("cuda:1", candidates), (Indexes{2}));
  EXPECT_EQ(taken("opencl", candidates), (Indexes{3, 4, 5, 6})) << "CUDA's are not asked for";
  EXPECT_EQ(taken("opencl:1", candidates), (Indexes{4}));
  EXPECT_EQ(taken("opencl,cuda:0", candidates), (Indexes{1, 3, 5, 6}));
  EXPECT_EQ(reasonFor(chosen("", candidates), "opencl:1"), "is the same hardware (pci:0) as cuda:0 (GPU, gpu)");
  EXPECT_EQ(chosen("cuda:2", candidates).status().code(), Errc::notFound);
  EXPECT_EQ(chosen("cuda", host(1)).status().code(), Errc::notFound);
}

TEST(Choose, CardsAreSharedOutWhicheverBackendServesThem) {
  const std::vector<Candidate> candidates = hostWithCuda(3, 2);
  EXPECT_EQ(taken("gpu", candidates, {0, 0, 2}), (Indexes{1, 6}));
  EXPECT_EQ(taken("gpu", candidates, {1, 1, 2}), (Indexes{2}));
  EXPECT_EQ(taken("0=opencl;*=gpu", candidates, {1, 1, 2}), (Indexes{2}));
  EXPECT_EQ(taken("opencl", candidates, {0, 0, 3}), (Indexes{3, 4}));
  EXPECT_EQ(taken("opencl", candidates, {2, 2, 3}), (Indexes{3, 6}));
}

// Ranks that are programs of their own: none goes without a GPU.
TEST(Choose, RanksMayShareGpus) {
  const std::vector<Candidate> candidates = host(2);
  const auto shared = [&](int rank, int ranks) { return RankPlace{rank, rank, ranks, true}; };
  EXPECT_EQ(taken("gpu", candidates, {2, 2, 3, false}), Indexes());
  EXPECT_EQ(taken("gpu", candidates, shared(0, 3)), Indexes{2});
  EXPECT_EQ(taken("gpu", candidates, shared(1, 3)), Indexes{3});
  EXPECT_EQ(taken("gpu", candidates, shared(2, 3)), Indexes{2});
  EXPECT_EQ(chosen("gpu", candidates, shared(0, 3))->sharersOfGpus, 2);
  EXPECT_EQ(chosen("gpu", candidates, shared(1, 3))->sharersOfGpus, 1);
  EXPECT_EQ(chosen("gpu", candidates, shared(2, 3))->sharersOfGpus, 2);
  EXPECT_EQ(chosen("opencl:1", candidates, shared(0, 3))->sharersOfGpus, 3) << "all ranks take this one";
  EXPECT_EQ(chosen("0=gpu", candidates, shared(0, 3))->sharersOfGpus, 1);
}

TEST(Choose, GpusAreDividedWhereThereAreEnough) {
  const std::vector<Candidate> candidates = host(4);
  EXPECT_EQ(taken("gpu", candidates, {1, 1, 2, true}), (Indexes{3, 5}));
  EXPECT_EQ(chosen("gpu", candidates, {1, 1, 2, true})->sharersOfGpus, 1);
}

}  // namespace muster::cdm
