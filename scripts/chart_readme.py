#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of values in charts/xebec/README.md from the comments "# -- text" of values.yaml; --check only
compares.

A comment stands directly before its key, may continue on further comment lines, and describes everything below the key.
A key without a comment needs one at each of its scalar values.
"""

import json
import pathlib
import re
import sys

import yaml

CHART = pathlib.Path(__file__).resolve().parents[1] / "charts/xebec"
BEGIN, END = "<!-- values -->\n", "<!-- end -->\n"
_KEY = re.compile(r"^( *)([A-Za-z][A-Za-z0-9]*):")
_COMMENT = re.compile(r"^ *# -- (.*)")
_CONTINUATION = re.compile(r"^ *# (.*)")


def described(text):
    """{dotted path: description}"""
    found, path, waiting = {}, [], None
    for line in text.splitlines():
        if match := _COMMENT.match(line):
            waiting = match[1]
        elif waiting and (match := _CONTINUATION.match(line)):
            waiting += " " + match[1]
        elif match := _KEY.match(line):
            path = path[:len(match[1]) // 2] + [match[2]]
            if waiting:
                found[".".join(path)] = waiting
            waiting = None
    return found


def scalars(values, descriptions, path=""):
    """(dotted path, default) of every described value, and of every scalar without a description."""
    for key, value in values.items():
        here = f"{path}.{key}" if path else key
        if here not in descriptions and isinstance(value, dict) and value:
            yield from scalars(value, descriptions, here)
        else:
            yield here, value


def table():
    text = (CHART / "values.yaml").read_text(encoding="utf-8")
    descriptions = described(text)
    rows = list(scalars(yaml.safe_load(text), descriptions))
    missing = [path for path, _ in rows if path not in descriptions]
    if missing:
        sys.exit("values.yaml: no comment \"# -- ...\" for " + ", ".join(missing))
    lines = [f"| `{path}` | `{json.dumps(value, ensure_ascii=False)}` | {descriptions[path]} |" for path, value in rows]
    return "| Value | Default | Description |\n|---|---|---|\n" + "\n".join(lines) + "\n"


def main():
    readme = CHART / "README.md"
    before = readme.read_text(encoding="utf-8")
    head, rest = before.split(BEGIN)
    after = head + BEGIN + table() + END + rest.split(END)[1]
    if "--check" not in sys.argv:
        readme.write_text(after, encoding="utf-8")
    elif after != before:
        sys.exit("charts/xebec/README.md does not match values.yaml: run scripts/chart_readme.py")


if __name__ == "__main__":
    main()
