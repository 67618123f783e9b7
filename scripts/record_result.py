#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""record_result.py PAGE SUMMARY COMMIT PASSED FAILED: writes the result of `./dev test --all` into docs/testing.md, between its two marks."""

import datetime
import re
import sys

page, summary, commit, passed, failed = sys.argv[1:6]
with open(summary, encoding="utf-8") as file:
    table = file.read().strip()
with open(page, encoding="utf-8") as file:
    text = file.read()
result = f"{datetime.date.today()}, commit {commit}: {passed} passed, {failed} failed.\n\n```\n{table}\n```"
marked = re.compile(r"(<!-- last result -->\n).*(\n<!-- end -->)", re.S)
with open(page, "w", encoding="utf-8") as file:
    file.write(marked.sub(lambda m: m[1] + result + m[2], text))
