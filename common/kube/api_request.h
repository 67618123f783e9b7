// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/model/resource.h"

namespace xebec::kube {

/// One request to the API server as data. Engines make it, shells send it.
struct ApiRequest {
  std::string method;        ///< "GET", "POST", "PATCH", "PUT", "DELETE".
  std::string path;          ///< Absolute, with query, percent-encoded.
  std::string content_type;  ///< Empty when there is no body.
  std::string body;

  bool operator==(const ApiRequest&) const = default;
};

/// Why no HTTP answer came.
enum class TransportError {
  kNone,
  kNotSent,  ///< Could not connect, or the connection was closed before the request left: nothing
             ///< happened.
  kTimeout,  ///< Sent, no answer within the time-out: the effect is unknown.
  kBroken,   ///< Sent, the connection broke before the whole answer: the effect is unknown.
};

/// The answer to an ApiRequest.
struct ApiResponse {
  int status = 0;  ///< HTTP status; 0 with a transport error.
  TransportError error = TransportError::kNone;
  std::string error_message;  ///< For people, with a transport error.
  std::string body;
  std::optional<absl::Duration>
      retry_after;  ///< Header Retry-After in seconds, clamped to 0–300 s.
  /// Header Date: the time of the API server, in whole seconds.
  std::optional<absl::Time> date = std::nullopt;
};

inline constexpr char kApplyContentType[] = "application/apply-patch+yaml";
inline constexpr char kJsonContentType[] = "application/json";
inline constexpr char kJsonPatchContentType[] = "application/json-patch+json";
inline constexpr char kMergePatchContentType[] = "application/merge-patch+json";

/// "/apis/apps/v1/namespaces/default/deployments", or without namespace for all of them.
std::string CollectionPath(const ResourceType& type, const std::string& ns);

/// Path of one object; `subresource` may be empty or "status".
std::string ObjectPath(const ObjectRef& ref, const std::string& subresource = "");

/// "/apis/apps/v1" or "/api/v1": where the resources of a group and version are described.
std::string DiscoveryPath(const ResourceType& type);

/// Percent-encodes a query value.
std::string QueryEscape(const std::string& value);

}  // namespace xebec::kube
