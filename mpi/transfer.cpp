// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transfer.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

#include "muster/abi.h"

namespace muster::mpi {
namespace {

constexpr std::size_t kAll = SIZE_MAX;

// The parts are whole elements of the array.
bool fillElements(const std::vector<muster_part>& parts, const muster_buffer& buffer) {
  return std::ranges::all_of(parts, [&](const muster_part& part) {
    return part.first % buffer.element == 0 && part.bytes % buffer.element == 0;
  });
}

muster_buffer bufferAt(const void* address) {
  muster_buffer buffer;
  muster_buffer_find(address, &buffer);
  return buffer;
}

}  // namespace

Transfer::Transfer(void* user, const BufferUse& use, const Circumstances& now, const std::function<Blocks()>& blocks)
    : user_(static_cast<char*>(user)),
      sends_(use.sends),
      receives_(use.receives),
      lasts_(now.lasts),
      call_(now.call),
      address_(user),
      comesWhole_(now.comesWhole) {
  choose(now, blocks);
  if (lasts_ != Lasts::starts) start();
}

Transfer::Transfer(Transfer&& other) noexcept
    : user_(other.user_),
      sends_(other.sends_),
      receives_(other.receives_),
      lasts_(other.lasts_),
      call_(other.call_),
      way_(std::exchange(other.way_, Way::through)),
      blocks_(std::move(other.blocks_)),
      address_(other.address_),
      staging_(std::move(other.staging_)),
      lent_(std::exchange(other.lent_, nullptr)),
      comesWhole_(other.comesWhole_),
      fetched_(other.fetched_),
      stagedFrom_(other.stagedFrom_),
      packed_(other.packed_),
      holds_(std::exchange(other.holds_, false)),
      flight_(std::exchange(other.flight_, 0)) {}

Transfer::~Transfer() { letGo(); }

void Transfer::choose(const Circumstances& now, const std::function<Blocks()>& blocks) {
  const muster_buffer buffer = bufferAt(user_);
  if (buffer.kind == MUSTER_BUFFER_PLAIN && !now.far) return;
  if (buffer.kind == MUSTER_BUFFER_PRIVATE && lasts_ == Lasts::call) {
    way_ = Way::pinned;
    return;
  }
  blocks_ = blocks();
  if (buffer.kind == MUSTER_BUFFER_PLAIN || !liesIn(buffer)) {
    const bool touches = std::ranges::any_of(
        blocks_.blocks, [&](const Block& block) { return bufferAt(user_ + block.first).kind != MUSTER_BUFFER_PLAIN; });
    if (touches) way_ = Way::visible;
    return;
  }
  if (buffer.kind == MUSTER_BUFFER_MIRRORED && borrow(buffer, now)) return;
  const bool isSafe = lasts_ == Lasts::call && (comesWhole_ || now.alone);
  if (buffer.kind == MUSTER_BUFFER_MIRRORED && (!receives_ || isSafe || (!mayPack(now.ownType) && mayFillAlias(buffer)))) {
    way_ = Way::alias;
    address_ = buffer.alias + (user_ - buffer.begin);
    return;
  }
  way_ = Way::staged;
  stage(now.ownType);
}

// Persistent requests have one address for all their starts.
bool Transfer::borrow(const muster_buffer& buffer, const Circumstances& now) {
  if (!now.isMessage || lasts_ == Lasts::starts || sends_ == receives_ || !blocks_.exact) return false;
  if (blocks_.bytes() < lentFrom.load(std::memory_order_relaxed)) return false;
  // A shorter message ends with a whole element of the type.
  if (receives_ && !comesWhole_ && (blocks_.elementBytes == 0 || blocks_.elementBytes % buffer.element != 0)) return false;
  const std::vector<muster_part> all = parts(buffer, kAll);
  packed_ = mayPack(now.ownType);
  if (all.empty() || (all.size() > 1 && !packed_) || !fillElements(all, buffer)) return packed_ = false;
  muster_pin_arrays();  // the array would leave the devices where the program goes back to its CPU
  holds_ = true;
  lent_ = muster_device_lend(&buffer, all.data(), all.size(), sends_ ? 1 : 0);
  if (lent_ == nullptr) {
    letGo();
    return packed_ = false;
  }
  way_ = Way::lent;
  address_ = static_cast<char*>(lent_) - (packed_ ? 0 : blocks_.blocks[0].first);
  return true;
}

bool Transfer::mayPack(bool ownType) const {
  return ownType && blocks_.blocks.size() > 1 && blocks_.elementBytes > 0 &&
         blocks_.bytes() / blocks_.elementBytes <= INT_MAX;
}

// Of one request. Persistent ones have one address for all their starts.
bool Transfer::mayFillAlias(const muster_buffer& buffer) {
  if (lasts_ != Lasts::later) return false;
  const std::vector<muster_part> all = parts(buffer, kAll);
  if (sends_) muster_buffer_fetch(&buffer, all.data(), all.size());
  flight_ = muster_flight_begin(&buffer, all.data(), all.size(), call_, MUSTER_FLIGHT_FILLS_ALIAS);
  return flight_ != 0;
}

bool Transfer::liesIn(const muster_buffer& buffer) const {
  const std::ptrdiff_t at = user_ - buffer.begin;
  return std::ranges::all_of(blocks_.blocks, [&](const Block& block) {
    const std::ptrdiff_t first = at + block.first;
    return first >= 0 && static_cast<std::size_t>(first) + block.bytes <= buffer.bytes;
  });
}

// Of the array, for the first `bytes` of the data.
std::vector<muster_part> Transfer::parts(const muster_buffer& buffer, std::size_t bytes) const {
  std::vector<muster_part> found;
  for (const Block& block : blocks_.blocks) {
    if (bytes == 0) break;
    const std::size_t taken = std::min(bytes, block.bytes);
    found.push_back({static_cast<std::size_t>(user_ - buffer.begin + block.first), taken});
    bytes -= bytes == kAll ? 0 : taken;
  }
  return found;
}

void Transfer::stage(bool ownType) {
  const std::vector<Block>& blocks = blocks_.blocks;
  if (blocks.empty()) return;
  const std::size_t bytes = blocks_.bytes();
  packed_ = mayPack(ownType);
  if (packed_) {
    staging_ = std::make_unique_for_overwrite<char[]>(bytes);
    address_ = staging_.get();
    return;
  }
  const auto first = std::ranges::min(blocks, {}, &Block::first).first;
  std::ptrdiff_t last = first;
  for (const Block& block : blocks) last = std::max(last, block.first + static_cast<std::ptrdiff_t>(block.bytes));
  staging_ = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(last - first));
  stagedFrom_ = first;
  address_ = staging_.get() - first;
}

