// SPDX-License-Identifier: Apache-2.0
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/codec/parts.h"

namespace xebec::codec {
namespace {

void EncodeResource(const DeclaredResource& in, v1::DeclaredResource* out) {
  out->set_group(ToValidUtf8(in.group));
  out->set_version(ToValidUtf8(in.version));
  out->set_plural(ToValidUtf8(in.plural));
  if (in.type) EncodeType(*in.type, out->mutable_type());
  out->set_problem(ToValidUtf8(in.problem));
}

absl::Status DecodeResource(const v1::DeclaredResource& in, DeclaredResource* out) {
  out->group = in.group();
  out->version = in.version();
  out->plural = in.plural();
  out->problem = in.problem();
  if (!in.has_type()) return absl::OkStatus();
  return Within("type", DecodeType(in.type(), TypeNeeds::kEverything, &out->type.emplace()));
}

}  // namespace

void EncodeDeclarationFacts(const DeclarationFacts& in, v1::DeclarationFacts* out) {
  for (const DeclaredResource& each : in.resources) EncodeResource(each, out->add_resources());
  out->set_refusal(ToValidUtf8(in.refusal));
  if (in.hook) EncodeHookState(*in.hook, out->mutable_hook());
  out->set_parents(in.parents);
  out->set_problems(in.problems);
  out->set_released(in.released);
  out->set_failure(ToValidUtf8(in.failure));
}

absl::Status DecodeDeclarationFacts(const v1::DeclarationFacts& in, DeclarationFacts* out) {
  XEBEC_RETURN_IF_ERROR(DecodeEach("resources", in.resources(), &out->resources, DecodeResource));
  out->refusal = in.refusal();
  if (in.has_hook()) out->hook = DecodeHookState(in.hook());
  out->parents = in.parents();
  out->problems = in.problems();
  out->released = in.released();
  out->failure = in.failure();
  return absl::OkStatus();
}

}  // namespace xebec::codec
