// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "common/base/json.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "xebec/hooks/v1/hook.pb.h"

/// A declared kind, Web of example.com, whose children are Deployments and ConfigMaps.
namespace xebec::testing {

ResourceType Webs(bool cluster_scoped = false);
ResourceType Deployments();
ResourceType ConfigMaps();

/// The Operator web.example.com.
Json WebOperator();

/// The observation of a Web "shop/one" without children and answers.
Observation ObserveWeb(const Json& declaration, bool cluster_scoped = false);
void SetParent(const Json& parent, Observation* observation);
/// Adds a child of the parent, as the API server has it.
void AddChild(const ResourceType& type, Json object, Observation* observation);

/// Plans the observation with the codec of xebec.hooks.v1.
Plan PlanWeb(const Observation& observation);
/// Plans, answers the request of the plan, and plans again.
Plan PlanWithAnswer(Observation observation, const ::xebec::hooks::v1::SyncResponse& answer);
Plan PlanWithBytes(Observation observation, const std::string& answer);
Plan PlanWithFailure(Observation observation, const HookFailure& failure);
/// The request of a plan, decoded.
::xebec::hooks::v1::SyncRequest RequestOf(const Plan& plan);

/// An answer with one Deployment.
::xebec::hooks::v1::SyncResponse OneDeployment(const std::string& name);

}  // namespace xebec::testing
