# SPDX-License-Identifier: Apache-2.0
"""A hook that breaks the rules, without the checks of the SDK. The page of a parent says how."""

import itertools
import json
import os
import pathlib
import threading
import time
from concurrent import futures

import grpc

from xebec_operator._pb import hook_pb2 as pb

calls = itertools.count()


def config_map(name, **metadata):
    named = {"name": name} if name else {}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {**named, **metadata}}


def answer(*objects, **desired):
    children = [pb.DesiredChild(object=json.dumps(each)) for each in objects]
    return pb.SyncResponse(desired=pb.DesiredState(children=children, **desired))


def invalid_utf8(_):
    return answer(status='{"text":"abc"}').SerializeToString().replace(b"abc", b"a\xffc")


def unknown_field(name):
    """Field 99 of the desired state."""
    desired = answer(config_map(name)).desired.SerializeToString() + b"\x98\x06\x01"
    return b"\x0a" + bytes([len(desired)]) + desired


def unknown_enum(_):
    return answer(events=[pb.Event(type=9, reason="Sold")])


def privileged_pod(name):
    container = {"name": "main", "image": "none.test/none", "securityContext": {"privileged": True}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}}


def slow(name):
    time.sleep(3)
    return answer(config_map(name))


BEHAVIOURS = {
    "good": lambda name: answer(config_map(name)),
    "random": lambda _: answer(status=json.dumps({"calls": next(calls)})),
    "random child": lambda name: answer({**config_map(name), "data": {"page": str(next(calls))}}),
    "1,000 children": lambda name: answer(*(config_map(f"{name}-{number}") for number in range(1000))),
    "501 children": lambda name: answer(*(config_map(f"{name}-{number}") for number in range(501))),
    "20 MiB": lambda name: answer({**config_map(name), "data": {"page": "x" * (20 << 20)}}),
    "no name": lambda _: answer(config_map("")),
    "another namespace": lambda name: answer(config_map(name, namespace="kube-system")),
    "owner": lambda name: answer(config_map(name, ownerReferences=[])),
    "managed fields": lambda name: answer(config_map(name, managedFields=[])),
    "undeclared kind": lambda name: answer({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}}),
    "forbidden kind": lambda name: answer({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name}}),
    "unknown field of a child": lambda name: answer({**config_map(name), "dat": {"page": "x"}}),
    "privileged Pod": lambda name: answer(privileged_pod(name)),
    "unknown field": unknown_field,
    "unknown enum": unknown_enum,
    "invalid UTF-8": invalid_utf8,
    "deep": lambda name: answer(status="[" * 100 + "]" * 100),
    "garbage": lambda _: b"\xff\xff\xff",
    "nothing": lambda _: b"",
    "slow": slow,
}


def sync(request, _):
    parent = json.loads(request.parent)
    made = BEHAVIOURS[parent["spec"]["page"]](parent["metadata"]["name"])
    return made if isinstance(made, bytes) else made.SerializeToString()


def describe(*_):
    return pb.DescribeResponse(revision="raw")


def serve():
    unary = grpc.unary_unary_rpc_method_handler
    methods = {"Describe": unary(describe, pb.DescribeRequest.FromString, pb.DescribeResponse.SerializeToString),
               "Sync": unary(sync, pb.SyncRequest.FromString, bytes)}
    server = grpc.server(futures.ThreadPoolExecutor(8), options=[("grpc.max_send_message_length", -1), ("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("xebec.hooks.v1.HookService", methods),))
    certificate = os.environ.get("XEBEC_HOOK_TLS_CERT")
    if certificate:
        key = pathlib.Path(os.environ["XEBEC_HOOK_TLS_KEY"]).read_bytes()
        server.add_secure_port(os.environ["XEBEC_HOOK_LISTEN"], grpc.ssl_server_credentials([(key, pathlib.Path(certificate).read_bytes())]))
    else:
        server.add_insecure_port(os.environ["XEBEC_HOOK_LISTEN"])
    server.start()
    threading.Event().wait()


if __name__ == "__main__":
    serve()
