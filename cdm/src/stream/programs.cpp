// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds forms of kernels, and chooses among them.
#include "stream/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/fused_code.h"
#include "muster/cdm/text.h"

namespace muster::cdm {

namespace {

// A program may give a kernel new values again and again, each of which takes a build.
constexpr unsigned mostValued = 4;
// What a form of several steps takes to build, with a cold and with a warm cache, and what a fast device moves of
// memory meanwhile. Its trial needs no further build. Measured: decision 45.
constexpr double secondsToBuild = 1.1, secondsToLoad = 0.5, bytesPerSecond = 4e12;
constexpr Pace paceOfSteps = {0, 0.5, 1};
// Bytes of local memory that work-groups collect in: with more of them fewer run at a time. NVIDIA's driver launches
// nothing that has all of it.
constexpr std::size_t mostCollected = 48 << 10, leftOver = 1 << 10;

// In place of options, in the cache.
constexpr const char* microsecondsSaved = "microseconds saved";

std::size_t widestWritten(const KernelCode& code) {
  std::size_t bytes = 0;
  for (const auto& array : code.arrays)
    if (array.written) bytes = std::max<std::size_t>(bytes, array.elementSize);
  return bytes;
}

}  // namespace

Programs::Programs(Driver& driver, const StreamOptions& options)
    : driver_(driver),
      builds_(driver, options),
      variants_(driver.info(), options.likeGpu ? KernelForms::first : options.kernels),
      buildSeconds_(options.buildSeconds),
      warn_(options.warn),
      inform_(options.inform) {}

std::size_t Programs::privateRoom() const {
  return variants_.trustsSchedules() ? std::min(driver_.limits().localMemory, mostCollected) - leftOver : 0;
}

// Of one kernel there are only so many variants for values.
bool Programs::mayBuildFor(const KernelCode& code, const Variant& variant) const {
  if (variant.constants.empty()) return true;
  const Variant* last = nullptr;
  unsigned valued = 0;
  for (auto at = chosen_.lower_bound({code.id, Variant{0}, 0}); at != chosen_.end(); ++at) {
    const auto& [id, known, size] = at->first;
    if (id != code.id) break;
    if (known == variant) return true;
    const bool isOther = !known.constants.empty() && (last == nullptr || *last != known);
    if (isOther) last = &known, ++valued;
  }
  return valued < mostValued;
}

template <class Candidates>
Programs::Chosen& Programs::chosenAmong(const KernelCode& code, const Variant& scheduled, double iterations,
                                        const Candidates& candidates, const Pace& pace) {
  const int size = iterations > 1 ? std::ilogb(iterations) : 0;
  if (const auto known = chosen_.find(std::tie(code.id, scheduled, size)); known != chosen_.end()) return known->second;
  Chosen& chosen = chosen_[{code.id, scheduled, size}];
  chosen.size = size;
  chosen.forms = candidates();
  chosen.built.resize(chosen.forms.size());
  if (chosen.forms.size() == 1) return chosen;
  std::size_t kept = 0;
  const bool isKnown = parseNumber(driver_.cache().load(keyOf(code, chosen)), kept) && kept < chosen.forms.size();
  chosen.trial.emplace(chosen.forms.size(), pace, isKnown ? std::optional(kept) : std::nullopt);
  return chosen;
}

Programs::Chosen& Programs::chosenFor(const KernelCode& code, double iterations, const KernelLaunch* launch,
                                      double rowLength) {
  Variant scheduled = variants_.scheduled(code, iterations, launch, rowLength);
  if (!mayBuildFor(code, scheduled)) scheduled = {};
  return chosenAmong(code, scheduled, iterations, [&] { return variants_.candidates(code, scheduled, iterations); },
                     {buildSeconds_});
}

std::string Programs::keyOf(const KernelCode& code, const Chosen& chosen) const {
  std::string what = fmt::format("fastest form of 2^{} iterations", chosen.size);
  for (const Variant& form : chosen.forms) what += "\n" + form.options(code);
  return driver_.keyOf(code, what);
}

// Before the first launch, whose scalars may be known nevertheless.
Status Programs::prepare(const KernelCode& code, double iterations) {
  std::vector<const void*> scalars;
  scalars.reserve(code.expected.size());
  for (const auto& value : code.expected) scalars.push_back(value.data());
  KernelLaunch expected;
  expected.code = &code;
  expected.scalars = scalars;
  const Chosen& chosen = chosenFor(code, iterations, scalars.empty() ? nullptr : &expected, MUSTER_SHORTEST_RAGGED_ROW);
  return getOrPlain(code, chosen.known()).status();
}

Result<Programs::Timed> Programs::get(const KernelLaunch& launch, double iterations, double rowLength) {
  const KernelCode& code = *launch.code;
  Chosen& chosen = chosenFor(code, iterations, &launch, rowLength);
  Trial::Launch next;
  if (chosen.trial) next = chosen.trial->next();
  while (next.isTimed && next.form != 0) {
    Result<const CompiledKernel*> compiled = get(code, chosen.forms[next.form]);
    if (compiled) return Timed{*compiled, &chosen};
    // The next launch of the trial runs in place of this one.
    chosen.trial->drop();
    keepChoice(code, chosen);
    next = chosen.trial->next();
  }
  const Result<const CompiledKernel*> compiled = getOrPlain(code, chosen, next.form);
  if (!compiled) return compiled.status();
  return Timed{*compiled, next.isTimed ? &chosen : nullptr};
}

std::optional<std::uint8_t> Programs::fusedForm(const KernelLaunch& launch, double iterations) {
  const Variant& form = chosenFor(*launch.code, iterations, &launch, 0).known();
  const muster_blocks* blocks = form.blocksOf(*launch.code);
  if ((form.form != Form::plain && blocks == nullptr) || !form.constants.empty()) return std::nullopt;
  if (blocks != nullptr && !hasOwnBlocks(*blocks)) return std::nullopt;
  const auto built = kernels_.find({launch.code->id, form});
  if (built == kernels_.end() || !built->second.ok()) return std::nullopt;
  return form.number;
}

// Steps one after the other are what runs already. The other form pays for its build from twice its time on.
Result<Programs::Timed> Programs::getSteps(const KernelLaunch& launch, double iterations) {
  const KernelCode& code = *launch.code;
  const std::optional<Variant> steps = variants_.stepsFor(launch);
  if (!steps) return Timed{};
  Chosen& chosen =
      chosenAmong(code, *steps, iterations, [&] { return variants_.candidatesOfSteps(code, *steps); }, paceOfSteps);
  const bool isKnown = chosen.trial && chosen.trial->chosen();
  if (variants_.forms() == KernelForms::automatic && chosen.waited < 2 * (isKnown ? secondsToLoad : secondsToBuild)) {
    chosen.waited += iterations * launch.steps * 2 * static_cast<double>(widestWritten(code)) / bytesPerSecond;
    return Timed{};
  }
  Trial::Launch next;
  if (chosen.trial) next = chosen.trial->next();
  Chosen* const timed = next.isTimed ? &chosen : nullptr;
  if (chosen.forms[next.form] != *steps) return Timed{nullptr, timed};
  const Result<const CompiledKernel*> compiled = get(code, *steps);
  if (compiled) return Timed{*compiled, timed};
  if (timed != nullptr) chosen.trial->drop();
  return Timed{};
}

void Programs::note(const KernelCode& code, Chosen& chosen, double iterations, double seconds) {
  chosen.trial->note(seconds / iterations, seconds);
  keepChoice(code, chosen);
}

// What is known now, for all later starts.
void Programs::keepChoice(const KernelCode& code, const Chosen& chosen) {
  if (!chosen.trial->isMeasured()) return;
  const std::size_t form = *chosen.trial->chosen();
  driver_.cache().store(keyOf(code, chosen), std::to_string(form));
  if (!inform_) return;
  inform_(fmt::format("{}: kernel {} ({}): {}, {}", driver_.info().name, code.name, code.location,
                      chosen.forms[form].description(code),
                      form == 0 ? "as before: others are not faster"
                                : fmt::format("which takes {:.2f} of the time of {}", 1 / chosen.trial->gain(),
                                              chosen.forms[0].description(code))));
}

// A driver may refuse a form, as for want of local memory.
Result<const CompiledKernel*> Programs::getOrPlain(const KernelCode& code, const Variant& variant) {
  Result<const CompiledKernel*> compiled = get(code, variant);
  const bool isOther = variant.form == Form::tiled || variant.form == Form::grouped || variant.form == Form::blocks;
  return compiled || !isOther ? compiled : get(code, Variant{});
}

Result<const CompiledKernel*> Programs::getOrPlain(const KernelCode& code, Chosen& chosen, std::size_t form) {
  if (chosen.built[form] != nullptr) return chosen.built[form];
  const Result<const CompiledKernel*> compiled = getOrPlain(code, chosen.forms[form]);
  if (compiled) chosen.built[form] = *compiled;
  return compiled;
}

Result<const CompiledKernel*> Programs::get(const KernelCode& code, const Variant& variant) {
  const std::pair key(code.id, variant);
  auto at = kernels_.find(key);
  if (at == kernels_.end()) {
    at = kernels_.emplace(key, compile(code, variant)).first;
    if (variant.isCollecting() && !at->second && warn_)
      warn_(fmt::format("{}; its updates go to global memory", at->second.status().message()));
    else if (variant != Variant{} && !at->second && inform_)
      inform_(fmt::format("{}; it runs in another form", at->second.status().message()));
  }
  if (!at->second) return at->second.status();
  return &*at->second;
}

Result<CompiledKernel> Programs::compile(const KernelCode& code, const Variant& variant) {
  if (code.needsFp64 && !driver_.info().fp64)
    return Status(Errc::unsupported, fmt::format("{}: kernel {} ({}) needs double precision, which this device lacks",
                                                 driver_.info().name, code.name, code.location));
  Axes group = variant.group(code, driver_.limits().group);
  do {
    Result<CompiledKernel> compiled = compileFor(code, group, variant);
    if (!compiled || compiled->kernel) return compiled;
  } while (!variant.needsGroup(code) && shrink(group));
  return Status(Errc::buildFailed, fmt::format("{}: kernel {} ({}) needs more registers or local memory than the "
                                               "device has, even with one work-item a group",
                                               driver_.info().name, code.name, code.location));
}

Result<CompiledKernel> Programs::compileFor(const KernelCode& code, const Axes& group, const Variant& variant) {
  const muster_blocks* blocks = variant.blocksOf(code);
  Result<Owned<DriverKernel>> built = builds_.build({code, variant, group});
  if (!built) return built.status();
  CompiledKernel compiled;
  compiled.kernel = std::move(*built);
  compiled.shape = {group, group};
  Axes& tile = compiled.shape.tile;
  tile[code.schedule.points_axis] *= variant.points;
  if (variant.form == Form::grouped) tile = {1, 1, 1};
  compiled.hasRows = variant.hasRows();
  if (variant.form == Form::tiled) tile = {group[0], 1, 1};
  if (blocks != nullptr) {
    for (std::size_t axis = 0; axis < tile.size(); ++axis) tile[axis] *= blocks->lanes[axis];
    compiled.shift = shiftOf(*blocks);
    if (blocks->lanes[2] > 1) compiled.bytesOfLayers = widestWritten(code);
  }
  if (variant.form == Form::steps) {
    tile = {columnsOfSteps(code), variant.number, 1};
    compiled.shift = {std::size_t{MUSTER_STEP_COLUMNS(widestWritten(code)) - 1}, 0, 0};
    compiled.hasSteps = true;
  }
  compiled.isPrivate = variant.isCollecting();
  return compiled;
}

double Programs::secondsOfBuild(const KernelCode& code) {
  if (variants_.forms() == KernelForms::first) return 0;
  const Variant form = variants_.scheduled(code, std::numeric_limits<double>::infinity(), nullptr, 0);
  return builds_.isKept({code, form, form.group(code, driver_.limits().group)}) ? 0 : buildSeconds_;
}

double Programs::savedSeconds(const KernelCode& code) const {
  std::size_t microseconds = 0;
  (void)parseNumber(driver_.cache().load(driver_.keyOf(code, microsecondsSaved)), microseconds);  // else none are known
  return static_cast<double>(microseconds) * 1e-6;
}

void Programs::keepSavedSeconds(const KernelCode& code, double seconds) {
  driver_.cache().store(driver_.keyOf(code, microsecondsSaved),
                        std::to_string(static_cast<std::uint64_t>(seconds * 1e6)));
}

}  // namespace muster::cdm
