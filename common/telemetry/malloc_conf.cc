// SPDX-License-Identifier: Apache-2.0
// How jemalloc works in the services; it reads this symbol when it starts (jemalloc(3), TUNING).
// The environment's MALLOC_CONF goes before it.

// Two arenas, because few threads allocate much. jemalloc's background thread returns freed memory
// to the system within a second, even if the process is idle. A thread keeps at most ten objects of
// each size for its next allocations: with the usual 200, an idle service keeps several MiB.
extern "C" const char* const malloc_conf;
extern "C" const char* const malloc_conf =
    "narenas:2,background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0,"
    "tcache_nslots_small_max:10,tcache_nslots_small_min:4";
