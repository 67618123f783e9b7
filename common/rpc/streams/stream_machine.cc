// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_machine.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/rpc/streams/stream_writes.h"

namespace xebec::rpc {
namespace {

constexpr char kOverload[] = "too many requests wait for a free credit";
constexpr char kOverdue[] = "no answer within the timeout";

}  // namespace

StreamMachine::StreamMachine(StreamOptions options, uint32_t seed)
    : options_(std::move(options)),
      streams_(seed),
      scheduler_(options_.max_waiting, options_.outliers) {}

Actions StreamMachine::Send(Request request, absl::Duration now) {
  Actions actions;
  Due(request.deadline);
  std::optional<Request> refused = std::move(request);
  std::string why = closed_;
  if (why.empty()) {
    refused = scheduler_.Add(*std::move(refused));
    why = kOverload;
  }
  WriteWoken(now, &actions);
  if (!refused) return actions;
  Losses losses;
  losses.unsent.push_back(*std::move(refused));
  postponed_losses_.push_back({std::move(losses), std::move(why)});
  TickNow();
  return actions;
}

void StreamMachine::Close(const std::string& why) {
  closed_ = why;
  postponed_losses_.push_back({scheduler_.Clear(), why});
  TickNow();
}

void StreamMachine::Abort(const std::string& why) {
  aborted_ = why;
  addresses_.reset();
  TickNow();
}

void StreamMachine::SetAddresses(std::vector<Address> addresses) {
  addresses_ = std::move(addresses);
  TickNow();
}

Actions StreamMachine::HandshakeDone(StreamId stream, std::string revision, absl::Duration now) {
  StreamConnection& connection = *streams_.Find(stream)->connection();
  connection.revision = std::move(revision);
  connection.unanswered_since = now;
  if (connection.draining) return Finished(stream, absl::OkStatus(), now);
  return {OpenCall{stream}};
}

Actions StreamMachine::Started(StreamId stream, bool ok, absl::Duration now) {
  StreamConnection& connection = *streams_.Find(stream)->connection();
  if (!ok) return ReadEnded(stream);
  Actions actions;
  connection.open = true;
  actions.push_back(StartRead{stream});
  WriteNext(&connection, &scheduler_, now, &actions);
  if (connection.CanWrite()) WriteHeartbeat(&connection, now, &actions);
  return actions;
}

Actions StreamMachine::Heard(StreamId stream, Answer answer, PeerVerdict verdict,
                             const std::string& why_failed, absl::Duration now) {
  Actions actions;
  PeerStream* const from = streams_.Find(stream);
  Open(from, now, &actions);
  const bool wanted = answer.sequence != 0 && scheduler_.Complete(stream, answer.sequence);
  StreamScheduler::PeerChange change = StreamScheduler::PeerChange::kNone;
  if (verdict != PeerVerdict::kNone) {
    change = scheduler_.Judge(stream, verdict == PeerVerdict::kFailed, now);
  }
  scheduler_.Grant(stream, answer.credits);
  WriteWoken(now, &actions);
  WriteNext(&*from->connection(), &scheduler_, now, &actions);
  if (change == StreamScheduler::PeerChange::kEjected) {
    actions.push_back(StreamNote{true, kPeerEjected, from->address().uri, why_failed});
    TickNow();  // it finds the end of the ejection
  } else if (change == StreamScheduler::PeerChange::kRestored) {
    actions.push_back(StreamNote{false, kPeerRestored, from->address().uri, ""});
  }
  if (wanted) actions.push_back(DeliverAnswer{std::move(answer)});
  PublishCredits(&actions);
  actions.push_back(StartRead{stream});
  return actions;
}

void StreamMachine::Open(PeerStream* stream, absl::Duration now, Actions* actions) {
  StreamConnection& connection = *stream->connection();
  connection.unanswered_since = absl::InfiniteDuration();
  if (connection.up_since) return;
  connection.up_since = now;
  if (!connection.draining) {
    scheduler_.Open(connection.id, connection.revision, stream->address().uri);
  }
  actions->push_back(StreamNote{false, "Stream up", stream->address().uri, connection.revision});
}

Actions StreamMachine::ReadEnded(StreamId stream) {
  StreamConnection& connection = *streams_.Find(stream)->connection();
  connection.ended = true;
  scheduler_.Drain(stream);
  if (connection.writing) return {};  // Written continues
  return FinishOnce(&connection);
}

Actions StreamMachine::FinishOnce(StreamConnection* connection) {
  if (std::exchange(connection->finishing, true)) return {};
  return {FinishCall{connection->id}};
}

Actions StreamMachine::Finished(StreamId stream, const absl::Status& status, absl::Duration now) {
  Actions actions;
  PeerStream* const ended = streams_.Find(stream);
  const std::string cancelled = ended->connection()->cancelled;
  const absl::Status reason = cancelled.empty() ? status : absl::CancelledError(cancelled);
  Losses losses = scheduler_.Close(stream);
  WriteWoken(now, &actions);
  PublishCredits(&actions);
  Lose(std::move(losses),
       reason.ok() ? "the connection was closed"
                   : absl::StrCat("connection lost: ", reason.message()),
       &actions);
  NoteEnd(ended, reason, &actions);
  actions.push_back(Forget{stream});
  ended->Disconnect(options_, now);
  Due(ended->connect_at());
  streams_.RemoveEnded();
  return actions;
}

void StreamMachine::NoteEnd(PeerStream* stream, const absl::Status& status, Actions* actions) {
  const std::string error(ToStd(status.message()));
  if (stream->Repeats(error) && !status.ok()) return;
  actions->push_back(
      StreamNote{!status.ok() && !stream->ending(), "Stream down", stream->address().uri, error});
}

Actions StreamMachine::Written(StreamId stream, bool ok, absl::Duration now) {
  StreamConnection& connection = *streams_.Find(stream)->connection();
  connection.writing = false;
  if (!ok) connection.writes_over = true;
  if (connection.ended) return FinishOnce(&connection);
  Actions actions;
  WriteNext(&connection, &scheduler_, now, &actions);
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
    if (PeerStream* woken = streams_.Find(stream))
      WriteNext(&*woken->connection(), &scheduler_, now, actions);
  }
}

