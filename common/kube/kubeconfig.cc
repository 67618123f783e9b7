// SPDX-License-Identifier: Apache-2.0
#include "common/kube/kubeconfig.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/kube/files.h"
#include "common/kube/yaml_json.h"

namespace xebec::kube::internal {
namespace {

/// Reads the members of one YAML map and keeps the first error.
class Reader {
 public:
  Reader(const YAML::Node& node, std::string where) : node_(node), where_(std::move(where)) {
    if (node.IsDefined() && !node.IsNull() && !node.IsMap()) Fail("", "a map");
  }

  std::string String(const char* key) {
    const YAML::Node value = At(key);
    if (!value.IsDefined() || value.IsNull()) return "";
    if (value.IsScalar()) return value.Scalar();
    return Fail(key, "a string"), "";
  }

  bool Bool(const char* key) {
    const std::string text = String(key);
    if (!text.empty() && text != "true" && text != "false") Fail(key, "true or false");
    return text == "true";
  }

  /// Calls `f(element)` for each element of a list.
  template <typename F>
  void Each(const char* key, F f) {
    const YAML::Node value = At(key);
    if (!value.IsDefined() || value.IsNull()) return;
    if (!value.IsSequence()) return Fail(key, "a list");
    for (const YAML::Node& element : value) f(element);
  }

  YAML::Node At(const char* key) const {
    return node_.IsMap() ? node_[key] : YAML::Node(YAML::NodeType::Undefined);
  }

  bool Has(const char* key) const {
    const YAML::Node value = At(key);
    return value.IsDefined() && !value.IsNull();
  }

  Reader Map(const char* key) const { return {At(key), absl::StrCat(where_, ".", key)}; }

  void Take(const absl::Status& status) {
    if (status_.ok()) status_ = status;
  }
  const absl::Status& status() const { return status_; }

 private:
  void Fail(const std::string& key, const char* wanted) {
    Take(absl::InvalidArgumentError(
        absl::StrCat(where_, key.empty() ? "" : ".", key, " must be ", wanted)));
  }

  const YAML::Node node_;
  const std::string where_;
  absl::Status status_;
};

std::string ExecConfig(Reader* cluster) {
  std::string json;
  cluster->Each("extensions", [&](const YAML::Node& node) {
    Reader extension(node, "extensions");
    if (extension.String("name") != "client.authentication.k8s.io/exec") return;
    json = DumpJson(YamlToJson(extension.At("extension")));
  });
  return json;
}

ClusterEntry ReadCluster(Reader* in, const std::string& source) {
  ClusterEntry out;
  out.source = source;
  out.server = in->String("server");
  out.certificate_authority = {in->String("certificate-authority-data"),
                               RelativeTo(source, in->String("certificate-authority"))};
  out.insecure_skip_tls_verify = in->Bool("insecure-skip-tls-verify");
  out.tls_server_name = in->String("tls-server-name");
  out.proxy_url = in->String("proxy-url");
  out.exec_config_json = ExecConfig(in);
  return out;
}

ExecEntry ReadExec(Reader* in, const std::string& source, const std::string& where) {
  ExecEntry out;
  out.api_version = in->String("apiVersion");
  out.command = in->String("command");
  if (out.command.find('/') != std::string::npos) out.command = RelativeTo(source, out.command);
  in->Each("args", [&](const YAML::Node& arg) {
    if (arg.IsScalar()) out.args.push_back(arg.Scalar());
  });
  in->Each("env", [&](const YAML::Node& node) {
    Reader variable(node, absl::StrCat(where, ".env"));
    out.env.emplace_back(variable.String("name"), variable.String("value"));
    in->Take(variable.status());
  });
  out.install_hint = in->String("installHint");
  out.interactive_mode = in->String("interactiveMode");
  out.provide_cluster_info = in->Bool("provideClusterInfo");
  return out;
}

UserEntry ReadUser(Reader* in, const std::string& source, const std::string& where) {
  UserEntry out;
  out.source = source;
  out.client_certificate = {in->String("client-certificate-data"),
                            RelativeTo(source, in->String("client-certificate"))};
  out.client_key = {in->String("client-key-data"), RelativeTo(source, in->String("client-key"))};
  out.token = in->String("token");
  out.token_file = RelativeTo(source, in->String("tokenFile"));
  out.username = in->String("username");
  out.password = in->String("password");
  for (const char* key : {"auth-provider", "as", "as-uid", "as-groups", "as-user-extra"}) {
    if (in->Has(key)) out.unsupported = key;
  }
  if (in->Has("exec")) {
    Reader exec = in->Map("exec");
    out.exec = ReadExec(&exec, source, absl::StrCat(where, ".exec"));
    in->Take(exec.status());
  }
  return out;
}

ContextEntry ReadContext(Reader* in, const std::string& source) {
  return {source, in->String("cluster"), in->String("user"), in->String("namespace")};
}

/// Reads a list of {name, <key>: {...}} with `read`. The first entry of each name is used.
template <typename Entry, typename Read>
void ReadEntries(Reader* root, const char* list, const char* key, Read read,
                 std::map<std::string, Entry>* out) {
  root->Each(list, [&](const YAML::Node& node) {
    Reader named(node, list);
    const std::string name = named.String("name");
    const std::string where = absl::StrCat(key, " \"", name, "\"");
    Reader body(named.At(key), where);
    Entry entry = read(&body, where);
    root->Take(named.status());
    root->Take(body.status());
    out->emplace(name, std::move(entry));
  });
}

absl::Status ReadRoot(const std::string& source, const YAML::Node& node, Kubeconfig* out) {
  Reader root(node, "the file");
  out->current_context = root.String("current-context");
  ReadEntries(
      &root, "clusters", "cluster",
      [&](Reader* in, const std::string&) { return ReadCluster(in, source); }, &out->clusters);
  ReadEntries(
      &root, "users", "user",
      [&](Reader* in, const std::string& where) { return ReadUser(in, source, where); },
      &out->users);
  ReadEntries(
      &root, "contexts", "context",
      [&](Reader* in, const std::string&) { return ReadContext(in, source); }, &out->contexts);
  return root.status();
}

absl::Status Wrong(const std::string& source, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("kubeconfig ", source, ": ", what));
}

}  // namespace

