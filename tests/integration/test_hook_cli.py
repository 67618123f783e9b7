# SPDX-License-Identifier: Apache-2.0
"""`xebec hook check`, `xebec plan --hook`, and the parents of Operators in other commands."""

import json
import re
import subprocess

import pytest

from support import hooks, paths, pki
from support.eventually import eventually
from support.fixtures import new_namespace
from support.hooks import PAGES, operator, operator_is, page
from support.processes import free_port
from support.services import environment

XEBEC = paths.service_binary("xebec")
MANIFESTS = [f"--filename={path}" for path in sorted((paths.EXAMPLES / "operators/python-website/manifests").glob("*.yaml")) if path.stem != "program"]
NAME = "pages.hooks.test"


def run(*arguments, typed=""):
    return subprocess.run([XEBEC, *arguments], input=typed, capture_output=True, text=True, env=environment(), timeout=120, check=False)


@pytest.fixture(scope="module")
def website(folder):
    hook = hooks.Hook(folder, hooks.PYTHON_WEBSITE, "website-hook").start()
    wait_for(hook)
    yield hook
    hook.stop()


@pytest.fixture(scope="module")
def raw(folder):
    hook = hooks.Hook(folder, hooks.RAW, "raw-hook").start()
    wait_for(hook)
    yield hook
    hook.stop()


def documents(content, timeout="10s"):
    """A page and its Operator."""
    declared = operator(NAME, "unused.example.com:1")
    declared["spec"]["hook"]["timeout"] = timeout
    shown = page("one", content)
    shown["metadata"]["namespace"] = "default"
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [declared, shown]})


def wait_for(hook):
    eventually(lambda: "ok   describe" in run("hook", "check", hook.address, "-f", "-", typed=documents("good")).stdout, what="the hook serves")


def check(hook, content, *flags, timeout="10s"):
    return run("hook", "check", hook.address, "-f", "-", *flags, typed=documents(content, timeout))


# ---- hook check


def test_an_example_follows_the_rules(website):
    done = run("hook", "check", website.address, *MANIFESTS)
    assert (done.returncode, done.stderr) == (0, ""), done
    lines = done.stdout.splitlines()
    assert re.fullmatch(r"ok   describe   revision [0-9a-f]+, library xebec-operator-python/\S+, with SyncStream", lines[0])
    assert lines[1] == "Website hello"
    assert [line.split()[:2] for line in lines[2:]] == [
        ["ok", name] for name in ("request", "answer", "repeat", "speed", "decision", "plan")]
    assert "3 objects to apply, 0 objects to delete, 1 condition" in done.stdout


@pytest.mark.parametrize("content, failed, message", [
    ("random", "repeat", r"equal requests have different answers: desired.status.calls is \d+, then \d+; decide from the request only"),
    ("501 children", "decision", "desired.children has 501 entries; the limit is 500"),
    ("no name", "decision", "a ConfigMap has no metadata.name"),
    ("another namespace", "decision", 'is in namespace "kube-system", but the parent is in "default"'),
    ("undeclared kind", "decision", r"the Operator declares no children of kind Pod \(v1\)"),
    ("unknown enum", "decision", "event type 9 is unknown"),
    ("unknown field", "decision", "desired has field 99, which this version of Xebec does not know"),
    ("deep", "decision", "desired.status is not JSON"),
    ("invalid UTF-8", "answer", "not UTF-8"),
    ("20 MiB", "answer", "sent an answer of more than 8388608 bytes"),
], ids=lambda value: value if isinstance(value, str) and len(value) < 20 else "")
def test_a_hook_that_breaks_a_rule_fails(raw, content, failed, message):
    done = check(raw, content)
    assert done.returncode == 1
    assert re.search(rf"^FAIL +{failed} +.*{message}", done.stdout, re.M), done.stdout
    assert re.fullmatch(r"xebec hook check: 1 of \d checks failed\n", done.stderr)


def test_a_slow_hook_fails(raw):
    done = check(raw, "slow", timeout="5s")
    assert done.returncode == 1
    assert re.search(r"^FAIL +speed +the slowest call took 3\d\d\dms, the timeout is 5s; decide faster", done.stdout, re.M), done.stdout
    done = check(raw, "slow", timeout="500ms")
    assert re.search(r"^FAIL +answer +.* did not answer within 500ms", done.stdout, re.M), done.stdout


