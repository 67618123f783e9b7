// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Tells the thread sanitizer that an object passes from one thread to another through a library.
/// The sanitizer cannot see it if the library is built without it. Other builds have empty
/// functions.
namespace xebec::tsan {

#ifdef XEBEC_THREAD_SANITIZER
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);

/// The calling thread gives `tag` to the library. Its earlier actions happen before the Acquire of
/// the same tag.
inline void Release(void* tag) { __tsan_release(tag); }
/// The calling thread got `tag` from the library.
inline void Acquire(void* tag) { __tsan_acquire(tag); }
#else
inline void Release(void* /*tag*/) {}
inline void Acquire(void* /*tag*/) {}
#endif

}  // namespace xebec::tsan
