"""Progress on stderr: a line that is written over on a terminal, whole lines elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TextIO


class Progress:
    def __init__(self, stream: TextIO = sys.stderr) -> None:
        self.stream = stream
        self.terminal = stream.isatty()
        self.start = time.monotonic()

    def say(self, text: str) -> None:
        """A line that stays."""
        self._write(("\r\033[K" if self.terminal else "") + f"{self._clock()} {text}\n")

    def at(self, done: int, total: int, text: str) -> None:
        """A line for now; on a terminal only, with a bar."""
        if self.terminal:
            filled = round(20 * done / max(total, 1))
            self._write(f"\r\033[K{self._clock()} [{'#' * filled}{'.' * (20 - filled)}] {done}/{total} {text[:100]}")

    def _clock(self) -> str:
        seconds = int(time.monotonic() - self.start)
        return f"{seconds // 60:3d}:{seconds % 60:02d}"

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()
