// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/base/json.h"
#include "common/kube/api_request.h"

/// An API server that behaves as far as the applier can tell, as measured on the real one:
/// field ownership of POST and apply, uid and resourceVersion preconditions, finalizers, objects
/// that are slow to go, quotas, terminating namespaces, missing kinds. A value: copyable, no clock.
namespace xebec::applier::testing {

class FakeApiServer {
 public:
  /// Carries a request out.
  kube::ApiResponse Handle(const kube::ApiRequest& request);

  /// Puts an object there as another writer would: gets uid and version. `path` is ObjectPath.
  const Json& Put(const std::string& path, Json object);
  /// The object at a path; null when there is none.
  const Json* Get(const std::string& path) const;
  /// Gives an object this version.
  void SetVersion(const std::string& path, const std::string& version) {
    objects_.at(path)["metadata"]["resourceVersion"] = version;
  }
  /// Lets an object that is terminating go.
  void FinishDeletion(const std::string& path);

  /// The effects of the requests, in order: "create <path>", "change <path>", "delete <path>",
  /// "remove <path>".
  const std::vector<std::string>& effects() const { return effects_; }
  /// All objects, without the fields that differ between runs (versions, uids).
  Json Shape() const;
  const std::map<std::string, Json>& objects() const { return objects_; }

  std::set<std::string> slow_to_delete;  ///< Paths whose objects stay, terminating, after DELETE.
  std::set<std::string> terminating_namespaces;
  std::set<std::string> full_collections;   ///< Plurals whose quota is used up.
  std::set<std::string> not_served;         ///< Plurals.
  std::set<std::string> without_status;     ///< Plurals.
  std::set<std::string> undeclared_status;  ///< Plurals whose schema does not know our status:
                                            ///< pruned, refused in applies.
  std::map<std::string, std::string> demanded_status;  ///< Plural -> what its status must have.
  std::set<std::string> forbidden;                     ///< "<method> <plural>".

 private:
  struct Route {
    std::string collection, object, ns, plural, name, subresource;
  };

  kube::ApiResponse Carry(const kube::ApiRequest& request);
  static Route Parse(const std::string& path);
  kube::ApiResponse Apply(const Route& route, const std::string& query, const Json& body);
  kube::ApiResponse Create(const Route& route, Json body);
  Json ManagedFields(const std::string& path) const;
  static kube::ApiResponse NotFound(const Route& route);
  kube::ApiResponse Update(const Route& route, Json* live, Json changed);
  kube::ApiResponse MergeStatus(const Route& route, const Json& patch);
  kube::ApiResponse ReplaceStatus(const Route& route, const Json& body);
  kube::ApiResponse WriteStatus(const Route& route, Json status);
  kube::ApiResponse JsonPatch(const Route& route, const std::string& query, const Json& patch);
  kube::ApiResponse Delete(const Route& route, const Json& options);
  std::optional<kube::ApiResponse> Barred(const std::string& method, const Route& route) const;
  std::optional<kube::ApiResponse> CreationBarred(const Route& route) const;

  std::map<std::string, Json> objects_;  // by ObjectPath
  using AppliedKey = std::tuple<std::string, std::string, std::string>;
  std::map<AppliedKey, Json> applied_;  // path, manager, subresource -> fields of the Apply entry
  /// Path, manager -> fields of the Update entry that a POST leaves.
  std::map<std::pair<std::string, std::string>, Json> posted_;
  std::vector<std::string> effects_;
  uint64_t version_ = 100;
  uint64_t next_uid_ = 1;
};

/// A Status answer.
kube::ApiResponse StatusAnswer(int code, const std::string& reason, const std::string& message,
                               const Json& details = Json::object());

}  // namespace xebec::applier::testing
