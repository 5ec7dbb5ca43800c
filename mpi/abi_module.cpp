// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Abi for the MPI whose mpi.h this file is compiled with. The module is not linked with that MPI: its functions are
// those of the library that the program has loaded. Only names with PMPI_ are called, so that tools that count the
// program's calls do not see these.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "blocks.h"

// An extension that many MPIs have. With those that do not, it is null.
extern "C" __attribute__((weak)) int MPIX_Query_cuda_support();

namespace muster::mpi {
namespace {

template <class Handle>
Handle handleOf(Word word) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<Handle>(word);
  else
    return static_cast<Handle>(word);
}

template <class Handle>
Word wordOf(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>)
    return reinterpret_cast<Word>(handle);
  else
    return static_cast<Word>(static_cast<std::uint32_t>(handle));
}

Layout typeLayout(MPI_Datatype type);

// A type made of elements of one other type, as yet without any.
Layout of(const Layout& part) { return {{}, 0, part.exact, part.element, part.elementBytes}; }

// What a derived type was made of (MPI 3.1, section 4.1.13).
struct Contents {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;

  explicit Contents(MPI_Datatype type) {
    int n = 0, a = 0, t = 0;
    PMPI_Type_get_envelope(type, &n, &a, &t, &combiner);
    if (combiner == MPI_COMBINER_NAMED) return;
    integers.resize(static_cast<std::size_t>(n) + 1);
    addresses.resize(static_cast<std::size_t>(a) + 1);
    types.resize(static_cast<std::size_t>(t) + 1);
    PMPI_Type_get_contents(type, n, a, t, integers.data(), addresses.data(), types.data());
    types.resize(static_cast<std::size_t>(t));
  }
  ~Contents() {
    for (MPI_Datatype& type : types) {
      int n = 0, a = 0, t = 0, kind = 0;
      PMPI_Type_get_envelope(type, &n, &a, &t, &kind);
      if (kind != MPI_COMBINER_NAMED) PMPI_Type_free(&type);
    }
  }
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
};

// From its first byte to its last one, with what lies between.
void takeHull(MPI_Datatype type, Layout& layout) {
  MPI_Aint first = 0, bytes = 0;
  PMPI_Type_get_true_extent(type, &first, &bytes);
  if (bytes > 0) layout.blocks.push_back({first, static_cast<std::size_t>(bytes)});
  layout.exact = false;
}

// One of MPI itself. The pairs for MPI_MINLOC and MPI_MAXLOC may have a gap before their second member, an int.
void takeNamed(MPI_Datatype type, Layout& layout) {
  MPI_Aint first = 0, bytes = 0;
  PMPI_Type_get_true_extent(type, &first, &bytes);
  int size = 0;
  PMPI_Type_size(type, &size);
  constexpr std::ptrdiff_t second = sizeof(int);
  MPI_Aint from = 0, extent = 0;
  PMPI_Type_get_extent(type, &from, &extent);
  layout.element = wordOf(type);
  if (size > 0 && first == 0 && from == 0 && size == extent) layout.elementBytes = static_cast<std::size_t>(size);
  if (size <= 0) return;
  if (size == bytes) {
    layout.blocks = {{first, static_cast<std::size_t>(size)}};
  } else {
    layout.blocks = {{first, static_cast<std::size_t>(size - second)}, {first + bytes - second, sizeof(int)}};
  }
}

// The indexes of one dimension that a process has (MPI 3.1, section 4.1.4), as runs {first, count}.
std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> runsOf(int size, int distribution, int argument, int processes, int place) {
  if (distribution == MPI_DISTRIBUTE_NONE) return {{0, size}};
  const std::ptrdiff_t whole = (std::ptrdiff_t{size} + processes - 1) / processes;
  const bool isCyclic = distribution == MPI_DISTRIBUTE_CYCLIC;
  const std::ptrdiff_t block = argument != MPI_DISTRIBUTE_DFLT_DARG ? argument : isCyclic ? 1 : whole;
  std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> runs;
  for (std::ptrdiff_t first = place * block; first < size; first += isCyclic ? processes * block : size)
    runs.emplace_back(first, std::min<std::ptrdiff_t>(block, size - first));
  return runs;
}

