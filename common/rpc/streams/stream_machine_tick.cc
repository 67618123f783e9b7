// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "common/rpc/streams/stream_machine.h"

namespace xebec::rpc {
namespace {

constexpr char kOverdue[] = "no answer within the timeout";

}  // namespace

Actions StreamMachine::Tick(absl::Duration now) {
  Actions actions;
  due_ = now + options_.heartbeat_busy;  // a stream may have become busy before it
  DeliverPostponed(&actions);
  Reconcile(now, &actions);
  if (!aborted_.empty()) EndStreams(&actions);
  Lose(scheduler_.Expire(now), kOverdue, &actions);
  for (auto& [number, stream] : streams_) Check(number, &stream, now, &actions);
  WriteWoken(now, &actions);
  PublishCredits(&actions);  // the end of an ejection changes the credits too
  Due(scheduler_.NextDeadline());
  return actions;
}

void StreamMachine::DeliverPostponed(Actions* actions) {
  for (DeliverLosses& entry : std::exchange(postponed_losses_, {})) {
    Lose(std::move(entry.losses), entry.why, actions);
  }
  for (auto& [stream, answer] : std::exchange(postponed_answers_, {})) {
    const bool wanted = scheduler_.Complete(stream, answer.sequence);
    scheduler_.Grant(stream, answer.credits);
    if (wanted) actions->push_back(DeliverAnswer{std::move(answer)});
  }
}

void StreamMachine::Reconcile(absl::Duration now, Actions* actions) {
  if (!addresses_) return;
  const std::vector<Address> wanted = *std::exchange(addresses_, std::nullopt);
  RetireAllBut(wanted, now, actions);
  for (const Address& address : std::set<Address>(wanted.begin(), wanted.end())) {
    AddStreams(address);
  }
}

void StreamMachine::RetireAllBut(const std::vector<Address>& wanted, absl::Duration now,
                                 Actions* actions) {
  for (auto& [number, stream] : streams_) {
    if (std::count(wanted.begin(), wanted.end(), stream.address()) > 0) continue;
    stream.End();
    if (stream.connection()) Drain(&*stream.connection(), now, actions);
  }
  RemoveEnded();
}

void StreamMachine::AddStreams(const Address& address) {
  auto streams = std::count_if(streams_.begin(), streams_.end(), [&](const auto& entry) {
    return !entry.second.ending() && entry.second.address() == address;
  });
  for (; streams < options_.streams_per_address; ++streams) {
    streams_.emplace(++last_number_, PeerStream(address, static_cast<uint32_t>(seeds_())));
  }
}

void StreamMachine::EndStreams(Actions* actions) {
  for (auto& [number, stream] : streams_) {
    stream.End();
    if (stream.connection()) Cancel(&*stream.connection(), aborted_, actions);
  }
  RemoveEnded();
}

void StreamMachine::RemoveEnded() {
  std::erase_if(streams_, [](const auto& entry) {
    return entry.second.ending() && !entry.second.connection();
  });
}

void StreamMachine::Check(uint32_t number, PeerStream* stream, absl::Duration now,
                          Actions* actions) {
  if (!stream->connection() && now >= stream->connect_at()) {
    stream->Connect(StreamId{number} << 32 | ++last_connection_, options_, now);
    actions->push_back(rpc::Connect{stream->connection()->id, stream->address()});
  }
  if (!stream->connection()) return Due(stream->connect_at());
  CheckConnection(&*stream->connection(), now, actions);
}

void StreamMachine::CheckConnection(StreamConnection* connection, absl::Duration now,
                                    Actions* actions) {
  const std::string failure = connection->Failure(now, options_.peer_timeout);
  if (!failure.empty()) Cancel(connection, failure, actions);
  if (now >= connection->drain_at) Drain(connection, now, actions);
  WriteNext(connection, now, actions);
  if (connection->CanWrite()) {
    if (now >= HeartbeatDue(*connection)) WriteHeartbeat(connection, now, actions);
    Due(HeartbeatDue(*connection));
  }
  Due(connection->NextCheck(options_.peer_timeout));
}

void StreamMachine::Drain(StreamConnection* connection, absl::Duration now, Actions* actions) {
  if (!connection->Drain(now, options_.drain_timeout)) return;
  scheduler_.Drain(connection->id);
  WriteNext(connection, now, actions);
}

void StreamMachine::Cancel(StreamConnection* connection, const std::string& why, Actions* actions) {
  if (!connection->cancelled.empty()) return;
  connection->cancelled = why;
  scheduler_.Drain(connection->id);
  actions->push_back(CancelCalls{connection->id});
}

void StreamMachine::Lose(Losses losses, const std::string& why, Actions* actions) {
  if (losses.unsent.empty() && losses.lost.empty()) return;
  actions->push_back(DeliverLosses{std::move(losses), why});
}

void StreamMachine::PublishCredits(Actions* actions) {
  const uint32_t credits = scheduler_.TotalCredits();
  if (credits == published_) return;
  published_ = credits;
  actions->push_back(DeliverCredits{credits});
}

}  // namespace xebec::rpc
