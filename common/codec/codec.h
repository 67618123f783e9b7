// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "common/model/capabilities.h"
#include "common/model/hook.h"
#include "common/model/kind_description.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "xebec/v1/applier.pb.h"
#include "xebec/v1/hook_gateway.pb.h"
#include "xebec/v1/planner.pb.h"

/// Conversion between the model and protobuf messages. Decoders accept any message: a malformed
/// message results in INVALID_ARGUMENT with the path of the field
/// ("observation.children[1].objects[0]: ..."). Encoding and then decoding a value returns an equal
/// value.
namespace xebec::codec {

/// The form of objects in a message.
enum class ObjectForm {
  kJson,    ///< bytes; used between the services
  kObject,  ///< google.protobuf.Struct; used by users of grpcurl
};

/// Returns the form of the parent in an observation. The answer uses the same form.
ObjectForm FormOf(const v1::Observation& observation);

void EncodeObservation(const Observation& in, ObjectForm form, v1::Observation* out);
absl::StatusOr<Observation> DecodeObservation(const v1::Observation& in);

void EncodePlan(const Plan& in, ObjectForm form, v1::Plan* out);
absl::StatusOr<Plan> DecodePlan(const v1::Plan& in);

void EncodeReport(const Report& in, v1::Report* out);
absl::StatusOr<Report> DecodeReport(const v1::Report& in);

void EncodeDescription(const PlannerDescription& in, v1::DescribeKindsResponse* out);
absl::StatusOr<PlannerDescription> DecodeDescription(const v1::DescribeKindsResponse& in);

void EncodeHookCall(const HookCall& in, v1::HookCall* out);
absl::StatusOr<HookCall> DecodeHookCall(const v1::HookCall& in);

/// Encodes the result, not the sequence and the credits.
void EncodeHookReply(const HookReply& in, v1::CallStreamResponse* out);
absl::StatusOr<HookReply> DecodeHookReply(const v1::CallStreamResponse& in);

/// Encodes into the field `capabilities` of any message.
void EncodeCapabilities(const Capabilities& in, google::protobuf::RepeatedField<int>* out);
/// Decodes the field `capabilities` of any message. An empty list means that the sender supports
/// all features. Unknown values are ignored.
Capabilities DecodeCapabilities(const google::protobuf::RepeatedField<int>& in);

void EncodeRef(const ObjectRef& in, v1::ObjectRef* out);
void EncodeOutcome(const Outcome& in, v1::Outcome* out);

}  // namespace xebec::codec
