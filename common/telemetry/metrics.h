// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

/// A small interface to Prometheus metrics that hides the library.
namespace xebec::telemetry {

using Labels = std::map<std::string, std::string>;

/// One family of metrics whose values are kept elsewhere. A source returns it at each scrape.
struct Family {
  enum class Type { kCounter, kGauge, kHistogram } type = Type::kGauge;
  struct Sample {
    Labels labels;
    double value = 0;
  };
  struct Distribution {
    Labels labels;
    std::vector<double> bounds;
    /// Has one element more than bounds. Counts are per bucket, not cumulative.
    std::vector<uint64_t> counts;
    double sum = 0;
  };
  std::string name;
  std::string help;
  std::vector<Sample> samples;              ///< Counters and gauges.
  std::vector<Distribution> distributions;  ///< Histograms.
};

/// Returns its families at each scrape. Runs on the scraping thread.
using Source = std::function<std::vector<Family>()>;

/// A value that only increases. Thread-safe, cheap to copy, valid as long as its registry.
class Counter {
 public:
  void Add(double value = 1);
  /// Sets the total if it is counted elsewhere. Ignores values lower than the current one.
  void SetTotal(double total);

 private:
  friend class Registry;
  void* counter_ = nullptr;
};

/// A value that increases and decreases. Thread-safe, cheap to copy, valid as long as its registry.
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

/// Returns the bucket bounds of controller-runtime for reconcile and request durations, in seconds.
std::vector<double> SecondsBuckets();

/// All metrics of a process. Adding a series with an existing name and the same labels returns the
/// existing series. A new series has the value 0. Thread-safe.
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

  /// Returns all metrics in Prometheus' text format.
  std::string Scrape();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xebec::telemetry
