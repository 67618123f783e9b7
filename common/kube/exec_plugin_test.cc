// SPDX-License-Identifier: Apache-2.0
#include "common/kube/exec_plugin.h"

#include <gtest/gtest.h>

#include <thread>

#include "absl/strings/str_cat.h"
#include "common/kube/files.h"
#include "common/kube/testing/temporary_directory.h"
#include "common/kube/testing/test_pki.h"

namespace xebec::kube::internal {
namespace {

using testing::ScopedEnvironment;
using testing::TemporaryDirectory;

constexpr char kSecret[] = "eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.secret-part-of-a-token";

/// A plugin written as a shell script, and the time that its source sees.
class Plugin {
 public:
  explicit Plugin(const std::string& script) {
    exec.api_version = "client.authentication.k8s.io/v1";
    exec.command = dir.Write("plugin", absl::StrCat("#!/bin/sh\n", script), /*executable=*/true);
  }

  std::unique_ptr<ExecCredentialSource> Source() {
    ClusterConfig cluster;
    cluster.server = "https://h:1";
    cluster.ca_pem = "CA";
    return std::make_unique<ExecCredentialSource>(
        exec, cluster, R"({"audience":"x"})", "kubeconfig k, user \"u\"", [this] { return now; });
  }

  /// Number of lines that the plugin has appended to the file "runs".
  int Runs() {
    const auto text = ReadSmallFile(dir.Path("runs"));
    return text.ok() ? static_cast<int>(std::count(text->begin(), text->end(), '\n')) : 0;
  }

