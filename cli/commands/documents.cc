// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/documents.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/base/strings.h"
#include "common/kube/yaml_json.h"

namespace xebec::cli {
namespace {

constexpr size_t kMaxNodes = 100'000;  // including the nodes that aliases repeat

/// Rejects YAML that a manifest must not contain.
class Strictness {
 public:
  explicit Strictness(std::string file) : file_(std::move(file)) {}

  absl::Status Check(const YAML::Node& node, int depth = 0) {
    if (depth > kube::internal::kMaxYamlDepth) return Wrong(node, "nested too deeply");
    if (++nodes_ > kMaxNodes) return Wrong(node, absl::StrCat("more than ", kMaxNodes, " nodes"));
    if (node.IsMap()) return CheckMap(node, depth);
    if (!node.IsSequence()) return absl::OkStatus();
    for (const YAML::Node& element : node) XEBEC_RETURN_IF_ERROR(Check(element, depth + 1));
    return absl::OkStatus();
  }

  absl::Status Wrong(const YAML::Mark& mark, const std::string& what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(file_, ":", mark.line + 1, ":", mark.column + 1, ": ", what));
  }

 private:
  absl::Status CheckMap(const YAML::Node& map, int depth) {
    std::set<std::string> keys;
    for (const auto& member : map) {
      if (!member.first.IsScalar()) return Wrong(member.first, "keys must be strings");
      const std::string& key = member.first.Scalar();
      if (key == "<<") return Wrong(member.first, "merge keys (<<) are not supported");
      if (!keys.insert(key).second) return Wrong(member.first, "duplicate key " + key);
      XEBEC_RETURN_IF_ERROR(Check(member.second, depth + 1));
    }
    return absl::OkStatus();
  }

  absl::Status Wrong(const YAML::Node& node, const std::string& what) const {
    return Wrong(node.Mark(), what);
  }

  std::string file_;
  size_t nodes_ = 0;
};

absl::StatusOr<std::vector<Json>> ReadYaml(const std::string& text, const std::string& file) {
  Strictness strictness(file);
  std::vector<Json> documents;
  try {
    for (const YAML::Node& node : YAML::LoadAll(text)) {
      XEBEC_RETURN_IF_ERROR(strictness.Check(node));
      documents.push_back(kube::internal::YamlToJson(node));
    }
  } catch (const YAML::Exception& error) {
    return strictness.Wrong(error.mark, error.msg);
  }
  return documents;
}

absl::StatusOr<std::string> ReadAll(const std::string& name, std::istream& source) {
  const std::string text{std::istreambuf_iterator<char>(source), {}};
  if (!source || source.bad()) return absl::NotFoundError(absl::StrCat("cannot read ", name));
  return text;
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& file) {
  std::error_code none;
  if (std::filesystem::is_directory(file, none)) {
    return absl::InvalidArgumentError(absl::StrCat(file, " is a directory; pass the files in it"));
  }
  std::ifstream source(file, std::ios::binary);
  return ReadAll(file, source);
}

absl::StatusOr<std::string> ReadFileOr(const std::string& file, std::istream& in) {
  return file == "-" ? ReadAll(file, in) : ReadFile(file);
}

absl::StatusOr<std::vector<Json>> ReadDocuments(const std::string& text, const std::string& file) {
  // An observation has many objects, and is a few levels deeper than one.
  const JsonLimits limits{.max_bytes = size_t{64} << 20, .max_depth = JsonLimits().max_depth + 16};
  if (text.size() > limits.max_bytes) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": larger than 64 MiB"));
  }
  const absl::string_view begin = absl::StripLeadingAsciiWhitespace(ToAbsl(text));
  if (begin.empty() || (begin[0] != '{' && begin[0] != '[')) return ReadYaml(text, file);
  absl::StatusOr<Json> json = ParseJson(text, limits);
  if (json.ok()) return std::vector<Json>{*std::move(json)};
  absl::StatusOr<std::vector<Json>> yaml = ReadYaml(text, file);  // {flow: style}, {"several": 1}
  if (yaml.ok()) return yaml;
  return absl::InvalidArgumentError(absl::StrCat(file, ": ", json.status().message()));
}

}  // namespace xebec::cli
