// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "common/base/mutex.h"
#include "common/rpc/server/open_streams.h"
#include "common/rpc/server/server_stream.h"
#include "watcher/service/activity.h"
#include "watcher/service/peers/peer_activity.h"
#include "xebec/v1/watcher.pb.h"

namespace xebec::watcher {

class ActivityStream;

/// The shared state of the calls of WatchActivity. It outlives the calls.
struct ActivityDesk {
  ActivityFeed* feed = nullptr;
  rpc::OpenStreams<ActivityStream>* open = nullptr;
  PeerCalls* calls = nullptr;
  MembersSource members;
  std::string identity;  ///< Of this watcher; empty if there is no other one.
};

/// One call of WatchActivity. A caller that reads too slowly loses its oldest activities.
/// Thread-safe.
class ActivityStream final : public rpc::StreamHandler,
                             public ActivitySubscriber,
                             public std::enable_shared_from_this<ActivityStream> {
 public:
  /// `desk` outlives this.
  ActivityStream(const ActivityDesk* desk, std::shared_ptr<rpc::ServerStream> stream);

  void OnOpen() override;
  void OnRead(grpc::ByteBuffer* message) override;
  void OnWritten() override ABSL_LOCKS_EXCLUDED(mu_);
  void OnDone() override ABSL_LOCKS_EXCLUDED(mu_);
  void OnActivity(const Activity& activity) override ABSL_LOCKS_EXCLUDED(mu_);

  /// Ends the stream.
  void Finish();

 private:
  void FollowOthers() ABSL_LOCKS_EXCLUDED(mu_);
  void Send(v1::WatchActivityResponse activity) ABSL_LOCKS_EXCLUDED(mu_);

  const ActivityDesk& desk_;
  const std::shared_ptr<rpc::ServerStream> stream_;

  Mutex mu_;
  bool done_ ABSL_GUARDED_BY(mu_) = false;
  std::shared_ptr<PeerActivity> others_ ABSL_GUARDED_BY(mu_);
  bool writing_ ABSL_GUARDED_BY(mu_) = false;
  std::deque<v1::WatchActivityResponse> backlog_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::watcher
