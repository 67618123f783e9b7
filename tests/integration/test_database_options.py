# SPDX-License-Identifier: Apache-2.0
"""The promises of docs/kinds.md for the optional fields of Database and for its conditions."""

import json

import pytest

from parents import DATABASE, parent
from support.eventually import eventually, stays
from support.kube import ApiError
from support.manifests import condition

STATEFUL_SETS, JOBS, CLAIMS = "statefulsets.apps", "jobs.batch", "persistentvolumeclaims"


def create(here, **spec):
    return here.create(parent(DATABASE, "db", **({"image": "super-great-docker-image", "replicas": 1} | spec)))


def container(here, resource, name):
    [one] = here.get(resource, name)["spec"]["template"]["spec"]["containers"]
    return one


def variables(of):
    """{name: value, or (Secret, key)} of a container's environment."""
    def value(entry):
        key = entry.get("valueFrom", {}).get("secretKeyRef")
        return (key["name"], key["key"]) if key else entry.get("value")
    return {entry["name"]: value(entry) for entry in of["env"]}


def test_defaults_suit_postgres(here):
    create(here, name="shop")
    here.is_ready(DATABASE, "db")
    database = container(here, STATEFUL_SETS, "db")
    assert variables(database) == {"PGPORT": "5432", "POSTGRES_DB": "shop", "POSTGRES_PASSWORD": ("db-credentials", "password")}
    assert [m["mountPath"] for m in database["volumeMounts"]] == ["/var/lib/postgresql/data"]


def test_mount_path_and_variables_are_those_that_the_image_wants(here):
    create(here, name="shop", port=3306, mountPath="/var/lib/mysql", portVariable="MYSQL_TCP_PORT", databaseVariable="MYSQL_DATABASE",
           passwordVariable="MYSQL_ROOT_PASSWORD", env=[{"name": "TZ", "value": "UTC"}])
    here.is_ready(DATABASE, "db")

    database = container(here, STATEFUL_SETS, "db")

    assert variables(database) == {"MYSQL_TCP_PORT": "3306", "MYSQL_DATABASE": "shop", "TZ": "UTC",
                                   "MYSQL_ROOT_PASSWORD": ("db-credentials", "password")}
    assert [(m["name"], m["mountPath"], m["subPath"]) for m in database["volumeMounts"]] == [("data", "/var/lib/mysql", "data")]
    assert here.get("secrets", "db-credentials")["data"]["password"]


def test_a_new_variable_for_the_password_reaches_the_pods_and_keeps_the_secret(here):
    create(here)
    here.is_ready(DATABASE, "db")
    secret = here.get("secrets", "db-credentials")["data"]

    here.change(DATABASE, "db", {"passwordVariable": "PASSWORD"})

    here.becomes("pods", "db-0", lambda pod: "PASSWORD" in variables(pod["spec"]["containers"][0]), "has the new variable")
    here.is_ready(DATABASE, "db")
    assert "POSTGRES_PASSWORD" not in variables(container(here, STATEFUL_SETS, "db"))
    assert here.get("secrets", "db-credentials")["data"] == secret


def test_the_init_job_has_the_image_and_the_command_of_the_spec(here):
    create(here, name="shop", port=3306, init={"image": "tools:1", "command": ["migrate", "--all"]})
    here.is_ready(DATABASE, "db")

    [job] = here.names(JOBS)
    init = container(here, JOBS, job)

    assert (init["image"], init["command"]) == ("tools:1", ["migrate", "--all"])
    host = here.get(DATABASE, "db")["status"]["endpoint"].partition(":")[0]
    assert variables(init) == {"DATABASE_HOST": host, "DATABASE_PORT": "3306", "DATABASE_NAME": "shop",
                               "DATABASE_PASSWORD": ("db-credentials", "password")}


def test_the_default_init_job_runs_the_script_in_the_databases_image(here):
    create(here, image="postgres:17")
    here.is_ready(DATABASE, "db")
    [job] = here.names(JOBS)
    init = container(here, JOBS, job)
    assert init["image"] == "postgres:17"
    script = init["command"][-1].rpartition("/")[2]
    assert "psql" in here.get("configmaps", "db-config")["data"][script]


def test_a_skipped_init_makes_no_job_until_it_is_wanted(here):
    create(here, init={"skip": True})
    shown = here.is_ready(DATABASE, "db")
    assert condition(shown, "Initialized")["reason"] == "InitSkipped" and shown["status"]["phase"] == "Running"
    assert here.names(JOBS) == []

    here.change(DATABASE, "db", {"init": None})
    here.has_condition(DATABASE, "db", "Initialized", "True", "InitSucceeded")
    assert len(here.names(JOBS)) == 1


