"""boon.hnswlib beside hnswlib: the same scripts, the same answers."""

import importlib
import pickle

import numpy as np
import pytest

MODULES = ["boon.hnswlib", "hnswlib"]


@pytest.fixture(params=MODULES)
def lib(request):
    if request.param == "hnswlib":
        return pytest.importorskip("hnswlib", reason="hnswlib is not installed: the comparison is left out")
    return importlib.import_module(request.param)


def both(script):
    """Runs script(module) on both and gives the results."""
    pytest.importorskip("hnswlib", reason="hnswlib is not installed: the comparison is left out")
    return [outcome(script, importlib.import_module(name)) for name in MODULES]


def outcome(script, lib):
    try:
        return script(lib)
    except Exception as error:
        return type(error).__name__, str(error)


def filled(lib, space="l2", rows=200, dim=8, **options):
    index = lib.Index(space=space, dim=dim)
    index.init_index(max_elements=options.pop("max_elements", 1000), **options)
    index.add_items(np.random.default_rng(1).random((rows, dim)))
    return index


def queries(rows=5, dim=8):
    return np.random.default_rng(2).random((rows, dim))


@pytest.mark.parametrize("space", ["l2", "ip", "cosine"])
def test_answers_agree(space):
    def script(lib):
        index = filled(lib, space, ef_construction=100, M=8)
        index.set_ef(200)
        return index.knn_query(queries(), k=5)

    (ours, our_distances), (theirs, their_distances) = both(script)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape and our_distances.dtype == their_distances.dtype
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_allclose(our_distances, their_distances, atol=1e-6)


SCRIPTS = {
    "one query in one dimension": lambda lib: filled(lib).knn_query(queries()[0], k=2)[0].shape,
    "k is 1": lambda lib: filled(lib).knn_query(queries())[0].shape,
    "more than there is": lambda lib: filled(lib, rows=3).knn_query(queries(), k=4),
    "a filter": lambda lib: (
        filled(lib).knn_query(queries(), k=2, filter=lambda i: i % 3 == 0, num_threads=1)[0].tolist()
    ),
    "a filter that lets nothing through": lambda lib: filled(lib).knn_query(queries(), k=1, filter=lambda i: False),
    "initiated twice": lambda lib: filled(lib).init_index(5),
    "unknown space": lambda lib: lib.Index("hamming", 3),
    "wrong dimension": lambda lib: filled(lib).add_items(np.ones((2, 3))),
    "three dimensions": lambda lib: filled(lib).add_items(np.ones((2, 2, 8))),
    "labels too few": lambda lib: filled(lib).add_items(np.ones((3, 8)), [1, 2]),
    "too many elements": lambda lib: filled(lib, max_elements=5, rows=6),
    "attributes": lambda lib: [
        getattr(filled(lib, M=9, ef_construction=70), name)
        for name in ("space", "dim", "M", "ef_construction", "ef", "max_elements", "element_count", "num_threads")
    ],
    "counts": lambda lib: (filled(lib).get_current_count(), filled(lib).get_max_elements()),
    "labels": lambda lib: sorted(filled(lib, rows=4).get_ids_list()),
    "a label not there": lambda lib: filled(lib).get_items([777]),
    "items as lists": lambda lib: filled(lib).get_items([3, 4], return_type="list"),
    "no items": lambda lib: filled(lib).get_items().shape,
    "an item alone": lambda lib: filled(lib).get_items(3),
    "deleted twice": lambda lib: [(i := filled(lib)).mark_deleted(3), i.mark_deleted(3)],
    "deleted and unknown": lambda lib: filled(lib).mark_deleted(777),
    "brought back though never deleted": lambda lib: filled(lib).unmark_deleted(3),
    "brought back and unknown": lambda lib: filled(lib).unmark_deleted(777),
    "resized too small": lambda lib: filled(lib).resize_index(3),
    "replaced where that is not allowed": lambda lib: filled(lib).add_items(np.ones((1, 8)), 7, replace_deleted=True),
    "a file not there": lambda lib: lib.Index("l2", 8).load_index("/no/such/file"),
    "text": lambda lib: filled(lib).add_items([["a"] * 8]),
    "exact, more than there is": lambda lib: bf(lib).get_current_count(),
    "exact": lambda lib: bf(lib).knn_query(queries(), k=3)[0].tolist(),
    "exact, one deleted": lambda lib: [
        (b := bf(lib)).delete_vector(7),
        b.get_current_count(),
        b.knn_query(queries(), k=3)[0].tolist(),
    ],
    "exact, a filter": lambda lib: bf(lib).knn_query(queries(), k=2, filter=lambda i: i < 5)[0].tolist(),
}


