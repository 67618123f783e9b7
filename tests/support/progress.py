# SPDX-License-Identifier: Apache-2.0
"""Progress lines: the running step and its duration."""

import contextlib
import os
import sys
import threading
import time

_lock = threading.Lock()
_ticking = False


listener_gone = threading.Event()  # whoever read our output has closed it


def say(text):
    """One line (or several), above the ticking one."""
    with _lock:
        _write(("\r\033[K" if _ticking and sys.stdout.isatty() else "") + text + "\n")


def _write(text):
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        listener_gone.set()


def duration(seconds):
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"


@contextlib.contextmanager
def step(title, detail=lambda: ""):
    """Shows that something runs: a ticking line on a terminal, a line every 20 s elsewhere, and one at its end."""
    global _ticking
    begin, ended = time.monotonic(), threading.Event()

    def tick():
        terminal = sys.stdout.isatty()
        while not ended.wait(0.2 if terminal else 20):
            line = f"  … {title}, {duration(time.monotonic() - begin)}  {detail()}"
            with _lock:
                _write(f"\r\033[K{line[:110]}" if terminal else line + "\n")

    _ticking = True
    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    succeeded = False
    try:
        yield
        succeeded = True
    finally:
        ended.set()
        thread.join()
        say(f"  {title}: {'' if succeeded else 'failed after '}{duration(time.monotonic() - begin)}")
        _ticking = False
