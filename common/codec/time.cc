// SPDX-License-Identifier: Apache-2.0
#include "common/codec/time.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/codec/path_status.h"

namespace xebec::codec {
namespace {

constexpr int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z
constexpr int64_t kLongest = 315'576'000'000;      // the limit of a Duration
constexpr int32_t kMaxNanos = 999'999'999;

}  // namespace

bool IsWritable(absl::Time time) {
  return time >= absl::FromUnixSeconds(kFirstSecond) &&
         time < absl::FromUnixSeconds(kLastSecond + 1);
}

void EncodeTime(absl::Time in, google::protobuf::Timestamp* out) {
  const int64_t seconds = absl::ToUnixSeconds(in);
  out->set_seconds(seconds);
  out->set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(in - absl::FromUnixSeconds(seconds))));
}

absl::Status DecodeTime(const google::protobuf::Timestamp& in, absl::Time* out) {
  if (in.seconds() < kFirstSecond || in.seconds() > kLastSecond) {
    return FieldError("seconds", "outside the years 1 to 9999");
  }
  if (in.nanos() < 0 || in.nanos() > kMaxNanos)
    return FieldError("nanos", "must be 0 to 999999999");
  *out = absl::FromUnixSeconds(in.seconds()) + absl::Nanoseconds(in.nanos());
  return absl::OkStatus();
}

void EncodeDuration(absl::Duration in, google::protobuf::Duration* out) {
  in = std::clamp(in, absl::ZeroDuration(), absl::Seconds(kLongest));
  out->set_seconds(absl::IDivDuration(in, absl::Seconds(1), &in));
  out->set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(in)));
}

absl::Status DecodeDuration(const google::protobuf::Duration& in, absl::Duration* out) {
  if (in.seconds() < 0 || in.seconds() > kLongest) {
    return FieldError("seconds", absl::StrCat("must be 0 to ", kLongest));
  }
  if (in.nanos() < 0 || in.nanos() > kMaxNanos)
    return FieldError("nanos", "must be 0 to 999999999");
  *out = absl::Seconds(in.seconds()) + absl::Nanoseconds(in.nanos());
  return absl::OkStatus();
}

}  // namespace xebec::codec
