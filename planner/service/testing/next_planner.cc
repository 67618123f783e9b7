// SPDX-License-Identifier: Apache-2.0
// xebec-planner-next: for tests only, the planner of a later release. It adds one variable to the
// container of every Iris, and it plans the kind of the project's own tests.
#include <utility>

#include "planner/core/testing/probe.h"
#include "planner/kinds/iris/iris.h"
#include "planner/service/process.h"

namespace xebec::planner {
namespace {

DesiredState NextIris(const View& view) {
  static const auto this_release = IrisKinds().front().desired;
  Json parent = view.parent;
  parent["spec"]["env"].push_back({{"name", "PLANNER"}, {"value", "next"}});
  const View next{.parent = parent,
                  .kind = view.kind,
                  .ns = view.ns,
                  .name = view.name,
                  .uid = view.uid,
                  .generation = view.generation,
                  .now = view.now,
                  .children = view.children,
                  .related = view.related,
                  .last_outcomes = view.last_outcomes,
                  .finalizing = view.finalizing,
                  .without_status = view.without_status};
  return this_release(next);
}

Release NextRelease() {
  Release next{"next", {}};
  KindRegistry registry = ThisRelease().kinds;
  RegisterTestKinds(&registry);
  for (Kind kind : registry.kinds()) {
    if (kind.description.parent.kind == "Iris") kind.desired = NextIris;
    next.kinds.Register(std::move(kind));
  }
  return next;
}

}  // namespace
}  // namespace xebec::planner

int main(int argc, char** argv) {
  return xebec::planner::RunProcess(argc, argv, xebec::planner::NextRelease());
}
