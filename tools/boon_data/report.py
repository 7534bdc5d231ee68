"""What the person at the terminal reads while data is made: notices always, progress on a terminal only."""

from __future__ import annotations

import sys
import time


class DataError(Exception):
    """A failure whose message is meant for the person who asked for the data."""


def notice(text: str) -> None:
    """Writes one line to stderr."""
    print(text, file=sys.stderr, flush=True)


class Progress:
    """A line on stderr that is redrawn in place; draws nothing where stderr is not a terminal."""

    def __init__(self, label: str, total: int, stream=None):
        self.label_ = label
        self.total_ = max(total, 1)
        self.stream_ = stream if stream is not None else sys.stderr
        self.drawn_at_ = 0.0
        self.shown_ = self.stream_.isatty()

    def update(self, done: int) -> None:
        """Shows `done` of the total, at most ten times a second."""
        now = time.monotonic()
        if not self.shown_ or (now - self.drawn_at_ < 0.1 and done < self.total_):
            return
        self.drawn_at_ = now
        percent = min(100, 100 * done // self.total_)
        self.stream_.write(f"\r\033[K{self.label_} {percent}%")
        self.stream_.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown_:
            self.stream_.write("\r\033[K")
            self.stream_.flush()
