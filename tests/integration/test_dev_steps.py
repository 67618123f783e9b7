# SPDX-License-Identifier: Apache-2.0
"""Steps of ./dev: they show their progress, and none outlives the shell that started it."""

import os
import re
import shutil
import subprocess

import pytest

from support import paths, processes
from support.eventually import eventually

# Two steps that run at the same time, as in ./dev test. Each prints the processes of its group: itself and a child.
SCRIPT = """
. scripts/lib/common.sh
logs=$1 progress_every=1
group='$BEFORE echo $$; sleep 600 & echo $!; wait; wait'
begin_step beside bash -c "$group"
step 'a long one' bash -c "$group"
"""


@pytest.mark.parametrize("before", ["", "trap '' TERM;"])
def test_a_step_shows_its_duration_and_ends_with_the_shell(tmp_path, before):
    out = tmp_path / "out"
    with open(out, "wb") as file:
        shell = subprocess.Popen(processes.guarded(["bash", "-c", SCRIPT.replace("$BEFORE", before.replace("'", "'\\''")), "dev", tmp_path]),
                                 cwd=paths.ROOT, stdout=file, stderr=subprocess.STDOUT)
    eventually(lambda: re.search(r"^  … a long one, [1-9]\d* s", out.read_text(), re.M), what="it shows its duration")
    pids = [int(pid) for log in ("beside", "a-long-one") for pid in (tmp_path / f"{log}.log").read_text().split()]
    begun = {pid: processes.start_time(pid) for pid in pids}
    assert len(begun) == 4 and None not in begun.values()

    shell.kill()
    shell.wait()

    eventually(lambda: not any(processes.is_running(pid, start or 0) for pid, start in begun.items()), what="none of them is left")


@pytest.mark.skipif(not shutil.which("go"), reason="needs Go")
def test_a_build_of_go_modules_names_the_package_that_it_compiles(tmp_path):
    module = tmp_path / "module"
    (module / "part").mkdir(parents=True)
    (module / "go.mod").write_text("module example.com/hello\n\ngo 1.21\n")
    (module / "main.go").write_text('package main\n\nimport "example.com/hello/part"\n\nfunc main() { print(part.Text) }\n')
    (module / "part/part.go").write_text(f'package part\n\nconst Text = "{tmp_path}"\n')  # new text, so that no cache has it

    def build():
        command = [paths.ROOT / "scripts/build-go", tmp_path / "out", f"hello={module}/go.mod=.=world"]
        return subprocess.run(command, env=os.environ | {"GO": shutil.which("go")}, capture_output=True, text=True, check=True).stdout

    assert re.search(r"^hello: package \d+ of \d+: example.com/hello/part$", build(), re.M)
    assert build() == ""
    assert (tmp_path / "out/world").resolve() == (tmp_path / "out/hello").resolve()
    assert subprocess.run([tmp_path / "out/world"], capture_output=True, text=True, check=True).stderr == str(tmp_path)


@pytest.mark.parametrize("arguments, message", [
    (["frob"], "unknown command: frob"),
    (["build", "nope"], "unknown preset nope: must be one of dev release asan-ubsan tsan clang coverage"),
    (["build", "--test"], r"unknown flag --test: ./dev build \[PRESET\] \[--tests\]"),
    (["build", "dev", "release"], r"unexpected argument release: ./dev build \[PRESET\] \[--tests\]"),
])
def test_a_wrong_command_line_of_dev_is_rejected_with_what_is_accepted(arguments, message):
    done = subprocess.run([paths.ROOT / "dev", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.search(rf"^dev: {message}$", done.stderr, re.M), done.stderr


def steps_of(*arguments):
    """The steps that ./dev would run, without running them: {its name: its arguments}."""
    script = (paths.ROOT / "dev").read_text().replace('$(dirname "${BASH_SOURCE[0]}")', str(paths.ROOT))
    functions, dispatch = re.split(r"^(?=command=)", script, maxsplit=1, flags=re.M)
    stubs = "".join(f'{name}() {{ echo {name} "$@"; }}\n' for name in ("setup_packages", "setup_controlplane", "build", "python_module"))
    done = subprocess.run(["bash", "-c", functions + stubs + dispatch, "dev", *arguments], capture_output=True, text=True, check=True)
    return dict(line.split(" ", 1) if " " in line else (line, "") for line in done.stdout.splitlines())


def test_the_services_need_a_local_control_plane_only_without_another_cluster():
    assert "setup_controlplane" in steps_of("run", "--once")
    for flags in (["--kubeconfig", "file"], ["--kubeconfig=file"], ["--context", "kind-kind"]):
        steps = steps_of("run", *flags)
        assert "setup_controlplane" not in steps
        assert steps["python_module"] == " ".join(["devtools.run", *flags])


def test_tests_are_built_only_on_request():
    programs = steps_of("build", "release")["build"].split()
    assert programs[0] == "release" and all(name.startswith("xebec") for name in programs[1:]) and "xebec-planner" in programs
    assert steps_of("build", "release", "--tests")["build"] == "release all"
