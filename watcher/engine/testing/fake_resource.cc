// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/testing/fake_resource.h"

#include "absl/strings/str_cat.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher::testing {
namespace {

kube::DecodedObject Decode(const std::string& name, const FakeResource::State& state,
                           int64_t version, const kube::Projection& projection) {
  kube::DecodedObject object = MakeObject(name, state.uid, absl::StrCat(version), state.owner);
  if (!projection.keep.Keeps(state.uid, state.owner, "")) object.json = nullptr;
  return object;
}

int64_t Find(const std::map<std::string, int64_t>& versions, const std::string& uid) {
  const auto found = versions.find(uid);
  return found == versions.end() ? 0 : found->second;
}

}  // namespace

void FakeResource::Write(const std::string& name, const std::string& owner,
                         const std::string& uid) {
  States states = history_.back();
  const bool known = states.contains(name);
  State& state = states[name];
  if (!known) state.uid = uid.empty() ? absl::StrCat(name, "-", ++created_) : uid;
  state.version = version() + 1;
  if (known && state.owner != owner) left_[state.uid] = state.version;
  state.owner = owner;
  log_.push_back(
      {known ? kube::WatchEventType::kModified : kube::WatchEventType::kAdded, name, state});
  history_.push_back(std::move(states));
}

void FakeResource::Delete(const std::string& name) {
  States states = history_.back();
  const auto found = states.find(name);
  if (found == states.end()) return;
  log_.push_back({kube::WatchEventType::kDeleted, name, found->second});
  left_[found->second.uid] = deleted_[found->second.uid] = version() + 1;
  states.erase(found);
  history_.push_back(std::move(states));
}

int64_t FakeResource::LeftAt(const std::string& uid) const { return Find(left_, uid); }

int64_t FakeResource::DeletedAt(const std::string& uid) const { return Find(deleted_, uid); }

kube::WatchEvent FakeResource::Event(int64_t version, const kube::Projection& projection) const {
  const Entry& entry = log_[static_cast<size_t>(version)];
  return MakeEvent(entry.type, Decode(entry.name, entry.state, version, projection));
}

std::vector<kube::DecodedObject> FakeResource::List(int64_t version,
                                                    const kube::Projection& projection) const {
  std::vector<kube::DecodedObject> objects;
  for (const auto& [name, state] : At(version)) {
    objects.push_back(Decode(name, state, state.version, projection));
  }
  return objects;
}

}  // namespace xebec::watcher::testing
