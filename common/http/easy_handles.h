// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <map>
#include <string>
#include <vector>

#include "common/http/transfer.h"
#include "common/kube/cluster_config.h"

namespace xebec::http::internal {

/// Credentials in the form that requests take.
struct PreparedCredentials {
  kube::Credentials credentials;
  std::string authorization;  ///< Value of the header Authorization; empty for none.
};

/// Makes `authorization` of the token or the basic user and password.
std::shared_ptr<const PreparedCredentials> Prepare(kube::Credentials credentials);

/// Makes, configures and reuses libcurl easy handles. HTTP thread only.
class EasyHandles {
 public:
  EasyHandles(const kube::ClusterConfig& config, const ApiClientOptions& options);
  ~EasyHandles();
  EasyHandles(const EasyHandles&) = delete;
  EasyHandles& operator=(const EasyHandles&) = delete;

  /// Gives `transfer` a handle that is ready to be added to a multi handle.
  void Equip(Transfer* transfer, std::shared_ptr<const PreparedCredentials> credentials);
  /// Takes the handle back.
  void Release(Transfer* transfer);

 private:
  CURL* Take(bool watch);
  CURL* Make(bool watch);
  void SetConnectionOptions(CURL* easy);
  void SetCredentials(CURL* easy, std::shared_ptr<const PreparedCredentials> credentials);
  void SetRequest(Transfer* transfer);
  HeaderList Headers(const std::string& content_type);

  const kube::ClusterConfig& config_;
  const ApiClientOptions& options_;
  const std::string base_url_;        // what paths are appended to
  curl_slist* connect_to_ = nullptr;  // leads base_url_'s host to the real server
  std::vector<CURL*> idle_;
  std::shared_ptr<const PreparedCredentials> credentials_;  // of headers_
  std::map<std::string, HeaderList> headers_;               // by content type
  std::map<CURL*, std::shared_ptr<const PreparedCredentials>>
      equipped_;  // what each handle carries
};

}  // namespace xebec::http::internal
