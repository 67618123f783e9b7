// SPDX-License-Identifier: Apache-2.0
#include "common/http/web_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <variant>

#include "absl/time/time.h"
#include "common/base/bounded_queue.h"
#include "common/base/clock.h"
#include "common/base/overloaded.h"
#include "common/http/threads.h"
#include "common/http/web_exchange.h"

namespace xebec::http {
namespace {

using internal::Exchange;

constexpr int kLongestPollMs = 1000;

}  // namespace

class WebClient::Impl {
 public:
  explicit Impl(Options options) : options_(std::move(options)), multi_(curl_multi_init()) {
    curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, options_.max_connections_per_host);
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, options_.max_idle_connections);
    thread_ = std::thread([this] { Run(); });
  }

  ~Impl() {
    commands_.Close();
    curl_multi_wakeup(multi_);
    thread_.join();
    curl_multi_cleanup(multi_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  uint64_t Post(WebRequest request, std::function<void(WebResponse)> done) {
    auto exchange = std::make_unique<Exchange>();
    exchange->request = std::move(request);
    exchange->done = std::move(done);
    const uint64_t number = exchange->number = ++numbers_;
    Add(std::move(exchange));
    return number;
  }

  void Cancel(uint64_t number) { Add(number); }

 private:
  using Owned = std::unique_ptr<Exchange>;
  using Command = std::variant<Owned, uint64_t>;  // a request to send, or the number of one to drop

  void Add(Command command) {
    commands_.PushNow(std::move(command));
    curl_multi_wakeup(multi_);
  }

  void Run() {
    internal::PrepareThread(options_.thread_name.c_str());
    while (!commands_.closed()) {
      TakeCommands();
      EndOverdue();
      int running = 0;
      curl_multi_perform(multi_, &running);
      TakeEnded();
      curl_multi_poll(multi_, nullptr, 0, PollMs(), nullptr);
    }
    TakeCommands();
    while (!running_.empty()) Drop(running_.begin()->first);
    for (const auto& [number, exchange] : lingering_) {
      curl_multi_remove_handle(multi_, exchange->easy);
    }
  }

  int PollMs() const {
    if (deadlines_.empty()) return kLongestPollMs;
    const absl::Duration left = deadlines_.begin()->first - ReadClock().monotonic;
    const int64_t up = absl::ToInt64Milliseconds(left + absl::Milliseconds(1));
    return static_cast<int>(std::clamp<int64_t>(up, 0, kLongestPollMs));
  }

  void TakeCommands() {
    for (Command& command : commands_.PopAll(absl::ZeroDuration())) {
      std::visit(Overloaded{[this](Owned& exchange) { Begin(std::move(exchange)); },
                            [this](uint64_t number) { Drop(number); }},
                 command);
    }
  }

  void Begin(Owned exchange) {
    internal::Prepare(exchange.get(), options_.user_agent);
    Exchange* started = exchange.get();
    started->deadline = ReadClock().monotonic + started->request.timeout;
    deadlines_.emplace(started->deadline, started->number);
    running_.emplace(started->number, std::move(exchange));
    if (curl_multi_add_handle(multi_, started->easy) != CURLM_OK) Drop(started->number);
  }

  void Drop(uint64_t number) {
    Fail(number, WebResponse::Error::kCancelled, "the request was cancelled");
  }

  void EndOverdue() {
    const absl::Duration now = ReadClock().monotonic;
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
      Fail(deadlines_.begin()->second, WebResponse::Error::kTimeout, "no answer came in time");
    }
  }

  void Fail(uint64_t number, WebResponse::Error error, const char* message) {
    const auto found = running_.find(number);
    if (found == running_.end()) return;
    WebResponse& response = found->second->response;
    response = {};
    response.error = error;
    response.message = message;
    End(found);
  }

  void TakeEnded() {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Exchange* exchange = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
      if (exchange->lingers) {
        curl_multi_remove_handle(multi_, exchange->easy);
        lingering_.erase(exchange->number);
        continue;
      }
      internal::Conclude(exchange, message->data.result);
      End(running_.find(exchange->number));
    }
  }

  void End(std::map<uint64_t, Owned>::iterator ended) {
    Owned exchange = std::move(ended->second);
    running_.erase(ended);
    deadlines_.erase({exchange->deadline, exchange->number});
    const auto done = std::move(exchange->done);
    WebResponse response = std::move(exchange->response);
    if (exchange->resolving) {
      internal::Linger(exchange.get());
      lingering_.emplace(exchange->number, std::move(exchange));
    } else {
      curl_multi_remove_handle(multi_, exchange->easy);
    }
    done(std::move(response));
  }

  const Options options_;
  CURLM* const multi_;
  std::atomic<uint64_t> numbers_{0};
  /// Bounded by the callers, which limit their calls in flight.
  BoundedQueue<Command> commands_{{std::numeric_limits<size_t>::max()}};
  // used by the thread only:
  std::map<uint64_t, Owned> running_;
  std::set<std::pair<absl::Duration, uint64_t>> deadlines_;  // of running_
  /// Requests that ended while their names were being resolved. Each occupies a connection of its
  /// host, which bounds the lookups of a host. With CURLOPT_QUICK_EXIT, libcurl 7.88 can end a
  /// transfer during a lookup, but it then reads memory that the lookup frees if it ends at the
  /// same moment. A user who controls a DNS server must not have a chance to make this happen.
  std::map<uint64_t, Owned> lingering_;
  std::thread thread_;
};

WebClient::WebClient(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
WebClient::~WebClient() = default;

uint64_t WebClient::Post(WebRequest request, std::function<void(WebResponse)> done) {
  return impl_->Post(std::move(request), std::move(done));
}

void WebClient::Cancel(uint64_t number) { impl_->Cancel(number); }

}  // namespace xebec::http
