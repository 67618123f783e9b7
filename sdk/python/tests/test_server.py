# SPDX-License-Identifier: Apache-2.0
"""The server, called by a gRPC client."""

import asyncio
import json
import subprocess
import sys
import threading
from datetime import timedelta

import grpc
import pytest

from xebec_operator import InvalidError, Operator, RetryError, Server
from xebec_operator._pb import hook_pb2 as pb

HOOK = "/xebec.hooks.v1.HookService/"


def request(name="web", phase=pb.PHASE_SYNC, **spec):
    return pb.SyncRequest(phase=phase, parent=json.dumps({"metadata": {"name": name}, "spec": spec}))


def sync(channel, message):
    return channel.unary_unary(HOOK + "Sync", pb.SyncRequest.SerializeToString, pb.SyncResponse.FromString)(message, timeout=10)


def stream(channel, messages):
    method = channel.stream_stream(HOOK + "SyncStream", pb.SyncStreamRequest.SerializeToString, pb.SyncStreamResponse.FromString)
    return method(messages, timeout=10)


def check(channel, service=b""):
    message = b"\x0a" + bytes([len(service)]) + service if service else b""
    return channel.unary_unary("/grpc.health.v1.Health/Check")(message, timeout=10)


@pytest.fixture
def serve():
    """Serves a handler; returns a channel and the server."""
    opened = []

    def start(handler, **options):
        op = Operator("webs.example.com")
        op.sync(handler)
        server = op.start(revision="r1", **options)
        channel = grpc.insecure_channel(f"127.0.0.1:{server.port}")
        opened.append((channel, server))
        return channel, server

    yield start
    for channel, server in opened:
        channel.close()
        server.stop()


def test_describe(serve):
    channel, _ = serve(lambda o: None)
    describe = channel.unary_unary(HOOK + "Describe", pb.DescribeRequest.SerializeToString, pb.DescribeResponse.FromString)
    answer = describe(pb.DescribeRequest(operator="webs.example.com"), timeout=10)
    assert answer.revision == "r1" and list(answer.capabilities) == [pb.CAPABILITY_SYNC_STREAM]
    assert answer.library.startswith("xebec-operator-python/")


def test_every_field_of_a_decision_is_sent(serve):
    def handler(o):
        o.ensure("v1", "ConfigMap", "c", {"data": {"ü": "\n"}}, created="made", stage=1, memo="m", by_version=True)
        o.delete("v1", "Pod", "p", namespace="n", propagation="Orphan", reason="old", deleted="gone")
        o.status(a=[1])
        o.condition("Ready", True, "Done", "all")
        o.event("Seen", "it", action="See", type="Warning")
        o.resync(1.5)

    channel, _ = serve(handler)
    answer = sync(channel, request())
    assert not answer.error
    desired = answer.desired
    child, deletion, condition, event = desired.children[0], desired.deletions[0], desired.conditions[0], desired.events[0]
    assert json.loads(child.object) == {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"ü": "\n"}}
    assert (child.stage, child.memo, child.by_version, child.on_created[0].note) == (1, "m", True, "made")
    assert (deletion.kind, deletion.namespace, deletion.propagation) == ("Pod", "n", pb.PROPAGATION_ORPHAN)
    assert (deletion.reason, deletion.on_deleted[0].reason) == ("old", "Deleted")
    assert json.loads(desired.status) == {"a": [1]}
    assert (condition.type, condition.status, condition.reason, condition.message) == ("Ready", "True", "Done", "all")
    assert (event.type, event.reason, event.action, event.note) == (pb.EVENT_TYPE_WARNING, "Seen", "See", "it")
    assert desired.resync_after.ToMilliseconds() == 1500


def raise_(error):
    raise error


