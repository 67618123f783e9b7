# SPDX-License-Identifier: Apache-2.0
"""What sanitizers said in the logs of processes, which may go on after it."""

import re

_REPORT = re.compile(rb"^.*(?:(?:WARNING|ERROR): \w+Sanitizer: |: runtime error: ).*$", re.M)


def reports(folder):
    """A line "LOG: report" for each report in the logs of this folder."""
    return [f"{log.name}: {found.decode(errors='replace').strip()}"
            for log in sorted(folder.glob("*.log")) for found in _REPORT.findall(log.read_bytes())]
