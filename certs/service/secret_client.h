// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "certs/renewal/renewal.h"
#include "common/http/http_client.h"

namespace xebec::certs {

/// A Secret as the API server has it.
struct StoredSecret {
  bool exists = false;
  std::string resource_version;
  SecretData data;
};

/// Reads and writes named Secrets of one namespace. Blocks. Error texts name the Secret and never
/// hold what is in it.
class SecretClient {
 public:
  /// `client` outlives it.
  SecretClient(http::ApiClient* client, std::string ns) : client_(client), ns_(std::move(ns)) {}

  absl::StatusOr<StoredSecret> Read(const std::string& name) const;

  /// Creates it, or replaces the data of the very version that `stored` says. ABORTED when somebody
  /// else was faster. PERMISSION_DENIED says which right is missing.
  absl::Status Write(const std::string& name, const StoredSecret& stored,
                     const SecretData& data) const;

 private:
  kube::ApiResponse Send(kube::ApiRequest request) const;

  http::ApiClient* const client_;
  const std::string ns_;
};

}  // namespace xebec::certs