void takeDistributed(const Contents& made, Layout& layout) {
  const int dims = made.integers[2];
  const int *sizes = &made.integers[3], *kinds = sizes + dims, *arguments = kinds + dims, *processes = arguments + dims;
  const bool inC = processes[dims] == MPI_ORDER_C;
  std::vector<int> places(static_cast<std::size_t>(dims));  // processes are numbered as in C, whatever the order is
  for (int d = dims - 1, rest = made.integers[1]; d >= 0; rest /= processes[d], --d)
    places[static_cast<std::size_t>(d)] = rest % processes[d];
  Layout rows = typeLayout(made.types[0]);
  for (int i = 0; i < dims; ++i) {
    const int d = inC ? dims - 1 - i : i;
    Layout next = of(rows);
    for (const auto& [first, count] :
         runsOf(sizes[d], kinds[d], arguments[d], processes[d], places[static_cast<std::size_t>(d)]))
      append(next.blocks, rows, first * rows.extent, count);
    next.extent = rows.extent * sizes[d];
    rows = std::move(next);
  }
  layout = std::move(rows);
}

// Counted from the innermost dimension out: rows of it, then rows of these.
void takeSubarray(const Contents& made, Layout& layout) {
  const int dims = made.integers[0];
  const int *sizes = &made.integers[1], *parts = sizes + dims, *starts = parts + dims;
  const bool inC = made.integers[1 + 3 * static_cast<std::size_t>(dims)] == MPI_ORDER_C;
  Layout rows = typeLayout(made.types[0]);
  for (int i = 0; i < dims; ++i) {
    const int d = inC ? dims - 1 - i : i;
    Layout next = of(rows);
    append(next.blocks, rows, starts[d] * rows.extent, parts[d]);
    next.extent = rows.extent * sizes[d];
    rows = std::move(next);
  }
  layout = std::move(rows);
}

void takeIndexed(const Contents& made, Layout& layout) {
  const auto count = static_cast<std::size_t>(made.integers[0]);
  const Layout element = typeLayout(made.types[0]);
  layout = of(element);
  for (std::size_t i = 0; i < count; ++i) {
    switch (made.combiner) {
      case MPI_COMBINER_INDEXED:
        append(layout.blocks, element, made.integers[1 + count + i] * element.extent, made.integers[1 + i]);
        break;
      case MPI_COMBINER_HINDEXED:
        append(layout.blocks, element, made.addresses[i], made.integers[1 + i]);
        break;
      case MPI_COMBINER_INDEXED_BLOCK:
        append(layout.blocks, element, made.integers[2 + i] * element.extent, made.integers[1]);
        break;
      default:  // MPI_COMBINER_HINDEXED_BLOCK
        append(layout.blocks, element, made.addresses[i], made.integers[1]);
    }
  }
}

void takeVector(const Contents& made, Layout& layout) {
  const Layout element = typeLayout(made.types[0]);
  layout = of(element);
  const std::ptrdiff_t stride =
      made.combiner == MPI_COMBINER_VECTOR ? made.integers[2] * element.extent : made.addresses[0];
  for (int i = 0; i < made.integers[0]; ++i) append(layout.blocks, element, i * stride, made.integers[1]);
}

void takeStruct(const Contents& made, Layout& layout) {
  for (int i = 0; i < made.integers[0]; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Layout member = typeLayout(made.types[at]);
    if (i == 0) layout = of(member);
    layout.exact = layout.exact && member.exact;
    if (layout.element != member.element) layout.elementBytes = 0;
    append(layout.blocks, member, made.addresses[at], made.integers[1 + at]);
  }
}

void takeBlocks(MPI_Datatype type, const Contents& made, Layout& layout) {
  switch (made.combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
      return takeNamed(type, layout);
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      layout = typeLayout(made.types[0]);
      return;
    case MPI_COMBINER_CONTIGUOUS: {
      const Layout element = typeLayout(made.types[0]);
      layout = of(element);
      return append(layout.blocks, element, 0, made.integers[0]);
    }
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
      return takeVector(made, layout);
    case MPI_COMBINER_INDEXED:
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_INDEXED_BLOCK:
    case MPI_COMBINER_HINDEXED_BLOCK:
      return takeIndexed(made, layout);
    case MPI_COMBINER_STRUCT:
      return takeStruct(made, layout);
    case MPI_COMBINER_SUBARRAY:
      return takeSubarray(made, layout);
    case MPI_COMBINER_DARRAY:
      return takeDistributed(made, layout);
    default:
      return takeHull(type, layout);  // of a later version of MPI
  }
}

