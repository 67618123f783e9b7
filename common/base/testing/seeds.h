// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/base/testing/rounds.h"
#include "gtest/gtest.h"

namespace xebec::testing {

/// The environment variable that replaces the seeds of every test with random worlds: "1001-2000".
inline constexpr const char* kSeedsVariable = "XEBEC_SEEDS";

/// A range of seeds. Both ends belong to it.
struct Seeds {
  uint64_t first = 1;
  uint64_t last = 0;
};

/// Reads a range: two numbers with "-" between them, the lower one first.
inline std::optional<Seeds> ParseSeeds(absl::string_view text) {
  Seeds seeds;
  const std::vector<absl::string_view> ends = absl::StrSplit(text, '-');
  const bool read = ends.size() == 2 && absl::SimpleAtoi(ends[0], &seeds.first) &&
                    absl::SimpleAtoi(ends[1], &seeds.last) && seeds.first <= seeds.last;
  return read ? std::optional(seeds) : std::nullopt;
}

/// The seeds of a test: 1 to Rounds(count), or those of the environment variable. A wrong variable
/// fails the test.
inline Seeds SeedsOf(int count) {
  const char* text = std::getenv(kSeedsVariable);
  if (text == nullptr) return {1, static_cast<uint64_t>(Rounds(count))};
  const std::optional<Seeds> seeds = ParseSeeds(text);
  EXPECT_TRUE(seeds) << kSeedsVariable << "='" << text << "': expected FIRST-LAST, as in 1001-2000";
  return seeds.value_or(Seeds());
}

/// Calls `test` with the seeds of SeedsOf(count), until a test fails.
inline void ForSeeds(int count, const std::function<void(uint64_t)>& test) {
  const Seeds seeds = SeedsOf(count);
  for (uint64_t seed = seeds.first; seed <= seeds.last && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    test(seed);
  }
}

}  // namespace xebec::testing
