// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {

/// The only watcher, which holds all buckets and has reconciled some widgets.
class LeaderTest : public ::testing::Test {
 protected:
  LeaderTest(uint32_t buckets, int widgets) {
    Options options;
    options.buckets = buckets;
    h_ = Harness(options);
    for (int i = 0; i < widgets; ++i) h_.cluster.SetWidget(absl::StrCat("w", i), 1, 7);
    h_.StartAndJoin();
    Converge();
  }
  void Converge() {
    for (int i = 0; i < 4; ++i) {
      h_.AnswerLeases();
      h_.Deliver();
      h_.RunReconciles();
    }
  }

  Harness h_;
};

}  // namespace xebec::watcher::testing
