// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

/// The names of states that a Database records in its status. A table has one row for each state
/// with a name. The state kNone has no name: nothing is recorded.
namespace xebec::planner {

/// Returns the state with the name `text`, or State::kNone if there is none.
template <typename State, size_t kRows>
State ParseState(const std::pair<State, std::string_view> (&names)[kRows], std::string_view text) {
  for (const auto& [state, name] : names) {
    if (name == text) return state;
  }
  return State::kNone;
}

/// Returns the name of `state`, or "" for State::kNone.
template <typename State, size_t kRows>
std::string StateName(const std::pair<State, std::string_view> (&names)[kRows], State state) {
  for (const auto& [each, name] : names) {
    if (each == state) return std::string(name);
  }
  return "";
}

}  // namespace xebec::planner
