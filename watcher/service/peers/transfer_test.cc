// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/peers/transfer.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/base/json.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/service/peers/object_requests.h"

namespace xebec::watcher {
namespace {

using testing::MakeBuckets;
using testing::UidIn;

StartList Request() {
  StartList request{.stream = 7,
                    .type = {.group = "apps",
                             .version = "v1",
                             .kind = "Deployment",
                             .plural = "deployments",
                             .cluster_scoped = false},
                    .ns = "team",
                    .label_selector = "a=b",
                    .continue_token = "3/500/1000",
                    .projection = {},
                    .from = "127.0.0.1:1"};
  request.projection.fields = {"spec", "status.replicas"};
  request.projection.parent_label = "iris";
  request.projection.controller_kinds = {"example.com/v1/Iris"};
  request.projection.managed_kinds = {"example.com/v1/Rose"};
  request.projection.keep = {std::make_shared<const BucketSet>(MakeBuckets({1, 3})),
                             /*parents=*/false, /*children=*/true, /*labels=*/true};
  return request;
}

TEST(Transfer, ARequestArrivesAsItWasSent) {
  const StartList request = Request();
  const auto arrived = DecodeTransfer(EncodeTransfer(request));
  ASSERT_TRUE(arrived.ok()) << arrived.status();
  EXPECT_EQ(arrived->spec,
            (ResourceSpec{request.type, request.ns, request.label_selector, request.projection}));
  EXPECT_EQ(arrived->token, "3/500/1000");
}

TEST(Transfer, ABadRequestIsRefusedWithTheReason) {
  using Change = std::function<void(v1::TransferObjectsRequest*)>;
  const std::pair<const char*, Change> kCases[] = {
      {"type", [](v1::TransferObjectsRequest* r) { r->clear_type(); }},
      {"bucket_count", [](v1::TransferObjectsRequest* r) { r->set_bucket_count(0); }},
      {"bucket_count", [](v1::TransferObjectsRequest* r) { r->set_bucket_count(10000); }},
      {"buckets", [](v1::TransferObjectsRequest* r) { r->set_buckets(""); }},
      {"buckets", [](v1::TransferObjectsRequest* r) { r->set_buckets("3-9"); }}};
  for (const auto& [what, change] : kCases) {
    v1::TransferObjectsRequest request = EncodeTransfer(Request());
    change(&request);
    const absl::Status status = DecodeTransfer(request).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_NE(status.message().find(what), absl::string_view::npos) << status;
  }
}

TEST(Transfer, AnObjectArrivesAsTheOtherWatcherKeepsIt) {
  const StartList request = Request();
  const std::string owners = R"([{"apiVersion":"example.com/v1","kind":"Iris","name":"i","uid":")" +
                             UidIn(1) + R"(","controller":true}])";
  const std::string text =
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"team",)"
      R"("uid":"u","resourceVersion":"12","generation":3,"deletionTimestamp":"2026-01-01T00:00:00Z",)"
      R"("labels":{"iris":"i"},"annotations":{"xebec.dev/paused":"true"},"managedFields":[)"
      R"({"manager":"m","operation":"Apply","time":"2026-01-01T00:00:00Z"},)"
      R"({"manager":"m","operation":"Update","time":"2026-01-01T00:00:02Z"}],"ownerReferences":)" +
      owners + R"(},"spec":{"replicas":1},"status":{"replicas":2,"conditions":[]}})";
  kube::Projection usual = request.projection;
  const auto kept = kube::DecodeObject(text, usual);
  ASSERT_TRUE(kept.ok()) << kept.status();
  ASSERT_NE(kept->json, nullptr);
  TransferPage page{.version = "1000",
                    .token = "3/9/1000",
                    .objects = {PackedJson(*kept->json)},
                    .left_out = {{"team", "rose"}}};
  const Input input = DecodeTransferPage(request, EncodeTransferPage(page));
  const auto* arrived = std::get_if<ListArrived>(&input);
  ASSERT_NE(arrived, nullptr);
  EXPECT_EQ(arrived->stream, 7u);
  EXPECT_EQ(arrived->page.resource_version, "1000");
  EXPECT_EQ(arrived->page.continue_token, "3/9/1000");
  EXPECT_EQ(arrived->left_out, page.left_out);
  ASSERT_EQ(arrived->page.objects.size(), 1u);
  EXPECT_EQ(arrived->page.objects[0].header, kept->header);
  EXPECT_EQ(*arrived->page.objects[0].json, *kept->json);
  EXPECT_NE(kept->json->find("co-owners"), std::string::npos) << "the test shows nothing";
}

TEST(Transfer, AnUnreadableObjectFailsTheRequest) {
  v1::TransferObjectsResponse page;
  page.set_version("1000");
  page.add_objects("{");
  const Input input = DecodeTransferPage(Request(), page);
  const auto* failed = std::get_if<ListFailed>(&input);
  ASSERT_NE(failed, nullptr);
  EXPECT_NE(failed->failure.message, "");
}

TEST(ObjectRequests, AWatcherThatIsGoneFailsTheRequest) {
  MessageQueue queue({.items = 10});
  PeerCalls calls({.files = {}, .observer = {}, .timeout = absl::Seconds(5)});
  ObjectRequests(&calls, &queue).Do(Request());
  const std::optional<Message> message = queue.Pop();
  ASSERT_TRUE(message.has_value());
  const auto& failed = std::get<ListFailed>(std::get<Input>(*message));
  EXPECT_EQ(failed.stream, 7u);
  EXPECT_NE(failed.failure.message, "");
}

}  // namespace
}  // namespace xebec::watcher
