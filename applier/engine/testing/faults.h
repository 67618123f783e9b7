// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "applier/engine/run/plan_run.h"
#include "applier/engine/testing/fake_api_server.h"

/// Faults of a request, and of two appliers with one plan.
namespace xebec::applier::testing {

enum class Fault {
  kNotSent,
  kLostReply,
  kTimeoutBefore,
  kTimeoutAfter,
  kServerError,
  kThrottled,
  kCrash,
  kCrashAfter
};

inline constexpr Fault kAllFaults[] = {
    Fault::kNotSent,     Fault::kLostReply, Fault::kTimeoutBefore, Fault::kTimeoutAfter,
    Fault::kServerError, Fault::kThrottled, Fault::kCrash,         Fault::kCrashAfter};

/// Runs `plan` with a fault at request number `at` (from 0); returns whether there was such a
/// request.
bool RunWithFault(const Plan& plan, Fault fault, size_t at, FakeApiServer* server);

inline constexpr char kSecretPath[] = "/api/v1/namespaces/default/secrets/s";

/// The shape of the world without the password.
Json ShapeOf(const FakeApiServer& server);

/// Explores every order in which the requests of two appliers with the same plan can reach the
/// server: effects, objects and events are always those of one run. With `any_order` the requests
/// of one applier that are under way at once may overtake each other too. Returns how many orders
/// there are.
size_t ExploreTwoAppliers(const FakeApiServer& start, const Plan& plan, bool any_order = false);

}  // namespace xebec::applier::testing
