# SPDX-License-Identifier: Apache-2.0
"""The schemas of the CRDs: every limit, pattern, rule and default, read from the CRD and tried."""

import copy
import functools
import json
import typing

import pytest

from parents import parent
from support import manifests
from support.kube import ApiError

RESOURCES = [crd["metadata"]["name"] for crd in manifests.crds()]
SAMPLE = {"databases": {"image": "postgres"}, "immortalcontainers": {"image": "nginx"},  # what must be said of those, by plural
          "operators": {"parent": {"version": "v1", "resource": "webs"}, "hook": {}}}
# What each rule refuses, by its message; a rule without a line here fails the test.
AGAINST_THE_RULE = {
    "a variable has a value or a valueFrom, not both": [{"name": "A", "value": "", "valueFrom": {}}],
    "must be a quantity such as 50G or 1.5Ti": ["", "-1Gi", "50 G", "50GB", "1.5.0Gi", "much", "."],
    "must be an absolute path without a colon": ["", "data", "/a:b"],
    'must consist of lower case letters, digits, "-" and ".", and start and end with a letter or digit':
        ["Web", "-web", "web-", ".web", "web.", "web..app", "web_app", "web/app", "ü"],
}
OTHER_TYPE = {"integer": "1", "string": 1, "array": "a", "object": "a", "boolean": "true"}
NO_LIMITS = {"description", "default", "properties", "items", "additionalProperties", "anyOf", "x-kubernetes-preserve-unknown-fields",
             "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-int-or-string"}


class Refusal(typing.NamedTuple):
    path: tuple  # of keys and indexes
    value: object  # None: left out
    said: str


def values(schema, path=()):
    """(path, schema) of all that a user may write."""
    yield path, schema
    for name, inner in schema.get("properties", {}).items():
        if path or name == "spec":
            yield from values(inner, path + (name,))
    if "items" in schema:
        yield from values(schema["items"], path + (0,))
    if isinstance(schema.get("additionalProperties"), dict):
        yield from values(schema["additionalProperties"], path + ("key",))


def an_item(schema, number):
    return {"name": f"v{number}"} if schema["items"]["type"] == "object" else f"v{number}"


def refusals(schema, path):
    """One for each thing that this schema limits."""
    for word, limit in schema.items():
        if word == "required":
            yield from (Refusal(path + (name,), None, "Required value") for name in limit)
        elif word == "x-kubernetes-validations":
            yield from (Refusal(path, value, rule["message"]) for rule in limit if "oldSelf" not in rule["rule"]
                        for value in AGAINST_THE_RULE[rule["message"]])
        elif word not in NO_LIMITS:
            yield from (Refusal(path, value, said) for value, said in beyond(word, limit, schema))


def beyond(word, limit, schema):
    return {
        "type": lambda: [(OTHER_TYPE[limit], f"must be of type {limit}")],
        "format": lambda: [(2 ** 31, f"format {limit} in ")],
        "minimum": lambda: [(limit - 1, f"should be greater than or equal to {limit}")],
        "maximum": lambda: [(limit + 1, f"should be less than or equal to {limit}")],
        "minLength": lambda: [("x" * (limit - 1), f"should be at least {limit} chars long")],
        "maxLength": lambda: [("x" * (limit + 1), f"may not be more than {limit} bytes")],
        "maxItems": lambda: [([an_item(schema, number) for number in range(limit + 1)], f"must have at most {limit} items")],
        "maxProperties": lambda: [({f"k{number}": "1" for number in range(limit + 1)}, f"must have at most {limit} items")],
        "pattern": lambda: [("!", "should match")],
        "enum": lambda: [("Another", "Unsupported value")],
        "x-kubernetes-list-type": lambda: [([an_item(schema, 1)] * 2, "Duplicate value")] if limit == "map" else [],
    }[word]()


def immutable(schema):
    """Messages of the rules that compare with the object before."""
    return {rule["message"] for _, inner in values(schema) for rule in inner.get("x-kubernetes-validations", []) if "oldSelf" in rule["rule"]}


