// SPDX-License-Identifier: Apache-2.0
#include "certs/service/secret_client.h"

#include <future>
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/base/json.h"
#include "common/kube/api_status.h"

namespace xebec::certs {
namespace {

const ResourceType kSecret{.group = "", .version = "v1", .kind = "Secret", .plural = "secrets"};

absl::Status Failed(const std::string& verb, const std::string& name,
                    const kube::ApiResponse& response) {
  const std::string what = absl::StrCat("cannot ", verb, " Secret ", name, ": ");
  if (response.status == 0) {
    return absl::UnavailableError(absl::StrCat(what, response.error_message));
  }
  const kube::ApiStatus status = kube::ParseApiStatus(response.body);
  const std::string text = absl::StrCat(what, status.reason, " ", response.status);
  if (response.status == 403) {
    return absl::PermissionDeniedError(absl::StrCat(
        text, " (", status.message,
        "): its ServiceAccount needs get, create and update on the Secrets of the release"));
  }
  return absl::UnavailableError(text);
}

SecretData Decode(const Json& secret) {
  SecretData data;
  const Json* encoded = Find(secret, {"data"});
  if (encoded == nullptr || !encoded->is_object()) return data;
  for (const auto& [key, value] : encoded->items()) {
    std::string text;
    if (value.is_string() && absl::Base64Unescape(value.get<std::string>(), &text)) {
      data[key] = std::move(text);
    }
  }
  return data;
}

Json Manifest(const ObjectRef& ref, const StoredSecret& stored, const SecretData& data) {
  Json metadata = {{"name", ref.name},
                   {"namespace", ref.ns},
                   {"labels", {{"app.kubernetes.io/managed-by", "xebec-certs"}}}};
  if (stored.exists) metadata["resourceVersion"] = stored.resource_version;
  Json encoded = Json::object();
  for (const auto& [key, value] : data) encoded[key] = absl::Base64Escape(value);
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"type", "kubernetes.io/tls"},
          {"metadata", std::move(metadata)},
          {"data", std::move(encoded)}};
}

}  // namespace

kube::ApiResponse SecretClient::Send(kube::ApiRequest request) const {
  // Shared: the other thread may still be in set_value when the answer is taken.
  const auto answer = std::make_shared<std::promise<kube::ApiResponse>>();
  client_->Send(std::move(request),
                [answer](kube::ApiResponse response) { answer->set_value(std::move(response)); });
  return answer->get_future().get();
}

absl::StatusOr<StoredSecret> SecretClient::Read(const std::string& name) const {
  const kube::ApiResponse response =
      Send({.method = "GET", .path = kube::ObjectPath({kSecret, ns_, name})});
  StoredSecret stored;
  if (response.status == 404) return stored;
  if (response.status != 200) return Failed("read", name, response);
  const absl::StatusOr<Json> secret = ParseJson(response.body);
  if (!secret.ok()) return absl::InternalError(absl::StrCat("Secret ", name, " is no JSON"));
  stored.exists = true;
  stored.resource_version = FindString(*secret, {"metadata", "resourceVersion"});
  stored.data = Decode(*secret);
  return stored;
}

absl::Status SecretClient::Write(const std::string& name, const StoredSecret& stored,
                                 const SecretData& data) const {
  const ObjectRef ref{kSecret, ns_, name};
  const kube::ApiResponse response =
      Send({.method = stored.exists ? "PUT" : "POST",
            .path = stored.exists ? kube::ObjectPath(ref) : kube::CollectionPath(kSecret, ns_),
            .content_type = kube::kJsonContentType,
            .body = DumpJson(Manifest(ref, stored, data))});
  if (response.status == 200 || response.status == 201) return absl::OkStatus();
  if (response.status == 409) {
    return absl::AbortedError(absl::StrCat("Secret ", name, " was written by somebody else"));
  }
  return Failed(stored.exists ? "update" : "create", name, response);
}

}  // namespace xebec::certs
