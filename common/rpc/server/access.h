// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace xebec::rpc {

/// Who may call which method: a static table, deny by default. An identity is a URI among the
/// alternative names of the caller's verified certificate, e.g.
/// "spiffe://cluster.local/ns/xebec/sa/xebec-watcher". A value.
class AccessTable {
 public:
  /// `method` as gRPC names it: "/xebec.v1.PlannerService/Plan", or "/xebec.v1.PlannerService/*".
  /// A method that is named itself is not looked for under its service.
  AccessTable& Allow(const std::string& method, const std::vector<std::string>& identities);

  /// Whoever has a certificate that the CA vouches for.
  AccessTable& AllowEverybody(const std::string& method);

  /// True when one of the caller's identities may call the method.
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
