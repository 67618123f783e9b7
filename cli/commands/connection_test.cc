// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/connection.h"

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/kube/testing/temporary_directory.h"
#include "common/kube/testing/test_pki.h"
#include "common/rpc/server/health.h"
#include "common/rpc/server/server.h"
#include "common/rpc/tls/tls_credentials.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kTwo[] = "unix:/nonexistent/one,unix:/nonexistent/two";

std::string Message(const absl::Status& status) { return std::string(ToStd(status.message())); }

TEST(AtFirstThatAnswers, GoesOnWhileNobodyAnswersAndTellsWhatEachSaid) {
  std::vector<std::string> asked;
  const absl::Status answer = AtFirstThatAnswers("planner", kTwo, {}, [&](const Peer& peer) {
    asked.push_back(peer.name);
    return asked.size() == 1 ? absl::UnavailableError("out") : absl::DeadlineExceededError("late");
  });
  EXPECT_THAT(asked,
              ElementsAre("planner at unix:/nonexistent/one", "planner at unix:/nonexistent/two"));
  EXPECT_EQ(Message(answer),
            "planner at unix:/nonexistent/one: out; planner at unix:/nonexistent/two: late");
}

TEST(AtFirstThatAnswers, ANoIsAnAnswer) {
  int calls = 0;
  const absl::Status answer = AtFirstThatAnswers("planner", kTwo, {}, [&](const Peer&) {
    ++calls;
    return absl::PermissionDeniedError("not you");
  });
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(absl::IsPermissionDenied(answer));
}

TEST(AtFirstThatAnswers, SkipsANameThatCannotBeResolved) {
  const std::string where = "no-such-host.invalid:1,unix:/nonexistent/two";
  EXPECT_TRUE(
      AtFirstThatAnswers("watcher", where, {}, [](const Peer&) { return absl::OkStatus(); }).ok());
  const absl::Status silent = AtFirstThatAnswers(
      "watcher", where, {}, [](const Peer&) { return absl::UnavailableError("out"); });
  EXPECT_THAT(Message(silent), AllOf(HasSubstr("watcher: "), HasSubstr("no-such-host.invalid"),
                                     HasSubstr("; watcher at unix:/nonexistent/two: out")));
  const absl::StatusOr<std::vector<Peer>> all = PeersAt("watcher", where, {});
  EXPECT_TRUE(absl::IsUnavailable(all.status())) << "these commands need every address";
}

/// A service with a certificate that proves one name and not localhost, and that name's Pod.
class InThePod : public ::testing::Test {
 protected:
  InThePod() {
    const auto ca = kube::testing::MakeCa();
    const auto pair = kube::testing::MakeCertificate(ca, "xebec-watcher.ns.svc");
    files_ = {directory_.Write("tls.crt", pair.cert_pem), directory_.Write("tls.key", pair.key_pem),
              directory_.Write("ca.crt", ca.cert_pem)};
    rpc::ServerOptions options;
    options.listen = {"127.0.0.1:0"};
    options.credentials = rpc::TlsServerCredentials(
        files_, rpc::AccessTable().AllowEverybody("/grpc.health.v1.Health/*"));
    server_ = *rpc::Server::Start(options, {});
    server_->SetServing(true);
    const std::string address = server_->addresses()[0];
    where_ = absl::StrCat("localhost", address.substr(address.rfind(':')));
    transport_.pod_folder = directory_.Path("");
  }

  absl::Status Ask() const {
    return AtFirstThatAnswers("watcher", where_, transport_, [&](const Peer& peer) {
      return rpc::CheckHealth(peer.channel, transport_.timeout);
    });
  }

  kube::testing::TemporaryDirectory directory_;
  tls::Files files_;
  std::unique_ptr<rpc::Server> server_;
  std::string where_;
  Transport transport_;
};

TEST_F(InThePod, LoopbackIsThePodItselfAndProvesItsName) { EXPECT_TRUE(Ask().ok()) << Ask(); }

TEST_F(InThePod, ACertificateThatWasToldHasToBeForTheNameLookedUp) {
  transport_.files = files_;
  EXPECT_THAT(Message(Ask()), HasSubstr("is not valid for the name localhost"));
}

TEST_F(InThePod, ACertificateThatIsNotGoodIsToldBeforeAnythingIsSent) {
  directory_.Write("tls.key", "no key");
  EXPECT_THAT(Message(Ask()), AllOf(HasSubstr("tls.key"), Not(HasSubstr("watcher at"))));
}

TEST_F(InThePod, PlaintextLeavesTheCertificateAlone) {
  directory_.Write("tls.key", "no key");
  transport_.plaintext = true;
  EXPECT_THAT(Message(Ask()), HasSubstr("watcher at ipv4:127.0.0.1"));
}

}  // namespace
}  // namespace xebec::cli
