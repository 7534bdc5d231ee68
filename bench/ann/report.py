"""Tables and plots from what is stored: JSON, Markdown, and a page for people."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ann import plots, tables
from ann.data import TUNING_QUERIES, K
from ann.grid import Contender
from ann.machine import version
from ann.store import MODES, Entry, Store
from ann.tables import MODE_NAMES

NAME = "ann"

# A page that says other things too has the report between these.
BEGIN = "<!-- ./dev bench ann -->"
END = "<!-- end of ./dev bench ann -->"


def write(store: Store, names: Sequence[str], contenders: Sequence[Contender], output: Path, docs: Path) -> list[Path]:
    """Writes ann.json, ann.md and plots into `output`, and its part of the page `docs`; returns their paths."""
    output.mkdir(parents=True, exist_ok=True)
    wanted = [contender.name for contender in contenders]
    collected: list[dict[str, Any]] = []
    sections, pictures = [], []
    for name in names:
        entries = sorted(
            (entry for entry in store.entries(name) if entry.system in wanted), key=lambda e: wanted.index(e.system)
        )
        table = tables.rows(entries)
        drawn = {mode: plots.draw(name, table, mode, output) for mode in MODES}
        pictures += [file for files in drawn.values() for file in files]
        collected.append(data_json(name, entries, table))
        sections.append(section(name, entries, table, drawn, contenders))
    files = [output / f"{NAME}.json", output / f"{NAME}.md", docs]
    files[0].write_text(json.dumps({"data": collected}, indent=1) + "\n")
    docs.parent.mkdir(parents=True, exist_ok=True)
    text = introduction(collected)
    for file in files[1:]:
        prefix = Path(os.path.relpath(output, file.parent)).as_posix()
        place = "" if prefix == "." else f"{prefix}/"
        page = "\n".join([text, *(part.replace("{folder}", place) for part in sections)])
        file.write_text(page if file != docs else merged(docs, page))
    return files + pictures


def merged(docs: Path, page: str) -> str:
    """What `docs` says, with the page in place of what stands between the marks; without them the page alone."""
    text = docs.read_text() if docs.exists() else ""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}\n{page.rstrip()}\n{end}{after}" if begin and end else page


def data_json(name: str, entries: Sequence[Entry], table: Sequence[tables.Row]) -> dict[str, Any]:
    return {
        "name": name,
        "shape": entries[0].run["shape"] if entries else None,
        "machines": distinct([entry.machine for entry in entries]),
        "runs": distinct([{k: v for k, v in entry.run.items() if k != "at"} for entry in entries]),
        "dates": sorted({entry.run["at"][:10] for entry in entries}),
        "systems": [row.as_json() for row in table],
        "not_measured": [{"system": system, "reason": reason} for system, reason in tables.failures(entries)],
    }


def distinct(values: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [value for i, value in enumerate(values) if value not in values[:i]]


def introduction(collected: Sequence[dict[str, Any]]) -> str:
    lines = [
        "# boon beside other vector indexes",
        "",
        "Written by `./dev bench ann`; `--report` writes it again from stored results. Do not edit.",
        "",
        f"Recall@{K} is by distance against exact truth. Each system was tuned over the grid in `bench/ann/grids.toml` "
        f"on the first {TUNING_QUERIES:,} queries; the figures are of the others. Speeds at a recall are read off each "
        "system's Pareto frontier, log(speed) taken as linear in recall between two points; – stands for a recall not "
        "reached. Systems were measured by turns, each in a process of its own held to one processor (two where two "
        "threads are named); the fastest pass counts. Under cosine all systems get vectors and queries of length 1. "
        "Memory is what the process grew by while building, the given vectors not counted.",
        "",
    ]
    for machine in distinct([m for entry in collected for m in entry["machines"]]):
        caches = ", ".join(f"{name} {size}" for name, size in machine["caches"].items())
        lines += [
            f"- Machine: {machine['cpu']} (family/model/stepping {machine['model']}), {machine['cores']} cores, "
            f"{caches}, {machine['memory_bytes'] / 2**30:.0f} GiB; {machine['system']}, Python {machine['python']}.",
            f"- Instruction sets: {' '.join(machine['isa'])}.",
        ]
    for run in distinct([{k: r[k] for k in ("command", "commit", "quick")} for e in collected for r in e["runs"]]):
        quick = " A quick run on part of the data with small grids: not figures to publish." if run["quick"] else ""
        lines.append(f"- Command: `{run['command']}`; boon at commit {run['commit']}.{quick}")
    versions = {s["system"]: s["version"] for entry in collected for s in entry["systems"]}
    if versions:
        lines.append("- Versions: " + ", ".join(f"{s} {v}" for s, v in sorted(versions.items())) + ".")
    return "\n".join(lines) + "\n"


def section(
    name: str,
    entries: Sequence[Entry],
    table: Sequence[tables.Row],
    drawn: dict[str, list[Path]],
    contenders: Sequence[Contender],
) -> str:
    lines = [f"## {name}", ""]
    if not entries:
        return "\n".join([*lines, "Not measured yet.", ""])
    count, dim = entries[0].run["shape"]
    queries = sorted({f"{entry.run['queries']:,}" for entry in entries})
    dates = sorted({entry.run["at"][:10] for entry in entries})
    lines += [
        f"{count:,} vectors of {dim} dimensions; {' or '.join(queries)} reported queries; {', '.join(dates)}.",
        "",
    ]
    lines += [tables.against_table(table)]
    for mode in MODES:
        if any(row.lines.get(mode) for row in table):
            lines += [f"### {name}: {MODE_NAMES[mode]}", "", tables.speed_table(table, mode)]
            lines += [f"![{name}, {mode}]({{folder}}{file.name})\n" for file in drawn[mode] if file.suffix == ".svg"]
    lines += [f"### {name}: what an index costs", "", tables.cost_table(table, count * dim * 4)]
    notes = [f"- {row.system}: {row.note}" for row in table if row.note]
    if notes:
        lines += ["Notes:", "", *notes, ""]
    missing = [f"- {system}: {reason}" for system, reason in tables.failures(entries)]
    seen = {entry.system for entry in entries}
    missing += [f"- {c.name}: {absence(c)}" for c in contenders if c.name not in seen]
    if missing:
        lines += ["Not measured:", "", *missing, ""]
    return "\n".join(lines)


def absence(contender: Contender, failed: Path = Path(sys.prefix) / "failed") -> str:
    """Why a system has no result: time, or what pip said last when it was to be installed."""
    if version(contender.package):
        return "not reached in this run"
    log = failed / contender.package
    lines = log.read_text().strip().splitlines() if log.exists() else []
    return f"{contender.package} does not install: {lines[-1]}" if lines else f"{contender.package} is not installed"
