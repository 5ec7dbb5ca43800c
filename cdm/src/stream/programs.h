// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels built for one device, by kernel id and form: which form a launch runs in, and what was learnt of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "stream/arguments.h"
#include "stream/builds.h"
#include "stream/driver.h"
#include "stream/options.h"
#include "stream/trial.h"
#include "stream/variants.h"

namespace muster::cdm {

struct CompiledKernel {
  Owned<DriverKernel> kernel;
  mutable KnownArguments arguments;  // as they were set last
  GroupShape shape;                  // of a kernel whose groups have rows: with the most work-items
  bool hasRows = false;              // the launch says what shape its groups have (Variants::rowsFor)
  std::size_t bytesOfLayers = 0;     // not 0: work-items have several iterations along axis 2, of such elements
  Axes shift = {0, 0, 0};            // so many at most may the first work-item of an axis begin in front of them
  bool hasSteps = false;             // it runs several at once, and is told how many iterations dims[0] has
  bool isPrivate = false;            // work-groups collect updates; each may run iterations a whole NDRange apart
};

class Programs {
 public:
  Programs(Driver& driver, const StreamOptions& options);

  // Forms of a kernel that launches of about as many iterations may run in.
  struct Chosen {
    std::vector<Variant> forms;
    std::optional<Trial> trial;                // none: there is one form
    int size = 0;                              // the logarithm of the iterations
    std::vector<const CompiledKernel*> built;  // of these forms; nullptr: not yet
    double waited = 0;                         // seconds that launches took which leave a build for later, about
    // That launches run in, unless a trial times another one.
    [[nodiscard]] const Variant& known() const { return forms[trial ? trial->chosen().value_or(0) : 0]; }
  };
  struct Timed {
    const CompiledKernel* kernel = nullptr;
    Chosen* trial = nullptr;  // the launch is one of its own, with nothing beside it, and `note` says how long it took
  };

  // Compiles what a launch of so many iterations would run in, before it.
  Status prepare(const KernelCode& code, double iterations);
  // Compiles at the first call for this kernel. A failure is remembered: later calls return it at once. `rowLength`:
  // elements for each iteration of the schedule's row_array.
  Result<Timed> get(const KernelLaunch& launch, double iterations, double rowLength);
  // The same for a launch of several steps. No kernel: they run one after the other, also as long as a build would not
  // pay, which hangs on the number and the size of launches alone.
  Result<Timed> getSteps(const KernelLaunch& launch, double iterations);
  // The form that such launches run in, as far as is known, and have run in before: 0 is an iteration for each
  // work-item or several far apart, else it is the number of blocks that another kernel's may go with. None: another
  // form.
  [[nodiscard]] std::optional<std::uint8_t> fusedForm(const KernelLaunch& launch, double iterations);
  // Of a fused kernel; 0: a binary is kept, or nothing is to be waited for.
  [[nodiscard]] double secondsOfBuild(const KernelCode& code);
  // What a kernel of several launches would have saved so far, over all runs.
  [[nodiscard]] double savedSeconds(const KernelCode& code) const;
  void keepSavedSeconds(const KernelCode& code, double seconds);
  void note(const KernelCode& code, Chosen& chosen, double iterations, double seconds);
  // The kernel whose work-groups collect updates in local memory (Schedule::privatized), of a part of the arrays at a
  // time or with 2^copies of each element.
  Result<const CompiledKernel*> getPrivate(const KernelCode& code, bool inParts, std::uint8_t copies) {
    return get(code, Variant{1, inParts ? Form::parts : Form::collecting, {}, copies});
  }
  [[nodiscard]] const Variants& variants() const { return variants_; }
  // Bytes of local memory that work-groups of such a kernel may have; 0: the device does not gain.
  [[nodiscard]] std::size_t privateRoom() const;

 private:
  Chosen& chosenFor(const KernelCode& code, double iterations, const KernelLaunch* launch, double rowLength);
  template <class Candidates>
  Chosen& chosenAmong(const KernelCode& code, const Variant& scheduled, double iterations, const Candidates& candidates,
                      const Pace& pace);
  void keepChoice(const KernelCode& code, const Chosen& chosen);
  // Of what a trial found, in the cache.
  [[nodiscard]] std::string keyOf(const KernelCode& code, const Chosen& chosen) const;
  [[nodiscard]] bool mayBuildFor(const KernelCode& code, const Variant& variant) const;
  Result<const CompiledKernel*> getOrPlain(const KernelCode& code, const Variant& variant);
  Result<const CompiledKernel*> getOrPlain(const KernelCode& code, Chosen& chosen, std::size_t form);
  Result<const CompiledKernel*> get(const KernelCode& code, const Variant& variant);
  Result<CompiledKernel> compile(const KernelCode& code, const Variant& variant);
  // The kernel for one work-group size; compiled.kernel is empty if the device cannot run it that large.
  Result<CompiledKernel> compileFor(const KernelCode& code, const Axes& group, const Variant& variant);

  Driver& driver_;
  Builds builds_;
  Variants variants_;
  double buildSeconds_;
  decltype(StreamOptions::warn) warn_, inform_;
  std::map<std::pair<std::uint64_t, Variant>, Result<CompiledKernel>> kernels_;    // by id
  std::map<std::tuple<std::uint64_t, Variant, int>, Chosen, std::less<>> chosen_;  // by id, schedule, size
};

}  // namespace muster::cdm