@pytest.fixture
def unknown(here, node):
    """The uid of an init Job that ended in nobody's sight."""
    node.hold(here.name)
    create(here)
    here.appears("pods", "db-0")
    pod = here.get("pods", "db-0")
    node.set_phase(here.name, "db-0", "Running")
    job = eventually(lambda: next(iter(here.kube.list(JOBS, here.name)), None), what="the init Job")
    here.becomes(DATABASE, "db", lambda d: d["status"].get("init", {}).get("jobUID") == job["metadata"]["uid"], "knows the Job")
    here.delete(JOBS, job["metadata"]["name"], "Background")
    here.is_gone(JOBS, job["metadata"]["name"])
    assert here.get("pods", "db-0")["metadata"]["uid"] == pod["metadata"]["uid"]
    node.release(here.name)
    return job["metadata"]["uid"]


def test_an_init_job_that_is_gone_without_a_result_is_told_and_not_run_again(here, unknown):
    shown = here.has_condition(DATABASE, "db", "InitUnknown", "True")
    assert unknown in condition(shown, "InitUnknown")["message"]
    here.has_condition(DATABASE, "db", "Ready", "False", "InitUnknown")
    here.change(DATABASE, "db", {"replicas": 2})
    here.becomes(DATABASE, "db", lambda d: d["status"].get("readyReplicas") == 2, "goes on with everything else")
    stays(lambda: here.names(JOBS) == [], 1.0, what="no second init Job")
    assert [e[0] for e in here.events("db") if e[1] == "InitUnknown"] == ["Warning"]

    here.change(DATABASE, "db", {"init": {"skip": True}})
    here.is_ready(DATABASE, "db")
    assert here.condition(DATABASE, "db", "InitUnknown") == {} and here.names(JOBS) == []


def test_an_init_whose_result_is_unknown_runs_once_more_when_its_user_says_so(here, unknown):
    here.has_condition(DATABASE, "db", "InitUnknown", "True")
    here.annotate(DATABASE, "db", "xebec.dev/init-again", unknown)
    here.is_ready(DATABASE, "db")
    [job] = here.kube.list(JOBS, here.name)
    assert job["metadata"]["uid"] != unknown and here.condition(DATABASE, "db", "InitUnknown") == {}

    here.delete(JOBS, job["metadata"]["name"], "Background")
    here.is_gone(JOBS, job["metadata"]["name"])
    stays(lambda: here.names(JOBS) == [], 1.0, what="no third init Job")
    here.is_ready(DATABASE, "db")


@pytest.fixture
def rigid(here, node):
    """The storage class does not let claims grow, and the API server knows it; claims are there to be asked about."""
    create(here, **{"storage-size": "1Gi"})
    here.is_ready(DATABASE, "db")
    node.let_claims_grow(False)
    try:
        eventually(lambda: not may_grow(here), what="claims cannot grow")
        yield
    finally:
        node.let_claims_grow(True)
        eventually(lambda: may_grow(here), what="claims can grow")


def may_grow(here):
    """Asks without doing it."""
    more = {"spec": {"resources": {"requests": {"storage": "99Gi"}}}}
    try:
        here.kube.request("PATCH", here.kube.path(CLAIMS, here.name, "data-db-0"), {"dryRun": "All"}, more, "application/merge-patch+json")
        return True
    except ApiError as error:
        assert error.code == 403, json.dumps(error.status)
        return False


def size(here):
    return here.get(CLAIMS, "data-db-0")["spec"]["resources"]["requests"]["storage"]


def grows_without_effect(here):
    here.change(DATABASE, "db", {"storage-size": "2Gi", "replicas": 2})
    shown = here.has_condition(DATABASE, "db", "StorageResized", "False", "ResizeRefused")
    message = condition(shown, "StorageResized")["message"]
    assert "data-db-0" in message and "must support resize" in message
    here.becomes(DATABASE, "db", lambda d: d["status"].get("readyReplicas") == 2, "goes on with everything else")
    assert size(here) == "1Gi"


def test_growth_that_the_storage_class_does_not_allow_is_told_and_done_when_it_does(here, node, rigid):
    grows_without_effect(here)
    node.let_claims_grow(True)
    here.is_ready(DATABASE, "db")
    eventually(lambda: here.condition(DATABASE, "db", "StorageResized") == {}, what="nothing is left to tell")
    assert size(here) == "2Gi"


def test_growth_that_is_refused_can_be_taken_back(here, rigid):
    grows_without_effect(here)
    here.change(DATABASE, "db", {"storage-size": "1Gi"})
    here.is_ready(DATABASE, "db")
    eventually(lambda: here.condition(DATABASE, "db", "StorageResized") == {}, what="nothing is left to tell")
    assert size(here) == "1Gi"
