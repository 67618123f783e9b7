// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "planner/core/kind.h"

namespace xebec::planner {

/// Annotation of Pods: the number of the start, "1" for the first.
inline constexpr std::string_view kStartAnnotation = "xebec.dev/start";

/// Returns "<parent>-immortalpod". Names of more than 63 characters, which cannot be host names,
/// are shortened and get a digest.
std::string ImmortalPodName(std::string_view parent);

/// The fields of an ImmortalContainer that determine its Pod.
struct ImmortalSpec {
  std::string image;
  Json pull_secrets = Json::array();
  std::string restart_policy;  ///< Empty means the API server's default, Always.
};

/// Returns the Pod of a start. `live` is the existing Pod, or null for a new one.
DesiredChild ImmortalPod(const View& view, const ImmortalSpec& spec, int64_t start,
                         const Child* live = nullptr);

/// Counts the starts of the container.
///
/// The count is the largest number in the status and in the annotations of existing Pods. A Pod
/// that was deleted before the cache contained it is known from the memo in the outcome of its
/// creation. The next Pod has the number count + 1. Because a Pod is deleted only after the status
/// contains its start, a crash loses no start, and an annotation with a higher number than the next
/// one was edited and does not count.
struct StartCount {
  int64_t recorded = 0;  ///< status.startTimes.
  int64_t known = 0;     ///< Of the status and of the memo.
  int64_t count = 0;     ///< Never lower than `known`.
};

StartCount CountStarts(const View& view);

/// Returns the start of a Pod. A Pod without a number, which an original operator created, or with
/// an edited one belongs to the last recorded start.
int64_t StartOf(const Child& pod, const StartCount& starts);

}  // namespace xebec::planner
