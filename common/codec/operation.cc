// SPDX-License-Identifier: Apache-2.0
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/codec/parts.h"

namespace xebec::codec {
namespace {

void EncodePrecondition(const Precondition& in, v1::Precondition* out) {
  if (in.absent) {
    out->set_absent(true);
  } else if (!in.uid.empty()) {
    out->set_uid(ToValidUtf8(in.uid));
  }
  out->set_resource_version(ToValidUtf8(in.resource_version));
}

absl::Status DecodePrecondition(const v1::Precondition& in, Precondition* out) {
  if (!in.resource_version().empty() && in.uid().empty()) {
    return FieldError("resource_version", "requires a uid");
  }
  *out = {in.absent(), in.uid(), in.resource_version()};
  return absl::OkStatus();
}

v1::Propagation EncodePropagation(Propagation in) {
  switch (in) {
    case Propagation::kBackground:
      return v1::PROPAGATION_BACKGROUND;
    case Propagation::kForeground:
      return v1::PROPAGATION_FOREGROUND;
    case Propagation::kOrphan:
      return v1::PROPAGATION_ORPHAN;
  }
  return v1::PROPAGATION_BACKGROUND;
}

absl::Status DecodePropagation(v1::Propagation in, Propagation* out) {
  switch (in) {
    case v1::PROPAGATION_UNSPECIFIED:
    case v1::PROPAGATION_BACKGROUND:
      *out = Propagation::kBackground;
      return absl::OkStatus();
    case v1::PROPAGATION_FOREGROUND:
      *out = Propagation::kForeground;
      return absl::OkStatus();
    case v1::PROPAGATION_ORPHAN:
      *out = Propagation::kOrphan;
      return absl::OkStatus();
    default:
      return UnknownEnum("propagation", in);
  }
}

/// Writes an action into the operation's oneof.
struct ActionEncoder {
  ObjectForm form;
  v1::Operation* out;

