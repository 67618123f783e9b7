// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// Numbers of repetitions for randomized and exhaustive tests.
namespace xebec::testing {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define XEBEC_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(XEBEC_THREAD_SANITIZER)
#define XEBEC_SANITIZED
#endif

#ifdef XEBEC_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Returns the number of random rounds to run: `rounds`, or a tenth of it under a sanitizer. A
/// sanitizer slows a test down about ten times, and the plain build runs all rounds.
constexpr int Rounds(int rounds) { return kSanitized ? (rounds + 9) / 10 : rounds; }

/// Returns the step width for tests that walk through all cases: `stride`, or ten times as much
/// under a sanitizer.
constexpr size_t Stride(size_t stride) { return kSanitized ? 10 * stride : stride; }

}  // namespace xebec::testing
