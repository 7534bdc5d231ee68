"""The index for Python."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from boon import _arrays, _core
from boon._names import ATTACHMENT, Names
from boon.errors import AlreadyExists, InvalidArgument, NotFound

PathLike = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Ids = int | str | Iterable[int] | Iterable[str] | npt.NDArray[Any]
Filter = Callable[[Any], bool] | Ids | npt.NDArray[np.bool_]


class SearchResult(NamedTuple):
    """Answers, nearest first; unpacks as `ids, distances`.

    Of one query, given as a vector of shape (dim,): arrays of as many answers as there are, at most k. Of n queries:
    arrays of shape (n, k); where there are fewer than k answers a row ends in ids of -1 (None where ids are strings)
    and distances of infinity.
    """

    ids: npt.NDArray[Any]
    distances: npt.NDArray[np.float32]


class Index:
    """Vectors of one dimension with ids, found by nearness.

    Parameters
    ----------
    dim : components of each vector, 1 to 65536.
    space : what near means. Smaller distances are nearer:
        "cosine" (1 - cos, vectors are kept at length 1), "l2" (squared Euclidean) or "ip" (1 - inner product).
    kind : "hnsw" finds by walking a graph; "exact" by comparing with every vector, with nothing to build and nothing
        missed. The parameters below are of the graph.
    neighbours : links of a node, M in the paper. More finds more, in more memory.
    build_beam : candidates kept while linking (ef_construction). More makes a better graph and takes longer.
    level_mult : each level has 1/m of the nodes below; 0 stands for `neighbours`.
    alpha : slack of the second round of neighbour selection; 1 turns it off.
    seed : of the drawn levels. The same vectors give the same graph on any number of threads.
    codes : what walks of the graph read in place of the vectors, held beside them: "nvfp4" (a little more than half a
        byte a component), "int8" (a byte), "bf16", "fp16", "none", or "auto", which chooses once there are 1,024
        vectors. Walks get faster; what they find is ranked by the vectors, so distances are exact as ever.
    dtype : what vectors are held as: "fp32"; or "fp16" (11 binary digits, in steps of 6e-8 at least; up to 65,504) or
        "bf16" (8 digits, any size), which take half of the memory and round vectors when they are added. Distances are
        those of the rounded vectors. NumPy's float16 and float32 are taken too. Under "l2" vectors of whole numbers
        from 0 to 255 are held as bytes by themselves, and lose nothing.

    Ids are integers from 0 to 2**63 - 1, or strings; the first vectors that are added decide. Any number of threads may
    search while one changes the index. An index can be pickled, copied, and used in a `with` statement, which closes
    it.

    Source: Malkov & Yashunin, arXiv:1603.09320.
    """

    def __init__(
        self,
        dim: int,
        space: str = "cosine",
        *,
        kind: str = "hnsw",
        neighbours: int = 16,
        build_beam: int = 200,
        level_mult: float = 0.0,
        alpha: float = 1.2,
        seed: int = 2026,
        codes: str = "auto",
        dtype: npt.DTypeLike = "fp32",
    ) -> None:
        for name, value in (("dim", dim), ("neighbours", neighbours), ("build_beam", build_beam), ("seed", seed)):
            _arrays.whole(name, value)
        self._adopt(
            _core.Index(
                int(dim),
                str(space),
                str(kind),
                int(neighbours),
                int(build_beam),
                level_mult,
                alpha,
                int(seed),
                str(codes),
                _arrays.dtype_name(dtype),
            )
        )

    @classmethod
    def load(cls, path: PathLike) -> Index:
        """Reads a file into memory. Raises NotFound, Corrupted or Unsupported."""
        return cls._wrap(_core.Index.load(os.fsencode(path)))

    @classmethod
    def view(cls, path: PathLike) -> Index:
        """Maps a file for searching, and shares its memory with others who do. Changes raise ReadOnly.

        Graph, codes and ids are read when it opens. Where there are codes, of the vectors only the pages that rank
        answers are read; walks without codes, and exact searches, read more. `boon bench mapped` measures it.
        """
        return cls._wrap(_core.Index.view(os.fsencode(path)))

    @classmethod
    def _wrap(cls, core: _core.Index) -> Index:
        index = cls.__new__(cls)
        index._adopt(core)
        return index

    def _adopt(self, core: _core.Index) -> None:
        self._held: _core.Index | None = core
        self._names: Names | None = None
        self._writer = threading.RLock()
        if names := core.attachment(ATTACHMENT):
            self._names = Names.parse(names)

    @property
    def _index(self) -> _core.Index:
        if self._held is None:
            raise ValueError("the index is closed")
        return self._held

    # What it is

    @property
    def dim(self) -> int:
        """Components of each vector."""
        return self._index.dim

    @property
    def space(self) -> str:
        """ "cosine", "l2" or "ip"."""
        return self._index.metric

    @property
    def kind(self) -> str:
        """ "hnsw" or "exact"."""
        return self._index.kind

    @property
    def codes(self) -> str:
        """What walks read now in place of the vectors: "nvfp4", "int8", "bf16", "fp16" or "none"."""
        return self._index.codes

    @property
    def dtype(self) -> str:
        """ "fp32", "fp16" or "bf16": what vectors are held as that do not fit bytes."""
        return self._index.dtype

    @property
    def read_only(self) -> bool:
        """True if it was opened with view()."""
        return self._index.read_only

    @property
    def named(self) -> bool:
        """True if ids are strings."""
        return self._names is not None

    @property
    def ids(self) -> npt.NDArray[Any]:
        """All ids, an array of shape (len(index),): int64, or objects where they are strings."""
        return self._label(self._index.ids())

    def __len__(self) -> int:
        return len(self._index)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.ids.tolist())

    def __bool__(self) -> bool:
        return True  # an empty index is an index all the same

    def __contains__(self, id: object) -> bool:
        if self._names is not None:
            return isinstance(id, str) and self._names.find(id) is not None
        if not isinstance(id, (int, np.integer)) or isinstance(id, bool) or not 0 <= id < 2**63:
            return False
        return self._index.contains(int(id))

    def contains(self, ids: Ids) -> npt.NDArray[np.bool_]:
        """For each id, whether it is there."""
        return np.array([id in self for id in _arrays.labels(ids)], np.bool_)

    def __repr__(self) -> str:
        if self._held is None:
            return "<boon.Index, closed>"
        i = self._held
        how = "exact" if i.kind == "exact" else f"neighbours={i.neighbours}, build_beam={i.build_beam}"
        how += "" if i.codes == "none" else f", codes={i.codes!r}"
        how += "" if i.dtype == "fp32" else f", dtype={i.dtype!r}"
        return (
            f"<boon.Index: {len(self):,} vectors, dim={i.dim}, space={i.metric!r}, "
            f"{how}{', read-only' if i.read_only else ''}>"
        )

    # Changing it

    def add(
        self,
        vectors: npt.ArrayLike,
        ids: Ids | None = None,
        *,
        replace: bool = False,
        threads: int = 0,
        progress: Callable[[int, int], object] | None = None,
    ) -> npt.NDArray[Any]:
        """Adds vectors and returns their ids.

        vectors : shape (n, dim), or (dim,) for one. Any real dtype, byte order and layout; kept as `dtype`.
        ids : n integers or strings; without them integers are counted on from the largest so far.
        replace : an id that is there gets the new vector; otherwise it raises AlreadyExists.
        threads : 0 takes all cores.
        progress : called with (done, total) now and then; returning False stops with Cancelled.

        On an error in any row (a NaN, an infinity, a vector of zeros under cosine, an id twice) nothing is added. After
        Ctrl-C or Cancelled what was linked so far is in the index.
        """
        rows, _ = _arrays.rows(vectors, self.dim, "vectors")
        with self._writer:
            if ids is None:
                if self._names is not None:
                    raise InvalidArgument("the index has strings for ids; name the new vectors too")
                return self._index.add(rows, None, replace, threads, progress)
            given = _arrays.labels(ids)
            if isinstance(given, list):
                return self._add_named(rows, given, replace, threads, progress)
            _arrays.same_length(rows, given)
            if self._names is not None and len(given):
                raise InvalidArgument("the index has strings for ids, and these are integers")
            return self._index.add(rows, given, replace, threads, progress)

    def _add_named(
        self, rows: npt.NDArray[np.float32], names: list[str], replace: bool, threads: int, progress: Any
    ) -> npt.NDArray[Any]:
        _arrays.same_length(rows, names)
        table = self._names
        if table is None:
            if len(self) > 0:
                raise InvalidArgument("the index has integers for ids, and these are strings")
            table = Names()
        if len(set(names)) < len(names):
            first = next(n for i, n in enumerate(names) if n in names[:i])
            raise InvalidArgument(f"{first!r} is there twice")
        if not replace:
            for row, name in enumerate(names):
                if table.find(name) is not None:
                    raise AlreadyExists(f"row {row} has the id {name!r}, which is in the index already")
        chosen = table.choose(names)
        try:
            self._index.add(rows, chosen, replace, threads, progress)
        except BaseException:
            # A batch is added whole or not at all, but for one that was stopped.
            linked = [i for i, id in enumerate(chosen.tolist()) if self._index.contains(id)]
            if linked:
                table.set([int(chosen[i]) for i in linked], [names[i] for i in linked])
                self._names = table
            raise
        table.set(chosen.tolist(), names)
        self._names = table
        return np.array(names, object)

    def update(self, ids: Ids, vectors: npt.ArrayLike, *, threads: int = 0) -> None:
        """Gives ids that are there new vectors. Raises NotFound, and changes nothing, if one is not."""
        with self._writer:
            given = _arrays.labels(ids)
            for id in given:
                if id not in self:
                    raise NotFound(f"{(id if isinstance(id, str) else int(id))!r} is not in the index")
            self.add(vectors, given, replace=True, threads=threads)

    def delete(self, ids: Ids) -> int:
        """Removes vectors; they are never answered again. Ids not there are passed over. Returns how many went."""
        with self._writer:
            if self._names is None:
                return self._index.remove(_arrays.ids(ids))
            found = [i for i in map(self._names.find, _arrays.names(ids)) if i is not None]
            removed = self._index.remove(np.array(found, np.int64))
            self._names.erase(found)
            return removed

    def compact(self) -> None:
        """Repairs the graph around removed vectors and gives their memory back. Searches wait."""
        with self._writer:
            self._index.compact()

    def calibrate(
        self,
        queries: npt.ArrayLike | None = None,
        k: int = 10,
        *,
        sample: int = 1000,
        threads: int = 0,
        seed: int = 2026,
        progress: Callable[[int, int], object] | None = None,
    ) -> dict[str, Any]:
        """Measures which beam takes searches for k to which recall, for search(recall=...); files hold it too.

        queries : shape (n, dim), such as will be asked, and not in the index. Without any, vectors of the index stand
            for them, each invisible while it is asked.
        k : answers to each. A search for fewer takes the same beams, one for more wider ones in proportion;
            calibrations for several k stay side by side.
        sample, seed : how many vectors stand for queries, and which.
        threads : 0 takes all cores. The answer is the same on any number.
        progress : called with (done, total) now and then; returning False stops with Cancelled.

        The answer, as that of calibrations(), has the `points`, each a `beam`, the `recall` that it reached, and
        `recall_min`, which is what it is at least, with a confidence of 95%. When a tenth of the index has changed it
        is `stale`, and to be made anew. Searches go on meanwhile.
        """
        for name, value in (("k", k), ("sample", sample), ("seed", seed)):
            _arrays.whole(name, value)
        rows = None if queries is None else _arrays.rows(queries, self.dim, "queries")[0]
        if rows is not None and len(rows) == 0:
            raise ValueError("there are no queries; leave them out to take vectors of the index")
        with self._writer:
            return self._index.calibrate(rows, k, sample, threads, int(seed), progress)

    def calibrations(self) -> list[dict[str, Any]]:
        """What calibrate() has measured, by rising k."""
        return self._index.calibrations()

    # Asking it

    def search(
        self,
        queries: npt.ArrayLike,
        k: int = 10,
        *,
        beam: int | None = None,
        recall: float | None = None,
        filter: Filter | None = None,
        threshold: float | None = None,
        exact: bool = False,
        threads: int = 0,
    ) -> SearchResult:
        """The k nearest to one query or to each of many.

        queries : shape (dim,) or (n, dim).
        beam : candidates kept on the way, ef in the paper; 64 unless given. More finds more of the true nearest, and
            takes longer.
        recall : in place of a beam, the share of the true nearest to find in the mean over queries, such as 0.95. It
            takes the least beam that calibrate() has measured to reach it with a confidence of 95%, and where none did
            an exact search.
        filter : which ids may be answered: an array or a set of ids; a mask, True at the ids allowed; or a function of
            an id. k answers are found however few pass. A function is called while others wait for Python, so it is
            slow, and must not use the index.
        threshold : answers are at most this far away.
        exact : compare with every vector instead of walking the graph.
        threads : share the queries; 0 takes all cores.

        Distances are exact either way. See SearchResult for shapes and padding.
        """
        # One query as most programs ask it, with nothing to convert.
        held = self._held
        if (
            type(queries) is np.ndarray
            and filter is None
            and threshold is None
            and recall is None
            and self._names is None
            and type(k) is int
            and k >= 0
            and (beam is None or (type(beam) is int and beam >= 0))
            and held is not None
        ):
            answer = held.search_one(queries, k, _BEAM if beam is None else beam, exact)
            if answer is not None:
                return _new_tuple(SearchResult, answer)
        rows, single = _arrays.rows(queries, self.dim, "queries")
        _arrays.whole("k", k)
        width = min(k, len(self)) if single else k
        beam, target = _effort(beam, recall)
        found, distances, counts = self._index.search(
            rows, width, beam, exact, threshold, threads, self._filter(filter), target
        )
        if single:
            return SearchResult(self._label(found[0, : counts[0]]), distances[0, : counts[0]])
        return SearchResult(self._label(found), distances)

    def search_range(
        self,
        query: npt.ArrayLike,
        threshold: float,
        *,
        beam: int | None = None,
        recall: float | None = None,
        filter: Filter | None = None,
        exact: bool = False,
    ) -> SearchResult:
        """All that is at most `threshold` away from one query (and, exact aside, that a widening search finds).

        beam, recall : as for search().
        """
        rows, single = _arrays.rows(query, self.dim, "queries")
        if not single:
            raise ValueError(f"search_range takes one query of shape ({self.dim},), and got {len(rows)}")
        beam, target = _effort(beam, recall)
        found, distances = self._index.search_range(rows, threshold, beam, exact, self._filter(filter), target)
        return SearchResult(self._label(found), distances)

    def get(self, ids: Ids) -> npt.NDArray[np.float32]:
        """Vectors as they are held (of length 1 under cosine, rounded to `dtype`): (dim,) for one id, (n, dim) for n.

        Raises NotFound.
        """
        single = isinstance(ids, (str, int, np.integer))
        wanted = _arrays.ids(ids) if self._names is None else self._names.need(_arrays.names(ids))
        vectors = self._index.get(wanted)
        return vectors[0] if single else vectors

    def _filter(self, given: Any) -> Any:
        if given is None:
            return None
        if isinstance(given, np.ndarray) and given.dtype == np.bool_:
            if self._names is not None:
                raise TypeError("a mask goes by integer ids, and these are strings")
            if given.ndim != 1:
                raise ValueError(f"the filter is a mask of shape {given.shape}; expected one dimension")
            return np.require(given, np.bool_, ["C", "A"])
        if callable(given):
            if self._names is None:
                return given
            label = self._names.of
            return lambda id: given(label(id))
        if self._names is None:
            return _arrays.ids(given)
        return np.array([i for i in map(self._names.find, _arrays.names(given)) if i is not None], np.int64)

    def _label(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        return ids if self._names is None else self._names.label(ids)

    # Keeping it

    def save(self, path: PathLike) -> None:
        """Writes a file under a temporary name, then renames it. The program `boon` and the C++ library read it too."""
        with self._writer:
            if self._names is not None and not self.read_only:
                self._index.attach(ATTACHMENT, self._names.serialise())
            self._index.save(os.fsencode(path))

    def close(self) -> None:
        """Gives the memory back. Whatever is asked of a closed index raises ValueError."""
        self._held = None
        self._names = None

    def __enter__(self) -> Index:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def stats(self) -> dict[str, Any]:
        """Counts, level sizes, degrees and bytes; the keys are those of `boon info --json`."""
        return self._index.statistics()

    def check(self, sample: int = 0, *, threads: int = 0) -> dict[str, Any]:
        """Whether the graph is sound and vectors find themselves: looks for `sample` of them, 0 for all.

        The answer is the dictionary of `healthy`, `checked`, `not_found`, `widened` (found by a wider beam than the
        usual 64), `unreachable` and `broken_links`.
        """
        return self._index.check(sample, threads)

    def __reduce__(self) -> tuple[Any, ...]:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "index.boon"
            self.save(file)
            return _from_bytes, (type(self), file.read_bytes())

    def __copy__(self) -> Index:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Index:
        make, arguments = self.__reduce__()
        copy: Index = make(*arguments)
        return copy


def _from_bytes(cls: type[Index], data: bytes) -> Index:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "index.boon"
        file.write_bytes(data)
        return cls.load(file)


# Candidates that a search keeps where nothing is said.
_BEAM = 64
_new_tuple = tuple.__new__


def _effort(beam: int | None, recall: float | None) -> tuple[int, float]:
    """The beam and the target recall, 0 for none, of which one at most is given."""
    if recall is None:
        if beam is None:
            return _BEAM, 0.0
        _arrays.whole("beam", beam)
        return beam, 0.0
    if beam is not None:
        raise TypeError("give a beam or a recall, not both: a recall chooses its beam")
    if isinstance(recall, bool) or not isinstance(recall, (int, float, np.integer, np.floating)):
        raise TypeError(f"recall is of type {type(recall).__name__}; expected a number")
    if not 0 < recall < 1:
        raise ValueError(f"recall is {recall} and must be between 0 and 1; exact=True finds all")
    return _BEAM, float(recall)
