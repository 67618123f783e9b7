// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "applier/engine/budget/class_limit.h"
#include "common/kube/api_request.h"

namespace xebec::applier {

/// Requests whose latencies are comparable: one resource and one verb.
struct RequestClass {
  std::string resource;  ///< "deployments.apps", with "/status" for the status subresource.
  std::string verb;      ///< "create", "update", "delete", "patch" or "get".

  auto operator<=>(const RequestClass&) const = default;
};

/// Limits the requests that one applier has in flight at the API server: writes and live reads.
///
/// - The limit of the process grows while answers are good and shrinks when the API server answers
///   429 or 503. There is no fixed rate.
/// - Each class has a limit of its own, which shrinks when its answers become slow (ClassLimit).
/// - A class that uses much leaves room: it may have at most three times as many requests in flight
///   as the process has free. So a slow class never blocks the others.
///
/// A value; `now` is monotonic.
class RequestBudget {
 public:
  /// The budget and the use of one class, for metrics.
  struct Figures {
    RequestClass name;
    size_t allowed, in_flight;
    absl::Duration recent, baseline;
    bool held_down;  ///< ClassLimit::held_down, with a minimum below the start.
  };

  RequestBudget() : RequestBudget(LimitBounds()) {}
  explicit RequestBudget(const LimitBounds& bounds) : bounds_(bounds), limit_(bounds) {}

  /// True if one more request of the class may be sent now.
  bool HasRoom(const RequestClass& name) const;
  /// Reserves one request of the class. False if the process or the class has no room.
  bool TryTake(const RequestClass& name);
  /// The answer to a reserved request arrived, or none will.
  void OnAnswer(const RequestClass& name, const kube::ApiResponse& response, absl::Duration latency,
                absl::Duration now);
  /// The API server's answer to a request that is not counted, such as a read of a Lease.
  void OnUncounted(const kube::ApiResponse& response, absl::Duration now);

  /// True if the process may have no more requests in flight, whatever their class.
  bool full() const { return in_flight_ >= allowed(); }
  size_t allowed() const { return limit_.allowed(); }
  size_t in_flight() const { return in_flight_; }
  /// As AdaptiveLimit::held_down, for the limit of the process, if the minimum is below the start.
  bool held_down(absl::Duration now) const {
    return limit_.held_down(now) && bounds_.min < bounds_.start;
  }
  /// The classes that were used, sorted.
  std::vector<Figures> ListClasses(absl::Duration now) const;

 private:
  struct Class {
    ClassLimit limit;
    size_t in_flight = 0;
  };

  Class& Find(const RequestClass& name);
  bool Fits(const Class& of) const;

  LimitBounds bounds_;
  AdaptiveLimit limit_;
  size_t in_flight_ = 0;
  std::map<RequestClass, Class> classes_;
};

}  // namespace xebec::applier
