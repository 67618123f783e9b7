// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "certs/renewal/renewal.h"
#include "common/http/http_client.h"

namespace xebec::certs {

/// A Secret as the API server stores it.
struct StoredSecret {
  bool exists = false;
  std::string resource_version;
  SecretData data;
};

/// Reads and writes named Secrets of one namespace. Calls block. Error messages name the Secret and
/// never contain its data.
class SecretClient {
 public:
  /// `client` must outlive this object.
  SecretClient(http::ApiClient* client, std::string ns) : client_(client), ns_(std::move(ns)) {}

  absl::StatusOr<StoredSecret> Read(const std::string& name) const;

  /// Creates the Secret, or replaces the data of the version in `stored`. ABORTED when another
  /// writer changed the Secret. PERMISSION_DENIED names the missing right.
  absl::Status Write(const std::string& name, const StoredSecret& stored,
                     const SecretData& data) const;

 private:
  kube::ApiResponse Send(kube::ApiRequest request) const;

  http::ApiClient* const client_;
  const std::string ns_;
};

}  // namespace xebec::certs
