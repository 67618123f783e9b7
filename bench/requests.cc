// SPDX-License-Identifier: Apache-2.0
#include "bench/requests.h"

#include "absl/strings/str_cat.h"
#include "common/base/json.h"

namespace xebec::bench {

std::string IrisPath(const std::string& ns) {
  return absl::StrCat("/apis/example.com/v1alpha1/namespaces/", ns, "/irises");
}

kube::ApiRequest CreateIris(const std::string& ns, const std::string& name) {
  const Json iris = {
      {"apiVersion", "example.com/v1alpha1"},
      {"kind", "Iris"},
      {"metadata", {{"name", name}, {"namespace", ns}}},
      {"spec",
       {{"deploymentName", name}, {"replicas", 1}, {"image", "registry.example.com/iris:1"}}}};
  return {.method = "POST",
          .path = IrisPath(ns),
          .content_type = kube::kJsonContentType,
          .body = DumpJson(iris)};
}

kube::ApiRequest ScaleIris(const std::string& ns, const std::string& name, int replicas) {
  return {.method = "PATCH",
          .path = absl::StrCat(IrisPath(ns), "/", name),
          .content_type = kube::kMergePatchContentType,
          .body = DumpJson({{"spec", {{"replicas", replicas}}}})};
}

kube::ApiRequest CreatePod(const std::string& ns, const std::string& name) {
  Json environment = Json::array();
  for (int i = 0; i < 10; ++i) {
    environment.push_back({{"name", absl::StrCat("SETTING_", i)},
                           {"value", absl::StrCat("a value of a usual length, number ", i)}});
  }
  const Json container = {{"name", "main"},
                          {"image", "registry.example.com/team/application:1.2.3"},
                          {"env", std::move(environment)},
                          {"resources", {{"requests", {{"cpu", "100m"}, {"memory", "128Mi"}}}}}};
  const Json pod = {{"apiVersion", "v1"},
                    {"kind", "Pod"},
                    {"metadata",
                     {{"name", name},
                      {"namespace", ns},
                      {"labels", {{"app", "foreign"}, {"tier", "backend"}}},
                      {"annotations", {{"example.com/checksum", std::string(64, 'a')}}}}},
                    {"spec", {{"containers", Json::array({container})}}}};
  return {.method = "POST",
          .path = absl::StrCat("/api/v1/namespaces/", ns, "/pods"),
          .content_type = kube::kJsonContentType,
          .body = DumpJson(pod)};
}

}  // namespace xebec::bench
