#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables in docs/crds.md; --check only compares.

The fields come from the CRDs of the chart, the conditions and events from the tables in planner/kinds/*/*_reasons.h.
The page has pairs of markers for each kind, and the tables are between them: <!-- fields Iris --> ... <!-- end -->
"""

import pathlib
import re
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/crds.md"
CRDS = ROOT / "charts/xebec/files/crds"
# Fields of a Pod or of metav1.Condition, which Kubernetes documents.
FOREIGN = {"env", "resources", "conditions", "imagePullSecrets", "securityContext", "containerSecurityContext", "affinity", "tolerations"}
KINDS = ROOT / "planner/kinds"
REASONS = {"Iris": "iris/iris_reasons.h", "PodSet": "podset/pod_set_reasons.h",
           "ImmortalContainer": "immortal/immortal_reasons.h", "Database": "database/database_reasons.h",
           "Operator": "operator/operator_reasons.h"}
WITHOUT_PODS = {"Operator"}


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
            yield from rows(field.get("items", {}), f"{path}{name}[].")


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


def tables_in(text):
    """{"kConditions": [["Ready", "True", ...], ...], ...} of a header, with the constants in place of their names."""
    common = (KINDS / "reasons.h").read_text(encoding="utf-8")
    names = dict(re.findall(r'constexpr std::string_view (k\w+) =\s*"([^"]*)"', common + text))
    entry = re.compile(r"\{((?:\s*(?:\"[^\"]*\"\s*)+,?|\s*k\w+\s*,?)+)\}")
    found = {}
    for name, body in re.findall(r"constexpr \w+Doc (k\w+)\[\] = \{(.*?)\n\};", text, re.S):
        cells = [re.findall(r'(?:"[^"]*"\s*)+|k\w+', row) for row in entry.findall(body)]
        found[name] = [[names[word] if word in names else "".join(re.findall(r'"([^"]*)"', word)) for word in row] for row in cells]
    return found


def reasons(kind):
    """The tables of conditions and of events of a kind."""
    tables = tables_in((KINDS / REASONS[kind]).read_text(encoding="utf-8"))
    pods = [] if kind in WITHOUT_PODS else tables_in((KINDS / "reasons.h").read_text(encoding="utf-8"))["kPodConditions"]
    rows = sorted([*tables["kConditions"], *pods], key=lambda row: row[0] != "Ready")  # stable: Ready first
    names = ["| Condition | Status | Reason | Meaning |", "|---|---|---|---|"]
    names += [f'| `{kind}` | {f"`{status}`" if status else ""} | {codes(reason)} | {cell(meaning)} |' for kind, status, reason, meaning in rows]
    events = ["| Type | Reason | Meaning |", "|---|---|---|"]
    events += [f"| {kind} | `{reason}` | {cell(meaning)} |" for kind, reason, meaning in tables["kEvents"]]
    return "\n".join(["", *names, "", *events, ""])


def parents_reasons(kind):
    """The table of the reasons that the parents of an Operator show."""
    rows = tables_in((KINDS / REASONS[kind]).read_text(encoding="utf-8"))["kParentConditions"]
    return "\n".join(["", "| Reason | Meaning |", "|---|---|", *(f"| {codes(reason)} | {cell(meaning)} |" for _, _, reason, meaning in rows), ""])


def codes(reasons):
    return ", ".join(part if part == "..." else f"`{part}`" for part in reasons.split(", ") if part)


def fill(page, what, kind, text):
    begin, end = f"<!-- {what} {kind} -->", "<!-- end -->"
    pattern = re.compile(re.escape(begin) + r".*?" + re.escape(end), re.S)
    if not pattern.search(page):
        sys.exit(f"{PAGE.relative_to(ROOT)} has no section {begin}")
    return pattern.sub(lambda _: f"{begin}\n{text}\n{end}", page)


before = PAGE.read_text(encoding="utf-8")
after = before
for each, tables in sections().items():
    after = fill(after, "fields", each, tables)
    if each in REASONS:  # an AppService has those of a PodSet
        after = fill(after, "conditions", each, reasons(each))
after = fill(after, "parents", "Operator", parents_reasons("Operator"))
if "--check" in sys.argv:
    if after != before:
        sys.exit("docs/crds.md does not match the CRDs or the tables of the kinds: run scripts/crd_reference.py")
else:
    PAGE.write_text(after, encoding="utf-8")
