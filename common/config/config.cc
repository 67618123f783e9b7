// SPDX-License-Identifier: Apache-2.0
#include "common/config/config.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status.h"
#include "common/config/binding.h"
#include "common/config/flags.h"
#include "common/config/help.h"
#include "common/config/names.h"
#include "common/config/yaml.h"

namespace xebec::config {
namespace {

constexpr char kConfigVariable[] = "XEBEC_CONFIG";
constexpr size_t kMaxFile = 1 << 20;

using Kind = Binding::Kind;
using Values = std::vector<std::string>;

absl::Status At(const std::string& where, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", status.message()));
}

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxFile + 1, '\0');
  if (!file || !file.read(text.data(), static_cast<std::streamsize>(text.size())).eof()) {
    const char* why = file ? "it is larger than 1 MiB" : "it cannot be opened";
    return absl::InvalidArgumentError(
        absl::StrCat("cannot read the configuration file ", path, ": ", why));
  }
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

/// Values of variables and flags, where commas separate the elements of lists.
Values SplitForKind(const Values& values, Kind kind) {
  if (kind != Kind::kList) return values;
  Values parts;
  for (const std::string& value : values) {
    for (std::string& part : SplitList(value)) parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

class Binder::Impl {
 public:
  std::string program, summary, version;
  std::vector<Binding> bindings;

  /// Binds a field with one value. read(text) returns a StatusOr of the value; write(value) returns
  /// its text.
  template <typename Field, typename Read, typename Write>
  void AddScalar(const std::string& key, const std::string& help, Kind kind,
                 const char* placeholder, Field* field, Read read, Write write) {
    auto set = [field, read](const Values& values) {
      auto value = read(values.front());
      if (!value.ok()) return value.status();
      *field = static_cast<Field>(*std::move(value));
      return absl::OkStatus();
    };
    auto get = [field, write] { return Values{write(*field)}; };
    bindings.push_back({key, help, placeholder, kind, std::move(set), std::move(get)});
  }

  const Binding* Find(const std::string& key) const {
    for (const Binding& binding : bindings) {
      if (binding.key == key) return &binding;
    }
    return nullptr;
  }

  /// Two settings with the same name are a bug in the program.
  absl::Status CheckNames() const {
    std::map<std::string, std::string> keys;
    for (const Binding& binding : bindings) {
      const auto [other, added] = keys.emplace(FlagName(binding.key), binding.key);
      if (added) continue;
      return absl::InternalError(
          absl::StrCat("settings ", other->second, " and ", binding.key, " have one name"));
    }
    return absl::OkStatus();
  }

  absl::Status LoadFile(const std::string& path) const {
    if (path.empty()) return absl::OkStatus();
    XEBEC_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
    XEBEC_ASSIGN_OR_RETURN(const std::vector<YamlEntry> entries, ReadYaml(text, path));
    for (const YamlEntry& entry : entries) {
      XEBEC_RETURN_IF_ERROR(At(absl::StrCat(path, ":", entry.line), LoadEntry(entry)));
    }
    return absl::OkStatus();
  }

  absl::Status LoadVariables(const Environment& environment) const {
    for (const auto& [name, value] : environment) {
      if (!absl::StartsWith(name, "XEBEC_") || name == kConfigVariable) continue;
      XEBEC_RETURN_IF_ERROR(LoadVariable(name, value));
    }
    return absl::OkStatus();
  }

  absl::Status LoadFlags(const Flags& flags) const {
    for (const auto& [key, values] : flags.values) {
      const Binding& binding = *Find(key);
      XEBEC_RETURN_IF_ERROR(
          At("--" + FlagName(key), binding.set(SplitForKind(values, binding.kind))));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status LoadEntry(const YamlEntry& entry) const {
    const Binding* binding = Find(entry.key);
    if (binding == nullptr) {
      Values known;
      for (const Binding& each : bindings) known.push_back(each.key);
      return absl::InvalidArgumentError(
          absl::StrCat("unknown key ", entry.key, DidYouMean(entry.key, known)));
    }
    if (entry.is_list != (binding->kind == Kind::kList)) {
      const char* needed =
          entry.is_list ? "must be a single value, not a list" : "must be a list such as [a, b]";
      return absl::InvalidArgumentError(absl::StrCat(entry.key, ": ", needed));
    }
    return At(entry.key, binding->set(entry.values));
  }

  absl::Status LoadVariable(const std::string& name, const std::string& value) const {
    Values known;
    for (const Binding& binding : bindings) {
      known.push_back(VariableName(binding.key));
      if (known.back() == name) return At(name, binding.set(SplitForKind({value}, binding.kind)));
    }
    if (IsServiceLink(name)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("unknown variable ", name, DidYouMean(name, known)));
  }
};

Binder::Binder(std::string program, std::string summary, std::string version)
    : impl_(new Impl{std::move(program), std::move(summary), std::move(version), {}}) {}

Binder::~Binder() = default;

void Binder::Add(const std::string& key, std::string* field, const std::string& help) {
  const auto same = [](const std::string& text) { return absl::StatusOr<std::string>(text); };
  impl_->AddScalar(key, help, Kind::kText, "TEXT", field, same,
                   [](const std::string& value) { return value; });
}

void Binder::Add(const std::string& key, bool* field, const std::string& help) {
  impl_->AddScalar(key, help, Kind::kBool, "", field, ReadBool,
                   [](bool value) { return std::string(value ? "true" : "false"); });
}

void Binder::Add(const std::string& key, uint32_t* field, const std::string& help, uint32_t min,
                 uint32_t max) {
  impl_->AddScalar(
      key, help, Kind::kNumber, "NUMBER", field,
      [min, max](const std::string& text) { return ReadNumber(text, min, max); },
      [](uint32_t value) { return absl::StrCat(value); });
}

void Binder::Add(const std::string& key, uint64_t* field, const std::string& help, uint64_t min,
                 uint64_t max) {
  impl_->AddScalar(
      key, help, Kind::kNumber, "NUMBER", field,
      [min, max](const std::string& text) { return ReadNumber(text, min, max); },
      [](uint64_t value) { return absl::StrCat(value); });
}

void Binder::Add(const std::string& key, absl::Duration* field, const std::string& help,
                 absl::Duration min) {
  const auto read = [min](const std::string& text) -> absl::StatusOr<absl::Duration> {
    auto value = ReadDuration(text);
    if (!value.ok() || *value >= min) return value;
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\" is shorter than ", absl::FormatDuration(min)));
  };
  impl_->AddScalar(key, help, Kind::kDuration, "DURATION", field, read,
                   [](absl::Duration value) { return std::string(absl::FormatDuration(value)); });
}

void Binder::Add(const std::string& key, std::vector<std::string>* field, const std::string& help) {
  auto set = [field](const Values& values) {
    *field = values;
    return absl::OkStatus();
  };
  impl_->bindings.push_back(
      {key, help, "A,B", Kind::kList, std::move(set), [field] { return *field; }});
}

void Binder::AddChoice(const std::string& key, std::string* field,
                       const std::vector<std::string>& choices, const std::string& help) {
  const std::string listed = absl::StrJoin(choices, ", ");
  const auto read = [choices, listed](const std::string& text) -> absl::StatusOr<std::string> {
    for (const std::string& choice : choices) {
      if (choice == text) return text;
    }
    return absl::InvalidArgumentError(absl::StrCat("\"", text, "\" is not one of ", listed));
  };
  impl_->AddScalar(key, absl::StrCat(help, ": ", listed), Kind::kText, "TEXT", field, read,
                   [](const std::string& value) { return value; });
}

absl::StatusOr<Next> Binder::Load(int argc, const char* const* argv,
                                  const Environment& environment) {
  XEBEC_RETURN_IF_ERROR(impl_->CheckNames());
  XEBEC_ASSIGN_OR_RETURN(const Flags flags, ReadFlags(argc, argv, impl_->bindings));
  if (flags.help) std::cout << Help();
  if (flags.version) std::cout << impl_->program << " " << impl_->version << "\n";
  if (flags.help || flags.version) return Next::kExit;
  const auto variable = environment.find(kConfigVariable);
  const bool from_variable = flags.config.empty() && variable != environment.end();
  XEBEC_RETURN_IF_ERROR(impl_->LoadFile(from_variable ? variable->second : flags.config));
  XEBEC_RETURN_IF_ERROR(impl_->LoadVariables(environment));
  XEBEC_RETURN_IF_ERROR(impl_->LoadFlags(flags));
  if (!flags.print_config) return Next::kRun;
  std::cout << Print();
  return Next::kExit;
}

std::string Binder::Print() const { return PrintYaml(impl_->bindings); }

std::string Binder::Help() const {
  return PrintHelp(impl_->program, impl_->summary, impl_->bindings);
}

}  // namespace xebec::config
