"""boon.Index: answers against brute force, what is refused, and what stays as it was then."""

import copy
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import boon
from boon import errors

from .conftest import all_find_themselves, nearest


@pytest.mark.parametrize("space", ["l2", "cosine", "ip"])
@pytest.mark.parametrize("exact", [False, True])
def test_answers_are_the_nearest(space, exact, random):
    base, queries = random.normal(size=(2000, 24)), random.normal(size=(20, 24))
    index = boon.Index(24, space)
    index.add(base)
    ids, distances = index.search(queries, 10, beam=200, exact=exact)
    assert ids.shape == distances.shape == (20, 10)
    assert ids.dtype == np.int64 and distances.dtype == np.float32
    found = 0
    for row, query in enumerate(queries):
        truth = nearest(space, base, query)
        np.testing.assert_allclose(distances[row], truth[ids[row]], atol=1e-5)
        assert (np.diff(distances[row]) >= 0).all()
        found += np.isin(ids[row], np.argsort(truth)[:10]).sum()
    assert found == 200 if exact else found >= 190
    assert all_find_themselves(index)


def test_one_query_gives_what_there_is(random):
    index = boon.Index(4, "l2")
    index.add(random.normal(size=(3, 4)), ids=[5, 6, 7])
    result = index.search(np.zeros(4), k=10)
    assert result.ids.shape == result.distances.shape == (3,)
    assert set(result.ids) == {5, 6, 7}
    assert index.search(np.zeros(4), k=2).ids.shape == (2,)
    assert index.search(np.zeros(4), k=0).ids.shape == (0,)


def test_tables_are_padded(random):
    index = boon.Index(4, "l2")
    index.add(random.normal(size=(3, 4)))
    ids, distances = index.search(np.zeros((2, 4)), k=5)
    assert (ids[:, 3:] == -1).all() and np.isinf(distances[:, 3:]).all()
    assert (ids[:, :3] >= 0).all()
    assert index.search(np.empty((0, 4)), k=5).ids.shape == (0, 5)
    assert boon.Index(4).search(np.ones((2, 4)), k=3).ids.tolist() == [[-1] * 3] * 2


def test_ids_count_on(random):
    index = boon.Index(3)
    assert index.add(random.normal(size=(2, 3))).tolist() == [0, 1]
    assert index.add(random.normal(size=3), ids=9).tolist() == [9]
    assert index.add(random.normal(size=(2, 3))).tolist() == [10, 11]
    assert index.add(np.empty((0, 3))).tolist() == []
    assert sorted(index) == [0, 1, 9, 10, 11]
    assert 9 in index and 2 not in index and "9" not in index and -1 not in index and 2**70 not in index
    assert index.contains([0, 5, 11]).tolist() == [True, False, True]


def test_changes(random):
    index = boon.Index(8, "l2")
    base = random.normal(size=(300, 8))
    index.add(base)
    assert index.delete([1, 2, 999]) == 2
    assert index.delete(3) == 1
    assert len(index) == 297
    fresh = random.normal(size=(2, 8))
    index.update([10, 11], fresh)
    np.testing.assert_allclose(index.get([10, 11]), fresh, rtol=1e-6)
    assert index.search(fresh[0], 1).ids[0] == 10
    with pytest.raises(errors.AlreadyExists):
        index.add(fresh, ids=[10, 11])
    with pytest.raises(KeyError, match="2 is not in the index"):
        index.update([10, 2], random.normal(size=(2, 8)))
    np.testing.assert_allclose(index.get(10), fresh[0], rtol=1e-6)
    index.compact()
    assert len(index) == 297 and index.stats()["free"] == 0
    assert all_find_themselves(index)


@pytest.mark.parametrize(
    "given",
    [
        lambda id: id % 10 == 3,
        np.arange(3, 1000, 10),
        set(range(3, 1000, 10)),
        [*range(3, 1000, 10), 5000],
        np.arange(1000) % 10 == 3,
    ],
    ids=["function", "array", "set", "list", "mask"],
)
def test_filters_fill_k(given, random):
    index = boon.Index(6, "l2")
    base = random.normal(size=(1000, 6))
    index.add(base)
    query = random.normal(size=6)
    allowed = np.arange(3, 1000, 10)
    truth = allowed[np.argsort(nearest("l2", base[allowed], query))]
    assert index.search(query, 10, filter=given, beam=100).ids.tolist() == truth[:10].tolist()
    assert sorted(index.search(query, 500, filter=given).ids) == allowed.tolist()
    many = index.search(np.stack([query] * 3), 10, filter=given, beam=100, threads=2).ids
    assert many.tolist() == [truth[:10].tolist()] * 3


