# SPDX-License-Identifier: Apache-2.0
"""./dev run: its output, its exit code, and that it leaves no process and no folder."""

import os
import re
import signal
import subprocess
import sys

import pytest
import yaml

from parents import DATABASE_CO, IRIS_OF_TEST, POD_SET, iris
from support import manifests, paths, processes
from support.eventually import FACTOR, eventually
from support.kube import Kube
from support.namespace import Namespace


class Run:
    """`./dev run ARGUMENTS` with its own cache folder. Its output goes to a file."""

    def __init__(self, cache, *arguments, **more_environment):
        self.cache, self.output = cache, cache / "output"
        controlplane = os.path.realpath(os.path.dirname(paths.controlplane_binary("kubectl")))
        environment = os.environ | {"XEBEC_CACHE": str(cache), "XEBEC_CONTROLPLANE": controlplane,
                                    "PYTHONPATH": f"{paths.ROOT}:{paths.ROOT}/tests",
                                    "XEBEC_RUN_TIMEOUT": str(180 * FACTOR)} | more_environment
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(processes.guarded([sys.executable, "-m", "devtools.run", *arguments]), env=environment,
                                            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def text(self):
        return self.output.read_text(encoding="utf-8")

    def prints(self, pattern):
        """Waits for the pattern in the output and returns the match."""
        def found():
            assert self.process.poll() is None or re.search(pattern, self.text()), self.text()
            return re.search(pattern, self.text())
        return eventually(found, timeout=90, what=f"the output contains {pattern!r}")

    def has_started(self, name):
        """Waits until one of its processes has that name."""
        def started():
            assert self.process.poll() is None, self.text()
            return name in {entry[2] for folder in self.folders() for entry in processes.recorded(folder)}
        eventually(started, what=f"{name} is started")

    def end(self, number=None):
        """The exit code, after that signal if one is given."""
        if number:
            self.process.send_signal(number)
        return self.process.wait(90 * FACTOR)

    def folders(self):
        return list((self.cache / "run").iterdir()) if (self.cache / "run").exists() else []

    def left(self):
        """Every process that writes into a log of its run, whoever started it: {pid: command}."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/fd/1").startswith(f"{self.cache}/run/"):
                    with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
                        found[int(pid)] = file.read().strip()
            except OSError:
                continue  # the process ended, or belongs to another user
        return found

    def has_left_nothing(self):
        eventually(lambda: not self.left(), what="no process is left")
        assert self.folders() == []


@pytest.fixture
def run(tmp_path):
    """Starts one; those that a failed test leaves are ended."""
    started = []

    def start(*arguments, **more_environment):
        started.append(Run(tmp_path, *arguments, **more_environment))
        return started[-1]
    yield start
    for each in started:
        if each.process.poll() is None:
            each.process.kill()
            each.process.wait()


def test_an_interrupted_start_leaves_nothing_and_the_next_one_shows_every_example(run):
    interrupted = run()
    interrupted.has_started("etcd")
    assert interrupted.end(signal.SIGINT) == 130, interrupted.text()
    interrupted.has_left_nothing()
    assert "Traceback" not in interrupted.text()

    killed = run()
    killed.has_started("watcher")
    assert {"etcd", "kube-apiserver", "xebec-planner"} <= set(killed.left().values())
    killed.end(signal.SIGKILL)
    eventually(lambda: not killed.left(), what="no process is left")

    once = run("--once")
    assert once.end() == 0, once.text()
    once.has_left_nothing()
    shown = once.text()
    for crd in manifests.crds_of_kinds():
        assert re.search(rf"^default +{crd['spec']['names']['singular']}\.{crd['spec']['group']}/", shown, re.M), (crd["metadata"]["name"], shown)
    assert re.search(r'Normal +Created +iris/iris-sample +Created deployment "iris-sample"', shown), shown
    for line in ("watcher  watches irises.example.com", "planner  planned Iris default/iris: apply deployments.apps default/iris; status",
                 "applier  created deployments.apps default/iris", "applier  wrote the status of iris.test.myardyas.club default/iris"):
        assert re.search(rf"^\d\d:\d\d:\d\d  {re.escape(line)}$", shown, re.M), (line, shown)
    states = re.findall(r"^\d\d:\d\d:\d\d  (.* watches .*|.* already there)$", shown, re.M)
    assert len(states) == len(set(states)), states


def test_it_runs_until_ctrl_c_and_prints_commands_to_inspect_it(run):
    running = run("--hooks")
    kubeconfig = running.prints(r"export KUBECONFIG=(\S+)")[1]
    running.prints(r"Metrics: hooks http://\S+/metrics ")
    running.prints("Press Ctrl-C to stop everything")
    assert Kube.from_kubeconfig(kubeconfig).get(IRIS_OF_TEST, "iris", "default") is not None
    request = running.prints(r"grpcurl (-plaintext -d @ \S+ \S+) < (\S+)")
    asked = subprocess.run([paths.controlplane_binary("grpcurl"), *request[1].split()], capture_output=True, text=True, check=False,
                           input=(paths.ROOT / request[2]).read_text(encoding="utf-8"))
    assert '"kind": "Deployment"' in asked.stdout, asked.stderr

    assert running.end(signal.SIGINT) == 130, running.text()

    running.has_left_nothing()
    assert "Traceback" not in running.text()


@pytest.fixture(scope="module")
def existing(cluster, node, kube, shared_services):
    """The cluster of the tests with the shared services stopped. Deletes the examples at the end: a new controller
    manager needs half a minute until it garbage-collects children of new kinds."""
    shared_services.stop()
    yield cluster
    Namespace(kube, "default").delete_parents()


def test_a_cluster_of_the_user_keeps_crds_and_examples(run, existing, kube):
    once = run("--once", "--kubeconfig", str(existing.kubeconfig), "--context", "xebec")

    assert once.end() == 0, once.text()

    once.has_left_nothing()
    assert "start etcd" not in once.text() and "kubectl get xebec -A" in once.text()
    assert "skipped examples/database/database.yaml: the image super-great-docker-image does not exist" in once.text()
    assert manifests.condition(kube.get(POD_SET, "example-podset", "default"), "Ready")["status"] == "True"
    assert kube.get(DATABASE_CO, "my-first-crd-database", "default") is None


def test_a_cluster_of_the_user_needs_no_control_plane_programs(run, existing, tmp_path):
    """PATH has a kubectl and no Go; $XEBEC_CONTROLPLANE and the cache are empty."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "kubectl").symlink_to(os.path.realpath(paths.controlplane_binary("kubectl")))

    once = run("--once", "--kubeconfig", str(existing.kubeconfig), PATH=f"{tools}:/usr/bin:/bin", XEBEC_CONTROLPLANE=str(tmp_path / "none"))

    assert once.end() == 0, once.text()


def test_an_example_that_is_not_ready_in_time_is_named_and_fails_the_run(run, existing, tmp_path):
    folder = tmp_path / "examples/iris"
    folder.mkdir(parents=True)
    (folder / "iris.yaml").write_text(yaml.safe_dump_all([iris("good", replicas=1), iris("bad", image=" blanks around ")]))

    once = run("--once", "--kubeconfig", str(existing.kubeconfig), XEBEC_EXAMPLES=str(folder.parent), XEBEC_RUN_TIMEOUT=str(4 * FACTOR))

    assert once.end() == 1, once.text()
    once.has_left_nothing()
    assert re.findall(r"^    irises.example.com default/(\w+: \w+): .*image", once.text(), re.M) == ["bad: InvalidSpec"], once.text()
    assert "kubectl get xebec -A" in once.text()


def test_it_exits_when_a_service_exits(run, existing, tmp_path):
    running = run("--context", "xebec", KUBECONFIG=f"{tmp_path}/none{os.pathsep}{existing.kubeconfig}")
    running.prints("Press Ctrl-C to stop everything")
    [planner] = [pid for pid, name in running.left().items() if name == "xebec-planner"]

    os.kill(planner, signal.SIGKILL)

    assert running.end() == 1
    assert "./dev run: planner exited with status -9" in running.text()
    running.has_left_nothing()


def rewritten(path, old, new, target):
    text = path.read_text(encoding="utf-8")
    assert re.search(old, text), text
    target.write_text(re.sub(old, new, text), encoding="utf-8")
    return str(target)


@pytest.mark.parametrize("case", ["missing", "garbage", "unknown context", "nobody there", "not known there"])
def test_an_unusable_kubeconfig_is_reported_in_one_line(run, cluster, tmp_path, case):
    good, bad = cluster.kubeconfig, tmp_path / "bad.kubeconfig"
    arguments, told = {
        "missing": lambda: (["--kubeconfig", str(bad)], f"{bad} does not exist"),
        "garbage": lambda: (["--kubeconfig", rewritten(good, "(?s)^.*$", "clusters: 5", bad)], f"cannot use {bad}"),
        "unknown context": lambda: (["--kubeconfig", str(good), "--context", "nowhere"], "nowhere"),
        "nobody there": lambda: (["--kubeconfig", rewritten(good, r'(https://127.0.0.1:)\d+', r"\g<1>1", bad)], "connection refused"),
        "not known there": lambda: (["--kubeconfig", rewritten(good, '"token": "\\w+"', '"token": "wrong"', bad)], "401 Unauthorized"),
    }[case]()

    wrong = run("--once", *arguments)

    assert wrong.end() == 1
    [line] = wrong.text().splitlines()
    assert line.startswith("./dev run: ") and told in line
    wrong.has_left_nothing()
