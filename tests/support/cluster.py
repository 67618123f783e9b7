# SPDX-License-Identifier: Apache-2.0
"""Starts a control plane with the CRDs and RBAC rules, for ./dev run, the tests and the benchmark."""

from support import manifests, paths
from support.controlplane import ControlPlane


def start_cluster(folder, **settings):
    """`folder`: a RunFolder, which owns the processes. `settings`: of ControlPlane. Returns it, ready for the services."""
    controlplane = ControlPlane(folder, **settings)
    controlplane.start()
    kube = controlplane.client()
    manifests.apply_all(kube, manifests.read(paths.RBAC))
    manifests.install_crds(kube)
    return controlplane
