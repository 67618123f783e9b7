// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "common/model/hook.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// Finds out the kind and scope of the resources that declarations name. Asks for each resource
/// until the API server serves it, at growing intervals, and again when that is in doubt. A value.
class Resolver {
 public:
  /// The resources that are needed now, without duplicates. Forgets all others.
  void Want(const std::vector<DeclaredResource>& resources, absl::Duration now);

  /// Each returns true if what is known has changed.
  bool On(const Resolved& input, absl::Duration now);
  bool On(const ResolveFailed& input, absl::Duration now);
  /// The API server may serve this type no longer, or otherwise than before.
  void Doubt(const ResourceType& type, absl::Duration now);
  /// Asks for the resources that are due.
  void OnTick(absl::Duration now, Outputs* out);
  absl::Duration NextDeadline() const;

  /// Returns what is known of a wanted resource: the type as it was served last, and the problem.
  DeclaredResource About(const DeclaredResource& resource) const;
  /// Returns true unless the API server has said that it does not serve this wanted resource.
  bool MayBeServed(const DeclaredResource& resource) const;
  /// Returns true if the type of About is still served, as far as is known.
  bool Serves(const DeclaredResource& resource) const;

  bool operator==(const Resolver&) const = default;

 private:
  using Name = std::tuple<std::string, std::string, std::string>;  // group, version, plural
  struct Fact {
    std::optional<ResourceType> type = {};
    std::string problem = {};
    bool absent = false;   // the API server said so last
    bool dropped = false;  // it does not serve `type` any more
    bool asking = false;
    absl::Duration ask_at = absl::InfiniteDuration();
    uint32_t failures = 0;
    bool operator==(const Fact&) const = default;
  };

  static Name NameOf(const DeclaredResource& resource) {
    return {resource.group, resource.version, resource.plural};
  }
  static bool Missing(const DeclaredResource& resource, std::string problem, absl::Duration now,
                      Fact* fact);
  static void AskLater(const DeclaredResource& resource, absl::Duration now, Fact* fact);

  std::map<Name, Fact> facts_;
};

}  // namespace xebec::watcher
