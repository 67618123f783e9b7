# SPDX-License-Identifier: Apache-2.0
"""A read-only image registry: registry.py ADDRESS PORT FILE, where FILE is JSON, {"repository:tag": image folder}."""

import http.server
import json
import pathlib
import re
import shutil
import sys

_MANIFEST = "application/vnd.oci.image.manifest.v1+json"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    names = None  # the file; read again each time, so that images can be added

    def do_HEAD(self):
        self.answer(False)

    def do_GET(self):
        self.answer(True)

    def answer(self, with_body):
        path = self.path.partition("?")[0]
        if path == "/v2/":
            return self.send(200, None, 0)
        match = re.fullmatch(r"/v2/(.+)/(manifests|blobs)/(?:sha256:)?([^/]+)", path)
        found = match and self.find(*match.groups())
        if not found:
            return self.send(404, None, 0)
        kind = _MANIFEST if match[2] == "manifests" else "application/octet-stream"
        self.send(200, kind, found.stat().st_size, f"sha256:{found.name}")
        if with_body:
            with open(found, "rb") as file:
                shutil.copyfileobj(file, self.wfile, 1 << 20)
        return None

    def find(self, repository, kind, reference):
        for name, folder in json.loads(self.names.read_text()).items():
            known, _, tag = name.rpartition(":")
            if known != repository:
                continue
            folder = pathlib.Path(folder)
            if kind == "manifests" and reference == tag:
                return folder / "blobs" / (folder / "manifest").read_text()
            if (folder / "blobs" / reference).is_file():
                return folder / "blobs" / reference
        return None

    def send(self, code, kind, length, digest=None):
        self.send_response(code)
        self.send_header("Content-Length", str(length))
        if kind:
            self.send_header("Content-Type", kind)
        if digest:
            self.send_header("Docker-Content-Digest", digest)
        self.end_headers()


if __name__ == "__main__":
    Handler.names = pathlib.Path(sys.argv[3])
    http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler).serve_forever()