char* Transfer::staged(const Block& block, std::size_t before) const {
  return staging_.get() + (packed_ ? static_cast<std::ptrdiff_t>(before) : block.first - stagedFrom_);
}

std::optional<Transfer::Elements> Transfer::elements() const {
  if (!packed_) return {};
  return Elements{static_cast<Word>(blocks_.bytes() / blocks_.elementBytes), blocks_.element};
}

void Transfer::start() {
  if (way_ == Way::through) return;
  const muster_buffer buffer = bufferAt(user_);
  if (way_ == Way::pinned) {
    muster_pin_arrays();
    holds_ = true;
  } else if (way_ == Way::alias && flight_ != 0) {
    fetched_ = true;  // so says the flight
  } else if (way_ == Way::alias) {
    const std::vector<muster_part> all = parts(buffer, kAll);
    fetched_ = sends_ || !blocks_.exact || !fillElements(all, buffer);
    if (fetched_) muster_buffer_fetch(&buffer, all.data(), all.size());
    if (receives_) muster_buffer_settle(&buffer, all.data(), all.size());
    // So no other thread's page fault fetches over what comes.
    if (receives_ && comesWhole_) muster_buffer_own(&buffer, all.data(), all.size());
  } else if (way_ == Way::staged) {
    if (sends_ || !blocks_.exact) fillStaging();
  } else if (way_ == Way::visible) {
    makeVisible();
    holds_ = true;
  }
  noteFlight();
}

void Transfer::noteFlight() {
  if (lasts_ == Lasts::call || flight_ != 0 || way_ == Way::pinned || way_ == Way::visible) return;
  if (muster_flights_are_checked() == 0) return;
  const muster_buffer buffer = bufferAt(user_);
  const std::vector<muster_part> all = parts(buffer, kAll);
  flight_ = muster_flight_begin(&buffer, all.data(), all.size(), call_,
                                receives_ ? MUSTER_FLIGHT_FILLS_COPY : MUSTER_FLIGHT_READS);
}

