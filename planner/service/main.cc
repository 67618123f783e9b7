// SPDX-License-Identifier: Apache-2.0
// xebec-planner: decides what should be written, from what it is shown alone.
#include "planner/service/process.h"

int main(int argc, char** argv) {
  return xebec::planner::RunProcess(argc, argv, xebec::planner::ThisRelease());
}
