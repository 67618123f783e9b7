// SPDX-License-Identifier: Apache-2.0
#include "common/codec/testing/random_model.h"

namespace xebec::codec {

HookFailure RandomModel::Failure() {
  HookFailure failure{static_cast<HookFailureCode>(Below(kHookFailureCodes)), Text(), {}};
  if (Coin()) failure.retry_after = Span();
  return failure;
}

HookState RandomModel::State() { return {Coin(), Text(), Text()}; }

HookCall RandomModel::MakeHookCall() {
  HookCall call;
  call.operator_name = Text();
  if (Coin()) {
    call.endpoint.target = HookService{Name(), Name(), static_cast<uint32_t>(1 + Below(65535))};
  } else {
    call.endpoint.target = Name() + ":443";
  }
  call.endpoint.protocol = Coin() ? HookProtocol::kHttp : HookProtocol::kGrpc;
  if (Coin()) call.endpoint.tls = {Text(), Text(), Text()};
  call.sync_request = Text();
  if (Coin()) call.known = State();
  call.timeout = Span();
  call.again = Coin();
  return call;
}

HookReply RandomModel::MakeHookReply() {
  HookReply reply{Text(), Text(), Coin()};
  if (Coin()) {
    reply.result = Failure();
  } else if (Coin()) {
    reply.result = State();
  }
  return reply;
}

HookAnswer RandomModel::Answer() {
  HookAnswer answer{Name(), Text()};
  if (Coin()) answer.result = Failure();
  return answer;
}

DeclarationFacts RandomModel::Facts() {
  DeclarationFacts facts;
  facts.resources = Many([this] {
    DeclaredResource resource{Text(), Text(), Text(), {}, Text()};
    if (Coin()) resource.type = Type();
    return resource;
  });
  facts.refusal = Text();
  if (Coin()) facts.hook = State();
  facts.parents = Below(100);
  facts.problems = Below(100);
  facts.released = Coin();
  return facts;
}

}  // namespace xebec::codec
