// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/access.h"

#include <algorithm>

namespace xebec::rpc {

AccessTable& AccessTable::Allow(const std::string& method,
                                const std::vector<std::string>& identities) {
  rows_[method].identities.insert(identities.begin(), identities.end());
  return *this;
}

AccessTable& AccessTable::AllowEverybody(const std::string& method) {
  rows_[method].everybody = true;
  return *this;
}

const AccessTable::Row* AccessTable::Find(std::string_view method) const {
  auto row = rows_.find(method);
  if (row == rows_.end()) {
    row = rows_.find(std::string(method.substr(0, method.rfind('/') + 1)) + "*");
  }
  return row == rows_.end() ? nullptr : &row->second;
}

bool AccessTable::Allows(std::string_view method,
                         const std::vector<std::string>& identities) const {
  const Row* row = Find(method);
  if (row == nullptr) return false;
  return row->everybody ||
         std::any_of(identities.begin(), identities.end(), [row](const std::string& identity) {
           return row->identities.contains(identity);
         });
}

}  // namespace xebec::rpc
