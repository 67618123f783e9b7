// SPDX-License-Identifier: Apache-2.0
// Parses the input of `xebec plan`.
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/commands/documents.h"
#include "cli/commands/message_json.h"
#include "cli/commands/plan.h"
#include "common/base/status.h"
#include "common/codec/codec.h"

namespace xebec::cli {
namespace {

absl::StatusOr<Observation> ReadRequest(const Json& document) {
  v1::PlanRequest request;
  XEBEC_RETURN_IF_ERROR(ReadMessageJson(DumpJson(document), &request));
  return codec::DecodeObservation(request.observation());
}

/// Appends the observations of one document. An empty document has none.
absl::Status Append(const Json& document, std::vector<Observation>* found) {
  if (document.is_null()) return absl::OkStatus();
  if (document.is_object() && document.contains("observation")) {
    XEBEC_ASSIGN_OR_RETURN(Observation observation, ReadRequest(document));
    found->push_back(std::move(observation));
    return absl::OkStatus();
  }
  if (FindString(document, {"apiVersion"}).empty() || FindString(document, {"kind"}).empty()) {
    return absl::InvalidArgumentError(
        "must be a manifest (with apiVersion and kind) or an observation");
  }
  if (const Json* items = Find(document, {"items"});
      items != nullptr && items->is_array() && FindString(document, {"kind"}).ends_with("List")) {
    for (const Json& item : *items) XEBEC_RETURN_IF_ERROR(Append(item, found));
    return absl::OkStatus();
  }
  found->emplace_back().parent = MakeObjectBytes(DumpJson(document));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Observation>> ReadObservations(const std::string& text,
                                                          const std::string& file) {
  XEBEC_ASSIGN_OR_RETURN(const std::vector<Json> documents, ReadDocuments(text, file));
  std::vector<Observation> found;
  for (size_t i = 0; i < documents.size(); ++i) {
    if (const absl::Status read = Append(documents[i], &found); !read.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ", document ", i + 1, ": ", read.message()));
    }
  }
  if (found.empty()) return absl::InvalidArgumentError(absl::StrCat(file, ": no documents"));
  return found;
}

}  // namespace xebec::cli
