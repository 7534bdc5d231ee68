"""Figures of one data set as Markdown: what each system reaches at a recall, and what its index costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ann.frontier import TARGETS, Point, frontier, qps_at
from ann.grid import label
from ann.session import main_build
from ann.store import MODES, Entry

MODE_NAMES = {
    "single": "one query a call, one thread",
    "batch1": "one call for all queries, one thread",
    "batch2": "one call for all queries, two threads",
}


@dataclass(frozen=True)
class Row:
    """A system on a data set: its frontier in each mode over all its builds, and the costs of its main build."""

    system: str
    lines: dict[str, list[Point]]
    build: str
    build_seconds: dict[str, float]
    memory_bytes: int | None
    disk_bytes: int | None
    version: str | None
    note: str

    def qps(self, mode: str, recall: float) -> float | None:
        return qps_at(recall, self.lines[mode]) if self.lines.get(mode) else None

    def as_json(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "version": self.version,
            "build": self.build,
            "build_seconds": self.build_seconds,
            "memory_bytes": self.memory_bytes,
            "disk_bytes": self.disk_bytes,
            "note": self.note,
            "qps_at_recall": {mode: {f"{t:.2f}": self.qps(mode, t) for t in TARGETS} for mode in MODES},
            "frontier": {mode: [point._asdict() for point in line] for mode, line in self.lines.items()},
        }


def rows(entries: Sequence[Entry]) -> list[Row]:
    """One for each system that was measured, the fastest at recall 0.95 first."""
    found = []
    for system in dict.fromkeys(entry.system for entry in entries):
        mine = [entry for entry in entries if entry.system == system]
        main = main_build(mine)
        if main is None:
            continue
        lines = {
            mode: frontier(p._replace(key=f"{label(e.build)}; {p.key}") for e in mine for p in e.best_points(mode))
            for mode in MODES
        }
        found.append(
            Row(
                system, lines, label(main.build), main.build_seconds, main.memory_bytes, main.disk_bytes, main.version,
                main.note,
            )
        )  # fmt: skip
    return sorted(found, key=lambda row: -(row.qps("single", 0.95) or 0.0))


def failures(entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """(system, reason) of builds that could not be measured, each reason once."""
    found = dict.fromkeys((entry.system, entry.reason) for entry in entries if entry.status == "unavailable")
    for entry in entries:
        if entry.status == "failed":
            found[f"{entry.system} ({label(entry.build)})", entry.reason] = None
    return list(found)


def speed_table(table: Sequence[Row], mode: str) -> str:
    """Queries a second at each recall, and each system's share of hnswlib's."""
    present = [row for row in table if row.lines.get(mode)]
    against = next((row for row in present if row.system == "hnswlib"), None)
    head = ["system", *(f"QPS at {t:.2f}" for t in TARGETS), *(f"x hnswlib at {t:.2f}" for t in TARGETS)]
    body = []
    for row in sorted(present, key=lambda row: -(row.qps(mode, 0.95) or 0.0)):
        speeds = [row.qps(mode, t) for t in TARGETS]
        ratios = [ratio(s, against.qps(mode, t) if against else None) for s, t in zip(speeds, TARGETS)]
        body.append([bold(row.system), *(count(s) for s in speeds), *ratios])
    return markdown(head, body)


def against_table(table: Sequence[Row], name: str = "boon") -> str:
    """What a system reaches beside the best peer, whichever that is, and beside hnswlib."""
    mine = next((row for row in table if row.system == name), None)
    if mine is None:
        return ""
    body = []
    for mode in MODES:
        for target in TARGETS:
            speeds = {row.system: row.qps(mode, target) or 0.0 for row in table if row.system != name}
            best = max(speeds, key=lambda system: speeds[system], default="")
            own = mine.qps(mode, target)
            if not own and not speeds.get(best):
                continue
            body.append(
                [MODE_NAMES[mode], f"{target:.2f}", count(own), f"{best} {count(speeds.get(best))}",
                 ratio(own, speeds.get(best)), ratio(own, speeds.get("hnswlib"))]
            )  # fmt: skip
    head = ["search", "recall@10", f"{name}, QPS", "best peer, QPS", f"{name} / best peer", f"{name} / hnswlib"]
    return markdown(head, body, left=1)


def cost_table(table: Sequence[Row], raw_bytes: int) -> str:
    """Time, memory and bytes of each system's main build. raw_bytes: of the vectors themselves, as fp32."""
    body = []
    for row in table:
        seconds = [row.build_seconds.get(threads) for threads in ("1", "2")]
        sizes = [row.memory_bytes, row.disk_bytes]
        body.append(
            [bold(row.system), f"`{row.build}`", *("–" if s is None else f"{s:.1f}" for s in seconds),
             *("–" if b is None else f"{b / 1e6:,.0f} ({b / raw_bytes:.2f})" for b in sizes)]
        )  # fmt: skip
    head = ["system", "build", "build, 1 thread, s", "2 threads, s", "memory, MB (x vectors)", "disk, MB (x vectors)"]
    return markdown(head, body, left=2)


def bold(system: str) -> str:
    return f"**{system}**" if system == "boon" else system


def count(value: float | None) -> str:
    return f"{value:,.0f}" if value else "–"


def ratio(value: float | None, other: float | None) -> str:
    return f"{value / other:.2f}" if value and other else "–"


def markdown(head: Sequence[str], body: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table whose first columns are flush left and whose others are numbers."""
    rule = ["---" if i < left else "---:" for i in range(len(head))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *body)) + "\n"
