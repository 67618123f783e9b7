# SPDX-License-Identifier: Apache-2.0
"""Programs: how they end, and their revision."""

import signal
import subprocess
import sys

import grpc

from xebec_operator._pb import hook_pb2 as pb

PROGRAM = """
import sys
from xebec_operator import Operator
op = Operator("a.example.com")
@op.sync
def sync(o):
    o.status(a=1)
op.serve("127.0.0.1:0")
"""
HANGING = """
import threading
from xebec_operator import Operator
op = Operator("a.example.com")
@op.sync
def sync(o):
    print("Hanging", flush=True)
    threading.Event().wait()
op.serve("127.0.0.1:0", grace=0.2)
"""
REQUEST = pb.SyncRequest(phase=pb.PHASE_SYNC, parent='{"metadata": {"name": "web"}}')


def stream(channel, messages):
    method = channel.stream_stream(
        "/xebec.hooks.v1.HookService/SyncStream", pb.SyncStreamRequest.SerializeToString, pb.SyncStreamResponse.FromString)
    return method(messages, timeout=10)


def run_program(folder, text, number=signal.SIGTERM):
    """Starts the program, stops it when it serves, and returns its revision, its output and its code."""
    (folder / "program.py").write_text(text)
    with subprocess.Popen([sys.executable, str(folder / "program.py")], stderr=subprocess.PIPE, text=True) as program:
        line = program.stderr.readline()
        program.send_signal(number)
        rest = program.stderr.read()
    return line.rpartition("revision=")[2].strip(), line + rest, program.returncode


def test_a_program_with_a_handler_that_hangs_ends_after_the_grace_period(tmp_path):
    (tmp_path / "program.py").write_text(HANGING)
    command = [sys.executable, str(tmp_path / "program.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            port = program.stderr.readline().partition("port=")[2].split()[0]
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                answers = stream(channel, iter([pb.SyncStreamRequest(call=1, request=REQUEST)]))
                assert program.stdout.readline() == "Hanging\n"
                program.send_signal(signal.SIGTERM)
                assert program.wait(8) == 0
                answers.cancel()
            assert "handlers still run" in program.stderr.read()
        finally:
            program.kill()


def test_a_program_ends_at_a_signal_and_its_revision_changes_with_its_source(tmp_path):
    revision, output, code = run_program(tmp_path, PROGRAM)
    assert code == 0 and "Stopped" in output and len(revision) == 16
    (tmp_path / "other").mkdir()
    assert run_program(tmp_path / "other", PROGRAM, signal.SIGINT)[0] == revision
    (tmp_path / "helper.py").write_text("A = 1\n")
    with_helper = run_program(tmp_path, "import helper\n" + PROGRAM)[0]
    (tmp_path / "helper.py").write_text("A = 2\n")
    assert len({revision, with_helper, run_program(tmp_path, "import helper\n" + PROGRAM)[0]}) == 3