void Transfer::end(std::size_t received) {
  if (!blocks_.exact) received = kAll;  // how far it came is not known
  if (way_ == Way::alias && receives_) ownAlias(received);
  if (way_ == Way::staged && receives_) emptyStaging(received);
  if (way_ == Way::lent) endLent(received);
  letGo();
}

void Transfer::ownAlias(std::size_t received) const {
  const muster_buffer buffer = bufferAt(user_);
  const std::vector<muster_part> came = parts(buffer, received);
  // A shorter message may end inside of an element, of which the rest must be fetched around what came.
  const std::size_t end = came.empty() ? 0 : came.back().first + came.back().bytes;
  if (const std::size_t rest = end % buffer.element; rest != 0 && !fetched_) {
    const muster_part tail{std::max(came.back().first, end - rest), std::min(came.back().bytes, rest)};
    const std::vector<char> kept(buffer.alias + tail.first, buffer.alias + end);
    muster_buffer_fetch(&buffer, &tail, 1);
    std::ranges::copy(kept, buffer.alias + tail.first);
  }
  muster_buffer_own(&buffer, came.data(), came.size());
}

void Transfer::fillStaging() {
  muster_pin_arrays();
  const muster_buffer buffer = bufferAt(user_);
  const bool mirrored = buffer.kind == MUSTER_BUFFER_MIRRORED;
  const std::vector<muster_part> all = parts(buffer, kAll);
  if (mirrored) muster_buffer_fetch(&buffer, all.data(), all.size());
  const char* const from = mirrored ? buffer.alias + (user_ - buffer.begin) : user_;
  std::size_t before = 0;
  for (const Block& block : blocks_.blocks) {
    std::memcpy(staged(block, before), from + block.first, block.bytes);
    before += block.bytes;
  }
  muster_unpin_arrays();
}

void Transfer::emptyStaging(std::size_t received) {
  muster_pin_arrays();
  const muster_buffer buffer = bufferAt(user_);
  const bool mirrored = buffer.kind == MUSTER_BUFFER_MIRRORED;
  const std::vector<muster_part> came = parts(buffer, received);
  if (mirrored) {
    if (!fillElements(came, buffer)) muster_buffer_fetch(&buffer, came.data(), came.size());
    muster_buffer_settle(&buffer, came.data(), came.size());
  }
  char* const to = mirrored ? buffer.alias + (user_ - buffer.begin) : user_;
  std::size_t before = 0;
  for (std::size_t i = 0; i < came.size(); ++i) {
    const Block& block = blocks_.blocks[i];
    std::memcpy(to + block.first, staged(block, before), came[i].bytes);
    before += block.bytes;
  }
  if (mirrored) muster_buffer_own(&buffer, came.data(), came.size());
  muster_unpin_arrays();
}

void Transfer::endLent(std::size_t received) {
  const muster_buffer buffer = bufferAt(user_);
  const std::vector<muster_part> came = receives_ ? parts(buffer, received) : std::vector<muster_part>();
  if (came.empty()) return muster_device_give_back(std::exchange(lent_, nullptr));
  muster_device_take(std::exchange(lent_, nullptr), &buffer, came.data(), came.size());
}

void Transfer::makeVisible() const {
  muster_pin_arrays();
  for (const Block& block : blocks_.blocks) {
    char* const at = user_ + block.first;
    if (lasts_ == Lasts::call)
      muster_host_access(at, block.bytes, receives_ ? MUSTER_READ | MUSTER_WRITE : MUSTER_READ);
    else
      muster_hold_array(at, "MPI sends or receives from several arrays at once");
  }
}

void Transfer::land() {
  if (flight_ != 0) muster_flight_end(std::exchange(flight_, 0));
}

void Transfer::letGo() {
  land();
  if (lent_ != nullptr) muster_device_give_back(std::exchange(lent_, nullptr));
  if (!std::exchange(holds_, false)) return;
  muster_unpin_arrays();
  if (way_ != Way::visible || lasts_ == Lasts::call) return;
  for (const Block& block : blocks_.blocks) muster_release_array(user_ + block.first);
}

}  // namespace muster::mpi
