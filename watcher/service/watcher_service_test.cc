// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/watcher_service.h"

#include <atomic>
#include <memory>
#include <thread>

#include "common/rpc/client/channel.h"
#include "common/rpc/client/context.h"
#include "common/rpc/server/server.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"
#include "xebec/v1/watcher.grpc.pb.h"

namespace xebec::watcher {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Stores the answer of a service whose calls complete before they return.
template <typename Response>
rpc::Reply<Response> Into(grpc::Status* status, Response* response) {
  return [=](const grpc::Status& said, const Response& answer) {
    *status = said;
    *response = answer;
  };
}

std::optional<MembersView> NoOthers() { return MembersView(); }

/// The service of an engine with the widgets "lost" and "well". "well" has been planned and
/// applied; for "lost", the name of its part had a conflict.
class WatcherServiceTest : public ::testing::Test {
 protected:
  WatcherServiceTest() {
    h_.cluster.SetWidget("well", 1, 7);
    h_.Start();
    h_.RunReconciles();
    h_.cluster.ForeignPart("lost-0", 1);
    h_.cluster.SetWidget("lost", 1, 7);
    h_.Deliver();
    h_.RunReconciles();
  }
  ~WatcherServiceTest() override {
    stop_ = true;
    reader_.join();
  }

  /// Kinds of the same name in two groups, each with a widget "well".
  void KnowASecondKind() {
    PlannerDescription both = testing::WidgetDescription("r2");
    both.kinds.push_back(both.kinds.front());
    both.kinds.back().controller = "widget.example.org";
    both.kinds.back().parent.group = "example.org";
    h_.Feed(DescriptionArrived{both});
    h_.Deliver();
  }

  template <typename Request>
  static Request Asking(const std::string& kind, const std::string& name) {
    Request request;
    request.set_kind(kind);
    request.set_namespace_("default");
    request.set_name(name);
    return request;
  }

  grpc::Status Explain(const std::string& kind, const std::string& name) {
    grpc::Status status;
    service_.Explain(Asking<v1::ExplainRequest>(kind, name), Into(&status, &explained_));
    return status;
  }

  grpc::Status Observe(const std::string& kind, const std::string& name,
                       v1::GetObservationResponse* response) {
    grpc::Status status;
    service_.GetObservation(Asking<v1::GetObservationRequest>(kind, name), Into(&status, response));
    return status;
  }

  grpc::Status ListKeys(const v1::ListKeysRequest& request, v1::ListKeysResponse* response) {
    grpc::Status status;
    service_.ListKeys(request, Into(&status, response));
    return status;
  }

  std::vector<std::string> Listed(const std::string& kind, const std::string& ns) {
    v1::ListKeysRequest request;
    request.set_kind(kind);
    request.set_namespace_(ns);
    v1::ListKeysResponse response;
    EXPECT_TRUE(ListKeys(request, &response).ok());
    std::vector<std::string> names;
    for (const v1::KeySummary& key : response.keys())
      names.push_back(key.ref().type().group() + " " + key.ref().name());
    return names;
  }

  /// The names on one page of two; sets `token` to that of the next page.
  std::string PageOfTwo(std::string* token) {
    v1::ListKeysRequest request;
    request.set_page_size(2);
    request.set_page_token(*token);
    v1::ListKeysResponse response;
    EXPECT_TRUE(ListKeys(request, &response).ok());
    std::string names;
    for (const v1::KeySummary& key : response.keys()) names += key.ref().name() + " ";
    *token = response.next_page_token();
    return names;
  }

