"""Reads grids.toml: which systems there are and which parameters each is tuned over."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomllib

GRIDS = Path(__file__).with_name("grids.toml")
QUICK_POINTS = 6

Parameters = dict[str, Any]


@dataclass(frozen=True)
class Contender:
    """A system with its grids. The last key of `query` is the one that rises from fast to exact."""

    name: str
    adapter: str
    package: str
    build: dict[str, list[Any]]
    query: dict[str, list[Any]]
    quick: Parameters = field(default_factory=dict)

    def builds(self, quick: bool = False) -> list[Parameters]:
        return [self.quick] if quick else product(self.build)

    def sweeps(self, quick: bool = False) -> list[list[Parameters]]:
        """Query parameters in runs of rising cost: a run may end where recall is full."""
        *outer, (last, values) = self.query.items()
        runs = product(dict(outer))
        if quick:
            runs = [runs[len(runs) // 2]]
            values = thinned(values, QUICK_POINTS)
        return [[{**fixed, last: value} for value in values] for fixed in runs]

    def points(self) -> int:
        return len(self.builds()) * sum(map(len, self.sweeps()))


def product(grid: dict[str, list[Any]]) -> list[Parameters]:
    return [dict(zip(grid, values)) for values in itertools.product(*grid.values())]


def thinned(values: list[Any], most: int) -> list[Any]:
    if len(values) <= most:
        return values
    return [values[round(i * (len(values) - 1) / (most - 1))] for i in range(most)]


def label(parameters: Parameters) -> str:
    """Parameters as a name that may be a file's: "M=16,ef_construction=200"."""
    return ",".join(f"{name}={value}" for name, value in parameters.items()) or "default"


def read(path: Path = GRIDS) -> dict[str, Contender]:
    with path.open("rb") as file:
        entries = tomllib.load(file)
    return {name: Contender(name=name, **entry) for name, entry in entries.items()}


def select(peers: str, contenders: dict[str, Contender]) -> list[Contender]:
    """boon and the peers of a comma-separated list: names, packages or "all". Raises ValueError for one unknown."""
    wanted: set[str] = {"boon"} & contenders.keys()
    for word in filter(None, (word.strip() for word in peers.split(","))):
        named = [c.name for c in contenders.values() if word in (c.name, c.package) or c.name.startswith(word + "-")]
        if word == "all":
            named = list(contenders)
        elif word == "none":
            continue
        if not named:
            raise ValueError(f"no system is called {word!r}; there are {', '.join(contenders)}, all and none")
        wanted.update(named)
    return [contender for name, contender in contenders.items() if name in wanted]
