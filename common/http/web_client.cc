// SPDX-License-Identifier: Apache-2.0
#include "common/http/web_client.h"

#include <curl/curl.h>

#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <variant>

#include "absl/time/time.h"
#include "common/base/bounded_queue.h"
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
      int running = 0;
      curl_multi_perform(multi_, &running);
      TakeEnded();
      curl_multi_poll(multi_, nullptr, 0, kLongestPollMs, nullptr);
    }
    TakeCommands();
    while (!running_.empty()) Drop(running_.begin()->first);
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
    running_.emplace(started->number, std::move(exchange));
    if (curl_multi_add_handle(multi_, started->easy) != CURLM_OK) Drop(started->number);
  }

  void Drop(uint64_t number) {
    const auto found = running_.find(number);
    if (found == running_.end()) return;
    WebResponse& response = found->second->response;
    response = {};
    response.error = WebResponse::Error::kCancelled;
    response.message = "the request was cancelled";
    End(found);
  }

  void TakeEnded() {
    int left = 0;
    while (CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Exchange* exchange = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &exchange);
      internal::Conclude(exchange, message->data.result);
      End(running_.find(exchange->number));
    }
  }

  void End(std::map<uint64_t, Owned>::iterator ended) {
    const Owned exchange = std::move(ended->second);
    running_.erase(ended);
    curl_multi_remove_handle(multi_, exchange->easy);
    exchange->done(std::move(exchange->response));
  }

  const Options options_;
  CURLM* const multi_;
  std::atomic<uint64_t> numbers_{0};
  /// Bounded by the callers, which limit their calls in flight.
  BoundedQueue<Command> commands_{{std::numeric_limits<size_t>::max()}};
  std::map<uint64_t, Owned> running_;  // used by the thread only
  std::thread thread_;
};

WebClient::WebClient(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
WebClient::~WebClient() = default;

uint64_t WebClient::Post(WebRequest request, std::function<void(WebResponse)> done) {
  return impl_->Post(std::move(request), std::move(done));
}

void WebClient::Cancel(uint64_t number) { impl_->Cancel(number); }

}  // namespace xebec::http
