# SPDX-License-Identifier: Apache-2.0
"""The namespace of a test, with assertions about its objects."""

from support import manifests
from support.eventually import eventually


class Namespace:
    def __init__(self, kube, name):
        self.kube, self.name = kube, name

    # ---- what the test changes ------------------------------------------------------------------------------------

    def create(self, manifest):
        return self.kube.create(manifest, self.name)

    def apply(self, manifest, manager="tests"):
        return self.kube.apply(manifest, self.name, manager)

    def change(self, resource, name, spec):
        """Merge patch of the spec."""
        return self.kube.patch(resource, name, self.name, {"spec": spec})

    def annotate(self, resource, name, key, value):
        """`value` None removes the annotation."""
        return self.kube.patch(resource, name, self.name, {"metadata": {"annotations": {key: value}}})

    def scale(self, resource, name, replicas):
        return self.kube.scale(resource, name, self.name, replicas)

    def delete(self, resource, name, propagation=None):
        return self.kube.delete(resource, name, self.name, propagation=propagation)

    def delete_parents(self):
        """All objects of our kinds in the namespace."""
        for crd in self.kube.list("customresourcedefinitions.apiextensions.k8s.io"):
            if crd["spec"]["scope"] == "Cluster":
                continue
            self.kube.delete_all(f'{crd["spec"]["names"]["plural"]}.{crd["spec"]["group"]}', self.name)

    # ---- what the test reads -------------------------------------------------------------------------------------

    def get(self, resource, name):
        return self.kube.get(resource, name, self.name)

    def names(self, resource):
        return sorted(item["metadata"]["name"] for item in self.kube.list(resource, self.name))

    def condition(self, resource, name, kind):
        return manifests.condition(self.get(resource, name), kind)

    def events(self, name):
        """[(type, reason, note)] of the events on objects of that name."""
        return [(event.get("type"), event.get("reason"), event.get("note"))
                for event in self.kube.list("events.events.k8s.io", self.name) if event["regarding"].get("name") == name]

    # ---- what it waits for ----------------------------------------------------------------------------------------

    def appears(self, resource, name):
        return eventually(lambda: self.get(resource, name), what=f"{resource} {name} appears")

    def becomes(self, resource, name, check, what, timeout=30.0):
        """Waits until check(object) is true; returns the object."""
        def seen():
            item = self.get(resource, name)
            assert item is not None, f"{resource} {name} is not there"
            assert check(item), f"{resource} {name} is {_short(item)}"
            return item
        return eventually(seen, timeout, what=f"{resource} {name} {what}")

    def is_gone(self, resource, name):
        eventually(lambda: self.get(resource, name) is None, what=f"{resource} {name} is gone")

    def is_ready(self, resource, name):
        """Waits for Ready=True with the current generation."""
        def ready(item):
            return (item.get("status", {}).get("observedGeneration") == item["metadata"]["generation"] and
                    manifests.condition(item, "Ready").get("status") == "True")
        return self.becomes(resource, name, ready, "is Ready")

    def has_condition(self, resource, name, kind, status, reason=None, timeout=30.0):
        def has(item):
            found = manifests.condition(item, kind)
            return found.get("status") == status and reason in (None, found.get("reason"))
        return self.becomes(resource, name, has, f"has condition {kind}={status} {reason or ''}", timeout)

    def has_event(self, name, kind, reason, note):
        def has():
            seen = self.events(name)
            assert (kind, reason, note) in seen, f"events of {name}: {seen}"
            return True
        eventually(has, what=f"event {kind} {reason} {note!r} on {name}")


def _short(item):
    return {key: item.get(key) for key in ("spec", "status")}


def controller(item):
    """The controller reference, as (kind, name, uid); None when there is none."""
    for owner in item["metadata"].get("ownerReferences", []):
        if owner.get("controller"):
            return owner["kind"], owner["name"], owner["uid"]
    return None
