# SPDX-License-Identifier: Apache-2.0
"""CPU of the API server by kind of request, from the samples of its own profiler."""

import collections
import re

# What a sample is for: the first row of which a frame matches. A request is decoded, admitted and stored on the
# goroutine of its handler; connections, the watch cache, etcd's client, the audit log and the garbage collector have
# goroutines of their own.
VERBS = (
    ("apply", r"\(\*applyPatcher\)"), ("patch", r"handlers\.(patchResource|\(\*patcher\)|\(\*(json|smp)Patcher\))|PatchResource"),
    ("create", r"\bcreateHandler\b"), ("update", r"\bUpdateResource\b"), ("delete", r"\bDelete(Resource|Collection)\b"),
    ("watch", r"handlers\.(ServeWatch|serveWatch|\(\*WatchServer\)|\(\*watch\w*\))"),
    ("get", r"\b(getResourceHandler|GetResource)\b"), ("list", r"\bListResource\b"))
CUSTOM = re.compile(r"apiextensions-apiserver/")
BACKGROUND = (
    ("garbage collection", r"^runtime\.(gcBgMarkWorker|bgsweep|bgscavenge|gcStart)"),
    ("watch cache", r"storage/cacher\.|etcd3\.\(\*watchChan\)"),
    ("client of etcd", r"go\.etcd\.io/etcd/client|google\.golang\.org/grpc/internal/transport"),
    ("audit log", r"audit/(plugin|log)|plugin/(buffered|log)"),
    ("field ownership", r"util/managedfields|structured-merge-diff"),
    ("filters of requests: authentication, authorization, fairness, audit", r"apiserver/pkg/(server|endpoints)/.*(filters|With)"),
    ("HTTP/2 and TLS", r"http2|net/http\.|crypto/tls\."),
    ("scheduler of Go", r"^runtime\.(schedule|mcall|mstart|findRunnable|sysmon|park_m|goexit0)"))


def samples(text):
    """[(seconds, [frame, innermost first])] from the output of go tool pprof -traces."""
    found = []
    for block in re.split(r"^-+\+-+$", text, flags=re.M)[1:]:
        lines = [line.split(None, 1) for line in block.splitlines() if line.strip()]
        if lines and (spent := duration(lines[0][0])) is not None and len(lines[0]) == 2:
            found.append((spent, [lines[0][1].strip(), *(" ".join(line).strip() for line in lines[1:])]))
    return found


def duration(text):
    """Seconds of "10ms" or "1.20s"; None for other text."""
    match = re.fullmatch(r"([\d.]+)(us|ms|s|mins)", text)
    return float(match[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1, "mins": 60}[match[2]] if match else None


def first(rows, frames):
    return next((name for name, pattern in rows if any(re.search(pattern, frame) for frame in frames)), None)


def kind(frames):
    verb = first(VERBS, frames)
    if verb:
        return f"{verb} of a {'custom' if any(map(CUSTOM.search, frames)) else 'built-in'} resource"
    return first(BACKGROUND, frames) or "other"


def by(key, samples_of_all):
    """[(name, seconds)], most first."""
    spent = collections.Counter()
    for seconds, frames in samples_of_all:
        spent[key(frames)] += seconds
    return spent.most_common()


def leaf(frames):
    return frames[0]
