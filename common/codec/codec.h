// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "common/model/capabilities.h"
#include "common/model/kind_description.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "xebec/v1/applier.pb.h"
#include "xebec/v1/planner.pb.h"

/// The only place where the model meets protobuf. Decoders are total: INVALID_ARGUMENT names the
/// field
/// ("observation.children[1].objects[0]: ..."). Encode then Decode gives the same value.
namespace xebec::codec {

/// How object bodies are written.
enum class ObjectForm {
  kJson,    ///< bytes, between the services
  kObject,  ///< google.protobuf.Struct, for people
};

/// The form that the parent of an observation was sent in: the answer uses the same.
ObjectForm FormOf(const v1::Observation& observation);

void EncodeObservation(const Observation& in, ObjectForm form, v1::Observation* out);
absl::StatusOr<Observation> DecodeObservation(const v1::Observation& in);

void EncodePlan(const Plan& in, ObjectForm form, v1::Plan* out);
absl::StatusOr<Plan> DecodePlan(const v1::Plan& in);

void EncodeReport(const Report& in, v1::Report* out);
absl::StatusOr<Report> DecodeReport(const v1::Report& in);

void EncodeDescription(const PlannerDescription& in, v1::DescribeKindsResponse* out);
absl::StatusOr<PlannerDescription> DecodeDescription(const v1::DescribeKindsResponse& in);

/// The repeated field of any message that has one.
void EncodeCapabilities(const Capabilities& in, google::protobuf::RepeatedField<int>* out);
/// An empty list says nothing: everything is taken for understood. Unknown values are ignored.
Capabilities DecodeCapabilities(const google::protobuf::RepeatedField<int>& in);

void EncodeRef(const ObjectRef& in, v1::ObjectRef* out);
void EncodeOutcome(const Outcome& in, v1::Outcome* out);

}  // namespace xebec::codec