  testing::Harness h_;
  MessageQueue queue_{{.items = 8}};
  ActivityFeed feed_;
  PeerCalls calls_{{}};
  WatcherServiceImpl service_{
      {.queue = &queue_, .feed = &feed_, .calls = &calls_, .members = &NoOthers, .identity = "me"}};
  v1::ExplainResponse explained_;
  std::atomic<bool> stop_{false};
  std::thread reader_{[this] {
    while (!stop_) {
      for (Message& message : queue_.PopAll(absl::Milliseconds(5)))
        std::get<Query>(message)(h_.engine, h_.now);
    }
  }};
};

TEST_F(WatcherServiceTest, KeysAreListedByKindAndNamespace) {
  const auto all = ElementsAre("example.com lost", "example.com well");
  EXPECT_THAT(Listed("", ""), all);
  for (const char* kind : {"Widget", "widget", "widgets", "widgets.example.com"})
    EXPECT_THAT(Listed(kind, "default"), all) << kind;
  EXPECT_THAT(Listed("", "elsewhere"), IsEmpty());
  EXPECT_THAT(Listed("parts", ""), IsEmpty());
  EXPECT_THAT(Listed("widgets.example.org", ""), IsEmpty());
}

TEST_F(WatcherServiceTest, PagesGoOnWhenKeysComeAndGo) {
  for (const char* name : {"a", "m", "z"}) h_.cluster.SetWidget(name, 1, 7);
  h_.Deliver();
  h_.RunReconciles();
  std::string token;
  EXPECT_EQ(PageOfTwo(&token), "a lost ");
  h_.cluster.Delete(testing::WidgetType(), "lost");
  h_.cluster.SetWidget("b", 1, 7);
  h_.cluster.SetWidget("n", 1, 7);
  h_.Deliver();
  EXPECT_EQ(PageOfTwo(&token), "m n ");
  EXPECT_EQ(PageOfTwo(&token), "well z ");
  EXPECT_EQ(token, "");
}

TEST_F(WatcherServiceTest, ATokenThatItHasNotGivenIsRefused) {
  v1::ListKeysRequest request;
  request.set_page_token("tomorrow");
  v1::ListKeysResponse response;
  const grpc::Status status = ListKeys(request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("page_token"));
}

TEST_F(WatcherServiceTest, AnIdleParentIsExplainedWithItsLastOutcomes) {
  ASSERT_TRUE(Explain("Widget", "well").ok());
  EXPECT_EQ(explained_.key().state(), v1::KEY_STATE_IDLE);
  EXPECT_EQ(explained_.key().uid(), h_.Key("well").uid);
  EXPECT_FALSE(explained_.key().has_next());
  EXPECT_EQ(explained_.watcher(), "watcher-a");
  EXPECT_THAT(explained_.explanation(), HasSubstr("Nothing to do until something changes."));
  ASSERT_EQ(explained_.last_outcomes_size(), 1);
  EXPECT_EQ(explained_.last_outcomes(0).code(), v1::OUTCOME_CODE_CREATED);
  EXPECT_THAT(explained_.waiting_for(), IsEmpty());
}

TEST_F(WatcherServiceTest, AParentThatWasRefusedIsExplainedWithWhatItWaitsFor) {
  ASSERT_TRUE(Explain("Widget", "lost").ok());
  EXPECT_EQ(explained_.key().state(), v1::KEY_STATE_DELAYED);
  EXPECT_TRUE(explained_.key().has_next());
  ASSERT_EQ(explained_.last_outcomes_size(), 1);
  EXPECT_EQ(explained_.last_outcomes(0).code(), v1::OUTCOME_CODE_NAME_CONFLICT);
  EXPECT_THAT(explained_.waiting_for(), ElementsAre("the name of Part default/lost-0"));
}

TEST_F(WatcherServiceTest, TheObservationIsTheOneThatWouldBeSent) {
  v1::GetObservationResponse response;
  ASSERT_TRUE(Observe("Widget", "well", &response).ok());
  const v1::Observation& observation = response.observation();
  EXPECT_EQ(observation.envelope().parent().uid(), h_.Key("well").uid);
  EXPECT_TRUE(observation.parent().has_object()) << "as JSON, for users";
  ASSERT_EQ(observation.children_size(), 1);
  EXPECT_EQ(observation.children(0).objects_size(), 1);
}

TEST_F(WatcherServiceTest, NamesTheCommandThatListsTheKeysForAnUnknownKey) {
  for (const grpc::Status& status : {Explain("Widget", "nobody"), Explain("Gadget", "well")}) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
    EXPECT_THAT(status.error_message(), HasSubstr("xebec keys"));
  }
}