Layout typeLayout(MPI_Datatype type) {
  Layout layout;
  if (type == MPI_DATATYPE_NULL) return layout;
  {
    const Contents made(type);
    takeBlocks(type, made, layout);
  }
  MPI_Aint first = 0, extent = 0;
  PMPI_Type_get_extent(type, &first, &extent);
  layout.extent = extent;
  return layout;
}

// The world's processes, in a communicator of their own.
MPI_Comm trialWorld = MPI_COMM_NULL;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): functions of C

muster_processes processesOfWorld() {
  muster_processes all = {};
  PMPI_Comm_rank(trialWorld, &all.rank);
  PMPI_Comm_size(trialWorld, &all.count);
  static char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  PMPI_Get_library_version(version, &length);
  all.library = version;
  all.gather = [](const void* mine, int bytes, void* everything) {
    return PMPI_Allgather(mine, bytes, MPI_BYTE, everything, bytes, MPI_BYTE, trialWorld);
  };
  all.send = [](int to, int tag, const void* data, int bytes, void** request) {
    *request = new MPI_Request;
    return PMPI_Isend(data, bytes, MPI_BYTE, to, tag, trialWorld, static_cast<MPI_Request*>(*request));
  };
  all.receive = [](int from, int tag, void* data, int bytes, void** request) {
    *request = new MPI_Request;
    return PMPI_Irecv(data, bytes, MPI_BYTE, from, tag, trialWorld, static_cast<MPI_Request*>(*request));
  };
  all.test = [](void** request, int* complete) {
    auto* const mpi = static_cast<MPI_Request*>(*request);
    const int error = PMPI_Test(mpi, complete, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS && *complete != 0) {
      delete mpi;
      *request = nullptr;
    }
    return error;
  };
  return all;
}

class Module final : public Abi {
 public:
  void abort(int code) const override { MPI_Abort(MPI_COMM_WORLD, code); }  // tools see this one
  bool isInPlace(Word buffer) const override { return buffer == reinterpret_cast<Word>(MPI_IN_PLACE); }
  bool isNobody(Word rank) const override { return static_cast<int>(rank) == MPI_PROC_NULL; }
  Layout layoutOf(Word type) const override { return typeLayout(handleOf<MPI_Datatype>(type)); }
  Word typeAt(Word types, int i) const override { return wordOf(reinterpret_cast<const MPI_Datatype*>(types)[i]); }

  bool hasThreads() const override {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    return level != MPI_THREAD_SINGLE;
  }
  Word handle(Word argument) const override {
    static_assert(sizeof(MPI_Request) == sizeof(MPI_Win));
    return wordOf(handleOf<MPI_Request>(argument));
  }

