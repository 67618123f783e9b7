// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/applier_streams.h"

#include <utility>

#include "common/rpc/streams/applier_protocol.h"
#include "common/rpc/streams/stream_pool.h"

namespace xebec::rpc {

absl::StatusOr<std::unique_ptr<ApplierStreams>> ApplierStreams::Start(const StreamOptions& options,
                                                                      ApplierCallbacks callbacks) {
  auto protocol =
      std::make_unique<ApplierProtocol>(std::move(callbacks), options.max_message_bytes);
  absl::StatusOr<std::unique_ptr<StreamPool>> pool =
      StreamPool::Start(options, std::move(protocol));
  if (!pool.ok()) return pool.status();
  return std::unique_ptr<ApplierStreams>(new ApplierStreams(*std::move(pool)));
}

ApplierStreams::ApplierStreams(std::unique_ptr<StreamPool> pool) : pool_(std::move(pool)) {}

ApplierStreams::~ApplierStreams() = default;

void ApplierStreams::Send(uint64_t sequence, std::shared_ptr<const Plan> plan,
                          absl::Duration timeout) {
  Request request;
  request.sequence = sequence;
  request.content = std::move(plan);
  pool_->Send(std::move(request), timeout);
}

size_t ApplierStreams::InFlight() const { return pool_->InFlight(); }

void ApplierStreams::Stop(absl::Duration timeout) { pool_->Stop(timeout); }

}  // namespace xebec::rpc
