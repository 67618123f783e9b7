# SPDX-License-Identifier: Apache-2.0
"""The paths of the project and of its cache."""

import os
import pathlib

# Settings of ./dev and of the tests.
VARIABLES = {"XEBEC_ROOT", "XEBEC_CACHE", "XEBEC_JOBS", "XEBEC_CONTROLPLANE", "XEBEC_PRESET", "XEBEC_BIN", "XEBEC_TIMEOUT_FACTOR",
             "XEBEC_CHART_TOOLS", "XEBEC_GOFLAGS", "XEBEC_NODE", "XEBEC_NODE_FOLDER", "XEBEC_IMAGE_FOLDER",
             "XEBEC_EXAMPLES", "XEBEC_RUN_TIMEOUT"}
ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("XEBEC_CACHE") or
                     pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "xebec")
# Data of running control planes and services, a folder each.
RUN = CACHE / "run"
CHART = ROOT / "charts/xebec"
CRDS = CHART / "files/crds"
PROBE_CRD = ROOT / "planner/core/testing/probe-crd.yaml"  # of the tests' own kind
EXAMPLES = pathlib.Path(os.environ.get("XEBEC_EXAMPLES") or ROOT / "examples")
PROTO = ROOT / "proto"
RBAC = ROOT / "tests/controlplane/rbac.yaml"
AUDIT_POLICY = ROOT / "tests/controlplane/audit-policy.yaml"


def controlplane_binary(name):
    """etcd, kube-apiserver, kube-controller-manager, kubectl or grpcurl."""
    folder = os.environ.get("XEBEC_CONTROLPLANE") or CACHE / "controlplane/current"
    if not os.path.isdir(folder):
        raise RuntimeError(f"{folder} is missing: run ./dev setup")
    return os.path.join(folder, name)


def node_binary(name):
    """kubelet, kube-proxy, kube-scheduler or coredns."""
    folder = pathlib.Path(os.environ.get("XEBEC_NODE") or CACHE / "node/current")
    if not folder.is_dir():
        raise RuntimeError(f"{folder} is missing: run ./dev e2e")
    return str(folder / name)


def unpacked(*names):
    """The search path for programs of packages that ./dev e2e has unpacked: "containers", "docker"."""
    folders = [CACHE / "node" / name / "usr" for name in names]
    for folder in folders:
        if not folder.is_dir():
            raise RuntimeError(f"{folder} is missing: run ./dev e2e")
    return ":".join([f"{folder}/{place}" for folder in folders for place in ("sbin", "bin")] + [os.environ["PATH"]])


def chart_tool(name):
    """helm3, helm4, kubeconform or kube-score."""
    path = pathlib.Path(os.environ.get("XEBEC_CHART_TOOLS") or CACHE / "tools/chart") / name
    if not path.exists():
        raise RuntimeError(f"{path} is missing: run ./dev setup")
    return str(path)


def promtool():
    """Prometheus's checker for rules."""
    path = CACHE / "tools/prometheus/usr/bin/promtool"
    if not path.exists():
        raise RuntimeError(f"{path} is missing: run ./dev setup")
    return str(path)


def shifted_clock():
    """The library to preload that gives a process another clock: shifted_clock.cc."""
    return str(ROOT / "build" / os.environ.get("XEBEC_PRESET", "dev") / "lib/libshifted-clock.so")


def peer(name):
    """The program of a peer of the benchmark."""
    path = CACHE / "tools/peers" / name
    if not path.exists():
        raise RuntimeError(f"{path} is missing: run ./dev bench")
    return str(path)


def bench_program(name):
    """A program of the benchmark of hooks."""
    path = CACHE / "tools/bench-programs" / name
    if not path.exists():
        raise RuntimeError(f"{path} is missing: run ./dev bench --hooks")
    return str(path)


def example_program(name):
    """The program of an example in Go."""
    path = CACHE / "tools/example-programs" / name
    if not path.exists():
        raise RuntimeError(f"{path} is missing: run ./dev e2e")
    return str(path)


def crds_of_others():
    """A folder with the CRDs of cert-manager and of the Prometheus operator."""
    folder = CACHE / "tools/crds"
    if not folder.is_dir():
        raise RuntimeError(f"{folder} is missing: run ./dev setup")
    return folder


def image_folder():
    """The path of the image that ./dev made."""
    return pathlib.Path(os.environ.get("XEBEC_IMAGE_FOLDER") or ROOT / "build/image")


def service_binary(name):
    """xebec-watcher, xebec-planner or xebec-applier, of the preset in $XEBEC_PRESET (default dev)."""
    folder = os.environ.get("XEBEC_BIN") or ROOT / "build" / os.environ.get("XEBEC_PRESET", "dev") / "bin"
    path = pathlib.Path(folder) / name
    if not path.exists():
        raise RuntimeError(f"{path} is missing: run ./dev build")
    return str(path)
