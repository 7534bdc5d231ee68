#!/usr/bin/env python3
"""Makes the data sets that boon is measured on, once, in a cache folder outside the repository.

  data.py --list                what there is
  data.py glove100 mnist784     make these; a set that is already there is checked and left alone
  data.py all                   make every set
  data.py sample                make the bundled sample of the repository again (data/words20k.*)

The folder is $BOON_DATA, else $XDG_CACHE_HOME/boon/data, else ~/.cache/boon/data. Sets are HDF5 files in the layout of
ann-benchmarks. Downloads are kept, so a run that was stopped goes on after its last finished step, and one of text384
within its embedding. data/README.md says what each is made of.

Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from boon_data import sample
from boon_data.cache import cache_folder, exclusive
from boon_data.report import DataError, notice
from boon_data.sets import SETS, DataSet
from boon_data.texts import TextSet

SAMPLE = "sample"
SAMPLE_FOLDER = Path(__file__).resolve().parent.parent / "data"


def main() -> int:
    arguments = parse()
    cache = cache_folder()
    try:
        if arguments.list:
            show_list(cache, arguments.json)
        else:
            made = make_all(arguments.names, cache, arguments.force)
            show_made(made, arguments.json)
        return 0
    except DataError as error:
        notice(f"error: {error}")
    except OSError as error:
        notice(f"error: {error.filename or cache}: {error.strerror or error}")
    except KeyboardInterrupt:
        notice("stopped; the finished steps are kept")
        return 130
    return 1


def parse() -> argparse.Namespace:
    known = [data_set.name for data_set in SETS]
    parser = argparse.ArgumentParser(
        prog="data", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(known)}, all or {SAMPLE}")
    parser.add_argument("--list", action="store_true", help="list the sets and say which are there")
    parser.add_argument("--force", action="store_true", help="make again what is already there")
    parser.add_argument("--json", action="store_true", help="write JSON to stdout")
    arguments = parser.parse_args()
    if not arguments.list and not arguments.names:
        parser.error(f"name a set: {', '.join(known)}, all or {SAMPLE}")
    for name in arguments.names:
        if name not in [*known, "all", SAMPLE]:
            parser.error(f"no set is called {name!r}; there are {', '.join(known)}, all and {SAMPLE}")
    return arguments


def make_all(names: list[str], cache: Path, force: bool) -> list[dict]:
    """Makes what is named, in the order of the list of sets; one entry for each."""
    made = []
    with exclusive(cache):
        for data_set in SETS:
            if data_set.name in names or "all" in names:
                made.append(make_one(data_set, cache, force))
        if SAMPLE in names:
            paths = sample.make(cache, SAMPLE_FOLDER)
            made.append({"name": SAMPLE, "files": [str(path) for path in paths]})
    return made


def make_one(data_set: DataSet | TextSet, cache: Path, force: bool) -> dict:
    start = time.monotonic()
    path = data_set.file(cache)
    if force or not data_set.ready(cache):
        if path.exists() and not force:
            notice(f"{path} is damaged or of another version; making it again")
        data_set.make(cache)
        notice(f"{data_set.name}: made in {time.monotonic() - start:.0f} s")
    return describe(data_set) | {"file": str(path)}


def describe(data_set: DataSet | TextSet) -> dict:
    return {
        "name": data_set.name,
        "rows": data_set.rows,
        "queries": data_set.queries,
        "dimension": data_set.dimension,
        "distance": data_set.distance,
        "source": data_set.source,
        "summary": data_set.summary,
    } | data_set.pinned


def show_list(cache: Path, as_json: bool) -> None:
    entries = []
    for data_set in SETS:
        path = data_set.file(cache)
        entries.append(describe(data_set) | {"file": str(path) if path.exists() else None})
    if as_json:
        print(json.dumps(entries, indent=2))
        return
    for entry in entries:
        state = entry["file"] or "not made yet"
        shape = f"{entry['rows']:,} x {entry['dimension']}"
        print(f"{entry['name']:11} {shape:>15}  {entry['distance']:9}  {entry['summary']}\n{'':11} {state}")


def show_made(made: list[dict], as_json: bool) -> None:
    if as_json:
        print(json.dumps(made, indent=2))
        return
    for entry in made:
        for file in entry.get("files", [entry.get("file")]):
            print(file)


if __name__ == "__main__":
    sys.exit(main())
