// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/model/resource.h"

namespace xebec::kube {

/// One request to the API server as data. Engines make requests; services send them.
struct ApiRequest {
  std::string method;        ///< "GET", "POST", "PATCH", "PUT", "DELETE".
  std::string path;          ///< Absolute path with query, percent-encoded.
  std::string content_type;  ///< Empty when there is no body.
  std::string body;
  /// Asks for an answer with the metadata of the object alone (PartialObjectMetadata), which costs
  /// the API server and the client less. A server that cannot do it sends the whole object.
  bool metadata_only = false;

  bool operator==(const ApiRequest&) const = default;
};

/// The reason why there is no HTTP response.
enum class TransportError {
  kNone,
  /// The client could not connect, or the connection closed before the request was sent: the
  /// request had no effect.
  kNotSent,
  kTimeout,  ///< The request was sent and no response arrived in time: the effect is unknown.
  /// The request was sent and the connection broke before the whole response arrived: the effect is
  /// unknown.
  kBroken,
};

/// The response to an ApiRequest.
struct ApiResponse {
  int status = 0;  ///< HTTP status; 0 after a transport error.
  TransportError error = TransportError::kNone;
  std::string error_message;  ///< Describes a transport error for users.
  std::string body;
  std::optional<absl::Duration> retry_after;  ///< The Retry-After header, limited to 0–300 s.
  /// The Date header: the time of the API server, in whole seconds.
  std::optional<absl::Time> date = std::nullopt;
};

inline constexpr char kApplyContentType[] = "application/apply-patch+yaml";
inline constexpr char kJsonContentType[] = "application/json";
inline constexpr char kJsonPatchContentType[] = "application/json-patch+json";
inline constexpr char kMergePatchContentType[] = "application/merge-patch+json";

/// Returns the path of a collection: "/apis/apps/v1/namespaces/default/deployments". An empty `ns`
/// means all namespaces.
std::string CollectionPath(const ResourceType& type, const std::string& ns);

/// Returns the path of one object. `subresource` may be empty or "status".
std::string ObjectPath(const ObjectRef& ref, const std::string& subresource = "");

/// Returns the discovery path of a group and version: "/apis/apps/v1" or "/api/v1".
std::string DiscoveryPath(const ResourceType& type);

/// Percent-encodes the value of a query parameter.
std::string QueryEscape(const std::string& value);

}  // namespace xebec::kube
