# SPDX-License-Identifier: Apache-2.0
"""Deletion of a namespace full of parents."""

import time

from bench import audit_times
from bench.cluster import fresh
from bench.contenders import Xebec


def measure(parents):
    """Two namespaces alike are deleted one after the other: while Xebec runs, and after it was stopped."""
    with fresh() as cluster:
        xebec = Xebec(cluster).start()
        kube = cluster.client()
        for ns in ("warm-up", "with", "without"):
            kube.create_namespace(ns)
        cluster.load("parents", parents, namespace="with")
        cluster.load("parents", parents, namespace="without", prefix="other")
        cluster.wait_quiet(done=lambda requests: len(audit_times.converged(requests, xebec.users)) == 2 * parents)
        delete(cluster, "warm-up")  # what the namespace controller learns once
        beside, asked = delete(cluster, "with")
        cluster.wait_quiet()
        xebec.stop()
        alone, _ = delete(cluster, "without")
    return {"with Xebec s": beside, "without s": alone, "requests of Xebec": asked}


def delete(cluster, ns):
    """(seconds from the request to the end of the namespace, requests of Xebec meanwhile)"""
    kube, mark = cluster.client(), cluster.mark()
    kube.delete("namespaces", ns)
    while kube.get("namespaces", ns) is not None:
        time.sleep(0.2)
    requests = cluster.requests(mark)
    begin = min(r.received for r in requests if r.verb == "delete" and (r.resource, r.name) == ("namespaces", ns))
    end = max(r.answered for r in requests if (r.resource, r.subresource, r.name) == ("namespaces", "finalize", ns))
    return end - begin, len(audit_times.asked(requests, Xebec.users))
