// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/rpc/server/open_streams.h"
#include "common/rpc/server/server_stream.h"
#include "watcher/service/activity.h"

namespace xebec::watcher {

/// One call of WatchActivity. A caller that reads too slowly loses its oldest activities.
/// Thread-safe.
class ActivityStream final : public rpc::StreamHandler,
                             public ActivitySubscriber,
                             public std::enable_shared_from_this<ActivityStream> {
 public:
  /// `feed` and `open` outlive this.
  ActivityStream(ActivityFeed* feed, rpc::OpenStreams<ActivityStream>* open,
                 std::shared_ptr<rpc::ServerStream> stream);

  void OnOpen() override;
  void OnRead(grpc::ByteBuffer* message) override;
  void OnWritten() override ABSL_LOCKS_EXCLUDED(mu_);
  void OnDone() override;
  void OnActivity(const Activity& activity) override ABSL_LOCKS_EXCLUDED(mu_);

  /// Ends the stream.
  void Finish();

 private:
  void Write(const Activity& activity);

  ActivityFeed* const feed_;
  rpc::OpenStreams<ActivityStream>* const open_;
  const std::shared_ptr<rpc::ServerStream> stream_;

  Mutex mu_;
  bool writing_ ABSL_GUARDED_BY(mu_) = false;
  std::deque<Activity> backlog_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::watcher
