// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/base/json.h"
#include "common/codec/codec.h"
#include "common/codec/path_status.h"
#include "common/codec/time.h"
#include "google/protobuf/struct.pb.h"

/// Internal functions of the codec: one pair for each message of the contract. A decoder fills
/// `out` or returns a FieldError whose path starts at its message.
namespace xebec::codec {

// struct.cc
/// Whole numbers up to 2^53 are decoded as integers.
absl::Status DecodeStruct(const google::protobuf::Struct& in, Json* out);
/// Integers beyond 2^53 lose precision. A value that is not an object results in an empty Struct.
void EncodeStruct(const Json& in, google::protobuf::Struct* out);

// object.cc
void EncodeObject(const ObjectBytes& in, ObjectForm form, v1::Object* out);
/// Returns an error if the bytes are not a JSON object.
absl::Status DecodeObject(const v1::Object& in, ObjectBytes* out);
/// Decodes a desired object of a plan without parsing its bytes: the applier parses and validates
/// them once, before it applies the object.
absl::Status DecodeDesired(const v1::Object& in, ObjectBytes* out);
void EncodeGroup(const ObjectGroup& in, ObjectForm form, v1::ObjectGroup* out);
absl::Status DecodeGroup(const v1::ObjectGroup& in, ObjectGroup* out);

// envelope.cc
/// The fields of a type that must not be empty.
enum class TypeNeeds { kNothing, kKind, kEverything };
void EncodeType(const ResourceType& in, v1::ResourceType* out);
absl::Status DecodeType(const v1::ResourceType& in, TypeNeeds needs, ResourceType* out);
absl::Status DecodeRef(const v1::ObjectRef& in, TypeNeeds needs, ObjectRef* out);
void EncodeEnvelope(const Envelope& in, v1::Envelope* out);
absl::Status DecodeEnvelope(const v1::Envelope& in, Envelope* out);

// hook.cc
void EncodeHookState(const HookState& in, v1::HookState* out);
HookState DecodeHookState(const v1::HookState& in);
void EncodeHookFailure(const HookFailure& in, v1::HookFailure* out);
absl::Status DecodeHookFailure(const v1::HookFailure& in, HookFailure* out);
void EncodeHookRequest(const HookRequest& in, v1::HookRequest* out);
absl::Status DecodeHookRequest(const v1::HookRequest& in, HookRequest* out);
void EncodeHookAnswer(const HookAnswer& in, v1::HookAnswer* out);
absl::Status DecodeHookAnswer(const v1::HookAnswer& in, HookAnswer* out);

// declaration.cc
void EncodeDeclarationFacts(const DeclarationFacts& in, v1::DeclarationFacts* out);
absl::Status DecodeDeclarationFacts(const v1::DeclarationFacts& in, DeclarationFacts* out);

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

/// Decodes each element of a repeated field with decode(element, Out*).
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

/// Returns a FieldError if `value` is empty.
absl::Status NotEmpty(std::string_view field, std::string_view value);

/// Returns the FieldError "unknown value <n>".
absl::Status UnknownEnum(std::string_view field, int value);

}  // namespace xebec::codec
