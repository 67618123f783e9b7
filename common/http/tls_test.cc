// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "common/http/http_client.h"
#include "common/http/testing/client_rig.h"
#include "common/http/testing/fake_h2.h"

namespace xebec::http {
namespace {

using kube::ApiResponse;
using kube::TransportError;
using kube::testing::KeyPair;
using kube::testing::MakeCa;
using kube::testing::MakeCertificate;
using testing::Ask;
using testing::CountBegun;
using testing::FakeH2;
using testing::FakeServer;
using testing::Get;
using testing::Http;
using testing::ManyWatches;
using testing::Recorder;
using testing::ServedRequest;
using testing::StartWatches;
using testing::TlsSettings;
using testing::WatchLog;
using testing::Wire;

const KeyPair& Ca() {
  static const KeyPair* const ca = new KeyPair(MakeCa());
  return *ca;
}

TlsSettings Settings(const std::string& name = "server") {
  return {MakeCertificate(Ca(), name), /*client_ca_pem=*/"", /*offer_h2=*/false};
}

kube::ClusterAccess Access(const std::string& url) {
  kube::ClusterAccess access = testing::Access(url);
  access.config.ca_pem = Ca().cert_pem;
  return access;
}

bool AnswerOk(const ServedRequest&, Wire& wire) { return wire.Write(Http(200, "ok")); }

/// Gives a fixed client certificate.
class CertificateSource : public kube::CredentialSource {
 public:
  explicit CertificateSource(const KeyPair& pair) {
    credentials_.client_cert_pem = pair.cert_pem;
    credentials_.client_key_pem = pair.key_pem;
  }
  absl::StatusOr<kube::Credentials> Get() override { return credentials_; }
  void Invalidate() override {}

 private:
  kube::Credentials credentials_;
};

TEST(Tls, TrustsTheGivenCa) {
  FakeServer server(&AnswerOk, Settings());
  ApiClient client(Access(server.url()), {});
  EXPECT_EQ(Ask(client, Get("/a")).body, "ok");
}

TEST(Tls, RefusesAnUntrustedServerBeforeSending) {
  FakeServer server(&AnswerOk, TlsSettings{MakeCertificate(MakeCa(), "server"), "", false});
  ApiClient client(Access(server.url()), {});
  const ApiResponse response = Ask(client, Get("/a"));
  EXPECT_EQ(response.error, TransportError::kNotSent);
  EXPECT_NE(response.error_message.find("certificate"), std::string::npos)
      << response.error_message;
}

TEST(Tls, SkipsVerificationOnlyWhenAsked) {
  FakeServer server(&AnswerOk, TlsSettings{MakeCertificate(MakeCa(), "server"), "", false});
  kube::ClusterAccess access = testing::Access(server.url());
  access.config.insecure_skip_tls_verify = true;
  ApiClient client(access, {});
  EXPECT_EQ(Ask(client, Get("/a")).body, "ok");
}

TEST(Tls, ShowsTheClientCertificate) {
  TlsSettings settings = Settings();
  settings.client_ca_pem = Ca().cert_pem;
  FakeServer server(&AnswerOk, settings);
  kube::ClusterAccess access = Access(server.url());
  access.credentials = std::make_shared<CertificateSource>(MakeCertificate(Ca(), "client"));
  ApiClient with(access, {});
  EXPECT_EQ(Ask(with, Get("/a")).body, "ok");
  ApiClient without(Access(server.url()), {});
  EXPECT_NE(Ask(without, Get("/a")).error, TransportError::kNone);
}

TEST(Tls, VerifiesTheNameOfTheConfiguration) {
  FakeServer server(&AnswerOk, Settings("api.internal"));
  kube::ClusterAccess access = Access(server.url());
  access.config.tls_server_name = "api.internal";
  ApiClient good(access, {});
  EXPECT_EQ(Ask(good, Get("/a")).body, "ok");
  access.config.tls_server_name = "other.internal";
  ApiClient bad(access, {});
  EXPECT_EQ(Ask(bad, Get("/a")).error, TransportError::kNotSent);
}

ApiClientOptions ShortTimeouts() {
  ApiClientOptions options;
  options.request_timeout = absl::Milliseconds(200);
  options.watch_idle_timeout = absl::Milliseconds(200);
  return options;
}

TEST(Http2, CarriesManyRequestsOnOneConnection) {
  FakeH2 fake(Settings(), [](int, int) { return FakeH2::Act::kAnswer; });
  ApiClient client(Access(fake.server().url()), {});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Ask(client, Get("/a")).body, "1");
  EXPECT_EQ(fake.server().connections(), 1);
}

/// Cancels watches at any point of the opening of their connections, and starts others.
void ExpectAllBeginAfterOthersWereCancelled(FakeServer& server, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    ApiClient client(Access(server.url()), {});
    const int opened = server.connections();
    ManyWatches cancelled = StartWatches(client, 15);
    while (server.connections() < opened + round % 16) std::this_thread::yield();
    cancelled.streams.clear();
    ManyWatches watches = StartWatches(client, 15);
    ASSERT_EQ(CountBegun(&watches), 15) << "round " << round;
  }
}

