// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

/// kubeconfig files as data; nothing but the files themselves is read here.
namespace xebec::kube::internal {

/// What may be given in place or as a path.
struct DataOrFile {
  std::string data;  ///< Base64 as in the file; wins over `file`.
  std::string file;  ///< Absolute, or relative to the working directory.

  bool empty() const { return data.empty() && file.empty(); }
};

struct ClusterEntry {
  std::string source;  ///< The file it is from.
  std::string server;
  DataOrFile certificate_authority;
  bool insecure_skip_tls_verify = false;
  std::string tls_server_name;
  std::string proxy_url;
  std::string exec_config_json;  ///< Extension client.authentication.k8s.io/exec; empty for none.
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
  std::string unsupported;  ///< Name of a field that this program cannot honour; empty for none.
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

/// Reads one file's text. INVALID_ARGUMENT that names `source` and the entry, never a value.
absl::StatusOr<Kubeconfig> ParseKubeconfig(const std::string& source, const std::string& text);

/// Reads and merges files as kubectl does: the first that names an entry or the current context
/// wins; missing ones are left out unless all are missing (NOT_FOUND).
absl::StatusOr<Kubeconfig> ReadKubeconfigs(const std::vector<std::string>& paths);

}  // namespace xebec::kube::internal
