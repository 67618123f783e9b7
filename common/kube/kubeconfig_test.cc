// SPDX-License-Identifier: Apache-2.0
#include "common/kube/kubeconfig.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/kube/cluster_config.h"
#include "common/kube/testing/temporary_directory.h"
#include "common/kube/testing/test_pki.h"

namespace xebec::kube {
namespace {

using testing::KeyPair;
using testing::MakeCa;
using testing::MakeCertificate;
using testing::ScopedEnvironment;
using testing::TemporaryDirectory;

constexpr char kSecret[] = "s3cr3t-t0ken-that-must-not-appear";

const KeyPair& Ca() {
  static const KeyPair* const ca = new KeyPair(MakeCa());
  return *ca;
}

/// A kubeconfig with one context "dev"; `cluster` and `user` are members in flow style.
std::string Config(const std::string& cluster, const std::string& user) {
  return absl::StrCat("apiVersion: v1\nkind: Config\ncurrent-context: dev\n",
                      "clusters: [{name: c, cluster: {", cluster, "}}]\n",
                      "users: [{name: u, user: {", user, "}}]\n",
                      "contexts: [{name: dev, context: {cluster: c, user: u, namespace: shop}}]\n");
}

std::string Data(const std::string& key, const std::string& pem) {
  return absl::StrCat(key, "-data: ", absl::Base64Escape(pem));
}

TEST(LoadKubeconfig, ReadsCertificatesInPlace) {
  const KeyPair client = MakeCertificate(Ca(), "client");
  TemporaryDirectory dir;
  const std::string path = dir.Write(
      "config",
      Config(
          absl::StrCat(
              "server: 'https://127.0.0.1:6443/', tls-server-name: api, proxy-url: 'http://p:1', ",
              Data("certificate-authority", Ca().cert_pem)),
          absl::StrCat(Data("client-certificate", client.cert_pem), ", ",
                       Data("client-key", client.key_pem))));
  const auto access = LoadKubeconfig(path, "");
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->config.server, "https://127.0.0.1:6443");
  EXPECT_EQ(access->config.ca_pem, Ca().cert_pem);
  EXPECT_EQ(access->config.tls_server_name, "api");
  EXPECT_EQ(access->config.proxy_url, "http://p:1");
  EXPECT_EQ(access->config.default_namespace, "shop");
  EXPECT_EQ(access->config.origin, absl::StrCat("kubeconfig ", path, ", context dev"));
  const auto credentials = access->credentials->Get();
  ASSERT_TRUE(credentials.ok()) << credentials.status();
  EXPECT_EQ(credentials->client_cert_pem, client.cert_pem);
  EXPECT_EQ(credentials->client_key_pem, client.key_pem);
}

TEST(LoadKubeconfig, ReadsFilesBesideTheKubeconfig) {
  const KeyPair client = MakeCertificate(Ca(), "client");
  TemporaryDirectory dir;
  dir.Write("ca.crt", Ca().cert_pem);
  dir.Write("me.crt", client.cert_pem);
  dir.Write("me.key", client.key_pem);
  const auto access = LoadKubeconfig(
      dir.Write("config", Config("server: 'https://h', certificate-authority: ca.crt",
                                 "client-certificate: me.crt, client-key: me.key")),
      "dev");
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->config.ca_pem, Ca().cert_pem);
  EXPECT_EQ(access->credentials->Get()->client_key_pem, client.key_pem);
}

TEST(LoadKubeconfig, ReadsTokensPasswordsAndNothing) {
  TemporaryDirectory dir;
  const auto get = [&](const std::string& user) {
    return LoadKubeconfig(dir.Write("config", Config("server: 'https://h'", user)), "")
        ->credentials->Get();
  };
  EXPECT_EQ(get("token: abc")->bearer_token, "abc");
  EXPECT_EQ(get("username: a, password: b")->basic_user, "a");
  EXPECT_EQ(get("username: a, password: b")->basic_password, "b");
  dir.Write("token", "from-file\n");
  EXPECT_EQ(get("tokenFile: token")->bearer_token, "from-file");
  EXPECT_EQ(get("tokenFile: token, token: abc")->bearer_token, "from-file");
  EXPECT_EQ(get("tokenFile: absent, token: abc")->bearer_token, "abc");
  EXPECT_TRUE(get("").ok());
}

TEST(LoadKubeconfig, MergesTheListOfTheEnvironment) {
  TemporaryDirectory dir;
  const std::string first =
      dir.Write("1", "current-context: two\nusers: [{name: u, user: {token: first}}]\n");
  const std::string second = dir.Write("2",
                                       "current-context: other\n"
                                       "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
                                       "users: [{name: u, user: {token: second}}]\n"
                                       "contexts: [{name: two, context: {cluster: c, user: u}}]\n");
  const ScopedEnvironment list("KUBECONFIG",
                               absl::StrCat(dir.Path("absent"), ":", first, ":", second).c_str());
  const auto access = LoadKubeconfig("", "");
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_EQ(access->credentials->Get()->bearer_token, "first");
  EXPECT_EQ(access->config.origin,
            absl::StrCat("kubeconfig ", first, ", ", second, ", context two"));
}

