"""Recall against queries a second, one line for each system: PNG and SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from ann import grid
from ann.frontier import Point
from ann.tables import MODE_NAMES, Row

matplotlib.use("Agg")

LOWEST = 0.70
# Recall is drawn by its logit, which gives 0.9 to 0.99 as much room as 0.5 to 0.9.
TICKS = (0.70, 0.80, 0.90, 0.95, 0.98, 0.99, 0.995, 0.999)
MARKERS = "osD^vP*Xph<>d"
# The ten strong colours of tab20 first, then their pale companions; a system has the same one in all plots.
COLOURS = [matplotlib.colormaps["tab20"](number) for number in (*range(0, 20, 2), *range(1, 20, 2))]
PLACES = {name: place for place, name in enumerate(sorted(grid.read()))}


def draw(data: str, table: Sequence[Row], mode: str, folder: Path) -> list[Path]:
    """Writes <data>-<mode>.png and .svg and returns their paths; nothing where no system was measured so."""
    shown = [row for row in table if visible(row.lines.get(mode, []))]
    if not shown:
        return []
    matplotlib.rcParams.update({"svg.hashsalt": "boon", "svg.fonttype": "none", "font.size": 11})
    figure, axes = plt.subplots(figsize=(11, 6.5), layout="constrained")
    for row in sorted(shown, key=lambda row: row.system):
        number = PLACES.get(row.system, len(PLACES))
        points = visible(row.lines[mode])
        ours = row.system == "boon"
        axes.plot(
            [point.recall for point in points],
            [point.qps for point in points],
            color="black" if ours else COLOURS[number % len(COLOURS)],
            marker="o" if ours else MARKERS[number % len(MARKERS)],
            linewidth=3 if ours else 1.5,
            markersize=7 if ours else 5,
            zorder=3 if ours else 2,
            label=row.system,
        )
    axes.set_xscale("logit")
    axes.set_yscale("log")
    axes.set_xlim(LOWEST, 0.9995)
    axes.xaxis.set_major_locator(FixedLocator(TICKS))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(FixedLocator([a * 10**b for b in range(1, 6) for a in (1, 2, 5)]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(True, which="major", alpha=0.3)
    axes.set_xlabel("recall@10")
    axes.set_ylabel("queries a second")
    axes.set_title(f"{data}: {MODE_NAMES[mode]} (up and to the right is better)")
    handles, labels = axes.get_legend_handles_labels()
    speed = {row.system: visible(row.lines[mode])[0].qps for row in shown}
    order = sorted(range(len(labels)), key=lambda i: -speed[labels[i]])
    figure.legend(
        [handles[i] for i in order], [labels[i] for i in order], loc="outside right upper", frameon=False, fontsize=10
    )
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{data}-{mode}.{kind}" for kind in ("png", "svg")]
    for file in files:
        figure.savefig(file, dpi=110, metadata={"Date": None} if file.suffix == ".svg" else {})
    plt.close(figure)
    return files


def visible(line: Sequence[Point]) -> list[Point]:
    """Points with a place on the drawn axis; full recall stands at its end."""
    return [point._replace(recall=min(point.recall, 0.9994)) for point in line if point.recall >= LOWEST]