def test_an_exception_in_a_filter_comes_out(random):
    index = boon.Index(6)
    index.add(random.normal(size=(1000, 6)))

    def broken(id):
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        index.search(random.normal(size=(5, 6)), 3, filter=broken, threads=2)
    assert all_find_themselves(index)


def test_thresholds(random):
    index = boon.Index(6, "l2")
    base = random.normal(size=(1000, 6))
    index.add(base)
    query = np.zeros(6)
    truth = np.sort(nearest("l2", base, query))
    assert index.search(query, 100, threshold=float(truth[7]) + 1e-6).ids.shape == (8,)
    ids, distances = index.search_range(query, float(truth[150]) + 1e-6)
    assert len(ids) == 151
    np.testing.assert_allclose(distances, truth[:151], rtol=1e-5)
    with pytest.raises(ValueError, match="one query"):
        index.search_range(np.zeros((2, 6)), 1)


@pytest.mark.parametrize("opened", [boon.Index.load, boon.Index.view])
@pytest.mark.parametrize("named", [False, True])
def test_files(opened, named, random, tmp_path):
    index = boon.Index(6, "ip", neighbours=8, build_beam=50)
    index.add(random.normal(size=(500, 6)), ids=[f"名{i}" for i in range(500)] if named else None)
    file = tmp_path / "é😀.boon"
    index.save(file)
    again = opened(os.fspath(file))
    queries = random.normal(size=(10, 6))
    assert again.search(queries, 5).ids.tolist() == index.search(queries, 5).ids.tolist()
    assert again.named == named and again.space == "ip" and again.ids.tolist() == index.ids.tolist()
    assert all_find_themselves(again)
    if again.read_only:
        with pytest.raises(PermissionError):
            again.delete(index.ids[:1])
    else:
        assert again.delete(index.ids[:1]) == 1
    again.save(bytes(file))
    assert len(boon.Index.load(file)) == len(again)


def test_bad_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        boon.Index.load(tmp_path / "none")
    file = tmp_path / "foreign"
    file.write_bytes(b"x" * 5000)
    with pytest.raises(errors.Corrupted, match="is not a boon index"):
        boon.Index.view(file)
    with pytest.raises(OSError):
        boon.Index(3).save(tmp_path / "no" / "such")


@pytest.mark.parametrize("again", [lambda i: pickle.loads(pickle.dumps(i)), copy.copy, copy.deepcopy])
def test_copies_stand_alone(again, random):
    index = boon.Index(6)
    index.add(random.normal(size=(50, 6)), ids=[str(i) for i in range(50)])
    twin = again(index)
    index.delete("7")
    assert "7" in twin and len(twin) == 50
    assert twin.add(random.normal(size=6), ids="new").tolist() == ["new"]


def test_closing(random):
    with boon.Index(6) as index:
        index.add(random.normal(size=(5, 6)))
        assert index
    assert "closed" in repr(index)
    for call in (lambda: len(index), lambda: index.search(np.ones(6)), lambda: index.save("x"), lambda: index.ids):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_repr_and_help(random):
    index = boon.Index(6, "l2", neighbours=8)
    assert repr(index) == "<boon.Index: 0 vectors, dim=6, space='l2', neighbours=8, build_beam=200>"
    for name in dir(boon.Index):
        if not name.startswith("_"):
            assert getattr(boon.Index, name).__doc__, name
    assert "shape (n, dim)" in (boon.Index.add.__doc__ or "")


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: boon.Index(0), ValueError, "dim is 0"),
        (lambda: boon.Index(-3), ValueError, "dim is -3"),
        (lambda: boon.Index(70000), ValueError, "65536"),
        (lambda: boon.Index(2.5), TypeError, "dim is of type float"),
        (lambda: boon.Index(3, "manhattan"), ValueError, "manhattan"),
        (lambda: boon.Index(3, neighbours=1), ValueError, "neighbours"),
        (lambda: boon.Index(3, alpha=0.5), ValueError, "alpha"),
    ],
)
def test_options_out_of_range(make, error, text):
    with pytest.raises(error, match=text):
        make()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e30])
def test_a_bad_row_refuses_the_batch_and_is_named(bad, random):
    index = boon.Index(4, "l2")
    index.add(random.normal(size=(10, 4)))
    rows = random.normal(size=(5, 4))
    rows[3, 2] = bad
    with pytest.raises(ValueError, match="row 3"):
        index.add(rows)
    assert len(index) == 10
    with pytest.raises(ValueError, match="query 3"):
        index.search(rows)


def test_zero_vectors_have_no_direction():
    index = boon.Index(4)
    with pytest.raises(ValueError, match="row 1 is a vector of zeros"):
        index.add([[1, 0, 0, 0], [0, 0, 0, 0]])
    with pytest.raises(ValueError, match="zeros"):
        index.search(np.zeros(4))


