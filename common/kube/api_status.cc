// SPDX-License-Identifier: Apache-2.0
#include "common/kube/api_status.h"

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
  status.code = static_cast<int>(FindInt(json, {"code"}).value_or(0));
  status.reason = FindString(json, {"reason"});
  status.message = FindString(json, {"message"});
  status.details_name = FindString(json, {"details", "name"});
  status.details_kind = FindString(json, {"details", "kind"});
  status.details_uid = FindString(json, {"details", "uid"});
  const Json* causes = Find(json, {"details", "causes"});
  if (causes == nullptr || !causes->is_array()) return status;
  for (const Json& cause : *causes) {
    if (status.causes.size() == kMaxCauses) break;
    status.causes.push_back(ReadCause(cause));
  }
  return status;
}

}  // namespace xebec::kube
