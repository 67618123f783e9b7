// SPDX-License-Identifier: Apache-2.0
// The activity of all watchers, and whom they trust.
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "common/kube/testing/temporary_directory.h"
#include "common/kube/testing/test_pki.h"
#include "common/rpc/client/channel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/service/peers/testing/watchers.h"

namespace xebec::watcher {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MemberTable;
using testing::Names;
using ::testing::SizeIs;
using testing::Watcher;
using testing::WatchersTest;

constexpr char kService[] = "xebec-watcher.ns.svc";

/// Follows the activity that one watcher shows.
class Follower {
 public:
  explicit Follower(const Watcher& watcher)
      : stub_(rpc::MakeChannel({"ipv4:" + watcher.address(), ""}, {})),
        stream_(stub_.WatchActivity(context_.get(), v1::WatchActivityRequest())) {}
  ~Follower() {
    context_->TryCancel();
    v1::WatchActivityResponse rest;
    while (stream_->Read(&rest)) {
    }
    stream_->Finish();
  }
  /// Publishes at `watcher` until an activity of that watcher comes.
  v1::WatchActivityResponse AwaitOne(Watcher* watcher, const std::string& identity) {
    absl::Notification got;
    std::thread publisher([&] {
      while (!got.WaitForNotificationWithTimeout(absl::Milliseconds(5)))
        watcher->feed()->Publish({absl::UnixEpoch(), {}, "Hello", identity});
    });
    v1::WatchActivityResponse activity;
    bool read = true;
    while (read && (activity.watcher() != identity || activity.has_unanswered()))
      read = stream_->Read(&activity);
    got.Notify();
    publisher.join();
    return activity;
  }
  v1::WatchActivityResponse AwaitNotice() {
    v1::WatchActivityResponse activity;
    while (stream_->Read(&activity) && !activity.has_unanswered()) {
    }
    return activity;
  }

 private:
  PeerStub stub_;
  std::unique_ptr<grpc::ClientContext> context_ = rpc::MakeCallContext(testing::kTestTimeout);
  std::unique_ptr<grpc::ClientReader<v1::WatchActivityResponse>> stream_;
};

TEST_F(WatchersTest, TheActivityOfAllIsFollowedIncludingWatchersThatJoin) {
  Follower follower(a_);
  EXPECT_EQ(follower.AwaitOne(&a_, "watcher-a").detail(), "watcher-a");
  EXPECT_EQ(follower.AwaitOne(&b_, "watcher-b").detail(), "watcher-b");
  EXPECT_EQ(follower.AwaitOne(&c_, "watcher-c").detail(), "watcher-c");
  Watcher joining(&members_, "watcher-d", {});
  EXPECT_EQ(follower.AwaitOne(&joining, "watcher-d").detail(), "watcher-d");
  members_.Remove("watcher-d");
}

TEST_F(WatchersTest, TheEndOfTheActivityOfOneIsNoted) {
  Follower follower(a_);
  follower.AwaitOne(&b_, "watcher-b");
  b_.service().EndStreams();
  b_.Vanish();
  const v1::WatchActivityResponse notice = follower.AwaitNotice();
  EXPECT_EQ(notice.unanswered().identity(), "watcher-b");
  EXPECT_THAT(notice.detail(), HasSubstr("watcher-b: "));
  EXPECT_EQ(follower.AwaitOne(&c_, "watcher-c").detail(), "watcher-c");
}

/// Watchers with certificates of one CA.
class TlsWatchersTest : public ::testing::Test {
 protected:
  tls::Files FilesFor(const std::string& name, const kube::testing::KeyPair& ca) {
    const auto pair = kube::testing::MakeCertificate(ca, name);
    const std::string prefix = absl::StrCat(++number_);
    return {directory_.Write(prefix + ".crt", pair.cert_pem),
            directory_.Write(prefix + ".key", pair.key_pem),
            directory_.Write(prefix + ".ca", ca.cert_pem)};
  }
  kube::testing::TemporaryDirectory directory_;
  int number_ = 0;
  const kube::testing::KeyPair ca_ = kube::testing::MakeCa();
  MemberTable members_;
};

TEST_F(TlsWatchersTest, TheOtherWatcherProvesTheNameOfThisOne) {
  Watcher a(&members_, "watcher-a", {"apple"}, FilesFor(kService, ca_));
  Watcher b(&members_, "watcher-b", {"banana"}, FilesFor(kService, ca_));
  const v1::ListKeysResponse keys = a.KeysInProcess();
  EXPECT_THAT(Names(keys), ElementsAre("apple", "banana")) << keys.ShortDebugString();
}

TEST_F(TlsWatchersTest, AnotherServiceAtTheAddressIsRefused) {
  Watcher a(&members_, "watcher-a", {"apple"}, FilesFor(kService, ca_));
  Watcher planner(&members_, "planner", {"banana"}, FilesFor("xebec-planner.ns.svc", ca_));
  const v1::ListKeysResponse keys = a.KeysInProcess();
  EXPECT_THAT(Names(keys), ElementsAre("apple"));
  ASSERT_THAT(keys.unanswered(), SizeIs(1));
  EXPECT_THAT(keys.unanswered(0).error(), HasSubstr("not valid for the name xebec-watcher.ns.svc"));
}

}  // namespace
}  // namespace xebec::watcher
