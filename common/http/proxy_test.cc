// SPDX-License-Identifier: Apache-2.0
// Proxies that the environment names, as in other Kubernetes clients.
#include <gtest/gtest.h>

#include <vector>

#include "common/http/http_client.h"
#include "common/http/testing/client_rig.h"
#include "common/kube/testing/temporary_directory.h"

namespace xebec::http {
namespace {

using kube::TransportError;
using kube::testing::ScopedEnvironment;
using testing::Access;
using testing::Ask;
using testing::FakeServer;
using testing::Get;
using testing::Http;
using testing::Recorder;
using testing::ServedRequest;
using testing::Wire;

/// A proxy that refuses everything, and an environment without any.
class ProxyOfTheEnvironment : public ::testing::Test {
 protected:
  /// What the proxy is asked when this server is wanted.
  std::vector<std::string> AskedFor(const std::string& server) {
    ApiClient client(Access(server), {});
    EXPECT_EQ(Ask(client, Get("/a")).error, TransportError::kNotSent);
    std::vector<std::string> asked;
    for (const ServedRequest& request : seen_.All()) {
      asked.push_back(request.method + " " + request.target);
    }
    return asked;
  }

  ScopedEnvironment https_{"HTTPS_PROXY", nullptr}, https_lower_{"https_proxy", nullptr},
      http_lower_{"http_proxy", nullptr}, all_{"ALL_PROXY", nullptr},
      all_lower_{"all_proxy", nullptr}, no_{"NO_PROXY", nullptr}, no_lower_{"no_proxy", nullptr};
  Recorder seen_;
  FakeServer proxy_{[this](const ServedRequest& request, Wire& wire) {
    seen_.Add(request);
    return wire.Write(Http(403, ""));
  }};
};

TEST_F(ProxyOfTheEnvironment, IsAskedForTheServer) {
  for (const char* name : {"HTTPS_PROXY", "https_proxy"}) {
    const ScopedEnvironment proxy(name, proxy_.url().c_str());
    EXPECT_EQ(AskedFor("https://cluster.invalid:6443").back(), "CONNECT cluster.invalid:6443");
  }
  EXPECT_EQ(seen_.All().size(), 2u);
}

TEST_F(ProxyOfTheEnvironment, IsLeftOutForWhatNoProxyNames) {
  const ScopedEnvironment proxy("HTTPS_PROXY", proxy_.url().c_str());
  // Known as loopback to libcurl alone, so that nobody is asked for the name.
  for (const char* names : {"api.localhost", "a.b,.localhost", "*"}) {
    const ScopedEnvironment no_proxy("NO_PROXY", names);
    EXPECT_TRUE(AskedFor("https://api.localhost:1").empty()) << names;
  }
  const ScopedEnvironment no_proxy("NO_PROXY", "0.0.0.0/8");  // None of them can be reached.
  EXPECT_TRUE(AskedFor("https://0.0.0.1:6443").empty());
  EXPECT_EQ(AskedFor("https://api.localhost:1").size(), 1u);
}

TEST_F(ProxyOfTheEnvironment, IsLeftOutForLoopback) {
  const ScopedEnvironment proxy("http_proxy", proxy_.url().c_str());
  FakeServer server(
      [](const ServedRequest&, Wire& wire) { return wire.Write(Http(200, "itself")); });
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    ApiClient client(Access("http://" + host + ":" + std::to_string(server.port())), {});
    EXPECT_EQ(Ask(client, Get("/a")).body, "itself") << host;
  }
  EXPECT_TRUE(seen_.All().empty());
}

TEST_F(ProxyOfTheEnvironment, CountsLessThanThatOfTheKubeconfig) {
  const ScopedEnvironment proxy("HTTPS_PROXY", "http://other.invalid:1");
  kube::ClusterAccess access = Access("https://127.0.0.1:1");
  access.config.proxy_url = proxy_.url();
  ApiClient client(access, {});
  EXPECT_EQ(Ask(client, Get("/a")).error, TransportError::kNotSent);
  EXPECT_EQ(seen_.Only().target, "127.0.0.1:1");
}

}  // namespace
}  // namespace xebec::http