@pytest.mark.parametrize(("handler", "message"), [
    (lambda o: raise_(KeyError("image")), "KeyError: 'image'"),
    (lambda o: sys.exit("stop"), "SystemExit: stop"),
    (lambda o: o.status(a=float("inf")), "ValueError: "),
    (lambda o: o.status(a=object()), "TypeError: "),
    (lambda o: o.condition("A", True, "\ud800"), "UnicodeEncodeError: "),
    (lambda o: raise_(ValueError("\ud800" + "x" * 5000)), "ValueError: ?xxx"),
])
def test_an_exception_is_an_answer(serve, handler, message):
    channel, _ = serve(handler)
    answer = sync(channel, request())
    assert answer.error.startswith(message) and len(answer.error) <= 1000 and not answer.HasField("desired")
    assert check(channel) == b"\x08\x01"


def test_a_handler_may_give_the_time_of_the_next_call(serve):
    channel, _ = serve(lambda o: raise_(RetryError("busy", after=2)))
    answer = sync(channel, request())
    assert (answer.error, answer.retry_after.seconds) == ("busy", 2)


@pytest.mark.parametrize(("after", "seconds"), [
    (timedelta(seconds=-5), 1), (-5, 1), (0, 1), (float("-inf"), 1), (float("nan"), 1), (90.5, 90), (timedelta(hours=2), 7200),
    (timedelta(days=400), 86400), (1e300, 86400), (10**400, 86400), (float("inf"), 86400)])
def test_the_time_of_the_next_call_has_limits(serve, after, seconds):
    channel, _ = serve(lambda o: raise_(RetryError("later", after=after)))
    answer = sync(channel, request())
    assert (answer.error, answer.retry_after.seconds) == ("later", seconds)


class Unprintable(Exception):
    """An exception whose text cannot be made."""

    def __str__(self):
        raise KeyError("text")


class WithoutTime(RetryError):
    """A subclass that does not call the constructor of RetryError."""

    def __init__(self):
        pass


def with_wrong_time():
    error = RetryError("later")
    error.after = -1
    return error


@pytest.mark.parametrize(("handler", "message"), [
    (lambda o: raise_(RetryError("later", after=timedelta(seconds=-5))), "later"),
    (lambda o: raise_(RetryError("later", after="5")), "TypeError: "),
    (lambda o: raise_(RetryError("a\ud800b", after=2)), "a?b"),
    (lambda o: raise_(RetryError("", after=2)), "RetryError"),
    (lambda o: raise_(WithoutTime()), "RetryError"),
    (lambda o: raise_(with_wrong_time()), "ValueError: "),
    (lambda o: raise_(ValueError("a\ud800b")), "ValueError: a?b"),
    (lambda o: raise_(Unprintable()), "Unprintable: no message"),
    (lambda o: next(iter(())), "StopIteration: "),
    (lambda o: raise_(asyncio.CancelledError()), "CancelledError: "),
    (lambda o: raise_(KeyboardInterrupt()), "KeyboardInterrupt: "),
    (lambda o: raise_(GeneratorExit()), "GeneratorExit: "),
    (lambda o: o.status(a="\ud800"), "UnicodeEncodeError: "),
    (lambda o: o.resync(1e300), "OverflowError: "),
    (lambda o: o.status(a="x" * (64 << 20)), "ValueError: the decision has 67"),
])
def test_a_stream_outlives_an_error(serve, handler, message):
    channel, _ = serve(lambda o: handler(o) if o.name == "bad" else o.status(name=o.name))
    answered = threading.Event()

    def requests():
        yield pb.SyncStreamRequest(call=1, request=request("bad"))
        answered.wait(10)
        yield pb.SyncStreamRequest(call=2, request=request("good"))

    answers = stream(channel, requests())
    bad = next(answers)
    assert bad.call == 1 and bad.response.error.startswith(message) and not bad.response.HasField("desired")
    answered.set()
    assert [(each.call, json.loads(each.response.desired.status)) for each in answers] == [(2, {"name": "good"})]


