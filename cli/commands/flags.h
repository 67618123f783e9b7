// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "absl/time/time.h"
#include "cli/commands/connection.h"
#include "cli/commands/hook_client.h"
#include "cli/commands/questions.h"

/// Flags that several commands have. Invalid values are rejected while the command line is parsed.
/// The fields must exist until then.
namespace xebec::cli {

/// A duration of at least `least`, written as in the services' configuration. The field's value is
/// the default.
void AddDuration(CLI::App* app, const std::string& flag, absl::Duration* field,
                 absl::Duration least, const std::string& help);

/// The addresses of a service. The field's value is the default.
void AddAddress(CLI::App* app, const std::string& flag, std::string* field,
                const std::string& help);

/// -o text|json
void AddOutput(CLI::App* app, bool* json);

/// The certificate files and the timeout of a call.
void AddTransport(CLI::App* app, Transport* transport);

/// The address of a hook, and the name in its certificate. AddTransport adds the other flags of the
/// connection.
CLI::Option* AddHookAddress(CLI::App* app, const std::string& flag, HookOptions* hook,
                            const std::string& help);

/// --watcher and the flags of its connection, without -o, which not every command has.
void AddAsking(CLI::App* app, Asking* asking);

/// KIND NAME or KIND/NAME, and -n. ReadParentName parses them.
void AddParent(CLI::App* app, ParentName* parent);

/// The arguments in the order that CLI11 expects (the last one first). "--flag=" is split in two,
/// because CLI11 2.1 would take the next argument as its value.
std::vector<std::string> WordsOf(int argc, const char* const* argv);

}  // namespace xebec::cli
