// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/http/http_client.h"
#include "common/model/plan.h"

namespace xebec::bench {

enum class StatusForm {
  kWhole,    ///< As planned, with its conditions.
  kNumbers,  ///< Only its numbers.
};

/// Carries out the plan of a new parent with the requests that cost the API server least: POST of
/// each child, PUT of the status, POST of each event, one after the other, with answers that
/// contain only the metadata. They have the same effect on a new parent.
class CheapReconcile : public std::enable_shared_from_this<CheapReconcile> {
 public:
  /// `done` is called once, on the HTTP thread.
  CheapReconcile(http::ApiClient* client, const Plan& plan, StatusForm form,
                 std::function<void(bool ok)> done);

  /// Sends the first request, and each further one when the one before was accepted.
  void Start() { SendNext(); }

 private:
  void SendNext();

  http::ApiClient* const client_;
  const std::function<void(bool)> done_;
  std::vector<kube::ApiRequest> requests_;
  size_t next_ = 0;
};

}  // namespace xebec::bench
