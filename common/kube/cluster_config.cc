// SPDX-License-Identifier: Apache-2.0
#include "common/kube/cluster_config.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/loopback.h"
#include "common/kube/ca_file.h"
#include "common/kube/exec_plugin.h"
#include "common/kube/files.h"
#include "common/kube/in_cluster.h"
#include "common/kube/pem.h"

namespace xebec::kube {
namespace {

using internal::ClusterEntry;
using internal::ContextEntry;
using internal::Kubeconfig;
using internal::UserEntry;

absl::Status Invalid(const std::string& where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", what));
}

std::string DefaultPath() {
  const std::string home = internal::Environment("HOME");
  return home.empty() ? "" : absl::StrCat(home, "/.kube/config");
}

std::vector<std::string> Paths(const std::string& path) {
  if (!path.empty()) return {path};
  const std::string list = internal::Environment("KUBECONFIG");
  if (!list.empty()) return absl::StrSplit(list, ':', absl::SkipEmpty());
  const std::string fallback = DefaultPath();
  return fallback.empty() ? std::vector<std::string>() : std::vector<std::string>{fallback};
}

template <typename Entry>
std::string Names(const std::map<std::string, Entry>& entries) {
  if (entries.empty()) return "there are none";
  return absl::StrCat("there are: ",
                      absl::StrJoin(entries, ", ", [](std::string* out, const auto& entry) {
                        out->append(entry.first);
                      }));
}

absl::StatusOr<std::string> ChooseContext(const Kubeconfig& kubeconfig, const std::string& wanted) {
  const std::string& name = wanted.empty() ? kubeconfig.current_context : wanted;
  if (name.empty()) {
    return Invalid(kubeconfig.Describe(), absl::StrCat("no current-context; name a context; ",
                                                       Names(kubeconfig.contexts)));
  }
  if (!kubeconfig.contexts.contains(name)) {
    return Invalid(kubeconfig.Describe(),
                   absl::StrCat("no context \"", name, "\"; ", Names(kubeconfig.contexts)));
  }
  return name;
}

/// Returns true for "https://..." and "http://..." with a host.
bool IsUrl(const std::string& url, const std::vector<std::string>& schemes) {
  for (const std::string& scheme : schemes) {
    const std::string prefix = absl::StrCat(scheme, "://");
    if (absl::StartsWith(url, prefix) && url.size() > prefix.size()) return true;
  }
  return false;
}

absl::Status CheckServer(const std::string& server) {
  if (server.empty()) return absl::InvalidArgumentError("server is missing");
  const bool clean = server.find_first_of(" \t\r\n?#@") == std::string::npos;
  if (clean && IsUrl(server, {"https", "http"})) return absl::OkStatus();
  return absl::InvalidArgumentError("server must be a URL such as https://host:6443");
}

absl::StatusOr<ClusterConfig> MakeCluster(const ClusterEntry& entry) {
  ClusterConfig config;
  if (absl::Status status = CheckServer(entry.server); !status.ok()) return status;
  config.server = entry.server;
  while (config.server.back() == '/') config.server.pop_back();
  config.insecure_skip_tls_verify = entry.insecure_skip_tls_verify;
  config.tls_server_name = entry.tls_server_name;
  config.proxy_url = entry.proxy_url;
  if (!entry.proxy_url.empty() && !IsUrl(entry.proxy_url, {"http", "https", "socks5"})) {
    return absl::InvalidArgumentError("proxy-url must begin with http://, https:// or socks5://");
  }
  if (entry.certificate_authority.empty()) return config;
  if (entry.insecure_skip_tls_verify) {
    return absl::InvalidArgumentError(
        "insecure-skip-tls-verify and a certificate authority exclude each other");
  }
  auto ca = internal::Load("certificate-authority", entry.certificate_authority);
  if (!ca.ok()) return ca.status();
  if (absl::Status status = internal::CheckCaPem(*ca); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("certificate-authority ", status.message()));
  }
  config.ca_pem = *std::move(ca);
  return config;
}

bool HasSecrets(const UserEntry& user) {
  return !user.token.empty() || !user.token_file.empty() || !user.username.empty() ||
         user.exec.has_value();
}

absl::StatusOr<std::shared_ptr<CredentialSource>> MakeCredentials(const UserEntry& user,
                                                                  const ClusterConfig& config,
                                                                  const ClusterEntry& cluster,
                                                                  const std::string& where) {
  if (!user.unsupported.empty()) {
    return Invalid(where, absl::StrCat(user.unsupported,
                                       " is not supported; use a token, certificates or exec"));
  }
  if (absl::StartsWith(config.server, "http://") && !IsLoopback(config.server) &&
      HasSecrets(user)) {
    return Invalid(where, "would be sent in clear text, as the server's URL is not https");
  }
  if (!user.exec) {
    auto source = std::make_shared<internal::FileCredentialSource>(user, where, &ReadClock);
    if (auto now = source->Get(); !now.ok()) return now.status();
    return source;
  }
  if (absl::Status status = internal::CheckExecEntry(*user.exec); !status.ok()) {
    return absl::Status(status.code(), absl::StrCat(where, ": ", status.message()));
  }
  return std::make_shared<internal::ExecCredentialSource>(
      *user.exec, config, cluster.exec_config_json, where, &ReadClock);
}

/// Adds a source that reads the CA file again, if the kubeconfig names a CA file.
std::shared_ptr<CredentialSource> WithCaFile(const internal::DataOrFile& ca,
                                             const ClusterConfig& config,
                                             std::shared_ptr<CredentialSource> source) {
  if (ca.file.empty() || !ca.data.empty()) return source;
  return std::make_shared<internal::CaFileSource>(std::move(source), ca.file, config.ca_pem);
}

absl::StatusOr<ClusterAccess> Resolve(const Kubeconfig& kubeconfig, const std::string& name) {
  const ContextEntry& context = kubeconfig.contexts.at(name);
  const auto cluster = kubeconfig.clusters.find(context.cluster);
  if (cluster == kubeconfig.clusters.end()) {
    return Invalid(kubeconfig.Describe(),
                   absl::StrCat("context \"", name, "\" names cluster \"", context.cluster,
                                "\", which does not exist; ", Names(kubeconfig.clusters)));
  }
  const auto user = kubeconfig.users.find(context.user);
  if (user == kubeconfig.users.end() && !context.user.empty()) {
    return Invalid(kubeconfig.Describe(),
                   absl::StrCat("context \"", name, "\" names user \"", context.user,
                                "\", which does not exist; ", Names(kubeconfig.users)));
  }
  auto config = MakeCluster(cluster->second);
  if (!config.ok()) {
    return absl::Status(config.status().code(),
                        absl::StrCat("kubeconfig ", cluster->second.source, ", cluster \"",
                                     context.cluster, "\": ", config.status().message()));
  }
  if (!context.ns.empty()) config->default_namespace = context.ns;
  config->origin = absl::StrCat(kubeconfig.Describe(), ", context ", name);
  const auto with_ca = [&](std::shared_ptr<CredentialSource> source) {
    return WithCaFile(cluster->second.certificate_authority, *config, std::move(source));
  };
  if (user == kubeconfig.users.end()) return ClusterAccess{*config, with_ca(nullptr)};
  const std::string where =
      absl::StrCat("kubeconfig ", user->second.source, ", user \"", context.user, "\"");
  auto credentials = MakeCredentials(user->second, *config, cluster->second, where);
  if (!credentials.ok()) return credentials.status();
  return ClusterAccess{*config, with_ca(*std::move(credentials))};
}

}  // namespace

absl::StatusOr<ClusterAccess> LoadKubeconfig(const std::string& path, const std::string& context) {
  const auto kubeconfig = internal::ReadKubeconfigs(Paths(path));
  if (!kubeconfig.ok()) return kubeconfig.status();
  const auto name = ChooseContext(*kubeconfig, context);
  if (!name.ok()) return name.status();
  return Resolve(*kubeconfig, *name);
}

absl::StatusOr<ClusterAccess> InCluster() {
  return internal::InClusterFrom(internal::kServiceAccountDirectory,
                                 internal::Environment("KUBERNETES_SERVICE_HOST"),
                                 internal::Environment("KUBERNETES_SERVICE_PORT"), &ReadClock);
}

absl::StatusOr<ClusterAccess> LoadClusterAccess(const std::string& path,
                                                const std::string& context) {
  const bool in_pod = !internal::Environment("KUBERNETES_SERVICE_HOST").empty();
  if (path.empty() && internal::Environment("KUBECONFIG").empty() && in_pod) return InCluster();
  return LoadKubeconfig(path, context);
}

}  // namespace xebec::kube
