# SPDX-License-Identifier: Apache-2.0
"""Mutual TLS between the services: which identities are accepted, and for which methods."""

import concurrent.futures
import contextlib
import datetime
import itertools
import shutil
import socket
import ssl
import subprocess
import warnings

import pytest

import burst
from parents import IRIS, UNSEEN, iris
from support import grpcurl, paths
from support.assignment import holders, members
from support.eventually import eventually, stays
from support.identities import Identities
from support.processes import free_port
from support.services import Service, Services, environment

CALLERS = ("watcher", "planner", "applier", "person", "unknown")
REFLECTION = "list"  # what grpcurl calls asking for the contract
EVERYWHERE = {"grpc.health.v1.Health/Check": set(CALLERS), "grpc.health.v1.Health/Watch": set(CALLERS), REFLECTION: {"person"}}
METHODS = {  # which identity may call which method (docs/security.md)
    "planner": {"xebec.v1.PlannerService/DescribeKinds": {"watcher", "person"}, "xebec.v1.PlannerService/Plan": {"watcher", "person"},
                "xebec.v1.PlannerService/PlanStream": {"watcher"}, **EVERYWHERE},
    "applier": {"xebec.v1.ApplierService/ApplyStream": {"watcher"}, **EVERYWHERE},
    "watcher": {f"xebec.v1.WatcherService/{method}": {"watcher", "person"} for method in ("ListKeys", "GetObservation", "Explain", "WatchActivity", "ListWatchers")}
               | EVERYWHERE,
}
PROTO = ["-import-path", str(paths.ROOT / "proto"), "-import-path", str(paths.ROOT / "tests" / "support"), *itertools.chain.from_iterable(
    ("-proto", name) for name in ("xebec/v1/planner.proto", "xebec/v1/applier.proto", "xebec/v1/watcher.proto", "health.proto"))]


@pytest.fixture(scope="module")
def identities(folder):
    made = Identities(folder.path / "tls")
    for name in CALLERS:
        made.issue(name)
        made.issue(f"expired-{name}", begin="20200101000000Z", end="20200102000000Z", identity=name)
    return made


@pytest.fixture(scope="module")
def others(folder):
    """The same names, signed by a CA that nobody trusts."""
    made = Identities(folder.path / "tls-others")
    for name in CALLERS:
        made.issue(name)
    return made


@pytest.fixture
def secured(here, shared_services, folder, cluster, identities):
    """Services with mutual TLS, in place of the shared ones."""
    shared_services.stop()
    kubeconfigs = {"watcher": cluster.watcher_kubeconfig, "applier": cluster.applier_kubeconfig}
    flags = {name: identities.service_flags(name) for name in Services.NAMES}
    for name in ("watcher", "applier"):
        flags[name] += ["--reflection"]
    flags["watcher"] += ["--stream-max-age", "1s"]  # so that every certificate that is renewed is seen in use
    services = Services(folder, kubeconfigs, flags, label="tls-")
    services.start()
    yield services
    services.stop()
    shared_services.make_whole()


def ways(identities, others, caller):
    """{what the caller shows: grpcurl's flags}"""
    trusted = identities.files(caller)[2]
    certificate, key, _ = others.files(caller)
    return {
        "right": identities.person_flags(caller),
        "expired": identities.person_flags(f"expired-{caller}"),
        "of another CA": ["-cert", certificate, "-key", key, "-cacert", trusted],
        "self-signed": ["-cert", str(others.folder / "ca.crt"), "-key", str(others.folder / "ca.key"), "-cacert", trusted],
        "none": ["-cacert", trusted],
        "plaintext": ["-plaintext"],
    }


def verdict(address, method, security, timeout):
    """"served" when the call reached the service, "denied", "no connection" within `timeout` seconds, or what grpcurl
    says else."""
    endless = method.endswith(("/WatchActivity", "/Watch"))
    contract, data = ((), None) if method == REFLECTION else (PROTO, "")
    limit = max(3, int(timeout)) if endless else 50
    done = grpcurl.run("-connect-timeout", timeout, "-max-time", limit, *contract, address, method,
                       data=data, security=security)
    if "PermissionDenied" in done.stderr:
        return "denied"
    if "Failed to dial" in done.stderr:
        return "no connection"
    answers = ["InvalidArgument", "NotFound"] + ["DeadlineExceeded"] * (endless and (not method.startswith("grpc.") or "SERVING" in done.stdout))
    return "served" if done.returncode == 0 or any(f"Code: {code}" in done.stderr for code in answers) else done.stderr


@pytest.mark.parametrize("service", METHODS)
def test_every_method_is_for_whom_the_table_names_and_nobody_else(secured, identities, others, service):
    address = getattr(secured, service).address

    def wrong(method, caller, shown, security):
        expected = "no connection" if shown != "right" else "served" if caller in METHODS[service][method] else "denied"
        got = verdict(address, method, security, "1")
        if got not in (expected, "served", "denied"):  # a busy machine
            got = verdict(address, method, security, "30")
        return [] if got == expected else [f"{caller} with {shown} certificate, {method}: {got}, not {expected}"]

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        asked = [pool.submit(wrong, method, caller, shown, security)
                 for method, caller in itertools.product(METHODS[service], CALLERS)
                 for shown, security in ways(identities, others, caller).items()]
        found = [text for answer in asked for text in answer.result()]
    assert not found, "\n".join(found)


