// SPDX-License-Identifier: Apache-2.0
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/codec/parts.h"

namespace xebec::codec {
namespace {

void EncodeEndpoint(const HookEndpoint& in, v1::HookEndpoint* out) {
  if (const auto* service = std::get_if<HookService>(&in.target)) {
    out->mutable_service()->set_namespace_(ToValidUtf8(service->ns));
    out->mutable_service()->set_name(ToValidUtf8(service->name));
    out->mutable_service()->set_port(service->port);
  } else {
    out->set_address(ToValidUtf8(std::get<std::string>(in.target)));
  }
  out->set_protocol(in.protocol == HookProtocol::kHttp ? v1::HOOK_PROTOCOL_HTTP
                                                       : v1::HOOK_PROTOCOL_GRPC);
  if (!in.tls) return;
  out->mutable_tls()->set_ca_bundle(in.tls->ca_bundle);
  out->mutable_tls()->set_server_name(ToValidUtf8(in.tls->server_name));
  out->mutable_tls()->set_credential(ToValidUtf8(in.tls->credential));
}

absl::Status DecodeTarget(const v1::HookEndpoint& in, HookEndpoint* out) {
  constexpr uint32_t kLastPort = 65535;
  if (in.has_service()) {
    const v1::HookServiceRef& service = in.service();
    XEBEC_RETURN_IF_ERROR(Within("service", NotEmpty("namespace", service.namespace_())));
    XEBEC_RETURN_IF_ERROR(Within("service", NotEmpty("name", service.name())));
    if (service.port() == 0 || service.port() > kLastPort)
      return FieldError("service.port", "must be 1 to 65535");
    out->target = HookService{service.namespace_(), service.name(), service.port()};
    return absl::OkStatus();
  }
  out->target = in.address();
  return NotEmpty("address", in.address());
}

absl::Status DecodeEndpoint(const v1::HookEndpoint& in, HookEndpoint* out) {
  XEBEC_RETURN_IF_ERROR(DecodeTarget(in, out));
  switch (in.protocol()) {
    case v1::HOOK_PROTOCOL_UNSPECIFIED:
    case v1::HOOK_PROTOCOL_GRPC:
      out->protocol = HookProtocol::kGrpc;
      break;
    case v1::HOOK_PROTOCOL_HTTP:
      out->protocol = HookProtocol::kHttp;
      break;
    default:
      return UnknownEnum("protocol", in.protocol());
  }
  if (in.has_tls())
    out->tls = {in.tls().ca_bundle(), in.tls().server_name(), in.tls().credential()};
  return absl::OkStatus();
}

v1::HookFailureCode EncodeCode(HookFailureCode in) {
  return static_cast<v1::HookFailureCode>(static_cast<int>(in) + 1);
}

}  // namespace

void EncodeHookState(const HookState& in, v1::HookState* out) {
  out->set_available(in.available);
  out->set_revision(ToValidUtf8(in.revision));
  out->set_message(ToValidUtf8(in.message));
}

HookState DecodeHookState(const v1::HookState& in) {
  return {in.available(), in.revision(), in.message()};
}

void EncodeHookFailure(const HookFailure& in, v1::HookFailure* out) {
  out->set_code(EncodeCode(in.code));
  out->set_message(ToValidUtf8(in.message));
  if (in.retry_after) EncodeDuration(*in.retry_after, out->mutable_retry_after());
}

absl::Status DecodeHookFailure(const v1::HookFailure& in, HookFailure* out) {
  const int code = static_cast<int>(in.code()) - 1;
  if (code < 0) return FieldError("code", "is missing");
  if (code >= static_cast<int>(kHookFailureCodes)) return UnknownEnum("code", in.code());
  out->code = static_cast<HookFailureCode>(code);
  out->message = in.message();
  if (!in.has_retry_after()) return absl::OkStatus();
  return Within("retry_after", DecodeDuration(in.retry_after(), &out->retry_after.emplace()));
}

void EncodeHookCall(const HookCall& in, v1::HookCall* out) {
  out->set_operator_(ToValidUtf8(in.operator_name));
  EncodeEndpoint(in.endpoint, out->mutable_endpoint());
  out->set_sync_request(in.sync_request);
  if (in.known) EncodeHookState(*in.known, out->mutable_known());
  EncodeDuration(in.timeout, out->mutable_timeout());
  out->set_again(in.again);
}

absl::Status DecodeHookCallInto(const v1::HookCall& in, HookCall* out) {
  XEBEC_RETURN_IF_ERROR(Within("endpoint", DecodeEndpoint(in.endpoint(), &out->endpoint)));
  out->operator_name = in.operator_();
  out->sync_request = in.sync_request();
  out->again = in.again();
  if (in.has_known()) out->known = DecodeHookState(in.known());
  if (!in.has_timeout()) return FieldError("timeout", "is required");
  return Within("timeout", DecodeDuration(in.timeout(), &out->timeout));
}

absl::StatusOr<HookCall> DecodeHookCall(const v1::HookCall& in) {
  HookCall out;
  XEBEC_RETURN_IF_ERROR(Within("call", DecodeHookCallInto(in, &out)));
  return out;
}

void EncodeHookReply(const HookReply& in, v1::CallStreamResponse* out) {
  if (const auto* failure = std::get_if<HookFailure>(&in.result)) {
    EncodeHookFailure(*failure, out->mutable_failure());
  } else if (const auto* state = std::get_if<HookState>(&in.result)) {
    EncodeHookState(*state, out->mutable_state());
  } else {
    out->set_sync_response(std::get<std::string>(in.result));
  }
  out->set_revision(ToValidUtf8(in.revision));
  out->set_cached(in.cached);
}

absl::StatusOr<HookReply> DecodeHookReply(const v1::CallStreamResponse& in) {
  HookReply out;
  switch (in.result_case()) {
    case v1::CallStreamResponse::kSyncResponse:
      out.result = in.sync_response();
      break;
    case v1::CallStreamResponse::kState:
      out.result = DecodeHookState(in.state());
      break;
    case v1::CallStreamResponse::kFailure:
      XEBEC_RETURN_IF_ERROR(
          Within("failure", DecodeHookFailure(in.failure(), &out.result.emplace<HookFailure>())));
      break;
    default:
      return FieldError("result", "is missing");
  }
  out.revision = in.revision();
  out.cached = in.cached();
  return out;
}

void EncodeHookRequest(const HookRequest& in, v1::HookRequest* out) {
  out->set_digest(ToValidUtf8(in.digest));
  EncodeHookCall(in.call, out->mutable_call());
}

absl::Status DecodeHookRequest(const v1::HookRequest& in, HookRequest* out) {
  XEBEC_RETURN_IF_ERROR(NotEmpty("digest", in.digest()));
  out->digest = in.digest();
  return Within("call", DecodeHookCallInto(in.call(), &out->call));
}

void EncodeHookAnswer(const HookAnswer& in, v1::HookAnswer* out) {
  out->set_digest(ToValidUtf8(in.digest));
  if (const auto* failure = std::get_if<HookFailure>(&in.result)) {
    EncodeHookFailure(*failure, out->mutable_failure());
  } else {
    out->set_sync_response(std::get<std::string>(in.result));
  }
}

absl::Status DecodeHookAnswer(const v1::HookAnswer& in, HookAnswer* out) {
  XEBEC_RETURN_IF_ERROR(NotEmpty("digest", in.digest()));
  out->digest = in.digest();
  if (in.has_failure()) {
    return Within("failure", DecodeHookFailure(in.failure(), &out->result.emplace<HookFailure>()));
  }
  if (!in.has_sync_response()) return FieldError("result", "is missing");
  out->result = in.sync_response();
  return absl::OkStatus();
}

}  // namespace xebec::codec
