// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/codec/parts.h"

namespace xebec::codec {
namespace {

void EncodeParent(const ParentIdentity& in, v1::ParentIdentity* out) {
  EncodeRef(in.ref, out->mutable_ref());
  out->set_uid(ToValidUtf8(in.uid));
  out->set_resource_version(ToValidUtf8(in.resource_version));
  out->set_generation(in.generation);
}

absl::Status DecodeParent(const v1::ParentIdentity& in, ParentIdentity* out) {
  XEBEC_RETURN_IF_ERROR(Within("ref", DecodeRef(in.ref(), TypeNeeds::kNothing, &out->ref)));
  out->uid = in.uid();
  out->resource_version = in.resource_version();
  out->generation = in.generation();
  return absl::OkStatus();
}

}  // namespace

absl::Status NotEmpty(std::string_view field, std::string_view value) {
  return value.empty() ? FieldError(field, "must not be empty") : absl::OkStatus();
}

absl::Status UnknownEnum(std::string_view field, int value) {
  return FieldError(field, absl::StrCat("unknown value ", value));
}

void EncodeType(const ResourceType& in, v1::ResourceType* out) {
  out->set_group(ToValidUtf8(in.group));
  out->set_version(ToValidUtf8(in.version));
  out->set_kind(ToValidUtf8(in.kind));
  out->set_plural(ToValidUtf8(in.plural));
  out->set_cluster_scoped(in.cluster_scoped);
}

absl::Status DecodeType(const v1::ResourceType& in, TypeNeeds needs, ResourceType* out) {
  if (needs != TypeNeeds::kNothing) {
    XEBEC_RETURN_IF_ERROR(NotEmpty("version", in.version()));
    XEBEC_RETURN_IF_ERROR(NotEmpty("kind", in.kind()));
  }
  if (needs == TypeNeeds::kEverything) XEBEC_RETURN_IF_ERROR(NotEmpty("plural", in.plural()));
  *out = {in.group(), in.version(), in.kind(), in.plural(), in.cluster_scoped()};
  return absl::OkStatus();
}

void EncodeRef(const ObjectRef& in, v1::ObjectRef* out) {
  EncodeType(in.type, out->mutable_type());
  out->set_namespace_(ToValidUtf8(in.ns));
  out->set_name(ToValidUtf8(in.name));
}

absl::Status DecodeRef(const v1::ObjectRef& in, TypeNeeds needs, ObjectRef* out) {
  XEBEC_RETURN_IF_ERROR(Within("type", DecodeType(in.type(), needs, &out->type)));
  if (needs != TypeNeeds::kNothing) XEBEC_RETURN_IF_ERROR(NotEmpty("name", in.name()));
  out->ns = in.namespace_();
  out->name = in.name();
  return absl::OkStatus();
}

void EncodeEnvelope(const Envelope& in, v1::Envelope* out) {
  EncodeParent(in.parent, out->mutable_parent());
  out->set_controller(ToValidUtf8(in.controller));
  out->set_bucket(in.bucket);
  out->set_bucket_count(in.bucket_count);
  out->set_epoch(in.epoch);
  out->set_watcher(ToValidUtf8(in.watcher));
  out->set_sequence(in.sequence);
  if (IsWritable(in.not_after)) EncodeTime(in.not_after, out->mutable_not_after());
  out->set_observation_digest(ToValidUtf8(in.observation_digest));
  out->set_planner_revision(ToValidUtf8(in.planner_revision));
  for (const std::string& reason : in.reasons) out->add_reasons(ToValidUtf8(reason));
  out->set_reconcile_id(ToValidUtf8(in.reconcile_id));
}

absl::Status DecodeEnvelope(const v1::Envelope& in, Envelope* out) {
  XEBEC_RETURN_IF_ERROR(Within("parent", DecodeParent(in.parent(), &out->parent)));
  if (in.has_not_after()) {
    XEBEC_RETURN_IF_ERROR(Within("not_after", DecodeTime(in.not_after(), &out->not_after)));
  }
  out->controller = in.controller();
  out->bucket = in.bucket();
  out->bucket_count = in.bucket_count();
  out->epoch = in.epoch();
  out->watcher = in.watcher();
  out->sequence = in.sequence();
  out->observation_digest = in.observation_digest();
  out->planner_revision = in.planner_revision();
  out->reasons.assign(in.reasons().begin(), in.reasons().end());
  out->reconcile_id = in.reconcile_id();
  return absl::OkStatus();
}

}  // namespace xebec::codec