def test_a_hook_that_is_not_there_fails():
    done = run("hook", "check", f"127.0.0.1:{free_port()}", "-f", "-", "--timeout=1s", typed=documents("good"))
    assert done.returncode == 1
    assert re.fullmatch(r"FAIL   describe   cannot connect to the hook at .*\n", done.stdout), done
    assert done.stderr == "xebec hook check: 1 of 1 check failed\n"


def test_the_report_is_json(raw):
    done = check(raw, "501 children", "-o", "json")
    checks = json.loads(done.stdout)["checks"]
    assert [each["check"] for each in checks if not each["ok"]] == ["decision"]
    assert checks[-1]["parent"] == "Page default/one"


def test_a_hook_with_tls_is_checked_with_the_flags_of_other_commands(folder):
    made = folder.path / "hook-cli-pki"
    made.mkdir()
    pki.make_ca(made)
    pki.make_certificate(made, "hook", "/CN=hook", "serverAuth", "DNS:web.test")
    hook = hooks.Hook(folder, hooks.RAW, "tls-hook").start(XEBEC_HOOK_TLS_CERT=str(made / "hook.crt"), XEBEC_HOOK_TLS_KEY=str(made / "hook.key"))
    try:
        trusted = (f"--tls-ca={made / 'ca.crt'}", "--tls-server-name=web.test")
        eventually(lambda: check(hook, "good", *trusted).returncode == 0, what="the hook serves")
        assert "its certificate is not valid for" in check(hook, "good", trusted[0]).stdout
    finally:
        hook.stop()


@pytest.mark.parametrize("arguments, message", [
    (("hook",), "xebec hook: usage error: missing command: must be one of check"),
    (("hook", "chec"), "xebec hook: usage error: unknown command chec (did you mean check?)"),
    (("hook", "check"), "xebec hook check: usage error: missing argument ADDRESS"),
    (("hook", "check", "localhost:1"), "xebec hook check: usage error: missing flag --filename"),
    (("hook", "check", "http://localhost:1", "-f", "-"), "xebec hook check: usage error: "),
    (("plan", "-f", "-", "--hook", "localhost"), 'xebec plan: usage error: invalid value "localhost" for --hook: '),
    (("plan", "-f", "-", "--hook", "localhost:1", "--planner", "localhost:2"), "xebec plan: usage error: "),
    (("plan", "-f", "-", "--record", "file"), "xebec plan: usage error: --record requires --hook"),
], ids=lambda value: "-".join(value) if isinstance(value, tuple) else "")
def test_usage_errors(arguments, message):
    done = run(*arguments)
    assert done.returncode == 2 and done.stderr.startswith(message), done


# ---- plan --hook


def test_a_website_is_planned_with_its_hook(website):
    done = run("plan", *MANIFESTS, "--hook", website.address)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert done.stdout.startswith("Website hello: 3 operations\n")
    for line in (r"1\.   \+   apply   ConfigMap default/hello", r"1\.   \+   apply   Service default/hello", r"2\.   \+   apply   Deployment default/hello"):
        assert re.search(rf"^  {line}", done.stdout, re.M), done.stdout
    assert re.search(r"^  Ready +False +Deploying +0 of 2 replicas are ready$", done.stdout, re.M)
    compared = run("diff", *MANIFESTS, "--hook", website.address)
    assert compared.returncode == 1 and "+ Deployment default/hello" in compared.stdout


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_recording_with_answers_is_planned_without_the_hook(website, tmp_path, output):
    file = tmp_path / "recorded.json"
    live = run("plan", *MANIFESTS, "--hook", website.address, "--record", str(file), "-o", output)
    assert (live.returncode, live.stderr) == (0, ""), live
    recorded = json.loads(file.read_text())["observation"]
    assert len(recorded["hookAnswers"]) == 1 and recorded["declaration"]["object"]["kind"] == "Operator"
    replayed = run("plan", "-f", str(file), "-o", output)
    assert (replayed.returncode, replayed.stdout, replayed.stderr) == (0, live.stdout, "")
    assert "Deployment" in live.stdout


def test_a_recorded_failure_is_replayed(raw, tmp_path):
    file = tmp_path / "recorded.json"
    live = run("plan", "-f", "-", "--hook", raw.address, "--record", str(file), typed=documents("no name"))
    assert live.returncode == 1
    replayed = run("plan", "-f", str(file))
    assert replayed.stdout == live.stdout


