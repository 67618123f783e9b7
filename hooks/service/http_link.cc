// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/http_link.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/base/strings.h"
#include "common/http/retry_after.h"
#include "hooks/engine/redirect.h"
#include "hooks/service/hook_messages.h"
#include "hooks/service/link_target.h"

namespace xebec::gateway {
namespace {

using Error = http::WebResponse::Error;

constexpr int kOk = 200;

IpAddress AddressOf(const sockaddr& address) {
  IpAddress out;
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof(v6));
    std::memcpy(out.bytes.data(), &v6.sin6_addr, out.bytes.size());
    return out;
  }
  sockaddr_in v4{};
  std::memcpy(&v4, &address, sizeof(v4));
  out.bytes[10] = out.bytes[11] = 0xff;
  std::memcpy(out.bytes.data() + 12, &v4.sin_addr, sizeof(v4.sin_addr));
  return out;
}

HttpError ErrorOf(Error error) {
  switch (error) {
    case Error::kResolve:
      return HttpError::kResolve;
    case Error::kConnect:
      return HttpError::kConnect;
    case Error::kTls:
      return HttpError::kTls;
    case Error::kTimeout:
      return HttpError::kTimeout;
    case Error::kTooLarge:
      return HttpError::kTooLarge;
    case Error::kForbidden:
      return HttpError::kForbidden;
    case Error::kNone:
    case Error::kBroken:
    case Error::kCancelled:
      return HttpError::kBroken;
  }
  return HttpError::kBroken;
}

/// Statuses that repeat the request elsewhere. 303 would become a GET.
bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

}  // namespace

/// One request with its redirects. Thread-safe.
class HttpLink::Post final : public std::enable_shared_from_this<Post> {
 public:
  Post(const LinkSite& site, CallFacts facts, http::WebRequest request)
      : site_(site), facts_(std::move(facts)), request_(std::move(request)) {
    deadline_ = ReadClock().monotonic + request_.timeout;
  }

  const CallFacts& facts() const { return facts_; }

  /// Sends `body`. Exactly one of the functions runs, on the thread of the web client, unless the
  /// request is cancelled.
  void Start(std::string body, OnBody on_body, OnFailure on_failure) {
    request_.body = std::move(body);
    on_body_ = std::move(on_body);
    on_failure_ = std::move(on_failure);
    SendNow();
  }

  void Cancel() ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    cancelled_ = true;
    if (number_ != 0) site_.web->Cancel(number_);
  }

 private:
  void SendNow() ABSL_LOCKS_EXCLUDED(mu_) {
    MutexLock lock(&mu_);
    if (cancelled_) return;
    request_.timeout = deadline_ - ReadClock().monotonic;
    if (request_.timeout <= absl::ZeroDuration()) request_.timeout = absl::Milliseconds(1);
    number_ = site_.web->Post(request_, [self = shared_from_this()](http::WebResponse response) {
      self->Take(std::move(response));
    });
  }

  void Take(http::WebResponse response) {
    if (response.error == Error::kCancelled) return;
    if (response.error != Error::kNone) {
      return on_failure_(HttpErrorFailure(facts_, ErrorOf(response.error), response.message));
    }
    if (response.status == kOk) return on_body_(facts_, std::move(response.body));
    if (IsRedirect(response.status)) return Redirect(response);
    HttpEnd end{response.status, ErrorText(response.body), {}};
    end.retry_after = http::ParseRetryAfter(response.retry_after, ReadClock().wall);
    on_failure_(HttpStatusFailure(facts_, end));
  }

  void Redirect(const http::WebResponse& response) {
    const auto url = FollowRedirect(request_.url, response.location);
    const bool follow = url.ok() && response.status != 303 && redirects_ < kMostRedirects;
    if (!follow) {
      std::string why = url.ok() ? "it changes the method" : ToString(url.status());
      if (redirects_ >= kMostRedirects) why = absl::StrCat("it is the fourth in a row");
      return on_failure_({HookFailureCode::kRejected,
                          absl::StrCat("the hook at ", facts_.endpoint,
                                       " answered with a redirect that the gateway does not "
                                       "follow: ",
                                       why),
                          {}});
    }
    ++redirects_;
    request_.url = *url;
    SendNow();
  }

  static std::string ToString(const absl::Status& status) {
    return std::string(ToStd(status.message()));
  }

  const LinkSite site_;
  const CallFacts facts_;
  http::WebRequest request_;
  absl::Duration deadline_;
  OnBody on_body_;
  OnFailure on_failure_;
  int redirects_ = 0;
  Mutex mu_;
  uint64_t number_ ABSL_GUARDED_BY(mu_) = 0;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
};

