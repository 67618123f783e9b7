// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/lists/list_run.h"

namespace xebec::watcher {
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
  selecting_ = selecting;
  ++pages_;
}

CompleteList ListRun::Complete(std::string version) && {
  return {number_, began_, std::move(version), std::move(news_), std::move(part_)};
}

}  // namespace xebec::watcher
