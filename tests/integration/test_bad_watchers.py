# SPDX-License-Identifier: Apache-2.0
"""Several watchers of which one has the instance of another or another number of buckets, or whose Leases are deleted
or edited by hand: they say what is wrong, no parent is planned twice, and none is lost."""

import json
import subprocess

import burst
import pytest
from parents import IRIS, POD_SET
from shared_load import assert_nothing_lost_or_doubled, fleet, load, written_without_a_change
from support import paths
from support.assignment import LEASES, NAMESPACE, assignment, lease, members, numbers, shares
from support.eventually import eventually
from support.services import environment, stop_together

MANY = 120
SOME = 40
OTHER = 64  # buckets


def reasons(watcher):
    """What the watchers that get no buckets say."""
    done = subprocess.run([paths.service_binary("xebec"), "watchers", "-o", "json", "--watcher", watcher.address], capture_output=True,
                          text=True, env=environment(), timeout=60, check=True)
    return [each["reason"] for each in json.loads(done.stdout)["watchers"] if each.get("reason")]


def listed(watcher):
    return subprocess.run([paths.service_binary("xebec"), "watchers", "--watcher", watcher.address], capture_output=True, text=True,
                          env=environment(), timeout=60, check=True).stdout


def said(watcher, message):
    return [record.get("detail", "") for record in watcher.log_records() if record.get("msg") == message]


def test_two_watchers_with_one_instance_share_the_parents_and_the_first_says_what_is_wrong(here, services, kube, audit):
    with fleet(services, kube, 1) as watchers:
        mark = audit.mark()
        with load(here, 15, MANY) as names:
            [first], [identity] = watchers.watchers, shares(kube)
            watchers.add(1, instance=0)
            watchers.shared_by(2)
            assert identity in shares(kube), "the first one goes on, with another Lease"
        assert_nothing_lost_or_doubled(here, audit, mark, names)
        [detail] = said(first, "Lease lost")
        assert "another process has the same instance" in detail, detail


def test_watchers_of_two_releases_that_have_the_same_leases_and_other_kinds_say_so_and_lose_no_parent(here, services, kube):
    with fleet(services, kube, 1) as watchers:
        watchers.add(1, "--kinds", IRIS)
        watchers.shared_by(2)
        identities = watchers.identities()
        for index, other in (0, 1), (1, 0):
            [detail] = eventually(lambda: said(watchers.watchers[index], "Watchers differ"), 180, what="the watchers have differed for a minute")
            assert identities[other] in detail and "give both the same settings, or another lease.prefix to one of them" in detail, detail
            assert watchers.watchers[index].metric("xebec_watchers_differing") == 1
        for each in watchers.watchers:
            assert "differ from those of the watcher that answers, so some parents are not reconciled" in listed(each)
        burst.create(here, SOME)
        burst.create(here, SOME, prefix="set", resource=POD_SET)
        burst.all_ready(here, SOME)
        watchers.watchers[1].stop()
        for name in burst.names(SOME, "set"):
            here.is_ready(POD_SET, name)
        assert "differ" not in listed(watchers.watchers[0])


def test_deleted_leases_are_made_again_under_load(here, services, kube, audit):
    with fleet(services, kube, 3) as watchers:
        mark = audit.mark()
        with load(here, 15, MANY) as names:
            eventually(lambda: len(burst.creations(audit, mark, here)) > 10, what="the burst is under way")
            for victims in (lambda: [next(iter(members(kube).values()))["metadata"]["name"]],
                            lambda: [each["metadata"]["name"] for each in members(kube).values()] + ["xebec-watcher-assignment"]):
                for name in (names_of := victims()):
                    kube.delete(LEASES, name, NAMESPACE)
                eventually(lambda: len(members(kube)) == 3 and lease(kube), what=f"there are Leases again after {names_of}")
                watchers.shared_by(3)
        assert_nothing_lost_or_doubled(here, audit, mark, names)
        assert any(said(each, "Assignment deleted") for each in watchers.watchers)
        lost = [detail for each in watchers.watchers for detail in said(each, "Lease lost")]
        assert lost and all("another client released or deleted the Lease" in detail for detail in lost), lost


def test_a_deleted_assignment_is_written_again_with_the_same_holders(here, services, kube, audit):
    with fleet(services, kube, 3) as watchers:
        mark, before = audit.mark(), assignment(kube)
        with load(here, 15, MANY) as names:
            eventually(lambda: len(burst.creations(audit, mark, here)) > 10, what="the burst is under way")
            kube.delete(LEASES, "xebec-watcher-assignment", NAMESPACE)
            eventually(lambda: lease(kube), what="there is an assignment again")
        assert_nothing_lost_or_doubled(here, audit, mark, names)
        after = assignment(kube)
        assert after["watchers"] == before["watchers"]
        assert all(now >= was for was, now in zip(before["epochs"], after["epochs"]))


def malformed(_):
    return "{"


def missing(_):
    return None


def of_nobody(was):
    """The buckets of one watcher are those of a watcher that does not exist."""
    victim, *others = was["watchers"]
    return json.dumps(was | {"watchers": {"nobody": was["watchers"][victim]} | {each: was["watchers"][each] for each in others}})


