// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/held_launches.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace muster::cdm {

using cuda::Error;

namespace {

// To make a graph takes as long as some 50 launches and one more for each of its kernels.
constexpr unsigned leastSeen = 4, leastSeenOfLength = 2;
constexpr std::size_t mostSequences = 256;

bool isSame(const cuda::KernelNode& one, const cuda::KernelNode& other) {
  return one.function == other.function && std::ranges::equal(one.groups, other.groups) &&
         std::ranges::equal(one.group, other.group) && one.localBytes == other.localBytes;
}

// As vectors compare them, but not byte by byte.
bool isSame(const std::vector<std::byte>& one, const std::vector<std::byte>& other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace

CudaHeldLaunches::Graph::~Graph() {
  if (ready != nullptr) (void)cuda.GraphExecDestroy(ready);
  if (graph != nullptr) (void)cuda.GraphDestroy(graph);
}

void CudaHeldLaunches::add(const CudaKernel& kernel, const cuda::KernelNode& node) {
  if (count_ == held_.size()) held_.emplace_back();
  Held& held = held_[count_++];
  held.kernel = &kernel;
  held.node = node;
  held.values.assign(kernel.values().begin(), kernel.values().end());
}

const cuda::KernelNode& CudaHeldLaunches::nodeOf(Held& held) {
  addresses_.clear();
  for (const std::size_t place : held.kernel->places()) addresses_.push_back(held.values.data() + place);
  held.node.arguments = addresses_.data();
  return held.node;
}

// nullptr: the driver makes none. Launches start one by one then, which tells of errors that matter.
std::unique_ptr<CudaHeldLaunches::Graph> CudaHeldLaunches::build() {
  auto made = std::make_unique<Graph>(cuda_);
  if (cuda_.GraphCreate(&made->graph, 0) != cuda::success) return nullptr;
  for (std::size_t i = 0; i < count_; ++i) {
    cuda::GraphNode* node = nullptr;
    cuda::GraphNode* const* const before = i > 0 ? &made->nodes.back() : nullptr;
    if (cuda_.GraphAddKernelNode(&node, made->graph, before, i > 0 ? 1 : 0, &nodeOf(held_[i])) != cuda::success)
      return nullptr;
    made->nodes.push_back(node);
    made->modules.push_back(held_[i].kernel->module());
  }
  if (cuda_.GraphInstantiateWithFlags(&made->ready, made->graph, 0) != cuda::success) return nullptr;
  made->last.assign(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count_));
  return made;
}

// nullptr: there are too many.
CudaHeldLaunches::Known* CudaHeldLaunches::sequence() {
  kernels_.clear();
  for (std::size_t i = 0; i < count_; ++i) kernels_.push_back(held_[i].node.function);
  if (const auto found = sequences_.find(kernels_); found != sequences_.end()) return &found->second;
  if (sequences_.size() == mostSequences) std::erase_if(sequences_, [](const auto& it) { return !it.second.graph; });
  return sequences_.size() < mostSequences ? &sequences_[kernels_] : nullptr;
}

CudaHeldLaunches::Graph* CudaHeldLaunches::updated(Known& known, unsigned least) {
  if (known.isOut || (!known.graph && ++known.seen < least)) return nullptr;
  if (!known.graph) known.graph = build();
  if (known.graph && !update(*known.graph)) known.graph.reset();
  known.isOut = !known.graph;
  return known.graph.get();
}

// Best is one that these kernels were launched by before, next one of as many other kernels.
CudaHeldLaunches::Graph* CudaHeldLaunches::graphOfHeld() {
  if (count_ < 2) return nullptr;
  Known* const known = sequence();
  Graph* const own = known != nullptr ? updated(*known, leastSeen) : nullptr;
  if (own != nullptr) return own;
  if (lengths_.size() <= count_) lengths_.resize(count_ + 1);
  return updated(lengths_[count_], leastSeenOfLength);
}

// What is the same as the last time stays in the graph. False: the driver refuses what is not.
bool CudaHeldLaunches::update(Graph& graph) {
  for (std::size_t i = 0; i < count_; ++i) {
    Held &held = held_[i], &last = graph.last[i];
    if (isSame(last.values, held.values) && isSame(last.node, held.node)) continue;
    if (cuda_.GraphExecKernelNodeSetParams(graph.ready, graph.nodes[i], &nodeOf(held)) != cuda::success) {
      // What was exchanged comes back; what was not is the same.
      std::swap_ranges(graph.last.begin(), graph.last.begin() + static_cast<std::ptrdiff_t>(i), held_.begin());
      return false;
    }
    graph.modules[i] = held.kernel->module();
    std::swap(last, held);
  }
  return true;
}

Error CudaHeldLaunches::start(cuda::Stream* stream) {
  Error error = cuda::success;
  if (const Graph* const graph = graphOfHeld())
    error = cuda_.GraphLaunch(graph->ready, stream);
  else
    for (std::size_t i = 0; i < count_ && error == cuda::success; ++i) error = launch(cuda_, nodeOf(held_[i]), stream);
  count_ = 0;
  return error;
}

}  // namespace muster::cdm
