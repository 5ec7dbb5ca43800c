// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rank 0's side of a remote device. Writes, copies, fills and launches return once they are posted; their replies are
// collected when somebody waits. Reads are complete on return: their owner sends data only after its reply.
#include <algorithm>
#include <deque>
#include <unordered_set>

#include "backends/remote/protocol.h"
#include "muster/cdm/remote.h"

namespace muster::cdm {
namespace {

using namespace remote;

class RemoteDevice final : public ComputeDevice {
 public:
  RemoteDevice(Transport& transport, PostCall post, int rank, std::uint32_t index, DeviceInfo info)
      : ComputeDevice(std::move(info)), transport_(transport), post_(std::move(post)), rank_(rank), index_(index) {
    info_.backend = "remote";
    info_.hostAddressable = false;
  }

  // Replies go to memory of ours: they must have come. Errors were for a caller who did not ask.
  ~RemoteDevice() override { (void)collect(sequence_); }

 protected:
  Result<BufferId> doAllocate(std::size_t bytes) override { return ask(AllocateCall{bytes}); }
  Status doRelease(BufferId buffer) override { return ask(ReleaseCall{buffer}).status(); }
  Result<Event> doWrite(BufferId to, std::size_t offset, const void* from, std::size_t bytes) override;
  Result<Event> doRead(BufferId from, std::size_t offset, void* to, std::size_t bytes) override;
  Result<Event> doCopy(BufferId from, std::size_t fromOffset, BufferId to, std::size_t toOffset,
                       std::size_t bytes) override {
    return begin(CopyCall{from, fromOffset, to, toOffset, bytes});
  }
  Result<Event> doFill(BufferId to, std::size_t offset, std::byte value, std::size_t bytes) override {
    return begin(FillCall{to, offset, bytes, std::to_integer<std::uint8_t>(value)});
  }
  Status doPrepare(const KernelCode& code, double iterations) override;
  Result<Event> doLaunch(const KernelLaunch& launch) override;
  Status doWait(Event event) override;
  Status doFinish() override { return ask(FinishCall{}).status(); }

 private:
  // A call whose reply has not been looked at.
  struct Open {
    Call call;
    Bytes replyBytes;
    RequestPtr reply, data;
    std::vector<std::pair<void*, std::size_t>> results;
  };

  // Posts a call and returns its event. `data` goes with a write.
  Result<Event> begin(CallBody body, std::span<const std::byte> data = {},
                      std::vector<std::pair<void*, std::size_t>> results = {});
  Status postOpen(Open& open, std::span<const std::byte> data);
  // Posts a call, waits for its reply and for those before, and returns the reply's value.
  Result<std::uint64_t> ask(CallBody body);
  // Takes the replies of all calls up to this one; the first error is the result.
  Status collect(std::uint64_t upTo);
  Status take(Open& open);