  void operator()(const Apply& in) const {
    EncodeObject(in.object, form, out->mutable_apply()->mutable_object());
    out->mutable_apply()->set_same_fields(in.same_fields);
    for (const std::string& field : in.changed_fields) {
      out->mutable_apply()->add_changed_fields(ToValidUtf8(field));
    }
  }
  void operator()(const Delete& in) const {
    out->mutable_delete_()->set_propagation(EncodePropagation(in.propagation));
  }
  void operator()(const AddFinalizer& in) const {
    out->mutable_add_finalizer()->set_finalizer(ToValidUtf8(in.finalizer));
  }
  void operator()(const RemoveFinalizer& in) const {
    out->mutable_remove_finalizer()->set_finalizer(ToValidUtf8(in.finalizer));
  }
  void operator()(const EnsureSecret& in) const {
    v1::EnsureSecret* secret = out->mutable_ensure_secret();
    for (const std::string& key : in.generated_keys) secret->add_generated_keys(ToValidUtf8(key));
    for (const auto& [key, value] : in.labels) {
      (*secret->mutable_labels())[ToValidUtf8(key)] = ToValidUtf8(value);
    }
  }
};

absl::Status DecodeApply(const v1::Apply& in, Action* out) {
  Apply& apply = out->emplace<Apply>();
  apply.same_fields = in.same_fields();
  apply.changed_fields.assign(in.changed_fields().begin(), in.changed_fields().end());
  return Within("apply.object", DecodeDesired(in.object(), &apply.object));
}

absl::Status DecodeDelete(const v1::Delete& in, Action* out) {
  return Within("delete", DecodePropagation(in.propagation(), &out->emplace<Delete>().propagation));
}

absl::Status DecodeSecret(const v1::EnsureSecret& in, Action* out) {
  auto& secret = out->emplace<EnsureSecret>();
  secret.generated_keys.assign(in.generated_keys().begin(), in.generated_keys().end());
  secret.labels.insert(in.labels().begin(), in.labels().end());
  return absl::OkStatus();
}

absl::Status DecodeAction(const v1::Operation& in, Action* out) {
  switch (in.action_case()) {
    case v1::Operation::kApply:
      return DecodeApply(in.apply(), out);
    case v1::Operation::kDelete:
      return DecodeDelete(in.delete_(), out);
    case v1::Operation::kAddFinalizer:
      *out = AddFinalizer{in.add_finalizer().finalizer()};
      return NotEmpty("add_finalizer.finalizer", in.add_finalizer().finalizer());
    case v1::Operation::kRemoveFinalizer:
      *out = RemoveFinalizer{in.remove_finalizer().finalizer()};
      return NotEmpty("remove_finalizer.finalizer", in.remove_finalizer().finalizer());
    case v1::Operation::kEnsureSecret:
      return DecodeSecret(in.ensure_secret(), out);
    case v1::Operation::ACTION_NOT_SET:
      break;
  }
  return FieldError("action", "is missing or unknown to this version");
}

v1::EventCondition EncodeEventCondition(EventCondition in) {
  switch (in) {
    case EventCondition::kAnyChange:
      return v1::EVENT_CONDITION_UNSPECIFIED;
    case EventCondition::kCreated:
      return v1::EVENT_CONDITION_CREATED;
    case EventCondition::kChanged:
      return v1::EVENT_CONDITION_CHANGED;
    case EventCondition::kDeleted:
      return v1::EVENT_CONDITION_DELETED;
  }
  return v1::EVENT_CONDITION_UNSPECIFIED;
}

absl::Status DecodeEventCondition(v1::EventCondition in, EventCondition* out) {
  switch (in) {
    case v1::EVENT_CONDITION_UNSPECIFIED:
      *out = EventCondition::kAnyChange;
      return absl::OkStatus();
    case v1::EVENT_CONDITION_CREATED:
      *out = EventCondition::kCreated;
      return absl::OkStatus();
    case v1::EVENT_CONDITION_CHANGED:
      *out = EventCondition::kChanged;
      return absl::OkStatus();
    case v1::EVENT_CONDITION_DELETED:
      *out = EventCondition::kDeleted;
      return absl::OkStatus();
    default:
      return UnknownEnum("condition", in);
  }
}

}  // namespace

void EncodeEvent(const EventFact& in, v1::EventFact* out) {
  out->set_condition(EncodeEventCondition(in.condition));
  out->set_type(in.warning ? v1::EVENT_TYPE_WARNING : v1::EVENT_TYPE_NORMAL);
  out->set_reason(ToValidUtf8(in.reason));
  out->set_action(ToValidUtf8(in.action));
  out->set_note(ToValidUtf8(in.note));
}

absl::Status DecodeEvent(const v1::EventFact& in, EventFact* out) {
  XEBEC_RETURN_IF_ERROR(DecodeEventCondition(in.condition(), &out->condition));
  out->warning = in.type() == v1::EVENT_TYPE_WARNING;
  out->reason = in.reason();
  out->action = in.action();
  out->note = in.note();
  return absl::OkStatus();
}

void EncodeOperation(const Operation& in, ObjectForm form, v1::Operation* out) {
  out->set_id(ToValidUtf8(in.id));
  EncodeRef(in.target, out->mutable_target());
  EncodePrecondition(in.precondition, out->mutable_precondition());
  std::visit(ActionEncoder{form, out}, in.action);
  for (const EventFact& event : in.events) EncodeEvent(event, out->add_events());
  out->set_observed_version(ToValidUtf8(in.observed_version));
  out->set_memo(ToValidUtf8(in.memo));
}

absl::Status DecodeOperation(const v1::Operation& in, Operation* out) {
  XEBEC_RETURN_IF_ERROR(NotEmpty("id", in.id()));
  XEBEC_RETURN_IF_ERROR(
      Within("target", DecodeRef(in.target(), TypeNeeds::kEverything, &out->target)));
  XEBEC_RETURN_IF_ERROR(
      Within("precondition", DecodePrecondition(in.precondition(), &out->precondition)));
  XEBEC_RETURN_IF_ERROR(DecodeAction(in, &out->action));
  XEBEC_RETURN_IF_ERROR(DecodeEach("events", in.events(), &out->events, DecodeEvent));
  out->id = in.id();
  out->observed_version = in.observed_version();
  out->memo = in.memo();
  return absl::OkStatus();
}

}  // namespace xebec::codec
