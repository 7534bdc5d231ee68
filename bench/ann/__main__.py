"""Compares boon with other vector indexes: recall, speed, time to build, memory and bytes on disk, in one run.

Each system is tuned over the grid of grids.toml on the first 1,000 queries of a data set; the others are reported. A
search is on one thread, one query a call; further tables ask all queries in one call, on one and on two threads.
Systems are measured by turns, each in a process of its own, and what was measured is kept: a run that was stopped
goes on.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import time
from pathlib import Path

from ann import data, grid, report
from ann.progress import Progress
from ann.session import Options, Session
from ann.store import MODES, Store

ROOT = Path(__file__).resolve().parent.parent.parent
WORK = ROOT / "build" / "bench" / "ann"
ALL_DATA = "glove100,mnist784,fashion784,seed50,text384"
QUICK_MINUTES = 10.0


def main() -> int:
    arguments = parse()
    progress = Progress()
    try:
        if arguments.list:
            show_systems()
            return 0
        contenders = grid.select(arguments.peers, grid.read())
        folders = [
            data.prepare(data.cached_file(name), arguments.work / "data", data.QUICK_ROWS if arguments.quick else 0)
            for name in arguments.data.split(",")
        ]
        if not arguments.report:
            measure(arguments, contenders, folders, progress)
        names = [folder.name for folder in folders]
        written = report.write(Store(arguments.work / "results"), names, contenders, arguments.output, arguments.docs)
        for file in written:
            print(file)
        return 0
    except KeyboardInterrupt:
        progress.say("stopped; the same command goes on from here")
        return 130
    except FileNotFoundError as error:
        progress.say(f"error: {error.filename} is not there; ./dev data NAME makes it")
    except (OSError, ValueError) as error:
        progress.say(f"error: {error}")
    return 1


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./dev bench ann", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default=None, help=f"sets by name, or HDF5 files (default: {ALL_DATA})")
    parser.add_argument("--peers", default="all", help="systems or packages beside boon, all or none (default: all)")
    parser.add_argument("--list", action="store_true", help="list the systems and what is installed of them")
    parser.add_argument("--quick", action="store_true", help="10 minutes: 50,000 vectors of glove100, small grids")
    parser.add_argument("--limit", type=float, metavar="MINUTES", help="stop in time (default: none; with --quick 10)")
    parser.add_argument(
        "--again", nargs="?", const="all", default="", metavar="SYSTEMS",
        help="measure these (without a list: all) anew, though they are there from earlier runs",
    )  # fmt: skip
    parser.add_argument("--rounds", type=int, help="passes over the queries, the best counts (default: 3; quick 2)")
    parser.add_argument("--queries", type=int, metavar="N", help="report on N queries (default: all; quick 2000)")
    parser.add_argument("--build-limit", type=float, metavar="MINUTES", help="for one build (default: 30; quick 1)")
    parser.add_argument("--report", action="store_true", help="only write tables and plots of what is stored")
    parser.add_argument("--output", type=Path, help="folder for tables and plots (default: bench/results)")
    parser.add_argument("--docs", type=Path, help="page for people (default: docs/benchmarks.md)")
    parser.add_argument("--work", type=Path, default=WORK, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    quick = arguments.quick
    arguments.data = arguments.data or ("glove100" if quick else ALL_DATA)
    arguments.limit = arguments.limit or (QUICK_MINUTES if quick else 60.0 * 24 * 365)
    arguments.rounds = arguments.rounds or (2 if quick else 3)
    arguments.queries = arguments.queries or (2000 if quick else 0)
    arguments.build_limit = arguments.build_limit or (1.0 if quick else 30.0)
    # What --quick finds is no figure to publish.
    arguments.output = arguments.output or (arguments.work / "quick" if quick else ROOT / "bench" / "results")
    arguments.docs = arguments.docs or (
        arguments.output / "benchmarks.md" if quick else ROOT / "docs" / "benchmarks.md"
    )
    return arguments


def measure(
    arguments: argparse.Namespace, contenders: list[grid.Contender], folders: list[Path], progress: Progress
) -> None:
    if arguments.quick:
        progress.say(f"quick: the first {data.QUICK_ROWS:,} vectors only, small grids; not figures to publish")
    end = time.monotonic() + 60 * arguments.limit
    options = Options(
        rounds=arguments.rounds,
        quick=arguments.quick,
        again=tuple(filter(None, arguments.again.split(","))),
        queries=arguments.queries,
        points=6 if arguments.quick else 10,
        batch_points=6,
        modes=("single", "batch1") if arguments.quick else MODES,
        start_limit_s=60 if arguments.quick else 300,
        build_limit_s=60 * arguments.build_limit,
        tune_limit_s=2 if arguments.quick else 10,
        pass_limit_s=60 if arguments.quick else 600,
        command="./dev bench ann " + shlex.join(sys.argv[1:]),
        commit=commit(),
    )
    for number, folder in enumerate(folders):
        now = time.monotonic()
        deadline = now + (end - now) / (len(folders) - number)  # an equal share of what is left
        store = Store(arguments.work / "results")
        work = arguments.work / "work"
        Session(data.open_folder(folder), folder, store, work, options, progress, deadline).run(contenders)


def commit() -> str:
    """Of the checkout that boon was installed from; "-dirty" where files differ from it."""
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def show_systems() -> None:
    from ann.machine import version

    for contender in grid.read().values():
        there = version(contender.package) or "not installed"
        builds, sweeps = contender.builds(), contender.sweeps()
        searches = sum(map(len, sweeps))
        print(f"{contender.name:20} {contender.package:18} {there:14} {len(builds)} builds x {searches} searches")


if __name__ == "__main__":
    sys.exit(main())