  Transport& transport_;
  PostCall post_;
  int rank_;
  std::uint32_t index_;
  std::uint64_t sequence_ = 0;
  std::uint64_t value_ = 0;  // of the last reply
  std::deque<Open> open_;
  std::unordered_set<std::uint64_t> prepared_;
};

Result<Event> RemoteDevice::begin(CallBody body, std::span<const std::byte> data,
                                  std::vector<std::pair<void*, std::size_t>> results) {
  if (open_.size() >= maxOpenCalls) MUSTER_TRY(collect(open_.front().call.sequence));
  Open& open = open_.emplace_back();
  open.call = {static_cast<std::uint32_t>(rank_), index_, ++sequence_, std::move(body)};
  open.replyBytes.resize(replyBytes(open.call));
  open.results = std::move(results);
  if (const Status status = postOpen(open, data); !status.ok()) {
    open_.pop_back();  // no reply will come
    return status;
  }
  return sequence_;
}

Status RemoteDevice::postOpen(Open& open, std::span<const std::byte> data) {
  Result<RequestPtr> reply = transport_.receive(rank_, tagOf(open.call, Channel::reply), open.replyBytes);
  if (!reply) return reply.status();
  open.reply = std::move(*reply);
  MUSTER_TRY(post_(encode(open.call)));
  if (!std::holds_alternative<WriteCall>(open.call.body)) return {};
  Result<RequestPtr> sent = transport_.send(rank_, tagOf(open.call, Channel::data), data);
  if (!sent) return sent.status();
  open.data = std::move(*sent);
  return {};
}

Result<std::uint64_t> RemoteDevice::ask(CallBody body) {
  const Result<Event> event = begin(std::move(body));
  if (!event) return event.status();
  MUSTER_TRY(collect(*event));
  return value_;
}

Status RemoteDevice::collect(std::uint64_t upTo) {
  Status first;
  while (!open_.empty() && open_.front().call.sequence <= upTo) {
    const Status status = take(open_.front());
    open_.pop_front();
    if (first.ok()) first = status;
  }
  return first;
}

Status RemoteDevice::take(Open& open) {
  MUSTER_TRY(transport_.wait(open.data));
  MUSTER_TRY(transport_.wait(open.reply));
  const Result<Reply> reply = decodeReply(open.replyBytes);
  if (!reply) return reply.status();
  if (reply->sequence != open.call.sequence) {
    return {Errc::protocol, "rank " + std::to_string(rank_) + " answered call " + std::to_string(reply->sequence) +
                                " instead of " + std::to_string(open.call.sequence)};
  }
  if (!reply->status.ok()) return reply->status;
  if (reply->results.size() != resultBytes(open.call)) {
    return {Errc::protocol, "rank " + std::to_string(rank_) + " sent " + std::to_string(reply->results.size()) +
                                " bytes of results, " + std::to_string(resultBytes(open.call)) + " were expected"};
  }
  value_ = reply->value;
  const std::byte* from = reply->results.data();
  for (const auto& [to, size] : open.results) {
    std::copy_n(from, size, static_cast<std::byte*>(to));
    from += size;
  }
  return {};
}

Result<Event> RemoteDevice::doWrite(BufferId to, std::size_t offset, const void* from, std::size_t bytes) {
  Result<Event> event = Event{0};
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min(bytes - done, maxDataBytes);
    event = begin(WriteCall{to, offset + done, piece}, {static_cast<const std::byte*>(from) + done, piece});
    if (!event) break;
    done += piece;
  }
  return event;
}

Result<Event> RemoteDevice::doRead(BufferId from, std::size_t offset, void* to, std::size_t bytes) {
  // First, so that an older error does not hide that this call succeeded and its data comes.
  MUSTER_TRY(collect(sequence_));
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = std::min(bytes - done, maxDataBytes);
    Result<Event> event = begin(ReadCall{from, offset + done, piece});
    if (!event) return event;
    const Call call = open_.back().call;
    MUSTER_TRY(collect(*event));
    Result<RequestPtr> data =
        transport_.receive(rank_, tagOf(call, Channel::data), {static_cast<std::byte*>(to) + done, piece});
    if (!data) return data.status();
    MUSTER_TRY(transport_.wait(*data));
    done += piece;
  }
  return Event{0};
}

Status RemoteDevice::doWait(Event event) {
  if (event <= sequence_) return collect(event);
  return {Errc::invalidArgument, info_.name + " of rank " + std::to_string(rank_) + ": event " + std::to_string(event) +
                                     " was never given out"};
}

Status RemoteDevice::doPrepare(const KernelCode& code, double /*iterations*/) {
  MUSTER_TRY(ask(PrepareCall{code.id}).status());
  prepared_.insert(code.id);
  return {};
}

Result<Event> RemoteDevice::doLaunch(const KernelLaunch& launch) {
  const KernelCode& code = *launch.code;
  if (!prepared_.contains(code.id)) MUSTER_TRY(prepare(code));
  LaunchCall call;
  call.kernel = code.id;
  call.dims.assign(launch.dims.begin(), launch.dims.end());
  call.lo = launch.lo;
  call.hi = launch.hi;
  call.arrays.assign(launch.arrays.begin(), launch.arrays.end());
  for (std::size_t i = 0; i < launch.scalars.size(); ++i) {
    const auto* value = static_cast<const std::byte*>(launch.scalars[i]);
    call.scalars.emplace_back(value, value + code.scalars[i].size);
  }
  std::vector<std::pair<void*, std::size_t>> results;
  for (std::size_t i = 0; i < launch.results.size(); ++i) {
    call.resultSizes.push_back(code.results[i].size);
    results.emplace_back(launch.results[i], code.results[i].size);
  }
  return begin(std::move(call), {}, std::move(results));
}

}  // namespace

std::unique_ptr<ComputeDevice> makeRemoteDevice(Transport& transport, PostCall post, int rank, std::uint32_t index,
                                                DeviceInfo info) {
  return std::make_unique<RemoteDevice>(transport, std::move(post), rank, index, std::move(info));
}

}  // namespace muster::cdm
