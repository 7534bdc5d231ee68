"""A run over one data set: build and tune each system, choose the points to report, then measure them by turns.

 1. Builds go build by build, each first one of all systems before any second, so that a short run has every system.
 2. After its builds a system's points on the Pareto frontier of the tuning queries are chosen.
 3. In each round every process makes one pass over its chosen points, so that a disturbance hits all alike.
 4. The build that a system's figures rest on is built once more, on one thread.

Where memory runs short the processes there are go through step 3 and make room.
"""

from __future__ import annotations

import datetime
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ann import machine
from ann.data import DataSet
from ann.frontier import Point, choose, frontier, qps_at
from ann.grid import Contender, Parameters, label
from ann.process import Failure, Process
from ann.progress import Progress
from ann.store import MODES, Entry, Store

FULL_RECALL = 0.9995
BUILD_THREADS = 2


@dataclass(frozen=True)
class Options:
    rounds: int = 3
    quick: bool = False
    again: tuple[str, ...] = ()  # systems that are measured anew, or "all"
    queries: int = 0  # 0: all that are there
    points: int = 10  # reported for each system
    batch_points: int = 6
    start_limit_s: float = 300  # to import and to compile
    build_limit_s: float = 1800
    tune_limit_s: float = 10  # for one point
    pass_limit_s: float = 600
    reserve_bytes: int = 3 << 30
    modes: tuple[str, ...] = MODES
    command: str = ""
    commit: str = ""  # of the checkout, and so of boon


@dataclass
class Job:
    contender: Contender
    entry: Entry
    process: Process | None = None
    batch: list[str] = field(default_factory=list)


