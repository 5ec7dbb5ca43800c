// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes an MPI one that takes addresses of memory of CUDA's devices, where it is loaded before it (LD_PRELOAD): such
// messages go through memory of its own. It works with cards and with the fake CUDA. Words in GPU_MPI:
//   slow-host, slow-device   large messages in memory of that kind take 20 ms more
//   wrong                    what arrives in devices' memory is not what was sent
//   unaware                  it says that it does not take such addresses
// At the end each rank says how many messages of either kind it sent and received.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace {

constexpr std::size_t large = 4096;

bool asked(const char* word) {
  const char* const words = std::getenv("GPU_MPI");
  return words != nullptr && std::strstr(words, word) != nullptr;
}

template <class Function>
Function* next(Function* /*own*/, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define NEXT(name) next(&name, #name)

// CUDA's driver, as far as it is needed. Muster loads it for itself alone.
struct Cuda {
  static constexpr int contextOf = 1, kindOf = 2;
  static constexpr unsigned ofDevice = 2;
  using Pointer = unsigned long long;
  int (*attribute)(void* value, int which, Pointer at) = nullptr;
  int (*setContext)(void* context) = nullptr;
  int (*copy)(Pointer to, Pointer from, std::size_t bytes) = nullptr;
  int (*finish)() = nullptr;

  Cuda() {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr) return;
    find(driver, attribute, "cuPointerGetAttribute");
    find(driver, setContext, "cuCtxSetCurrent");
    find(driver, copy, "cuMemcpy");
    find(driver, finish, "cuCtxSynchronize");
  }
  template <class Function>
  static void find(void* driver, Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(driver, name));
  }

  [[nodiscard]] bool holds(const void* at) const {
    unsigned kind = 0;
    return attribute != nullptr && attribute(&kind, kindOf, address(at)) == 0 && kind == ofDevice;
  }
  // One end is a device's. Copies to a card come back before they are done.
  void move(void* to, const void* from, const void* device, std::size_t bytes) const {
    void* context = nullptr;
    if (attribute(&context, contextOf, address(device)) == 0 && setContext(context) == 0 &&
        copy(address(to), address(from), bytes) == 0 && finish() == 0)
      return;
    std::fprintf(stderr, "gpu-aware mpi: a copy of %zu bytes failed\n", bytes);
    std::abort();
  }

 private:
  static Pointer address(const void* at) { return reinterpret_cast<Pointer>(at); }
};

const Cuda& cuda() {
  static const Cuda loaded;
  return loaded;
}

struct Bounce {
  std::vector<char> bytes;
  void* target = nullptr;  // of a receive, in a device
};
std::mutex mutex;
std::multimap<MPI_Request, Bounce> bounces;
struct Counts {
  int sent = 0, received = 0;
} direct, throughHost;

// Of types without gaps.
std::size_t bytesOf(int count, MPI_Datatype type) {
  int size = 0;
  MPI_Aint first = 0, extent = 0;
  PMPI_Type_size(type, &size);
  PMPI_Type_get_extent(type, &first, &extent);
  if (first != 0 || extent != size) {
    std::fprintf(stderr, "gpu-aware mpi: types with gaps are not known here\n");
    std::abort();
  }
  return static_cast<std::size_t>(count) * static_cast<std::size_t>(size);
}

// Whether a message is in a device. Those in the host's memory are counted if they are large.
bool isDirect(const void* data, int count, MPI_Datatype type, int Counts::* kind) {
  const bool inDevice = count > 0 && cuda().holds(data);
  int size = 0;
  PMPI_Type_size(type, &size);
  const bool isLarge = static_cast<std::size_t>(count) * static_cast<std::size_t>(size) >= large;
  if (inDevice || isLarge) ++((inDevice ? direct : throughHost).*kind);
  if (isLarge && asked(inDevice ? "slow-device" : "slow-host")) {
    const timespec longer{0, 20000000};
    nanosleep(&longer, nullptr);
  }
  return inDevice;
}

void land(Bounce& bounce) {
  if (bounce.target == nullptr || bounce.bytes.empty()) return;
  if (asked("wrong")) bounce.bytes.back() ^= 1;
  cuda().move(bounce.target, bounce.bytes.data(), bounce.target, bounce.bytes.size());
}