def put(manifest, path, value):
    """With what leads to it."""
    *way, last = ("spec",) + path[1:] if path else ("spec",)
    for key, following in zip(way, [*way[1:], last]):
        inside = [] if following == 0 else {}
        if isinstance(manifest, list):
            if not manifest:
                manifest.append(inside)
            manifest = manifest[0]
        else:
            manifest = manifest.setdefault(key, inside)
    if value is None:
        manifest.pop(last, None) if isinstance(manifest, dict) else manifest.append({})
    elif last == 0:
        manifest.append(value)
    else:
        manifest[last] = value


def field(manifest, path):
    return functools.reduce(lambda inner, key: inner[key], path, manifest)


def path_of(kube, resource):
    """Where an object is created."""
    return kube.path(resource, "default" if manifests.crd_of(resource)["spec"]["scope"] == "Namespaced" else None)


def complaint(kube, path, manifest):
    """What is said against it; None when it would be taken."""
    try:
        kube.request("POST", path, {"dryRun": "All"}, manifest)
    except ApiError as error:
        assert (error.code, error.reason) == (422, "Invalid"), error
        return error.status["message"]
    return None


def sample(resource):
    return parent(resource, "sample", **SAMPLE.get(resource.partition(".")[0], {}))


def schema_of(resource):
    [version] = manifests.crd_of(resource)["spec"]["versions"]
    return version["schema"]["openAPIV3Schema"]


@pytest.mark.parametrize("resource", RESOURCES)
def test_every_limit_and_rule_of_a_crd_refuses_what_is_beyond_it(kube, resource):
    schema, path = schema_of(resource), path_of(kube, resource)
    assert complaint(kube, path, sample(resource)) is None
    tried = [refusal for where, inner in values(schema) for refusal in refusals(inner, where)]
    wrong = []
    for refusal in tried:
        manifest = copy.deepcopy(sample(resource))
        put(manifest, refusal.path, refusal.value)
        said = complaint(kube, path, manifest)
        if said is None or refusal.said not in said or ".".join(map(str, refusal.path[:2])) not in said:
            wrong.append((refusal.path, str(refusal.value)[:60], refusal.said, said))
    assert wrong == []
    rules = json.dumps(schema).count('"rule":')
    assert rules == sum(len(inner.get("x-kubernetes-validations", [])) for _, inner in values(schema)), "a rule outside the spec is not tried"


@pytest.mark.parametrize("resource", RESOURCES)
def test_every_default_of_a_crd_is_filled_in_for_who_says_nothing_or_null(kube, resource):
    schemas = dict(values(schema_of(resource)))
    wanted = {path: inner["default"] for path, inner in schemas.items() if "default" in inner and len(path) > 1}
    silent, null = sample(resource), sample(resource)
    for path in wanted:
        for manifest in silent, null:
            put(manifest, path, "any")
            outer = field(manifest, path[:-1])
            outer[path[-1]] = None
            outer |= {name: outer.get(name, "v1") for name in schemas[path[:-1]].get("required", [])}
        del field(silent, path[:-1])[path[-1]]
    for manifest in silent, null:
        made = kube.request("POST", path_of(kube, resource), {"dryRun": "All"}, manifest)
        assert {path: field(made, path) for path in wanted} == wanted


@pytest.mark.parametrize("resource", [name for name in RESOURCES if name.startswith("databases.")])
def test_fields_that_say_where_the_data_are_cannot_change(kube, here, resource):
    """Every rule about a change is tried: a change that it refuses, and saying the same in another way."""
    here.create(parent(resource, "fixed", image="postgres", replicas=0, storageClassName="standard"))
    refused = {
        "is immutable, because the data are there": {"mountPath": "/elsewhere"},
        "spec.name is immutable, because nothing would create the new database": {"name": "another"},
        "spec.storageClassName is immutable": {"storageClassName": None},
    }
    assert set(refused) == immutable(schema_of(resource))
    for said, change in refused.items():
        with pytest.raises(ApiError) as error:
            here.change(resource, "fixed", change)
        assert error.value.code == 422 and said in error.value.status["message"]
    here.change(resource, "fixed", {"name": "fixed", "mountPath": "/var/lib/postgresql/data"})
