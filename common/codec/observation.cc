// SPDX-License-Identifier: Apache-2.0
#include "common/base/status.h"
#include "common/codec/parts.h"

namespace xebec::codec {
namespace {

v1::Phase EncodePhase(Phase in) {
  switch (in) {
    case Phase::kDerive:
      return v1::PHASE_UNSPECIFIED;
    case Phase::kSync:
      return v1::PHASE_SYNC;
    case Phase::kFinalize:
      return v1::PHASE_FINALIZE;
  }
  return v1::PHASE_UNSPECIFIED;
}

absl::Status DecodePhase(v1::Phase in, Phase* out) {
  switch (in) {
    case v1::PHASE_UNSPECIFIED:
      *out = Phase::kDerive;
      return absl::OkStatus();
    case v1::PHASE_SYNC:
      *out = Phase::kSync;
      return absl::OkStatus();
    case v1::PHASE_FINALIZE:
      *out = Phase::kFinalize;
      return absl::OkStatus();
    default:
      return UnknownEnum("phase", in);
  }
}

/// Values that only a newer sender knows are decoded as cached, which guarantees the least.
Freshness DecodeFreshness(v1::Freshness in) {
  return in == v1::FRESHNESS_LIVE ? Freshness::kLive : Freshness::kCached;
}

absl::Status DecodeObjects(const v1::Observation& in, Observation* out) {
  if (!in.has_parent()) return FieldError("parent", "is required");
  XEBEC_RETURN_IF_ERROR(Within("parent", DecodeObject(in.parent(), &out->parent)));
  XEBEC_RETURN_IF_ERROR(DecodeEach("children", in.children(), &out->children, DecodeGroup));
  return DecodeEach("related", in.related(), &out->related, DecodeGroup);
}

absl::Status DecodeName(const v1::ObjectRef& in, ObjectRef* out) {
  return DecodeRef(in, TypeNeeds::kNothing, out);
}

absl::Status DecodeDeclaration(const v1::Observation& in, Observation* out) {
  if (in.has_declaration()) {
    XEBEC_RETURN_IF_ERROR(Within("declaration", DecodeObject(in.declaration(), &out->declaration)));
  }
  XEBEC_RETURN_IF_ERROR(DecodeEach("declared_resources", in.declared_resources(),
                                   &out->declared_resources,
                                   [](const v1::ResourceType& type, ResourceType* decoded) {
                                     return DecodeType(type, TypeNeeds::kEverything, decoded);
                                   }));
  XEBEC_RETURN_IF_ERROR(
      DecodeEach("hook_answers", in.hook_answers(), &out->hook_answers, DecodeHookAnswer));
  if (!in.has_declaration_facts()) return absl::OkStatus();
  return Within("declaration_facts",
                DecodeDeclarationFacts(in.declaration_facts(), &out->declaration_facts.emplace()));
}

absl::Status DecodeInto(const v1::Observation& in, Observation* out) {
  XEBEC_RETURN_IF_ERROR(Within("envelope", DecodeEnvelope(in.envelope(), &out->envelope)));
  XEBEC_RETURN_IF_ERROR(DecodePhase(in.phase(), &out->phase));
  if (in.has_now()) XEBEC_RETURN_IF_ERROR(Within("now", DecodeTime(in.now(), &out->now)));
  XEBEC_RETURN_IF_ERROR(DecodeObjects(in, out));
  XEBEC_RETURN_IF_ERROR(
      DecodeEach("last_outcomes", in.last_outcomes(), &out->last_outcomes, DecodeOutcome));
  out->freshness = DecodeFreshness(in.freshness());
  out->capabilities = DecodeCapabilities(in.capabilities());
  out->without_status = in.without_status();
  XEBEC_RETURN_IF_ERROR(DecodeEach("release", in.release(), &out->release, DecodeName));
  if (in.has_events()) {
    XEBEC_RETURN_IF_ERROR(Within("events", DecodeGroup(in.events(), &out->events.emplace())));
  }
  return DecodeDeclaration(in, out);
}

void EncodeDeclaration(const Observation& in, ObjectForm form, v1::Observation* out) {
  if (in.declaration != nullptr) EncodeObject(in.declaration, form, out->mutable_declaration());
  for (const ResourceType& type : in.declared_resources) {
    EncodeType(type, out->add_declared_resources());
  }
  for (const HookAnswer& answer : in.hook_answers) {
    EncodeHookAnswer(answer, out->add_hook_answers());
  }
  if (in.declaration_facts) {
    EncodeDeclarationFacts(*in.declaration_facts, out->mutable_declaration_facts());
  }
}

}  // namespace

ObjectForm FormOf(const v1::Observation& observation) {
  return observation.parent().has_object() ? ObjectForm::kObject : ObjectForm::kJson;
}

void EncodeObservation(const Observation& in, ObjectForm form, v1::Observation* out) {
  EncodeEnvelope(in.envelope, out->mutable_envelope());
  out->set_phase(EncodePhase(in.phase));
  if (IsWritable(in.now)) EncodeTime(in.now, out->mutable_now());
  EncodeObject(in.parent, form, out->mutable_parent());
  for (const ObjectGroup& group : in.children) EncodeGroup(group, form, out->add_children());
  for (const ObjectGroup& group : in.related) EncodeGroup(group, form, out->add_related());
  for (const Outcome& outcome : in.last_outcomes) EncodeOutcome(outcome, out->add_last_outcomes());
  out->set_freshness(in.freshness == Freshness::kLive ? v1::FRESHNESS_LIVE : v1::FRESHNESS_CACHED);
  EncodeCapabilities(in.capabilities, out->mutable_capabilities());
  out->set_without_status(in.without_status);
  for (const ObjectRef& ref : in.release) EncodeRef(ref, out->add_release());
  if (in.events) EncodeGroup(*in.events, form, out->mutable_events());
  EncodeDeclaration(in, form, out);
}

absl::StatusOr<Observation> DecodeObservation(const v1::Observation& in) {
  Observation out;
  XEBEC_RETURN_IF_ERROR(Within("observation", DecodeInto(in, &out)));
  return out;
}

}  // namespace xebec::codec
