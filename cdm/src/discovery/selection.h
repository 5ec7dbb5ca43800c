// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MUSTER_DEVICES: its grammar, and which of a host's devices one rank takes. Pure: knows no driver.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "muster/cdm/device.h"
#include "muster/cdm/device_manager.h"

namespace muster::cdm {

// One word of a selection.
struct DeviceWord {
  enum class Kind { cpu, gpu, cuda, opencl, pocl, all };
  Kind kind = Kind::cpu;
  std::optional<std::size_t> index;  // of "cuda:N" and "opencl:N": that one alone
  std::string text;                  // as written, for messages
};

struct Selection {
  // No entry at all: the default set for every rank.
  std::map<int, std::vector<DeviceWord>> ranks;
  std::optional<std::vector<DeviceWord>> others;  // "*=", or a selection without ranks
};

// Errc::invalidArgument names the word, the nearest known one and the grammar.
Result<Selection> parseSelection(const std::string& text);

// A device of this host that could be taken.
struct Candidate {
  enum class Backend { cpu, cuda, opencl };
  std::string name;
  DeviceKind kind = DeviceKind::cpu;
  Backend backend = Backend::cpu;
  std::size_t index = 0;  // position among the host's devices of the backend
  bool pocl = false;
  std::string hardwareId;
};

struct Choice {
  std::vector<std::size_t> taken;  // indexes of candidates, ascending; one twice is two devices on the same hardware
  std::vector<LeftOut> leftOut;
  bool explicitly = false;  // the selection named them: a device that does not start is an error
  int sharersOfGpus = 1;    // of each GPU taken: ranks of this host, with this one
};

struct RankPlace {
  int rank = 0, localRank = 0, localSize = 1;
  bool sharesGpus = false;  // where the host has fewer GPUs than ranks: else some ranks have none
};

// Whether this rank's words, or the default, name devices of a backend.
bool mayTake(const Selection& selection, int rank, Candidate::Backend backend);
// Whether they name the backend itself, or one of its devices.
bool names(const Selection& selection, int rank, Candidate::Backend backend);
// Nothing is selected: of OpenCL's devices no CPU is taken.
bool isDefault(const Selection& selection, int rank);

// Why a backend has no devices here.
struct Problem {
  std::string backend, why;
};
// GPUs are shared out among the host's ranks. Hardware that several candidates stand for is taken by the first of them
// that is asked for.
Result<Choice> choose(const Selection& selection, const std::vector<Candidate>& candidates, const RankPlace& place,
                      const std::vector<Problem>& problems);

}  // namespace muster::cdm