TEST(LoadKubeconfig, ReadsTheOneInTheHomeDirectory) {
  TemporaryDirectory dir;
  const ScopedEnvironment home("HOME", dir.Path("home").c_str());
  const ScopedEnvironment list("KUBECONFIG", nullptr);
  const auto access = LoadKubeconfig("", "");
  ASSERT_FALSE(access.ok());
  EXPECT_NE(access.status().message().find(dir.Path("home/.kube/config")), absl::string_view::npos)
      << access.status();
}

TEST(LoadClusterAccess, PrefersThePodOverTheHomeDirectoryAlone) {
  const ScopedEnvironment list("KUBECONFIG", nullptr);
  const ScopedEnvironment host("KUBERNETES_SERVICE_HOST", "10.96.0.1");
  const auto in_pod = LoadClusterAccess("", "");
  ASSERT_FALSE(in_pod.ok());
  EXPECT_NE(in_pod.status().message().find("service account"), absl::string_view::npos)
      << in_pod.status();
  EXPECT_NE(LoadClusterAccess("/absent", "").status().message().find("kubeconfig /absent"),
            absl::string_view::npos);
}

struct BadCase {
  const char* what;
  std::string text;
  std::string context;
  absl::StatusCode code;
  std::string message;  // "$F" stands for the path
};

std::vector<BadCase> BadClusters() {
  const auto invalid = absl::StatusCode::kInvalidArgument;
  const std::string server = "server: 'https://h'";
  const std::string token = absl::StrCat("token: ", kSecret);
  const std::string cluster = "kubeconfig $F, cluster \"c\": ";
  const std::string user = "kubeconfig $F, user \"u\": ";
  return {
      {"empty", "", "", invalid, "kubeconfig $F: is empty"},
      {"no map", "hello", "", invalid, "kubeconfig $F: is not a YAML map; is it a kubeconfig?"},
      {"no YAML", absl::StrCat("a: [", kSecret), "", invalid,
       "kubeconfig $F: is not valid YAML: line "},
      {"wrong type", "clusters: 7", "", invalid, "kubeconfig $F: the file.clusters must be a list"},
      {"wrong member type", Config("server: [1]", token), "", invalid,
       "kubeconfig $F: cluster \"c\".server must be a string"},
      {"wrong boolean", Config("insecure-skip-tls-verify: maybe", token), "", invalid,
       "kubeconfig $F: cluster \"c\".insecure-skip-tls-verify must be true or false"},
      {"no current context", "clusters: []", "", invalid,
       "kubeconfig $F: no current-context; name a context; there are none"},
      {"no such context", Config(server, token), "prod", invalid,
       "kubeconfig $F: no context \"prod\"; there are: dev"},
      {"no such cluster", "current-context: x\ncontexts: [{name: x, context: {cluster: q}}]", "",
       invalid,
       "kubeconfig $F: context \"x\" names cluster \"q\", which does not exist; there are none"},
      {"no such user",
       "current-context: x\ncontexts: [{name: x, context: {cluster: q, user: v}}]\n"
       "clusters: [{name: q, cluster: {server: 'https://h'}}]",
       "", invalid,
       "kubeconfig $F: context \"x\" names user \"v\", which does not exist; there are none"},
      {"no server", Config("", token), "", invalid, cluster + "server is missing"},
      {"bad server", Config("server: 'h:6443'", token), "", invalid,
       cluster + "server must be a URL such as https://host:6443"},
      {"clear text", Config("server: 'http://h'", token), "", invalid,
       user + "would be sent in clear text, as the server's URL is not https"},
      {"clear text to a name", Config("server: 'http://localhost.example.com'", token), "", invalid,
       user + "would be sent in clear text, as the server's URL is not https"},
      {"bad proxy", Config(server + ", proxy-url: x", token), "", invalid,
       cluster + "proxy-url must begin with http://, https:// or socks5://"},
      {"no CA file", Config(server + ", certificate-authority: absent.crt", token), "",
       absl::StatusCode::kNotFound, "absent.crt: No such file or directory"},
      {"bad CA data", Config(server + ", certificate-authority-data: '%%'", token), "", invalid,
       cluster + "certificate-authority-data is not valid base64"},
      {"no CA", Config(server + ", certificate-authority-data: aGVsbG8=", token), "", invalid,
       cluster + "certificate-authority contains no PEM certificate"},
      {"insecure with CA",
       Config(server + ", insecure-skip-tls-verify: true, certificate-authority-data: aGVsbG8=",
              token),
       "", invalid,
       cluster + "insecure-skip-tls-verify and a certificate authority exclude each other"},
  };
}

