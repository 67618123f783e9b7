// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/kube/api_request.h"

namespace xebec::kube {

/// The fields of a metav1.Status that decisions need. Everything may be empty.
struct ApiStatus {
  int code = 0;
  std::string reason;   ///< "Conflict", "AlreadyExists", "Forbidden", "Invalid", "Expired", ...
  std::string message;  ///< As the server wrote it.
  struct Cause {
    std::string type;   ///< details.causes[].reason: "FieldValueInvalid", "NamespaceTerminating",
                        ///< "FieldManagerConflict", ...
    std::string field;  ///< "spec.replicas"
    std::string message;
  };
  std::vector<Cause> causes;
  std::string details_name;
  std::string details_kind;
  std::string details_uid;
};

/// Reads an error body; total: a body that is no Status gives its beginning as message.
ApiStatus ParseApiStatus(std::string_view body);

/// Why this is not what an API server that accepts us answers, for people; empty when it is.
std::string WhyUnusable(const ApiResponse& response);

}  // namespace xebec::kube
