// SPDX-License-Identifier: Apache-2.0
#include "common/config/yaml.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status.h"
#include "yaml-cpp/yaml.h"

namespace xebec::config {
namespace {

constexpr int kMaxDepth = 8;
constexpr size_t kMaxEntries = 10'000;  // aliases can expand a small file to a huge document

/// Returns true if a quote opens at `start` and is never closed. yaml-cpp would silently read the
/// rest of the file as the value.
bool IsUnclosed(const std::string& text, size_t start) {
  if (start >= text.size() || (text[start] != '"' && text[start] != '\'')) return false;
  const char quote = text[start];
  for (size_t i = start + 1; i < text.size(); ++i) {
    const bool doubled = quote == '\'' && text.compare(i, 2, "''") == 0;
    if (doubled || (quote == '"' && text[i] == '\\')) {
      ++i;
    } else if (text[i] == quote) {
      return false;
    }
  }
  return true;
}

/// Flattens a document into entries.
class Flattener {
 public:
  Flattener(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  absl::Status AddMap(const YAML::Node& map, const std::string& prefix, int depth) {
    for (const auto& member : map) {
      if (!member.first.IsScalar()) return Error(member.first, "a key must be a word");
      const std::string key =
          absl::StrCat(prefix, prefix.empty() ? "" : ".", member.first.Scalar());
      if (!seen_.insert(key).second)
        return Error(member.first, absl::StrCat(key, ": appears twice"));
      if (seen_.size() > kMaxEntries || depth > kMaxDepth) {
        return Error(member.first, absl::StrCat(key, ": too many or too deeply nested keys"));
      }
      XEBEC_RETURN_IF_ERROR(AddValue(member.first, member.second, key, depth));
    }
    return absl::OkStatus();
  }

  absl::Status Error(const YAML::Node& where, const std::string& what) const {
    return absl::InvalidArgumentError(absl::StrCat(name_, ":", where.Mark().line + 1, ": ", what));
  }

  std::vector<YamlEntry> Take() { return std::move(entries_); }

 private:
  absl::Status AddValue(const YAML::Node& where, const YAML::Node& value, const std::string& key,
                        int depth) {
    if (value.IsMap()) return AddMap(value, key, depth + 1);
    if (IsUnclosed(text_, static_cast<size_t>(value.Mark().pos))) {
      return Error(value, absl::StrCat(key, ": the quote is never closed"));
    }
    YamlEntry entry{key, where.Mark().line + 1, value.IsSequence(), {}};
    if (value.IsSequence()) {
      for (const YAML::Node& element : value) {
        if (!element.IsScalar())
          return Error(element, absl::StrCat(key, ": an element must be a single value"));
        entry.values.push_back(element.Scalar());
      }
    } else if (value.IsScalar()) {
      entry.values.push_back(value.Scalar());
    } else {
      return Error(where, absl::StrCat(key, ": has no value"));
    }
    entries_.push_back(std::move(entry));
    return absl::OkStatus();
  }

  const std::string& text_;
  const std::string& name_;
  std::set<std::string> seen_;
  std::vector<YamlEntry> entries_;
};

absl::StatusOr<std::vector<YamlEntry>> ReadDocuments(const std::string& text,
                                                     const std::string& name) {
  const std::vector<YAML::Node> documents = YAML::LoadAll(text);
  Flattener flattener(text, name);
  if (documents.size() > 1) return flattener.Error(documents[1], "only one document is accepted");
  if (documents.empty() || documents[0].IsNull()) return flattener.Take();
  if (!documents[0].IsMap())
    return flattener.Error(documents[0],
                           "expected keys with values, such as \"log: {level: info}\"");
  XEBEC_RETURN_IF_ERROR(flattener.AddMap(documents[0], "", 1));
  return flattener.Take();
}

/// Writes one value so that ReadYaml returns the same value.
void Emit(YAML::Emitter& out, const Binding& binding) {
  const std::vector<std::string> values = binding.get();
  if (binding.kind == Binding::Kind::kList) out << YAML::Flow << YAML::BeginSeq;
  for (const std::string& value : values) {
    const bool quoted =
        binding.kind == Binding::Kind::kText || binding.kind == Binding::Kind::kList;
    if (quoted) out << YAML::DoubleQuoted;
    out << value;
  }
  if (binding.kind == Binding::Kind::kList) out << YAML::EndSeq;
}

using Path = std::vector<std::string>;

/// Emits the bindings whose keys start with `prefix`. Each group is emitted once, at the position
/// of its first member.
void EmitLevel(YAML::Emitter& out, const std::vector<Binding>& bindings, const Path& prefix) {
  std::set<std::string> done;
  out << YAML::BeginMap;
  for (const Binding& binding : bindings) {
    const Path path = absl::StrSplit(binding.key, '.');
    if (path.size() <= prefix.size() || !std::equal(prefix.begin(), prefix.end(), path.begin()))
      continue;
    const std::string& name = path[prefix.size()];
    if (!done.insert(name).second) continue;
    out << YAML::Key << name << YAML::Value;
    if (path.size() == prefix.size() + 1) {
      Emit(out, binding);
    } else {
      EmitLevel(out, bindings,
                Path(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(prefix.size()) + 1));
    }
  }
  out << YAML::EndMap;
}

}  // namespace

absl::StatusOr<std::vector<YamlEntry>> ReadYaml(const std::string& text, const std::string& name) {
  try {
    return ReadDocuments(text, name);
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ":", error.mark.line + 1, ": ", error.msg));
  }
}

std::string PrintYaml(const std::vector<Binding>& bindings) {
  YAML::Emitter out;
  EmitLevel(out, bindings, {});
  return absl::StrCat(out.c_str(), "\n");
}

}  // namespace xebec::config
