"""The cache folder outside the repository: where it is, who may write in it, how a file appears in it.

Invariants
 1. A file under its final name is whole: it was written beside it, flushed, then renamed.
 2. One process writes at a time, so a half-written `.part` belongs to nobody and is overwritten.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from .report import notice


def cache_folder() -> Path:
    """$BOON_DATA, else $XDG_CACHE_HOME/boon/data, else ~/.cache/boon/data."""
    if os.environ.get("BOON_DATA"):
        return Path(os.environ["BOON_DATA"]).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification says that a relative path is to be ignored.
    root = Path(base) if os.path.isabs(base) else Path.home() / ".cache"
    return root / "boon" / "data"


@contextlib.contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Holds the folder's lock, making the folder first; waits for another run that holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            notice(f"another run is writing in {folder}; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yields a temporary name beside `path`; renames it to `path` if the body ends well, else removes it."""
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    try:
        yield part
        with open(part, "rb") as written:
            os.fsync(written.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
