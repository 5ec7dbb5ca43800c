// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that wait for those behind them (Command::mayWait), and start together as a graph. A launch takes the driver
// 3.7 us, a graph of 32 of them 2 us and what changes in it 0.2 to 1.3 us a kernel (decision 58). So kernels that come
// in the same order again have a graph of their own.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "backends/cuda/kernel.h"

namespace muster::cdm {

class CudaHeldLaunches {
 public:
  explicit CudaHeldLaunches(const CudaApi& api) : cuda_(api) {}

  [[nodiscard]] bool any() const { return count_ > 0; }
  // With the arguments that the kernel has now. It must stay until start().
  void add(const CudaKernel& kernel, const cuda::KernelNode& node);
  // All of them, in their order. The first error is that of all.
  cuda::Error start(cuda::Stream* stream);

 private:
  struct Held {
    const CudaKernel* kernel = nullptr;
    cuda::KernelNode node;  // whose arguments are these
    std::vector<std::byte> values;
  };
  struct Graph {
    explicit Graph(const CudaApi& api) : cuda(api) {}
    // If it is under way, it runs to its end.
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

    const CudaApi& cuda;
    cuda::Graph* graph = nullptr;  // which the nodes are of
    cuda::GraphExec* ready = nullptr;
    std::vector<cuda::GraphNode*> nodes;
    std::vector<Held> last;           // as its kernels were launched last
    std::vector<CudaModule> modules;  // of its kernels, which stay as long as it does
  };
  // Of kernels that came one behind the other, or of so many of any kind.
  struct Known {
    unsigned seen = 0;
    bool isOut = false;            // the driver makes no graph of them
    std::unique_ptr<Graph> graph;  // once they were seen often enough
  };
  using Kernels = std::vector<cuda::Function*>;

  // nullptr: it starts one by one.
  Graph* graphOfHeld();
  Known* sequence();
  // From so many times on.
  Graph* updated(Known& known, unsigned least);
  std::unique_ptr<Graph> build();
  [[nodiscard]] bool update(Graph& graph);
  // With the addresses of its arguments; valid until the next call.
  const cuda::KernelNode& nodeOf(Held& held);

  const CudaApi& cuda_;
  std::vector<Held> held_;  // the first `count_` of them
  std::size_t count_ = 0;
  Kernels kernels_;  // of these
  std::map<Kernels, Known> sequences_;
  std::vector<Known> lengths_;  // by the number of kernels
  std::vector<void*> addresses_;
};

}  // namespace muster::cdm
