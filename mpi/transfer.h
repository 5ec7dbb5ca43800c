// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One buffer of one call of MPI that lies in a managed array: the address that MPI is given in its place, and what must
// be done before and after. Five ways:
//
//   pinned   MPI has the array's own memory, which stays what it is while the call lasts
//   alias    MPI has the memory behind the array's pages, which are never protected (muster/buffers.h)
//   staged   MPI has a copy. Of what is received while loops go on, or other threads do, unless the runtime can see to
//            it that they leave it alone: they might bring other elements to the same pages, or move the array
//   lent     MPI has memory of the device that has the elements, as a copy without gaps, if it takes such addresses
//   visible  MPI has the program's address. Of data in several arrays, such as from MPI_BOTTOM: the arrays are held
//            while a request lasts
//
// Not thread-safe: one call, or one request.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "muster/buffers.h"
#include "shape.h"

namespace muster::mpi {

// Messages of so many bytes and more MPI gets in memory that devices lend; SIZE_MAX: none. Set once MPI has begun.
inline std::atomic<std::size_t> lentFrom{SIZE_MAX};

// How long MPI uses a buffer: until the call returns; until something later ends it; or from start to end, repeatedly.
enum class Lasts { call, later, starts };

struct Circumstances {
  Lasts lasts = Lasts::call;
  bool far = false;       // data may lie in other variables than the one at the buffer's address
  bool comesWhole = true; // what is received fills the buffer: no status says otherwise
  bool alone = true;      // other threads of the program do not run meanwhile
  bool ownType = false;   // count and type may be exchanged (Group::own)
  bool isMessage = false; // to or from one peer
  const char* call = "";  // of static storage
};

class Transfer {
 public:
  // blocks: asked for once at most, where they matter.
  Transfer(void* user, const BufferUse& use, const Circumstances& now, const std::function<Blocks()>& blocks);
  ~Transfer();
  Transfer(Transfer&& other) noexcept;
  Transfer& operator=(Transfer&&) = delete;

  // What MPI is given.
  [[nodiscard]] void* address() const { return address_; }
  // So many elements of the type, in place of what the program says: the copy has them without the gaps between them,
  // which would cost a page for each element of a column. nullopt: count and type stay.
  struct Elements {
    Word count = 0, type = 0;
  };
  [[nodiscard]] std::optional<Elements> elements() const;
  // There is nothing to do at the start or at the end.
  [[nodiscard]] bool isNothing() const { return way_ == Way::through; }
  // There is something to do at the end, or at another start.
  [[nodiscard]] bool receives() const { return receives_; }
  [[nodiscard]] bool borrows() const { return way_ == Way::lent; }
  [[nodiscard]] bool goesOn() const { return lasts_ == Lasts::starts || receives_ || way_ != Way::alias || flight_ != 0; }
  // Before MPI uses it; the constructor does so but for Lasts::starts.
  void start();
  // Once MPI has done with it. received: bytes that came.
  void end(std::size_t received);
  // The buffer is no longer in flight (muster_flight_end). end() and the destructor do so, too.
  void land();

 private:
  enum class Way { through, pinned, alias, staged, lent, visible };
  void choose(const Circumstances& now, const std::function<Blocks()>& blocks);
  [[nodiscard]] bool mayPack(bool ownType) const;
  bool mayFillAlias(const muster_buffer& buffer);
  bool borrow(const muster_buffer& buffer, const Circumstances& now);
  void endLent(std::size_t received);
  [[nodiscard]] bool liesIn(const muster_buffer& buffer) const;
  void ownAlias(std::size_t received) const;
  [[nodiscard]] std::vector<muster_part> parts(const muster_buffer& buffer, std::size_t bytes) const;
  void stage(bool ownType);
  // Where the bytes of a block lie in the copy; `before`: bytes of the blocks before it.
  [[nodiscard]] char* staged(const Block& block, std::size_t before) const;
  void fillStaging();
  void emptyStaging(std::size_t received);
  void makeVisible() const;
  void noteFlight();
  void letGo();

  char* user_;
  bool sends_, receives_;
  Lasts lasts_;
  const char* call_;
  Way way_ = Way::through;
  Blocks blocks_;
  void* address_;
  std::unique_ptr<char[]> staging_;
  void* lent_ = nullptr;
  bool comesWhole_ = false;
  bool fetched_ = false;           // before it is received into, through the alias
  std::ptrdiff_t stagedFrom_ = 0;  // from the buffer's address
  bool packed_ = false;            // in the copy, block follows on block
  bool holds_ = false;             // a pin, or arrays and one
  std::uint64_t flight_ = 0;       // 0: nobody needs to know
};

}  // namespace muster::mpi
