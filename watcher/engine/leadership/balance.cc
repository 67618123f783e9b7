// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/balance.h"

#include <algorithm>
#include <map>

namespace xebec::watcher {
namespace {

/// How many buckets each member may hold. Those that have more than the smaller share get the
/// larger one. The number does not count beyond that: it changes while buckets move, and the shares
/// must not.
std::map<std::string, uint32_t> Shares(const std::map<std::string, uint32_t>& held,
                                       const std::vector<std::string>& members, uint32_t buckets) {
  const auto smaller = static_cast<uint32_t>(buckets / members.size());
  std::vector<std::string> order = members;
  std::stable_partition(order.begin(), order.end(),
                        [&](const std::string& each) { return held.at(each) > smaller; });
  const auto n = static_cast<uint32_t>(members.size());
  std::map<std::string, uint32_t> shares;
  for (uint32_t i = 0; i < n; ++i) shares[order[i]] = smaller + (i < buckets % n ? 1 : 0);
  return shares;
}

}  // namespace

std::vector<std::string> Balance(const Assignment& assignment,
                                 const std::vector<std::string>& members) {
  std::vector<std::string> holders(assignment.count());
  if (members.empty()) return holders;
  std::map<std::string, uint32_t> held;
  for (const std::string& each : members) held[each] = 0;
  for (const BucketHolder& each : assignment.buckets) {
    if (held.contains(each.watcher)) ++held[each.watcher];
  }
  std::map<std::string, uint32_t> shares = Shares(held, members, assignment.count());
  for (uint32_t bucket = 0; bucket < assignment.count(); ++bucket) {
    const auto share = shares.find(assignment.buckets[bucket].watcher);
    if (share == shares.end() || share->second == 0) continue;
    holders[bucket] = share->first;
    --share->second;
  }
  auto next = shares.begin();
  for (std::string& holder : holders) {
    if (!holder.empty()) continue;
    while (next->second == 0) ++next;
    holder = next->first;
    --next->second;
  }
  return holders;
}

}  // namespace xebec::watcher
