// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The owner's side of a remote device: does one call to its end and answers it. Because every call is complete when
// its reply leaves, the order of the calls is the order of the device.
#include "backends/remote/protocol.h"
#include "muster/cdm/remote.h"

namespace muster::cdm {
namespace {

using namespace remote;

Status sendAndWait(Transport& transport, std::uint64_t tag, std::span<const std::byte> data) {
  Result<RequestPtr> request = transport.send(0, tag, data);
  if (!request) return request.status();
  return transport.wait(*request);
}

Status completed(ComputeDevice& device, const Result<Event>& event) {
  return event ? device.wait(*event) : event.status();
}

// What a call needs besides itself.
struct Server {
  ComputeDevice* device;  // nullptr: no such device, `missing` says so
  Status missing;
  const KernelLookup& lookup;
  Bytes data;  // bulk data: came with the call, or goes after the reply

  Result<const KernelCode*> kernel(std::uint64_t id) const {
    if (const KernelCode* code = lookup(id)) return code;
    return {Errc::notFound, "kernel " + std::to_string(id) + " is not registered on this rank"};
  }

  Status run(const AllocateCall& call, Reply& reply) {
    Result<BufferId> buffer = device->allocate(call.bytes);
    if (buffer) reply.value = *buffer;
    return buffer.status();
  }
  Status run(const ReleaseCall& call, Reply&) { return device->release(call.buffer); }
  Status run(const WriteCall& call, Reply&) {
    return completed(*device, device->write(call.to, call.offset, data.data(), data.size()));
  }
  Status run(const ReadCall& call, Reply&) {
    data.resize(call.bytes);
    return completed(*device, device->read(call.from, call.offset, data.data(), data.size()));
  }
  Status run(const CopyCall& call, Reply&) {
    return completed(*device, device->copy(call.from, call.fromOffset, call.to, call.toOffset, call.bytes));
  }
  Status run(const FillCall& call, Reply&) {
    return completed(*device, device->fill(call.to, call.offset, std::byte{call.value}, call.bytes));
  }
  Status run(const PrepareCall& call, Reply&) {
    const Result<const KernelCode*> code = kernel(call.kernel);
    return code ? device->prepare(**code) : code.status();
  }
  Status run(const LaunchCall& call, Reply& reply);
  Status run(const FinishCall&, Reply&) { return device->finish(); }
};

// The device itself checks everything but the sizes of values.
Status checkSizes(const LaunchCall& call, const KernelCode& code) {
  bool same = call.scalars.size() == code.scalars.size() && call.resultSizes.size() == code.results.size();
  for (std::size_t i = 0; same && i < code.scalars.size(); ++i) same = call.scalars[i].size() == code.scalars[i].size;
  for (std::size_t i = 0; same && i < code.results.size(); ++i) same = call.resultSizes[i] == code.results[i].size;
  if (same) return {};
  return {Errc::invalidArgument, "launch of " + code.name + " (" + code.location +
                                     "): the scalars or results are not those that this rank knows"};
}

Status Server::run(const LaunchCall& call, Reply& reply) {
  const Result<const KernelCode*> code = kernel(call.kernel);
  if (!code) return code.status();
  MUSTER_TRY(checkSizes(call, **code));
  std::vector<const void*> scalars;
  scalars.reserve(call.scalars.size());
  for (const Bytes& scalar : call.scalars) scalars.push_back(scalar.data());
  std::vector<Bytes> values;  // one block each, so that they are aligned
  std::vector<void*> results;
  values.reserve(call.resultSizes.size());
  results.reserve(call.resultSizes.size());
  for (const std::uint32_t size : call.resultSizes) values.emplace_back(size);
  for (Bytes& value : values) results.push_back(value.data());
  KernelLaunch launch{*code, call.dims, call.lo, call.hi, call.arrays, scalars, results};
  MUSTER_TRY(completed(*device, device->launch(launch)));
  for (const Bytes& value : values) reply.results.insert(reply.results.end(), value.begin(), value.end());
  return {};
}

Status runCall(Server& server, const Call& call, Reply& reply) {
  if (server.device == nullptr) return server.missing;
  return std::visit([&](const auto& body) { return server.run(body, reply); }, call.body);
}

}  // namespace

Status serveRemoteCall(Transport& transport, std::span<ComputeDevice* const> devices, const KernelLookup& lookup,
                       std::span<const std::byte> bytes) {
  const std::string here = "rank " + std::to_string(transport.rank());
  const Result<Call> call = decodeCall(bytes);
  if (!call) return call.status().at(here);
  if (call->rank != static_cast<std::uint32_t>(transport.rank())) return {};

  const bool known = call->device < devices.size();
  Server server{known ? devices[call->device] : nullptr,
                Status(Errc::notFound, "there is no device " + std::to_string(call->device)),
                lookup,
                {}};
  // The data of a write is under way whatever becomes of the call.
  if (const auto* write = std::get_if<WriteCall>(&call->body)) {
    server.data.resize(write->bytes);
    Result<RequestPtr> request = transport.receive(0, tagOf(*call, Channel::data), server.data);
    if (!request) return request.status();
    MUSTER_TRY(transport.wait(*request));
  }
  Reply reply;
  reply.sequence = call->sequence;
  reply.status = runCall(server, *call, reply).at(here);
  MUSTER_TRY(sendAndWait(transport, tagOf(*call, Channel::reply), encode(reply, replyBytes(*call))));
  if (!std::holds_alternative<ReadCall>(call->body) || !reply.status.ok()) return {};
  return sendAndWait(transport, tagOf(*call, Channel::data), server.data);
}

}  // namespace muster::cdm
