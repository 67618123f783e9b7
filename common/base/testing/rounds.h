// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

/// How often a test repeats itself with other random values.
namespace xebec::testing {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define XEBEC_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define XEBEC_SANITIZED
#endif

#ifdef XEBEC_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Sanitizers look at how it runs, ten times slower, not at what comes out: a tenth will do there.
constexpr int Rounds(int rounds) { return kSanitized ? (rounds + 9) / 10 : rounds; }

/// The same for a test that goes through all there is in steps of `stride`.
constexpr size_t Stride(size_t stride) { return kSanitized ? 10 * stride : stride; }

}  // namespace xebec::testing