TEST_F(WatcherServiceTest, AQuestionWithoutKindOrNameIsRefused) {
  for (const grpc::Status& status : {Explain("", "nobody"), Explain("Widget", "")})
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(WatcherServiceTest, AKindOfTwoGroupsIsNotGuessed) {
  KnowASecondKind();
  const grpc::Status status = Explain("Widget", "well");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("widgets.example.com or widgets.example.org"));
  v1::GetObservationResponse response;
  EXPECT_EQ(Observe("Widget", "well", &response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);

  ASSERT_TRUE(Explain("widgets.example.org", "well").ok());
  EXPECT_EQ(explained_.key().ref().type().group(), "example.org");
}

/// A caller of WatchActivity.
class ActivityTest : public ::testing::Test {
 protected:
  ActivityTest() {
    rpc::ServerOptions options;
    options.listen = {"127.0.0.1:0"};
    server_ = *rpc::Server::Start(options, {&service_});
    stub_ =
        v1::WatcherService::NewStub(rpc::MakeChannel({"ipv4:" + server_->addresses()[0], ""}, {}));
    stream_ = stub_->WatchActivity(context_.get(), {});
  }
  /// Publishes until the caller has subscribed and gets one.
  std::string FirstActivity() {
    std::atomic<bool> got{false};
    std::thread publisher([&] {
      for (; !got; std::this_thread::yield())
        feed_.Publish({absl::UnixEpoch(), {}, "Hello", "world"});
    });
    v1::WatchActivityResponse activity;
    EXPECT_TRUE(stream_->Read(&activity));
    got = true;
    publisher.join();
    return activity.what() + " " + activity.detail();
  }

  MessageQueue queue_{{.items = 8}};
  ActivityFeed feed_;
  PeerCalls calls_{{}};
  WatcherServiceImpl service_{
      {.queue = &queue_, .feed = &feed_, .calls = &calls_, .members = &NoOthers, .identity = "me"}};
  std::unique_ptr<rpc::Server> server_;
  std::unique_ptr<v1::WatcherService::Stub> stub_;
  std::unique_ptr<grpc::ClientContext> context_ = rpc::MakeStreamContext();
  std::unique_ptr<grpc::ClientReader<v1::WatchActivityResponse>> stream_;
};

TEST_F(ActivityTest, ActivitiesReachWhoWatchesUntilTheStreamsEnd) {
  EXPECT_EQ(FirstActivity(), "Hello world");
  service_.EndStreams();
  v1::WatchActivityResponse activity;
  while (stream_->Read(&activity)) {
  }
  EXPECT_TRUE(stream_->Finish().ok());
  const auto context = rpc::MakeStreamContext();
  const auto late = stub_->WatchActivity(context.get(), {});
  EXPECT_FALSE(late->Read(&activity));
}

TEST_F(ActivityTest, WhoDoesNotReadLosesTheOldestActivitiesAndGetsTheNewest) {
  FirstActivity();
  const std::string bulk(10'000, 'x');
  for (int i = 0; i < 20'000; ++i) feed_.Publish({absl::UnixEpoch(), {}, std::to_string(i), bulk});
  v1::WatchActivityResponse activity;
  int read = 0;
  do {
    ASSERT_TRUE(stream_->Read(&activity));
    ++read;
  } while (activity.what() != "19999");
  EXPECT_LT(read, 19'000);
}

TEST_F(WatcherServiceTest, WhileTheEngineIsGoneTheAnswerComesAtOnceAndSaysSo) {
  queue_.CloseAndClear();
  EXPECT_EQ(Explain("Widget", "well").error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

}  // namespace
}  // namespace xebec::watcher
