// SPDX-License-Identifier: Apache-2.0
#include "hooks/service/http_link.h"

#include <future>
#include <memory>
#include <utility>

#include "common/http/testing/fake_server.h"
#include "gtest/gtest.h"
#include "hooks/service/testing/gateway_rig.h"

namespace xebec::gateway {
namespace {

TEST(HttpLink, IsFreedWhenItIsClosedDuringDescribe) {
  std::promise<void> asked;
  http::testing::FakeServer hook(
      [&](const http::testing::ServedRequest&, http::testing::Wire& wire) {
        asked.set_value();
        wire.Hang();
        return false;
      });
  const EndpointPolicy policy = EndpointPolicy::AllowAll();
  const Credentials credentials;
  auto web = std::make_unique<http::WebClient>(http::WebClient::Options{});
  LinkSite site;
  site.post = [](const std::function<void()>&) { ADD_FAILURE() << "a closed link has no result"; };
  site.web = web.get();
  site.policy = &policy;
  site.credentials = &credentials;
  site.max_answer_bytes = 1 << 20;
  site.connect_timeout = absl::Minutes(1);
  struct Open open;
  open.endpoint = testing::At("127.0.0.1:" + std::to_string(hook.port()), HookProtocol::kHttp);
  auto link = std::make_shared<HttpLink>(site, open, LinkEvents());
  link->Open();
  asked.get_future().wait();
  link->Close();
  const std::weak_ptr<HttpLink> closed = std::exchange(link, nullptr);
  web.reset();  // ends the request
  EXPECT_TRUE(closed.expired());
}

}  // namespace
}  // namespace xebec::gateway