Actions StreamMachine::Tick(absl::Duration now) {
  Actions actions;
  due_ = now + options_.heartbeat_busy;  // a stream may have become busy before it
  DeliverPostponed(&actions);
  Reconcile(now, &actions);
  if (!aborted_.empty()) EndStreams(&actions);
  Lose(scheduler_.Expire(now), kOverdue, &actions);
  for (auto& [number, stream] : streams_.all()) Check(number, &stream, now, &actions);
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
  for (PeerStream* stream : streams_.EndAllBut(wanted)) {
    if (stream->connection()) Drain(&*stream->connection(), now, actions);
  }
  streams_.RemoveEnded();
  streams_.Fill(wanted, options_.streams_per_address);
}

void StreamMachine::EndStreams(Actions* actions) {
  for (PeerStream* stream : streams_.EndAllBut({})) {
    if (stream->connection()) Cancel(&*stream->connection(), aborted_, actions);
  }
  streams_.RemoveEnded();
}

void StreamMachine::Check(uint32_t number, PeerStream* stream, absl::Duration now,
                          Actions* actions) {
  if (!stream->connection() && now >= stream->connect_at()) {
    stream->Connect(streams_.NextConnection(number), options_, now);
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
  WriteNext(connection, &scheduler_, now, actions);
  if (connection->CanWrite()) {
    if (now >= HeartbeatDue(*connection)) WriteHeartbeat(connection, now, actions);
    Due(HeartbeatDue(*connection));
  }
  Due(connection->NextCheck(options_.peer_timeout));
}

void StreamMachine::Drain(StreamConnection* connection, absl::Duration now, Actions* actions) {
  if (!connection->Drain(now, options_.drain_timeout)) return;
  scheduler_.Drain(connection->id);
  WriteNext(connection, &scheduler_, now, actions);
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

absl::Duration StreamMachine::HeartbeatDue(const StreamConnection& connection) const {
  return connection.last_heartbeat +
         (scheduler_.Busy(connection.id) ? options_.heartbeat_busy : options_.heartbeat_idle);
}

size_t StreamMachine::InFlight() const {
  size_t postponed = 0;
  for (const DeliverLosses& entry : postponed_losses_) postponed += entry.losses.unsent.size();
  return scheduler_.InFlight() + postponed;
}

bool StreamMachine::Gone() const {
  return !aborted_.empty() && streams_.empty() && postponed_losses_.empty() &&
         postponed_answers_.empty();
}

}  // namespace xebec::rpc
