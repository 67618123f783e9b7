# SPDX-License-Identifier: Apache-2.0
"""Machines with different clocks. test_tls covers certificates that are not valid yet."""

import datetime
import json
import time

from parents import IRIS, UNSEEN, iris
from support.assignment import assignment, lease, members
from support.eventually import eventually
from support.kube import ApiError
from support.tcp_relay import TcpRelay

DURATION = 5
HOUR = 3600


def renew(kube, skew):
    """As a watcher on another machine, whose clock is that many seconds ahead, and which has taken all member Leases
    and buckets. False when somebody else writes them too."""
    now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=skew)
    held = members(kube)
    taken = "another-machine" not in held
    try:
        for member in held.values() if taken else [held["another-machine"]]:
            member["spec"] |= {"holderIdentity": "another-machine", "leaseDurationSeconds": DURATION,
                               "leaseTransitions": member["spec"]["leaseTransitions"] + taken, "renewTime": now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
            kube.replace(member)
        everything = assignment(kube)
        if set(everything["watchers"]) != {"another-machine"}:
            taken = True
            everything |= {"watchers": {"another-machine": f"0-{everything['buckets'] - 1}"}, "epochs": [each + 1 for each in everything["epochs"]]}
            written = lease(kube)
            written["metadata"]["annotations"]["xebec.dev/assignment"] = json.dumps(everything)
            kube.replace(written)
    except ApiError as error:
        assert error.code == 409
        return False
    return not taken


def test_a_lease_is_kept_by_being_renewed_and_lost_by_silence_whatever_time_it_says(here, kube, services):
    eventually(lambda: services.watcher.metric("leader_election_master_status") == 1, what="the watcher leads")
    eventually(lambda: renew(kube, -HOUR), what="another machine has taken the Lease")
    eventually(lambda: services.watcher.metric("leader_election_master_status") == 0, what="the watcher has noticed")
    here.create(iris("sample"))
    until = time.monotonic() + DURATION + 1
    while time.monotonic() < until:
        assert renew(kube, -HOUR), "taken from a holder that renews it, because its clock is late"
        time.sleep(0.2)
    assert here.get(IRIS, "sample")["status"] == UNSEEN

    assert renew(kube, HOUR)
    here.is_ready(IRIS, "sample")  # once the other has been silent for so long; not in an hour


def test_plans_that_are_over_by_the_appliers_clock_are_told_and_carried_out_when_the_clocks_agree(here, services):
    """For an applier, a plan that arrives late is one from a watcher whose clock is late."""
    refused = {"reason": "Expired"}
    before = services.applier.metric("xebec_apply_refused_total", **refused)
    with TcpRelay(services.addresses["applier"]) as relay, services.stand_in("watcher", "--plan-life", "100ms", applier=relay.address) as watcher:
        watcher.wait_ready()
        eventually(lambda: watcher.metric("xebec_applier_credits") > 0, what="the watcher has streams to the applier")
        relay.delay = 3.0
        here.create(iris("sample"))
        eventually(lambda: services.applier.metric("xebec_apply_refused_total", **refused) > before, what="the applier counts the refusal")
        eventually(lambda: watcher.metric("xebec_outcomes_total", code="Fenced") > 0, what="so does the watcher")
        said = [str(record) for record in services.applier.log_records() if record.get("msg") == "Operation failed"]
        assert "a difference of clocks looks the same" in said[-1], said
        assert here.names("deployments.apps") == []

        relay.delay = 0.0
        here.is_ready(IRIS, "sample")
