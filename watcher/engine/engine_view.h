// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "watcher/engine/engine_state.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/key_view.h"
#include "watcher/engine/leadership/members_view.h"
#include "watcher/engine/unlisted_buckets.h"

namespace xebec::watcher {

/// What clients are shown of an Engine; see the functions of Engine. Valid as long as its state.
class EngineView {
 public:
  /// Is called once for every kind, not for every key.
  using KindFilter = std::function<bool(const ResourceType&)>;

  explicit EngineView(const EngineState& state) : state_(state) {}

  std::vector<KeyView> Find(const KindFilter& kind, const ObjectKey& name) const;
  KeyPage List(const KindFilter& kind, const std::string& ns, const std::string& token,
               size_t limit) const;
  std::optional<Observation> Observe(const ObjectRef& ref, const Instant& now,
                                     const std::string& controller) const;
  MembersView Members(const Instant& now) const;
  std::vector<std::string> Unsynced() const;
  UnlistedBuckets Unlisted(const KindFilter& kind) const;
  EngineFigures Figures(const Instant& now) const;

 private:
  /// The controllers of one resource, by name.
  using Siblings = std::map<std::string, ControllerId>;

  KeyView View(KeyId key) const;
  bool Shows(KeyId key) const;
  std::vector<KeyId> PageOf(const Siblings& controllers, const std::string& ns,
                            const ListPlace& after, size_t limit) const;
  ControllerFigures FiguresOf(ControllerId id, absl::Duration now) const;
  void AddHook(ControllerId id, absl::Duration now, ControllerFigures* figures) const;

  EngineState state_;
};

}  // namespace xebec::watcher
