# SPDX-License-Identifier: Apache-2.0
"""A repeated event updates one Event object."""

from parents import IRIS, iris
from support.eventually import eventually


def test_the_same_event_again_is_counted_in_its_series(here):
    here.create(iris("sample", deploymentName="web", replicas=1))
    here.is_ready(IRIS, "sample")
    for wrong in (3, 4, 5):
        here.kube.scale("deployments.apps", "web", here.name, wrong)
        here.becomes("deployments.apps", "web", lambda d: d["spec"]["replicas"] == 1, "is as it should be again")

    def counted():
        [scaled] = [event for event in here.kube.list("events.events.k8s.io", here.name)
                    if event["regarding"].get("name") == "sample" and event["reason"] == "Scaled"]
        assert scaled["series"]["count"] == 3 and scaled["series"]["lastObservedTime"] > scaled["eventTime"], scaled
        return True
    eventually(counted, 60, what="one event with a series of three")  # it is written every 30 s at most
