// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "watcher/engine/cache/changes.h"
#include "watcher/engine/queue/work_queue.h"

namespace xebec::watcher {

/// What a change in the caches means to one key.
struct KeyChange {
  KeyId key = 0;
  std::string reason = {};  ///< The key must be planned again; empty: no need.
  Priority priority = Priority::kController;
  bool urgent = false;              ///< WorkQueue::Add.
  bool yields = false;              ///< Another parent has precedence: it waits a little.
  bool check_gate = false;          ///< Its cache-sync gate may be open now.
  bool new_incarnation = false;     ///< The parent was deleted and created again.
  bool user_change = false;         ///< A user changed the parent.
  bool child_changed = false;       ///< A child was added or changed.
  ObjectVersion child = {};         ///< That of ChildChanged.
  bool gone = false;                ///< The parent is not there any more.
  std::string parent_version = {};  ///< Another client wrote the parent; empty: none.
};

}  // namespace xebec::watcher
