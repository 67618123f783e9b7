// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/telemetry/metrics_observer.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "common/base/mutex.h"

namespace xebec::rpc {
namespace {

/// The series of one method on one side.
class MethodSeries {
 public:
  MethodSeries(telemetry::Registry* registry, const CallEvent& event)
      : registry_(registry),
        prefix_(event.server ? "grpc_server_" : "grpc_client_"),
        labels_{{"grpc_type", event.type},
                {"grpc_service", event.service},
                {"grpc_method", event.method}},
        started_(registry->AddCounter(prefix_ + "started_total", "Calls started.", labels_)),
        sent_(registry->AddCounter(prefix_ + "msg_sent_total", "Messages sent.", labels_)),
        received_(
            registry->AddCounter(prefix_ + "msg_received_total", "Messages received.", labels_)),
        seconds_(registry->AddHistogram(prefix_ + "handling_seconds", "Duration of calls.",
                                        telemetry::SecondsBuckets(), labels_)) {}

  void Count(const CallEvent& event) {
    switch (event.what) {
      case CallEvent::What::kStarted:
        return started_.Add();
      case CallEvent::What::kMessageSent:
        return sent_.Add();
      case CallEvent::What::kMessageReceived:
        return received_.Add();
      case CallEvent::What::kHandled:
        return Handled(event);
    }
  }

 private:
  void Handled(const CallEvent& event) {
    telemetry::Labels labels = labels_;
    labels["grpc_code"] = event.code;
    registry_->AddCounter(prefix_ + "handled_total", "Finished calls by code.", labels).Add();
    seconds_.Observe(absl::ToDoubleSeconds(event.took));
  }

  telemetry::Registry* const registry_;
  const std::string prefix_;
  const telemetry::Labels labels_;
  telemetry::Counter started_, sent_, received_;
  telemetry::Histogram seconds_;
};

class AllSeries {
 public:
  explicit AllSeries(telemetry::Registry* registry) : registry_(registry) {}

  void Count(const CallEvent& event) { Find(event)->Count(event); }

 private:
  using Key = std::tuple<bool, std::string, std::string>;
  using View = std::tuple<bool, const std::string&, const std::string&>;

  MethodSeries* Find(const CallEvent& event) {
    MutexLock lock(&mu_);
    const auto it = series_.find(View(event.server, event.service, event.method));
    if (it != series_.end()) return it->second.get();
    auto made = std::make_unique<MethodSeries>(registry_, event);
    return series_.emplace(Key(event.server, event.service, event.method), std::move(made))
        .first->second.get();
  }

  telemetry::Registry* const registry_;
  Mutex mu_;
  std::map<Key, std::unique_ptr<MethodSeries>, std::less<>> series_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

CallObserver MetricsObserver(telemetry::Registry* registry) {
  auto series = std::make_shared<AllSeries>(registry);
  return [series](const CallEvent& event) { series->Count(event); };
}

}  // namespace xebec::rpc