std::vector<BadCase> BadUsers() {
  const auto invalid = absl::StatusCode::kInvalidArgument;
  const auto precondition = absl::StatusCode::kFailedPrecondition;
  const KeyPair expired = MakeCertificate(Ca(), "late", absl::FromUnixSeconds(1577836800));
  const KeyPair good = MakeCertificate(Ca(), "a"), other = MakeCertificate(Ca(), "b");
  const std::string server = "server: 'https://h'";
  const std::string user = "kubeconfig $F, user \"u\": ";
  return {
      {"certificate alone", Config(server, Data("client-certificate", good.cert_pem)), "", invalid,
       user + "there is a client certificate without client-key"},
      {"key alone", Config(server, Data("client-key", good.key_pem)), "", invalid,
       user + "there is a client key without client-certificate"},
      {"no certificate", Config(server, "client-certificate-data: eA==, client-key-data: eA=="), "",
       invalid, user + "the client certificate is not a PEM certificate"},
      {"no key",
       Config(server,
              absl::StrCat(Data("client-certificate", good.cert_pem), ", client-key-data: eA==")),
       "", invalid, user + "the client key is not a PEM private key without a passphrase"},
      {"other's key",
       Config(server, absl::StrCat(Data("client-certificate", good.cert_pem), ", ",
                                   Data("client-key", other.key_pem))),
       "", invalid, user + "the client key does not belong to the certificate"},
      {"expired",
       Config(server, absl::StrCat(Data("client-certificate", expired.cert_pem), ", ",
                                   Data("client-key", expired.key_pem))),
       "", precondition,
       user + "the client certificate expired on 2020-01-01T00:00:00Z: get a new kubeconfig"},
      {"no token file", Config(server, "tokenFile: absent"), "", absl::StatusCode::kNotFound,
       user + "tokenFile: "},
      {"odd token", Config(server, "token: 'a b'"), "", invalid,
       user + "token: the token contains invalid characters"},
      {"auth-provider", Config(server, "auth-provider: {name: gcp}"), "", invalid,
       user + "auth-provider is not supported; use a token, certificates or exec"},
      {"impersonation", Config(server, "as: root"), "", invalid, user + "as is not supported"},
      {"exec without command", Config(server, "exec: {apiVersion: x}"), "", invalid,
       user + "exec.command is missing"},
      {"old exec",
       Config(server, "exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}"), "",
       invalid,
       user + "exec.apiVersion is \"client.authentication.k8s.io/v1alpha1\"; supported are"},
      {"interactive exec",
       Config(server,
              "exec: {apiVersion: client.authentication.k8s.io/v1, command: x, interactiveMode: "
              "Always}"),
       "", precondition, user + "exec plugin x requires a terminal"},
  };
}

void ExpectRefused(const BadCase& c) {
  TemporaryDirectory dir;
  const std::string path = dir.Write("config", c.text);
  const auto access = LoadKubeconfig(path, c.context);
  ASSERT_FALSE(access.ok()) << c.what;
  EXPECT_EQ(access.status().code(), c.code) << c.what << ": " << access.status();
  const std::string message(access.status().message());
  EXPECT_NE(message.find(absl::StrReplaceAll(c.message, {{"$F", path}})), std::string::npos)
      << c.what << ": " << message;
  EXPECT_EQ(message.find(kSecret), std::string::npos) << c.what << ": " << message;
}

TEST(LoadKubeconfig, SaysWhatIsWrongWithTheFileOrItsCluster) {
  for (const BadCase& c : BadClusters()) ExpectRefused(c);
}

TEST(LoadKubeconfig, SaysWhatIsWrongWithTheUser) {
  for (const BadCase& c : BadUsers()) ExpectRefused(c);
}

TEST(LoadKubeconfig, SaysThatThereIsNone) {
  const auto access = LoadKubeconfig("/absent/config", "");
  EXPECT_EQ(access.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(access.status().message(),
            "kubeconfig /absent/config: No such file or directory; name another one by flag, "
            "configuration or $KUBECONFIG");
}

TEST(ParseKubeconfig, ReadsExecPlugins) {
  const auto parsed = internal::ParseKubeconfig(
      "/etc/k/config",
      "users:\n- name: u\n  user:\n    exec:\n      apiVersion: client.authentication.k8s.io/v1\n"
      "      command: ./bin/plugin\n      args: [a, '1']\n      env: [{name: A, value: b}]\n"
      "      provideClusterInfo: true\n      installHint: get it\n"
      "clusters:\n- name: c\n  cluster:\n    server: x\n    extensions:\n"
      "    - {name: client.authentication.k8s.io/exec, extension: {n: 1, s: '1', b: true, l: "
      "[x]}}\n");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const internal::ExecEntry& exec = *parsed->users.at("u").exec;
  EXPECT_EQ(exec.command, "/etc/k/./bin/plugin");
  EXPECT_EQ(exec.args, (std::vector<std::string>{"a", "1"}));
  EXPECT_EQ(exec.env.at(0).second, "b");
  EXPECT_TRUE(exec.provide_cluster_info);
  EXPECT_EQ(parsed->clusters.at("c").exec_config_json, R"({"b":true,"l":["x"],"n":1,"s":"1"})");
}

}  // namespace
}  // namespace xebec::kube
