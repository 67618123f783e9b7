// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_machine.h"

namespace xebec::rpc {

Actions StreamMachine::Written(StreamId stream, bool ok, absl::Duration now) {
  StreamConnection& connection = *Find(stream)->connection();
  connection.writing = false;
  if (!ok) connection.writes_over = true;
  if (connection.ended) return FinishOnce(&connection);
  Actions actions;
  WriteNext(&connection, now, &actions);
  return actions;
}

Actions StreamMachine::TooLarge(StreamId stream, uint64_t sequence, std::string why,
                                absl::Duration now) {
  Answer answer;
  answer.sequence = sequence;
  answer.credits = 1;
  answer.content = Refusal{std::move(why)};
  postponed_answers_.emplace_back(stream, std::move(answer));
  TickNow();
  return Written(stream, true, now);
}

void StreamMachine::WriteWoken(absl::Duration now, Actions* actions) {
  for (const StreamId stream : scheduler_.TakeWoken()) {
    if (PeerStream* woken = Find(stream)) WriteNext(&*woken->connection(), now, actions);
  }
}

void StreamMachine::WriteNext(StreamConnection* connection, absl::Duration now, Actions* actions) {
  if (!connection->CanWrite()) return;
  if (std::optional<Request> request = scheduler_.NextToWrite(connection->id)) {
    connection->Spoke(now);
    connection->writing = true;
    connection->buffered = scheduler_.HasNextToWrite(connection->id);
    actions->push_back(StartWrite{connection->id, std::move(request), connection->buffered});
  } else if (connection->draining && !scheduler_.Busy(connection->id)) {
    connection->writing = true;
    connection->writes_over = true;
    actions->push_back(EndWrites{connection->id});
  } else if (connection->buffered) {
    WriteHeartbeat(connection, now, actions);  // sends the messages that gRPC holds back
  }
}

void StreamMachine::WriteHeartbeat(StreamConnection* connection, absl::Duration now,
                                   Actions* actions) {
  connection->Spoke(now);
  connection->writing = true;
  connection->buffered = false;
  connection->last_heartbeat = now;
  actions->push_back(StartWrite{connection->id, std::nullopt, false});
}

absl::Duration StreamMachine::HeartbeatDue(const StreamConnection& connection) const {
  return connection.last_heartbeat +
         (scheduler_.Busy(connection.id) ? options_.heartbeat_busy : options_.heartbeat_idle);
}

}  // namespace xebec::rpc
