// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Muster uses of CUDA's driver API and of NVRTC, declared as their documentation says (CUDA Driver API 11 to 13):
// nothing of CUDA is needed to build. Names are without "cu" and "nvrtc"; a suffix is the function's version.
#pragma once

#include <cstddef>

namespace muster::cdm::cuda {

using Device = int;
using Pointer = unsigned long long;  // of device memory
struct Context;
struct Stream;
struct Event;
struct Module;
struct Function;
struct Graph;
struct GraphNode;
struct GraphExec;  // a graph that is ready to be launched
struct Program;    // NVRTC's

enum Error : int {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  noDevice = 100,
  eccUncorrectable = 214,
  peerAccessUnsupported = 217,
  nvlinkUncorrectable = 220,
  notReady = 600,
  illegalAddress = 700,
  launchOutOfResources = 701,
  launchTimeout = 702,
  peerAlreadyEnabled = 704,
  assertFailed = 710,
  hardwareStackError = 714,
  illegalInstruction = 715,
  misalignedAddress = 716,
  invalidAddressSpace = 717,
  invalidPc = 718,
  launchFailed = 719,
  notSupported = 801,
  unknownError = 999,
};
enum NvrtcError : int {
  nvrtcSuccess = 0,
  nvrtcOutOfMemory = 1,
  nvrtcInvalidOption = 5,
  nvrtcCompilation = 6,
  nvrtcInternal = 11
};

enum DeviceAttribute : int {
  maxThreadsOfBlock = 1,
  maxBlockX = 2,
  maxBlockY = 3,
  maxBlockZ = 4,
  sharedMemoryOfBlock = 8,
  multiprocessors = 16,
  capabilityMajor = 75,
  capabilityMinor = 76,
};
enum FunctionAttribute : int { maxThreadsOfFunction = 0, dynamicSharedMemory = 8 };

constexpr unsigned streamNonBlocking = 1, eventDefault = 0, eventNoTimes = 2, eventOfProcesses = 4;
constexpr unsigned enablesPeers = 1;  // of memory that another process opens
constexpr unsigned hostMemoryPortable = 1;

// By which another process opens memory, or an event.
struct IpcHandle {
  char bytes[64];
};

struct Copy2D {
  enum Kind : int { host = 1, device = 2, anywhere = 4 };  // the last: as the address says
  std::size_t srcX = 0, srcY = 0;
  Kind srcKind = host;
  const void* srcHost = nullptr;
  Pointer srcDevice = 0;
  void* srcArray = nullptr;
  std::size_t srcPitch = 0;
  std::size_t dstX = 0, dstY = 0;
  Kind dstKind = host;
  void* dstHost = nullptr;
  Pointer dstDevice = 0;
  void* dstArray = nullptr;
  std::size_t dstPitch = 0;
  std::size_t widthBytes = 0, height = 0;
};

// Of a kernel in a graph. Its arguments are copied.
struct KernelNode {
  Function* function = nullptr;
  unsigned groups[3] = {1, 1, 1};
  unsigned group[3] = {1, 1, 1};
  unsigned localBytes = 0;
  void** arguments = nullptr;
  void** extra = nullptr;
};

#define MUSTER_CUDA_FUNCTIONS(X)                                                                                \
  X(CtxEnablePeerAccess, (Context*, unsigned))                                                                  \
  X(CtxGetStreamPriorityRange, (int*, int*))                                                                    \
  X(CtxSetCurrent, (Context*))                                                                                  \
  X(DeviceCanAccessPeer, (int*, Device, Device))                                                                \
  X(DeviceGet, (Device*, int))                                                                                  \
  X(DeviceGetAttribute, (int*, DeviceAttribute, Device))                                                        \
  X(DeviceGetCount, (int*))                                                                                     \
  X(DeviceGetName, (char*, int, Device))                                                                        \
  X(DeviceGetPCIBusId, (char*, int, Device))                                                                    \
  X(DevicePrimaryCtxRelease_v2, (Device))                                                                       \
  X(DevicePrimaryCtxRetain, (Context**, Device))                                                                \
  X(DeviceTotalMem_v2, (std::size_t*, Device))                                                                  \
  X(DriverGetVersion, (int*))                                                                                   \
  X(EventCreate, (Event**, unsigned))                                                                           \
  X(EventDestroy_v2, (Event*))                                                                                  \
  X(EventElapsedTime, (float*, Event*, Event*))                                                                 \
  X(EventQuery, (Event*))                                                                                       \
  X(EventRecord, (Event*, Stream*))                                                                             \
  X(EventSynchronize, (Event*))                                                                                 \
  X(FuncGetAttribute, (int*, FunctionAttribute, Function*))                                                     \
  X(FuncSetAttribute, (Function*, FunctionAttribute, int))                                                      \
  X(GetErrorName, (Error, const char**))                                                                        \
  X(GraphAddKernelNode, (GraphNode**, Graph*, GraphNode* const*, std::size_t, const KernelNode*))               \
  X(GraphCreate, (Graph**, unsigned))                                                                           \
  X(GraphDestroy, (Graph*))                                                                                     \
  X(GraphExecDestroy, (GraphExec*))                                                                             \
  X(GraphExecKernelNodeSetParams, (GraphExec*, GraphNode*, const KernelNode*))                                  \
  X(GraphInstantiateWithFlags, (GraphExec**, Graph*, unsigned long long))                                       \
  X(GraphLaunch, (GraphExec*, Stream*))                                                                         \
  X(Init, (unsigned))                                                                                           \
  X(IpcCloseMemHandle, (Pointer))                                                                               \
  X(IpcGetEventHandle, (IpcHandle*, Event*))                                                                    \
  X(IpcGetMemHandle, (IpcHandle*, Pointer))                                                                     \
  X(IpcOpenEventHandle, (Event**, IpcHandle))                                                                   \
  X(IpcOpenMemHandle_v2, (Pointer*, IpcHandle, unsigned))                                                       \
  X(LaunchKernel,                                                                                               \
    (Function*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream*, void**, void**)) \
  X(MemAlloc_v2, (Pointer*, std::size_t))                                                                       \
  X(MemFreeHost, (void*))                                                                                       \
  X(MemFree_v2, (Pointer))                                                                                      \
  X(MemHostAlloc, (void**, std::size_t, unsigned))                                                              \
  X(MemHostRegister_v2, (void*, std::size_t, unsigned))                                                         \
  X(MemHostUnregister, (void*))                                                                                 \
  X(Memcpy2DAsync_v2, (const Copy2D*, Stream*))                                                                 \
  X(MemcpyDtoDAsync_v2, (Pointer, Pointer, std::size_t, Stream*))                                               \
  X(MemcpyDtoHAsync_v2, (void*, Pointer, std::size_t, Stream*))                                                 \
  X(MemcpyHtoDAsync_v2, (Pointer, const void*, std::size_t, Stream*))                                           \
  X(MemsetD32Async, (Pointer, unsigned, std::size_t, Stream*))                                                  \
  X(MemsetD8Async, (Pointer, unsigned char, std::size_t, Stream*))                                              \
  X(ModuleGetFunction, (Function**, Module*, const char*))                                                      \
  X(ModuleLoadData, (Module**, const void*))                                                                    \
  X(ModuleUnload, (Module*))                                                                                    \
  X(StreamCreate, (Stream**, unsigned))                                                                         \
  X(StreamCreateWithPriority, (Stream**, unsigned, int))                                                        \
  X(StreamDestroy_v2, (Stream*))                                                                                \
  X(StreamSynchronize, (Stream*))                                                                               \
  X(StreamWaitEvent, (Stream*, Event*, unsigned))

#define MUSTER_NVRTC_FUNCTIONS(X)                                                                      \
  X(CompileProgram, (Program*, int, const char* const*))                                               \
  X(CreateProgram, (Program**, const char*, const char*, int, const char* const*, const char* const*)) \
  X(DestroyProgram, (Program**))                                                                       \
  X(GetCUBIN, (Program*, char*))                                                                       \
  X(GetCUBINSize, (Program*, std::size_t*))                                                            \
  X(GetNumSupportedArchs, (int*))                                                                      \
  X(GetPTX, (Program*, char*))                                                                         \
  X(GetPTXSize, (Program*, std::size_t*))                                                              \
  X(GetProgramLog, (Program*, char*))                                                                  \
  X(GetProgramLogSize, (Program*, std::size_t*))                                                       \
  X(GetSupportedArchs, (int*))                                                                         \
  X(Version, (int*, int*))

}  // namespace muster::cdm::cuda
