"""The Pareto frontier of recall and speed, and what is read off it."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

TARGETS = (0.90, 0.95, 0.99)


class Point(NamedTuple):
    """What was measured with one set of parameters: recall@k, queries a second, and a name for the parameters."""

    recall: float
    qps: float
    key: str = ""


def frontier(points: Iterable[Point]) -> list[Point]:
    """Points that no other beats in recall and in speed, by rising recall and so by falling speed."""
    best: list[Point] = []
    for point in sorted(points, key=lambda p: (-p.recall, -p.qps)):
        if not best or point.qps > best[-1].qps:
            best.append(point)
    return best[::-1]


def qps_at(recall: float, points: Iterable[Point]) -> float | None:
    """Queries a second at a recall, log(qps) taken as linear in recall between two points of the frontier.

    Below the first point its own speed, which has more recall than was asked for; beyond the last, None.
    """
    line = frontier(points)
    above = next((i for i, point in enumerate(line) if point.recall >= recall), None)
    if above is None:
        return None
    if above == 0 or line[above].recall == recall:
        return line[above].qps
    low, high = line[above - 1], line[above]
    share = (recall - low.recall) / (high.recall - low.recall)
    return math.exp((1 - share) * math.log(low.qps) + share * math.log(high.qps))


def choose(points: Iterable[Point], most: int, targets: Sequence[float] = TARGETS) -> list[Point]:
    """At most so many points of the frontier, those on both sides of each target first, the others spread evenly."""
    line = frontier(points)
    if len(line) <= most:
        return line
    recalls = [point.recall for point in line]
    kept: list[int] = []
    for target in targets:
        above = bisect.bisect_left(recalls, target)
        kept += [i for i in (above - 1, above) if 0 <= i < len(line) and i not in kept]
    kept = kept[:most]
    while len(kept) < most:  # the one that is farthest, in places of the frontier, from those there are
        kept.append(max((i for i in range(len(line)) if i not in kept), key=lambda i: min(abs(i - j) for j in kept)))
    return [line[i] for i in sorted(kept)]