@contextlib.contextmanager
def secure_connection(address, identities, newest):
    """As a person whose program knows no TLS that is newer."""
    certificate, key, ca = identities.files("person")
    context = ssl.create_default_context(cafile=ca)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    context.set_ciphers("ALL:@SECLEVEL=0")  # ours would not offer the old ones
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, newest
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=30) as plain, context.wrap_socket(plain, server_hostname="localhost") as agreed:
        yield agreed


def handshake(address, identities, newest):
    """The version that was agreed on; None when the other side would have none of it."""
    try:
        with secure_connection(address, identities, newest) as agreed:
            return agreed.version()
    except (ssl.SSLError, ConnectionError):
        return None


@pytest.mark.parametrize("service", METHODS)
def test_the_newest_tls_is_chosen_1_2_is_taken_and_nothing_older(secured, identities, service):
    address = getattr(secured, service).address
    newest = (ssl.TLSVersion.TLSv1_3, ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1)
    assert [handshake(address, identities, each) for each in newest] == ["TLSv1.3", "TLSv1.2", None, None]


def test_the_services_works_over_mutual_tls(secured, here):
    here.create(iris("over-tls"))
    here.is_ready(IRIS, "over-tls")
    expires = secured.planner.metric("certificate_expiration_timestamp_seconds")
    assert expires == 4070908800  # 2099-01-01


def streams_up(services):
    return sum(record.get("msg") == "Stream up" for record in services.watcher.log_records())


def test_a_ca_exchanged_under_load_loses_and_doubles_nothing(secured, here, identities, others, audit):
    """As xebec-certs does it: the new CA is trusted before it signs, the old one as long as its certificates are in
    use."""
    def trust(*cas):
        (identities.folder / "ca.crt").write_bytes(b"".join(cas))
    old, new = ((each.folder / "ca.crt").read_bytes() for each in (identities, others))
    kept = {file: (identities.folder / file).read_bytes() for name in Services.NAMES for file in (f"{name}.crt", f"{name}.key")}
    mark = audit.mark()
    lost = secured.watcher.metric("controller_runtime_reconcile_timeouts_total")
    try:
        # For as long as it takes until all connections are new ones, three times.
        with burst.paced(lambda name: here.create(iris(name, replicas=0)), burst.endless_names(), 10, least=30) as made:
            for step in (lambda: trust(old, new), lambda: [(identities.folder / file).write_bytes((others.folder / file).read_bytes()) for file in kept],
                         lambda: trust(new)):
                before = streams_up(secured)
                step()
                # Two streams to each of two services; those of this number began after the step.
                eventually(lambda n=before: streams_up(secured) >= n + 8, what="all streams are new ones")
        burst.all_ready(here, len(made))
        assert burst.creations(audit, mark, here) == dict.fromkeys(made, 1)
        assert secured.watcher.metric("controller_runtime_reconcile_timeouts_total") == lost, "a plan was repeated"
        presented = subprocess.run(["openssl", "verify", "-CAfile", identities.folder / "ca.crt", identities.folder / "planner.crt"],
                                   capture_output=True, text=True, check=False)
        assert presented.returncode == 0, presented.stderr
    finally:
        trust(old, new)
        for file, content in kept.items():
            (identities.folder / file).write_bytes(content)
        trust(old)


def test_half_renewed_files_are_told_and_do_no_harm(secured, here, identities):
    key = identities.folder / "planner.key"
    good = key.read_bytes()
    key.write_bytes((identities.folder / "applier.key").read_bytes())
    try:
        for _ in range(3):  # reads the files
            before = secured.planner.metric("certwatcher_read_certificate_errors_total")
            eventually(lambda n=before: secured.planner.metric("certwatcher_read_certificate_errors_total") > n, what="the files are read")
        assert any(r.get("msg") == "Certificate is invalid" and "planner.key" in r["detail"] for r in secured.planner.log_records())
        here.create(iris("meanwhile"))
        here.is_ready(IRIS, "meanwhile")
    finally:
        key.write_bytes(good)


def seconds_from_now(seconds):
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)).strftime("%Y%m%d%H%M%SZ")


def not_valid_yet(identities, _):
    identities.issue("planner", begin=seconds_from_now(240))  # by the watcher's clock; a service that starts allows itself 5 minutes


def of_a_ca_that_the_watcher_does_not_know_yet(identities, others):
    for file in ("planner.crt", "planner.key"):
        (identities.folder / file).write_bytes((others.folder / file).read_bytes())


@pytest.fixture
def renewed(identities):
    """Gives the planner a good certificate."""
    yield lambda: identities.issue("planner")
    identities.issue("planner")


