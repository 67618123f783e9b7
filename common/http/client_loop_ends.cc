// SPDX-License-Identifier: Apache-2.0
// How transfers end by the loop's own decision, and how dead connections are recognised.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/http/client_loop.h"

namespace xebec::http::internal {

using kube::ApiResponse;
using kube::TransportError;

namespace {

constexpr char kClosed[] = "the client was closed";

}  // namespace

// A watch without response headers has a deadline of its own: servers send the headers at once.
absl::Duration ClientLoop::IdleDeadline(const Running& running) const {
  const absl::Duration own = running.transfer->last_byte;
  const Connection* connection = running.transfer->connection.get();
  const bool shared = running.transfer->status != 0 && connection != nullptr;
  return (shared ? std::max(own, connection->last_byte) : own) + options_.watch_idle_timeout;
}

absl::Duration ClientLoop::ParkedDeadline(const Transfer& transfer) const {
  if (!transfer.is_watch()) return transfer.deadline;
  return std::min(transfer.deadline, transfer.last_byte + options_.watch_idle_timeout);
}

// If all watches of a connection are silent, the connection is dead.
void ClientLoop::EndIdleWatches() {
  std::vector<CURL*> idle;
  for (const auto& [easy, running] : watches_.running) {
    if (IdleDeadline(running) <= now_) idle.push_back(easy);
  }
  for (CURL* easy : idle) {
    const Running& running = watches_.running.at(easy);
    ApiResponse response =
        MakeFailure(*running.transfer, config().server, TransportError::kBroken,
                    absl::StrCat("nothing has arrived for ",
                                 absl::FormatDuration(options_.watch_idle_timeout)));
    const Connection* connection = running.transfer->connection.get();
    const bool dead =
        connection == nullptr || connection->last_byte + options_.watch_idle_timeout <= now_;
    if (dead && running.pool == watches_.current.get()) Retire(&watches_);
    Answer(Detach(&watches_, easy), std::move(response));
  }
}

void ClientLoop::EndParked() {
  const auto due = std::stable_partition(parked_.begin(), parked_.end(),
                                         [&](const Owned& t) { return ParkedDeadline(*t) > now_; });
  std::vector<Owned> ended(std::make_move_iterator(due), std::make_move_iterator(parked_.end()));
  parked_.erase(due, parked_.end());
  for (Owned& transfer : ended) {
    ApiResponse response = MakeFailure(*transfer, config().server, TransportError::kNotSent,
                                       "timed out while waiting for credentials");
    Answer(std::move(transfer), std::move(response));
  }
}

void ClientLoop::EndRunning(PoolSet* set) {
  while (!set->running.empty()) {
    Owned transfer = Detach(set, set->running.begin()->first);
    ApiResponse response =
        MakeFailure(*transfer, config().server, TransportError::kBroken, kClosed);
    Answer(std::move(transfer), std::move(response));
  }
}

void ClientLoop::AnswerClosed(Command* command) {
  Owned transfer;
  if (auto* start = std::get_if<StartTransfer>(command)) transfer = std::move(start->transfer);
  if (auto* refuse = std::get_if<RefuseTransfer>(command)) transfer = std::move(refuse->transfer);
  if (auto* cancel = std::get_if<CancelStream>(command)) cancel->stream->Release();
  if (transfer == nullptr) return;
  ApiResponse response = MakeFailure(*transfer, config().server, TransportError::kNotSent, kClosed);
  Answer(std::move(transfer), std::move(response));
}

void ClientLoop::EndEverything() {
  worker_.reset();
  inbox_->Close();
  EndRunning(&requests_);
  EndRunning(&watches_);
  for (Owned& transfer : std::exchange(parked_, {})) {
    Command command = StartTransfer{std::move(transfer)};
    AnswerClosed(&command);
  }
  for (Command& command : inbox_->TakeAll()) AnswerClosed(&command);
}

void ClientLoop::Retire(PoolSet* set) {
  set->retired.push_back(std::move(set->current));
  set->current = std::make_unique<MultiPool>(poller_, set->limits);
}

void ClientLoop::DropEmptyPools(PoolSet* set) {
  set->retired.remove_if([](const auto& pool) { return pool->size() == 0; });
}

}  // namespace xebec::http::internal
