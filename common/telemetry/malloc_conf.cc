// SPDX-License-Identifier: Apache-2.0
// How jemalloc works in the services; it reads this symbol when it starts (jemalloc(3), TUNING).
// The environment's MALLOC_CONF goes before it.

// The number of objects of each size that a thread keeps for its next allocations. With the usual
// 200, an idle service keeps several MiB. With 10, a planner and an applier need more CPU time. The
// memory of a watcher should shrink with its share of the parents (ADR 36), so a watcher keeps 10.
#ifdef XEBEC_SMALL_THREAD_CACHES
#define XEBEC_THREAD_CACHES "tcache_nslots_small_max:10,tcache_nslots_small_min:4"
#else
#define XEBEC_THREAD_CACHES "tcache_nslots_small_max:64"
#endif

// Two arenas, because few threads allocate much. jemalloc's background thread returns freed memory
// to the system within a second, even if the process is idle.
extern "C" const char* const malloc_conf;
extern "C" const char* const malloc_conf =
    "narenas:2,background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0," XEBEC_THREAD_CACHES;
