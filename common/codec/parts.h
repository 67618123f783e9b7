// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/base/json.h"
#include "common/codec/codec.h"
#include "common/codec/path_status.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/timestamp.pb.h"

/// The codec's inside: one pair of functions for each part of the contract. Decoders fill `out` or
/// return a FieldError that starts at the part.
namespace xebec::codec {

// time.cc: an instant that is not writable (an infinite one) is left absent by its owner.
/// True for what a Timestamp can hold: years 1 to 9999.
bool IsWritable(absl::Time time);
/// `in` is writable.
void EncodeTime(absl::Time in, google::protobuf::Timestamp* out);
absl::Status DecodeTime(const google::protobuf::Timestamp& in, absl::Time* out);
void EncodeDuration(absl::Duration in, google::protobuf::Duration* out);
/// Refuses negative ones.
absl::Status DecodeDuration(const google::protobuf::Duration& in, absl::Duration* out);

// struct.cc
/// Whole numbers up to 2^53 become integers.
absl::Status DecodeStruct(const google::protobuf::Struct& in, Json* out);
/// Integers beyond 2^53 lose digits. Anything but an object gives an empty Struct.
void EncodeStruct(const Json& in, google::protobuf::Struct* out);

// object.cc
void EncodeObject(const ObjectBytes& in, ObjectForm form, v1::Object* out);
absl::Status DecodeObject(const v1::Object& in, ObjectBytes* out);
void EncodeGroup(const ObjectGroup& in, ObjectForm form, v1::ObjectGroup* out);
absl::Status DecodeGroup(const v1::ObjectGroup& in, ObjectGroup* out);

// envelope.cc
/// What of a type must be there.
enum class TypeNeeds { kNothing, kKind, kEverything };
void EncodeType(const ResourceType& in, v1::ResourceType* out);
absl::Status DecodeType(const v1::ResourceType& in, TypeNeeds needs, ResourceType* out);
absl::Status DecodeRef(const v1::ObjectRef& in, TypeNeeds needs, ObjectRef* out);
void EncodeEnvelope(const Envelope& in, v1::Envelope* out);
absl::Status DecodeEnvelope(const v1::Envelope& in, Envelope* out);

// report.cc
absl::Status DecodeOutcome(const v1::Outcome& in, Outcome* out);

// operation.cc
void EncodeOperation(const Operation& in, ObjectForm form, v1::Operation* out);
absl::Status DecodeOperation(const v1::Operation& in, Operation* out);
void EncodeEvent(const EventFact& in, v1::EventFact* out);
absl::Status DecodeEvent(const v1::EventFact& in, EventFact* out);

// status_intent.cc
void EncodeStatusIntent(const StatusIntent& in, ObjectForm form, v1::StatusIntent* out);
absl::Status DecodeStatusIntent(const v1::StatusIntent& in, StatusIntent* out);

/// Decodes every element of a repeated field with decode(element, Out*).
template <typename Repeated, typename Out, typename Decode>
absl::Status DecodeEach(std::string_view field, const Repeated& in, std::vector<Out>* out,
                        Decode decode) {
  out->resize(static_cast<size_t>(in.size()));
  for (int i = 0; i < in.size(); ++i) {
    const absl::Status status = decode(in.Get(i), &(*out)[static_cast<size_t>(i)]);
    if (!status.ok()) return Within(field, i, status);
  }
  return absl::OkStatus();
}

/// FieldError when `value` is empty.
absl::Status NotEmpty(std::string_view field, std::string_view value);

/// FieldError "unknown value <n>".
absl::Status UnknownEnum(std::string_view field, int value);

}  // namespace xebec::codec
