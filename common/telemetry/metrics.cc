// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/metrics.h"

#include <limits>
#include <utility>

#include "common/base/mutex.h"
#include "common/telemetry/proc.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "prometheus/text_serializer.h"

namespace xebec::telemetry {
namespace {

prometheus::ClientMetric WithLabels(const Labels& labels) {
  prometheus::ClientMetric metric;
  for (const auto& [name, value] : labels) metric.label.push_back({name, value});
  return metric;
}

prometheus::ClientMetric Convert(const Family::Distribution& from) {
  prometheus::ClientMetric metric = WithLabels(from.labels);
  for (size_t i = 0; i < from.counts.size(); ++i) {
    metric.histogram.sample_count += from.counts[i];
    const double bound =
        i < from.bounds.size() ? from.bounds[i] : std::numeric_limits<double>::infinity();
    metric.histogram.bucket.push_back({metric.histogram.sample_count, bound});
  }
  metric.histogram.sample_sum = from.sum;
  return metric;
}

prometheus::MetricFamily Convert(const Family& from) {
  prometheus::MetricFamily family;
  family.name = from.name;
  family.help = from.help;
  family.type = from.type == Family::Type::kCounter ? prometheus::MetricType::Counter
                : from.type == Family::Type::kGauge ? prometheus::MetricType::Gauge
                                                    : prometheus::MetricType::Histogram;
  for (const Family::Sample& sample : from.samples) {
    prometheus::ClientMetric metric = WithLabels(sample.labels);
    metric.counter.value = metric.gauge.value = sample.value;
    family.metric.push_back(std::move(metric));
  }
  for (const Family::Distribution& d : from.distributions) family.metric.push_back(Convert(d));
  return family;
}

}  // namespace

class Registry::Impl {
 public:
  prometheus::Registry registry;
  Mutex mu;
  std::function<void()> refresh ABSL_GUARDED_BY(mu);
  std::vector<Source> sources ABSL_GUARDED_BY(mu);

  template <typename Build>
  auto& Family(Build build, const std::string& name, const std::string& help) {
    return build().Name(name).Help(help).Register(registry);
  }
};

void Counter::Add(double value) { static_cast<prometheus::Counter*>(counter_)->Increment(value); }

void Counter::SetTotal(double total) {
  auto* counter = static_cast<prometheus::Counter*>(counter_);
  if (const double missing = total - counter->Value(); missing > 0) counter->Increment(missing);
}

void Gauge::Set(double value) { static_cast<prometheus::Gauge*>(gauge_)->Set(value); }
void Gauge::Add(double value) { static_cast<prometheus::Gauge*>(gauge_)->Increment(value); }

void Histogram::Observe(double value) {
  static_cast<prometheus::Histogram*>(histogram_)->Observe(value);
}

std::vector<double> SecondsBuckets() {
  return {0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
          0.7,   0.8,  0.9,   1,    1.25, 1.5,  1.75, 2,    2.5, 3,    3.5, 4,    4.5, 5,
          6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
}

Registry::Registry() : impl_(std::make_unique<Impl>()) {}
Registry::~Registry() = default;

Counter Registry::AddCounter(const std::string& name, const std::string& help,
                             const Labels& labels) {
  Counter out;
  out.counter_ = &impl_->Family(prometheus::BuildCounter, name, help).Add(labels);
  return out;
}

Gauge Registry::AddGauge(const std::string& name, const std::string& help, const Labels& labels) {
  Gauge out;
  out.gauge_ = &impl_->Family(prometheus::BuildGauge, name, help).Add(labels);
  return out;
}

Histogram Registry::AddHistogram(const std::string& name, const std::string& help,
                                 const std::vector<double>& buckets, const Labels& labels) {
  Histogram out;
  out.histogram_ = &impl_->Family(prometheus::BuildHistogram, name, help).Add(labels, buckets);
  return out;
}

void Registry::AddProcessMetrics(const std::string& component, const std::string& version) {
  AddGauge("xebec_build_info", "Information about the build.",
           {{"component", component}, {"version", version}, {"compiler", __VERSION__}})
      .Set(1);
  Counter cpu =
      AddCounter("process_cpu_seconds_total", "User and system CPU time spent, in seconds.");
  Gauge rss = AddGauge("process_resident_memory_bytes", "Resident memory in bytes.");
  Gauge fds = AddGauge("process_open_fds", "Open file descriptors.");
  AddGauge("process_start_time_seconds", "Start time since the epoch, in seconds.")
      .Set(ReadProc().start_time_seconds);
  if (const double limit = ReadProc().memory_limit_bytes; limit > 0) {
    AddGauge("xebec_memory_limit_bytes", "Memory limit of the container in bytes.").Set(limit);
  }
  MutexLock lock(&impl_->mu);
  impl_->refresh = [cpu, rss, fds]() mutable {
    const ProcFigures figures = ReadProc();
    cpu.SetTotal(figures.cpu_seconds);
    rss.Set(figures.resident_bytes);
    fds.Set(figures.open_fds);
  };
}

void Registry::AddSource(Source source) {
  MutexLock lock(&impl_->mu);
  impl_->sources.push_back(std::move(source));
}

std::string Registry::Scrape() {
  std::vector<prometheus::MetricFamily> families;
  {
    MutexLock lock(&impl_->mu);
    if (impl_->refresh) impl_->refresh();
    for (const Source& source : impl_->sources) {
      for (const Family& family : source()) families.push_back(Convert(family));
    }
  }
  for (prometheus::MetricFamily& family : impl_->registry.Collect()) {
    families.push_back(std::move(family));
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace xebec::telemetry
