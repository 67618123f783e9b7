// SPDX-License-Identifier: Apache-2.0
// xebec-planner-test: for tests only, this release's planner with the kind of the project's own
// tests (planner/core/testing/probe.h) beside the built-in ones.
#include "planner/core/testing/probe.h"
#include "planner/service/process.h"

int main(int argc, char** argv) {
  xebec::planner::Release release = xebec::planner::ThisRelease();
  xebec::planner::RegisterTestKinds(&release.kinds);
  return xebec::planner::RunProcess(argc, argv, release);
}
