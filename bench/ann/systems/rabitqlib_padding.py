"""rabitqlib's rotation is for 64 dimensions or more: shorter vectors get zeros, which change no distance."""

from __future__ import annotations

import numpy as np

from ann.system import Vectors

LEAST = 64


def pad(vectors: Vectors) -> Vectors:
    missing = LEAST - vectors.shape[1]
    return np.pad(vectors, ((0, 0), (0, missing))) if missing > 0 else vectors