def test_an_error_of_one_parent_is_no_error_of_the_others(serve):
    failures = {"negative": RetryError("later", after=timedelta(seconds=-5)), "surrogate": ValueError("a\ud800b")}
    channel, _ = serve(lambda o: raise_(failures[o.name]) if o.name in failures else o.status(name=o.name))
    names = ["negative", "surrogate", "good"] * 20
    answers = {each.call: each.response for each in stream(
        channel, (pb.SyncStreamRequest(call=i, request=request(name)) for i, name in enumerate(names)))}
    found = [(answers[i].error, answers[i].retry_after.seconds, answers[i].desired.status) for i in range(len(names))]
    assert found == [("later", 1, ""), ("ValueError: a?b", 0, ""), ("", 0, '{"name":"good"}')] * 20


def test_a_failure_of_the_library_is_an_answer_on_a_stream():
    with Server(lambda request: 1 // 0, "127.0.0.1:0", None, None, None, 1, "r", 1.0).start() as server:
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            answers = stream(channel, (pb.SyncStreamRequest(call=i, request=request()) for i in range(2)))
            found = {each.call: each.response.error.partition(":")[0] for each in answers}
    assert found == {0: "ZeroDivisionError", 1: "ZeroDivisionError"}


@pytest.mark.parametrize("handler", [lambda o: o.invalid("a\ud800b"), lambda o: raise_(InvalidError("a\ud800b"))])
def test_a_message_of_an_invalid_parent_may_be_any_text(serve, handler):
    channel, _ = serve(handler)
    answer = sync(channel, request())
    assert (answer.error, answer.desired.invalid) == ("", "a?b")


@pytest.mark.parametrize("message", [
    pb.SyncRequest(phase=pb.PHASE_SYNC), pb.SyncRequest(phase=pb.PHASE_SYNC, parent="[]"), request(phase=0), request(phase=7),
    pb.SyncRequest(phase=pb.PHASE_SYNC, parent='{"metadata": {}}'),
    pb.SyncRequest(phase=pb.PHASE_SYNC, parent='{"metadata": {"name": "a"}}', configuration="x")])
def test_a_malformed_request_is_refused(serve, message):
    channel, _ = serve(lambda o: None)
    with pytest.raises(grpc.RpcError) as caught:
        sync(channel, message)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    [answer] = stream(channel, iter([pb.SyncStreamRequest(call=3, request=message)]))
    assert answer.call == 3 and answer.response.error.startswith("malformed request")


def test_a_stream_answers_out_of_order(serve):
    first_may_end = threading.Event()

    def handler(o):
        if o.name == "first":
            first_may_end.wait(10)
        o.status(name=o.name)

    channel, _ = serve(handler, workers=2)
    answers = stream(channel, (pb.SyncStreamRequest(call=i, request=request(name)) for i, name in enumerate(["first", "second"])))
    assert next(answers).call == 1
    first_may_end.set()
    answer = next(answers)
    assert (answer.call, json.loads(answer.response.desired.status)) == (0, {"name": "first"})
    assert list(answers) == []


def test_a_stream_of_many_requests(serve):
    channel, _ = serve(lambda o: o.status(name=o.name), workers=2)
    answers = list(stream(channel, (pb.SyncStreamRequest(call=i, request=request(str(i))) for i in range(500))))
    assert {each.call: json.loads(each.response.desired.status)["name"] for each in answers} == {i: str(i) for i in range(500)}


def test_garbage_ends_a_stream_with_an_error(serve):
    channel, _ = serve(lambda o: None)
    answers = channel.stream_stream(HOOK + "SyncStream")(iter([b"\xff\xff"]), timeout=10)
    with pytest.raises(grpc.RpcError):
        list(answers)
    assert check(channel) == b"\x08\x01"


def test_a_large_request(serve):
    channel, _ = serve(lambda o: o.status(size=len(o.spec["text"])))
    assert json.loads(sync(channel, request(text="x" * (20 << 20))).desired.status) == {"size": 20 << 20}


def test_health(serve):
    channel, _ = serve(lambda o: None)
    assert check(channel) == check(channel, b"xebec.hooks.v1.HookService") == b"\x08\x01"
    with pytest.raises(grpc.RpcError) as caught:
        check(channel, b"other")
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND


def test_stop_lets_calls_end_and_ends_idle_streams(serve):
    running, may_end = threading.Event(), threading.Event()

    def handler(o):
        running.set()
        may_end.wait(10)

    channel, server = serve(handler)
    more = threading.Event()

    def requests():
        yield pb.SyncStreamRequest(call=1, request=request())
        more.wait(10)

    answers = stream(channel, requests())
    assert running.wait(10)
    stopping = threading.Thread(target=server.stop)
    stopping.start()
    threading.Timer(0.2, may_end.set).start()
    assert [each.call for each in answers] == [1]
    more.set()
    stopping.join(5)
    assert not stopping.is_alive()


def test_stop_does_not_wait_longer_for_a_handler_than_the_grace_period(serve):
    running, may_end = threading.Event(), threading.Event()

    def handler(o):
        running.set()
        may_end.wait(30)

    channel, server = serve(handler, grace=0.2)
    answers = stream(channel, iter([pb.SyncStreamRequest(call=1, request=request())]))
    assert running.wait(10)
    stopping = threading.Thread(target=server.stop, daemon=True)
    stopping.start()
    stopping.join(8)
    assert not stopping.is_alive()
    may_end.set()
    with pytest.raises(grpc.RpcError):
        list(answers)


def test_an_address_in_use_is_an_error(serve):
    _, server = serve(lambda o: None)
    op = Operator("other")
    op.sync(lambda o: None)
    with pytest.raises(RuntimeError):
        op.start(f"127.0.0.1:{server.port}")


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_certificate(folder, name):
    """A certificate of its own CA."""
    openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj",
            f"/CN={name}", "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{name}.key", "-out", f"{name}.crt")


