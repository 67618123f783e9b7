// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace xebec::rpc {

/// The identities that may call each method; all other calls are denied. An identity is a URI in
/// the alternative names of the caller's verified certificate, for example
/// "spiffe://cluster.local/ns/xebec/sa/xebec-watcher". A value.
class AccessTable {
 public:
  /// Allows a method, "/xebec.v1.PlannerService/Plan", or all methods of a service,
  /// "/xebec.v1.PlannerService/*". An entry for a method replaces the entry for its service.
  AccessTable& Allow(const std::string& method, const std::vector<std::string>& identities);

  /// Allows a method to every caller with a certificate that the CA signed.
  AccessTable& AllowEverybody(const std::string& method);

  /// Returns true if one of the caller's identities may call the method.
  bool Allows(std::string_view method, const std::vector<std::string>& identities) const;

 private:
  struct Row {
    bool everybody = false;
    std::set<std::string> identities;
  };
  const Row* Find(std::string_view method) const;

  std::map<std::string, Row, std::less<>> rows_;
};

}  // namespace xebec::rpc
