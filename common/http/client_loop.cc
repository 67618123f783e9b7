// SPDX-License-Identifier: Apache-2.0
#include "common/http/client_loop.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/http/threads.h"

namespace xebec::http::internal {
namespace {

using kube::ApiResponse;
using kube::TransportError;

constexpr char kClosed[] = "the client was closed";

class LoopStream : public Stream {
 public:
  LoopStream(std::shared_ptr<Inbox> inbox, std::shared_ptr<StreamState> state)
      : inbox_(std::move(inbox)), state_(std::move(state)) {}
  ~LoopStream() override { LoopStream::Cancel(); }

  void Cancel() override { End(/*wait=*/!inbox_->OnOwnerThread()); }
  void CancelAsync() override { End(/*wait=*/false); }

 private:
  void End(bool wait) {
    if (state_ == nullptr) return;
    state_->Cancel(wait);
    inbox_->Push(CancelStream{std::move(state_)});
    state_ = nullptr;
  }

  const std::shared_ptr<Inbox> inbox_;
  std::shared_ptr<StreamState> state_;
};

/// Returns the host and port of a URL: "127.0.0.1:6443" of "https://127.0.0.1:6443/path".
std::string HostOf(const std::string& server) {
  const size_t scheme = server.find("://");
  const size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  return server.substr(begin, server.find('/', begin) - begin);
}

/// The response to a transfer that cannot be started.
ApiResponse Refusal(const Transfer& transfer, const std::string& server, const std::string& why) {
  return MakeFailure(transfer, server, TransportError::kNotSent, why);
}

}  // namespace

ClientLoop::ClientLoop(kube::ClusterAccess access, ApiClientOptions options)
    : access_(std::move(access)),
      options_(std::move(options)),
      host_(HostOf(access_.config.server)),
      inbox_(std::make_shared<Inbox>()),
      now_(ReadClock().monotonic),
      poller_(inbox_->wake_fd()),
      easies_(access_.config, options_),
      // An HTTP/2 connection carries 250 streams. Servers with only HTTP/1.1 need one connection
      // for each stream.
      requests_(poller_, {32}),
      watches_(poller_, {0}) {
  if (access_.credentials != nullptr) {
    worker_ = std::make_unique<CredentialWorker>(
        access_.credentials,
        [inbox = inbox_](absl::StatusOr<kube::Credentials> credentials, bool invalidated) {
          inbox->Push(CredentialsArrived{std::move(credentials), invalidated});
        });
  } else {
    credentials_.Arrived(kube::Credentials(), false, now_);
  }
  thread_ = std::thread([this] { Run(); });
}

ClientLoop::~ClientLoop() {
  stopping_ = true;
  inbox_->Wake();
  thread_.join();
}

void ClientLoop::Send(kube::ApiRequest request, std::function<void(ApiResponse)> done,
                      absl::Duration timeout) {
  auto transfer = std::make_unique<Transfer>();
  transfer->request = std::move(request);
  transfer->done = std::move(done);
  transfer->started = ReadClock().monotonic;
  transfer->deadline =
      transfer->started + (timeout > absl::ZeroDuration() ? timeout : options_.request_timeout);
  const bool room = in_flight_.fetch_add(1) < kMaxInFlight;
  if (!room) transfer->request.body.clear();
  Command command;
  if (room) {
    command = StartTransfer{std::move(transfer)};
  } else {
    command = RefuseTransfer{std::move(transfer)};
  }
  if (!inbox_->Push(std::move(command))) AnswerClosed(&command);
}

std::unique_ptr<Stream> ClientLoop::Watch(kube::ApiRequest request, absl::Duration timeout,
                                          ApiClient::StreamEvents events) {
  auto state = std::make_shared<StreamState>(std::move(events));
  auto transfer = std::make_unique<Transfer>();
  transfer->request = std::move(request);
  transfer->stream = state;
  transfer->started = transfer->last_byte = ReadClock().monotonic;
  if (timeout > absl::ZeroDuration()) transfer->deadline = transfer->started + timeout;
  auto stream = std::make_unique<LoopStream>(inbox_, std::move(state));
  Command command = StartTransfer{std::move(transfer)};
  if (!inbox_->Push(std::move(command))) AnswerClosed(&command);
  return stream;
}

void ClientLoop::Run() {
  PrepareThread("xebec-http");
  inbox_->SetOwner();
  while (!stopping_) {
    poller_.Dispatch();
    for (Command& command : inbox_->TakeAll()) {
      std::visit([this](auto&& c) { Handle(std::forward<decltype(c)>(c)); }, std::move(command));
    }
    RunTimers();
    EndBatches();
    CollectEnded();
    const absl::Duration timeout = inbox_->empty() ? NextTimer() - now_ : absl::ZeroDuration();
    const bool woken = poller_.Wait(timeout);
    const bool slept = options_.gather_under_load && Gather();
    if (woken || slept) inbox_->ClearWakeUps();
    now_ = ReadClock().monotonic;
  }
  EndEverything();
}

/// Returns true if it has slept.
bool ClientLoop::Gather() {
  const absl::Duration sleep =
      pace_.Sleep(ReadClock().monotonic, {requests_.running().size(), requests_.reads()});
  if (sleep <= absl::ZeroDuration()) return false;
  Poller::Pause(sleep);
  return true;
}

void ClientLoop::Handle(StartTransfer command) { Begin(std::move(command.transfer)); }

void ClientLoop::Handle(RefuseTransfer command) {
  ApiResponse response = Refusal(*command.transfer, config().server,
                                 absl::StrCat(kMaxInFlight, " requests are in flight already"));
  Answer(std::move(command.transfer), std::move(response));
}

void ClientLoop::Handle(CancelStream command) {
  const auto is_it = [&](const Owned& transfer) { return transfer->stream == command.stream; };
  const PoolSet::Running& running = watches_.running();
  const auto found = std::find_if(running.begin(), running.end(),
                                  [&](const auto& entry) { return is_it(entry.second); });
  if (found != running.end()) Detach(&watches_, found->first);
  parked_.erase(std::remove_if(parked_.begin(), parked_.end(), is_it), parked_.end());
  command.stream->Release();
}

void ClientLoop::Handle(CredentialsArrived command) {
  if (!credentials_.Arrived(std::move(command.credentials), command.invalidated, now_)) return;
  const auto verdict =
      credentials_.current() ? CredentialCache::Verdict::kGo : CredentialCache::Verdict::kFailed;
  for (Owned& transfer : std::exchange(parked_, {})) BeginOrPark(std::move(transfer), {verdict});
}

void ClientLoop::Begin(Owned transfer) {
  if (transfer->is_watch() && transfer->stream->cancelled()) return;
  const CredentialCache::Answer answer =
      worker_ ? credentials_.Want(now_) : CredentialCache::Answer{CredentialCache::Verdict::kGo};
  BeginOrPark(std::move(transfer), answer);
}

void ClientLoop::BeginOrPark(Owned transfer, CredentialCache::Answer answer) {
  Ask(answer.question);
  switch (answer.verdict) {
    case CredentialCache::Verdict::kGo:
      Launch(std::move(transfer));
      return;
    case CredentialCache::Verdict::kWait:
      parked_.push_back(std::move(transfer));
      return;
    case CredentialCache::Verdict::kFailed:
      ApiResponse response =
          Refusal(*transfer, config().server,
                  absl::StrCat("no credentials: ", credentials_.error().message()));
      Answer(std::move(transfer), std::move(response));
      return;
  }
}

void ClientLoop::Ask(CredentialCache::Question question) {
  if (question == CredentialCache::Question::kNone || worker_ == nullptr) return;
  worker_->Ask(question == CredentialCache::Question::kInvalidateAndGet);
}

void ClientLoop::Launch(Owned transfer) {
  PoolSet& set = transfer->is_watch() ? watches_ : requests_;
  transfer->now = &now_;
  transfer->last_byte = now_;
  transfer->credentials_round = credentials_.round();
  ++transfer->attempts;
  easies_.Equip(transfer.get(), credentials_.current());
  long timeout_ms = 0;  // none
  if (transfer->deadline < absl::InfiniteDuration()) {
    timeout_ms = std::max<long>(1, absl::ToInt64Milliseconds(transfer->deadline - now_));
  }
  curl_easy_setopt(transfer->easy, CURLOPT_TIMEOUT_MS, timeout_ms);
  const CURLMcode code = set.Start(&transfer);
  if (code == CURLM_OK) return;
  ApiResponse response = Refusal(*transfer, config().server, curl_multi_strerror(code));
  easies_.Release(transfer.get());
  Answer(std::move(transfer), std::move(response));
}

ClientLoop::Owned ClientLoop::Detach(PoolSet* set, CURL* easy) {
  Owned transfer = set->Detach(easy);
  easies_.Release(transfer.get());
  return transfer;
}

void ClientLoop::OnEnded(PoolSet* set, CURL* easy, CURLcode code) {
  Transfer* transfer = set->running().at(easy).get();
  ApiResponse response = MakeResponse(transfer, code, config().server, ReadClock().wall);
  if (code == CURLE_OK && transfer->connection) transfer->connection->last_byte = now_;
  // Nothing has arrived on the connection since this request started: the connection is dead.
  const bool dead = response.error == TransportError::kTimeout && transfer->connection &&
                    transfer->connection->last_byte <= transfer->started;
  Owned owned = Detach(set, easy);
  if (dead) set->RetireConnectionsOf(*owned);
  if (Retry(&owned, response, code)) return;
  Answer(std::move(owned), std::move(response));
}

/// Retry once if the server refused the credentials, or if an unknown CA signed its certificate:
/// the CA may have been rotated.
bool ClientLoop::Retry(Owned* transfer, const ApiResponse& response, CURLcode code) {
  const bool distrusted = code == CURLE_PEER_FAILED_VERIFICATION;
  const bool refused = response.status == 401;
  if ((!refused && (!distrusted || worker_ == nullptr)) || (*transfer)->attempts > 1) return false;
  ResetAttempt(transfer->get());
  const uint64_t round = (*transfer)->credentials_round;
  CredentialCache::Answer answer{CredentialCache::Verdict::kGo};
  if (worker_) answer = refused ? credentials_.Refused(round) : credentials_.Distrusted(round);
  BeginOrPark(std::move(*transfer), answer);
  return true;
}

void ClientLoop::Answer(Owned transfer, ApiResponse response) {
  if (options_.observer) {
    options_.observer({.method = transfer->is_watch() ? "WATCH" : transfer->request.method,
                       .host = host_,
                       .status = response.status,
                       .took = ReadClock().monotonic - transfer->started,
                       .request_bytes = transfer->request.body.size(),
                       .response_bytes = response.body.size(),
                       .retries = std::max(0, transfer->attempts - 1)});
  }
  if (!transfer->is_watch()) {
    in_flight_.fetch_sub(1);
    transfer->done(std::move(response));
    return;
  }
  transfer->stream->Deliver([&](ApiClient::StreamEvents& events) {
    if (events.on_end) events.on_end(std::move(response));
  });
  transfer->stream->Release();
}

void ClientLoop::RunTimers() {
  for (PoolSet* set : {&requests_, &watches_}) set->RunTimers(now_);
  EndIdleWatches();
  EndParked();
}

void ClientLoop::EndBatches() {
  for (const auto& [easy, watch] : watches_.running()) EndBatch(watch.get());
}

void ClientLoop::CollectEnded() {
  for (PoolSet* set : {&requests_, &watches_}) {
    while (const auto ended = set->NextEnded()) OnEnded(set, ended->easy, ended->code);
  }
}

absl::Duration ClientLoop::NextTimer() {
  absl::Duration next = std::min(requests_.timer(), watches_.timer());
  for (const auto& [easy, watch] : watches_.running()) next = std::min(next, IdleDeadline(*watch));
  for (const Owned& transfer : parked_) next = std::min(next, ParkedDeadline(*transfer));
  return next;
}

// A watch without response headers has a deadline of its own: servers send the headers at once.
absl::Duration ClientLoop::IdleDeadline(const Transfer& watch) const {
  const absl::Duration own = watch.last_byte;
  const Connection* connection = watch.connection.get();
  const bool shared = watch.status != 0 && connection != nullptr;
  return (shared ? std::max(own, connection->last_byte) : own) + options_.watch_idle_timeout;
}

absl::Duration ClientLoop::ParkedDeadline(const Transfer& transfer) const {
  if (!transfer.is_watch()) return transfer.deadline;
  return std::min(transfer.deadline, transfer.last_byte + options_.watch_idle_timeout);
}

// If all watches of a connection are silent, the connection is dead.
void ClientLoop::EndIdleWatches() {
  std::vector<CURL*> idle;
  for (const auto& [easy, watch] : watches_.running()) {
    if (IdleDeadline(*watch) <= now_) idle.push_back(easy);
  }
  for (CURL* easy : idle) {
    Owned watch = Detach(&watches_, easy);
    const Connection* connection = watch->connection.get();
    const bool dead =
        connection == nullptr || connection->last_byte + options_.watch_idle_timeout <= now_;
    if (dead) watches_.RetireConnectionsOf(*watch);
    ApiResponse response =
        MakeFailure(*watch, config().server, TransportError::kBroken,
                    absl::StrCat("nothing has arrived for ",
                                 absl::FormatDuration(options_.watch_idle_timeout)));
    Answer(std::move(watch), std::move(response));
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
  while (!set->running().empty()) {
    Owned transfer = Detach(set, set->running().begin()->first);
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

}  // namespace xebec::http::internal
