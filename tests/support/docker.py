# SPDX-License-Identifier: Apache-2.0
"""A Docker daemon inside an enclosure. Its containers share the loopback of the enclosure."""

import os
import shutil
import subprocess

from support import paths
from support.eventually import eventually


class Docker:
    def __init__(self, folder):
        self.path = folder.path / "docker"
        self.path.mkdir()
        socket = f"unix://{self.path}/socket"
        path = paths.unpacked("docker", "containers")
        self.environment = os.environ | {"PATH": path, "DOCKER_HOST": socket, "DOCKER_CONFIG": str(self.path / "config")}
        self._cli = shutil.which("docker", path=path)
        self.process = folder.start("dockerd", [
            shutil.which("dockerd", path=path), "--host", socket, "--data-root", self.path / "data", "--exec-root", self.path / "exec", "--pidfile",
            self.path / "pid", "--bridge", "none", "--iptables=false", "--ip6tables=false", "--cgroup-parent", f"/{folder.path.name}",
            "--storage-driver", "overlay2"], self.environment)
        eventually(self._answers, 60, what="dockerd answers")

    def run(self, *arguments, minutes=5, **variables):
        """Standard output of the Docker command, with variables set."""
        return self._run(self._cli, *arguments, minutes=minutes, **variables)

    def compose(self, *arguments, **variables):
        """Standard output of docker-compose on our file, with variables set."""
        return self._run("docker-compose", "--project-name", "xebec", "-f", paths.ROOT / "docker-compose.yml", *arguments, **variables)

    def stop(self):
        self.process.stop(30)

    def _run(self, *command, minutes=5, **variables):
        done = subprocess.run(list(map(str, command)), env=self.environment | variables, capture_output=True, text=True, check=False,
                              timeout=60 * minutes)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def _answers(self):
        assert self.process.alive(), self.process.last_lines()
        done = subprocess.run([self._cli, "version"], env=self.environment, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr
        return True
