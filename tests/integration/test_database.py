# SPDX-License-Identifier: Apache-2.0
"""The promises of docs/kinds.md for Database."""

import base64
import contextlib

import pytest
import yaml

from parents import DATABASE, DATABASE_CO, parent
from support import manifests
from support.eventually import eventually, stays
from support.quiescence import wait_for_quiescence

STATEFUL_SETS, JOBS, CLAIMS = "statefulsets.apps", "jobs.batch", "persistentvolumeclaims"


def database(resource=DATABASE, **spec):
    return parent(resource, "db", **({"name": "name-of-database", "port": 5432, "storage-size": "5G", "replicas": 1,
                                      "image": "super-great-docker-image"} | spec))


def password(here):
    [secret] = [s for s in here.kube.list("secrets", here.name) if s["type"] == "Opaque"]
    return secret["metadata"]["uid"], base64.b64decode(secret["data"]["password"]).decode()


@pytest.mark.parametrize("resource", [DATABASE, DATABASE_CO])
def test_a_new_database_gets_everything_that_it_needs(here, resource):
    here.create(database(resource, replicas=3))
    shown = here.is_ready(resource, "db")

    assert shown["status"]["phase"] == "Running" and shown["status"]["readyReplicas"] == 3
    assert here.get("services", "db")["spec"]["clusterIP"] == "None"
    stateful_set = here.get(STATEFUL_SETS, "db")
    assert stateful_set["spec"]["replicas"] == 3
    [template] = stateful_set["spec"]["volumeClaimTemplates"]
    assert template["spec"]["resources"]["requests"]["storage"] == "5G"
    [config] = [c for c in here.kube.list("configmaps", here.name) if c["metadata"]["name"].startswith("db")]
    assert {"5432", "name-of-database"} <= set(config["data"].values())
    assert here.names(CLAIMS) == ["data-db-0", "data-db-1", "data-db-2"]
    assert len(password(here)[1]) == 32
    [job] = here.kube.list(JOBS, here.name)
    assert job["status"].get("succeeded") == 1
    assert shown["status"]["endpoint"].startswith("db-0.db.")


def test_the_init_job_runs_once_whatever_happens_later(here):
    here.create(database())
    here.is_ready(DATABASE, "db")
    [job] = here.names(JOBS)

    here.delete(JOBS, job, "Background")
    here.is_gone(JOBS, job)
    here.change(DATABASE, "db", {"image": "another-image", "replicas": 2})

    here.becomes(STATEFUL_SETS, "db", lambda s: s["spec"]["replicas"] == 2, "has 2 replicas")
    here.is_ready(DATABASE, "db")
    stays(lambda: here.names(JOBS) == [], 1.0, what="no second init Job")


def test_a_failed_init_job_is_told_once_and_runs_again_when_it_is_deleted(here, node, audit):
    node.let_jobs_exit_with(1, here.name)
    here.create(database())
    [job] = eventually(lambda: here.names(JOBS), what="the init Job")
    here.becomes(JOBS, job, lambda item: item["status"].get("failed") == 1, "has failed once")
    here.has_condition(DATABASE, "db", "Initialized", "False", "InitRunning")
    here.change(JOBS, job, {"backoffLimit": 0})  # what comes of itself after minutes

    here.has_condition(DATABASE, "db", "Initialized", "False", "InitFailed")
    shown = here.has_condition(DATABASE, "db", "Ready", "False", "InitFailed")
    assert f'Job "{job}" failed' in manifests.condition(shown, "Ready")["message"]
    wait_for_quiescence(audit)
    assert [reason for kind, reason, _ in here.events("db") if kind == "Warning"] == ["InitFailed"]

    node.let_jobs_exit_with(0, here.name)
    here.delete(JOBS, job, "Background")
    here.is_ready(DATABASE, "db")
    here.has_condition(DATABASE, "db", "Initialized", "True", "InitSucceeded")


def test_an_init_job_that_has_not_succeeded_is_replaced_when_the_spec_is_corrected(here, node):
    node.let_jobs_exit_with(1, here.name)
    here.create(database(init={"image": "wrong"}))
    [job] = eventually(lambda: here.kube.list(JOBS, here.name), what="the init Job")

    here.change(DATABASE, "db", {"init": {"image": "right"}})

    other = here.becomes(JOBS, job["metadata"]["name"], lambda item: item["metadata"]["uid"] != job["metadata"]["uid"], "is another Job")
    assert other["spec"]["template"]["spec"]["containers"][0]["image"] == "right"
    node.let_jobs_exit_with(0, here.name)
    here.is_ready(DATABASE, "db")


def test_a_lost_volume_is_told_until_its_successor_is_accepted(here):
    here.create(database())
    here.is_ready(DATABASE, "db")
    here.kube.patch(CLAIMS, "data-db-0", here.name, {"metadata": {"finalizers": None}})
    here.delete(CLAIMS, "data-db-0")
    here.delete("pods", "db-0")

    here.has_condition(DATABASE, "db", "DataLost", "True")
    here.has_condition(DATABASE, "db", "Ready", "False", "DataLost")
    here.annotate(DATABASE, "db", "xebec.dev/accept-data", here.get(CLAIMS, "data-db-0")["metadata"]["uid"])
    here.is_ready(DATABASE, "db")


