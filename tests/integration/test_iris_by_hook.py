# SPDX-License-Identifier: Apache-2.0
"""The promises of Iris, kept by an operator in Python while the built-in kind is off: the tests of test_iris.py,
unchanged."""

import pytest

from parents import DATABASE, IRIS, IRIS_OF_TEST
from support import hooks, manifests, paths
from test_iris import *  # noqa: F403 - these are the tests

EXAMPLE = paths.EXAMPLES / "operators/python-iris"


@pytest.fixture(scope="module")
def services(folder, cluster, shared_services):
    """The others stop, because they plan Irises."""
    kube = cluster.client()
    shared_services.make_whole()
    shared_services.watcher.stop()
    hook = hooks.Hook(folder, EXAMPLE / "iris.py", "iris-hook").start()
    with hooks.operators_allowed(kube):
        hooked = hooks.HookedServices(folder, cluster, "iris-", kinds=DATABASE).start()
        for manifest in manifests.read(EXAMPLE / "manifests/operators.yaml"):
            manifest["spec"]["hook"] = {"address": hook.address}
            kube.apply(manifest)
        for resource in (IRIS, IRIS_OF_TEST):
            hooks.operator_is(kube, resource, "True", "Running")
        yield hooked.services
        hooks.remove_operators(kube)
        hooked.stop()
    hook.stop()
    shared_services.make_whole()
