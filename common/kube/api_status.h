// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/kube/api_request.h"

namespace xebec::kube {

/// The fields of a metav1.Status that Xebec uses. Every field may be empty.
struct ApiStatus {
  std::string reason;   ///< "Conflict", "AlreadyExists", "Forbidden", "Invalid", "Expired", ...
  std::string message;  ///< The server's message.
  struct Cause {
    std::string type;   ///< details.causes[].reason: "FieldValueInvalid", "NamespaceTerminating",
                        ///< "FieldManagerConflict", ...
    std::string field;  ///< "spec.replicas"
    std::string message;
  };
  std::vector<Cause> causes;
  std::string details_name;
  std::string details_kind;
};

/// Parses an error body. Never fails: for a body that is not a Status, the message is the start of
/// the body.
ApiStatus ParseApiStatus(std::string_view body);

/// Returns a message for users if the response shows that the server is not an API server, or that
/// it does not accept our credentials. Returns "" otherwise.
std::string WhyUnusable(const ApiResponse& response);

}  // namespace xebec::kube
