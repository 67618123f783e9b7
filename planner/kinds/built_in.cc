// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/built_in.h"

#include <utility>

#include "planner/kinds/database/database.h"
#include "planner/kinds/immortal/immortal.h"
#include "planner/kinds/iris/iris.h"
#include "planner/kinds/operator/operator.h"
#include "planner/kinds/podset/pod_set.h"

namespace xebec::planner {

KindRegistry BuiltInKinds() {
  KindRegistry registry;
  for (auto kinds :
       {IrisKinds(), PodSetKinds(), ImmortalContainerKinds(), DatabaseKinds(), OperatorKinds()}) {
    for (Kind& kind : kinds) registry.Register(std::move(kind));
  }
  return registry;
}

}  // namespace xebec::planner
