#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of fields in docs/crds.md from the CRDs of the chart; --check only compares.

The page has a pair of markers for each kind, and the tables are between them: <!-- fields Iris --> ... <!-- end -->
"""

import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/crds.md"
CRDS = ROOT / "charts/xebec/files/crds"
# Fields of a Pod or of metav1.Condition, which Kubernetes documents.
FOREIGN = {"env", "resources", "conditions"}


def type_of(schema):
    if schema.get("x-kubernetes-int-or-string"):
        return "integer or string"
    if schema.get("type") == "array":
        return f'list of {schema["items"].get("type", "value")}s'
    return schema.get("type", "any")


def limits_of(schema):
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        yield f"{low} to {high}"
    elif low is not None:
        yield f"at least {low}"
    elif high is not None:
        yield f"at most {high}"
    if "maxLength" in schema:
        yield f'at most {schema["maxLength"]} characters'
    if "maxItems" in schema:
        yield f'at most {schema["maxItems"]} items'
    if "enum" in schema:
        yield "one of " + ", ".join(f"`{value}`" for value in schema["enum"])


def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def rows(schema, path=""):
    """Yields a row for each field, parents before their members."""
    required = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        limits = "; ".join(limits_of(field))
        kind = type_of(field) + (f" ({limits})" if limits else "") + (", required" if name in required else "")
        default = f'`{field["default"]}`' if "default" in field and not isinstance(field["default"], (dict, list)) else ""
        yield f'| `{path}{name}` | {kind} | {default} | {cell(field.get("description", ""))} |'
        if name not in FOREIGN:
            yield from rows(field, f"{path}{name}.")


def table(schema):
    return "\n".join(["| Field | Type | Default | Description |", "|---|---|---|---|", *rows(schema)])


def sections():
    """{kind: its tables}. Both groups of a kind have the same schema, so the first is taken."""
    found = {}
    for file in sorted(CRDS.glob("*.yaml")):
        crd = yaml.safe_load(file.read_text(encoding="utf-8"))
        version = crd["spec"]["versions"][0]
        schema = version["schema"]["openAPIV3Schema"]["properties"]
        resource = f'`{crd["metadata"]["name"]}`, version `{version["name"]}`'
        kind = crd["spec"]["names"]["kind"]
        found.setdefault(kind, ([], schema))[0].append(resource)
    return {kind: "\n".join(f"- {resource}" for resource in resources) + f"\n\n#### Spec of {kind}\n\n" + table(schema["spec"])
            + f"\n\n#### Status of {kind}\n\n" + table(schema["status"]) for kind, (resources, schema) in found.items()}


def fill(page, kind, text):
    begin, end = f"<!-- fields {kind} -->", "<!-- end -->"
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.S)
    if not pattern.search(page):
        sys.exit(f"{PAGE.relative_to(ROOT)} has no section {begin}")
    return pattern.sub(lambda _: f"{begin}\n{text}\n{end}", page)


before = PAGE.read_text(encoding="utf-8")
after = before
for each, tables in sections().items():
    after = fill(after, each, tables)
if "--check" in sys.argv:
    if after != before:
        sys.exit("docs/crds.md does not match the CRDs: run scripts/crd_reference.py")
else:
    PAGE.write_text(after, encoding="utf-8")
