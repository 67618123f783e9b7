// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

/// Parsing of kubeconfig files. Files that a kubeconfig refers to are not read here.
namespace xebec::kube::internal {

/// A value in the kubeconfig, or the path of a file that contains it.
struct DataOrFile {
  std::string data;  ///< Base64, as in the kubeconfig. Takes precedence over `file`.
  std::string file;  ///< Absolute, or relative to the working directory.

  bool empty() const { return data.empty() && file.empty(); }
};

struct ClusterEntry {
  std::string source;  ///< The kubeconfig file that contains the entry.
  std::string server;
  DataOrFile certificate_authority;
  bool insecure_skip_tls_verify = false;
  std::string tls_server_name;
  std::string proxy_url;
  /// The extension client.authentication.k8s.io/exec as JSON; empty for none.
  std::string exec_config_json;
};

struct ExecEntry {
  std::string api_version;
  std::string command;  ///< A name to look up in PATH, or a path.
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string install_hint;
  std::string interactive_mode;
  bool provide_cluster_info = false;
};

struct UserEntry {
  std::string source;
  DataOrFile client_certificate;
  DataOrFile client_key;
  std::string token;
  std::string token_file;
  std::string username, password;
  std::optional<ExecEntry> exec;
  std::string unsupported;  ///< The name of a field that Xebec does not support; empty for none.
};

struct ContextEntry {
  std::string source;
  std::string cluster;
  std::string user;
  std::string ns;
};

/// One file, or several merged.
struct Kubeconfig {
  std::vector<std::string> sources;
  std::map<std::string, ClusterEntry> clusters;
  std::map<std::string, UserEntry> users;
  std::map<std::string, ContextEntry> contexts;
  std::string current_context;

  std::string Describe() const;  ///< "kubeconfig a, b"
};

/// Parses the text of one file. INVALID_ARGUMENT names `source` and the entry, and never quotes a
/// value.
absl::StatusOr<Kubeconfig> ParseKubeconfig(const std::string& source, const std::string& text);

/// Reads and merges files as kubectl does: for each entry and for the current context, the first
/// file that contains it wins. Ignores missing files unless all are missing (NOT_FOUND).
absl::StatusOr<Kubeconfig> ReadKubeconfigs(const std::vector<std::string>& paths);

}  // namespace xebec::kube::internal
