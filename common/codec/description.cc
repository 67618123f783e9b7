// SPDX-License-Identifier: Apache-2.0
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/codec/parts.h"

namespace xebec::codec {
namespace {

void EncodeRule(const ChildRule& in, v1::ChildRule* out) {
  EncodeType(in.type, out->mutable_type());
  out->set_label_selector(ToValidUtf8(in.label_selector));
  out->set_parent_label(ToValidUtf8(in.parent_label));
  for (const std::string& field : in.fields) out->add_fields(ToValidUtf8(field));
  out->set_stateful(in.stateful);
}

absl::Status DecodeRule(const v1::ChildRule& in, ChildRule* out) {
  XEBEC_RETURN_IF_ERROR(Within("type", DecodeType(in.type(), TypeNeeds::kEverything, &out->type)));
  out->label_selector = in.label_selector();
  out->parent_label = in.parent_label();
  out->fields.assign(in.fields().begin(), in.fields().end());
  out->stateful = in.stateful();
  return absl::OkStatus();
}

void EncodeKind(const KindDescription& in, v1::KindDescription* out) {
  out->set_controller(ToValidUtf8(in.controller));
  EncodeType(in.parent, out->mutable_parent());
  for (const std::string& field : in.parent_fields) out->add_parent_fields(ToValidUtf8(field));
  for (const ChildRule& rule : in.children) EncodeRule(rule, out->add_children());
  for (const ChildRule& rule : in.related) EncodeRule(rule, out->add_related());
  out->set_finalizer(ToValidUtf8(in.finalizer));
  out->set_scalable(in.scalable);
  out->set_declares(in.declares);
}

absl::Status DecodeKind(const v1::KindDescription& in, KindDescription* out) {
  XEBEC_RETURN_IF_ERROR(NotEmpty("controller", in.controller()));
  XEBEC_RETURN_IF_ERROR(
      Within("parent", DecodeType(in.parent(), TypeNeeds::kEverything, &out->parent)));
  XEBEC_RETURN_IF_ERROR(DecodeEach("children", in.children(), &out->children, DecodeRule));
  XEBEC_RETURN_IF_ERROR(DecodeEach("related", in.related(), &out->related, DecodeRule));
  out->controller = in.controller();
  out->parent_fields.assign(in.parent_fields().begin(), in.parent_fields().end());
  out->finalizer = in.finalizer();
  out->scalable = in.scalable();
  out->declares = in.declares();
  return absl::OkStatus();
}

}  // namespace

void EncodeDescription(const PlannerDescription& in, v1::DescribeKindsResponse* out) {
  out->set_planner_revision(ToValidUtf8(in.revision));
  for (const KindDescription& kind : in.kinds) EncodeKind(kind, out->add_kinds());
}

absl::StatusOr<PlannerDescription> DecodeDescription(const v1::DescribeKindsResponse& in) {
  PlannerDescription out;
  out.revision = in.planner_revision();
  XEBEC_RETURN_IF_ERROR(DecodeEach("kinds", in.kinds(), &out.kinds, DecodeKind));
  return out;
}

}  // namespace xebec::codec
