#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""count_tests.py LOG RC: prints how many tests of a step passed and failed. A step that counts none is one test."""

import re
import sys


def count(text, rc):
    """(passed, failed). A step that failed has at least one failure, whatever its output counts."""
    passed = failed = 0
    for bad, all_of_them in re.findall(r"\d+% tests passed, (\d+) tests failed out of (\d+)", text):  # ctest
        failed += int(bad)
        passed += int(all_of_them) - int(bad)
    for summary in re.findall(r"^=+ (.*) in [\d.]+s.*=+$", text, re.M):  # pytest
        numbers = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", summary)}
        passed += numbers.get("passed", 0) + numbers.get("xfailed", 0)
        failed += numbers.get("failed", 0) + numbers.get("errors", 0) + numbers.get("error", 0) + numbers.get("xpassed", 0)
    if rc and not failed:
        failed = 1
    if not passed and not failed:
        passed = 1
    return passed, failed


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        print(*count(log.read(), int(sys.argv[2])))
