// SPDX-License-Identifier: Apache-2.0
#include "common/kube/exec_plugin.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/strings.h"
#include "common/kube/pem.h"
#include "common/kube/subprocess.h"

namespace xebec::kube::internal {
namespace {

constexpr char kGroup[] = "client.authentication.k8s.io/";
constexpr size_t kSecretLength = 20;
constexpr size_t kMaxLine = 300;

Json ClusterInfo(const ClusterConfig& cluster, const std::string& exec_config_json) {
  Json info = {{"server", cluster.server}};
  if (!cluster.ca_pem.empty()) {
    info["certificate-authority-data"] = absl::Base64Escape(cluster.ca_pem);
  }
  if (cluster.insecure_skip_tls_verify) info["insecure-skip-tls-verify"] = true;
  if (!cluster.tls_server_name.empty()) info["tls-server-name"] = cluster.tls_server_name;
  if (!cluster.proxy_url.empty()) info["proxy-url"] = cluster.proxy_url;
  if (!exec_config_json.empty()) {
    auto config = ParseJson(exec_config_json);
    if (config.ok()) info["config"] = *std::move(config);
  }
  return info;
}

std::string ExecInfo(const ExecEntry& exec, const ClusterConfig& cluster,
                     const std::string& exec_config_json) {
  Json spec = {{"interactive", false}};
  if (exec.provide_cluster_info) spec["cluster"] = ClusterInfo(cluster, exec_config_json);
  return DumpJson(
      {{"apiVersion", exec.api_version}, {"kind", "ExecCredential"}, {"spec", std::move(spec)}});
}

/// Returns the environment of this process with the plugin's variables added.
std::vector<std::string> MakeEnvironment(const ExecEntry& exec, const std::string& exec_info) {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::pair<std::string, std::string> pair =
        absl::StrSplit(*entry, absl::MaxSplits('=', 1));
    variables.insert(pair);
  }
  for (const auto& [name, value] : exec.env) variables[name] = value;
  variables["KUBERNETES_EXEC_INFO"] = exec_info;
  std::vector<std::string> out;
  out.reserve(variables.size());
  for (const auto& [name, value] : variables) out.push_back(absl::StrCat(name, "=", value));
  return out;
}

bool IsTokenCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '=' || c == '_' ||
         c == '-';
}

bool MayBeSecret(absl::string_view word) {
  size_t run = 0;
  for (const char c : word) {
    run = IsTokenCharacter(c) ? run + 1 : 0;
    if (run >= kSecretLength) return true;
  }
  return false;
}

}  // namespace

std::string RedactedLine(const std::string& text) {
  std::vector<std::string> words;
  for (absl::string_view word :
       absl::StrSplit(text, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty())) {
    words.emplace_back(MayBeSecret(word) ? "[redacted]" : word);
  }
  return Ellipsize(absl::StrJoin(words, " "), kMaxLine);
}

absl::Status CheckExecEntry(const ExecEntry& exec) {
  if (exec.command.empty()) return absl::InvalidArgumentError("exec.command is missing");
  if (exec.api_version != absl::StrCat(kGroup, "v1") &&
      exec.api_version != absl::StrCat(kGroup, "v1beta1")) {
    return absl::InvalidArgumentError(absl::StrCat("exec.apiVersion is \"", exec.api_version,
                                                   "\"; supported are ", kGroup, "v1 and v1beta1"));
  }
  if (exec.interactive_mode == "Always") {
    return absl::FailedPreconditionError(absl::StrCat(
        "exec plugin ", exec.command,
        " requires a terminal (interactiveMode Always), which a service does not have"));
  }
  return absl::OkStatus();
}

ExecCredentialSource::ExecCredentialSource(ExecEntry exec, const ClusterConfig& cluster,
                                           const std::string& exec_config_json, std::string origin,
                                           Clock clock)
    : exec_(std::move(exec)),
      exec_info_(ExecInfo(exec_, cluster, exec_config_json)),
      origin_(std::move(origin)),
      clock_(std::move(clock)),
      interrupt_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

ExecCredentialSource::~ExecCredentialSource() { close(interrupt_fd_); }

absl::StatusOr<Credentials> ExecCredentialSource::Get() {
  MutexLock lock(&mu_);
  const absl::Time now = clock_().wall;
  if (cached_ && now < cached_->expires) return cached_->credentials;
  cached_.reset();
  auto answer = Run(now);
  if (!answer.ok()) return Explain(answer.status());
  cached_ = *std::move(answer);
  return cached_->credentials;
}

