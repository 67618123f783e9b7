// SPDX-License-Identifier: Apache-2.0
#include "common/kube/api_status.h"

#include "absl/strings/str_cat.h"
#include "common/base/json.h"
#include "common/base/strings.h"

namespace xebec::kube {
namespace {

constexpr size_t kMaxMessage = 1024;
constexpr size_t kMaxCauses = 64;

ApiStatus NoStatus(std::string_view body) {
  ApiStatus status;
  status.message = Ellipsize(body, kMaxMessage);
  return status;
}

ApiStatus::Cause ReadCause(const Json& cause) {
  return {FindString(cause, {"reason"}), FindString(cause, {"field"}),
          FindString(cause, {"message"})};
}

}  // namespace

ApiStatus ParseApiStatus(std::string_view body) {
  const auto parsed = ParseJson(body);
  if (!parsed.ok() || FindString(*parsed, {"kind"}) != "Status") return NoStatus(body);
  const Json& json = *parsed;
  ApiStatus status;
  status.reason = FindString(json, {"reason"});
  status.message = FindString(json, {"message"});
  status.details_name = FindString(json, {"details", "name"});
  status.details_kind = FindString(json, {"details", "kind"});
  const Json* causes = Find(json, {"details", "causes"});
  if (causes == nullptr || !causes->is_array()) return status;
  for (const Json& cause : *causes) {
    if (status.causes.size() == kMaxCauses) break;
    status.causes.push_back(ReadCause(cause));
  }
  return status;
}

std::string WhyUnusable(const ApiResponse& response) {
  constexpr size_t kShown = 200;
  if (response.error != TransportError::kNone) {
    return absl::StrCat("the API server cannot be reached: ", response.error_message);
  }
  if (response.status == 401) return "the API server does not accept the credentials (401)";
  const auto body = ParseJson(response.body);
  if (!body.ok() || FindString(*body, {"kind"}).empty()) {
    return absl::StrCat("the server is not a Kubernetes API server: HTTP ", response.status, ": ",
                        ToValidUtf8(Ellipsize(response.body, kShown)));
  }
  if (response.status < 500) return "";
  return absl::StrCat("the API server returned an error: HTTP ", response.status, ": ",
                      FindString(*body, {"message"}));
}

}  // namespace xebec::kube