def secure(server, folder, ca, client=None):
    """A channel that trusts the CA."""
    pem = [(folder / f"{client}.{end}").read_bytes() for end in ("key", "crt")] if client else [None, None]
    credentials = grpc.ssl_channel_credentials((folder / f"{ca}.crt").read_bytes(), *pem)
    return grpc.secure_channel(f"localhost:{server.port}", credentials)


def test_tls_with_client_certificates_and_reload(tmp_path, serve):
    for name in ("server", "client", "later"):
        make_certificate(tmp_path, name)
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    for end in ("crt", "key"):
        (mounted / f"tls.{end}").write_bytes((tmp_path / f"server.{end}").read_bytes())
    files = {"tls_cert": mounted / "tls.crt", "tls_key": mounted / "tls.key", "client_ca": tmp_path / "client.crt"}
    _, server = serve(lambda o: None, listen="localhost:0", **{name: str(path) for name, path in files.items()})
    with secure(server, tmp_path, "server", "client") as channel:
        assert check(channel) == b"\x08\x01"
    for ca, client in (("server", None), ("server", "later"), ("later", "client")):
        with secure(server, tmp_path, ca, client) as channel, pytest.raises(grpc.RpcError):
            check(channel)
    files["tls_cert"].write_text("not a certificate")  # half of a change
    with secure(server, tmp_path, "server", "client") as channel:
        assert check(channel) == b"\x08\x01"
    for end in ("crt", "key"):
        (mounted / f"tls.{end}").write_bytes((tmp_path / f"later.{end}").read_bytes())
    with secure(server, tmp_path, "later", "client") as channel:
        assert check(channel) == b"\x08\x01"


def test_a_key_needs_a_certificate():
    with pytest.raises(ValueError, match="tls_cert"):
        Server(lambda request: request, "localhost:0", None, "key", None, 1, "r", 1.0)