HttpLink::HttpLink(const LinkSite& site, const struct Open& open, LinkEvents events)
    : site_(site), open_(open), events_(std::move(events)) {}

std::shared_ptr<HttpLink::Post> HttpLink::MakePost(const char* method, absl::Duration timeout) {
  http::WebRequest request;
  request.url = UrlOf(to_.target, method);
  request.headers = {"Content-Type: application/json", "Accept: application/json",
                     "Connect-Protocol-Version: 1"};
  request.timeout = timeout;
  request.max_body_bytes = site_.max_answer_bytes;
  request.server_name = to_.target.server_name;
  request.ca_pem = to_.ca_pem;
  request.certificate_pem = to_.certificate.certificate;
  request.key_pem = to_.certificate.key;
  request.check = [policy = site_.policy, target = to_.target](const sockaddr& address) {
    return std::string(ToStd(policy->CheckAddress(target, AddressOf(address)).message()));
  };
  CallFacts facts{Describe(open_.endpoint), to_.target.server_name, timeout,
                  site_.max_answer_bytes};
  return std::make_shared<Post>(site_, std::move(facts), std::move(request));
}

void HttpLink::Open() {
  absl::StatusOr<LinkTarget> to = CheckEndpoint(site_, open_.endpoint);
  if (!to.ok()) {
    return site_.post([self = shared_from_this(), failure = FailureOf(to.status())] {
      self->Described(failure);
    });
  }
  to_ = *std::move(to);
  describe_ = MakePost("Describe", site_.connect_timeout);
  auto report = [self = shared_from_this()](OpenResult result) {
    self->site_.post([self, result = std::move(result)] { self->Described(result); });
  };
  describe_->Start(
      DescribeRequestJson(open_.operator_name),
      [report](const CallFacts& facts, const std::string& body) {
        report(ReadDescriptionJson(facts, body));
      },
      report);
}

void HttpLink::Described(const OpenResult& result) {
  describe_ = nullptr;
  if (!closed_) events_.on_opened(result);
}

void HttpLink::Send(uint64_t call, const std::string& request, absl::Duration timeout) {
  const std::shared_ptr<Post> post = calls_[call] = MakePost("Sync", timeout);
  auto report = [self = shared_from_this(), call](CallResult result) {
    self->site_.post([self, call, result = std::move(result)] { self->Answered(call, result); });
  };
  auto on_body = [codecs = site_.codecs, report](const CallFacts& facts, std::string body) {
    codecs->Run([facts, report, body = std::move(body)] { report(ReadAnswerJson(facts, body)); });
  };
  site_.codecs->Run([post, request, report, on_body] {
    absl::StatusOr<std::string> json = SyncRequestJson(request);
    if (!json.ok()) return report(MalformedFailure(post->facts(), "the request is not readable"));
    post->Start(*std::move(json), on_body, report);
  });
}

void HttpLink::Answered(uint64_t call, CallResult result) {
  if (calls_.erase(call) > 0 && !closed_) events_.on_answer(call, std::move(result));
}

void HttpLink::Cancel(uint64_t call) {
  const auto found = calls_.find(call);
  if (found == calls_.end()) return;
  found->second->Cancel();
  calls_.erase(found);
}

void HttpLink::Close() {
  closed_ = true;
  events_ = {};
  if (describe_ != nullptr) describe_->Cancel();
  describe_ = nullptr;  // its callbacks keep the link, and no result follows
  for (const auto& [call, post] : calls_) post->Cancel();
  calls_.clear();
}

}  // namespace xebec::gateway
