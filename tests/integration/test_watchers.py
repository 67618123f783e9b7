# SPDX-License-Identifier: Apache-2.0
"""Three watchers answer as one, whichever is asked: keys, explain, observation, activity and watchers."""

import contextlib
import itertools
import json
import subprocess
import threading

import pytest

import burst
from parents import IRIS, iris
from support import grpcurl, paths
from support.eventually import eventually
from support.services import environment

XEBEC = paths.service_binary("xebec")
FLAGS = ["--advertise", "127.0.0.1"]
MANY = 40


def run(watcher, *arguments):
    return subprocess.run([XEBEC, *arguments, "--watcher", watcher.address], capture_output=True, text=True, env=environment(),
                          timeout=60, check=False)


def answer(watcher, *arguments):
    """What xebec prints; there must be no warning."""
    done = run(watcher, *arguments)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def members(watcher):
    return json.loads(answer(watcher, "watchers", "-o", "json"))


def keys_of(text, here):
    return [key["ref"]["name"] for key in json.loads(text)["keys"] if key["ref"]["namespace"] == here.name]


def own_keys(watcher, here):
    """The parents that this watcher alone knows."""
    request = {"namespace": here.name, "thisWatcherOnly": True, "pageSize": 1000}
    keys = grpcurl.call(watcher.address, "WatcherService/ListKeys", request, grpcurl.proto("watcher")).get("keys", [])
    return {key["ref"]["name"] for key in keys}


def share(watcher, count):
    """Waits until `count` watchers hold all buckets."""
    def shared():
        now = members(watcher)
        return len(now["watchers"]) == count and all(each.get("bucketCount") for each in now["watchers"]) and \
            not now.get("unassignedBuckets") and now
    return eventually(shared, what=f"{count} watchers hold all buckets")


@pytest.fixture
def three(here, services):
    """Three watchers in place of one, with all buckets, and MANY parents in the namespace."""
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(services.stand_in("watcher", *FLAGS))
        others = [services.another("watcher", f"watcher-{number}") for number in (2, 3)]
        for other in others:
            other.start(*FLAGS)
            stack.callback(lambda it=other: it.running() and it.stop())
        for other in others:
            other.wait_ready()
        burst.create(here, MANY)
        burst.all_ready(here, MANY)
        share(first, 3)
        yield [first, *others]


def test_each_watcher_lists_the_parents_of_all_and_knows_a_part(here, three):
    expected = sorted(burst.names(MANY))
    for watcher in three:
        assert keys_of(answer(watcher, "keys", "-n", here.name, "-o", "json"), here) == expected
    parts = [own_keys(watcher, here) for watcher in three]
    assert set().union(*parts) == set(expected)
    assert all(len(part) < MANY for part in parts), parts


def test_each_watcher_explains_and_observes_every_parent(here, three):
    for name, watcher in zip(burst.names(12), itertools.cycle(three)):
        assert answer(watcher, "explain", f"iris/{name}", "-n", here.name).startswith(f"{IRIS} {here.name}/{name}   ")
        observed = json.loads(answer(watcher, "observation", "iris", name, "-n", here.name))
        assert observed["observation"]["parent"]["object"]["metadata"]["name"] == name
    done = run(three[0], "explain", "iris/nobody", "-n", here.name)
    assert done.returncode == 1
    assert f"no iris {here.name}/nobody exists" in done.stderr


def test_each_watcher_lists_all_watchers_with_what_each_says_of_itself(three):
    for watcher in three:
        now = members(watcher)
        assert sum(each["bucketCount"] for each in now["watchers"]) == now["bucketCount"]
        assert [each["address"] for each in now["watchers"] if each.get("answering")] == [watcher.address]
        assert {each["address"] for each in now["watchers"]} == {each.address for each in three}
        assert all(int(each["keys"]) > 0 and int(each["residentBytes"]) > 1 << 20 for each in now["watchers"])
        assert {each["state"] for each in now["watchers"]} == {"WATCHER_STATE_ACTIVE"}
    head, *lines = answer(three[0], "watchers").splitlines()
    assert head.split() == ["NAME", "ADDRESS", "STATE", "BUCKETS", "KEYS", "MEMORY"]
    assert len(lines) == 3 and sum(" (queried) " in line for line in lines) == 1


def test_a_killed_watcher_is_named_until_the_others_have_its_parents(here, three):
    first, killed, other = three
    killed.kill()

    done = run(first, "keys", "-n", here.name)
    assert done.returncode == 0
    assert f"at {killed.address} did not answer, so the output may be incomplete: " in done.stderr
    silent = run(first, "watchers")
    assert silent.returncode == 0 and f"at {killed.address} did not answer" in silent.stderr

    for each in (first, other):
        share(each, 2)

    def all_are_listed():
        done = run(first, "keys", "-n", here.name, "-o", "json")
        listed = keys_of(done.stdout, here)
        assert listed == sorted(burst.names(MANY)) or "is still listing the objects of " in done.stderr, done
        return not done.stderr

    eventually(all_are_listed, what="the others have listed the parents of the buckets that they have taken over")


def records(watcher, message):
    return [record for record in watcher.log_records() if record.get("msg") == message]


def test_a_watcher_that_stops_hands_its_objects_to_the_others(here, three, audit):
    *staying, leaving = three
    mark = audit.mark()
    before = [len(records(each, "Listed")) for each in staying]
    leaving.stop()
    share(staying[0], 2)
    for each, count in zip(staying, before, strict=True):
        taken = [record["detail"] for record in records(each, "Listed")[count:]]
        for kind in ("irises.example.com", "deployments.apps"):
            assert [text for text in taken if text.startswith(f"{kind}: ")][0].endswith("(handed over)"), (kind, taken)
    assert set().union(*(own_keys(each, here) for each in staying)) >= {name for name in burst.names(MANY)}
    assert not audit.writes(mark)


def test_the_activity_of_all_watchers_is_followed_at_one(here, three):
    identities = {each["identity"] for each in members(three[0])["watchers"]}
    command = [XEBEC, "activity", "-o", "json", "--watcher", three[0].address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()) as process:
        lines, numbers = [], itertools.count()
        reader = threading.Thread(target=lambda: lines.extend(process.stdout))
        reader.start()

        def all_tell():
            here.create(iris(f"seen-{next(numbers)}"))
            return all(any(f'"watcher": "{identity}"' in line for line in list(lines)) for identity in identities)
        try:
            eventually(all_tell, every=0.3, what="the activity of all watchers is shown")
        finally:
            process.terminate()
            reader.join()
        assert process.stderr.read() == ""
