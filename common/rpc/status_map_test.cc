// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/status_map.h"

#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

TEST(StatusMap, EveryCodeSurvivesThereAndBack) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "why");
    EXPECT_EQ(FromGrpc(ToGrpc(status)), status) << code;
    EXPECT_EQ(static_cast<int>(ToGrpc(status).error_code()), code);
  }
}

TEST(StatusMap, OkHasNoMessage) {
  EXPECT_TRUE(ToGrpc(absl::OkStatus()).ok());
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
}

TEST(StatusMap, UnknownCodesBecomeUnknown) {
  const grpc::Status odd(static_cast<grpc::StatusCode>(20), "odd");
  EXPECT_EQ(FromGrpc(odd).code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(CodeName(odd), "Unknown");
}

TEST(StatusMap, NamesAreThoseOfTheGoMiddleware) {
  EXPECT_EQ(CodeName(grpc::Status::OK), "OK");
  EXPECT_EQ(CodeName(ToGrpc(absl::DeadlineExceededError(""))), "DeadlineExceeded");
  EXPECT_EQ(CodeName(ToGrpc(absl::CancelledError(""))), "Canceled");
}

}  // namespace
}  // namespace xebec::rpc
