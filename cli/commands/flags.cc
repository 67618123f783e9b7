// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/flags.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/config/binding.h"
#include "common/rpc/address.h"

namespace xebec::cli {
namespace {

/// What is wrong with a value, for CLI11; empty when nothing is.
std::string Complaint(const absl::Status& status) { return std::string(status.message()); }

void AddFile(CLI::App* app, const std::string& flag, std::string* field, const std::string& help) {
  app->add_option(flag, *field, help)->type_name("FILE");
}

}  // namespace

void AddDuration(CLI::App* app, const std::string& flag, absl::Duration* field,
                 absl::Duration least, const std::string& help) {
  const auto readable = [least](const std::string& text) {
    const absl::StatusOr<absl::Duration> value = config::ReadDuration(text);
    if (!value.ok() || *value >= least) return Complaint(value.status());
    return absl::StrCat("\"", text, "\" is shorter than ", absl::FormatDuration(least));
  };
  const auto read = [field](const std::string& text) { *field = *config::ReadDuration(text); };
  app->add_option_function<std::string>(flag, read, help)
      ->check(CLI::Validator(readable, ""))
      ->default_str(absl::FormatDuration(*field))
      ->type_name("DURATION");
}

void AddAddress(CLI::App* app, const std::string& flag, std::string* field,
                const std::string& help) {
  const auto readable = [](const std::string& text) {
    return Complaint(rpc::ParseTargets(text).status());
  };
  app->add_option(flag, *field, help)
      ->check(CLI::Validator(readable, ""))
      ->capture_default_str()
      ->type_name("ADDRESS");
}

void AddOutput(CLI::App* app, bool* json) {
  app->add_option_function<std::string>(
         "-o,--output", [json](const std::string& form) { *json = form == "json"; },
         "How answers are written")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text")
      ->type_name("");
}

void AddTransport(CLI::App* app, Transport* transport) {
  tls::Files& files = transport->files;
  AddFile(app, "--tls-certificate", &files.certificate,
          "PEM file with the own certificate; without: that of the Pod it runs in, if there is "
          "one, else plaintext");
  AddFile(app, "--tls-key", &files.key, "PEM file with its private key");
  AddFile(app, "--tls-authority", &files.authority,
          "PEM file with the certificates that vouch for the other side");
  app->add_flag("--plaintext", transport->plaintext, "Without TLS, even in a Pod");
  AddDuration(app, "--timeout", &transport->timeout, absl::Milliseconds(1), "Of each call");
}

void AddAsking(CLI::App* app, Asking* asking) {
  AddAddress(app, "--watcher", &asking->watcher, "Watcher to ask");
  AddTransport(app, &asking->transport);
}

void AddParent(CLI::App* app, ParentName* parent) {
  app->add_option("kind", parent->kind, "Plural, kind or plural.group; or KIND/NAME")
      ->required()
      ->type_name("KIND");
  app->add_option("name", parent->name, "Name of the parent")->type_name("NAME");
  app->add_option("-n,--namespace", parent->ns, "Its namespace; '' for kinds that have none")
      ->capture_default_str()
      ->type_name("NAMESPACE");
}

std::vector<std::string> WordsOf(int argc, const char* const* argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool empty = word.starts_with("--") && word.find('=') == word.size() - 1;
    words.push_back(empty ? word.substr(0, word.size() - 1) : word);
    if (empty) words.emplace_back();
  }
  std::reverse(words.begin(), words.end());
  return words;
}

}  // namespace xebec::cli
