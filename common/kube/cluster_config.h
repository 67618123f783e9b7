// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace xebec::kube {

/// The address and the TLS settings of an API server. Contains PEM texts, not paths.
struct ClusterConfig {
  std::string server;  ///< "https://127.0.0.1:6443", without a trailing slash.
  /// The CA at the time of loading; Credentials::ca_pem is newer. Empty means the CAs of the
  /// system.
  std::string ca_pem;
  bool insecure_skip_tls_verify = false;
  std::string tls_server_name;  ///< Empty means the host of `server`.
  /// Empty means HTTPS_PROXY and NO_PROXY of the environment, which are ignored for servers on
  /// loopback.
  std::string proxy_url;
  std::string default_namespace = "default";
  /// The source, for messages: "kubeconfig /home/me/.kube/config, context dev".
  std::string origin;
};

/// The client's credentials and the server's CA. Every field may be empty.
struct Credentials {
  std::string client_cert_pem;
  std::string client_key_pem;
  std::string bearer_token;
  std::string basic_user, basic_password;
  /// The server's CA if its file is read again; otherwise empty, and ClusterConfig::ca_pem is used.
  std::string ca_pem;
};

/// Provides credentials and renews them. Thread-safe. Get may block, because it reads files or runs
/// a plugin.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  /// Returns the current credentials. Reads token files again after 60 s, and runs an exec plugin
  /// again when its credentials have expired.
  virtual absl::StatusOr<Credentials> Get() = 0;
  /// Makes the next Get fetch new credentials. Called after a 401.
  virtual void Invalidate() = 0;
  /// Makes a running Get return CANCELLED soon, so that the process can stop.
  virtual void Interrupt() {}
};

/// A cluster and the credentials for it. `credentials` may be null.
struct ClusterAccess {
  ClusterConfig config;
  std::shared_ptr<CredentialSource> credentials;
};

/// Loads a kubeconfig. An empty `path` means $KUBECONFIG (a colon-separated list, merged) or, if it
/// is not set, ~/.kube/config. An empty `context` means current-context. Supports certificates
/// (data and files), tokens, token files, basic authentication, exec plugins
/// (client.authentication.k8s.io v1 and v1beta1), proxy-url, tls-server-name and
/// insecure-skip-tls-verify. Errors name the file, the entry and what to do.
absl::StatusOr<ClusterAccess> LoadKubeconfig(const std::string& path, const std::string& context);

/// Loads the Pod's service account: KUBERNETES_SERVICE_HOST and _PORT, and the token, CA and
/// namespace in /var/run/secrets/kubernetes.io/serviceaccount. The token is read again when it
/// changes.
absl::StatusOr<ClusterAccess> InCluster();

/// Loads the kubeconfig if `path` or $KUBECONFIG is set; otherwise the service account if there is
/// one; otherwise ~/.kube/config.
absl::StatusOr<ClusterAccess> LoadClusterAccess(const std::string& path,
                                                const std::string& context);

}  // namespace xebec::kube