def test_a_hook_that_fails_fails_the_plan(raw):
    done = run("plan", "-f", "-", "--hook", raw.address, typed=documents("no name"))
    assert done.returncode == 1
    assert "Note: the answer of the hook is invalid: desired.children[0]: a ConfigMap has no metadata.name" in done.stdout
    assert done.stderr == "xebec plan: cannot plan 1 of 1 parent\n"


def test_a_parent_without_its_operator_is_named(raw):
    done = run("plan", "-f", "-", "--hook", raw.address, typed=json.dumps(page("one")))
    assert done.returncode == 1
    assert done.stderr.startswith("xebec plan: no Operator in the files declares Page one: pass the manifest of the Operator")


# ---- with services


@pytest.fixture(scope="module")
def hooked(folder, cluster):
    with hooks.hooked_services(folder, cluster) as services:
        yield services.services


@pytest.fixture
def space(request, kube, hooked):
    yield new_namespace(request, kube)
    hooks.remove_everything(kube, PAGES)


def test_a_recorded_observation_is_planned_and_checked_with_its_hook(kube, space, hooked, raw):
    kube.apply(operator(NAME, raw.address))
    space.create(page("one", "good"))
    space.appears("configmaps", "one")
    flags = ("-n", space.name, "--watcher", hooked.watcher.address)
    recorded = run("observation", "pages", "one", *flags).stdout
    changed = json.loads(recorded)
    for group in changed["observation"]["children"]:
        group.pop("objects", None)
    changed = json.dumps(changed)

    done = run("plan", "-f", "-", "--hook", raw.address, typed=changed)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert f"+   apply   ConfigMap {space.name}/one" in done.stdout
    alone = run("plan", "-f", "-", typed=changed)
    assert f"Requires an answer of the hook at {raw.address}: pass --hook ADDRESS to call it." in alone.stdout, alone
    checked = run("hook", "check", raw.address, "-f", "-", typed=recorded)
    assert (checked.returncode, checked.stderr) == (0, ""), checked


def test_keys_and_explain_show_the_controllers_of_a_parent(kube, space, hooked, raw):
    kube.apply(operator(NAME, raw.address))
    kube.apply(operator("second", raw.address, status=False))
    space.create(page("one", "good"))
    flags = ("-n", space.name, "--watcher", hooked.watcher.address)

    def listed():
        lines = run("keys", "pages", *flags).stdout.splitlines()
        return lines[0].split()[:5] == ["KIND", "NAMESPACE", "NAME", "CONTROLLER", "STATE"] and [line.split()[3] for line in lines[1:]]
    eventually(lambda: listed() == [NAME, "second"], what="keys of both controllers")
    controllers = [key["controller"] for key in json.loads(run("keys", "pages", "-o", "json", *flags).stdout)["keys"]]
    assert controllers == [NAME, "second"]
    ambiguous = run("explain", "pages", "one", *flags)
    assert ambiguous.returncode == 1
    assert f"pages {space.name}/one has 2 controllers: ask for controller {NAME} or second" in ambiguous.stderr
    assert run("explain", "pages", "one", "--controller=second", *flags).stdout.startswith(f"{PAGES} {space.name}/one")
    observed = json.loads(run("observation", "pages", "one", "--controller=second", *flags).stdout)
    assert observed["observation"]["envelope"]["controller"] == "second"


def test_the_watcher_counts_calls_and_shows_unavailable_hooks(kube, folder, space, hooked, raw):
    shown = hooked.watcher.metric
    kube.apply(operator(NAME, raw.address))
    space.create(page("one", "good"))
    space.appears("configmaps", "one")
    eventually(lambda: shown("xebec_operator_calls_total", operator=NAME, result="ok") >= 1, what="a counted call")
    assert shown("xebec_operator_call_duration_seconds_count", operator=NAME) >= 1
    assert shown("xebec_operator_hook_available", operator=NAME) == 1
    assert shown("xebec_operator_call_limit", operator=NAME) >= 8
    assert shown("xebec_gateway_credits") > 0
    absent = operator("absent", f"127.0.0.1:{free_port()}", resource="tenants")
    kube.apply(absent)
    operator_is(kube, "absent", "False", "HookUnavailable", "HookAvailable")
    series = 'xebec_operator_hook_available{operator="absent"}'
    eventually(lambda: hooked.watcher.metrics().get(series) == 0, what="the hook is shown as unavailable")
    hooks.remove_operators(kube)
    eventually(lambda: series not in hooked.watcher.metrics(), what="the series of an Operator go with it")
