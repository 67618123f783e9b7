// SPDX-License-Identifier: Apache-2.0
#include "common/kube/in_cluster.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/kube/ca_file.h"
#include "common/kube/files.h"
#include "common/kube/pem.h"

namespace xebec::kube::internal {
namespace {

constexpr char kOrigin[] = "service account";

absl::Status Explain(const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(kOrigin, ": ", status.message()));
}

/// IPv6 addresses need brackets.
std::string ServerUrl(const std::string& host, const std::string& port) {
  const bool v6 = host.find(':') != std::string::npos;
  return absl::StrCat("https://", v6 ? "[" : "", host, v6 ? "]" : "", ":",
                      port.empty() ? "443" : port);
}

}  // namespace

absl::StatusOr<ClusterAccess> InClusterFrom(const std::string& directory, const std::string& host,
                                            const std::string& port, Clock clock) {
  if (host.empty()) {
    return absl::FailedPreconditionError(
        "service account: KUBERNETES_SERVICE_HOST is not set, so this process is not in a Pod; "
        "give a "
        "kubeconfig");
  }
  ClusterConfig config;
  config.server = ServerUrl(host, port);
  config.origin = absl::StrCat(kOrigin, " of this Pod");
  const std::string ca_path = absl::StrCat(directory, "/ca.crt");
  auto ca = ReadSmallFile(ca_path);
  if (!ca.ok()) return Explain(ca.status());
  if (absl::Status status = CheckCaPem(*ca); !status.ok()) {
    return Explain(absl::InvalidArgumentError(absl::StrCat(ca_path, " ", status.message())));
  }
  config.ca_pem = *std::move(ca);
  if (const auto ns = ReadSmallFile(absl::StrCat(directory, "/namespace")); ns.ok()) {
    config.default_namespace = std::string(absl::StripAsciiWhitespace(*ns));
  }
  UserEntry user;
  user.token_file = absl::StrCat(directory, "/token");
  auto source = std::make_shared<FileCredentialSource>(user, kOrigin, std::move(clock));
  if (auto token = source->Get(); !token.ok()) {
    return absl::Status(
        token.status().code(),
        absl::StrCat(token.status().message(), "; is automountServiceAccountToken off?"));
  }
  auto access = std::make_shared<CaFileSource>(std::move(source), ca_path, config.ca_pem);
  return ClusterAccess{std::move(config), std::move(access)};
}

}  // namespace xebec::kube::internal
