# SPDX-License-Identifier: Apache-2.0
"""Finds the reports of sanitizers in the logs of processes."""

import re

_REPORT = re.compile(rb"^.*(?:(?:WARNING|ERROR): \w+Sanitizer: |: runtime error: ).*$", re.M)


def reports(folder):
    """A line "LOG: report" for each report in the logs of this folder."""
    return [f"{log.name}: {found.decode(errors='replace').strip()}"
            for log in sorted(folder.glob("*.log")) for found in _REPORT.findall(log.read_bytes())]
