// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "planner/core/kind.h"

namespace xebec::planner {

/// On Pods: the number of the start, "1" for the first.
inline constexpr std::string_view kStartAnnotation = "xebec.dev/start";

/// "<parent>-immortalpod", at most 63 characters so that it can be a host name: longer ones are cut
/// and hashed.
std::string ImmortalPodName(std::string_view parent);

/// What an ImmortalContainer asks of its Pod.
struct ImmortalSpec {
  std::string image;
  Json pull_secrets = Json::array();
  std::string restart_policy;  ///< Empty: the API server's default, Always.
};

/// The Pod of a start. `live`: the Pod as it is, or null for a new one.
DesiredChild ImmortalPod(const View& view, const ImmortalSpec& spec, int64_t start,
                         const Child* live = nullptr);

/// How often the container was started, as far as it can be told now.
///
/// The count is the largest of what the status recorded and what the existing Pods carry. A Pod
/// that was created and taken away before the cache showed it is known from the outcome of its
/// creation, whose memo is the number. The next Pod carries count + 1. Since a Pod is deleted only
/// after the status recorded its start, no crash can lose one.
struct StartCount {
  int64_t recorded = 0;  ///< status.startTimes.
  int64_t count = 0;     ///< Never below `recorded`.
};

StartCount CountStarts(const View& view);

/// The start that a Pod is. One that carries no number (made by an original operator) is the one
/// that was counted last.
int64_t StartOf(const Child& pod, int64_t recorded);

}  // namespace xebec::planner
