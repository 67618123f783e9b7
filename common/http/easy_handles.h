// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <map>
#include <string>
#include <vector>

#include "common/http/transfer.h"
#include "common/kube/cluster_config.h"

namespace xebec::http::internal {

/// Credentials in the form that requests need.
struct PreparedCredentials {
  kube::Credentials credentials;
  std::string authorization;  ///< Value of the Authorization header; empty for no header.
};

/// Makes `authorization` from the token, or from the user and password of basic authentication.
std::shared_ptr<const PreparedCredentials> Prepare(kube::Credentials credentials);

/// Makes, configures and reuses libcurl easy handles. HTTP thread only.
class EasyHandles {
 public:
  EasyHandles(const kube::ClusterConfig& config, const ApiClientOptions& options);
  ~EasyHandles();
  EasyHandles(const EasyHandles&) = delete;
  EasyHandles& operator=(const EasyHandles&) = delete;

  /// Sets `transfer->easy` to a handle that is ready to be added to a multi handle.
  void Equip(Transfer* transfer, std::shared_ptr<const PreparedCredentials> credentials);
  /// Takes the handle of `transfer` back for reuse.
  void Release(Transfer* transfer);

 private:
  CURL* Take(bool watch);
  CURL* Make(bool watch);
  void SetConnectionOptions(CURL* easy);
  void SetCredentials(CURL* easy, std::shared_ptr<const PreparedCredentials> credentials);
  void SetRequest(Transfer* transfer);
  HeaderList Headers(const kube::ApiRequest& request);

  const kube::ClusterConfig& config_;
  const ApiClientOptions& options_;
  const std::string base_url_;        // request paths are appended to it
  curl_slist* connect_to_ = nullptr;  // maps the host of base_url_ to the real server
  std::vector<CURL*> idle_;
  std::shared_ptr<const PreparedCredentials> credentials_;      // the credentials in headers_
  std::map<std::pair<std::string, bool>, HeaderList> headers_;  // by content type, metadata_only
  std::map<CURL*, std::shared_ptr<const PreparedCredentials>>
      equipped_;  // the credentials of each handle
};

}  // namespace xebec::http::internal
