// SPDX-License-Identifier: Apache-2.0
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/codec/parts.h"

namespace xebec::codec {
namespace {

void EncodeCondition(const ConditionValue& in, v1::ConditionValue* out) {
  out->set_status(ToValidUtf8(in.status));
  out->set_reason(ToValidUtf8(in.reason));
  out->set_message(ToValidUtf8(in.message));
}

ConditionValue DecodeCondition(const v1::ConditionValue& in) {
  return {in.status(), in.reason(), in.message()};
}

}  // namespace

void EncodeStatusIntent(const StatusIntent& in, ObjectForm form, v1::StatusIntent* out) {
  EncodeObject(in.object, form, out->mutable_object());
  out->set_changed(in.changed);
  out->set_progress_only(in.progress_only);
  if (in.observed_applied) EncodeCondition(*in.observed_applied, out->mutable_observed_applied());
  out->set_observed_applied_since(ToValidUtf8(in.observed_applied_since));
  if (in.blocked) EncodeCondition(*in.blocked, out->mutable_blocked());
  for (const EventFact& event : in.events) EncodeEvent(event, out->add_events());
  out->set_now(ToValidUtf8(in.now));
  if (in.amendments) EncodeObject(in.amendments, form, out->mutable_amendments());
  if (in.observed) EncodeObject(in.observed, form, out->mutable_observed());
}

absl::Status DecodeStatusIntent(const v1::StatusIntent& in, StatusIntent* out) {
  XEBEC_RETURN_IF_ERROR(Within("object", DecodeDesired(in.object(), &out->object)));
  XEBEC_RETURN_IF_ERROR(DecodeEach("events", in.events(), &out->events, DecodeEvent));
  out->changed = in.changed();
  out->progress_only = in.progress_only();
  if (in.has_observed_applied()) out->observed_applied = DecodeCondition(in.observed_applied());
  out->observed_applied_since = in.observed_applied_since();
  if (in.has_blocked()) out->blocked = DecodeCondition(in.blocked());
  out->now = in.now();
  if (in.has_amendments()) {
    XEBEC_RETURN_IF_ERROR(Within("amendments", DecodeDesired(in.amendments(), &out->amendments)));
  }
  if (!in.has_observed()) return absl::OkStatus();
  return Within("observed", DecodeDesired(in.observed(), &out->observed));
}

}  // namespace xebec::codec
