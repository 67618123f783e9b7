# SPDX-License-Identifier: Apache-2.0
"""kubeconform, with JSON Schemas from the OpenAPI documents of an API server."""

import json
import subprocess

from support import paths

FILES = "{{.Group}}_{{.ResourceAPIVersion}}_{{.ResourceKind}}.json"  # what kubeconform asks for; the core group is called "v1"


def write(kube, folder):
    """One file for each kind, and one for each group and version with what they refer to. Returns kubeconform's
    -schema-location."""
    for path, found in kube.request("GET", "/openapi/v3")["paths"].items():
        if path.startswith(("api/", "apis/")):
            _write_version(kube.request("GET", found["serverRelativeURL"])["components"]["schemas"], path, folder)
    return f"{folder}/{FILES}"


def _write_version(schemas, path, folder):
    *_, group, version = path.split("/")
    shared = f"{group}_{version}.json"
    (folder / shared).write_text(json.dumps({"components": {"schemas": {name: strict(schema) for name, schema in schemas.items()}}}))
    for name, schema in schemas.items():
        for kind in schema.get("x-kubernetes-group-version-kind", []):
            if (kind["group"] or "api", kind["version"]) == (group, version):
                file = f'{kind["group"] or version}_{version}_{kind["kind"].lower()}.json'
                (folder / file).write_text(json.dumps({"$ref": f"{shared}#/components/schemas/{name}"}))


def complaints(text, location, others=()):
    """The problems that kubeconform finds in the documents; `others`: kinds that it skips."""
    done = subprocess.run([paths.chart_tool("kubeconform"), "-strict", "-schema-location", location, "-skip", ",".join(others), "-"],
                          input=text, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (not done.stdout) and not done.stderr, done
    return done.stdout


def strict(schema):
    """The same schema without unknown fields."""
    made = dict(schema)
    for word in ("items", "additionalProperties"):
        if isinstance(made.get(word), dict):
            made[word] = strict(made[word])
    if "properties" in made:
        made["properties"] = {name: strict(inner) for name, inner in made["properties"].items()}
        if not made.get("x-kubernetes-preserve-unknown-fields"):
            made.setdefault("additionalProperties", False)
    return made
