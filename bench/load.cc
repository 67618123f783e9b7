// SPDX-License-Identifier: Apache-2.0
// xebec-bench-load: creates Irises as fast as the API server takes them, alone ("parents") or
// together with the very requests that Xebec sends for each of them ("bare"). Prints one JSON line
// with what it measured.
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "bench/bare_pass.h"
#include "common/base/clock.h"
#include "common/base/json.h"
#include "planner/kinds/built_in.h"

namespace xebec::bench {
namespace {

constexpr absl::Duration kRequestTimeout = absl::Seconds(60);

struct Settings {
  std::string kubeconfig, mode = "parents", ns = "default", prefix = "bench";
  int count = 1000;
  int in_flight = 32;
  std::vector<std::string> watches;
};

kube::ApiRequest CreateIris(const std::string& ns, const std::string& name) {
  const Json iris = {{"apiVersion", "example.com/v1alpha1"},
                     {"kind", "Iris"},
                     {"metadata", {{"name", name}, {"namespace", ns}}},
                     {"spec", {{"deploymentName", name}, {"replicas", 1}}}};
  return {.method = "POST",
          .path = absl::StrCat("/apis/example.com/v1alpha1/namespaces/", ns, "/irises"),
          .content_type = kube::kJsonContentType,
          .body = DumpJson(iris)};
}

/// Opens watches whose events are received and dropped, so that the API server has the same work as
/// with Xebec.
std::vector<std::unique_ptr<http::Stream>> OpenWatches(const Settings& settings,
                                                       http::ApiClient* client) {
  std::vector<std::unique_ptr<http::Stream>> streams;
  for (const std::string& uri : settings.watches) {
    kube::ApiRequest request{.method = "GET", .path = uri, .content_type = "", .body = ""};
    streams.push_back(client->Watch(std::move(request), absl::ZeroDuration(),
                                    {.on_status = [](int) {},
                                     .on_chunk = [](std::string_view) {},
                                     .on_end = [](const kube::ApiResponse&) {}}));
  }
  return streams;
}

/// Keeps `in_flight` parents being worked on until all are done. After Run it is used on the HTTP
/// thread alone.
class Loader {
 public:
  Loader(const Settings& settings, http::ApiClient* client)
      : settings_(settings), client_(client), kinds_(planner::BuiltInKinds()) {}

  /// True when every request was accepted.
  bool Run() {
    for (int i = 0; i < std::min(settings_.in_flight, settings_.count); ++i) StartNext();
    finished_.WaitForNotification();
    return failed_ == 0;
  }

 private:
  void StartNext() {
    const int index = next_++;
    if (index >= settings_.count) return;
    client_->Send(CreateIris(settings_.ns, absl::StrCat(settings_.prefix, "-", index)),
                  [this](const kube::ApiResponse& response) { OnCreated(response); });
  }

  void OnCreated(const kube::ApiResponse& response) {
    if (response.status != 201) {
      std::fprintf(stderr, "refused: %d %s %s\n", response.status, response.error_message.c_str(),
                   response.body.substr(0, 300).c_str());
      return OnDone(false);
    }
    if (settings_.mode != "bare") return OnDone(true);
    const auto pass = std::make_shared<BarePass>(client_, &kinds_, MakeObjectBytes(response.body),
                                                 [this](bool ok) { OnDone(ok); });
    if (!pass->Start()) OnDone(false);
  }

  void OnDone(bool ok) {
    if (!ok) ++failed_;
    if (++done_ == settings_.count) return finished_.Notify();
    StartNext();
  }

  const Settings& settings_;
  http::ApiClient* const client_;
  const planner::KindRegistry kinds_;
  std::atomic<int> next_ = 0, done_ = 0, failed_ = 0;
  absl::Notification finished_;
};

int Main(int argc, char** argv) {
  Settings settings;
  CLI::App app{"Creates Irises as fast as the API server takes them."};
  app.add_option("--kubeconfig", settings.kubeconfig, "kubeconfig file")->required();
  app.add_option("--mode", settings.mode, "what to send")
      ->check(CLI::IsMember({"parents", "bare"}));
  app.add_option("--namespace", settings.ns, "namespace");
  app.add_option("--prefix", settings.prefix, "names begin with this");
  app.add_option("--count", settings.count, "how many parents")->check(CLI::PositiveNumber);
  app.add_option("--in-flight", settings.in_flight, "parents worked on at once")
      ->check(CLI::PositiveNumber);
  app.add_option("--watch", settings.watches,
                 "watches that are open meanwhile: paths with their queries");
  CLI11_PARSE(app, argc, argv);

  absl::StatusOr<kube::ClusterAccess> access = kube::LoadKubeconfig(settings.kubeconfig, "");
  if (!access.ok()) {
    std::fprintf(stderr, "%s\n", access.status().ToString().c_str());
    return 1;
  }
  http::ApiClientOptions options;
  options.request_timeout = kRequestTimeout;
  http::ApiClient client(*std::move(access), options);
  const auto watches = OpenWatches(settings, &client);
  const absl::Duration begin = ReadClock().monotonic;
  const bool ok = Loader(settings, &client).Run();
  const double seconds = absl::ToDoubleSeconds(ReadClock().monotonic - begin);
  std::printf("{\"mode\":\"%s\",\"count\":%d,\"seconds\":%.3f,\"ok\":%s}\n", settings.mode.c_str(),
              settings.count, seconds, ok ? "true" : "false");
  return ok ? 0 : 1;
}

}  // namespace
}  // namespace xebec::bench

int main(int argc, char** argv) { return xebec::bench::Main(argc, argv); }
