// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {

/// A second kind of parents, without children.
inline KindDescription GadgetKind() {
  KindDescription kind;
  kind.controller = "gadget.example.com";
  kind.parent = GadgetType();
  return kind;
}

/// A gadget arrives on its watch.
inline void AddGadget(const std::string& ns, const std::string& version, Harness* h) {
  kube::DecodedObject gadget;
  gadget.header = {.ns = ns, .name = "g", .uid = "ug", .resource_version = version};
  gadget.json = MakeObjectBytes("{}");
  h->Feed(EventsArrived{h->StreamOf(GadgetType()),
                        {{kube::WatchEventType::kAdded, gadget, 0, "", ""}}});
}

}  // namespace xebec::watcher::testing
