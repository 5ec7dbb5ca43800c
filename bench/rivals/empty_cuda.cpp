// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written rival of bench/programs/empty.cpp: the same loop as a kernel of CUDA, launched one by one, and as a
// graph of 50 launches. What the driver itself takes for a launch. Argument: launches. CUDA is looked up at run time.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "../programs/report.h"

static const char* const text =
    "extern \"C\" __global__ void empty(unsigned* a, const unsigned* b, long n) {\n"
    "  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;\n"
    "  if (i < n) a[i] += b[n - 1 - i] + (unsigned)i;\n"
    "}\n";

static void check(int error, const char* what) {
  if (error == 0) return;
  fprintf(stderr, "empty_cuda: %s: error %d\n", what, error);
  exit(1);
}

static void* open(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* library = dlopen(name, RTLD_NOW)) return library;
  fprintf(stderr, "empty_cuda: %s\n", dlerror());
  exit(1);
}

// Calls a function of a library: call(library, "name", arguments...) ends the program where it fails.
template <class... Arguments>
static void call(void* library, const char* name, Arguments... arguments) {
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
  check(function == nullptr, name);
  check(function(arguments...), name);
}

static std::vector<char> compile() {
  void* const nvrtc = open({"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"});
  void* program = nullptr;
  const char* options[] = {"--gpu-architecture=sm_90"};
  size_t bytes = 0;
  call<void**, const char*, const char*, int, const char* const*, const char* const*>(
      nvrtc, "nvrtcCreateProgram", &program, text, "empty.cu", 0, nullptr, nullptr);
  call<void*, int, const char* const*>(nvrtc, "nvrtcCompileProgram", program, 1, options);
  call<void*, size_t*>(nvrtc, "nvrtcGetCUBINSize", program, &bytes);
  std::vector<char> binary(bytes);
  call<void*, char*>(nvrtc, "nvrtcGetCUBIN", program, binary.data());
  return binary;
}

int main(int argc, char** argv) {
  const int launches = argc > 1 ? atoi(argv[1]) : 100000, each = 50;
  const long n = 64;
  void* const cuda = open({"libcuda.so.1"});
  void *context = nullptr, *stream = nullptr, *module = nullptr, *kernel = nullptr, *graph = nullptr, *ready = nullptr;
  int device = 0;
  unsigned long long a = 0, b = 0;
  call<unsigned>(cuda, "cuInit", 0);
  call<int*, int>(cuda, "cuDeviceGet", &device, 0);
  call<void**, int>(cuda, "cuDevicePrimaryCtxRetain", &context, device);
  call<void*>(cuda, "cuCtxSetCurrent", context);
  call<void**, unsigned>(cuda, "cuStreamCreate", &stream, 1);
  const std::vector<char> binary = compile();
  call<void**, const void*>(cuda, "cuModuleLoadData", &module, binary.data());
  call<void**, void*, const char*>(cuda, "cuModuleGetFunction", &kernel, module, "empty");
  for (unsigned long long* array : {&a, &b}) {
    call<unsigned long long*, size_t>(cuda, "cuMemAlloc_v2", array, n * sizeof(unsigned));
    call<unsigned long long, unsigned char, size_t>(cuda, "cuMemsetD8_v2", *array, 0, n * sizeof(unsigned));
  }
  long count = n;
  void *there[] = {&a, &b, &count}, *back[] = {&b, &a, &count};
  auto* const launch = reinterpret_cast<int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                                unsigned, void*, void**, void**)>(dlsym(cuda, "cuLaunchKernel"));
  const auto run = [&](int times) {
    for (int i = 0; i < times; ++i)
      check(launch(kernel, 1, 1, 1, n, 1, 1, 0, stream, i % 2 == 0 ? there : back, nullptr), "launch");
  };
  const auto finish = [&] { call<void*>(cuda, "cuStreamSynchronize", stream); };
  const auto found = [&] {
    std::vector<unsigned> values(n);
    call<void*, unsigned long long, size_t>(cuda, "cuMemcpyDtoH_v2", values.data(), a, n * sizeof(unsigned));
    return checksum(values.data(), n * sizeof(unsigned));
  };

  run(1000);
  finish();
  double start = now();
  run(launches);
  finish();
  report("empty", now() - start, launches, 0, found());

  call<void*, int>(cuda, "cuStreamBeginCapture_v2", stream, 1);
  run(each);
  call<void*, void**>(cuda, "cuStreamEndCapture", stream, &graph);
  call<void**, void*, unsigned long long>(cuda, "cuGraphInstantiateWithFlags", &ready, graph, 0);
  auto* const replay = reinterpret_cast<int (*)(void*, void*)>(dlsym(cuda, "cuGraphLaunch"));
  for (int i = 0; i < 20; ++i) check(replay(ready, stream), "cuGraphLaunch");
  finish();
  start = now();
  for (int i = 0; i < launches / each; ++i) check(replay(ready, stream), "cuGraphLaunch");
  finish();
  report("empty-graph", now() - start, launches / each * each, 0, found());
  return 0;
}
