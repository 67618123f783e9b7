# SPDX-License-Identifier: Apache-2.0
"""An admission webhook that admits every new object of one resource in one namespace, after some time."""

import base64
import contextlib
import http.server
import json
import ssl
import threading
import time

from support import pki
from support.eventually import eventually

CONFIGURATIONS = "validatingwebhookconfigurations.admissionregistration.k8s.io"


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.calls += 1
        time.sleep(self.server.seconds)
        answer = json.dumps({"apiVersion": review["apiVersion"], "kind": review["kind"],
                             "response": {"uid": review["request"]["uid"], "allowed": True}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    calls = 0
    seconds = 0


def _server(folder):
    folder.mkdir()
    pki.make_ca(folder)
    pki.make_certificate(folder, "webhook", "/CN=webhook", "serverAuth", "IP:127.0.0.1")
    server = _Server(("127.0.0.1", 0), _Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "webhook.crt", folder / "webhook.key")
    server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def _configuration(folder, port, resource, namespace):
    plural, _, group = resource.partition(".")
    return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": {"name": namespace},
            "webhooks": [{"name": "slow.test.xebec.dev", "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail",
                          "clientConfig": {"url": f"https://127.0.0.1:{port}/", "caBundle": base64.b64encode((folder / "ca.crt").read_bytes()).decode()},
                          "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                          "rules": [{"apiGroups": [group], "apiVersions": ["*"], "operations": ["CREATE"], "resources": [plural]}]}]}


@contextlib.contextmanager
def slow_admission(kube, folder, resource, namespace, seconds, probe):
    """The API server calls the webhook for every new object of the resource when the block begins. `probe`: a manifest
    of such an object, which is created with a dry run."""
    server = _server(folder)
    try:
        kube.create(_configuration(folder, server.server_port, resource, namespace))

        def is_called():
            kube.request("POST", kube.path(resource, namespace), {"dryRun": "All"}, probe)
            return server.calls > 0
        eventually(is_called, what="the API server calls the webhook")
        server.seconds = seconds
        yield
    finally:
        kube.delete(CONFIGURATIONS, namespace)
        server.shutdown()
        server.server_close()
