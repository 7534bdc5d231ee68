"""Make an index, ask it, change it, keep it."""

import tempfile
from pathlib import Path

import numpy as np

import boon

random = np.random.default_rng(1)
vectors = random.normal(size=(10_000, 64)).astype(np.float32)

index = boon.Index(dim=64, space="cosine")
index.add(vectors)  # ids 0, 1, 2, …

ids, distances = index.search(vectors[17], k=3)
print("nearest to vector 17:", ids, distances.round(3))

table = index.search(vectors[:5], k=3, beam=100)  # many queries at once: shape (5, 3)
print("nearest to the first five:", table.ids[:, 0])

index.delete([17])
print("without vector 17:", index.search(vectors[17], k=1).ids)
index.add(vectors[17], ids=17)

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "vectors.boon"
    index.save(file)
    with boon.Index.view(file) as mapped:  # opens at once, whatever its size
        print("from the file:", mapped)
        print("nearest to vector 17:", mapped.search(vectors[17], k=1).ids)
