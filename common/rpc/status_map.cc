// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/status_map.h"

#include <array>
#include <string>

#include "common/base/strings.h"

namespace xebec::rpc {
namespace {

struct Row {
  absl::StatusCode absl;
  grpc::StatusCode grpc;
  std::string_view name;
};

constexpr std::array<Row, 17> kRows{{
    {absl::StatusCode::kOk, grpc::StatusCode::OK, "OK"},
    {absl::StatusCode::kCancelled, grpc::StatusCode::CANCELLED, "Canceled"},
    {absl::StatusCode::kUnknown, grpc::StatusCode::UNKNOWN, "Unknown"},
    {absl::StatusCode::kInvalidArgument, grpc::StatusCode::INVALID_ARGUMENT, "InvalidArgument"},
    {absl::StatusCode::kDeadlineExceeded, grpc::StatusCode::DEADLINE_EXCEEDED, "DeadlineExceeded"},
    {absl::StatusCode::kNotFound, grpc::StatusCode::NOT_FOUND, "NotFound"},
    {absl::StatusCode::kAlreadyExists, grpc::StatusCode::ALREADY_EXISTS, "AlreadyExists"},
    {absl::StatusCode::kPermissionDenied, grpc::StatusCode::PERMISSION_DENIED, "PermissionDenied"},
    {absl::StatusCode::kResourceExhausted, grpc::StatusCode::RESOURCE_EXHAUSTED,
     "ResourceExhausted"},
    {absl::StatusCode::kFailedPrecondition, grpc::StatusCode::FAILED_PRECONDITION,
     "FailedPrecondition"},
    {absl::StatusCode::kAborted, grpc::StatusCode::ABORTED, "Aborted"},
    {absl::StatusCode::kOutOfRange, grpc::StatusCode::OUT_OF_RANGE, "OutOfRange"},
    {absl::StatusCode::kUnimplemented, grpc::StatusCode::UNIMPLEMENTED, "Unimplemented"},
    {absl::StatusCode::kInternal, grpc::StatusCode::INTERNAL, "Internal"},
    {absl::StatusCode::kUnavailable, grpc::StatusCode::UNAVAILABLE, "Unavailable"},
    {absl::StatusCode::kDataLoss, grpc::StatusCode::DATA_LOSS, "DataLoss"},
    {absl::StatusCode::kUnauthenticated, grpc::StatusCode::UNAUTHENTICATED, "Unauthenticated"},
}};

const Row& Unknown() { return kRows[2]; }

const Row& RowOf(absl::StatusCode code) {
  for (const Row& row : kRows) {
    if (row.absl == code) return row;
  }
  return Unknown();
}

const Row& RowOf(grpc::StatusCode code) {
  for (const Row& row : kRows) {
    if (row.grpc == code) return row;
  }
  return Unknown();
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return {RowOf(status.code()).grpc, std::string(ToStd(status.message()))};
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  return {RowOf(status.error_code()).absl, status.error_message()};
}

std::string_view CodeName(const grpc::Status& status) { return RowOf(status.error_code()).name; }

}  // namespace xebec::rpc
