// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "common/kube/watch_event.h"
#include "watcher/engine/cache/store/object_table.h"
#include "watcher/engine/cache/store/uid.h"

namespace xebec::watcher {

/// Remembers which objects events have removed while a list is read. The list, and events that come
/// again after it, may show older states of these objects. A value.
class Removals {
 public:
  void Note(const kube::ObjectHeader& header);
  /// Returns true if the object was removed after the state in `header`.
  bool Contain(const kube::ObjectHeader& header) const;
  void Clear() { versions_.clear(); }
  bool empty() const { return versions_.empty(); }

  bool operator==(const Removals&) const = default;

 private:
  std::map<Uid, std::string> versions_;  // of the removals
};

/// Erases the object from `objects` unless they have a newer state of it than `header`, or another
/// object of its name.
void EraseRemoved(const kube::ObjectHeader& header, ObjectTable* objects);

}  // namespace xebec::watcher