def test_errors_are_builtin_exceptions_too():
    assert str(errors.NotFound("no such thing")) == "no such thing"
    for name, base in {
        "InvalidArgument": ValueError,
        "NotFound": KeyError,
        "AlreadyExists": ValueError,
        "ReadOnly": PermissionError,
        "IoError": OSError,
        "OutOfMemory": MemoryError,
        "InternalError": RuntimeError,
    }.items():
        assert issubclass(getattr(errors, name), (boon.Error, base)) and issubclass(getattr(errors, name), base)


def test_progress_stops_and_keeps_what_is_linked(random):
    index = boon.Index(16, "l2", build_beam=20)
    seen = []

    def progress(done, total):
        seen.append((done, total))
        return done < 1000

    with pytest.raises(errors.Cancelled):
        index.add(random.normal(size=(5000, 16)), progress=progress)
    assert 1000 <= len(index) < 5000
    assert seen[-1][1] == 5000
    assert all_find_themselves(index)
    with pytest.raises(ZeroDivisionError):
        index.add(random.normal(size=(2000, 16)), progress=lambda done, total: 1 // 0)
    assert all_find_themselves(index)
    assert len(index.add(random.normal(size=(100, 16)), progress=lambda done, total: None)) == 100


_INTERRUPTED = """
import boon, numpy as np, os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may have it ignored
random = np.random.default_rng(1)
index = boon.Index(32)
rows = random.normal(size=(300_000, 32)).astype("f4")
started = threading.Event()
def progress(done, total):
    started.set()
def interrupt():
    started.wait()
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    {call}
except KeyboardInterrupt:
    index.search(np.ones(32))
    assert index.check(200)["healthy"]
    sys.exit(42)
sys.exit(1)
"""


@pytest.mark.parametrize(
    "call",
    [
        "index.add(rows, progress=progress)",
        "index.add(rows[:2000]); started.set(); [index.search(rows, 5, exact=True) for _ in range(100)]",
    ],
    ids=["add", "search"],
)
def test_keyboard_interrupt_stops_and_leaves_the_index_usable(call):
    ended = subprocess.run([sys.executable, "-c", _INTERRUPTED.format(call=call)], timeout=120, check=False)
    assert ended.returncode == 42


def test_the_interpreter_is_free_while_boon_works(random):
    index = boon.Index(32)
    turns = 0
    over = threading.Event()

    def count():
        nonlocal turns
        while not over.is_set():
            turns += 1
            time.sleep(0)

    other = threading.Thread(target=count)
    other.start()
    index.add(random.normal(size=(20000, 32)).astype("f4"), threads=1)
    over.set()
    other.join()
    assert turns > 100


def test_searches_beside_a_writer(random):
    index = boon.Index(8, "l2")
    base = random.normal(size=(2000, 8))
    index.add(base[:500])
    wrong = []
    over = threading.Event()

    def ask():
        while not over.is_set():
            ids, distances = index.search(base[0], 20)
            if len(set(ids.tolist())) != 20 or distances[0] != 0:
                wrong.append(ids)

    readers = [threading.Thread(target=ask) for _ in range(3)]
    for reader in readers:
        reader.start()
    for first in range(500, 2000, 100):
        index.add(base[first : first + 100])
    index.delete(range(100, 300))
    index.add(base[1:50], ids=range(1, 50), replace=True)
    over.set()
    for reader in readers:
        reader.join()
    assert not wrong
    assert all_find_themselves(index)


@pytest.mark.parametrize("isa", ["scalar", "avx2", "avx512", "amx"])
def test_every_instruction_set_gives_the_same_ids(isa):
    script = """
import boon, numpy as np
random = np.random.default_rng(3)
index = boon.Index(20, "l2")
index.add(random.integers(0, 255, size=(2000, 20)))
print(boon.isa(), index.search(random.integers(0, 255, size=(5, 20)), 5, exact=True).ids.tolist())
"""
    run = lambda isa: subprocess.run(  # noqa: E731
        [sys.executable, "-c", script], env={**os.environ, "BOON_ISA": isa}, capture_output=True, text=True, check=False
    )
    ended = run(isa)
    if ended.returncode != 0 and "Unsupported" in ended.stderr:
        pytest.skip(f"this processor has no {isa}")
    assert ended.stdout.split(" ", 1)[0] == isa
    assert ended.stdout.split(" ", 1)[1] == run("scalar").stdout.split(" ", 1)[1]


def test_a_wrong_isa_is_an_error():
    ended = subprocess.run(
        [sys.executable, "-c", "import boon; boon.Index(3)"],
        env={**os.environ, "BOON_ISA": "foo"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1 and "InvalidArgument" in ended.stderr and "foo" in ended.stderr


def test_bytes_are_held_as_bytes(random):
    index = boon.Index(32, "l2")
    pixels = random.integers(0, 256, size=(500, 32), dtype=np.uint8)
    index.add(pixels)
    assert index.stats()["component"] == "u8" and index.stats()["vector_bytes"] == 500 * 32
    assert (index.get(3) == pixels[3]).all()


@pytest.mark.parametrize(("dtype", "digits"), [("fp16", 11), ("bf16", 8)])
def test_dtypes_round_vectors_and_halve_their_memory(dtype, digits, random, tmp_path):
    x = random.normal(size=(3000, 32)).astype(np.float32)
    plain = boon.Index(32, "l2")
    plain.add(x)
    index = boon.Index(32, "l2", dtype=dtype)
    index.add(x)
    assert index.dtype == dtype and dtype in repr(index)
    assert index.stats()["vector_bytes"] * 2 == plain.stats()["vector_bytes"]
    held = np.stack([index.get(i) for i in range(100)])
    np.testing.assert_allclose(held, x[:100], rtol=2.0**-digits, atol=2.0**-25)
    if dtype == "fp16":
        np.testing.assert_array_equal(held, x[:100].astype(np.float16).astype(np.float32))
    found, truth = index.search(x[:200], 10, beam=200), plain.search(x[:200], 10, exact=True)
    assert np.array_equal(found.ids[:, 0], np.arange(200))
    assert np.mean([len(set(a) & set(b)) for a, b in zip(found.ids, truth.ids, strict=True)]) > 9.5
    assert index.check()["healthy"]
    index.save(tmp_path / "halves.boon")
    for opened in (boon.Index.load(tmp_path / "halves.boon"), pickle.loads(pickle.dumps(index)), copy.copy(index)):
        assert opened.dtype == dtype
        np.testing.assert_array_equal(opened.search(x[:200], 10, beam=200).ids, found.ids)


def test_a_dtype_refuses_what_it_cannot_hold(random):
    index = boon.Index(4, "l2", dtype="fp16")
    x = random.normal(size=(3, 4))
    x[2, 1] = 1e5
    with pytest.raises(ValueError, match="row 2, component 1 is 100000, more than fp16 holds"):
        index.add(x)
    assert len(index) == 0
    for bad in ("fp8", np.float64, np.dtype("int8"), None):
        with pytest.raises(ValueError, match="must be one of fp32, fp16, bf16"):
            boon.Index(4, dtype=bad)
    for good, name in ((np.float16, "fp16"), (np.dtype("f4"), "fp32"), ("float16", "fp16"), ("bf16", "bf16")):
        assert boon.Index(4, dtype=good).dtype == name
    with pytest.raises(ValueError, match="no shorter"):
        boon.Index(4, codes="fp16", dtype="fp16")


def test_importing_leaves_signals_alone():
    script = "import signal; before = signal.getsignal(2); import boon; assert signal.getsignal(2) is before"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_exact_kind_misses_nothing_and_is_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    base, queries = rng.standard_normal((2, 600, 9)).astype(np.float32)
    index = boon.Index(dim=9, space="l2", kind="exact")
    index.add(base)
    assert index.kind == "exact" and "exact" in repr(index) and index.stats()["graph_bytes"] == 0
    expected = boon.knn(base, queries, 5, space="l2")
    np.testing.assert_array_equal(index.search(queries, 5).ids, expected.ids)
    np.testing.assert_allclose(index.search(queries, 5).distances, expected.distances, rtol=1e-5)
    index.save(tmp_path / "exact.boon")
    file = tmp_path / "exact.boon"
    for opened in (boon.Index.load(file), boon.Index.view(file), copy.copy(index)):
        assert opened.kind == "exact"
        np.testing.assert_array_equal(opened.search(queries, 5).ids, expected.ids)
    with pytest.raises(ValueError, match="hnsw and exact"):
        boon.Index(dim=9, kind="ivf")


def test_codes_can_be_asked_for_while_others_search_and_add() -> None:
    """A filter of Python's needs the interpreter while its search holds a lock that a writer waits for."""
    x = np.random.default_rng(3).normal(size=(3000, 16)).astype(np.float32)
    index = boon.Index(16, "l2")
    index.add(x[:1000])
    stop = threading.Event()

    def search() -> None:
        while not stop.is_set():
            index.search(x[:5], 3, filter=lambda i: i % 2 == 0)

    def ask() -> None:
        while not stop.is_set():
            assert index.codes in ("none", "nvfp4", "int8") and repr(index)

    threads = [threading.Thread(target=work, daemon=True) for work in (search, ask)]
    for thread in threads:
        thread.start()
    for first in range(1000, 3000, 50):
        index.add(x[first : first + 50])
    stop.set()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
