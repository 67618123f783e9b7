// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/flags.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/config/binding.h"
#include "common/rpc/discovery/address.h"

namespace xebec::cli {
namespace {

/// For CLI11: why the value is invalid; empty if it is valid.
std::string Rejection(const std::string& flag, const std::string& value,
                      const absl::Status& status) {
  if (status.ok()) return "";
  return absl::StrCat("invalid value \"", value, "\" for ", flag, ": ", status.message());
}

void AddFile(CLI::App* app, const std::string& flag, std::string* field, const std::string& help) {
  app->add_option(flag, *field, help)->type_name("FILE");
}

}  // namespace

void AddDuration(CLI::App* app, const std::string& flag, absl::Duration* field,
                 absl::Duration least, const std::string& help) {
  const auto readable = [flag, least](const std::string& text) {
    const absl::StatusOr<absl::Duration> value = config::ReadDuration(text);
    if (value.ok() && *value >= least) return std::string();
    return Rejection(flag, text,
                     absl::InvalidArgumentError(absl::StrCat("must be a duration of at least ",
                                                             absl::FormatDuration(least),
                                                             ", such as 500ms or 1m30s")));
  };
  const auto read = [field](const std::string& text) { *field = *config::ReadDuration(text); };
  app->add_option_function<std::string>(flag, read, help)
      ->check(CLI::Validator(readable, ""))
      ->default_str(absl::FormatDuration(*field))
      ->type_name("DURATION");
}

void AddAddress(CLI::App* app, const std::string& flag, std::string* field,
                const std::string& help) {
  const auto readable = [flag](const std::string& text) {
    return Rejection(flag, text, rpc::ParseTargets(text).status());
  };
  app->add_option(flag, *field, help)
      ->check(CLI::Validator(readable, ""))
      ->capture_default_str()
      ->type_name("ADDRESS");
}

void AddOutput(CLI::App* app, bool* json) {
  app->add_option_function<std::string>(
         "-o,--output", [json](const std::string& form) { *json = form == "json"; },
         "Output format: text or json")
      ->check(CLI::Validator(
          [](const std::string& form) {
            const bool known = form == "text" || form == "json";
            return known ? std::string()
                         : Rejection("--output", form,
                                     absl::InvalidArgumentError("must be text or json"));
          },
          ""))
      ->default_str("text")
      ->type_name("");
}

void AddTransport(CLI::App* app, Transport* transport) {
  tls::Files& files = transport->files;
  AddFile(app, "--tls-certificate", &files.certificate,
          "PEM file with the client certificate (default: the certificate of the Pod, if it has "
          "one; otherwise no TLS)");
  AddFile(app, "--tls-key", &files.key, "PEM file with its private key");
  AddFile(app, "--tls-ca", &files.ca,
          "PEM file with the CA certificates that sign the other side's certificate");
  app->add_flag("--plaintext", transport->plaintext, "Do not use TLS, even in a Pod");
  AddDuration(app, "--timeout", &transport->timeout, absl::Milliseconds(1), "Timeout of each call");
}

CLI::Option* AddHookAddress(CLI::App* app, const std::string& flag, HookOptions* hook,
                            const std::string& help) {
  const auto readable = [flag](const std::string& text) {
    return Rejection(flag, text, CheckHookAddress(text));
  };
  app->add_option("--tls-server-name", hook->server_name,
                  "Name in the certificate of the hook (default: as the Operator declares, "
                  "otherwise the host of the address)")
      ->type_name("NAME");
  return app->add_option(flag, hook->address, help)
      ->check(CLI::Validator(readable, ""))
      ->type_name("ADDRESS");
}

void AddAsking(CLI::App* app, Asking* asking) {
  AddAddress(app, "--watcher", &asking->watcher, "Address of the watcher");
  AddTransport(app, &asking->transport);
}

void AddParent(CLI::App* app, ParentName* parent) {
  app->add_option("kind", parent->kind, "Kind, plural or plural.group; or KIND/NAME")
      ->required()
      ->type_name("KIND");
  app->add_option("name", parent->name, "Name of the parent")->type_name("NAME");
  app->add_option("-n,--namespace", parent->ns,
                  "Namespace of the parent; '' for cluster-scoped kinds")
      ->capture_default_str()
      ->type_name("NAMESPACE");
  app->add_option("--controller", parent->controller,
                  "Controller of the parent, if it has several: the name of an Operator")
      ->type_name("NAME");
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
