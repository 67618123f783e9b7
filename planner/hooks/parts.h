// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "planner/core/hook_codec.h"
#include "xebec/hooks/v1/hook.pb.h"

/// The functions of the codec. Internal to planner/hooks.
namespace xebec::planner::hooks {

namespace wire = ::xebec::hooks::v1;

inline absl::Status Wrong(const std::string& what) { return absl::InvalidArgumentError(what); }

std::string EncodeRequest(const View& view, const Declaration& declaration);
absl::StatusOr<HookDecision> DecodeAnswer(const std::string& answer, const View& view);
std::string DifferenceOf(const std::string& first, const std::string& second);

// decode_child.cc. An error says what is wrong, without the path of the message.
/// Returns the rule for the children of an apiVersion and kind.
absl::StatusOr<const ChildRule*> RuleOf(const View& view, const std::string& api_version,
                                        const std::string& kind);
/// Returns an error if the watcher would not see the child, or not all of its fields: the planner
/// would write it again and again.
absl::Status CheckWatched(const Json& object, const ChildRule& rule, const std::string& child);
absl::Status DecodeChild(const wire::DesiredChild& in, const View& view, DesiredChild* out);
absl::Status DecodeDeletion(const wire::Deletion& in, const View& view, ChildToDelete* out);
absl::Status DecodeEvent(const wire::Event& in, EventFact* out);
template <typename Events>
absl::Status DecodeEvents(const Events& in, std::vector<EventFact>* out) {
  for (const wire::Event& event : in) {
    if (absl::Status status = DecodeEvent(event, &out->emplace_back()); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace xebec::planner::hooks
