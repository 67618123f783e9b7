// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/base/strings.h"
#include "common/rpc/message_size.h"
#include "common/rpc/status_map.h"
#include "common/rpc/streams/stream_protocol.h"
#include "common/rpc/telemetry/client_call.h"
#include "grpcpp/support/async_stream.h"

namespace xebec::rpc {

/// A MessageStream over a bidirectional method of generated code. `Method` has the types Service,
/// Request and Response; kName, the name of the method; kWhat, the name of a request in error
/// messages; and the functions
///   Prepare(Stub*, grpc::ClientContext*, grpc::CompletionQueue*), which makes the call,
///   Encode(const rpc::Request&, Request*),
///   Credits(const Response&) and Content(const Response&), for a response.
template <typename Method>
class TypedStream : public MessageStream {
 public:
  /// The first response grants `first_credits` in addition to its own credits. Requests of more
  /// than `limit` bytes are not written.
  TypedStream(const CallSite& site, uint32_t first_credits, size_t limit)
      : stub_(Method::Service::NewStub(site.channel)),
        link_(Method::Prepare(stub_.get(), site.context, site.queue)),
        call_(*site.observer, Method::Service::service_full_name(), Method::kName, "bidi_stream"),
        first_credits_(first_credits),
        limit_(limit) {}

  void Start(void* tag) override {
    call_.Started();
    link_->StartCall(tag);
  }

  void Read(void* tag) override { link_->Read(&response_, tag); }

  Answer Take() override {
    call_.Received();
    const typename Method::Response response = std::move(response_);
    response_ = typename Method::Response();  // keeps no memory of a large message
    Answer answer;
    answer.sequence = response.sequence();
    answer.credits = std::exchange(first_credits_, 0) + Method::Credits(response);
    if (!response.error().empty() && answer.sequence != 0) {
      answer.content = Refusal{response.error()};
    } else if (answer.sequence != 0) {
      answer.content = Method::Content(response);
    }
    return answer;
  }

  std::string Write(const Request& request, bool more, void* tag) override {
    typename Method::Request message;
    Method::Encode(request, &message);
    std::string why = TooLarge(Method::kWhat, message, limit_);
    if (why.empty()) Write(message, more, tag);
    return why;
  }

  void WriteHeartbeat(void* tag) override { Write(typename Method::Request(), false, tag); }
  void WritesDone(void* tag) override { link_->WritesDone(tag); }
  void Finish(void* tag) override { link_->Finish(&status_, tag); }

  absl::Status Status() override {
    call_.Handled(status_);
    return FromGrpc(status_);
  }

 private:
  void Write(const typename Method::Request& message, bool more, void* tag) {
    call_.Sent();
    grpc::WriteOptions options;
    if (more) options.set_buffer_hint();
    link_->Write(message, options, tag);
  }

  const std::unique_ptr<typename Method::Service::Stub> stub_;
  const decltype(Method::Prepare(nullptr, nullptr, nullptr)) link_;
  ClientCall call_;
  typename Method::Response response_;
  grpc::Status status_;
  uint32_t first_credits_;
  const size_t limit_;
};

/// Returns the content of an answer: the decoded message, or the reason why it is malformed.
template <typename Decoded>
decltype(Answer::content) DecodedOrMalformed(absl::StatusOr<Decoded> decoded) {
  if (!decoded.ok()) {
    return Malformed{std::string(ToStd(decoded.status().message()))};
  }
  return *std::move(decoded);
}

}  // namespace xebec::rpc
