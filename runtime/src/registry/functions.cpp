// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registry/functions.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <unordered_set>

namespace muster::rt {
namespace {

struct Call {
  const void* code = nullptr;
  const char* name = nullptr;
};

std::string inWords(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

std::vector<Call> callsOf(const muster_calls& calls) {
  std::vector<Call> all;
  for (std::uint32_t i = 0; i < calls.n_functions; ++i)
    all.push_back({reinterpret_cast<const void*>(calls.functions[i]), calls.names[i]});
  return all;
}

std::vector<Call> callsOf(const muster_function& function) {
  std::vector<Call> all;
  for (std::uint32_t i = 0; i < function.n_callees; ++i) all.push_back({function.callees[i], function.callee_names[i]});
  return all;
}

using Functions = std::unordered_multimap<const void*, const muster_function*>;

// Texts in an order in which each stands behind those that it needs.
class TextCollector {
 public:
  TextCollector(const Functions& functions, std::uint32_t kernelFlags)
      : functions_(functions), kernelFlags_(kernelFlags) {}

  FunctionTexts collect(const muster_calls& calls) {
    for (const Call& call : callsOf(calls)) add(call);
    return std::move(texts_);
  }

 private:
  void add(const Call& call) {
    if (call.code == nullptr || !texts_.obstacle.empty()) return;
    const auto [state, isNew] = isDone_.try_emplace(call.code, false);
    if (!isNew) {
      if (!state->second) refuse(call, "calls itself, which OpenCL does not have");
      return;
    }
    const auto found = functions_.find(call.code);
    if (found == functions_.end()) return refuse(call, "is not known here");
    const muster_function& function = *found->second;
    for (const Call& callee : callsOf(function)) add(callee);
    if (function.opencl == nullptr)
      return refuse(call, function.opencl_reason != nullptr ? function.opencl_reason : "has no OpenCL text");
    if (((function.flags ^ kernelFlags_) & MUSTER_KERNEL_FLOAT_RULES) != 0)
      return refuse(call, "was compiled with other rules for floating-point numbers");
    texts_.text += function.opencl;
    texts_.needsFp64 |= (function.flags & MUSTER_KERNEL_NEEDS_FP64) != 0;
    isDone_[call.code] = true;
  }
  void refuse(const Call& call, const std::string& why) {
    if (texts_.obstacle.empty()) texts_.obstacle = fmt::format("calls '{}', which {}", inWords(call.name), why);
  }

  const Functions& functions_;
  const std::uint32_t kernelFlags_;
  FunctionTexts texts_;
  std::unordered_map<const void*, bool> isDone_;
};

}  // namespace

void FunctionTable::add(const muster_function* functions, std::uint32_t count, std::uint32_t abiVersion) {
  if (abiVersion != MUSTER_ABI_VERSION) return;
  const std::lock_guard lock(mutex_);
  ++age_;
  std::uint32_t& length = units_[functions];
  for (std::uint32_t i = 0; i < length; ++i) {
    auto [at, end] = functions_.equal_range(functions[i].code);
    while (at != end) at = at->second == &functions[i] ? functions_.erase(at) : std::next(at);
  }
  length = count;
  for (std::uint32_t i = 0; i < count; ++i) functions_.emplace(functions[i].code, &functions[i]);
  tellsThreads_ = findTold();
}

// A unit alone has told nobody, and of its own numbers its loops know.
bool FunctionTable::findTold() const {
  const auto isThere = [](const auto& unit) { return unit.second > 0; };
  const auto tells = [](const auto& unit) {
    return std::any_of(unit.first, unit.first + unit.second, [](const muster_function& function) {
      return (function.flags & MUSTER_FUNCTION_TELLS_THREADS) != 0;
    });
  };
  return std::count_if(units_.begin(), units_.end(), isThere) > 1 && std::any_of(units_.begin(), units_.end(), tells);
}

std::string FunctionTable::findObstacle(const muster_calls& calls, Obstacle obstacle) const {
  std::vector<Call> left = callsOf(calls);
  std::unordered_set<const void*> reached;
  while (!left.empty()) {
    const Call call = left.back();
    left.pop_back();
    if (call.code == nullptr || !reached.insert(call.code).second) continue;  // null: nobody can call it
    const auto [first, last] = functions_.equal_range(call.code);
    if (first == last)
      return fmt::format("it calls '{}', which is in no file that muster++ compiled", inWords(call.name));
    for (auto at = first; at != last; ++at) {
      const muster_function& function = *at->second;
      if (const char* const why = function.*obstacle; why != nullptr)
        return fmt::format("it calls '{}', which {}", inWords(call.name), why);
      if ((calls.flags & MUSTER_CALLS_COUNTED) != 0 && (function.flags & MUSTER_FUNCTION_ADDS_UP) != 0)
        return fmt::format("it asks for the number of threads and calls '{}', which does something for each of them",
                           inWords(call.name));
      if ((calls.flags & MUSTER_CALLS_PROTECTED) != 0 && (function.flags & MUSTER_FUNCTION_UPDATES) != 0)
        return fmt::format("it calls '{}' with other threads kept away, which adds to something once for each of them",
                           inWords(call.name));
      for (const Call& callee : callsOf(function)) left.push_back(callee);
    }
  }
  return {};
}

const std::string& FunctionTable::answer(const muster_calls& calls, Obstacle obstacle, unsigned question) {
  const std::atomic_ref known(const_cast<muster_calls&>(calls).known[question]);
  if (const auto* last = static_cast<const Answer*>(known.load(std::memory_order_acquire));
      last != nullptr && last->age == age_.load(std::memory_order_acquire))
    return last->why;
  const std::lock_guard lock(mutex_);
  const Answer& found = answers_.emplace_back(Answer{age_.load(), findObstacle(calls, obstacle)});
  known.store(&found, std::memory_order_release);
  return found.why;
}

const std::string& FunctionTable::whyTeam(const muster_calls& calls) {
  return answer(calls, &muster_function::why_team, 0);
}

const std::string& FunctionTable::whyHere(const muster_calls& calls) {
  return answer(calls, &muster_function::why_here, 1);
}

muster_reach FunctionTable::reach(const void* function, std::uint32_t pointer) {
  const muster_reach far = {-MUSTER_REACH_FAR, MUSTER_REACH_FAR};
  const std::lock_guard lock(mutex_);
  const auto [first, last] = functions_.equal_range(function);
  if (first == last) return far;
  muster_reach reach = {0, 0};
  for (auto at = first; at != last; ++at) {
    if (pointer >= at->second->n_reaches) return far;
    const muster_reach& one = at->second->reaches[pointer];
    reach = {std::min(reach.first, one.first), std::max(reach.last, one.last)};
  }
  return reach;
}

FunctionTexts FunctionTable::texts(const muster_calls& calls, std::uint32_t kernelFlags) {
  const std::lock_guard lock(mutex_);
  return TextCollector(functions_, kernelFlags).collect(calls);
}

FunctionTable& functionTable() {
  static FunctionTable& instance = *new FunctionTable;  // constructors and destructors of any object file may use it
  return instance;
}

muster_reach elementsReached(const void* function, std::uint32_t pointer, std::int64_t before, std::int64_t ahead) {
  const muster_reach reach = functionTable().reach(function, pointer);
  if (ahead == 0) return reach;
  if (reach.first >= -before && reach.last < ahead) return {0, 0};
  return {-MUSTER_REACH_FAR, MUSTER_REACH_FAR};
}

}  // namespace muster::rt
