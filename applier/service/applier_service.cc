// SPDX-License-Identifier: Apache-2.0
#include "applier/service/applier_service.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "common/base/clock.h"

namespace xebec::applier {
namespace {

constexpr absl::Duration kStreamPollInterval = absl::Milliseconds(10);  // that are to end

}  // namespace

std::vector<rpc::Method> ApplierServiceImpl::methods() {
  auto open = [this](std::shared_ptr<rpc::ServerStream> stream) {
    return std::make_shared<ApplyStream>(loop_, &streams_, std::move(stream));
  };
  return {{"/xebec.v1.ApplierService/ApplyStream", "bidi_stream", open}};
}

void ApplierServiceImpl::BeginDrain() {
  streams_.Close();
  streams_.ForEach([](ApplyStream& stream) { stream.BeginDrain(); });
}

void ApplierServiceImpl::Drain(absl::Duration timeout) {
  const absl::Duration until = ReadClock().monotonic + timeout;
  BeginDrain();
  absl::Duration left = timeout;
  do {
    streams_.ForEach([](ApplyStream& stream) { stream.EndIfQuiet(); });
    left = until - ReadClock().monotonic;
  } while (!streams_.AwaitNone(std::min(left, kStreamPollInterval)) && left > absl::ZeroDuration());
}

}  // namespace xebec::applier
