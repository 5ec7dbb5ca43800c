// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of CUDA's driver: modules, functions, launches.
#include <algorithm>
#include <cstring>
#include <set>

#include "entries.h"
#include "image.h"

namespace fake {

// A kernel with the arguments of one launch, and the work-items of a group and the groups that it has.
struct Launch {
  std::shared_ptr<const pocl::Kernel> kernel;
  pocl::Axes group, groups;
  std::vector<std::vector<char>> values;  // of parameters
  std::vector<std::size_t> localBytes;    // not 0: of a group's memory
  std::vector<AllocationPtr> memory;      // that it may use

  [[nodiscard]] std::vector<pocl::Argument> arguments() const {
    std::vector<pocl::Argument> list;
    list.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      list.push_back(localBytes[i] != 0 ? pocl::Argument{localBytes[i], nullptr}
                                        : pocl::Argument{values[i].size(), values[i].data()});
    return list;
  }
};

}  // namespace fake

namespace muster::cdm::cuda {

struct Function {
  std::shared_ptr<const fake::pocl::Kernel> kernel;
  std::size_t mostLocal = 48 << 10;  // bytes of a group's memory that a launch may have
};
// A chain of kernels. Its nodes name those of what is made of it as well.
struct GraphNode {
  std::size_t number = 0;
};
struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  std::vector<fake::Launch> launches;

  [[nodiscard]] bool has(const GraphNode* node) const {
    return std::ranges::any_of(nodes, [&](const auto& own) { return own.get() == node; });
  }
};
struct GraphExec {
  std::weak_ptr<Graph> graph;
  std::vector<fake::Launch> launches;
};
struct Module {
  std::shared_ptr<const fake::pocl::Kernels> kernels;
  std::map<std::string, Function> functions;
};

}  // namespace muster::cdm::cuda

namespace fake {

namespace {

constexpr std::size_t mostLocalIfAsked = 227 << 10;

// Under its handle while it exists.
std::map<const Graph*, std::shared_ptr<Graph>>& graphs() {
  static auto& known = *new std::map<const Graph*, std::shared_ptr<Graph>>;
  return known;
}

template <class T>
T as(const void* value) {
  T read;
  std::memcpy(&read, value, sizeof read);
  return read;
}

// What the OpenCL kernel gets for an address. Addresses inside an allocation are none that Muster gives.
bool addGlobal(const Context& context, Pointer address, Launch& launch) {
  cl_mem memory = nullptr;
  if (address != 0) {
    const auto found = context.allocations.find(address);
    if (found == context.allocations.end()) return false;
    launch.memory.push_back(found->second);
    memory = found->second->memory().get();
  }
  const auto* bytes = reinterpret_cast<const char*>(&memory);
  launch.values.emplace_back(bytes, bytes + sizeof memory);
  launch.localBytes.push_back(0);
  return true;
}

// An argument in the group's memory has the bytes up to the next one's.
bool addLocal(std::size_t offset, const std::set<std::size_t>& offsets, std::size_t all, Launch& launch) {
  const auto next = offsets.upper_bound(offset);
  const std::size_t end = next == offsets.end() ? all : *next;
  if (offset >= end || end > all) return false;
  launch.values.emplace_back();
  launch.localBytes.push_back(end - offset);
  return true;
}

bool addArguments(const Context& context, void** places, std::size_t local, Launch& launch) {
  using Kind = pocl::Parameter::Kind;
  const std::vector<pocl::Parameter>& parameters = launch.kernel->parameters();
  std::set<std::size_t> offsets;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].kind == Kind::local) offsets.insert(as<std::uint64_t>(places[i]));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto* place = static_cast<const char*>(places[i]);
    if (parameters[i].kind == Kind::global) {
      if (!addGlobal(context, as<Pointer>(place), launch)) return false;
    } else if (parameters[i].kind == Kind::local) {
      if (!addLocal(as<std::uint64_t>(place), offsets, local, launch)) return false;
    } else {
      if (parameters[i].bytes == 0) return false;
      launch.values.emplace_back(place, place + parameters[i].bytes);
      launch.localBytes.push_back(0);
    }
  }
  return true;
}

bool isWithinLimits(const Function& function, const pocl::Axes& group, const pocl::Axes& groups, std::size_t local) {
  const auto product = group[0] * group[1] * group[2];
  if (product == 0 || product > 1024 || group[2] > 64) return false;
  if (std::ranges::count(groups, 0) > 0 || groups[0] > 0x7fffffff || groups[1] > 65535 || groups[2] > 65535)
    return false;
  const pocl::Axes& built = function.kernel->builtFor();
  if (built[0] != 0 && built != group) return false;
  return local + function.kernel->ownLocal() <= function.mostLocal;
}

void run(Context& context, const Launch& launch) {
  if (!launch.kernel->run(launch.arguments(), launch.group, launch.groups)) context.lost = launchFailed;
  for (const AllocationPtr& memory : launch.memory)
    if (!memory->isIntact()) context.lost = illegalAddress;
}

