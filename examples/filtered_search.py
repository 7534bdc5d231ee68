"""Search among some: a mask, ids or a function says which may be answered; k answers are found all the same."""

import numpy as np

import boon

random = np.random.default_rng(3)
vectors = random.normal(size=(20_000, 32)).astype(np.float32)
price = random.uniform(1, 100, size=20_000)

index = boon.Index(dim=32, space="l2")
index.add(vectors)
query = random.normal(size=32)

cheap = price < 5  # one in twenty-five
by_mask = index.search(query, k=5, filter=cheap)
by_ids = index.search(query, k=5, filter=np.flatnonzero(cheap))
by_function = index.search(query, k=5, filter=lambda id: price[id] < 5)
print("by mask:    ", by_mask.ids, price[by_mask.ids].round(2))
print("by ids:     ", by_ids.ids)
print("by function:", by_function.ids)

# Where few may be answered each of them is compared, so the answers are exact.
print("of three:   ", index.search(query, k=5, filter=[7, 700, 7000]).ids)
near = index.search_range(query, threshold=float(by_mask.distances[2]), filter=cheap)
print("as near as the third:", near.ids)
