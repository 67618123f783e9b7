# SPDX-License-Identifier: Apache-2.0
"""The commands of the documentation, and a terminal for them."""

import contextlib
import os
import re
import socket
import subprocess

from support import paths
from support.eventually import eventually


def documented(page, topic):
    """The commands of a paragraph that begins with **TOPIC** or stands under that heading, up to the next one: indented
    lines, continued where they end in a backslash."""
    text = re.split(rf"(?m)^(?:\*\*{re.escape(topic)}\*\*|#+ {re.escape(topic)}$)", (paths.ROOT / "docs" / page).read_text())[1]
    text = re.split(r"(?m)^(?:\*\*|#)", re.sub(r"(?ms)^```.*?^```$", "", text))[0]
    lines = "\n".join(re.findall(r"^ {4}(.*)$", text, re.M)).replace("\\\n", " ")
    return lines.splitlines()


class Terminal:
    """A shell that finds kubectl, helm and grpcurl, in the folder of the project. `record`: a file for the commands and
    their output, from which a page takes its output."""

    def __init__(self, node, folder, record=None):
        self._folder, self._record = folder, record
        for name in ("proto", "examples", "charts"):
            (folder / name).symlink_to(paths.ROOT / name)
        (folder / "bin").mkdir()
        (folder / "bin/helm").symlink_to(paths.chart_tool("helm3"))
        programs = [str(folder / "bin"), os.path.dirname(paths.controlplane_binary("kubectl"))]
        self._environment = os.environ | {"KUBECONFIG": str(node.kubeconfig), "PATH": ":".join([*programs, os.environ["PATH"]])}
        if record:
            record.unlink(missing_ok=True)

    def run(self, command, timeout=120):
        """Returns what the command prints. `command` may have several lines."""
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=self._folder, env=self._environment, capture_output=True, text=True,
                              check=False, timeout=timeout)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        if self._record:
            with self._record.open("a", encoding="utf-8") as file:
                file.write(f"$ {command}\n{done.stdout}\n")
        return done.stdout

    @contextlib.contextmanager
    def beside(self, command, port):
        """In another terminal, which listens on that port."""
        running = subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=self._folder, env=self._environment, stdout=subprocess.DEVNULL)
        try:
            eventually(lambda: socket.create_connection(("localhost", port), timeout=5).close() or True, what=f"{command} listens")
            yield
        finally:
            running.terminate()
            running.wait()
