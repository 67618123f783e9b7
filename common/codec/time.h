// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

/// Times as protobuf's well-known types. Callers leave a field absent if its time is not writable,
/// for example infinite.
namespace xebec::codec {

/// Returns true for times that a Timestamp can represent: the years 1 to 9999.
bool IsWritable(absl::Time time);
/// Requires IsWritable(in).
void EncodeTime(absl::Time in, google::protobuf::Timestamp* out);
absl::Status DecodeTime(const google::protobuf::Timestamp& in, absl::Time* out);
void EncodeDuration(absl::Duration in, google::protobuf::Duration* out);
/// Returns an error for negative durations.
absl::Status DecodeDuration(const google::protobuf::Duration& in, absl::Duration* out);

}  // namespace xebec::codec
