// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/rpc/client/context.h"
#include "common/rpc/server/server.h"
#include "common/rpc/tls/tls_credentials.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"
#include "watcher/service/ask.h"
#include "watcher/service/watcher_service.h"

/// Watchers that ask each other, in one process and over real connections.
namespace xebec::watcher::testing {

inline constexpr uint32_t kBuckets = 1024;
inline constexpr absl::Duration kTestTimeout = absl::Seconds(60);
inline constexpr absl::Duration kPeerTimeout = absl::Milliseconds(700);

/// The members by identity, as the Leases would show them.
class MemberTable {
 public:
  void Set(const MemberView& member) {
    MutexLock lock(&mu_);
    members_[member.identity] = member;
  }
  void Remove(const std::string& identity) {
    MutexLock lock(&mu_);
    members_.erase(identity);
  }
  std::optional<MembersView> SeenBy(const std::string& identity) {
    MutexLock lock(&mu_);
    MembersView view{{}, unassigned_};
    for (const auto& [name, member] : members_) {
      view.members.push_back(member);
      view.members.back().self = name == identity;
    }
    return view;
  }
  void SetUnassigned(const BucketSet& buckets) {
    MutexLock lock(&mu_);
    unassigned_ = buckets;
  }

 private:
  Mutex mu_;
  std::map<std::string, MemberView> members_ ABSL_GUARDED_BY(mu_);
  BucketSet unassigned_ ABSL_GUARDED_BY(mu_){kBuckets};
};

/// A watcher with an engine that knows some widgets, and the buckets of some.
class Watcher {
 public:
  Watcher(MemberTable* members, std::string identity, const std::vector<std::string>& widgets,
          tls::Files files = {})
      : members_(members),
        identity_(std::move(identity)),
        calls_({.files = files, .timeout = kPeerTimeout}),
        files_(std::move(files)) {
    SkipUids();
    for (const std::string& name : widgets) harness_.cluster.SetWidget(name, 1, 7);
    harness_.Start();
    harness_.RunReconciles();
    Serve();
    SetBuckets(widgets);
  }
  ~Watcher() {
    stop_ = true;
    engine_.join();
    service_.EndStreams();
    calls_.Stop();
  }

  void Serve() {
    rpc::ServerOptions options;
    options.listen = {"127.0.0.1:0"};
    options.threads = 1;  // One thread that waits for another watcher would block all.
    if (files_.Any()) {
      options.credentials = rpc::TlsServerCredentials(
          files_, rpc::AccessTable().AllowEverybody("/xebec.v1.WatcherService/*"));
    }
    server_ = *rpc::Server::Start(options, {&service_});
  }
  /// Does not answer any more. Others think that it is there.
  void Vanish() { server_ = nullptr; }
  /// The engine answers nothing until Release.
  void Hold() {
    queue_.PushNow(Query([released = released_.get_future().share()](
                             const Engine&, const Instant&) { released.wait(); }));
  }
  void Release() { released_.set_value(); }
  PeerCalls& calls() { return calls_; }
  void SetBuckets(const std::vector<std::string>& widgets) {
    MemberView member{.identity = identity_, .address = address(), .buckets = BucketSet(kBuckets)};
    member.buckets.Add(kBuckets - number_);  // each has one
    for (const std::string& name : widgets) {
      const uint32_t bucket = BucketOf(harness_.Key(name).uid, kBuckets);
      if (!member.buckets.Contains(bucket)) member.buckets.Add(bucket);
    }
    members_->Set(member);
  }
  std::string address() const {
    return absl::StrCat("127.0.0.1:", server_ == nullptr ? 1 : server_->port());
  }
  std::string uid(const std::string& widget) const { return harness_.Key(widget).uid; }
  ActivityFeed* feed() { return &feed_; }
  /// Runs `change` on the thread that owns the harness, and waits for it.
  void Change(const std::function<void(Harness&)>& change) {
    ASSERT_TRUE(Ask<bool>(&queue_, [this, change](const Engine&, const Instant&) {
      change(harness_);
      return true;
    }));
  }
  /// The watcher starts again: a planner has answered, and nothing is listed.
  void StartAgain() {
    Change([this](Harness& harness) {
      const FakeCluster cluster = harness.cluster;
      harness = Harness(Harness::WithoutElection(), identity_);
      harness.cluster = cluster;
      harness.Feed(DescriptionArrived{WidgetDescription()});
    });
  }
  WatcherServiceImpl& service() { return service_; }

