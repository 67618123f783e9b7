// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/model/kind_description.h"

namespace xebec::watcher {

/// A controller that a user declares.
struct DeclaredKind {
  KindDescription kind;
  std::string version;   ///< Of the declaration. Opaque; another one for every change.
  bool paused = false;   ///< Its parents are not planned.
  bool status = true;    ///< It writes the status of its parents.
  bool leaving = false;  ///< Its declaration is being deleted: it only removes its finalizer.

  bool operator==(const DeclaredKind&) const = default;
};

}  // namespace xebec::watcher
