// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_writes.h"

#include <optional>
#include <utility>

namespace xebec::rpc {

void WriteNext(StreamConnection* connection, StreamScheduler* scheduler, absl::Duration now,
               Actions* actions) {
  if (!connection->CanWrite()) return;
  if (std::optional<Request> request = scheduler->NextToWrite(connection->id)) {
    connection->Spoke(now);
    connection->writing = true;
    connection->buffered = scheduler->HasNextToWrite(connection->id);
    actions->push_back(StartWrite{connection->id, std::move(request), connection->buffered});
  } else if (connection->draining && !scheduler->Busy(connection->id)) {
    connection->writing = true;
    connection->writes_over = true;
    actions->push_back(EndWrites{connection->id});
  } else if (connection->buffered) {
    WriteHeartbeat(connection, now, actions);  // sends the messages that gRPC holds back
  }
}

void WriteHeartbeat(StreamConnection* connection, absl::Duration now, Actions* actions) {
  connection->Spoke(now);
  connection->writing = true;
  connection->buffered = false;
  connection->last_heartbeat = now;
  actions->push_back(StartWrite{connection->id, std::nullopt, false});
}

}  // namespace xebec::rpc