@pytest.mark.parametrize("renew", [not_valid_yet, of_a_ca_that_the_watcher_does_not_know_yet])
def test_a_renewal_that_the_other_side_cannot_accept_is_told_and_heals_without_a_restart(secured, here, identities, others, renewed, renew):
    secured.planner.stop()
    renew(identities, others)
    secured.planner.start().wait_ready()
    here.create(iris("sample"))
    why = "not valid yet by this machine's clock, or no CA in the file tls.ca has signed it"
    eventually(lambda: any(r.get("msg") == "Stream down" and why in r.get("detail", "") for r in secured.watcher.log_records()), what="the watcher says why")
    assert secured.watcher.metric("xebec_planner_credits") == 0 and here.get(IRIS, "sample")["status"] == UNSEEN
    assert [line for line in map(str, secured.watcher.log_records()) if line.startswith("{'text'")] == [], "every line is JSON"

    renewed()
    here.is_ready(IRIS, "sample")


@contextlib.contextmanager
def planner_alone(folder, *flags):
    address, metrics = (f"127.0.0.1:{free_port()}" for _ in range(2))
    service = Service("planner", folder, ["--listen", address, "--metrics-listen", metrics, *flags], address, metrics, "tls-alone").start()
    try:
        yield service
    finally:
        service.stop()


def serve_pings(connection):
    """As a client that calls nothing and answers every ping, until the server closes the connection (RFC 9113, 6.7)."""
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
    stream = connection.makefile("rb")
    while header := stream.read(9):
        payload = stream.read(int.from_bytes(header[:3], "big"))
        if header[3] == 6 and not header[4] & 1:
            connection.sendall(header[:4] + b"\1" + header[5:] + payload)


def test_a_connection_is_closed_when_it_is_old_whoever_called(identities, folder):
    with planner_alone(folder, *identities.service_flags("planner"), "--max-connection-age", "1s") as service:
        service.wait_ready()
        with secure_connection(service.address, identities, ssl.TLSVersion.TLSv1_3) as connection:
            connection.settimeout(300)
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                serve_pings(connection)


def key_of_another(identities):
    (identities.folder / "ill.key").write_bytes((identities.folder / "applier.key").read_bytes())


def no_certificate(identities):
    (identities.folder / "ill.crt").unlink()


def no_ca(identities):
    (identities.folder / "ill-ca.crt").unlink()


def empty_ones(identities):
    for kind in ("crt", "key"):
        (identities.folder / f"ill.{kind}").write_bytes(b"")


def from_the_future(identities):
    identities.issue("ill", begin=seconds_from_now(3600), identity="planner")


@pytest.mark.parametrize("spoil, said", [(key_of_another, "ill.key does not belong to the certificate"),
                                         (no_certificate, "ill.crt cannot be read: is the Secret mounted"),
                                         (no_ca, "ill-ca.crt cannot be read: is the Secret mounted"),
                                         (empty_ones, "ill.crt is not a PEM certificate"),
                                         (from_the_future, "check this machine's clock")])
def test_a_service_with_bad_files_says_which_is_not_ready_and_heals_without_a_restart(identities, folder, spoil, said):
    def make_good():
        identities.issue("ill", identity="planner")
        shutil.copy(identities.folder / "ca.crt", identities.folder / "ill-ca.crt")
    make_good()
    spoil(identities)
    with planner_alone(folder, *identities.service_flags("ill", "ill-ca")) as service:
        eventually(lambda: said in service.fetch("/readyz")[1], what="/readyz says which file is bad")
        assert any(r.get("msg") == "Certificate is invalid" and said in r["detail"] for r in service.log_records())
        ask = (service.address, "xebec.v1.PlannerService/DescribeKinds", identities.person_flags("person"))
        assert verdict(*ask, "2") == "no connection" and service.running()
        make_good()
        service.wait_ready()
        eventually(lambda: verdict(*ask, "2") == "served", what="the planner answers")


def test_a_watcher_without_its_certificate_leaves_the_lead_to_others_and_works_once_it_has_it(secured, here, identities, kube):
    def unfit():
        figures = secured.watcher.metrics()
        return any(name.startswith("leader_election_master_status") for name in figures) and secured.watcher.metric(
            "leader_election_master_status") == 0
    certificate = identities.folder / "watcher.crt"
    good = certificate.read_bytes()
    secured.watcher.stop()
    certificate.write_bytes(b"")
    try:
        secured.watcher.start()
        eventually(lambda: "watcher.crt" in secured.watcher.fetch("/readyz")[1], what="/readyz says which file is bad")
        assert holders(kube) == set() and members(kube) == {}, "all buckets are free"
        here.create(iris("sample"))
        stays(unfit, 3, what="it takes no bucket")
        assert holders(kube) == set() and members(kube) == {}
    finally:
        certificate.write_bytes(good)
    secured.watcher.wait_ready()
    here.is_ready(IRIS, "sample")


def test_a_service_that_is_told_of_a_part_of_its_files_says_which_is_missing(identities, folder):
    certificate, key, _ = identities.files("planner")
    process = folder.start("tls-part", [paths.service_binary("xebec-planner"), "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0",
                                        "--tls-certificate", certificate, "--tls-key", key], environment())
    eventually(lambda: process.exit_code() == 1, what="the planner ends")
    assert "the CA is missing" in process.last_lines()
