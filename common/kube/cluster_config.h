// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace xebec::kube {

/// How to reach an API server. PEM contents, not paths.
struct ClusterConfig {
  std::string server;  ///< "https://127.0.0.1:6443", without a trailing slash.
  std::string
      ca_pem;  ///< When it was loaded; Credentials::ca_pem is newer. Empty: the system's CAs.
  bool insecure_skip_tls_verify = false;
  std::string tls_server_name;  ///< Empty: the host of `server`.
  std::string proxy_url;  ///< Empty: HTTPS_PROXY / NO_PROXY of the environment, which do not count
                          ///< for a server on loopback.
  std::string default_namespace = "default";
  std::string origin;  ///< Where it came from, for messages: "kubeconfig /home/me/.kube/config,
                       ///< context dev".
};

/// What proves who we are, and who the server is; any may be empty.
struct Credentials {
  std::string client_cert_pem;
  std::string client_key_pem;
  std::string bearer_token;
  std::string basic_user, basic_password;
  std::string
      ca_pem;  ///< The CA of the server, where its file is read again; else ClusterConfig's.
};

/// Gives credentials and renews them. Thread-safe; Get may block (file reads, exec plugins).
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  /// Current credentials. Token files are read again when older than 60 s, exec plugins run again
  /// when their answer has expired.
  virtual absl::StatusOr<Credentials> Get() = 0;
  /// Called after a 401: the next Get starts anew.
  virtual void Invalidate() = 0;
  /// Makes a Get that is running end soon with CANCELLED, so that a process can stop.
  virtual void Interrupt() {}
};

/// Cluster and credentials together.
struct ClusterAccess {
  ClusterConfig config;
  std::shared_ptr<CredentialSource> credentials;
};

/// Reads a kubeconfig. `path` empty: $KUBECONFIG (colon-separated list, merged), then
/// ~/.kube/config. `context` empty: current-context. Supports certificates (data and files),
/// tokens, token files, basic auth, exec plugins (client.authentication.k8s.io v1 and v1beta1),
/// proxy-url, tls-server-name, insecure-skip-tls-verify. Errors name file, entry and what to do.
absl::StatusOr<ClusterAccess> LoadKubeconfig(const std::string& path, const std::string& context);

/// The Pod's service account: KUBERNETES_SERVICE_HOST/PORT, token (re-read), CA and namespace under
/// /var/run/secrets/kubernetes.io/serviceaccount.
absl::StatusOr<ClusterAccess> InCluster();

/// Kubeconfig where `path` or $KUBECONFIG is set, else the service account where there is one, else
/// ~/.kube/config.
absl::StatusOr<ClusterAccess> LoadClusterAccess(const std::string& path,
                                                const std::string& context);

}  // namespace xebec::kube
