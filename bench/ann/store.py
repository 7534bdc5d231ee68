"""Results on disk, one JSON file for each system, data set and build, so that a run goes on where one stopped."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ann.frontier import Point
from ann.grid import Parameters, label

FORMAT = 1
MODES = ("single", "batch1", "batch2")


@dataclass
class Entry:
    """What is known of one build of a system on a data set.

    status: "new", "built", "tuned" (the points to report are chosen), "failed" or "unavailable" (reason says why).
    tune: one pass over the tuning queries for each point of the grid. chosen: labels of the points that are reported.
    passes: for each mode and label, one pass over the reported queries for each round.
    """

    data: str
    system: str
    package: str
    version: str | None
    build: Parameters
    status: str = "new"
    reason: str = ""
    note: str = ""
    build_seconds: dict[str, float] = field(default_factory=dict)
    memory_bytes: int | None = None
    peak_bytes: int | None = None
    disk_bytes: int | None = None
    tune: list[dict[str, Any]] = field(default_factory=list)
    chosen: list[str] = field(default_factory=list)
    passes: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)
    run: dict[str, Any] = field(default_factory=dict)
    format: int = FORMAT

    def tuned_points(self) -> list[Point]:
        return [Point(t["recall"], t["queries"] / t["seconds"], label(t["query"])) for t in self.tune]

    def best_points(self, mode: str) -> list[Point]:
        """Each reported point at its fastest pass."""
        points = []
        for key, passes in self.passes.get(mode, {}).items():
            qps, recall = max((p["queries"] / p["seconds"], p["recall"]) for p in passes)
            points.append(Point(recall, qps, key))
        return points

    def rounds(self) -> int:
        """How many rounds every chosen point has gone through."""
        single = self.passes.get("single", {})
        return min((len(single.get(key, [])) for key in self.chosen), default=0)

    def done(self, rounds: int) -> bool:
        if self.status in ("failed", "unavailable"):
            return True
        return self.status == "tuned" and (not self.chosen or self.rounds() >= rounds)


class Store:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, data: str, system: str, build: Parameters) -> Path:
        return self.folder / data / system / f"{label(build)}.json"

    def read(self, data: str, system: str, build: Parameters) -> Entry | None:
        file = self.file(data, system, build)
        return parse(file) if file.exists() else None

    def write(self, entry: Entry) -> None:
        """Whole or not at all: a run may be stopped here too."""
        file = self.file(entry.data, entry.system, entry.build)
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(asdict(entry), indent=1) + "\n")
        os.replace(part, file)

    def entries(self, data: str) -> list[Entry]:
        return [parse(file) for file in sorted((self.folder / data).glob("*/*.json"))]


def parse(file: Path) -> Entry:
    """Raises ValueError for a file of another format: it has to be measured again."""
    fields = json.loads(file.read_text())
    if fields.get("format") != FORMAT:
        raise ValueError(f"{file}: format {fields.get('format')}, expected {FORMAT}; delete it to measure again")
    return Entry(**fields)
