# SPDX-License-Identifier: Apache-2.0
"""The command line, `xebec`; `helm test` runs its `check`."""

import itertools
import json
import re
import subprocess
import threading

import pytest

from parents import IRIS, deployment_of_nobody, iris
from support import paths
from support.eventually import eventually
from support.services import environment

XEBEC = paths.service_binary("xebec")


def run(*arguments, typed=""):
    return subprocess.run([XEBEC, *arguments], input=typed, capture_output=True, text=True, env=environment(), timeout=60, check=False)


def answer(*arguments, typed=""):
    done = run(*arguments, typed=typed)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def check(services):
    return run("check", "--timeout=2s", *(f"--{service.name}={service.address}" for service in services.all))


def test_three_serving_services_pass_the_check(services):
    done = check(services)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"xebec check: watcher \(1\), planner \(1\), applier \(1\) are serving; the plan for a test Iris has "
                        r"\d+ operations?\n", done.stdout)


def test_a_stopped_service_fails_the_check_by_name(services):
    services.applier.stop()
    done = check(services)
    assert done.returncode == 1 and done.stderr.startswith("xebec check: applier at ipv4:127.0.0.1:"), done
    assert done.stderr.count("\n") == 1


def test_keys_shows_where_every_parent_is(here, services):
    here.create(iris("sample", deploymentName="web"))
    here.is_ready(IRIS, "sample")

    def is_listed():
        head, line = answer("keys", "iris", "-n", here.name, "--watcher", services.watcher.address).splitlines()
        assert head.split()[:4] == ["KIND", "NAMESPACE", "NAME", "STATE"]
        return line.split()[:4] == [IRIS, here.name, "sample", "Idle"]
    eventually(is_listed)
    [key] = json.loads(answer("keys", "-o", "json", "-n", here.name, "--watcher", services.watcher.address))["keys"]
    assert key["ref"]["name"] == "sample"


def test_explain_says_what_was_done_and_what_is_waited_for(here, services):
    here.create(deployment_of_nobody("taken"))
    here.create(iris("late", deploymentName="taken"))
    here.has_condition(IRIS, "late", "Ready", "False", "NameConflict")

    def explained():
        text = answer("explain", "iris/late", "-n", here.name, "--watcher", services.watcher.address)
        assert re.match(rf"{IRIS} {here.name}/late   Delayed(, \d+ failures?)?, retry in \d+s\n", text), text
        assert f"Waiting for:\n  the name of Deployment {here.name}/taken\n" in text
        return re.search(rf"\n  apply deployments.apps {here.name}/taken   NameConflict   \d+s ago   Deployment .* has no controller", text)
    eventually(explained)


def test_a_parent_that_is_not_there_is_no_answer(here, services):
    done = run("explain", "iris", "nobody", "-n", here.name, "--watcher", services.watcher.address)
    assert done.returncode == 1
    assert re.fullmatch(rf"xebec explain: watcher at ipv4:\S+: no iris {here.name}/nobody exists; to list all parents, run xebec keys\n", done.stderr)


def test_an_observation_is_planned_here_as_the_planner_plans_it(here, services):
    here.create(iris("sample", deploymentName="web"))
    here.is_ready(IRIS, "sample")
    observation = json.loads(answer("observation", "iris", "sample", "-n", here.name, "--watcher", services.watcher.address))
    observation["observation"]["parent"]["object"]["spec"]["replicas"] = 5

    typed = json.dumps(observation)
    here_planned = json.loads(answer("plan", "-f", "-", "-o", "json", typed=typed))["plan"]
    there_planned = json.loads(answer("plan", "-f", "-", "-o", "json", "--planner", services.planner.address, typed=typed))["plan"]

    assert here_planned == there_planned
    assert f"~   apply   Deployment {here.name}/web" in answer("plan", "-f", "-", typed=typed)
    diff = run("diff", "-f", "-", typed=typed)
    assert (diff.returncode, diff.stderr) == (1, ""), diff
    assert diff.stdout == f"Iris {here.name}/sample\n  ~ Deployment {here.name}/web\n      spec.replicas: 1 -> 5\n"


def test_activity_is_followed_beyond_the_end_of_a_watcher(here, services):
    command = [XEBEC, "activity", "--watcher", services.watcher.address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()) as process:
        lines, numbers = [], itertools.count()
        reader = threading.Thread(target=lambda: lines.extend(process.stdout))
        reader.start()

        def more_comes():
            """What happened before the question reached the watcher is not shown."""
            before = len(lines)
            eventually(lambda: here.create(iris(f"seen-{next(numbers)}")) and len(lines) > before, every=0.5)
        try:
            more_comes()
            services.watcher.stop()
            services.watcher.start().wait_ready()
            more_comes()
        finally:
            process.terminate()
            reader.join()
        told = process.stderr.read()
    assert all(re.match(r"\d\d:\d\d:\d\d\.\d{3}   \w", line) for line in lines), lines
    assert told and set(told.splitlines()) == {"xebec activity: the watcher closed the connection; reconnecting"}, told


def test_watchers_lists_the_only_watcher(services):
    def holds_all():
        listed = json.loads(answer("watchers", "-o", "json", "--watcher", services.watcher.address))
        [watcher] = listed["watchers"]
        return watcher.get("bucketCount") == listed["bucketCount"] and watcher
    watcher = eventually(holds_all)
    assert watcher["answering"] and watcher["state"] == "WATCHER_STATE_ACTIVE" and int(watcher["residentBytes"]) > 1 << 20
    head, line = answer("watchers", "--watcher", services.watcher.address).splitlines()
    assert head.split() == ["NAME", "ADDRESS", "STATE", "BUCKETS", "KEYS", "MEMORY"]
    assert re.search(r" \(queried\) +Active +\d+ +\d+ +\d+Mi$", line)


@pytest.mark.parametrize("file", sorted(paths.EXAMPLES.glob("*/*.yaml")), ids=lambda file: file.stem)
def test_an_example_is_planned_without_a_cluster(file):
    assert re.search(r"^  (1\.   )?\+   apply +\w+ default/", answer("plan", "-f", str(file)), re.M)
