# SPDX-License-Identifier: Apache-2.0
"""A small Kubernetes client: http.client and JSON, one kept-alive connection for each thread."""

import base64
import http.client
import json
import os
import select
import ssl
import tempfile
import threading
import urllib.parse

import yaml

_TIMEOUT = 60 * float(os.environ.get("XEBEC_TIMEOUT_FACTOR", "1"))  # seconds until a request without an answer fails


class ApiError(Exception):
    """An answer with status 300 or above; get returns None for 404."""

    def __init__(self, code, status):
        self.code = code
        self.reason = status.get("reason", "")
        self.status = status
        super().__init__(f"{code} {self.reason}: {status.get('message', '')}")


class Kube:
    """Resources are named as kubectl names them: "pods", "deployments.apps", "irises.example.com"."""

    def __init__(self, server, context, token=None):
        self._host = urllib.parse.urlsplit(server)
        self._context, self._token = context, token
        self._local = threading.local()
        self._versions = {}
        self._resources = {}

    @classmethod
    def from_kubeconfig(cls, path, context=None):
        with open(path, encoding="utf-8") as file:
            config = yaml.safe_load(file)
        def pick(kind, name):
            return next(entry[kind] for entry in config[kind + "s"] if entry["name"] == name)
        chosen = pick("context", context or config["current-context"])
        cluster, user = pick("cluster", chosen["cluster"]), pick("user", chosen["user"])
        tls = ssl.create_default_context(cadata=_pem(cluster, "certificate-authority") or None)
        certificate, key = _pem(user, "client-certificate"), _pem(user, "client-key")
        if certificate:
            with tempfile.NamedTemporaryFile("w") as both:
                both.write(certificate + key)
                both.flush()
                tls.load_cert_chain(both.name)
        return cls(cluster["server"], tls, user.get("token"))

    # ---- objects ------------------------------------------------------------------------------------------------

    def get(self, resource, name, ns=None):
        """The object, or None."""
        try:
            return self.request("GET", self.path(resource, ns, name))
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def list(self, resource, ns=None, selector=None, fields=None):
        query = {"labelSelector": selector, "fieldSelector": fields}
        return self.request("GET", self.path(resource, ns), query)["items"]

    def list_with_version(self, resource, ns=None):
        answer = self.request("GET", self.path(resource, ns))
        return answer["items"], answer["metadata"]["resourceVersion"]

    def create(self, manifest, ns=None, manager=None):
        return self.request("POST", self.path_of(manifest, ns, named=False), {"fieldManager": manager}, manifest)

    def apply(self, manifest, ns=None, manager="tests"):
        """Server-side apply with force."""
        return self.request("PATCH", self.path_of(manifest, ns), {"fieldManager": manager, "force": "true"}, manifest,
                            "application/apply-patch+yaml")

    def replace(self, manifest, ns=None):
        return self.request("PUT", self.path_of(manifest, ns), body=manifest)

    def patch(self, resource, name, ns, change, subresource=None):
        """JSON merge patch."""
        return self.request("PATCH", self.path(resource, ns, name, subresource), body=change,
                            content_type="application/merge-patch+json")

    def scale(self, resource, name, ns, replicas):
        return self.patch(resource, name, ns, {"spec": {"replicas": replicas}}, "scale")

    def delete(self, resource, name, ns=None, propagation=None, grace=None, uid=None):
        """Returns None if the object does not exist."""
        options = {"propagationPolicy": propagation, "gracePeriodSeconds": grace, "preconditions": {"uid": uid} if uid else None}
        try:
            return self.request("DELETE", self.path(resource, ns, name), body={k: v for k, v in options.items() if v is not None})
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def delete_all(self, resource, ns):
        self.request("DELETE", self.path(resource, ns))

    def watch(self, resource, version, ns=None, timeout=300):
        """Yields events {"type", "object"} from a resourceVersion on, until the server ends the watch. Own
        connection."""
        query = {"watch": "1", "resourceVersion": version, "timeoutSeconds": timeout, "allowWatchBookmarks": "true"}
        connection = self.connect(timeout + 10)
        try:
            connection.request("GET", _with_query(self.path(resource, ns), query), headers=self.headers())
            response = connection.getresponse()
            if response.status != 200:
                raise ApiError(response.status, _status(response.read()))
            while line := response.readline():
                yield json.loads(line)
        finally:
            connection.close()

    def create_namespace(self, name):
        return self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    # ---- paths ----------------------------------------------------------------------------------------------------

    def path(self, resource, ns=None, name=None, subresource=None):
        plural, _, group = resource.partition(".")
        parts = [f"/apis/{group}" if group else "/api", self._version(group, plural)]
        parts += ["namespaces", ns] if ns else []
        return "/".join(parts + [part for part in (plural, name, subresource) if part])

    def _version(self, group, plural):
        """The version of the group that serves the resource; the preferred one while none does."""
        if not group:
            return "v1"
        if (group, plural) not in self._versions:
            found = self.request("GET", f"/apis/{group}")
            versions = [found["preferredVersion"]["version"], *(each["version"] for each in found["versions"])]
            serving = [each for each in versions
                       if any(r["name"] == plural for r in self.request("GET", f"/apis/{group}/{each}")["resources"])]
            if not serving:
                return versions[0]
            self._versions[group, plural] = serving[0]
        return self._versions[group, plural]

    def path_of(self, manifest, ns, named=True):
        version, kind = manifest["apiVersion"], manifest["kind"]
        plural, namespaced = self._resource_of(version, kind)
        base = f"/apis/{version}" if "/" in version else f"/api/{version}"
        ns = manifest["metadata"].get("namespace") or ns or "default"
        return (base + (f"/namespaces/{ns}" if namespaced else "") + f"/{plural}" +
                (f"/{manifest['metadata']['name']}" if named else ""))

    def serves(self, version, kind):
        """True if the API server has the kind in this version."""
        try:
            return bool(self._resource_of(version, kind))
        except KeyError:
            return False

    def _resource_of(self, version, kind):
        if (version, kind) not in self._resources:
            base = f"/apis/{version}" if "/" in version else f"/api/{version}"
            for entry in self.request("GET", base)["resources"]:
                if "/" not in entry["name"]:
                    self._resources[version, entry["kind"]] = entry["name"], entry["namespaced"]
        return self._resources[version, kind]

    # ---- HTTP -----------------------------------------------------------------------------------------------------

    def request(self, method, path, query=None, body=None, content_type="application/json"):
        """The answer, decoded. A kept connection that the server has closed is opened again."""
        data = None if body is None else json.dumps(body)
        headers = self.headers() | ({"Content-Type": content_type} if data else {})
        kept = getattr(self._local, "connection", None)
        if kept is not None and _has_something_to_say(kept):
            kept.close()
            kept = self._local.connection = None
        if kept is not None:
            try:
                return self._exchange(kept, method, _with_query(path, query), data, headers)
            except (OSError, http.client.HTTPException):
                kept.close()
                self._local.connection = None
                if method != "GET":
                    raise
        connection = self._local.connection = self.connect(_TIMEOUT)
        try:
            return self._exchange(connection, method, _with_query(path, query), data, headers)
        except (OSError, http.client.HTTPException):
            connection.close()
            self._local.connection = None
            raise

    @staticmethod
    def _exchange(connection, method, target, data, headers):
        connection.request(method, target, data, headers)
        response = connection.getresponse()
        answer = response.read()
        if response.status >= 300:
            raise ApiError(response.status, _status(answer))
        return json.loads(answer)

    def headers(self):
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}

    def connect(self, timeout):
        if self._host.scheme == "http":
            return http.client.HTTPConnection(self._host.hostname, self._host.port, timeout=timeout)
        return http.client.HTTPSConnection(self._host.hostname, self._host.port or 443, timeout=timeout, context=self._context)


def _with_query(path, query):
    query = {key: value for key, value in (query or {}).items() if value is not None}
    return f"{path}?{urllib.parse.urlencode(query)}" if query else path


def _status(body):
    try:
        status = json.loads(body)
    except ValueError:
        status = None
    return status if isinstance(status, dict) else {"message": body.decode(errors="replace")[:500]}


def _has_something_to_say(connection):
    """True for an idle connection that the server has closed; a server sends nothing else on an idle connection."""
    return connection.sock is None or bool(select.select([connection.sock], [], [], 0)[0])


def _pem(entry, key):
    if f"{key}-data" in entry:
        return base64.b64decode(entry[f"{key}-data"]).decode()
    if key in entry:
        with open(entry[key], encoding="utf-8") as file:
            return file.read()
    return ""