  bool takesDeviceMemory() const override {
    return MPIX_Query_cuda_support != nullptr && MPIX_Query_cuda_support() == 1;
  }
  std::shared_ptr<const muster_processes> world() const override {
    PMPI_Comm_dup(MPI_COMM_WORLD, &trialWorld);
    return {new muster_processes(processesOfWorld()), [](const muster_processes* all) {
              PMPI_Comm_free(&trialWorld);
              delete all;
            }};
  }
  bool isWorld(Word communicator) const override { return handleOf<MPI_Comm>(communicator) == MPI_COMM_WORLD; }
  int processes(Word communicator) const override {
    if (!isInter(communicator)) return members(communicator);
    int size = 0;
    PMPI_Comm_remote_size(handleOf<MPI_Comm>(communicator), &size);
    return size;
  }
  int members(Word communicator) const override {
    int size = 0;
    PMPI_Comm_size(handleOf<MPI_Comm>(communicator), &size);
    return size;
  }
  int rank(Word communicator) const override {
    int rank = 0;
    PMPI_Comm_rank(handleOf<MPI_Comm>(communicator), &rank);
    return rank;
  }
  Role role(Word communicator, Word root) const override {
    const int place = static_cast<int>(root);
    if (!isInter(communicator)) return place == rank(communicator) ? Role::root : Role::other;
    if (place == MPI_ROOT) return Role::rootOfOthers;
    return place == MPI_PROC_NULL ? Role::none : Role::other;
  }
  Neighbours neighbours(Word communicator) const override {
    const auto comm = handleOf<MPI_Comm>(communicator);
    Neighbours found;
    int kind = MPI_UNDEFINED, weighted = 0, dims = 0;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
      PMPI_Cartdim_get(comm, &dims);
      found = {2 * dims, 2 * dims};
    } else if (kind == MPI_GRAPH) {
      PMPI_Graph_neighbors_count(comm, rank(communicator), &found.in);
      found.out = found.in;
    } else if (kind == MPI_DIST_GRAPH) {
      PMPI_Dist_graph_neighbors_count(comm, &found.in, &found.out, &weighted);
    }
    return found;
  }

  bool reachesFar(Word type) const override {
    if (handleOf<MPI_Datatype>(type) == MPI_DATATYPE_NULL) return false;
    MPI_Aint first = 0, bytes = 0;
    PMPI_Type_get_true_extent(handleOf<MPI_Datatype>(type), &first, &bytes);
    constexpr MPI_Aint far = MPI_Aint{64} << 20;
    return bytes > far || first > far || first < -far;
  }

  std::optional<std::size_t> completed(Word request, Counts counts) const override {
    int done = 0;
    MPI_Status status = {};
    if (PMPI_Request_get_status(handleOf<MPI_Request>(request), &done, &status) != MPI_SUCCESS || done == 0) return {};
    return received(&status, 0, counts);
  }
  Word requestAt(Word requests, int i) const override { return wordOf(reinterpret_cast<MPI_Request*>(requests)[i]); }
  Word windowAt(Word window) const override { return wordOf(*reinterpret_cast<MPI_Win*>(window)); }
  std::size_t wait(Word requests, Counts counts) const override {
    MPI_Status status = {};
    const int result = PMPI_Wait(reinterpret_cast<MPI_Request*>(requests), &status);
    return result == MPI_SUCCESS ? received(&status, 0, counts) : 0;
  }

  bool test(Word request) const override {
    MPI_Request tested = handleOf<MPI_Request>(request);
    int complete = 0;
    return PMPI_Test(&tested, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS || complete != 0;
  }
  Word takeRequest(Word requests) const override {
    return wordOf(std::exchange(*reinterpret_cast<MPI_Request*>(requests), MPI_REQUEST_NULL));
  }

  bool isIgnored(Word statuses) const override {
    return statuses == reinterpret_cast<Word>(MPI_STATUS_IGNORE) ||
           statuses == reinterpret_cast<Word>(MPI_STATUSES_IGNORE);
  }
  std::size_t statusBytes() const override { return sizeof(MPI_Status); }
  Outcome outcome(Word result, const void* statuses, int i) const override {
    int kind = MPI_SUCCESS;
    PMPI_Error_class(static_cast<int>(result), &kind);
    if (kind == MPI_SUCCESS) return Outcome::complete;
    if (kind != MPI_ERR_IN_STATUS) return Outcome::failed;
    PMPI_Error_class(static_cast<const MPI_Status*>(statuses)[i].MPI_ERROR, &kind);
    if (kind == MPI_ERR_PENDING) return Outcome::pending;
    return kind == MPI_SUCCESS ? Outcome::complete : Outcome::failed;
  }
  std::size_t received(const void* statuses, int i, Counts counts) const override {
    const MPI_Status* const status = static_cast<const MPI_Status*>(statuses) + i;
    int cancelled = 0;
    if (counts == Counts::bytesOrCancelled) PMPI_Test_cancelled(status, &cancelled);
    MPI_Count bytes = 0;
    if (cancelled == 0) PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  }

 private:
  static bool isInter(Word communicator) {
    int inter = 0;
    PMPI_Comm_test_inter(handleOf<MPI_Comm>(communicator), &inter);
    return inter != 0;
  }
};

}  // namespace
}  // namespace muster::mpi

extern "C" __attribute__((visibility("default"))) const muster::mpi::Abi* musterMpiAbi(int version) {
  static const muster::mpi::Module module;
  return version == muster::mpi::abiVersion ? &module : nullptr;
}