def bf(lib):
    index = lib.BFIndex(space="l2", dim=8)
    index.init_index(max_elements=30)
    index.add_items(np.random.default_rng(3).random((30, 8)))
    return index


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_scripts_agree(script):
    ours, theirs = both(script)
    assert ours == theirs


def test_updating_deleting_and_bringing_back(lib):
    index = filled(lib)
    index.set_ef(50)
    vector = np.full((1, 8), 9.0)
    index.add_items(vector, [5])
    assert index.element_count == 200
    np.testing.assert_array_equal(index.get_items([5]), vector)
    assert index.knn_query(vector, k=1)[0][0, 0] == 5
    index.mark_deleted(5)
    assert index.knn_query(vector, k=1)[0][0, 0] != 5
    assert index.element_count == 200 and 5 in index.get_ids_list()
    index.unmark_deleted(5)
    assert index.knn_query(vector, k=1)[0][0, 0] == 5
    index.mark_deleted(5)
    index.add_items(vector + 1, [5])
    assert index.knn_query(vector, k=1)[0][0, 0] == 5 and index.element_count == 200


def test_replacing_deleted_elements(lib):
    index = filled(lib, rows=10, max_elements=10, allow_replace_deleted=True)
    index.mark_deleted(3)
    index.add_items(np.ones((1, 8)), [50], replace_deleted=True)
    assert index.element_count == 10
    assert 50 in index.get_ids_list() and 3 not in index.get_ids_list()
    with pytest.raises(RuntimeError, match="exceeds"):
        index.add_items(np.ones((1, 8)), [51], replace_deleted=True)
    index.resize_index(11)
    index.add_items(np.ones((1, 8)), [51])
    assert index.element_count == 11


def test_files_and_pickles(lib, tmp_path):
    index = filled(lib, "cosine")
    index.mark_deleted(7)
    labels, distances = index.knn_query(queries(), k=5)
    file = str(tmp_path / "index.bin")
    index.save_index(file)
    loaded = lib.Index("cosine", 8)
    loaded.load_index(file, max_elements=3000)
    assert loaded.max_elements == 3000 and loaded.element_count == 200
    for again in (loaded, pickle.loads(pickle.dumps(index))):
        ours, their = again.knn_query(queries(), k=5)
        np.testing.assert_array_equal(ours, labels)
        np.testing.assert_allclose(their, distances, atol=1e-6)
        with pytest.raises(RuntimeError, match="already deleted"):
            again.mark_deleted(7)
        again.unmark_deleted(7)
        assert again.get_items([7]).shape == (1, 8)


def test_not_initiated_is_an_error():
    ours = importlib.import_module("boon.hnswlib").Index("l2", 8)
    for call in (lambda: ours.knn_query(queries()), lambda: ours.add_items(queries()), lambda: ours.save_index("x")):
        with pytest.raises(RuntimeError, match="init_index"):
            call()


def test_an_empty_index_has_no_answers(lib):
    index = lib.Index("l2", 8)
    index.init_index(5)
    with pytest.raises(RuntimeError, match="contiguous 2D array"):
        index.knn_query(queries(), k=1)


def test_files_are_checked_for_what_they_hold(tmp_path):
    lib = importlib.import_module("boon.hnswlib")
    filled(lib, "l2").save_index(tmp_path / "l2.bin")
    with pytest.raises(RuntimeError, match="dimension 8 in the space l2"):
        lib.Index("ip", 8).load_index(tmp_path / "l2.bin")
    (tmp_path / "bad").write_bytes(b"no index")
    with pytest.raises(RuntimeError, match="not a boon index"):
        lib.Index("l2", 8).load_index(tmp_path / "bad")


def test_the_package_finds_what_hnswlib_finds():
    def script(lib):
        index = filled(lib, rows=900, M=16, ef_construction=200)
        index.set_ef(100)
        return index.knn_query(queries(50), k=10)[0]

    exact = importlib.import_module("boon.hnswlib").BFIndex("l2", 8)
    exact.init_index(900)
    exact.add_items(np.random.default_rng(1).random((900, 8)))
    truth = exact.knn_query(queries(50), k=10)[0]
    for labels in both(script):
        assert (labels == truth).mean() > 0.99