  TemporaryDirectory dir;
  ExecEntry exec;
  Instant now{absl::FromUnixSeconds(1714564800), absl::ZeroDuration()};  // 2024-05-01T12:00:00Z
};

std::string Print(const std::string& status) {
  return absl::StrCat("echo run >> \"$(dirname \"$0\")/runs\"\n",
                      "cat <<'END'\n{\"apiVersion\":\"client.authentication.k8s.io/v1\",",
                      "\"kind\":\"ExecCredential\",\"status\":", status, "}\nEND\n");
}

TEST(ExecPlugin, GivesATokenAndKeepsItUntilItExpires) {
  Plugin plugin(Print(R"({"token":"abc","expirationTimestamp":"2024-05-01T12:10:00Z"})"));
  const auto source = plugin.Source();
  ASSERT_TRUE(source->Get().ok()) << source->Get().status();
  EXPECT_EQ(source->Get()->bearer_token, "abc");
  EXPECT_EQ(plugin.Runs(), 1);
  plugin.now.wall += absl::Minutes(9);
  EXPECT_TRUE(source->Get().ok());
  EXPECT_EQ(plugin.Runs(), 1);
  plugin.now.wall += absl::Minutes(1);
  EXPECT_FALSE(source->Get().ok());  // it gives the same again
  EXPECT_EQ(plugin.Runs(), 2);
}

TEST(ExecPlugin, RunsAgainAfterInvalidate) {
  Plugin plugin(Print(R"({"token":"abc"})"));
  const auto source = plugin.Source();
  EXPECT_TRUE(source->Get().ok());
  EXPECT_TRUE(source->Get().ok());
  EXPECT_EQ(plugin.Runs(), 1);
  source->Invalidate();
  EXPECT_TRUE(source->Get().ok());
  EXPECT_EQ(plugin.Runs(), 2);
}

TEST(ExecPlugin, GivesCertificates) {
  const auto ca = testing::MakeCa();
  const auto pair = testing::MakeCertificate(ca, "client");
  const Json status = {{"clientCertificateData", pair.cert_pem}, {"clientKeyData", pair.key_pem}};
  Plugin plugin(Print(DumpJson(status)));
  const auto credentials = plugin.Source()->Get();
  ASSERT_TRUE(credentials.ok()) << credentials.status();
  EXPECT_EQ(credentials->client_cert_pem, pair.cert_pem);
  EXPECT_EQ(credentials->client_key_pem, pair.key_pem);
}

TEST(ExecPlugin, GetsArgumentsEnvironmentAndNoInput) {
  Plugin plugin(
      absl::StrCat("cat > \"$(dirname \"$0\")/stdin\"\necho \"$1|$2|$FROM_CONFIG|$INHERITED\" > "
                   "\"$(dirname \"$0\")/args\"\n",
                   "printf %s \"$KUBERNETES_EXEC_INFO\" > \"$(dirname \"$0\")/info\"\n",
                   Print(R"({"token":"t"})")));
  plugin.exec.args = {"a b", "$HOME"};
  plugin.exec.env = {{"FROM_CONFIG", "yes"}};
  plugin.exec.provide_cluster_info = true;
  const ScopedEnvironment inherited("INHERITED", "too");
  ASSERT_TRUE(plugin.Source()->Get().ok());
  EXPECT_EQ(*ReadSmallFile(plugin.dir.Path("stdin")), "");
  EXPECT_EQ(*ReadSmallFile(plugin.dir.Path("args")), "a b|$HOME|yes|too\n");
  EXPECT_EQ(
      *ReadSmallFile(plugin.dir.Path("info")),
      R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"cluster":)"
      R"({"certificate-authority-data":"Q0E=","config":{"audience":"x"},"server":"https://h:1"},)"
      R"("interactive":false}})");
}

TEST(ExecPlugin, SaysWhatIsWrongWithoutTheSecret) {
  const std::string prefix = "kubeconfig k, user \"u\": exec plugin ";
  const std::pair<std::string, std::string> cases[] = {
      {absl::StrCat("echo cannot reach ", kSecret, " server >&2; exit 3"),
       "failed with exit code 3: cannot reach [redacted] server"},
      {absl::StrCat("echo ", kSecret), "printed output that is not an ExecCredential object"},
      {"kill -9 $$", "failed with exit code 137"},
      {Print("{}"), "returned neither status.token nor status.clientCertificateData"},
      {Print(absl::StrCat(R"({"token":")", kSecret, R"(\nx"})")),
       "returned a malformed status.token"},
      {Print(absl::StrCat(R"({"token":")", kSecret,
                          R"(","expirationTimestamp":"2020-01-01T00:00:00Z"})")),
       "returned credentials that expired on 2020-01-01T00:00:00Z: log in again, or check the "
       "clock"},
      {Print(absl::StrCat(R"({"token":")", kSecret, R"(","expirationTimestamp":"soon"})")),
       "returned an expirationTimestamp that is not an RFC 3339 time"},
      {Print(absl::StrCat(R"({"clientCertificateData":")", kSecret, R"("})")),
       "returned invalid certificates: the client certificate is not a PEM certificate"},
      {R"(echo '{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential"}')",
       "returned apiVersion \"client.authentication.k8s.io/v1beta1\" instead of "},
  };
  for (const auto& [script, text] : cases) {
    Plugin plugin(script);
    const auto credentials = plugin.Source()->Get();
    ASSERT_FALSE(credentials.ok()) << text;
    const std::string message(credentials.status().message());
    EXPECT_EQ(message.rfind(prefix, 0), 0u) << message;
    EXPECT_NE(message.find(text), std::string::npos) << text << " <- " << message;
    EXPECT_EQ(message.find("secret"), std::string::npos) << message;
  }
}

TEST(ExecPlugin, SaysHowToInstallWhatIsMissing) {
  Plugin plugin("");
  plugin.exec.command = "xebec-no-such-plugin";
  plugin.exec.install_hint = "apt install it";
  const auto credentials = plugin.Source()->Get();
  EXPECT_EQ(credentials.status().code(), absl::StatusCode::kNotFound);
  EXPECT_NE(credentials.status().message().find("apt install it"), absl::string_view::npos)
      << credentials.status();
}

TEST(ExecPlugin, IsInterruptedWhileItRuns) {
  Plugin plugin("echo run >> \"$(dirname \"$0\")/runs\"\nexec sleep 600");
  const auto source = plugin.Source();
  std::thread interrupter([&] {
    while (plugin.Runs() == 0) std::this_thread::yield();
    source->Interrupt();
  });
  EXPECT_EQ(source->Get().status().code(), absl::StatusCode::kCancelled);
  interrupter.join();
}

TEST(RedactedLine, KeepsWordsAndCutsTokens) {
  EXPECT_EQ(RedactedLine("line one\n  line two\t."), "line one line two .");
  EXPECT_EQ(RedactedLine(absl::StrCat("token=", kSecret, " bad")), "[redacted] bad");
  EXPECT_LE(RedactedLine(std::string(10000, ',')).size(), 310u);
}

}  // namespace
}  // namespace xebec::kube::internal
