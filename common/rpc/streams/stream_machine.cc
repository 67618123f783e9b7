// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/stream_machine.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"

namespace xebec::rpc {
namespace {

constexpr char kOverload[] = "too many requests wait for a free credit";

}  // namespace

StreamMachine::StreamMachine(StreamOptions options, uint32_t seed)
    : options_(std::move(options)),
      seeds_(seed),
      scheduler_(options_.max_waiting, options_.outliers) {}

PeerStream* StreamMachine::Find(StreamId stream) {
  const auto it = streams_.find(static_cast<uint32_t>(stream >> 32));
  if (it == streams_.end() || !it->second.connection()) return nullptr;
  return it->second.connection()->id == stream ? &it->second : nullptr;
}

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
  StreamConnection& connection = *Find(stream)->connection();
  connection.revision = std::move(revision);
  connection.unanswered_since = now;
  if (connection.draining) return Finished(stream, absl::OkStatus(), now);
  return {OpenCall{stream}};
}

Actions StreamMachine::Started(StreamId stream, bool ok, absl::Duration now) {
  StreamConnection& connection = *Find(stream)->connection();
  if (!ok) return ReadEnded(stream);
  Actions actions;
  connection.open = true;
  actions.push_back(StartRead{stream});
  WriteNext(&connection, now, &actions);
  if (connection.CanWrite()) WriteHeartbeat(&connection, now, &actions);
  return actions;
}

Actions StreamMachine::Heard(StreamId stream, Answer answer, PeerVerdict verdict,
                             const std::string& why_failed, absl::Duration now) {
  Actions actions;
  PeerStream* const from = Find(stream);
  Open(from, now, &actions);
  const bool wanted = answer.sequence != 0 && scheduler_.Complete(stream, answer.sequence);
  StreamScheduler::PeerChange change = StreamScheduler::PeerChange::kNone;
  if (verdict != PeerVerdict::kNone) {
    change = scheduler_.Judge(stream, verdict == PeerVerdict::kFailed, now);
  }
  scheduler_.Grant(stream, answer.credits);
  WriteWoken(now, &actions);
  WriteNext(&*from->connection(), now, &actions);
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
  StreamConnection& connection = *Find(stream)->connection();
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
  PeerStream* const ended = Find(stream);
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
  RemoveEnded();
  return actions;
}

void StreamMachine::NoteEnd(PeerStream* stream, const absl::Status& status, Actions* actions) {
  const std::string error(ToStd(status.message()));
  if (stream->Repeats(error) && !status.ok()) return;
  actions->push_back(
      StreamNote{!status.ok() && !stream->ending(), "Stream down", stream->address().uri, error});
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
