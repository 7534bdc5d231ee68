"""text384: descriptions of Debian's packages as all-MiniLM-L6-v2 sees them.

Two things are not the same everywhere, so no checksum of the content is pinned as for the other sets. The texts are
those of one point release, pinned while a mirror still has them; of another they are taken with a notice. The vectors
differ in their last bits from one machine to the next. What a file was made of stands in its attributes.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from . import debian, hdf5
from .draw import held_out
from .embedding import embed, forget
from .packages import MINILM
from .report import DataError, notice
from .truth import nearest

NEIGHBOURS = 100
DIMENSION = 384

# Of the distinct descriptions of debian.PINNED: a line each, in the order of its list.
TEXTS = 61_463
TEXTS_SHA256 = "782ac9d33bfafce0c695375fe93d033265d77e3eed29860612b65461d3dbe33a"
# Another point release adds and drops a few packages; far from that, the list is not what it was taken for.
TEXTS_MIN, TEXTS_MAX = 55_000, 68_000


class TextSet:
    """The set, with the interface of sets.DataSet."""

    name = "text384"
    summary = "descriptions of Debian packages (all-MiniLM-L6-v2), with their texts"
    queries = 5_000
    rows = TEXTS - queries
    dimension = DIMENSION
    distance = "angular"
    source = f"Debian {debian.PINNED.version} main, embedded with {MINILM.spec}"
    pinned = {"texts_sha256": TEXTS_SHA256}

    def file(self, cache: Path) -> Path:
        return cache / f"{self.name}.hdf5"

    def ready(self, cache: Path) -> bool:
        """Whether the file is there, whole, and made with this model; reads all of it."""
        try:
            attributes = hdf5.read_attributes(self.file(cache))
            found = hdf5.content_sha256(hdf5.read(self.file(cache)))
        except OSError:
            return False
        return (attributes.get("model"), attributes.get("content_sha256")) == (MINILM.spec, found)

    def make(self, cache: Path) -> None:
        """Fetches, embeds and writes the file. Raises DataError if texts or model are not what they should be."""
        release, path = debian.fetch_list(cache)
        entries = debian.distinct(debian.read_list(path))
        texts = [text for _, text in entries]
        checksum = require_texts(release, texts)
        notice(f"{self.name}: embedding {len(texts):,} texts, which takes about 15 minutes on two free cores")
        arrays = split(entries, embed(texts, cache), self.queries)
        notice(f"{self.name}: finding the {NEIGHBOURS} nearest of each query")
        arrays["neighbors"], arrays["distances"] = nearest(arrays["train"], arrays["test"], NEIGHBOURS, self.distance)
        origin = {"release": release.version, "texts_sha256": checksum, "model": MINILM.spec}
        source = f"descriptions of Debian {release.version} main, embedded with {MINILM.spec}"
        hdf5.write(self.file(cache), arrays, self.distance, source, origin)
        forget(cache)


def require_texts(release: debian.Release, texts: list[str]) -> str:
    """The texts' SHA-256. Says so where they are not the pinned ones; raises DataError if they cannot be right."""
    checksum = hashlib.sha256("".join(f"{text}\n" for text in texts).encode()).hexdigest()
    if checksum == TEXTS_SHA256:
        return checksum
    if release == debian.PINNED:
        raise DataError(f"the texts of Debian {release.version} have SHA-256 {checksum}, expected {TEXTS_SHA256}")
    if not TEXTS_MIN <= len(texts) <= TEXTS_MAX:
        raise DataError(f"Debian {release.version} gives {len(texts):,} texts, expected about {TEXTS:,}")
    notice(
        f"no mirror has the texts of Debian {debian.PINNED.version} any more; taking the {len(texts):,} of "
        f"{release.version}, so results differ a little from published ones"
    )
    return checksum


def split(entries: list[tuple[str, str]], vectors: np.ndarray, queries: int) -> dict[str, np.ndarray | list[str]]:
    """All shuffled, since the list is by name and neighbours in it are alike; the first `queries` leave the base."""
    test, train = held_out(len(entries), queries)
    return {
        "train": vectors[train],
        "test": vectors[test],
        "texts": [entries[i][1] for i in train],
        "test_texts": [entries[i][1] for i in test],
        "packages": [entries[i][0] for i in train],
        "test_packages": [entries[i][0] for i in test],
    }