TEST(Tls, WatchesBeginThoughOthersThatWaitedWithThemAreCancelled) {
  FakeServer server(
      [](const ServedRequest&, Wire& wire) {
        wire.Write(testing::ChunkedHead(200));
        return wire.Hang(), false;
      },
      Settings());
  ExpectAllBeginAfterOthersWereCancelled(server, 48);
}

TEST(Http2, WatchesBeginThoughOthersThatWaitedWithThemAreCancelled) {
  FakeH2 fake(Settings(), [](int, int) { return FakeH2::Act::kAnswer; });
  for (int round = 0; round < 50; ++round) {
    ApiClient client(Access(fake.server().url()), {});
    const int opened = fake.server().connections();
    ManyWatches cancelled = StartWatches(client, 15);
    while (round % 2 == 1 && fake.server().connections() == opened) std::this_thread::yield();
    cancelled.streams.clear();
    ManyWatches watches = StartWatches(client, 15);
    ASSERT_EQ(CountBegun(&watches), 15) << "round " << round;
  }
}

TEST(Http2, KeepsWatchesOnTheirOwnConnection) {
  FakeH2 fake(Settings(), [](int, int) { return FakeH2::Act::kAnswer; });
  ApiClient client(Access(fake.server().url()), {});
  EXPECT_EQ(Ask(client, Get("/a")).body, "1");
  WatchLog log;
  const auto stream = client.Watch(Get("/watch"), absl::ZeroDuration(), log.Events());
  log.AwaitEnd();
  EXPECT_EQ(log.body(), "2");
}

TEST(Http2, ReplacesAConnectionThatDiedSilently) {
  FakeH2 fake(Settings(), [](int connection, int number) {
    return connection == 1 && number > 1 ? FakeH2::Act::kFreeze : FakeH2::Act::kAnswer;
  });
  ApiClient client(Access(fake.server().url()), ShortTimeouts());
  EXPECT_EQ(Ask(client, Get("/a")).body, "1");
  EXPECT_EQ(Ask(client, Get("/b")).error, TransportError::kTimeout);
  EXPECT_EQ(Ask(client, Get("/c")).body, "2");
}

TEST(Http2, ReplacesAWatchConnectionThatDiedSilently) {
  FakeH2 fake(Settings(), [](int connection, int) {
    return connection == 1 ? FakeH2::Act::kFreeze : FakeH2::Act::kAnswer;
  });
  ApiClient client(Access(fake.server().url()), ShortTimeouts());
  WatchLog dead, alive;
  const auto first = client.Watch(Get("/watch"), absl::ZeroDuration(), dead.Events());
  dead.AwaitEnd();
  EXPECT_EQ(dead.end().error, TransportError::kBroken);
  const auto second = client.Watch(Get("/watch"), absl::ZeroDuration(), alive.Events());
  alive.AwaitEnd();
  EXPECT_EQ(alive.body(), "2");
}

TEST(Http2, GoesOnAfterGoAway) {
  FakeH2 fake(Settings(), [](int connection, int) {
    return connection == 1 ? FakeH2::Act::kGoAway : FakeH2::Act::kAnswer;
  });
  ApiClient client(Access(fake.server().url()), {});
  EXPECT_EQ(Ask(client, Get("/a")).body, "1");
  EXPECT_EQ(Ask(client, Get("/b")).body, "2");
}

