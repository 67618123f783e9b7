// SPDX-License-Identifier: Apache-2.0
#include "common/base/json.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/codec/parts.h"

namespace xebec::codec {

void EncodeObject(const ObjectBytes& in, ObjectForm form, v1::Object* out) {
  if (in == nullptr) return;
  if (form == ObjectForm::kObject) {
    // Bytes that are not a JSON object are sent unchanged, so that users can see them.
    if (const auto json = ParseJson(*in); json.ok() && json->is_object()) {
      return EncodeStruct(*json, out->mutable_object());
    }
  }
  out->set_json(*in);
}

absl::Status DecodeObject(const v1::Object& in, ObjectBytes* out) {
  if (in.has_json()) {
    const absl::Status status = CheckJsonObject(in.json());
    if (!status.ok()) return FieldError("json", ToStd(status.message()));
  }
  return DecodeDesired(in, out);
}

absl::Status DecodeDesired(const v1::Object& in, ObjectBytes* out) {
  switch (in.body_case()) {
    case v1::Object::kJson: {
      *out = MakeObjectBytes(in.json());
      return absl::OkStatus();
    }
    case v1::Object::kObject: {
      Json json;
      XEBEC_RETURN_IF_ERROR(Within("object", DecodeStruct(in.object(), &json)));
      *out = MakeObjectBytes(DumpJson(json));
      return absl::OkStatus();
    }
    case v1::Object::BODY_NOT_SET:
      break;
  }
  return FieldError("", "has neither json nor object");
}

void EncodeGroup(const ObjectGroup& in, ObjectForm form, v1::ObjectGroup* out) {
  EncodeType(in.type, out->mutable_type());
  for (const ObjectBytes& object : in.objects) EncodeObject(object, form, out->add_objects());
  out->set_live(in.live);
}

absl::Status DecodeGroup(const v1::ObjectGroup& in, ObjectGroup* out) {
  XEBEC_RETURN_IF_ERROR(Within("type", DecodeType(in.type(), TypeNeeds::kKind, &out->type)));
  XEBEC_RETURN_IF_ERROR(DecodeEach("objects", in.objects(), &out->objects, DecodeObject));
  out->live = in.live();
  return absl::OkStatus();
}

}  // namespace xebec::codec
