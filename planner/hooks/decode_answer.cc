// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/codec/hook_answer.h"
#include "common/model/well_known.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/unknown_field_set.h"
#include "planner/core/status.h"
#include "planner/hooks/parts.h"

namespace xebec::planner::hooks {
namespace {

constexpr size_t kMaxStatus = 256 * 1024;

absl::Status At(std::string_view field, int index, const absl::Status& status) {
  if (status.ok()) return status;
  return Wrong(absl::StrCat("desired.", std::string(field), "[", index, "]: ", status.message()));
}

absl::Status DecodeStatus(const std::string& text, Json* out) {
  if (text.empty()) return absl::OkStatus();
  if (text.size() > kMaxStatus)
    return Wrong(absl::StrCat("desired.status has more than ", kMaxStatus, " bytes"));
  auto status = ParseJson(text);
  if (!status.ok())
    return Wrong(absl::StrCat("desired.status is not JSON: ", status.status().message()));
  if (!status->is_object()) return Wrong("desired.status is not a JSON object");
  for (const char* field : {"conditions", "observedGeneration"}) {
    if (status->contains(field))
      return Wrong(absl::StrCat("desired.status must not have ", field, ": Xebec sets it"));
  }
  *out = *std::move(status);
  return absl::OkStatus();
}

absl::Status DecodeCondition(const wire::Condition& in, Condition* out) {
  if (in.type().empty()) return Wrong("type is missing");
  const bool runtime = in.type() == kAppliedCondition || in.type() == "HookFailed" ||
                       (IsRuntimeCondition(in.type()) && in.type() != "Ready" &&
                        in.type() != "Stalled" && in.type() != "Reconciling");
  if (runtime) return Wrong(absl::StrCat("condition ", in.type(), " belongs to Xebec"));
  const std::string& status = in.status();
  if (!status.empty() && status != "True" && status != "False" && status != "Unknown") {
    return Wrong(absl::StrCat("status of condition ", in.type(),
                              R"( must be "True", "False" or "Unknown")"));
  }
  if (!status.empty() && in.reason().empty())
    return Wrong(absl::StrCat("condition ", in.type(), " has no reason"));
  *out = {in.type(), status, in.reason(), in.message()};
  return absl::OkStatus();
}

absl::Status DecodeConditions(const wire::DesiredState& in, DesiredState* out) {
  std::set<std::string> types;
  for (int i = 0; i < in.conditions_size(); ++i) {
    XEBEC_RETURN_IF_ERROR(
        At("conditions", i, DecodeCondition(in.conditions(i), &out->conditions.emplace_back())));
    if (types.insert(in.conditions(i).type()).second) continue;
    return At("conditions", i,
              Wrong(absl::StrCat("condition ", in.conditions(i).type(), " appears twice")));
  }
  return absl::OkStatus();
}

absl::Status DecodeChildren(const wire::DesiredState& in, const View& view, DesiredState* out) {
  std::set<std::tuple<ResourceType, std::string, std::string>> names;
  for (int i = 0; i < in.children_size(); ++i) {
    DesiredChild& child = out->children.emplace_back();
    XEBEC_RETURN_IF_ERROR(At("children", i, DecodeChild(in.children(i), view, &child)));
    const std::string name = FindString(child.object, {"metadata", "name"});
    const std::string ns =
        ChildNamespace(view, child.type, FindString(child.object, {"metadata", "namespace"}));
    if (names.insert({child.type, ns, name}).second) continue;
    return At("children", i, Wrong(absl::StrCat(child.type.kind, " \"", name, "\" appears twice")));
  }
  return absl::OkStatus();
}

absl::Status DecodeDeletions(const wire::DesiredState& in, const View& view, DesiredState* out) {
  for (int i = 0; i < in.deletions_size(); ++i) {
    XEBEC_RETURN_IF_ERROR(
        At("deletions", i, DecodeDeletion(in.deletions(i), view, &out->to_delete.emplace_back())));
  }
  return absl::OkStatus();
}

// As spec.resync: a parent whose hook names no sensible time neither keeps Xebec busy nor is lost.
absl::Duration SpanOf(const google::protobuf::Duration& in) {
  const absl::Duration span = absl::Seconds(in.seconds()) + absl::Nanoseconds(in.nanos());
  return std::clamp(span, absl::Seconds(1), absl::Hours(24));
}

absl::Status DecodeState(const wire::DesiredState& in, const View& view, DesiredState* out) {
  XEBEC_RETURN_IF_ERROR(DecodeChildren(in, view, out));
  XEBEC_RETURN_IF_ERROR(DecodeDeletions(in, view, out));
  XEBEC_RETURN_IF_ERROR(DecodeStatus(in.status(), &out->status));
  XEBEC_RETURN_IF_ERROR(DecodeConditions(in, out));
  XEBEC_RETURN_IF_ERROR(DecodeEvents(in.events(), &out->events));
  if (in.has_resync_after()) out->resync_after = SpanOf(in.resync_after());
  if (!in.invalid().empty()) out->invalid = in.invalid();
  return absl::OkStatus();
}

// A field that only a newer contract has may forbid what the other fields say.
absl::Status RefuseUnknownFields(const google::protobuf::Message& message,
                                 const std::string& path) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const google::protobuf::UnknownFieldSet& unknown = reflection.GetUnknownFields(message);
  if (!unknown.empty()) {
    return Wrong(absl::StrCat(path.empty() ? "it" : path, " has field ", unknown.field(0).number(),
                              ", which this version of Xebec does not know: use the SDK of this "
                              "version"));
  }
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    if (field->message_type() == nullptr) continue;
    const std::string at = absl::StrCat(path, path.empty() ? "" : ".", field->name());
    if (!field->is_repeated()) {
      XEBEC_RETURN_IF_ERROR(RefuseUnknownFields(reflection.GetMessage(message, field), at));
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      XEBEC_RETURN_IF_ERROR(RefuseUnknownFields(reflection.GetRepeatedMessage(message, field, i),
                                                absl::StrCat(at, "[", i, "]")));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HookDecision> DecodeAnswer(const std::string& answer, const View& view) {
  XEBEC_RETURN_IF_ERROR(codec::CheckHookAnswer(answer));
  wire::SyncResponse response;
  if (!response.ParseFromString(answer)) {
    return Wrong("it is not a xebec.hooks.v1.SyncResponse, or a text is not valid UTF-8");
  }
  XEBEC_RETURN_IF_ERROR(RefuseUnknownFields(response, ""));
  HookDecision decision;
  if (response.has_retry_after()) decision.retry_after = SpanOf(response.retry_after());
  if (!response.error().empty()) {
    decision.error = response.error();
    return decision;
  }
  if (!response.has_desired()) return Wrong("it has neither a desired state nor an error");
  XEBEC_RETURN_IF_ERROR(DecodeState(response.desired(), view, &decision.state));
  return decision;
}

}  // namespace xebec::planner::hooks