// A request that was complete at once may be one and the same to MPI as others.
void landOf(MPI_Request request) {
  const std::lock_guard lock(mutex);
  const auto found = bounces.find(request);
  if (found == bounces.end()) return;
  land(found->second);
  bounces.erase(found);
}

}  // namespace

// Every function has two names.
#define BOTH(result, name, parameters, arguments)                \
  result PMPI_##name parameters;                                 \
  result MPI_##name parameters { return PMPI_##name arguments; } \
  result PMPI_##name parameters

extern "C" {

__attribute__((visibility("default"))) int MPIX_Query_cuda_support() { return asked("unaware") ? 0 : 1; }

BOTH(int, Isend, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),
     (data, count, type, to, tag, comm, request)) {
  static auto* const call = NEXT(PMPI_Isend);
  if (to == MPI_PROC_NULL || !isDirect(data, count, type, &Counts::sent))
    return call(data, count, type, to, tag, comm, request);
  Bounce bounce{std::vector<char>(bytesOf(count, type)), nullptr};
  cuda().move(bounce.bytes.data(), data, data, bounce.bytes.size());
  const std::lock_guard lock(mutex);
  const int code = call(bounce.bytes.data(), count, type, to, tag, comm, request);
  bounces.emplace(*request, std::move(bounce));
  return code;
}

BOTH(int, Irecv, (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),
     (data, count, type, from, tag, comm, request)) {
  static auto* const call = NEXT(PMPI_Irecv);
  if (from == MPI_PROC_NULL || !isDirect(data, count, type, &Counts::received))
    return call(data, count, type, from, tag, comm, request);
  Bounce bounce{std::vector<char>(bytesOf(count, type)), data};
  const std::lock_guard lock(mutex);
  const int code = call(bounce.bytes.data(), count, type, from, tag, comm, request);
  bounces.emplace(*request, std::move(bounce));
  return code;
}

BOTH(int, Test, (MPI_Request * request, int* complete, MPI_Status* status), (request, complete, status)) {
  static auto* const call = NEXT(PMPI_Test);
  const MPI_Request tested = *request;
  const int code = call(request, complete, status);
  if (code == MPI_SUCCESS && *complete != 0) landOf(tested);
  return code;
}

BOTH(int, Request_get_status, (MPI_Request request, int* complete, MPI_Status* status), (request, complete, status)) {
  static auto* const call = NEXT(PMPI_Request_get_status);
  const int code = call(request, complete, status);
  if (code == MPI_SUCCESS && *complete != 0) landOf(request);
  return code;
}

BOTH(int, Wait, (MPI_Request * request, MPI_Status* status), (request, status)) {
  static auto* const call = NEXT(PMPI_Wait);
  const MPI_Request waited = *request;
  const int code = call(request, status);
  landOf(waited);
  return code;
}

BOTH(int, Waitall, (int count, MPI_Request requests[], MPI_Status statuses[]), (count, requests, statuses)) {
  static auto* const call = NEXT(PMPI_Waitall);
  const std::vector<MPI_Request> waited(requests, requests + count);
  const int code = call(count, requests, statuses);
  for (const MPI_Request request : waited) landOf(request);
  return code;
}

BOTH(int, Sendrecv,
     (const void* data, int count, MPI_Datatype type, int to, int tag, void* room, int most, MPI_Datatype roomType,
      int from, int roomTag, MPI_Comm comm, MPI_Status* status),
     (data, count, type, to, tag, room, most, roomType, from, roomTag, comm, status)) {
  MPI_Request sent = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;
  PMPI_Irecv(room, most, roomType, from, roomTag, comm, &received);
  PMPI_Isend(data, count, type, to, tag, comm, &sent);
  MPI_Status came[2];
  MPI_Request both[] = {received, sent};
  const int code = PMPI_Waitall(2, both, came);
  if (status != MPI_STATUS_IGNORE) *status = came[0];
  return code;
}

BOTH(int, Finalize, (), ()) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::fprintf(stderr, "gpu-aware mpi: rank %d direct %d %d host %d %d\n", rank, direct.sent, direct.received,
               throughHost.sent, throughHost.received);
  return NEXT(PMPI_Finalize)();
}

}  // extern "C"