  template <typename Request, typename Response>
  grpc::Status Call(grpc::Status (PeerStub::*method)(grpc::ClientContext*, const Request&,
                                                     Response*),
                    const Request& request, Response* response) {
    PeerStub stub(server_->InProcessChannel());
    const auto context = rpc::MakeCallContext(kTestTimeout);
    return (stub.*method)(context.get(), request, response);
  }
  v1::ListKeysResponse Keys(bool only = false) {
    v1::ListKeysRequest request;
    request.set_this_watcher_only(only);
    v1::ListKeysResponse keys;
    EXPECT_TRUE(Call(&PeerStub::ListKeys, request, &keys).ok());
    return keys;
  }
  grpc::Status Explain(const std::string& name, v1::ExplainResponse* response, bool only = false) {
    v1::ExplainRequest request;
    request.set_kind("widget");
    request.set_namespace_("default");
    request.set_name(name);
    request.set_this_watcher_only(only);
    return Call(&PeerStub::Explain, request, response);
  }
  /// The same without a connection of the user.
  v1::ListKeysResponse KeysInProcess() {
    std::promise<v1::ListKeysResponse> keys;
    service_.ListKeys({}, [&](const grpc::Status&, const v1::ListKeysResponse& response) {
      keys.set_value(response);
    });
    return keys.get_future().get();
  }
  v1::ListWatchersResponse Watchers() {
    v1::ListWatchersResponse list;
    EXPECT_TRUE(Call(&PeerStub::ListWatchers, v1::ListWatchersRequest(), &list).ok());
    return list;
  }

 private:
  /// Lets the parents of two watchers have different uids.
  void SkipUids() {
    for (uint32_t i = 0; i < 10 * number_; ++i) {
      harness_.cluster.SetWidget("skipped", 1, 7);
      harness_.cluster.Delete(WidgetType(), "skipped");
    }
  }

  static inline uint32_t watchers_ = 0;
  const uint32_t number_ = ++watchers_ % 100;
  MemberTable* const members_;
  const std::string identity_;
  Harness harness_;
  MessageQueue queue_{{.items = 64}};
  ActivityFeed feed_;
  PeerCalls calls_;
  const tls::Files files_;
  WatcherServiceImpl service_{{.queue = &queue_,
                               .feed = &feed_,
                               .calls = &calls_,
                               .members = [this] { return members_->SeenBy(identity_); },
                               .identity = identity_}};
  std::unique_ptr<rpc::Server> server_;
  std::promise<void> released_;
  std::atomic<bool> stop_{false};
  std::thread engine_{[this] {
    while (!stop_) {
      for (Message& message : queue_.PopAll(absl::Milliseconds(5)))
        std::get<Query>(message)(harness_.engine, harness_.now);
    }
  }};
};

inline std::vector<std::string> Names(const v1::ListKeysResponse& keys) {
  std::vector<std::string> names;
  for (const v1::KeySummary& key : keys.keys()) names.push_back(key.ref().name());
  return names;
}

/// Three watchers with five parents.
class WatchersTest : public ::testing::Test {
 protected:
  MemberTable members_;
  Watcher a_{&members_, "watcher-a", {"apple", "date"}};
  Watcher b_{&members_, "watcher-b", {"banana", "cherry"}};
  Watcher c_{&members_, "watcher-c", {"elder"}};
};

}  // namespace xebec::watcher::testing
