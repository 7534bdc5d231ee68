"""boon: vectors found by nearness.

    >>> import boon, numpy as np
    >>> index = boon.Index(dim=3, space="l2")
    >>> index.add(np.eye(3), ids=[10, 11, 12])
    array([10, 11, 12])
    >>> index.search([1, 0, 0.1], k=2).ids
    array([10, 12])

`Index` holds vectors of one dimension with integer or string ids, finds the nearest by HNSW or exactly, and lives in
memory or in one file. `knn` compares all rows of an array and builds nothing. `codec` holds vectors in fewer bytes;
`geometry` measures how many dimensions they have and projects them into fewer.
`boon.hnswlib` speaks to an index as programs written for hnswlib do. Errors are in `boon.errors`.
"""

from boon import codec, geometry
from boon._core import isa, version
from boon._exact import knn
from boon.errors import Error
from boon.index import Index, SearchResult

__version__ = version()
__all__ = ["Error", "Index", "SearchResult", "__version__", "codec", "geometry", "isa", "knn"]
