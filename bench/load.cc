// SPDX-License-Identifier: Apache-2.0
// xebec-bench-load: the user of ./dev bench. Prints one JSON line with what it measured.
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "bench/bare_reconcile.h"
#include "bench/burst.h"
#include "bench/cheap_reconcile.h"
#include "bench/latency.h"
#include "bench/new_parent.h"
#include "bench/requests.h"
#include "common/base/json.h"
#include "planner/kinds/built_in.h"

namespace xebec::bench {
namespace {

constexpr absl::Duration kRequestTimeout = absl::Seconds(60);

struct Settings {
  std::string kubeconfig, mode = "parents", ns = "default", prefix = "bench";
  int count = 1000, in_flight = 32, parents = 20;
  std::vector<std::string> watches;

  std::string Name(int index) const { return absl::StrCat(prefix, "-", index); }
};

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

/// Carries out the plan of a new parent. Calls `done` once.
using Reconcile = std::function<void(http::ApiClient*, Plan, std::function<void(bool)> done)>;

void SendOurs(http::ApiClient* client, Plan plan, std::function<void(bool)> done) {
  std::make_shared<BareReconcile>(client, std::move(plan), std::move(done))->Start();
}

Reconcile SendCheapest(StatusForm form) {
  return [form](http::ApiClient* client, const Plan& plan, std::function<void(bool)> done) {
    std::make_shared<CheapReconcile>(client, plan, form, std::move(done))->Start();
  };
}

/// Reconciles a new parent as an operator in one process does: a sequel of the creation.
Burst::Sequel SequelOf(http::ApiClient* client, Reconcile reconcile) {
  const auto kinds = std::make_shared<const planner::KindRegistry>(planner::BuiltInKinds());
  return [client, kinds, reconcile = std::move(reconcile)](const kube::ApiResponse& created,
                                                           std::function<void(bool)> done) {
    std::optional<Plan> plan = PlanNewParent(MakeObjectBytes(created.body), *kinds);
    if (!plan) return done(false);
    reconcile(client, *std::move(plan), std::move(done));
  };
}

Json RunBurst(const Settings& settings, http::ApiClient* client) {
  const auto create = [&](int i) { return CreateIris(settings.ns, settings.Name(i)); };
  const auto pod = [&](int i) { return CreatePod(settings.ns, settings.Name(i)); };
  // Each parent changes as often as the others and never twice to the same number of replicas.
  const auto update = [&](int i) {
    return ScaleIris(settings.ns, settings.Name(i % settings.parents), i / settings.parents + 3);
  };
  const std::map<std::string, std::pair<Burst::Request, Burst::Sequel>> modes = {
      {"parents", {create, nullptr}},
      {"bare", {create, SequelOf(client, SendOurs)}},
      {"cheapest", {create, SequelOf(client, SendCheapest(StatusForm::kWhole))}},
      {"numbers", {create, SequelOf(client, SendCheapest(StatusForm::kNumbers))}},
      {"pods", {pod, nullptr}},
      {"updates", {update, nullptr}}};
  const auto& [request, sequel] = modes.at(settings.mode);
  return {{"ok", Burst(client, settings.count, request, sequel).Run(settings.in_flight)}};
}

Json RunLatency(const Settings& settings, http::ApiClient* client) {
  const auto latencies = MeasureLatency(client, settings.ns, settings.prefix, settings.count);
  if (!latencies) return {{"ok", false}};
  return {{"ok", true}, {"created ms", latencies->created}, {"changed ms", latencies->changed}};
}

int Main(int argc, char** argv) {
  Settings settings;
  CLI::App app{"Plays the user of a benchmark."};
  app.add_option("--kubeconfig", settings.kubeconfig, "kubeconfig file")->required();
  app.add_option("--mode", settings.mode,
                 "parents: create Irises; bare, cheapest, numbers: create them and what belongs to "
                 "them; "
                 "pods: create Pods; updates: change Irises; latency: one Iris at a time")
      ->check(
          CLI::IsMember({"parents", "bare", "cheapest", "numbers", "pods", "updates", "latency"}));
  app.add_option("--namespace", settings.ns, "namespace");
  app.add_option("--prefix", settings.prefix, "names begin with this");
  app.add_option("--count", settings.count, "number of objects or updates")
      ->check(CLI::PositiveNumber);
  app.add_option("--parents", settings.parents, "number of Irises that the updates change")
      ->check(CLI::PositiveNumber);
  app.add_option("--in-flight", settings.in_flight, "concurrent requests")
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
  const Json result =
      settings.mode == "latency" ? RunLatency(settings, &client) : RunBurst(settings, &client);
  std::printf("%s\n", DumpJson(result).c_str());
  return FindBool(result, {"ok"}).value_or(false) ? 0 : 1;
}

}  // namespace
}  // namespace xebec::bench

int main(int argc, char** argv) { return xebec::bench::Main(argc, argv); }
