// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/status.h"

/// Returns from the function when `expression` (an absl::Status) is not OK.
#define XEBEC_RETURN_IF_ERROR(expression)                               \
  do {                                                                  \
    if (absl::Status xebec_status = (expression); !xebec_status.ok()) { \
      return xebec_status;                                              \
    }                                                                   \
  } while (false)

#define XEBEC_STATUS_CONCAT_INNER(a, b) a##b
#define XEBEC_STATUS_CONCAT(a, b) XEBEC_STATUS_CONCAT_INNER(a, b)

/// Evaluates `expression` (an absl::StatusOr). Returns its status from the function if it is not
/// OK; otherwise assigns its value to `target`: XEBEC_ASSIGN_OR_RETURN(const Json json,
/// ParseJson(text)).
#define XEBEC_ASSIGN_OR_RETURN(target, expression) \
  XEBEC_ASSIGN_OR_RETURN_INNER(XEBEC_STATUS_CONCAT(xebec_statusor_, __LINE__), target, expression)
// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are names and a declaration, not values.
#define XEBEC_ASSIGN_OR_RETURN_INNER(result, target, expression) \
  auto result = (expression);                                    \
  if (!result.ok()) return result.status();                      \
  target = *std::move(result)
// NOLINTEND(bugprone-macro-parentheses)
