// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/kube/watch_event.h"

/// Short ways to make decoded objects and events.
namespace xebec::watcher::testing {

/// An object of namespace "default" with bytes that name it and its version.
inline kube::DecodedObject MakeObject(const std::string& name, const std::string& uid,
                                      const std::string& version,
                                      const std::string& owner_uid = "") {
  kube::DecodedObject object;
  object.header.ns = "default";
  object.header.name = name;
  object.header.uid = uid;
  object.header.resource_version = version;
  object.header.controller.uid = owner_uid;
  object.json = MakeObjectBytes("{\"" + name + "\":\"" + version + "\"}");
  return object;
}

/// The same without bytes: an object that is nobody's here.
inline kube::DecodedObject MakeForeign(const std::string& name, const std::string& uid,
                                       const std::string& version) {
  kube::DecodedObject object = MakeObject(name, uid, version);
  object.json = nullptr;
  return object;
}

inline kube::WatchEvent MakeEvent(kube::WatchEventType type, kube::DecodedObject object) {
  kube::WatchEvent event;
  event.type = type;
  event.object = std::move(object);
  return event;
}
inline kube::WatchEvent Added(kube::DecodedObject o) {
  return MakeEvent(kube::WatchEventType::kAdded, std::move(o));
}
inline kube::WatchEvent Modified(kube::DecodedObject o) {
  return MakeEvent(kube::WatchEventType::kModified, std::move(o));
}
inline kube::WatchEvent Deleted(kube::DecodedObject o) {
  return MakeEvent(kube::WatchEventType::kDeleted, std::move(o));
}
inline kube::WatchEvent Bookmark(const std::string& version) {
  kube::WatchEvent event;
  event.type = kube::WatchEventType::kBookmark;
  event.object.header.resource_version = version;
  return event;
}
/// The end of a list, for rigs that take the events up to it for the objects of the list.
inline kube::WatchEvent ListEnd(const std::string& version) {
  kube::WatchEvent event = Bookmark(version);
  event.reason = "the list ends";
  return event;
}
inline bool IsListEnd(const kube::WatchEvent& event) { return event.reason == "the list ends"; }
/// Returns the events up to the end of the list as a page, and takes them out of `events`. Without
/// an end, more pages follow.
inline kube::ListPage TakePage(std::vector<kube::WatchEvent>* events) {
  kube::ListPage page{{}, "", "more"};
  auto event = events->begin();
  for (; event != events->end() && !page.continue_token.empty(); ++event) {
    if (event->type == kube::WatchEventType::kAdded) page.objects.push_back(event->object);
    if (!IsListEnd(*event)) continue;
    page.resource_version = event->object.header.resource_version;
    page.continue_token.clear();
  }
  events->erase(events->begin(), event);
  return page;
}
inline kube::WatchEvent Error(int code, const std::string& reason) {
  kube::WatchEvent event;
  event.type = kube::WatchEventType::kError;
  event.code = code;
  event.reason = reason;
  return event;
}

}  // namespace xebec::watcher::testing
