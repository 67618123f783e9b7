# SPDX-License-Identifier: Apache-2.0
"""Mutual TLS between the services: who gets in, and to what."""

import concurrent.futures
import itertools

import pytest

import burst
from parents import IRIS, iris
from support import grpcurl, paths
from support.eventually import eventually
from support.identities import Identities
from support.trio import Trio, environment

METHODS = {  # the table of the design: which identity may call what
    "planner": {"PlannerService/DescribeKinds": {"watcher", "person"}, "PlannerService/Plan": {"watcher", "person"},
                "PlannerService/PlanStream": {"watcher"}},
    "applier": {"ApplierService/Apply": {"watcher"}, "ApplierService/ApplyStream": {"watcher"}},
    "watcher": {"WatcherService/ListKeys": {"person"}, "WatcherService/GetObservation": {"person"},
                "WatcherService/Explain": {"person"}, "WatcherService/WatchActivity": {"person"}},
}
CALLERS = ("watcher", "planner", "applier", "person", "stranger")
PROTO = ["-import-path", str(paths.ROOT / "proto"), *itertools.chain.from_iterable(
    ("-proto", f"xebec/v1/{name}.proto") for name in ("planner", "applier", "watcher"))]


@pytest.fixture(scope="module")
def identities(folder):
    made = Identities(folder.path / "tls")
    for name in CALLERS:
        made.issue(name)
        made.issue(f"expired-{name}", begin="20200101000000Z", end="20200102000000Z", identity=name)
    return made


@pytest.fixture(scope="module")
def others(folder):
    """The same names, vouched for by an authority that nobody trusts."""
    made = Identities(folder.path / "tls-others")
    for name in CALLERS:
        made.issue(name)
    return made


@pytest.fixture
def secured(here, only_trio, folder, cluster, identities):
    """A trio that speaks mutual TLS, in the place of the usual one."""
    only_trio.stop()
    kubeconfigs = {"watcher": cluster.watcher_kubeconfig, "applier": cluster.applier_kubeconfig}
    trio = Trio(folder, kubeconfigs, {name: identities.service_flags(name) for name in Trio.NAMES}, label="tls-")
    trio.start()
    yield trio
    trio.stop()
    only_trio.make_whole()


def ways(identities, others, caller):
    """{what the caller shows: grpcurl's flags}"""
    trusted = identities.files(caller)[2]
    certificate, key, _ = others.files(caller)
    return {
        "right": identities.person_flags(caller),
        "expired": identities.person_flags(f"expired-{caller}"),
        "of another authority": ["-cert", certificate, "-key", key, "-cacert", trusted],
        "self-signed": ["-cert", str(others.folder / "ca.crt"), "-key", str(others.folder / "ca.key"), "-cacert", trusted],
        "none": ["-cacert", trusted],
        "plaintext": ["-plaintext"],
    }


def verdict(address, method, security, patience):
    """"served" when the call reached the service, "denied", "no connection" within `patience` seconds, or what grpcurl says else."""
    endless = method.endswith("/WatchActivity")
    done = grpcurl.run("-connect-timeout", patience, "-max-time", "3" if endless else "50", *PROTO, address, f"xebec.v1.{method}",
                       data="", security=security)
    if "PermissionDenied" in done.stderr:
        return "denied"
    if "Failed to dial" in done.stderr:
        return "no connection"
    answers = ["InvalidArgument", "NotFound"] + ["DeadlineExceeded"] * endless
    return "served" if done.returncode == 0 or any(f"Code: {code}" in done.stderr for code in answers) else done.stderr


@pytest.mark.parametrize("service", METHODS)
def test_every_method_is_for_whom_the_table_names_and_nobody_else(secured, identities, others, service):
    address = getattr(secured, service).address

    def wrong(method, caller, shown, security):
        expected = "no connection" if shown != "right" else "served" if caller in METHODS[service][method] else "denied"
        got = verdict(address, method, security, "1")
        if got != expected and got == "no connection":  # a busy machine
            got = verdict(address, method, security, "30")
        return [] if got == expected else [f"{caller} with {shown} certificate, {method}: {got}, not {expected}"]

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        asked = [pool.submit(wrong, method, caller, shown, security)
                 for method, caller in itertools.product(METHODS[service], CALLERS)
                 for shown, security in ways(identities, others, caller).items()]
        found = [text for answer in asked for text in answer.result()]
    assert not found, "\n".join(found)


def test_the_trio_works_over_mutual_tls(secured, here):
    here.create(iris("over-tls"))
    here.is_ready(IRIS, "over-tls")
    expires = secured.planner.metric("certificate_expiration_timestamp_seconds")
    assert expires == 4070908800  # 2099-01-01


def test_certificates_renewed_under_load_lose_and_double_nothing(secured, here, identities, audit):
    mark = audit.mark()
    burst.create(here, 20)
    for name in Trio.NAMES:
        identities.issue(name)
    burst.create(here, 20, prefix="later")
    burst.all_ready(here, 40)
    assert set(burst.creations(audit, mark, here).values()) == {1}


def test_half_renewed_files_are_told_and_do_no_harm(secured, here, identities):
    key = identities.folder / "planner.key"
    good = key.read_bytes()
    key.write_bytes((identities.folder / "applier.key").read_bytes())
    try:
        assert secured.planner.metric("certwatcher_read_certificate_errors_total") > 0
        assert any(r.get("msg") == "Certificate is not good" and "planner.key" in r["detail"] for r in secured.planner.log_records())
        here.create(iris("meanwhile"))
        here.is_ready(IRIS, "meanwhile")
    finally:
        key.write_bytes(good)


def test_a_service_with_bad_files_says_which_and_does_not_start(secured, identities, folder):
    flags = identities.service_flags("planner")
    flags[flags.index("--tls-key") + 1] = identities.files("applier")[1]
    process = folder.start("tls-bad", [paths.service_binary("xebec-planner"), "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0",
                                       *flags], environment())
    eventually(lambda: process.exit_code() == 1, what="the planner ends")
    assert "applier.key does not belong to the certificate" in process.last_lines()
