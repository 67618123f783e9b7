// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/usage.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "cli/text/words.h"
#include "common/base/strings.h"

namespace xebec::cli {
namespace {

/// The number of characters to insert, delete or replace to make `a` from `b` (Levenshtein).
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> FlagsOf(const CLI::App& app) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::vector<std::string> CommandsOf(const CLI::App& xebec) {
  std::vector<std::string> commands;
  for (const CLI::App* command : xebec.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
  }
  return commands;
}

/// The command that was read, or `xebec` itself if none was.
const CLI::App& CommandOf(const CLI::App& xebec) {
  const std::vector<CLI::App*> read = xebec.get_subcommands();
  return read.empty() ? xebec : CommandOf(*read.front());
}

std::string Unknown(const std::string& what, const std::string& word,
                    const std::vector<std::string>& candidates) {
  const std::string similar = MostSimilar(word, candidates);
  return absl::StrCat("unknown ", what, " ", word,
                      similar.empty() ? "" : absl::StrCat(" (did you mean ", similar, "?)"));
}

std::string DescribeExtra(const CLI::App& xebec, const std::string& extra) {
  const CLI::App& command = CommandOf(xebec);
  if (extra.starts_with("-")) {
    return Unknown("flag", extra.substr(0, extra.find('=')), FlagsOf(command));
  }
  if (!CommandsOf(command).empty()) return Unknown("command", extra, CommandsOf(command));
  return absl::StrCat("unexpected argument ", extra);
}

}  // namespace

std::string MostSimilar(std::string_view word, const std::vector<std::string>& candidates) {
  std::string similar;
  size_t least = word.size() / 3 + 1;  // A word with more differences is another word.
  for (const std::string& candidate : candidates) {
    const size_t distance = Distance(word, candidate);
    if (distance < least) {
      least = distance;
      similar = candidate;
    }
  }
  return similar;
}

std::string DescribeUsageError(const CLI::App& xebec, const CLI::ParseError& error) {
  const std::vector<std::string> extras = xebec.remaining(true);
  if (!extras.empty()) return DescribeExtra(xebec, extras.front());
  const std::string message = error.what();
  const size_t value = message.find("invalid value ");  // CLI11 puts the flag before it.
  if (value != std::string::npos) return message.substr(value);
  if (error.get_name() != "RequiredError") return message;
  const std::vector<std::string> commands = CommandsOf(CommandOf(xebec));
  if (!commands.empty()) {
    return absl::StrCat("missing command: must be one of ", absl::StrJoin(commands, ", "));
  }
  const std::string missing(ToStd(absl::StripSuffix(message, " is required")));
  return missing.starts_with("-") ? "missing flag " + missing
                                  : "missing argument " + absl::AsciiStrToUpper(missing);
}

std::string CommandName(const CLI::App& xebec) {
  const std::vector<CLI::App*> read = xebec.get_subcommands();
  if (read.empty()) return xebec.get_name();
  return absl::StrCat(xebec.get_name(), " ", CommandName(*read.front()));
}

std::string UsageErrorText(const CLI::App& xebec, std::string_view reason) {
  const std::string name = CommandName(xebec);
  return absl::StrCat(name, ": usage error: ", OneLine(reason), "\nRun \"", name,
                      " --help\" for usage.\n");
}

}  // namespace xebec::cli
