// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/cache/reflector/reflector.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher::testing {

inline const ResourceType kPods{.group = "", .version = "v1", .kind = "Pod", .plural = "pods"};

/// A reflector and its outputs of the last input.
class ReflectorTest : public ::testing::Test {
 protected:
  explicit ReflectorTest(ReflectorPolicy policy = {.barrier_pages = 0})
      : reflector_({kPods, "", "", {}}, policy) {}

  ReflectorContext Context() {
    out_.clear();
    changes_.clear();
    return {.now = now_, .last_stream = &last_stream_, .changes = &changes_, .out = &out_};
  }
  template <typename Call>
  void Do(Call call) {
    ReflectorContext context = Context();
    call(context);
    listed_ = context.listed;
  }
  void Start() {
    Do([&](auto& c) { reflector_.Start(c); });
    Do([&](auto& c) { reflector_.OnDiscovered({kPods, true, true, false}, c); });
  }
  /// Of the list that is read, a page, and then the events of the watch.
  void Events(std::vector<kube::WatchEvent> events) {
    Do([&](auto& c) {
      if (Listing()) reflector_.OnList({Stream(), TakePage(&events)}, c);
      if (!events.empty()) reflector_.OnEvents({Stream(), std::move(events)}, c);
    });
  }
  bool Listing() const { return reflector_.streams().listing(); }
  void Fail(int status, const std::string& reason = "",
            std::optional<absl::Duration> retry_after = {}) {
    const ApiFailure failure{status, reason, "", retry_after};
    const StreamId stream = Stream();
    Do([&](auto& c) {
      Listing() ? reflector_.OnListFailed({stream, failure}, c)
                : reflector_.OnWatchEnded({stream, failure}, c);
    });
  }
  /// The stream of the list that is read, else that of the watch; 0 for none.
  StreamId Stream() const {
    const std::vector<StreamId> streams = reflector_.streams().Streams();
    return streams.empty() ? 0 : streams.front();
  }
  void EndCleanly() {
    Do([&](auto& c) { reflector_.OnWatchEnded({Stream(), std::nullopt}, c); });
  }
  void Page(std::vector<kube::DecodedObject> objects, const std::string& version,
            const std::string& token) {
    Do([&](auto& c) { reflector_.OnList({Stream(), {std::move(objects), version, token}}, c); });
  }
  /// Advances the clock to the reflector's next deadline; returns the duration.
  absl::Duration TickWhenDue() {
    const absl::Duration before = now_;
    now_ = reflector_.NextDeadline();
    Do([&](auto& c) { reflector_.OnTick(c); });
    return now_ - before;
  }
  /// Starts the reflector and its watch from version 10, with object "a".
  void StartWatching() {
    Start();
    Events({Added(MakeObject("a", "ua", "5")), ListEnd("10")});
  }
  /// Events of a stream other than stream().
  void EventsOf(StreamId stream, std::vector<kube::WatchEvent> events) {
    Do([&](auto& c) { reflector_.OnEvents({stream, std::move(events)}, c); });
  }
  /// Answers the page that was requested during the last input.
  void AnswerPage(std::vector<kube::DecodedObject> objects, const std::string& version,
                  const std::string& token, std::optional<uint64_t> remaining = std::nullopt) {
    const StreamId stream = Requested<StartList>()->stream;
    Do([&](auto& c) {
      reflector_.OnList({stream, {std::move(objects), version, token, remaining}}, c);
    });
  }
  template <typename T>
  const T* Requested() const {
    for (const Output& output : out_) {
      if (const T* request = std::get_if<T>(&output)) return request;
    }
    return nullptr;
  }
  bool Has(const std::string& name) const {
    return reflector_.store().Find({"default", name}) != nullptr;
  }

  absl::Duration now_ = absl::Seconds(100);
  StreamId last_stream_ = 0;
  StoreChanges changes_;
  Outputs out_;
  bool listed_ = false;
  Reflector reflector_;
};

}  // namespace xebec::watcher::testing
