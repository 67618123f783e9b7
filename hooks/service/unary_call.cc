// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/unary_call.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "common/rpc/client/context.h"
#include "google/protobuf/any.pb.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/empty.pb.h"
#include "google/protobuf/unknown_field_set.h"

namespace xebec::gateway {
namespace {

constexpr int kDetails = 3;     // of google.rpc.Status
constexpr int kRetryDelay = 1;  // of google.rpc.RetryInfo

/// Returns the fields with this number and a length. google.rpc has no generated code here.
std::vector<std::string> Parts(const std::string& message, int number) {
  google::protobuf::Empty any_message;
  std::vector<std::string> parts;
  if (!any_message.ParseFromString(message)) return parts;
  const auto& fields = google::protobuf::Empty::GetReflection()->GetUnknownFields(any_message);
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    if (field.number() == number &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      parts.push_back(field.length_delimited());
  }
  return parts;
}

std::optional<absl::Duration> RetryInfo(const std::string& details) {
  for (const std::string& detail : Parts(details, kDetails)) {
    google::protobuf::Any any;
    if (!any.ParseFromString(detail) || !absl::EndsWith(any.type_url(), "/google.rpc.RetryInfo"))
      continue;
    for (const std::string& delay : Parts(any.value(), kRetryDelay)) {
      google::protobuf::Duration duration;
      if (!duration.ParseFromString(delay)) continue;
      return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
    }
  }
  return std::nullopt;
}

std::optional<absl::Duration> Pushback(const grpc::ClientContext& context) {
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto found = metadata.find("grpc-retry-pushback-ms");
  if (found == metadata.end()) return std::nullopt;
  int64_t ms = 0;
  const absl::string_view text(found->second.data(), found->second.size());
  if (!absl::SimpleAtoi(text, &ms) || ms < 0) return std::nullopt;
  return absl::Milliseconds(ms);
}

}  // namespace

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) bytes.append(slice.begin(), slice.end());
  return bytes;
}

grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return {&slice, 1};
}

GrpcEnd EndOf(const grpc::Status& status, const grpc::ClientContext& context) {
  GrpcEnd end{status.error_code(), status.error_message(), RetryInfo(status.error_details())};
  if (!end.retry_after) end.retry_after = Pushback(context);
  return end;
}

UnaryCall::UnaryCall(const Request& request, Operations* operations, OnEnd on_end)
    : stub_(request.channel),
      context_(rpc::MakeCallContext(request.timeout)),
      operations_(operations),
      on_end_(std::move(on_end)) {}

std::shared_ptr<UnaryCall> UnaryCall::Start(rpc::StreamLoop* loop, Operations* operations,
                                            const Request& request, OnEnd on_end) {
  std::shared_ptr<UnaryCall> call(new UnaryCall(request, operations, std::move(on_end)));
  call->self_ = call;
  operations->Begin();
  call->call_ = call->stub_.PrepareUnaryCall(call->context_.get(), request.method,
                                             BufferOf(request.bytes), loop->queue());
  call->call_->StartCall();
  call->call_->Finish(&call->response_, &call->status_, static_cast<rpc::Completion*>(call.get()));
  return call;
}

void UnaryCall::Done(bool) {
  const std::shared_ptr<UnaryCall> self = std::move(self_);
  const OnEnd on_end = std::exchange(on_end_, nullptr);
  if (status_.ok()) {
    on_end(BytesOf(response_), nullptr);
  } else {
    const GrpcEnd end = EndOf(status_, *context_);
    on_end("", &end);
  }
  operations_->End();
}

}  // namespace xebec::gateway
