"""King - man + woman: arithmetic with word vectors, on the 20,000 words that come with boon."""

from pathlib import Path

import numpy as np

import boon

data = Path(__file__).resolve().parent.parent / "data"
words = (data / "words20k.txt").read_text(encoding="utf-8").split("\n")[:-1]
vectors = np.load(data / "words20k.npy").astype(np.float32)

index = boon.Index(dim=vectors.shape[1], space="cosine")
index.add(vectors, ids=words)


def is_to(a: str, b: str, c: str) -> str:
    """a is to b as c is to the answer."""
    query = index.get(b) - index.get(a) + index.get(c)  # vectors are of length 1
    answers = index.search(query, k=4, beam=200).ids
    return next(str(word) for word in answers if word not in (a, b, c))


for a, b, c in [("man", "king", "woman"), ("paris", "france", "tokyo"), ("walk", "walked", "go")]:
    print(f"{a} is to {b} as {c} is to {is_to(a, b, c)}")
print("near to ocean:", *index.search(index.get("ocean"), k=6).ids[1:])
