# SPDX-License-Identifier: Apache-2.0
"""The stream of a watcher to an applier, by grpcurl."""

import json
import subprocess
import threading

from support import grpcurl, paths
from support.eventually import eventually
from support.processes import guarded


class ApplyStream:
    """ApplyStream of the applier at an address. Plans are dicts as in proto/xebec/v1/plan.proto."""

    def __init__(self, address):
        self.reports, self.errors, self.credits = {}, {}, 0
        command = [paths.controlplane_binary("grpcurl"), "-plaintext", *grpcurl.proto("applier"), "-d", "@",
                   address, "xebec.v1.ApplierService/ApplyStream"]
        self._grpcurl = subprocess.Popen(guarded(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut()

    def send(self, *plans):
        for plan in plans:
            self._grpcurl.stdin.write(json.dumps({"plan": plan}) + "\n")
        self._grpcurl.stdin.flush()

    def report(self, sequence):
        """The report on the plan of that sequence."""
        return eventually(lambda: self.reports.get(sequence), what=f"the report on plan {sequence}")

    def error(self, sequence):
        return eventually(lambda: self.errors.get(sequence), what=f"an error for plan {sequence}")

    def finish(self):
        """Half-closes and waits for the end; the exit code and the errors of grpcurl."""
        self._grpcurl.stdin.close()
        self._reader.join(30)
        return self._grpcurl.wait(30), self._grpcurl.stderr.read()

    def cut(self):
        """Breaks the stream, like a killed watcher."""
        self._grpcurl.kill()
        self._grpcurl.wait()

    def _read(self):
        decoder, text = json.JSONDecoder(), ""
        while chunk := self._grpcurl.stdout.readline():
            text += chunk
            if chunk != "}\n":  # the last line of an answer, and of nothing within it
                continue
            self._take(decoder.decode(text))
            text = ""

    def _take(self, answer):
        self.credits += answer.get("credits", 0)
        sequence = int(answer.get("sequence", 0))
        if "report" in answer:
            self.reports[sequence] = answer["report"]
        if "error" in answer:
            self.errors[sequence] = answer["error"]


def codes(report):
    """["CREATED", ...] of a report's outcomes, in order."""
    return [outcome["code"].removeprefix("OUTCOME_CODE_") for outcome in report["outcomes"]]
