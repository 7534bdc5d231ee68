"""The harness's end of a worker: commands with a time limit, and an end for a reason that can be told."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

# As many threads as the build has; for a search the worker holds all of them to one processor too.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


class Failure(Exception):
    """The system cannot go on; the message says why. unavailable: it never could, on this machine."""

    def __init__(self, reason: str, unavailable: bool = False) -> None:
        super().__init__(reason)
        self.unavailable = unavailable


class Process:
    """A running worker. Leaves no process behind once closed."""

    def __init__(self, log: Path, threads: int, folder: Path) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(parents=True, exist_ok=True)
        self.log = log
        self.buffer = b""
        environment = dict(
            os.environ, PYTHONPATH=str(Path(__file__).resolve().parent.parent), OMP_WAIT_POLICY="passive"
        )
        environment.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))
        with log.open("wb") as stderr:
            self.child = subprocess.Popen(
                [sys.executable, "-m", "ann.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )

    def ask(self, doing: str, within_s: float, command: dict[str, Any]) -> dict[str, Any]:
        """Sends a command and waits for its answer. Raises Failure, the process then being gone."""
        assert self.child.stdin is not None
        try:
            self.child.stdin.write(json.dumps(command).encode() + b"\n")
            self.child.stdin.flush()
            line = self._line(within_s)
        except BrokenPipeError:
            line = b""
        if line is None:
            self.close()
            raise Failure(f"not done with {doing} after {within_s:.0f} s")
        if not line:
            raise Failure(f"{self._end()} while {doing}{self._last_words()}")
        reply: dict[str, Any] = json.loads(line)
        if "unavailable" in reply or "error" in reply:
            self.close()
            raise Failure(reply.get("unavailable") or f"{reply['error']} while {doing}", "unavailable" in reply)
        return reply

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def _line(self, limit_s: float) -> bytes | None:
        """The next line; empty at the end of the stream, None when time is up."""
        assert self.child.stdout is not None
        pipe = self.child.stdout.fileno()
        deadline = time.monotonic() + limit_s
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                return None
            part = os.read(pipe, 1 << 16)
            if not part:
                return b""
            self.buffer += part
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line

    def _end(self) -> str:
        code = self.child.wait()
        self.close()
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    def _last_words(self) -> str:
        lines = [line.strip() for line in self.log.read_text(errors="replace").splitlines() if line.strip()]
        return f" ({lines[-1][:200]})" if lines else ""