// Not there if it is not one that the device can do.
std::optional<Launch> launchOf(const Context& context, const KernelNode& node) {
  const pocl::Axes group = {node.group[0], node.group[1], node.group[2]};
  const pocl::Axes groups = {node.groups[0], node.groups[1], node.groups[2]};
  Launch made{node.function->kernel, group, groups, {}, {}, {}};
  if (node.extra || !isWithinLimits(*node.function, group, groups, node.localBytes) ||
      !addArguments(context, node.arguments, node.localBytes, made))
    return std::nullopt;
  return made;
}

Error start(Context& context, const Launch& launch, Stream* stream) {
  return enqueue(stream, {}, true, [&context, launch] { run(context, launch); }) ? success : launchTimeout;
}

bool runs(const Image& image) {
  return image.isBinary ? image.capability == capability() : image.capability <= capability();
}

}  // namespace

}  // namespace fake

using namespace fake;

#pragma GCC visibility push(default)
extern "C" {

Error cuModuleLoadData(Module** module, const void* bytes) {
  return inContext([&](Context&) {
    const std::optional<Image> image = Image::read(bytes);
    if (!image) return error(invalidImage);
    if (!runs(*image)) return error(noBinaryForDevice);
    std::string log;
    auto kernels = pocl::build(image->text, image->options, log);
    if (!kernels) return error(invalidImage);
    *module = new Module{std::move(kernels), {}};
    return success;
  });
}

Error cuModuleUnload(Module* module) {
  return inContext([&](Context&) {
    delete module;
    return success;
  });
}

Error cuModuleGetFunction(Function** function, Module* module, const char* name) {
  return inContext([&](Context&) {
    for (const auto& kernel : *module->kernels)
      if (kernel->name() == name) {
        *function = &module->functions.try_emplace(name, Function{kernel}).first->second;
        return success;
      }
    return error(notFound);
  });
}

Error cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function* function) {
  return inContext([&](Context&) {
    *value = attribute == maxThreadsOfFunction ? static_cast<int>(asked("threads=", 1024))
                                               : static_cast<int>(function->mostLocal);
    return success;
  });
}

Error cuFuncSetAttribute(Function* function, FunctionAttribute attribute, int value) {
  return inContext([&](Context&) {
    if (attribute != dynamicSharedMemory || value < 0) return invalidValue;
    const auto bytes = static_cast<std::size_t>(value);
    if (bytes + function->kernel->ownLocal() > mostLocalIfAsked) return invalidValue;
    function->mostLocal = bytes + function->kernel->ownLocal();
    return success;
  });
}

Error cuLaunchKernel(Function* function, unsigned groups0, unsigned groups1, unsigned groups2, unsigned group0,
                     unsigned group1, unsigned group2, unsigned local, Stream* stream, void** places, void** extra) {
  return onStream(stream, [&](Context& context) {
    if (asked("refuses-kernels")) return launchOutOfResources;
    const auto launch =
        launchOf(context, {function, {groups0, groups1, groups2}, {group0, group1, group2}, local, places, extra});
    return launch ? start(context, *launch, stream) : invalidValue;
  });
}

Error cuGraphCreate(Graph** graph, unsigned) {
  return inContext([&](Context&) {
    const auto made = std::make_shared<Graph>();
    graphs().emplace(made.get(), made);
    *graph = made.get();
    return success;
  });
}

// One behind the other, as Muster makes them.
Error cuGraphAddKernelNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                           const KernelNode* kernel) {
  return inContext([&](Context& context) {
    const bool isChain = graph->nodes.empty() ? count == 0 : count == 1 && *after == graph->nodes.back().get();
    auto launch = launchOf(context, *kernel);
    if (!isChain || !launch) return invalidValue;
    graph->launches.push_back(std::move(*launch));
    graph->nodes.push_back(std::make_unique<GraphNode>(GraphNode{graph->nodes.size()}));
    *node = graph->nodes.back().get();
    return success;
  });
}

Error cuGraphInstantiateWithFlags(GraphExec** ready, Graph* graph, unsigned long long) {
  return inContext([&](Context&) {
    *ready = new GraphExec{graphs().at(graph), graph->launches};
    return success;
  });
}

// What was launched before stays as it was.
Error cuGraphExecKernelNodeSetParams(GraphExec* ready, GraphNode* node, const KernelNode* kernel) {
  return inContext([&](Context& context) {
    const auto graph = ready->graph.lock();
    if (asked("refuses-changes") || !graph || !graph->has(node)) return invalidValue;
    auto launch = launchOf(context, *kernel);
    if (!launch) return invalidValue;
    ready->launches[node->number] = std::move(*launch);
    return success;
  });
}

Error cuGraphLaunch(GraphExec* ready, Stream* stream) {
  return onStream(stream, [&](Context& context) {
    if (asked("refuses-kernels")) return launchOutOfResources;
    for (const Launch& launch : ready->launches)
      if (const Error error = start(context, launch, stream)) return error;
    return success;
  });
}

Error cuGraphDestroy(Graph* graph) {
  return inContext([&](Context&) {
    graphs().erase(graph);
    return success;
  });
}

Error cuGraphExecDestroy(GraphExec* ready) {
  return inContext([&](Context&) {
    delete ready;
    return success;
  });
}

}  // extern "C"
#pragma GCC visibility pop
