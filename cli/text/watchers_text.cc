// SPDX-License-Identifier: Apache-2.0
#include "cli/text/watchers_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cli/text/table.h"
#include "cli/text/words.h"
#include "google/protobuf/util/time_util.h"

namespace xebec::cli {
namespace {

/// The host name of a watcher, or the identity if several watchers run on that host.
std::string NameOf(const v1::WatcherSummary& watcher, const v1::ListWatchersResponse& list) {
  const std::string host = HostOf(watcher.identity());
  const auto there =
      std::count_if(list.watchers().begin(), list.watchers().end(),
                    [&](const v1::WatcherSummary& any) { return HostOf(any.identity()) == host; });
  return there == 1 ? host : watcher.identity();
}

std::string StateOf(const v1::WatcherSummary& watcher, absl::Time now) {
  using google::protobuf::util::TimeUtil;
  const std::string state = EnumWord(v1::WatcherState_Name(watcher.state()), "WATCHER_STATE_");
  if (!watcher.has_silent_since()) return state;
  const absl::Time since =
      absl::FromUnixNanos(TimeUtil::TimestampToNanoseconds(watcher.silent_since()));
  return absl::StrCat(state, " for ", Span(now - since));
}

/// "watcher xebec-watcher-0 at 10.0.0.1:7442"
std::string Place(const std::string& identity, const std::string& address) {
  return absl::StrCat("watcher ", HostOf(identity), address.empty() ? "" : " at ", address);
}

std::string Mebibytes(uint64_t bytes) { return absl::StrCat((bytes + (1 << 19)) >> 20, "Mi"); }

}  // namespace

std::string HostOf(const std::string& identity) { return identity.substr(0, identity.find('_')); }

std::string WatchersText(const v1::ListWatchersResponse& list, absl::Time now) {
  Table table;
  table.Add({"NAME", "ADDRESS", "STATE", "BUCKETS", "KEYS", "MEMORY"});
  std::string notes;
  for (const v1::WatcherSummary& watcher : list.watchers()) {
    const std::string name = NameOf(watcher, list);
    table.Add({absl::StrCat(name, watcher.answering() ? " (queried)" : ""), watcher.address(),
               StateOf(watcher, now), absl::StrCat(watcher.bucket_count()),
               watcher.has_keys() ? absl::StrCat(watcher.keys()) : "",
               watcher.has_resident_bytes() ? Mebibytes(watcher.resident_bytes()) : ""});
    if (!watcher.reason().empty()) {
      absl::StrAppend(&notes, OneLine(absl::StrCat(name, " waits: ", watcher.reason())), "\n");
    }
    if (!watcher.warning().empty()) {
      absl::StrAppend(&notes, OneLine(absl::StrCat(name, ": ", watcher.warning())), "\n");
    }
  }
  if (!list.unassigned_buckets().empty()) {
    absl::StrAppend(&notes, "Buckets without a watcher: ", OneLine(list.unassigned_buckets()),
                    " (of ", list.bucket_count(), ")\n");
  }
  return absl::StrCat(table.TakeText(), notes);
}

std::string UnansweredText(const std::string& identity, const std::string& address,
                           const std::string& error) {
  return OneLine(absl::StrCat(Place(identity, address),
                              " did not answer, so the output may be incomplete: ", error));
}

std::string UnansweredText(const v1::UnansweredWatcher& watcher) {
  const std::string& identity = watcher.identity();
  if (!watcher.answered()) return UnansweredText(identity, watcher.address(), watcher.error());
  const std::string who = identity.empty() ? "" : Place(identity, watcher.address()) + " ";
  return OneLine(absl::StrCat(who, watcher.error(), ", so the output may be incomplete"));
}

}  // namespace xebec::cli
