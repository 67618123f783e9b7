// SPDX-License-Identifier: Apache-2.0
// Mutual TLS: who gets in, and to what.
#include "common/base/clock.h"
#include "common/base/strings.h"
#include "common/kube/testing/temporary_directory.h"
#include "common/kube/testing/test_pki.h"
#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/server/server.h"
#include "common/rpc/status_map.h"
#include "common/rpc/testing/fake_services.h"
#include "common/rpc/tls/tls_credentials.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

using kube::testing::KeyPair;
using kube::testing::MakeCa;
using kube::testing::MakeCertificate;
using ::testing::HasSubstr;

constexpr char kWatcher[] = "spiffe://test/watcher";
constexpr char kPerson[] = "spiffe://test/person";
const absl::Time kFuture = absl::FromCivil(absl::CivilYear(2120), absl::UTCTimeZone());
const absl::Time kPast = absl::FromCivil(absl::CivilYear(2020), absl::UTCTimeZone());

class TlsTest : public ::testing::Test {
 protected:
  tls::Files Write(const std::string& name, const KeyPair& pair, const KeyPair& ca) {
    return {directory_.Write(name + ".crt", pair.cert_pem),
            directory_.Write(name + ".key", pair.key_pem),
            directory_.Write(name + "-ca.crt", ca.cert_pem)};
  }
  tls::Files Client(const std::string& uri, absl::Time end = kFuture) {
    return Write("client", MakeCertificate(ca_, "client", end, uri), ca_);
  }

  std::unique_ptr<Server> Start(const tls::Files& files) {
    ServerOptions options;
    options.listen = {"127.0.0.1:0"};
    options.credentials = TlsServerCredentials(files, Access());
    auto server = Server::Start(options, {&planner_});
    EXPECT_TRUE(server.ok()) << server.status();
    if (server.ok()) (*server)->SetServing(true);
    return server.ok() ? *std::move(server) : nullptr;
  }

  static AccessTable Access() {
    AccessTable table;
    table.Allow("/xebec.v1.PlannerService/*", {kWatcher});
    return table;
  }

  static absl::Status Describe(const Server& server,
                               std::shared_ptr<grpc::ChannelCredentials> credentials,
                               const std::string& host = "planner") {
    ChannelOptions options;
    options.credentials = std::move(credentials);
    const Address address{"ipv4:127.0.0.1:" + std::to_string(server.port()), host};
    const auto stub = v1::PlannerService::NewStub(MakeChannel(address, options));
    const auto context = MakeCallContext(kTestTimeout);
    v1::DescribeKindsResponse response;
    return FromGrpc(stub->DescribeKinds(context.get(), {}, &response));
  }

  kube::testing::TemporaryDirectory directory_;
  const KeyPair ca_ = MakeCa();
  const tls::Files server_files_ = Write("server", MakeCertificate(ca_, "planner"), ca_);
  FakePlanner planner_{"r1"};
};

TEST_F(TlsTest, WhoIsAllowedIsServed) {
  const auto server = Start(server_files_);
  const absl::Status status = Describe(*server, TlsChannelCredentials(Client(kWatcher)));
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(TlsTest, AnotherIdentityIsDeniedByNameOfMethodAndIdentity) {
  const auto server = Start(server_files_);
  for (const std::string& uri : {std::string(kPerson), std::string()}) {
    const absl::Status status = Describe(*server, TlsChannelCredentials(Client(uri)));
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
    EXPECT_THAT(std::string(ToStd(status.message())),
                HasSubstr("/xebec.v1.PlannerService/DescribeKinds"));
    EXPECT_THAT(std::string(ToStd(status.message())), HasSubstr(uri.empty() ? "(none" : uri));
  }
}

TEST_F(TlsTest, WhoHasNoGoodCertificateDoesNotGetIn) {
  const auto server = Start(server_files_);
  const KeyPair other_ca = MakeCa();
  const auto wrong = Write("wrong", MakeCertificate(other_ca, "client", kFuture, kWatcher), ca_);
  const auto self = Write("self", other_ca, ca_);
  const auto expired = Write("expired", MakeCertificate(ca_, "client", kPast, kWatcher), ca_);
  for (const tls::Files& files : {wrong, self, expired}) {
    EXPECT_EQ(Describe(*server, TlsChannelCredentials(files)).code(),
              absl::StatusCode::kUnavailable)
        << files.certificate;
  }
  grpc::SslCredentialsOptions anonymous;
  anonymous.pem_root_certs = ca_.cert_pem;
  EXPECT_EQ(Describe(*server, grpc::SslCredentials(anonymous)).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(Describe(*server, nullptr).code(), absl::StatusCode::kUnavailable) << "plaintext";
}

TEST_F(TlsTest, AServerThatIsNotTheOneThatWasLookedUpIsNotSpokenTo) {
  const auto server = Start(server_files_);
  EXPECT_EQ(Describe(*server, TlsChannelCredentials(Client(kWatcher)), "applier").code(),
            absl::StatusCode::kUnavailable);
  const KeyPair other_ca = MakeCa();
  const auto impostor = Start(Write("impostor", MakeCertificate(other_ca, "planner"), ca_));
  EXPECT_EQ(Describe(*impostor, TlsChannelCredentials(Client(kWatcher))).code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(TlsTest, ACertificateThatIsNotAcceptedIsExplained) {
  const auto old = Start(Write("old", MakeCertificate(ca_, "planner", kPast), ca_));
  const auto impostor = Start(Write("impostor", MakeCertificate(MakeCa(), "planner"), ca_));
  for (const auto* server : {&old, &impostor}) {
    const absl::Status refused =
        ExplainRefusal(Describe(**server, TlsChannelCredentials(Client(kWatcher))), "planner");
    EXPECT_THAT(
        std::string(ToStd(refused.message())),
        HasSubstr("the certificate of planner has expired or is not valid yet by this machine"));
  }
  const absl::Status other = absl::UnavailableError("connection refused");
  EXPECT_EQ(ExplainRefusal(other, "planner"), other);
}

TEST_F(TlsTest, NewFilesAreUsedForNewConnectionsWithoutARestart) {
  const auto server = Start(server_files_);
  const KeyPair next = MakeCa();
  Write("server", MakeCertificate(next, "planner"), next);
  const auto credentials = TlsChannelCredentials(
      Write("next", MakeCertificate(next, "client", kFuture, kWatcher), next));
  absl::Status status = absl::UnknownError("not asked");
  const absl::Duration until = ReadClock().monotonic + kTestTimeout;
  while (!status.ok() && ReadClock().monotonic < until) status = Describe(*server, credentials);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_FALSE(Describe(*server, TlsChannelCredentials(Client(kWatcher))).ok()) << "the old CA";
}

}  // namespace
}  // namespace xebec::rpc
