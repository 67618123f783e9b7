# SPDX-License-Identifier: Apache-2.0
"""Starts a control plane with the CRDs and RBAC rules, for ./dev run, the tests and the benchmark."""

from support import manifests, paths
from support.controlplane import ControlPlane


def start_cluster(folder, kind=ControlPlane, **settings):
    """`folder`: a RunFolder, which owns the processes. `settings`: of the ControlPlane `kind`. Returns it, ready for
    the services."""
    controlplane = kind(folder, **settings)
    controlplane.start()
    kube = controlplane.client()
    manifests.apply_all(kube, manifests.read(paths.RBAC))
    manifests.install_crds(kube)
    return controlplane
