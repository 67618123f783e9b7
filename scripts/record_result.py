#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""record_result.py PAGE SUMMARY COMMIT PART...: writes the result of these parts of `./dev test --all` into
docs/testing.md, between its two marks. What the page had of them goes, the other parts' lines stay. SUMMARY is the
table that ./dev test prints, of these parts and others.
"""

import datetime
import re
import sys

HEAD = "| part | check | tests | time | result | date | commit |\n|---|---|---|---|---|---|---|\n"
PARTS = ("checks", "dev", "versions", "release", "node", "asan-ubsan", "tsan", "clang", "coverage")
OF_PART = {"purity of the engines": "dev", "hardening of the binaries": "release", "a real node": "node", "clang-tidy": "clang", "coverage": "coverage"}
_MARKED = re.compile(r"(<!-- last result -->\n).*(\n<!-- end -->)", re.S)


def part_of(check):
    named = re.search(r"\((.*)\)$", check) or re.match(r"build (.*)", check)
    if named:
        return "versions" if named[1].startswith("Kubernetes ") else named[1]
    return "asan-ubsan" if check.startswith("fuzz ") else OF_PART.get(check, "checks")


def fresh_rows(text, commit):
    """[[part, check, tests, time, result, date, commit]]; columns are as wide as the first line has them."""
    head, *lines = text.strip("\n").splitlines()
    tests, time = head.index("tests"), head.index("time") + len("time")
    rows = []
    for line in lines:
        check, (counted, took), result = line[:tests].strip(), line[tests:time].split(maxsplit=1), line[time:].strip()
        rows.append([part_of(check), check, counted, took.strip(), result.replace("|", "/"), str(datetime.date.today()), commit])
    return rows


def page_rows(text):
    rows = [line.strip("| ").split(" | ") for line in _MARKED.search(text)[0].splitlines() if line.startswith("| ")]
    return [row for row in rows if row[0] in PARTS]


def table(rows):
    counts = [tuple(map(int, row[2].split("/"))) for row in rows if "/" in row[2]]
    passed, total = sum(good for good, _ in counts), sum(every for _, every in counts)
    missing = [part for part in PARTS if part not in {row[0] for row in rows}]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in sorted(rows, key=lambda row: PARTS.index(row[0])))
    failed = f"{total - passed} checks and tests failed"
    commits = len({row[-1] for row in rows})
    when = f" The parts ran at {commits} different commits: compare the last two columns." if commits > 1 else ""
    return f"{failed}.{when}{f' Not run: {chr(44).join(missing)}.' if missing else ''}\n\n{HEAD}{lines}"


def main():
    page, summary, commit, *parts = sys.argv[1:]
    with open(summary, encoding="utf-8") as file:
        fresh = [row for row in fresh_rows(file.read(), commit) if row[0] in parts]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    result = table([row for row in page_rows(text) if row[0] not in parts] + fresh)
    with open(page, "w", encoding="utf-8") as file:
        file.write(_MARKED.sub(lambda m: m[1] + result + m[2], text))


if __name__ == "__main__":
    main()
