# SPDX-License-Identifier: Apache-2.0
"""scripts/profile-burst reads profiles, memory maps and traces correctly."""

from bench.profile import functions, memory, stacks, timeline

TRACES = """Type: cpu
Duration: 20s, Total samples = 1.74s
-----------+-------------------------------------------------------
      10ms   runtime.scanObject
             runtime.gcBgMarkWorker
-----------+-------------------------------------------------------
     1.20s   runtime.mallocgc
             k8s.io/apiserver/pkg/endpoints/handlers.(*applyPatcher).applyPatchToCurrentObject
             k8s.io/apiserver/pkg/endpoints/handlers.(*patcher).patchResource
             k8s.io/apiextensions-apiserver/pkg/apiserver.(*crdHandler).ServeHTTP
-----------+-------------------------------------------------------
      30ms   crypto/tls.(*Conn).Write
-----------+-------------------------------------------------------
"""
SMAPS = """1000-2000 r-xp 00000000 08:01 1 /bin/program
Rss:   100 kB
Pss:   100 kB
2000-3000 rw-p 00000000 08:01 1 /bin/program
Rss:     4 kB
Pss:     4 kB
5000-6000 ---p 00000000 00:00 0
Rss:     0 kB
6000-8000 rw-p 00000000 00:00 0
Rss:    12 kB
Pss:    12 kB
9000-a000 rw-p 00000000 00:00 0
Rss:   700 kB
Pss:   700 kB
b000-c000 r-xp 00000000 08:01 2 /lib/libgrpc.so.29
Rss:   300 kB
Pss:   100 kB
VmFlags: rd ex
"""


def test_a_sample_counts_for_the_request_that_it_belongs_to():
    samples = stacks.samples(TRACES)
    assert stacks.by(stacks.kind, samples) == [("apply of a custom resource", 1.2), ("HTTP/2 and TLS", 0.03), ("garbage collection", 0.01)]
    assert stacks.by(stacks.leaf, samples)[0] == ("runtime.mallocgc", 1.2)


def test_a_sample_of_perf_has_a_thread_a_function_and_a_library():
    text = (" grpc exec 1  4711  55d0c0 std::map<int, std::pair<a, b>, std::less<int> >::find(int const&) const (/bin/xebec-planner)\n"
            "      http  4711  7f0000 [unknown] (/usr/lib/libcurl.so.4.8.0)\n"
            "      http  4711  ffffff8100 tcp_ack ([kernel.kallsyms])\nnot a sample\n")
    samples = functions.samples(text)
    assert samples == [(4711, "grpc exec 1", "std::map::find", "xebec-planner"), (4711, "http", "libcurl, without a symbol", "libcurl"),
                       (4711, "http", "tcp_ack", "kernel")]
    assert functions.most([sample.thread for sample in samples], 1) == [("http", 2 / 3)]


def test_each_mapping_has_an_owner():
    assert memory.by_owner(SMAPS, "/bin/program") == {
        "program, text": (100, 100), "program, data": (4, 4), "heap": (700, 700), "stacks": (12, 12), "libraries, text": (300, 100)}
    assert memory.libraries(SMAPS) == [("libgrpc.so.29", 300, 100)]


def test_the_last_word_of_the_allocator_counts():
    line = "Allocated: {0}, active: {0}1, metadata: 7 (n_thp 0), resident: {0}2, mapped: 9, retained: 0\n"
    assert memory.allocator("x\n" + line.format(4) + line.format(5)) == {"allocated": 5, "active": 51, "metadata": 7, "resident": 52}
    assert memory.allocator("") == {}


def trace(*lines, size=1000):
    return "".join(f"{at} {thread} {direction} {port} {size}\n" for at, thread, direction, port in lines)


def test_a_parent_is_followed_through_the_services():
    ports = {1: "API server", 2: "planner", 3: "applier"}
    ms, records = 1_000_000, []
    for begin in (0, 100 * ms, 200 * ms):
        watcher = [(0, 7, "in", 1), (1, 7, "out", 2), (4, 8, "in", 2), (5, 8, "out", 3), (9, 7, "in", 1)]
        if begin == 200 * ms:
            watcher = watcher[:1]  # nothing to do
        records += timeline.records(trace(*((begin + at * ms, *rest) for at, *rest in watcher)), "watcher", ports)
        records += timeline.records(trace((begin + 2 * ms, 1, "in", 9), (begin + 3 * ms, 1, "out", 9)), "planner", ports)
        records += timeline.records(trace((begin + 2 * ms, 1, "out", 9), size=26), "planner", ports)  # gRPC acknowledges the question
        records += timeline.records(trace((begin + 6 * ms, 1, "in", 9), (begin + 8 * ms, 2, "out", 1)), "applier", ports)
    rows, found = timeline.hops(records)
    assert found == 2
    assert [round(total / 1000) for _, _, total, _ in rows] == [0, 1, 2, 3, 4, 5, 6, 8]
    assert [threads for *_, threads in rows] == [1] * 8
    assert [[round(step / 1000) for step in steps] for steps in timeline.slowest(records, 1)] == [[0, 1, 1, 1, 1, 1, 1, 2]]
