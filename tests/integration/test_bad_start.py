# SPDX-License-Identifier: Apache-2.0
"""Invalid settings and files: each service exits with a message that says what is wrong and what to do."""

import base64
import subprocess

import pytest
import yaml

from support import paths
from support.api_proxy import write_kubeconfig
from support.processes import free_port
from support.services import environment

USAGE, FAILURE = 2, 1
CLIENTS = ["watcher", "applier"]
SERVER = "https://127.0.0.1:1"


@pytest.fixture
def run(tmp_path):
    """Runs a service that is bound to end; the code and what it said."""
    def run(service, *arguments, env=None):
        nothing = {key: value for key, value in environment().items() if not key.startswith("KUBE")} | {"HOME": str(tmp_path)}
        ports = ["--metrics-listen", f"127.0.0.1:{free_port()}"]
        if "--listen" not in arguments:
            ports += ["--listen", f"127.0.0.1:{free_port()}"]
        done = subprocess.run([paths.service_binary(f"xebec-{service}"), *ports, *map(str, arguments)], env=nothing | (env or {}),
                              capture_output=True, text=True, timeout=30, check=False)
        assert done.stderr.count("\n") == 1 and done.stderr.startswith(f"xebec-{service}: "), done
        return done.returncode, done.stderr.rstrip()
    return run


