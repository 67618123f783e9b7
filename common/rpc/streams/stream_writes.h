// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"
#include "common/rpc/streams/peer_stream.h"
#include "common/rpc/streams/stream_action.h"
#include "common/rpc/streams/stream_scheduler.h"

namespace xebec::rpc {

/// Starts the next write of the connection, if it can write: a request that the scheduler has for
/// it; or the end of its writing side, if it is drained; or a heartbeat, if gRPC may hold back
/// messages until the next write.
void WriteNext(StreamConnection* connection, StreamScheduler* scheduler, absl::Duration now,
               Actions* actions);

/// Writes a heartbeat. The connection can write.
void WriteHeartbeat(StreamConnection* connection, absl::Duration now, Actions* actions);

}  // namespace xebec::rpc
