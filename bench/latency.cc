// SPDX-License-Identifier: Apache-2.0
#include "bench/latency.h"

#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "bench/child_watch.h"
#include "bench/requests.h"
#include "common/base/clock.h"

namespace xebec::bench {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(30);
constexpr absl::Duration kPause = absl::Milliseconds(40);

/// Sends the request and waits. Returns the monotonic time of the answer; nullopt if refused.
std::optional<absl::Duration> Send(http::ApiClient* client, kube::ApiRequest request) {
  struct Answer {
    absl::Notification arrived;
    absl::Duration at;
    int status = 0;
  };
  const auto answer = std::make_shared<Answer>();
  client->Send(std::move(request), [answer](const kube::ApiResponse& response) {
    answer->at = ReadClock().monotonic;
    answer->status = response.status;
    answer->arrived.Notify();
  });
  answer->arrived.WaitForNotification();
  if (answer->status == 200 || answer->status == 201) return answer->at;
  std::fprintf(stderr, "refused: %d\n", answer->status);
  return std::nullopt;
}

/// Milliseconds from the answer to the request until the child has the generation.
std::optional<double> Measure(http::ApiClient* client, ChildWatch* watch, kube::ApiRequest request,
                              const std::string& name, int64_t generation) {
  const auto begin = Send(client, std::move(request));
  if (!begin) return std::nullopt;
  const auto end = watch->WaitFor(name, generation, kTimeout);
  if (!end) {
    std::fprintf(stderr, "no generation %d of %s\n", static_cast<int>(generation), name.c_str());
    return std::nullopt;
  }
  absl::SleepFor(kPause);
  return absl::ToDoubleMilliseconds(*end - *begin);
}

}  // namespace

std::optional<Latencies> MeasureLatency(http::ApiClient* client, const std::string& ns,
                                        const std::string& prefix, int count) {
  ChildWatch watch(client, ns);
  if (!watch.WaitOpen(kTimeout)) return std::nullopt;
  Latencies latencies;
  for (const int generation : {1, 2}) {
    std::vector<double>& taken = generation == 1 ? latencies.created : latencies.changed;
    for (int i = 0; i < count; ++i) {
      const std::string name = absl::StrCat(prefix, "-", i);
      const auto one =
          Measure(client, &watch, generation == 1 ? CreateIris(ns, name) : ScaleIris(ns, name, 2),
                  name, generation);
      if (!one) return std::nullopt;
      taken.push_back(*one);
    }
  }
  return latencies;
}

}  // namespace xebec::bench