TEST(Http2, AWriteIsNotSentAgainAfterItsConnectionBroke) {
  std::atomic<int> requests = 0;
  FakeH2 fake(Settings(), [&](int connection, int number) {
    ++requests;
    return connection == 1 && number == 2 ? FakeH2::Act::kReset : FakeH2::Act::kAnswer;
  });
  ApiClient client(Access(fake.server().url()), {});
  EXPECT_EQ(Ask(client, Get("/a")).body, "1");
  const ApiResponse response = Ask(client, {"PATCH", "/b", kube::kApplyContentType, "{}"});
  EXPECT_EQ(response.error, TransportError::kBroken) << response.body;
  EXPECT_EQ(requests, 2);
}

TEST(Http2, AGetIsSentAgainAfterItsConnectionBroke) {
  FakeH2 fake(Settings(), [](int connection, int number) {
    return connection == 1 && number == 2 ? FakeH2::Act::kReset : FakeH2::Act::kAnswer;
  });
  ApiClient client(Access(fake.server().url()), {});
  EXPECT_EQ(Ask(client, Get("/a")).body, "1");
  EXPECT_EQ(Ask(client, Get("/b")).body, "2");
}

/// Gives a CA that a test can change.
class CaSource : public kube::CredentialSource {
 public:
  explicit CaSource(std::string ca) { Rotate(std::move(ca)); }
  void Rotate(std::string ca) {
    MutexLock lock(&mu_);
    credentials_.ca_pem = std::move(ca);
  }
  absl::StatusOr<kube::Credentials> Get() override {
    MutexLock lock(&mu_);
    return credentials_;
  }
  void Invalidate() override {}

 private:
  Mutex mu_;
  kube::Credentials credentials_ ABSL_GUARDED_BY(mu_);
};

bool AnswerOkAndClose(const ServedRequest&, Wire& wire) {
  wire.Write(Http(200, "ok"));
  return false;
}

TEST(Tls, SurvivesTheRotationOfTheCa) {
  FakeServer server(&AnswerOkAndClose, Settings());
  kube::ClusterAccess access = Access(server.url());
  auto source = std::make_shared<CaSource>(Ca().cert_pem);
  access.credentials = source;
  ApiClient client(access, {});
  EXPECT_EQ(Ask(client, Get("/a")).body, "ok");
  const KeyPair next = MakeCa();
  server.SetTls({MakeCertificate(next, "server"), "", false});
  EXPECT_EQ(Ask(client, Get("/b")).error, TransportError::kNotSent) << "the CA is not known";
  source->Rotate(next.cert_pem);
  EXPECT_EQ(Ask(client, Get("/c")).body, "ok");
  WatchLog log;
  const auto watch = client.Watch(Get("/watch"), absl::ZeroDuration(), log.Events());
  log.AwaitEnd();
  EXPECT_EQ(log.body(), "ok");
}

// A watch may be silent for as long as it likes, if its connection is not.
TEST(Http2, AWatchMayBeSilentWhileOthersOnItsConnectionSpeak) {
  FakeH2 fake(Settings(), [](int, int number) {
    return number == 1 ? FakeH2::Act::kOpen : FakeH2::Act::kTalk;
  });
  ApiClientOptions options;
  options.watch_idle_timeout = FakeH2::kTalkTime / 3;
  ApiClient client(Access(fake.server().url()), options);
  WatchLog quiet, talking;
  const auto first = client.Watch(Get("/quiet"), absl::ZeroDuration(), quiet.Events());
  quiet.AwaitBytes(1);
  const auto second = client.Watch(Get("/talking"), absl::ZeroDuration(), talking.Events());
  talking.AwaitEnd();
  EXPECT_EQ(quiet.ends(), 0);
  quiet.AwaitEnd();  // nothing speaks any more
  EXPECT_EQ(quiet.end().error, TransportError::kBroken);
}

TEST(Http2, KeepsAConnectionOnWhichOthersAreAnswered) {
  FakeH2 fake(Settings(), [](int, int number) {
    return number == 1 ? FakeH2::Act::kIgnore : FakeH2::Act::kAnswer;
  });
  ApiClient client(Access(fake.server().url()), {});
  std::promise<ApiResponse> slow;
  client.Send(
      Get("/slow"), [&](ApiResponse response) { slow.set_value(std::move(response)); },
      absl::Milliseconds(300));
  EXPECT_EQ(Ask(client, Get("/a")).body, "1");
  EXPECT_EQ(slow.get_future().get().error, TransportError::kTimeout);
  EXPECT_EQ(Ask(client, Get("/b")).body, "1") << "the connection was replaced";
}

}  // namespace
}  // namespace xebec::http
