// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace xebec::watcher {

/// An index into the watches of a cache.
using WatchId = uint32_t;

/// The watches of one resource: a single one, which sees all namespaces, or one for each namespace
/// that is read. A value.
class WatchSet {
 public:
  /// `ns` as in ResourceSpec: empty for the one that sees everything.
  void Add(const std::string& ns, WatchId watch) { watches_[ns] = watch; }
  void Remove(const std::string& ns) { watches_.erase(ns); }

  /// The watch that sees objects of `ns`; null when none does.
  const WatchId* Find(const std::string& ns) const;
  /// The watches that see what belongs to an object of `ns`; all of them when that is empty,
  /// because what belongs to a cluster-scoped object may be anywhere.
  std::vector<WatchId> Seeing(const std::string& ns) const;
  /// By namespace, sorted.
  const std::map<std::string, WatchId>& all() const { return watches_; }

  bool operator==(const WatchSet&) const = default;

 private:
  std::map<std::string, WatchId> watches_;
};

}  // namespace xebec::watcher