def expired_certificate(folder):
    """A client certificate of the year 2020, as a kubeconfig's user."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "old.key", "-out", "old.csr",
            "-subj", "/CN=old")
    (folder / "ca.cnf").write_text("[ca]\ndefault_ca=a\n[a]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n"
                                   "[p]\ncommonName=supplied\n")
    (folder / "index").touch()
    (folder / "serial").write_text("01")
    openssl("ca", "-batch", "-config", "ca.cnf", "-selfsign", "-keyfile", "old.key", "-in", "old.csr", "-out", "old.crt",
            "-startdate", "20190101000000Z", "-enddate", "20200101000000Z")
    return {f"client-{what}-data": base64.b64encode((folder / f"old.{end}").read_bytes()).decode()
            for what, end in (("certificate", "crt"), ("key", "key"))}


def config_of(folder, user=None, cluster=None, server=SERVER):
    write_kubeconfig(folder / "kubeconfig", server, user, cluster)
    return (folder / "kubeconfig").read_text()


# name: (what is in the kubeconfig, what is said of it beside its path)
KUBECONFIGS = {
    "empty": (lambda folder: "", ["is empty"]),
    "prose": (lambda folder: "hello", ["is not a YAML map; is it a kubeconfig?"]),
    "bytes": (lambda folder: bytes(range(256)), ["is not a YAML map; is it a kubeconfig?"]),
    "torn": (config_of, ["is not valid YAML: line 1, column "]),
    "other YAML": (lambda folder: "apiVersion: v1\nkind: Pod\n", ["no current-context", "there are none"]),
    "no such cluster": (lambda folder: yaml.dump({"current-context": "a", "contexts": [{"name": "a", "context": {"cluster": "b"}}]}),
                        ['context "a" names cluster "b", which does not exist']),
    "expired certificate": (lambda folder: config_of(folder, expired_certificate(folder)),
                            ['user "user": the client certificate expired on 2020-01-01T00:00:00Z: get a new kubeconfig']),
    "certificate without key": (lambda folder: config_of(folder, {"client-certificate-data": "aGk="}),
                                ["there is a client certificate without client-key"]),
    "CA that is no certificate": (lambda folder: config_of(folder, cluster={"certificate-authority-data": "aGk="}),
                               ['cluster "xebec": certificate-authority contains no PEM certificate']),
    "CA file that is missing": (lambda folder: config_of(folder, cluster={"certificate-authority": "/nowhere/ca.crt"}),
                                  ["certificate-authority: /nowhere/ca.crt: No such file"]),
    "token in clear text": (lambda folder: config_of(folder, {"token": "s3cret"}, server="http://192.0.2.1:6443"),
                            ["would be sent in clear text"]),
    "server that is no URL": (lambda folder: config_of(folder, server="127.0.0.1:6443"),
                              ["server must be a URL such as https://host:6443"]),
}


@pytest.mark.parametrize("service", CLIENTS)
@pytest.mark.parametrize("name", KUBECONFIGS)
def test_a_kubeconfig_that_cannot_be_used_is_named_with_the_reason(run, tmp_path, service, name):
    make, said = KUBECONFIGS[name]
    path = tmp_path / "kubeconfig"
    content = make(tmp_path)
    if name == "torn":
        content = content[:len(content) // 2]
    path.write_bytes(content if isinstance(content, bytes) else content.encode())

    code, message = run(service, "--kubeconfig", path)

    assert code == FAILURE
    assert message.startswith(f"xebec-{service}: kubeconfig {path}")
    assert all(text in message for text in said) and "s3cret" not in message, message


@pytest.mark.parametrize("service", CLIENTS)
def test_a_missing_kubeconfig_is_named_with_the_ways_to_name_another(run, tmp_path, service):
    for arguments, env, path in ((["--kubeconfig", "/nowhere/config"], {}, "/nowhere/config"),
                                 ([], {"KUBECONFIG": "/nowhere/other"}, "/nowhere/other"),
                                 ([], {}, tmp_path / ".kube/config")):
        code, message = run(service, *arguments, env=env)
        assert code == FAILURE
        assert message == (f"xebec-{service}: kubeconfig {path}: No such file or directory; "
                           "name another one by flag, configuration or $KUBECONFIG")


@pytest.mark.parametrize("service", CLIENTS)
def test_a_kubeconfig_that_is_a_folder_and_a_context_that_is_missing_are_named(run, tmp_path, service):
    assert run(service, "--kubeconfig", tmp_path) == (FAILURE, f"xebec-{service}: kubeconfig {tmp_path}: Is a directory")
    config_of(tmp_path)
    code, message = run(service, "--kubeconfig", tmp_path / "kubeconfig", "--context", "prod")
    assert code == FAILURE and 'no context "prod"; there are: xebec' in message


@pytest.mark.parametrize("service", ["watcher", "planner", "applier"])
@pytest.mark.parametrize("address", ["0.0.0.0:7443", "[::]:7443", "192.0.2.1:7443", "example.com:7443"])
def test_a_plaintext_listener_is_refused_anywhere_but_on_loopback(run, tmp_path, service, address):
    config_of(tmp_path)
    kubeconfig = [] if service == "planner" else ["--kubeconfig", tmp_path / "kubeconfig"]

    code, message = run(service, "--listen", address, *kubeconfig)

    assert code in (USAGE, FAILURE)
    assert f'refusing to listen on "{address}" without TLS' in message
    assert "127.0.0.1:7443 or unix:/path, or configure TLS" in message


@pytest.mark.parametrize("service", ["watcher", "planner", "applier"])
def test_settings_that_cannot_be_meant_are_named_with_file_line_and_key(run, tmp_path, service):
    file = tmp_path / "config.yaml"
    for text, said in (("log:\n  level: info\nlissten: a\n", f"{file}:3: unknown key lissten (did you mean listen?)"),
                       ("log:\n  level: loud\n", f'{file}:2: log.level: "loud" is not one of debug, info, warning, error'),
                       ("drainTimeout: 1y\n", f'{file}:1: drainTimeout: "1y" is not a duration such as 290s, 1m30s or 500ms'),
                       ("reflection: 7\n", f'{file}:1: reflection: "7" is neither true nor false'),
                       ("{" * 200000, f"{file}:")):
        file.write_text(text)
        code, message = run(service, "--config", file)
        assert code == USAGE and message.startswith(f"xebec-{service}: {said}"), message[:500]
    assert run(service, "--config", "/nowhere.yaml")[1].endswith("cannot read the configuration file /nowhere.yaml: it cannot be opened")
    assert run(service, "--lisssten", "a") == (
        USAGE, f"xebec-{service}: unknown flag --lisssten (did you mean --listen?); --help lists all")
    assert run(service, env={"XEBEC_LOG_LEVLE": "info"})[1].endswith("unknown variable XEBEC_LOG_LEVLE (did you mean XEBEC_LOG_LEVEL?)")


@pytest.mark.parametrize("buckets", ["0", "1025", "10000"])
def test_a_number_of_buckets_that_no_assignment_can_have_is_refused(run, buckets):
    code, message = run("watcher", "--buckets", buckets)
    assert (code, message) == (USAGE, f'xebec-watcher: --buckets: "{buckets}" is not a whole number from 1 to 1024')


@pytest.mark.parametrize("duration, said", [("15s500ms", "lease.duration must be a whole number of seconds"), ("1s", "lease-duration"),
                                            ("10s", "lease.renewDeadline must be shorter than lease.duration")])
def test_lease_times_that_cannot_be_kept_are_refused(run, duration, said):
    code, message = run("watcher", "--lease-duration", duration)
    assert code == USAGE and said in message, message
