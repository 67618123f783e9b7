// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/codec/parts.h"

namespace xebec::codec {
namespace {

v1::Intent EncodeIntent(Intent in) {
  switch (in) {
    case Intent::kEnsure:
      return v1::INTENT_ENSURE;
    case Intent::kKeep:
      return v1::INTENT_KEEP;
    case Intent::kDelete:
      return v1::INTENT_DELETE;
  }
  return v1::INTENT_KEEP;
}

absl::Status DecodeIntent(v1::Intent in, Intent* out) {
  switch (in) {
    case v1::INTENT_ENSURE:
      *out = Intent::kEnsure;
      return absl::OkStatus();
    case v1::INTENT_KEEP:
      *out = Intent::kKeep;
      return absl::OkStatus();
    case v1::INTENT_DELETE:
      *out = Intent::kDelete;
      return absl::OkStatus();
    case v1::INTENT_UNSPECIFIED:
      return FieldError("intent", "is missing");
    default:
      return UnknownEnum("intent", in);
  }
}

v1::Verdict EncodeVerdict(Verdict in) {
  switch (in) {
    case Verdict::kOk:
      return v1::VERDICT_OK;
    case Verdict::kRetry:
      return v1::VERDICT_RETRY;
    case Verdict::kInvalid:
      return v1::VERDICT_INVALID;
  }
  return v1::VERDICT_OK;
}

absl::Status DecodeVerdict(v1::Verdict in, Verdict* out) {
  switch (in) {
    case v1::VERDICT_UNSPECIFIED:
    case v1::VERDICT_OK:
      *out = Verdict::kOk;
      return absl::OkStatus();
    case v1::VERDICT_RETRY:
      *out = Verdict::kRetry;
      return absl::OkStatus();
    case v1::VERDICT_INVALID:
      *out = Verdict::kInvalid;
      return absl::OkStatus();
    default:
      return UnknownEnum("verdict", in);
  }
}

void EncodeChild(const ChildIntent& in, v1::ChildIntent* out) {
  EncodeRef(in.ref, out->mutable_ref());
  out->set_intent(EncodeIntent(in.intent));
  out->set_reason(ToValidUtf8(in.reason));
}

absl::Status DecodeChild(const v1::ChildIntent& in, ChildIntent* out) {
  XEBEC_RETURN_IF_ERROR(Within("ref", DecodeRef(in.ref(), TypeNeeds::kKind, &out->ref)));
  XEBEC_RETURN_IF_ERROR(DecodeIntent(in.intent(), &out->intent));
  out->reason = in.reason();
  return absl::OkStatus();
}

void EncodeStage(const Stage& in, ObjectForm form, v1::Stage* out) {
  out->set_name(ToValidUtf8(in.name));
  for (const Operation& operation : in.operations) {
    EncodeOperation(operation, form, out->add_operations());
  }
}

absl::Status DecodeStage(const v1::Stage& in, Stage* out) {
  out->name = in.name();
  return DecodeEach("operations", in.operations(), &out->operations, DecodeOperation);
}

/// The ids of operations must be unique, because outcomes refer to them.
absl::Status CheckIds(const std::vector<Stage>& stages) {
  std::set<std::string_view> seen{kStatusOperation};
  for (size_t i = 0; i < stages.size(); ++i) {
    for (size_t j = 0; j < stages[i].operations.size(); ++j) {
      const std::string& id = stages[i].operations[j].id;
      if (seen.insert(id).second) continue;
      return FieldError(absl::StrCat("stages[", i, "].operations[", j, "].id"),
                        absl::StrCat("\"", Ellipsize(id, 200), "\" is used twice"));
    }
  }
  return absl::OkStatus();
}

absl::Status DecodeType(const v1::ResourceType& in, ResourceType* out) {
  return codec::DecodeType(in, TypeNeeds::kKind, out);
}

absl::Status DecodeNamed(const v1::ObjectRef& in, ObjectRef* out) {
  return DecodeRef(in, TypeNeeds::kKind, out);
}

absl::Status DecodeOptionals(const v1::Plan& in, Plan* out) {
  if (in.has_status()) {
    XEBEC_RETURN_IF_ERROR(
        Within("status", DecodeStatusIntent(in.status(), &out->status.emplace())));
  }
  if (!in.has_resync_after()) return absl::OkStatus();
  return Within("resync_after", DecodeDuration(in.resync_after(), &out->resync_after.emplace()));
}

absl::Status DecodeInto(const v1::Plan& in, Plan* out) {
  XEBEC_RETURN_IF_ERROR(Within("envelope", DecodeEnvelope(in.envelope(), &out->envelope)));
  XEBEC_RETURN_IF_ERROR(DecodeEach("children", in.children(), &out->children, DecodeChild));
  XEBEC_RETURN_IF_ERROR(DecodeEach("stages", in.stages(), &out->stages, DecodeStage));
  XEBEC_RETURN_IF_ERROR(CheckIds(out->stages));
  XEBEC_RETURN_IF_ERROR(DecodeOptionals(in, out));
  XEBEC_RETURN_IF_ERROR(DecodeVerdict(in.verdict(), &out->verdict));
  XEBEC_RETURN_IF_ERROR(DecodeEach("live_lists", in.live_lists(), &out->live_lists, DecodeType));
  // Any other value, including one that only a newer planner knows, means partial.
  out->complete = in.completeness() == v1::COMPLETENESS_FULL;
  out->notes.assign(in.notes().begin(), in.notes().end());
  out->planner_revision = in.planner_revision();
  out->hook_failure = in.hook_failure();
  out->covers_writes = in.covers_writes();
  XEBEC_RETURN_IF_ERROR(DecodeEach("events", in.events(), &out->events, DecodeEvent));
  XEBEC_RETURN_IF_ERROR(
      DecodeEach("hook_requests", in.hook_requests(), &out->hook_requests, DecodeHookRequest));
  return DecodeEach("event_reads", in.event_reads(), &out->event_reads, DecodeNamed);
}

}  // namespace

void EncodePlan(const Plan& in, ObjectForm form, v1::Plan* out) {
  EncodeEnvelope(in.envelope, out->mutable_envelope());
  out->set_completeness(in.complete ? v1::COMPLETENESS_FULL : v1::COMPLETENESS_PARTIAL);
  for (const ChildIntent& child : in.children) EncodeChild(child, out->add_children());
  for (const Stage& stage : in.stages) EncodeStage(stage, form, out->add_stages());
  if (in.status.has_value()) EncodeStatusIntent(*in.status, form, out->mutable_status());
  if (in.resync_after.has_value()) EncodeDuration(*in.resync_after, out->mutable_resync_after());
  out->set_verdict(EncodeVerdict(in.verdict));
  for (const std::string& note : in.notes) out->add_notes(ToValidUtf8(note));
  for (const ResourceType& type : in.live_lists) EncodeType(type, out->add_live_lists());
  out->set_planner_revision(ToValidUtf8(in.planner_revision));
  for (const EventFact& event : in.events) EncodeEvent(event, out->add_events());
  out->set_hook_failure(ToValidUtf8(in.hook_failure));
  out->set_covers_writes(in.covers_writes);
  for (const HookRequest& each : in.hook_requests) {
    EncodeHookRequest(each, out->add_hook_requests());
  }
  for (const ObjectRef& ref : in.event_reads) EncodeRef(ref, out->add_event_reads());
}

absl::StatusOr<Plan> DecodePlan(const v1::Plan& in) {
  Plan out;
  XEBEC_RETURN_IF_ERROR(Within("plan", DecodeInto(in, &out)));
  return out;
}

}  // namespace xebec::codec
