// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace xebec::rpc {

/// Decides which calls of a server may be open at the same time. A value.
///
/// - A stream has one of the main places until it ends. If none is free, it is refused.
/// - A unary call gets a main place when its request has arrived, and is refused if none is free.
///   Until then it waits, in one of as many other places.
/// - A side call is a call of a service that more callers may call than the others, and some of
///   whose calls last until the caller ends them. It has a side place, and never a main one.
///
/// If no side place or no place to wait is free, the oldest call there gives way to the new one. So
/// calls that are only held open take no main place and keep nobody out.
template <typename Call>
class CallPlaces {
 public:
  enum class Kind { kStream, kUnary, kSide };

  CallPlaces(size_t main_places, size_t side_places)
      : main_places_(main_places), side_places_(side_places) {}

  /// The result of an arrival.
  struct Arrival {
    bool admitted = true;
    std::optional<Call> displaced;  ///< The caller of Arrive must end this call.
  };
  Arrival Arrive(const Call& call, Kind kind) {
    switch (kind) {
      case Kind::kStream:
        return {TakeMain(call), std::nullopt};
      case Kind::kUnary:
        return {true, Displace(call, main_places_, &waiting_)};
      case Kind::kSide:
        return {true, Displace(call, side_places_, &side_)};
    }
    return {};
  }

  /// The request of a unary call has arrived. Returns false if the call must not be served: no main
  /// place is free, or the call has given way.
  bool Serve(const Call& call) { return std::erase(waiting_, call) > 0 && TakeMain(call); }

  /// The call has ended.
  void Leave(const Call& call) {
    main_.erase(call);
    std::erase(waiting_, call);
    std::erase(side_, call);
  }

  /// Frees the places of all calls that wait and of all side calls, and returns these calls.
  std::vector<Call> Clear() {
    std::vector<Call> calls(waiting_.begin(), waiting_.end());
    calls.insert(calls.end(), side_.begin(), side_.end());
    waiting_.clear();
    side_.clear();
    return calls;
  }

 private:
  bool TakeMain(const Call& call) {
    return main_.size() < main_places_ && main_.insert(call).second;
  }

  static std::optional<Call> Displace(const Call& call, size_t places, std::deque<Call>* calls) {
    calls->push_back(call);
    if (calls->size() <= places) return std::nullopt;
    std::optional<Call> oldest = std::move(calls->front());
    calls->pop_front();
    return oldest;
  }

  const size_t main_places_;
  const size_t side_places_;
  std::set<Call> main_;
  std::deque<Call> waiting_;  ///< The oldest first, as in `side_`.
  std::deque<Call> side_;
};

}  // namespace xebec::rpc
