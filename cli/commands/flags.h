// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "absl/time/time.h"
#include "cli/commands/connection.h"
#include "cli/commands/questions.h"

/// Flags that several commands have; values that cannot be meant are refused while the command line
/// is read. Fields outlive that.
namespace xebec::cli {

/// A duration of at least `least`, written as in the services' configuration. The field's value is
/// the default.
void AddDuration(CLI::App* app, const std::string& flag, absl::Duration* field,
                 absl::Duration least, const std::string& help);

/// Where a service is; the field's value is the default.
void AddAddress(CLI::App* app, const std::string& flag, std::string* field,
                const std::string& help);

/// -o text|json
void AddOutput(CLI::App* app, bool* json);

/// Certificate files, and the time that a call may take.
void AddTransport(CLI::App* app, Transport* transport);

/// --watcher, and what a connection to it needs; not -o, which not every question has.
void AddAsking(CLI::App* app, Asking* asking);

/// KIND NAME, or KIND/NAME, and -n; ReadParentName takes them apart.
void AddParent(CLI::App* app, ParentName* parent);

/// The words of a command line, in the order that CLI11 wants (the last one first). "--flag=" is
/// split, as CLI11 2.1 would give the flag the next word.
std::vector<std::string> WordsOf(int argc, const char* const* argv);

}  // namespace xebec::cli