def test_it_scales_up_and_down(here):
    here.create(database())
    here.is_ready(DATABASE, "db")
    here.scale(DATABASE, "db", 3)
    here.becomes(DATABASE, "db", lambda item: item["status"].get("readyReplicas") == 3, "has 3 ready replicas")
    here.scale(DATABASE, "db", 1)
    here.becomes(DATABASE, "db", lambda item: item["status"].get("readyReplicas") == 1, "has 1 ready replica")


def test_storage_grows_in_the_claims_and_the_template_keeps_its_size(here):
    here.create(database(replicas=2))
    here.is_ready(DATABASE, "db")
    before = here.get(STATEFUL_SETS, "db")["metadata"]["uid"]

    here.change(DATABASE, "db", {"storage-size": "8G"})

    for claim in ("data-db-0", "data-db-1"):
        here.becomes(CLAIMS, claim, lambda c: c["spec"]["resources"]["requests"]["storage"] == "8G", "asks for 8G")
    here.change(DATABASE, "db", {"replicas": 3})
    here.becomes(CLAIMS, "data-db-2", lambda c: c["spec"]["resources"]["requests"]["storage"] == "8G", "asks for 8G too")
    assert here.get(STATEFUL_SETS, "db")["metadata"]["uid"] == before


def test_shrinking_is_refused_with_a_message(here):
    here.create(database(**{"storage-size": "5G"}))
    here.is_ready(DATABASE, "db")
    here.change(DATABASE, "db", {"storage-size": "1G"})
    eventually(lambda: any("shr" in c.get("message", "").lower() or "smaller" in c.get("message", "").lower()
                           for c in here.get(DATABASE, "db")["status"]["conditions"]), what="a condition tells it")
    assert here.get(CLAIMS, "data-db-0")["spec"]["resources"]["requests"]["storage"] == "5G"


def test_a_deleted_database_keeps_its_volumes_and_its_password(here):
    here.create(database())
    here.is_ready(DATABASE, "db")
    secret = password(here)

    here.delete(DATABASE, "db")
    here.is_gone(STATEFUL_SETS, "db")
    eventually(lambda: here.names("pods") == [], what="no Pod is left")
    assert here.names(CLAIMS) == ["data-db-0"]

    here.create(database())
    here.is_ready(DATABASE, "db")
    assert password(here) == secret


def test_a_lost_secret_is_told_and_restarts_no_pod(here):
    here.create(database(replicas=2))
    here.is_ready(DATABASE, "db")
    other, gone = (here.get("pods", name)["metadata"]["uid"] for name in ("db-0", "db-1"))
    template = here.get(STATEFUL_SETS, "db")["metadata"]["generation"]
    [secret] = here.names("secrets")

    here.delete("secrets", secret)
    here.delete("pods", "db-1")  # every plan ensures the Secret while the StatefulSet is not ready

    here.has_condition(DATABASE, "db", "CredentialsLost", "True")
    here.becomes("pods", "db-1", lambda p: p["metadata"]["uid"] != gone and manifests.condition(p, "Ready").get("status") == "True",
                 "is the StatefulSet's new one")
    eventually(lambda: [kind for kind, reason, _ in here.events("db") if reason == "CredentialsLost"] == ["Warning"], what="one Warning tells it")
    assert here.get("pods", "db-0")["metadata"]["uid"] == other
    assert here.get(STATEFUL_SETS, "db")["metadata"]["generation"] == template


def test_nobody_but_the_applier_ever_touches_a_secret(here, audit):
    mark = audit.mark()
    here.create(database())
    here.is_ready(DATABASE, "db")
    touched = [e for e in audit.since(mark) if e.resource == "secrets" and e.user.startswith("xebec-")]
    assert touched and {(e.user, e.verb) for e in touched} == {("xebec-applier", "create")}


def secrets_of(here, cluster):
    """Passwords as they are and as they are sent, the applier's token, the watcher's key: as it is in its file, and a
    line of it."""
    sent = [secret["data"]["password"] for secret in here.kube.list("secrets", here.name) if secret["type"] == "Opaque"]
    users = [yaml.safe_load(file.read_text())["users"][0]["user"] for file in (cluster.applier_kubeconfig, cluster.watcher_kubeconfig)]
    token, key = users[0]["token"], users[1]["client-key-data"]
    return [*sent, *(base64.b64decode(each).decode() for each in sent), token, key, base64.b64decode(key).decode().splitlines()[1]]


def test_no_service_logs_a_password_or_its_own_credentials(here, services, cluster):
    """Nor have those that run, in all the tests so far."""
    here.create(database())
    here.is_ready(DATABASE, "db")
    with contextlib.ExitStack() as stack:
        talkative = [stack.enter_context(services.stand_in(name, "--log-level", "debug")) for name in services.NAMES]
        here.create(database() | {"metadata": {"name": "second"}})
        here.is_ready(DATABASE, "second")
    logs = {service.process.log.name: service.process.log.read_text() for service in services.all + talkative}
    secrets = secrets_of(here, cluster)
    assert len(secrets) == 2 * 2 + 3 and all(len(secret) >= 32 for secret in secrets)
    assert [name for name, text in logs.items() if any(secret in text for secret in secrets)] == []
    assert [service.process.log.name for service in talkative if here.name not in logs[service.process.log.name]] == []
