// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_calls.h"

#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/tls/tls_credentials.h"

namespace xebec::rpc {
namespace {

ChannelOptions ChannelFor(const StreamOptions& options) {
  ChannelOptions out;
  out.credentials = options.credentials;
  out.max_message_bytes = static_cast<int>(options.max_message_bytes);
  out.connect_timeout = options.peer_timeout;
  out.backoff_min = options.backoff_min;
  out.backoff_max = options.backoff_max;
  return out;
}

}  // namespace

StreamCalls::StreamCalls(Owner* owner, const Connect& connect, const StreamOptions& options,
                         const StreamProtocol& protocol, StreamLoop* loop)
    : owner_(owner),
      id_(connect.stream),
      address_(connect.address),
      loop_(loop),
      protocol_(protocol),
      observer_(options.observer),
      channel_(MakeChannel(connect.address, ChannelFor(options))),
      handshake_context_(MakeCallContext(options.peer_timeout)),
      stream_context_(MakeStreamContext()) {}

bool StreamCalls::StartHandshake() {
  handshake_ = protocol_.Handshake({channel_, handshake_context_.get(), loop_->queue(), &observer_},
                                   address_);
  if (handshake_ != nullptr) handshake_->Start(&shake_);
  return handshake_ != nullptr;
}

absl::StatusOr<std::string> StreamCalls::HandshakeResult() {
  absl::StatusOr<std::string> revision = handshake_->Result();
  if (!revision.ok()) return Explain(revision.status());
  return revision;
}

void StreamCalls::Open() {
  stream_ = protocol_.Open({channel_, stream_context_.get(), loop_->queue(), &observer_});
  stream_->Start(&start_);
}

void StreamCalls::Cancel() {
  handshake_context_->TryCancel();
  stream_context_->TryCancel();
}

StreamCalls::Begun StreamCalls::Write(const StartWrite& write) {
  Begun begun;
  begun.result = loop_->Start(
      [&] {
        if (!write.request) return stream_->WriteHeartbeat(&write_);
        begun.too_large = stream_->Write(*write.request, write.more, &write_);
      },
      &write_);
  return begun;
}

StreamCalls::Begun StreamCalls::EndWrites() {
  return {loop_->Start([this] { stream_->WritesDone(&write_); }, &write_), ""};
}

absl::Status StreamCalls::Explain(const absl::Status& status) const {
  return ExplainRefusal(status, address_.host);
}

}  // namespace xebec::rpc