def of_low_epochs(was):
    return json.dumps(was | {"epochs": [1] * len(was["epochs"])})


def of_the_highest_epochs(was):
    """Epochs that cannot rise any more."""
    return json.dumps(was | {"epochs": [0x7fffffff] * len(was["epochs"])})


def freed(was):
    """Nobody has a bucket, although the holders plan them."""
    return json.dumps(was | {"watchers": {}})


def exchanged(was):
    """Two watchers have the buckets of each other, in the same epochs."""
    one, two, *_ = was["watchers"]
    return json.dumps(was | {"watchers": was["watchers"] | {one: was["watchers"][two], two: was["watchers"][one]}})


def of_half_as_many_buckets(was):
    """The number of a later installation, and the same holders."""
    half = was["buckets"] // 2
    kept = {each: ",".join(str(bucket) for bucket in numbers(ranges) if bucket < half) for each, ranges in was["watchers"].items()}
    return json.dumps(was | {"buckets": half, "epochs": was["epochs"][:half], "watchers": kept, "inDoubt": "", "stated": ""})


def of_half_as_many_buckets_and_freed(was):
    return json.dumps(json.loads(of_half_as_many_buckets(was)) | {"watchers": {}})


@pytest.mark.parametrize("edit, note", [(malformed, "Assignment unreadable"), (missing, "Assignment unreadable"),
                                        (of_nobody, "Assigned to nobody"), (of_low_epochs, "Assignment edited"),
                                        (of_the_highest_epochs, "Assignment unreadable"), (exchanged, "Assignment edited"),
                                        (freed, "Assignment edited"), (of_half_as_many_buckets, "Assignment edited"),
                                        (of_half_as_many_buckets_and_freed, "Assignment edited")])
def test_an_assignment_that_was_edited_is_repaired_under_load(here, services, kube, audit, edit, note):
    with fleet(services, kube, 3) as watchers:
        mark, before = audit.mark(), assignment(kube)
        edited = edit(before)

        def repaired():
            text = lease(kube)["metadata"]["annotations"]["xebec.dev/assignment"]
            assert text != edited, text
            now = json.loads(text)["epochs"]
            assert all(new >= old for new, old in zip(now, before["epochs"], strict=True)) and sum(now) > sum(before["epochs"]), text
            return True
        with load(here, 15, MANY) as names:
            eventually(lambda: len(burst.creations(audit, mark, here)) > 10, what="the burst is under way")
            kube.patch(LEASES, "xebec-watcher-assignment", NAMESPACE, {"metadata": {"annotations": {"xebec.dev/assignment": edited}}})
            eventually(repaired, what="the assignment is repaired")
            watchers.shared_by(3)
        assert_nothing_lost_or_doubled(here, audit, mark, names)
        assert any(said(each, note) for each in watchers.watchers), note


def test_a_watcher_with_another_number_of_buckets_waits_until_the_others_have_ended(here, services, kube, audit):
    with fleet(services, kube, 2) as watchers:
        mark, before = audit.mark(), assignment(kube)
        with load(here, 15, MANY) as names:
            watchers.add(1, f"--buckets={OTHER}")
            [reason] = eventually(lambda: reasons(watchers.watchers[0]), what="the new one is known")
            assert f"{OTHER}" in reason and f"{before['buckets']}" in reason, reason
            assert said(watchers.watchers[2], "Other number of buckets") == [reason]
            eventually(lambda: len(burst.creations(audit, mark, here)) > 20, what="the burst goes on")
            assert assignment(kube)["watchers"] == before["watchers"], "it has no part in this"
            stop_together(watchers.watchers[:2])
            watchers.shared_by(1)
            assert assignment(kube)["buckets"] == OTHER
            assert min(assignment(kube)["epochs"]) > max(before["epochs"])
        assert_nothing_lost_or_doubled(here, audit, mark, names)
        assert written_without_a_change(here, audit, mark) == {}, "no watcher repeats what another one has done"


def test_another_number_of_buckets_is_rolled_back_half_way_and_at_the_end(here, services, kube, audit):
    with fleet(services, kube, 2) as watchers:
        mark, before = audit.mark(), assignment(kube)
        with load(here, 15, MANY) as names:
            watchers.add(1, f"--buckets={OTHER}")
            eventually(lambda: reasons(watchers.watchers[0]), what="the new one waits")
            stop_together(watchers.watchers[2:])
            eventually(lambda: not reasons(watchers.watchers[0]), what="the new one has gone")
            assert (assignment(kube)["watchers"], assignment(kube)["epochs"]) == (before["watchers"], before["epochs"])

            watchers.start(2, f"--buckets={OTHER}")
            stop_together(watchers.watchers[:2])
            watchers.shared_by(1)
            changed = assignment(kube)
            assert changed["buckets"] == OTHER
            watchers.start(0)
            eventually(lambda: reasons(watchers.watchers[2]), what="the old one waits")
            stop_together(watchers.watchers[2:])
            watchers.shared_by(1)
            assert assignment(kube)["buckets"] == before["buckets"]
            assert min(assignment(kube)["epochs"]) > max(changed["epochs"])
        assert_nothing_lost_or_doubled(here, audit, mark, names)
        assert written_without_a_change(here, audit, mark) == {}, "no watcher repeats what another one has done"
