// SPDX-License-Identifier: Apache-2.0
// xebec-planner-next: for tests alone, the planner of a later release beside this one. It gives the
// Deployment of every Iris one label more.
#include <utility>

#include "planner/kinds/iris/iris.h"
#include "planner/service/process.h"

namespace xebec::planner {
namespace {

DesiredState NextIris(const View& view) {
  static const auto this_release = IrisKinds().front().desired;
  DesiredState state = this_release(view);
  for (DesiredChild& child : state.children) {
    child.object["metadata"]["labels"]["test.xebec.dev/planner"] = "next";
  }
  return state;
}

Release NextRelease(const Settings& settings) {
  Release next{"next", {}};
  const KindRegistry registry = ThisRelease(settings).kinds;
  for (Kind kind : registry.kinds()) {
    if (kind.description.parent.kind == "Iris") kind.desired = NextIris;
    next.kinds.Register(std::move(kind));
  }
  return next;
}

}  // namespace
}  // namespace xebec::planner

int main(int argc, char** argv) {
  return xebec::planner::RunProcess(argc, argv, xebec::planner::NextRelease);
}
