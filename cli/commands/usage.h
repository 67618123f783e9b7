// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "CLI/App.hpp"

namespace xebec::cli {

/// The candidate that the user most likely meant by `word`; empty if none is similar.
std::string MostSimilar(std::string_view word, const std::vector<std::string>& candidates);

/// Describes why CLI11 rejected the command line of `xebec`, in the words of users: "unknown flag
/// --replica (did you mean --replicas?)". Without a final period.
std::string DescribeUsageError(const CLI::App& xebec, const CLI::ParseError& error);

/// Returns the program with the command that was read: "xebec", "xebec plan", "xebec hook check".
std::string CommandName(const CLI::App& xebec);

/// The message for standard error: "xebec: usage error: REASON", and how to get help for the
/// command.
std::string UsageErrorText(const CLI::App& xebec, std::string_view reason);

}  // namespace xebec::cli
