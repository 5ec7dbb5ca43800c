// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of managed arrays on rank 0: one reserved address region, the user's view of each array, its page
// protection, and the alias through which the runtime reads and writes (docs/architecture.md, Memory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "host/space/extent.h"
#include "muster/cdm/status.h"

struct muster_array_site;  // muster/abi.h

namespace muster::rt {

// One array's memory. Created readWrite and zero.
class HostArray {
 public:
  virtual ~HostArray() = default;
  [[nodiscard]] virtual std::byte* user() const = 0;    // what the program holds
  [[nodiscard]] virtual std::byte* alias() const = 0;   // same bytes, never protected; == user() if not mirrored
  [[nodiscard]] virtual std::size_t bytes() const = 0;  // as asked for, not rounded
  [[nodiscard]] virtual bool mirrored() const = 0;
  // Parts of [lo, hi), ascending, of at least `least` bytes, that have no memory because nobody ever touched them: they
  // are zero. Not all are found; none of arrays that are not mirrored or are small, nor where the system cannot tell.
  // Nobody may write [lo, hi) meanwhile. Any thread. A few system calls, however large the range is.
  [[nodiscard]] virtual std::vector<ByteRange> untouched(std::size_t lo, std::size_t hi, std::size_t least) const = 0;
  // From now on its pages are not exchanged for others, until it is released. Any thread.
  virtual void keepPages() = 0;
  void* owner = nullptr;  // the session's record of this array
};

class HostMemory {
 public:
  virtual ~HostMemory() = default;

  // mirrored: memory is mapped twice and can be protected; false gives plain private memory (THP as malloc has).
  virtual Result<HostArray*> allocate(std::size_t bytes, std::size_t alignment, bool mirrored) = 0;
  // Array of static storage that the program already has (page-aligned, owns its last page). Contents are kept.
  virtual Result<HostArray*> adopt(void* storage, std::size_t bytes, bool mirrored) = 0;
  // Turns a private array into a mirrored one in place (arrays created before the session knew its devices). Nobody may
  // write the array meanwhile.
  virtual Status mirror(HostArray& array) = 0;
  virtual void release(HostArray& array) = 0;

  // The array that holds this address, or nullptr; also nullptr for small ones that are never mirrored, which have no
  // record (host/space/small_blocks.h). An array's last page, which holds the byte behind its end, belongs to it as a
  // whole, so address - user() may reach bytes() and beyond. Any thread, also the signal handler: lock-free.
  [[nodiscard]] virtual HostArray* find(const void* address) const = 0;
  // The same for all arrays.
  [[nodiscard]] virtual std::optional<ArrayExtent> extentOf(const void* address) const = 0;
  // Range check only (region or an adopted array).
  [[nodiscard]] virtual bool contains(const void* address) const = 0;

  // Access of the pages that hold bytes [lo, hi) of the user's view; pages that already have it cost nothing.
  // Mirrored arrays only. lo and hi are rounded outwards to pages.
  virtual Status setAccess(HostArray& array, std::size_t lo, std::size_t hi, PageAccess access) = 0;
  // Takes away what pages of [lo, hi) have beyond `most`; pages that have less keep what they have.
  virtual Status limitAccess(HostArray& array, std::size_t lo, std::size_t hi, PageAccess most) = 0;
  [[nodiscard]] virtual PageAccess access(const HostArray& array, std::size_t offset) const = 0;
  [[nodiscard]] virtual std::size_t pageSize() const = 0;
};

// Never destroyed before the process ends: programs free arrays in static destructors.
HostMemory& hostMemory();

// An access to a protected page. Called in the service thread, one at a time; must make the page accessible. False:
// not possible, the program ends with a message and the address. The same thread that faults 1,000 times at one address
// although the handler said true and no page of the array lost access in between ends the program as well.
using FaultHandler = std::function<bool(HostArray& array, std::size_t offset, bool write)>;
// Installs the SIGSEGV handler and starts the service thread. Faults elsewhere go to the previous handler.
// Threads that must not fault are not served, the program ends with a message: the service thread, and any thread
// inside a RuntimeSection (host/system/runtime_section.h), which belongs around code that holds a lock of the runtime.
Status startFaultService(FaultHandler handler);
// Every page should be accessible before: later faults go to the previous handler.
void stopFaultService();
// In the child of a fork, which has no service thread: faults go to the program's own handler.
void abandonFaultService();

// Around a fork of the program, in this order. All elements that the child may want are valid on the host before. The
// child has its own copy of all arrays as plain memory then, no fault service and no listener; the parent waits until
// it has. Not inside a chunk.
class ForkOfArrays {
 public:
  ForkOfArrays();
  void inParent();  // also where there is no child
  void inChild();

 private:
  int done_[2] = {-1, -1};  // a pipe that the child closes
};

// What the program did with managed memory; the session listens. Calls come from the program's threads.
class ArrayListener {
 public:
  virtual ~ArrayListener() = default;
  virtual bool wantsMirrored() = 0;  // for arrays allocated from now on; the same for one listener always
  // Another listener may follow, which mirrors what was private.
  virtual bool mayMirrorLater() { return false; }
  // The calling thread works for a chunk of a loop: what it allocates is its own, and no managed array.
  virtual bool insideChunk() { return false; }
  virtual void created(HostArray& array, const muster_array_site* site, std::size_t bytes) = 0;
  // One that is not mirrored, and never will be: the listener hears no more of it.
  virtual void createdPrivate(const muster_array_site* /*site*/, std::size_t /*bytes*/) {}
  virtual void aboutToRelease(HostArray& array) = 0;  // must finish all use of it
  // Arrays that are freed may be kept for others of their kind: whether this one may be, and that it is (it was hidden
  // before: host/memory/host_memory_impl.h).
  virtual bool parks(HostArray& /*array*/) { return false; }
  virtual void park(HostArray& /*array*/) {}
  // One of them that lives again, hidden still, with any contents; nullptr: there is none of this kind.
  virtual HostArray* unpark(const muster_array_site* /*site*/, std::size_t /*bytes*/, std::size_t /*alignment*/) {
    return nullptr;
  }
  // Those that are to be released since another one was created or parked; all of them.
  virtual std::vector<HostArray*> surplus() { return {}; }
  virtual std::vector<HostArray*> unparkAll() { return {}; }
  virtual void hostAccess(HostArray& array, std::size_t offset, std::size_t bytes, int mode) = 0;
};
// nullptr before and after the session; arrays created earlier are listed by forEachArray, in order of creation. The
// visitor may call hostMemory(). `site` is nullptr for arrays that did not come through the ABI.
void setArrayListener(ArrayListener* listener);
void forEachArray(const std::function<void(HostArray&, const muster_array_site*)>& visit);

}  // namespace muster::rt
