// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/time/time.h"
#include "xebec/v1/watcher.pb.h"

namespace xebec::cli {

/// A table with one line for each watcher, then why watchers wait, and which buckets have none.
/// `now` is the time of the client.
std::string WatchersText(const v1::ListWatchersResponse& list, absl::Time now);

/// The name of a watcher's host, without the rest of its identity. In a cluster, it is the name of
/// its Pod.
std::string HostOf(const std::string& identity);

/// A warning without a final period: which watcher did not answer, and why.
std::string UnansweredText(const std::string& identity, const std::string& address,
                           const std::string& error);
/// The same for a watcher that did not answer, or not completely.
std::string UnansweredText(const v1::UnansweredWatcher& watcher);

}  // namespace xebec::cli
