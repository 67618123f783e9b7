// SPDX-License-Identifier: Apache-2.0
// Names whose resolution takes long, as with a DNS server that does not answer.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <cstring>
#include <future>

#include "absl/strings/str_cat.h"
#include "common/base/mutex.h"
#include "common/http/http_client.h"
#include "common/http/testing/client_rig.h"
#include "common/http/web_client.h"
#include "common/kube/testing/temporary_directory.h"

namespace {

constexpr char kSlowHost[] = "slow.test";
/// A client that waits for a lookup fails the test instead of hanging it.
constexpr absl::Duration kTooLong = absl::Seconds(20);

/// The lookups of kSlowHost, which the test can hold. Thread-safe.
class Lookups {
 public:
  static Lookups& Get() {
    static auto* const lookups = new Lookups;
    return *lookups;
  }

  /// The next lookups wait for Release, but not for ever: a client that waits for them must not
  /// hang the test.
  void Hold() {
    xebec::MutexLock lock(&mu_);
    holding_ = true;
  }
  void Release() {
    xebec::MutexLock lock(&mu_);
    holding_ = false;
    changed_.NotifyAll();
  }
  /// Waits until this many lookups are held.
  void Await(int count) {
    xebec::MutexLock lock(&mu_);
    while (held_ != count) {
      if (!changed_.WaitFor(&mu_, kTooLong)) continue;
      ADD_FAILURE() << held_ << " lookups are held";
      return;
    }
  }
  int held() {
    xebec::MutexLock lock(&mu_);
    return held_;
  }
  /// Called by a lookup.
  void Pass() {
    xebec::MutexLock lock(&mu_);
    ++held_;
    changed_.NotifyAll();
    while (holding_ && !changed_.WaitFor(&mu_, kTooLong)) {
    }
    --held_;
    changed_.NotifyAll();
  }

 private:
  xebec::Mutex mu_;
  xebec::CondVar changed_;
  bool holding_ ABSL_GUARDED_BY(mu_) = false;
  int held_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace

// Takes the place of glibc's, also in libcurl.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  static const auto real =
      reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  const bool slow = node != nullptr && std::strcmp(node, kSlowHost) == 0;
  if (slow) Lookups::Get().Pass();
  return real(slow ? "127.0.0.1" : node, service, hints, result);
}

namespace xebec::http {
namespace {

using kube::TransportError;
using kube::testing::ScopedEnvironment;
using testing::Access;
using testing::Chunk;
using testing::ChunkedHead;
using testing::FakeServer;
using testing::Get;
using testing::Http;
using testing::ServedRequest;
using testing::WatchLog;
using testing::Wire;
using Error = WebResponse::Error;

/// A server that kSlowHost is a name of.
class SlowDns : public ::testing::Test {
 protected:
  ~SlowDns() override {
    lookups_.Release();
    lookups_.Await(0);
  }

  static FakeServer::Handler AnswerOk() {
    return [](const ServedRequest&, Wire& wire) { return wire.Write(Http(200, "ok")); };
  }
  static std::string SlowUrl(const FakeServer& server) {
    return absl::StrCat("http://", kSlowHost, ":", server.port());
  }
  static std::future<WebResponse> Post(WebClient* client, const std::string& server,
                                       absl::Duration timeout, uint64_t* number = nullptr) {
    WebRequest request;
    request.url = server + "/";
    request.timeout = timeout;
    request.max_body_bytes = 100;
    const auto answer = std::make_shared<std::promise<WebResponse>>();
    const uint64_t sent = client->Post(
        request, [answer](WebResponse response) { answer->set_value(std::move(response)); });
    if (number != nullptr) *number = sent;
    return answer->get_future();
  }

  Lookups& lookups_ = Lookups::Get();
  ScopedEnvironment proxy_{"http_proxy", nullptr}, all_{"ALL_PROXY", nullptr},
      all_lower_{"all_proxy", nullptr};
};

TEST_F(SlowDns, DelaysNoOtherRequestOfAWebClient) {
  FakeServer server(AnswerOk());
  WebClient client({});
  lookups_.Hold();
  auto slow = Post(&client, SlowUrl(server), absl::Milliseconds(50));
  lookups_.Await(1);
  EXPECT_EQ(slow.get().error, Error::kTimeout);
  EXPECT_EQ(Post(&client, server.url(), absl::Minutes(1)).get().status, 200);
  EXPECT_EQ(lookups_.held(), 1) << "the lookup goes on";
}

TEST_F(SlowDns, DelaysNoCancellationInAWebClient) {
  FakeServer server(AnswerOk());
  WebClient client({});
  lookups_.Hold();
  uint64_t number = 0;
  auto slow = Post(&client, SlowUrl(server), absl::Hours(1), &number);
  lookups_.Await(1);
  client.Cancel(number);
  EXPECT_EQ(slow.get().error, Error::kCancelled);
  EXPECT_EQ(Post(&client, server.url(), absl::Minutes(1)).get().status, 200);
  EXPECT_EQ(lookups_.held(), 1) << "the lookup goes on";
}

TEST_F(SlowDns, DoesNotDelayTheEndOfAWebClient) {
  FakeServer server(AnswerOk());
  lookups_.Hold();
  std::future<WebResponse> running, overdue;
  {
    WebClient client({});
    overdue = Post(&client, SlowUrl(server), absl::Milliseconds(50));
    overdue.wait();
    running = Post(&client, SlowUrl(server), absl::Hours(1));
    lookups_.Await(2);
  }
  EXPECT_EQ(running.get().error, Error::kCancelled);
  EXPECT_EQ(lookups_.held(), 2) << "the lookups go on";
}

TEST_F(SlowDns, AHostHasNoMoreLookupsThanConnectionsAndRecovers) {
  FakeServer server(AnswerOk());
  WebClient::Options options;
  options.max_connections_per_host = 2;
  WebClient client(options);
  lookups_.Hold();
  for (int round = 0; round < 3; ++round) {
    auto one = Post(&client, SlowUrl(server), absl::Milliseconds(50));
    auto other = Post(&client, SlowUrl(server), absl::Milliseconds(50));
    lookups_.Await(2);
    EXPECT_EQ(one.get().error, Error::kTimeout);
    EXPECT_EQ(other.get().error, Error::kTimeout);
  }
  EXPECT_EQ(lookups_.held(), 2);
  auto later = Post(&client, SlowUrl(server), absl::Minutes(1));
  lookups_.Release();
  EXPECT_EQ(later.get().status, 200);
  EXPECT_EQ(server.connections(), 1) << "requests that are over connect to nothing";
}

TEST_F(SlowDns, DelaysNoWatchOfAnApiClient) {
  std::promise<void> go_on;
  FakeServer server([&](const ServedRequest&, Wire& wire) {
    wire.Write(ChunkedHead(200) + Chunk("1"));
    go_on.get_future().wait();
    wire.Write(Chunk("2"));
    return false;
  });
  ApiClient client(Access(SlowUrl(server)), {});
  WatchLog log;
  const auto watch = client.Watch(Get("/watch"), absl::ZeroDuration(), log.Events());
  log.AwaitBytes(1);
  lookups_.Hold();
  std::promise<kube::ApiResponse> answer;
  client.Send(
      Get("/a"), [&](kube::ApiResponse response) { answer.set_value(std::move(response)); },
      absl::Milliseconds(50));
  lookups_.Await(1);
  EXPECT_EQ(answer.get_future().get().error, TransportError::kNotSent);
  go_on.set_value();
  log.AwaitBytes(2);
  EXPECT_EQ(lookups_.held(), 1) << "the lookup goes on";
}

}  // namespace
}  // namespace xebec::http