class Session:
    def __init__(
        self,
        data: DataSet,
        folder: Path,
        store: Store,
        work: Path,
        options: Options,
        progress: Progress,
        deadline: float,
    ) -> None:
        self.data = data
        self.folder = folder  # of the data set's arrays
        self.store = store
        self.work = work
        self.options = options
        self.progress = progress
        self.start = time.monotonic()
        self.deadline = deadline
        self.rounds_end = self.start + 0.85 * (deadline - self.start)  # the rest is for builds on one thread
        self.machine = machine.describe()
        self.alive: list[Job] = []

    def run(self, contenders: list[Contender]) -> None:
        jobs = self._jobs([c for c in contenders if c.package == "" or machine.version(c.package)])
        # Building may take this share of the time; what is not reached is left for the next run.
        building_ends = self.start + 0.5 * (self.deadline - self.start)
        try:
            for number, job in enumerate(jobs):
                self.progress.at(number, len(jobs), f"{self.data.name}: building {name(job)}")
                if time.monotonic() > building_ends:
                    self.progress.say(
                        f"{self.data.name}: no time left to build {name(job)} and {len(jobs) - number - 1} more"
                    )
                    break
                if self.alive and machine.available_bytes() < self._needed_bytes():
                    self._measure()
                self._prepare(job)
            self._measure()
            self._one_thread(contenders)
        finally:
            self._close_all()

    # Step 1

    def _jobs(self, contenders: list[Contender]) -> list[Job]:
        ranked: list[tuple[int, int, Job]] = []
        for place, contender in enumerate(contenders):
            for turn, build in enumerate(contender.builds(self.options.quick)):
                again = {"all", contender.name} & set(self.options.again)
                entry = None if again else self.store.read(self.data.name, contender.name, build)
                if entry is not None and contender.name == "boon" and entry.run["commit"] != self.options.commit:
                    self.progress.say(
                        f"boon was measured at {entry.run['commit']}; --again boon measures it as it is now"
                    )
                if entry is None or not entry.done(self.options.rounds):
                    ranked.append((turn, place, Job(contender, entry or self._new(contender, build))))
        return [job for _, _, job in sorted(ranked, key=lambda r: r[:2])]

    def _new(self, contender: Contender, build: Parameters) -> Entry:
        return Entry(
            data=self.data.name,
            system=contender.name,
            package=contender.package,
            version=machine.version(contender.package),
            build=build,
            machine=self.machine,
            run={
                "at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                "command": self.options.command,
                "commit": self.options.commit,
                "quick": self.options.quick,
                "shape": list(self.data.base.shape),
                "queries": len(self.data.part("report", self.options.queries)[0]),
            },
        )

    def _prepare(self, job: Job) -> None:
        """Builds in a process of its own, and tunes unless a run before has; a failure is written down."""
        entry = job.entry
        try:
            reply = self._build(job, BUILD_THREADS)
            entry.build_seconds[str(BUILD_THREADS)] = reply["seconds"]
            entry.memory_bytes, entry.peak_bytes = reply["memory_bytes"], reply["peak_bytes"]
            entry.disk_bytes, entry.note = reply.get("disk_bytes"), reply["note"]
            if entry.status == "new":
                entry.status = "built"
            if not entry.tune:
                self._tune(job)
            self.alive.append(job)
        except Failure as failure:
            self._fail(job, failure)
        self.store.write(entry)
        if entry.tune:
            best = max(entry.tuned_points())
            self.progress.say(
                f"{self.data.name}: {name(job)} built in {entry.build_seconds[str(BUILD_THREADS)]:.1f} s, "
                f"recall up to {best.recall:.4f}"
            )

    def _build(self, job: Job, threads: int) -> dict[str, Any]:
        place = self.work / self.data.name / job.contender.name / label(job.entry.build)
        shutil.rmtree(place, ignore_errors=True)
        job.process = Process(place.parent / f"{place.name}.{threads}.log", threads, place / "cwd")
        job.process.ask(
            "starting",
            self.options.start_limit_s,
            {
                "do": "open",
                "folder": str(self.folder),
                "adapter": job.contender.adapter,
                "parameters": job.entry.build,
            },
        )
        save = str(place / "saved") if threads == BUILD_THREADS else None
        reply = job.process.ask(
            "building", self.options.build_limit_s, {"do": "build", "threads": threads, "save": save}
        )
        shutil.rmtree(place / "saved", ignore_errors=True)  # only its size is of interest
        return reply

    def _tune(self, job: Job) -> None:
        for sweep in job.contender.sweeps(self.options.quick):
            for query in sweep:
                reply = self._pass(job, "single", "tune", query, self.options.tune_limit_s)
                job.entry.tune.append({"query": query, **reply})
                if reply["recall"] >= FULL_RECALL or reply["seconds"] > self.options.tune_limit_s:
                    break

    def _pass(self, job: Job, mode: str, part: str, query: Parameters, limit_s: float = 0) -> dict[str, Any]:
        assert job.process is not None
        return job.process.ask(
            f"searching ({mode}, {label(query)})",
            self.options.pass_limit_s,
            {
                "do": "run",
                "mode": mode,
                "part": part,
                "query": query,
                "most": 0 if part == "tune" else self.options.queries,
                "limit_s": limit_s,
            },
        )

    # Step 2

    def _choose(self, job: Job) -> None:
        """Marks those points of a build that are on its system's frontier, over all builds so far."""
        mine = label(job.entry.build)
        points = []
        for contender_build in job.contender.builds(self.options.quick):
            entry = self.store.read(self.data.name, job.contender.name, contender_build)
            if entry is not None:
                points += [Point(p.recall, p.qps, f"{label(entry.build)} {p.key}") for p in entry.tuned_points()]
        keys = [point.key for point in choose(points, self.options.points)]
        job.entry.chosen = [key.partition(" ")[2] for key in keys if key.startswith(mine + " ")]
        few = [point.key for point in choose(points, self.options.batch_points)]
        job.batch = [key.partition(" ")[2] for key in few if key.startswith(mine + " ")]
        job.entry.status = "tuned"
        self.store.write(job.entry)

    # Step 3

    def _measure(self) -> None:
        for job in self.alive:
            self._choose(job)
        for job in [job for job in self.alive if not job.entry.chosen]:
            self._drop(job)
        turns = self.options.rounds * len(self.alive)
        turn = 0
        for round in range(self.options.rounds):
            for job in list(self.alive):
                turn += 1
                if time.monotonic() > self.rounds_end:
                    self.progress.say(f"{self.data.name}: time is up in round {round + 1} of {self.options.rounds}")
                    return self._close_all()
                self.progress.at(turn, turns, f"{self.data.name}: round {round + 1}, {name(job)}")
                if job.entry.rounds() <= round:
                    self._round(job)
            if self.alive:
                self.progress.say(f"{self.data.name}: round {round + 1} of {self.options.rounds} done")
        self._close_all()

    def _round(self, job: Job) -> None:
        queries = {label(t["query"]): t["query"] for t in job.entry.tune}
        try:
            for key in job.entry.chosen:
                for mode in self.options.modes:
                    if mode != "single" and key not in job.batch:
                        continue
                    reply = self._pass(job, mode, "report", queries[key])
                    if "absent" not in reply:
                        job.entry.passes.setdefault(mode, {}).setdefault(key, []).append(reply)
        except Failure as failure:
            self._fail(job, failure)
        self.store.write(job.entry)

    # Step 4

    def _one_thread(self, contenders: list[Contender]) -> None:
        for contender in contenders:
            entries = [
                entry
                for build in contender.builds(self.options.quick)
                if (entry := self.store.read(self.data.name, contender.name, build)) is not None
            ]
            entry = main_build(entries)
            if entry is None or "1" in entry.build_seconds:
                continue
            job = Job(contender, entry)
            # It may well take twice as long as on two threads, and a little more.
            if time.monotonic() + 2.2 * entry.build_seconds[str(BUILD_THREADS)] > self.deadline:
                self.progress.say(f"{self.data.name}: no time left to build {name(job)} on one thread")
                continue
            try:
                reply = self._build(job, 1)
                entry.build_seconds["1"] = float(reply["seconds"])
                self.store.write(entry)
                self.progress.say(f"{self.data.name}: {name(job)} built on one thread in {reply['seconds']:.1f} s")
            except Failure as failure:
                self.progress.say(f"{self.data.name}: {name(job)} on one thread: {failure}")
            finally:
                if job.process is not None:
                    job.process.close()

    def _needed_bytes(self) -> int:
        """Room to ask for before the next build: several times the data, for codes, links and copies."""
        return self.options.reserve_bytes + 6 * self.data.base.nbytes

    def _fail(self, job: Job, failure: Failure) -> None:
        job.entry.status = "unavailable" if failure.unavailable else "failed"
        job.entry.reason = str(failure)
        self.progress.say(f"{self.data.name}: {name(job)}: {failure}")
        self._drop(job)

    def _drop(self, job: Job) -> None:
        if job.process is not None:
            job.process.close()
        if job in self.alive:
            self.alive.remove(job)

    def _close_all(self) -> None:
        for job in list(self.alive):
            self._drop(job)


def main_build(entries: list[Entry]) -> Entry | None:
    """The build that a system's figure at recall 0.95 rests on, or failing that, where its best recall lies."""
    measured = [entry for entry in entries if entry.best_points("single")]
    if not measured:
        return None

    def worth(entry: Entry) -> tuple[float, float]:
        line = frontier(entry.best_points("single"))
        return qps_at(0.95, line) or 0.0, line[-1].recall

    return max(measured, key=worth)


def name(job: Job) -> str:
    return f"{job.contender.name} ({label(job.entry.build)})"