std::string Kubeconfig::Describe() const {
  return absl::StrCat("kubeconfig ", absl::StrJoin(sources, ", "));
}

absl::StatusOr<Kubeconfig> ParseKubeconfig(const std::string& source, const std::string& text) {
  Kubeconfig out;
  out.sources = {source};
  try {
    const YAML::Node node = YAML::Load(text);
    if (!node.IsDefined() || node.IsNull()) return Wrong(source, "is empty");
    if (!node.IsMap()) return Wrong(source, "is not a YAML map; is it a kubeconfig?");
    const absl::Status status = ReadRoot(source, node, &out);
    if (!status.ok()) return Wrong(source, status.message());
  } catch (const YAML::Exception& e) {  // its message may quote the file, its position does not
    return Wrong(source, absl::StrCat("is not valid YAML: line ", e.mark.line + 1, ", column ",
                                      e.mark.column + 1));
  }
  return out;
}

absl::StatusOr<Kubeconfig> ReadKubeconfigs(const std::vector<std::string>& paths) {
  Kubeconfig merged;
  absl::Status missing = absl::NotFoundError("no kubeconfig is named");
  for (const std::string& path : paths) {
    const auto text = ReadSmallFile(path);
    if (absl::IsNotFound(text.status())) {
      missing = absl::NotFoundError(
          absl::StrCat("kubeconfig ", text.status().message(),
                       "; name another one by flag, configuration or $KUBECONFIG"));
      continue;
    }
    if (!text.ok()) {
      return absl::Status(text.status().code(),
                          absl::StrCat("kubeconfig ", text.status().message()));
    }
    auto one = ParseKubeconfig(path, *text);
    if (!one.ok()) return one.status();
    merged.sources.push_back(path);
    merged.clusters.merge(one->clusters);
    merged.users.merge(one->users);
    merged.contexts.merge(one->contexts);
    if (merged.current_context.empty()) merged.current_context = one->current_context;
  }
  if (merged.sources.empty()) return missing;
  return merged;
}

}  // namespace xebec::kube::internal
