// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/kube/watch_event.h"

namespace xebec::watcher::testing {

/// One resource of an API server with its history: objects of namespace "default", each with a
/// controller. Versions count upwards from 1.
class FakeResource {
 public:
  struct State {
    std::string uid;
    std::string owner;
    int64_t version = 0;
  };
  using States = std::map<std::string, State>;  // by name

  /// Creates the object, with some uid unless one is given, or changes it: also its owner, if that
  /// is another one.
  void Write(const std::string& name, const std::string& owner, const std::string& uid = "");
  /// Does nothing without such an object.
  void Delete(const std::string& name);

  int64_t version() const { return static_cast<int64_t>(history_.size()) - 1; }
  /// The objects as they were then.
  const States& At(int64_t version) const { return history_[static_cast<size_t>(version)]; }
  /// When the object was deleted, or passed to another owner, last; 0 for never.
  int64_t LeftAt(const std::string& uid) const;
  int64_t DeletedAt(const std::string& uid) const;

  /// The event of that version, as a watch with that projection shows it.
  kube::WatchEvent Event(int64_t version, const kube::Projection& projection) const;
  /// The objects of that version, as lists show them.
  std::vector<kube::DecodedObject> List(int64_t version, const kube::Projection& projection) const;

 private:
  struct Entry {
    kube::WatchEventType type;
    std::string name;
    State state;
  };

  std::vector<States> history_ = {{}};  // by version
  std::vector<Entry> log_ = {{}};       // the same
  std::map<std::string, int64_t> left_, deleted_;
  int created_ = 0;
};

}  // namespace xebec::watcher::testing
