// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// Prometheus metrics behind a small facade: callers see no library header.
namespace xebec::telemetry {

using Labels = std::map<std::string, std::string>;

/// One family of metrics whose values are kept elsewhere, as a source gives it at each scrape.
struct Family {
  enum class Type { kCounter, kGauge, kHistogram } type = Type::kGauge;
  struct Sample {
    Labels labels;
    double value = 0;
  };
  struct Distribution {
    Labels labels;
    std::vector<double> bounds;
    std::vector<uint64_t> counts;  ///< One more than bounds; each counts its own bucket.
    double sum = 0;
  };
  std::string name;
  std::string help;
  std::vector<Sample> samples;              ///< Counters and gauges.
  std::vector<Distribution> distributions;  ///< Histograms.
};

/// Gives its families at each scrape; called from the scraping thread.
using Source = std::function<std::vector<Family>()>;

/// A value that only grows. Thread-safe, cheap to copy, valid as long as its registry.
class Counter {
 public:
  void Add(double value = 1);
  /// Takes over a total that is counted elsewhere; a lower value than the present one is ignored.
  void SetTotal(double total);

 private:
  friend class Registry;
  void* counter_ = nullptr;
};

/// A value that goes up and down. Thread-safe, cheap to copy, valid as long as its registry.
class Gauge {
 public:
  void Set(double value);
  void Add(double value);

 private:
  friend class Registry;
  void* gauge_ = nullptr;
};

/// A distribution. Thread-safe, cheap to copy, valid as long as its registry.
class Histogram {
 public:
  void Observe(double value);

 private:
  friend class Registry;
  void* histogram_ = nullptr;
};

/// Upper bounds of buckets as controller-runtime has them for reconcile and request times, in
/// seconds.
std::vector<double> SecondsBuckets();
/// Powers of ten from 10 ns, as workqueue_queue_duration_seconds has them.
std::vector<double> WorkqueueBuckets();

/// All metrics of a process. Creating a series again with the same name and labels gives the same
/// series; series exist from their creation on, with 0. Thread-safe.
class Registry {
 public:
  Registry();
  ~Registry();

  Counter AddCounter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge AddGauge(const std::string& name, const std::string& help, const Labels& labels = {});
  Histogram AddHistogram(const std::string& name, const std::string& help,
                         const std::vector<double>& buckets, const Labels& labels = {});

  /// Adds process_* (from /proc, read at each scrape), xebec_build_info{component,version,compiler}
  /// and, in a container with a memory limit, xebec_memory_limit_bytes.
  void AddProcessMetrics(const std::string& component, const std::string& version);

  /// Adds families whose values are kept elsewhere.
  void AddSource(Source source);

  /// The text format of a scrape.
  std::string Scrape();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xebec::telemetry
