// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/list_run.h"

namespace xebec::watcher {
namespace {

// A server that does not know the option of streaming lists sends the objects and never the
// bookmark that ends them.
constexpr absl::Duration kListSilence = absl::Seconds(60);

}  // namespace

void ListRun::Take(const kube::DecodedObject& object, bool known) {
  const ObjectKey key{object.header.ns, object.header.name};
  if (known) {
    news_.Erase(key);
  } else {
    news_.Set(key, ToStored(object));
  }
}

void ListRun::NextPage(StreamId stream, bool selecting) {
  stream_ = stream;
  request_.selecting = selecting;
  ++pages_;
}

CompleteList ListRun::Complete(std::string version) && {
  return {number_, began_, std::move(version), std::move(news_)};
}

absl::Duration ListRun::SilentAt() const {
  return streaming() ? heard_ + kListSilence : absl::InfiniteDuration();
}

}  // namespace xebec::watcher
