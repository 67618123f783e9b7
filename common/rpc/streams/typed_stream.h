// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/rpc/message_size.h"
#include "common/rpc/status_map.h"
#include "common/rpc/streams/stream_protocol.h"

namespace xebec::rpc {

/// A MessageStream over a bidirectional method of generated code. `Method` has the types Stub,
/// Request and Response; kWhat, the name of a request in error messages; and the functions
///   Open(Stub*, grpc::ClientContext*), which starts the call,
///   Encode(const rpc::Request&, Request*),
///   Credits(const Response&) and Content(const Response&), for a response.
template <typename Method>
class TypedStream : public MessageStream {
 public:
  /// The first response grants `first_credits` in addition to its own credits. Requests of more
  /// than `limit` bytes are not written.
  TypedStream(std::unique_ptr<typename Method::Stub> stub, grpc::ClientContext* context,
              uint32_t first_credits, size_t limit)
      : stub_(std::move(stub)),
        link_(Method::Open(stub_.get(), context)),
        first_credits_(first_credits),
        limit_(limit) {}

  WriteResult Write(const Request& request, std::string* why) override {
    typename Method::Request message;
    Method::Encode(request, &message);
    *why = TooLarge(Method::kWhat, message, limit_);
    if (!why->empty()) return WriteResult::kTooLarge;
    return link_->Write(message) ? WriteResult::kWritten : WriteResult::kBroken;
  }

  bool WriteHeartbeat() override { return link_->Write(typename Method::Request()); }
  void WritesDone() override { link_->WritesDone(); }
  absl::Status Finish() override { return FromGrpc(link_->Finish()); }

  std::optional<Answer> Read() override {
    typename Method::Response response;
    if (!link_->Read(&response)) return std::nullopt;
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

 private:
  const std::unique_ptr<typename Method::Stub> stub_;
  const decltype(Method::Open(nullptr, nullptr)) link_;
  uint32_t first_credits_;
  const size_t limit_;
};

/// Returns the content of an answer: the decoded message, or the reason why it is malformed.
template <typename Decoded>
decltype(Answer::content) DecodedOrMalformed(absl::StatusOr<Decoded> decoded) {
  if (!decoded.ok()) {
    return Malformed{
        std::string(decoded.status().message().data(), decoded.status().message().size())};
  }
  return *std::move(decoded);
}

}  // namespace xebec::rpc
