#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""record_result.py PAGE SUMMARY PASSED FAILED: writes the result of `./dev test --all` into docs/testing.md, between its two marks."""

import datetime
import re
import subprocess
import sys

page, summary, passed, failed = sys.argv[1:5]
commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
changed = subprocess.run(["git", "status", "--porcelain", "--untracked-files=no"], capture_output=True, text=True, check=True).stdout
with open(summary, encoding="utf-8") as file:
    table = file.read().strip()
with open(page, encoding="utf-8") as file:
    text = file.read()
state = f"commit {commit}" + (" with uncommitted changes" if changed else "")
result = f"{datetime.date.today()}, {state}: {passed} passed, {failed} failed.\n\n```\n{table}\n```"
marked = re.compile(r"(<!-- last result -->\n).*(\n<!-- end -->)", re.S)
with open(page, "w", encoding="utf-8") as file:
    file.write(marked.sub(lambda m: m[1] + result + m[2], text))