void ExecCredentialSource::Invalidate() {
  MutexLock lock(&mu_);
  cached_.reset();
}

void ExecCredentialSource::Interrupt() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(interrupt_fd_, &one, sizeof(one));
}

absl::Status ExecCredentialSource::Explain(const absl::Status& status) const {
  std::string text = absl::StrCat(origin_, ": exec plugin ", exec_.command, " ", status.message());
  if (absl::IsNotFound(status)) {
    absl::StrAppend(&text, exec_.install_hint.empty()
                               ? "; install it, or correct exec.command"
                               : absl::StrCat("; ", RedactedLine(exec_.install_hint)));
  }
  return absl::Status(status.code(), text);
}

absl::StatusOr<ExecCredentialSource::Answer> ExecCredentialSource::Run(absl::Time now) const {
  ProcessSpec spec;
  spec.argv = {exec_.command};
  spec.argv.insert(spec.argv.end(), exec_.args.begin(), exec_.args.end());
  spec.environment = MakeEnvironment(exec_, exec_info_);
  spec.timeout = kTimeout;
  spec.cancel_fd = interrupt_fd_;
  const auto result = RunProcess(spec);
  if (absl::IsCancelled(result.status())) {
    uint64_t count;  // the next Get runs the plugin again
    [[maybe_unused]] const ssize_t got = read(interrupt_fd_, &count, sizeof(count));
  }
  if (!result.ok()) return result.status();
  if (result->exit_code != 0) {
    const std::string said = RedactedLine(result->error_tail);
    return absl::UnauthenticatedError(
        absl::StrCat("failed with exit code ", result->exit_code, said.empty() ? "" : ": ", said));
  }
  return Read(result->output, now);
}

absl::StatusOr<ExecCredentialSource::Answer> ExecCredentialSource::Checked(Answer answer,
                                                                           absl::Time now) {
  Credentials& c = answer.credentials;
  if (c.bearer_token.empty() && c.client_cert_pem.empty()) {
    return absl::InvalidArgumentError(
        "returned neither status.token nor status.clientCertificateData");
  }
  if (!c.bearer_token.empty()) {
    auto token = CleanToken(c.bearer_token);
    if (!token.ok()) return absl::InvalidArgumentError("returned a malformed status.token");
    c.bearer_token = *std::move(token);
  }
  if (!c.client_cert_pem.empty() || !c.client_key_pem.empty()) {
    const absl::Status status = CheckClientCertificate(c.client_cert_pem, c.client_key_pem, now);
    if (!status.ok()) {
      return absl::Status(status.code(),
                          absl::StrCat("returned invalid certificates: ", status.message()));
    }
  }
  return answer;
}

absl::StatusOr<ExecCredentialSource::Answer> ExecCredentialSource::Read(const std::string& output,
                                                                        absl::Time now) const {
  const auto json = ParseJson(output);
  if (!json.ok() || FindString(*json, {"kind"}) != "ExecCredential") {
    return absl::InvalidArgumentError("printed output that is not an ExecCredential object");
  }
  const std::string version = FindString(*json, {"apiVersion"});
  if (version != exec_.api_version) {
    return absl::InvalidArgumentError(absl::StrCat("returned apiVersion \"", RedactedLine(version),
                                                   "\" instead of ", exec_.api_version));
  }
  Answer answer;
  answer.credentials.bearer_token = FindString(*json, {"status", "token"});
  answer.credentials.client_cert_pem = FindString(*json, {"status", "clientCertificateData"});
  answer.credentials.client_key_pem = FindString(*json, {"status", "clientKeyData"});
  const std::string expires = FindString(*json, {"status", "expirationTimestamp"});
  std::string error;
  if (!expires.empty() && !absl::ParseTime(absl::RFC3339_full, expires, &answer.expires, &error)) {
    return absl::InvalidArgumentError(
        "returned an expirationTimestamp that is not an RFC 3339 time");
  }
  if (answer.expires <= now) {
    return absl::UnauthenticatedError(absl::StrCat("returned credentials that expired on ",
                                                   RedactedLine(expires),
                                                   ": log in again, or check the clock"));
  }
  return Checked(std::move(answer), now);
}

}  // namespace xebec::kube::internal
