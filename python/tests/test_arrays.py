"""Arrays as users have them: converted with the same results, or refused with their shape and dtype."""

import array

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import boon

BASE = np.random.default_rng(5).integers(0, 100, size=(40, 6)).astype(np.float32)
QUERIES = BASE[:7] + 1


def filled(vectors=BASE) -> boon.Index:
    index = boon.Index(6, "l2")
    index.add(vectors)
    return index


EXPECTED = filled().search(QUERIES, 5)


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def unaligned(a):
    raw = np.empty(a.nbytes + 1, np.uint8)
    view = raw[1:].view(np.float32).reshape(a.shape)
    view[:] = a
    return view


FORMS = {
    "list": lambda a: a.tolist(),
    "list of arrays": list,
    "tuple": lambda a: tuple(map(tuple, a.tolist())),
    "float64": lambda a: a.astype(np.float64),
    "float16": lambda a: a.astype(np.float16),
    "longdouble": lambda a: a.astype(np.longdouble),
    "uint8": lambda a: a.astype(np.uint8),
    "int8": lambda a: a.astype(np.int8),
    "int64": lambda a: a.astype(np.int64),
    "uint64": lambda a: a.astype(np.uint64),
    "big-endian": lambda a: a.astype(">f4"),
    "big-endian float64": lambda a: a.astype(">f8"),
    "Fortran order": np.asfortranarray,
    "every second row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "every second column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "reversed": lambda a: a[::-1].copy()[::-1],
    "column slice": lambda a: np.hstack([a, a])[:, :6],
    "read-only": read_only,
    "unaligned": unaligned,
    "memoryview": lambda a: memoryview(np.ascontiguousarray(a)),
    "matrix subclass": lambda a: a.view(type("Sub", (np.ndarray,), {})),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_gives_the_same(form):
    index = filled(form(BASE))
    np.testing.assert_array_equal(index.get(np.arange(40)), BASE)
    result = index.search(form(QUERIES), 5)
    np.testing.assert_array_equal(result.ids, EXPECTED.ids)
    np.testing.assert_array_equal(result.distances, EXPECTED.distances)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_one_query_gives_the_same(form):
    index = filled()
    # A view of memory has no rows of its own.
    asked = [memoryview(row) for row in QUERIES] if form is FORMS["memoryview"] else form(QUERIES)
    for number, query in enumerate(asked):
        result = index.search(query, 5)
        assert (result.ids.dtype, result.distances.dtype) == (np.int64, np.float32)
        np.testing.assert_array_equal(result.ids, EXPECTED.ids[number])
        np.testing.assert_array_equal(result.distances, EXPECTED.distances[number])


def test_the_callers_array_is_not_changed():
    rows = BASE.copy()
    index = boon.Index(6, "cosine")
    index.add(rows + 1)
    mine = rows.copy()
    index.search(mine + 1)
    np.testing.assert_array_equal(mine, rows)
    held = index.get(0)
    held[:] = 0
    assert index.get(0).any()


@pytest.mark.parametrize(
    ("bad", "error", "text"),
    [
        (np.ones((3, 5)), ValueError, r"\(3, 5\).*float64.*dimension 6"),
        (np.ones(5), ValueError, r"\(5,\)"),
        (np.ones((2, 3, 6)), ValueError, r"\(2, 3, 6\)"),
        (np.float32(3), ValueError, r"\(\)"),
        (np.ones((3, 0)), ValueError, r"\(3, 0\)"),
        (np.ones((2, 6), complex), TypeError, "complex128"),
        (np.ones((2, 6), bool), TypeError, "bool"),
        (np.full((2, 6), "a"), TypeError, "<U1"),
        (np.full((2, 6), None), TypeError, "object"),
        (np.zeros((2, 6), "M8[s]"), TypeError, "datetime64"),
        (None, TypeError, "dtype object"),
        ("text", TypeError, "<U4"),
        ([[1, 2, 3], [4, 5]], ValueError, "inhomogeneous"),
    ],
)
def test_what_is_no_array_of_vectors_is_refused_by_name(bad, error, text):
    index = filled()
    with pytest.raises(error, match=text):
        index.add(bad)
    with pytest.raises(error, match=text):
        index.search(bad)
    assert len(index) == 40


@pytest.mark.parametrize(
    "ids",
    [
        [3, 1],
        (3, 1),
        np.array([3, 1], np.uint8),
        np.array([3, 1], ">i8"),
        np.array([3, 9, 1])[::2],
        array.array("i", [3, 1]),
        iter([3, 1]),
        {3: "a", 1: "b"},
    ],
)
def test_forms_of_ids(ids):
    index = boon.Index(6)
    assert index.add(BASE[:2] + 1, ids).tolist() == [3, 1]


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ([-1, 2], ValueError),
        ([0, 2**63], ValueError),
        ([0, 2**70], ValueError),
        ([0.5, 1], TypeError),
        ([True, False], TypeError),
        ([1, "a"], TypeError),
        ([[1], [2]], ValueError),
        ([1], ValueError),
        ([1, 2, 3], ValueError),
        ([4, 4], ValueError),
        (["a", "a"], ValueError),
        (["a", ""], ValueError),
        (b"ab", TypeError),
        (3.5, TypeError),
    ],
)
def test_bad_ids_are_refused(bad, error):
    index = boon.Index(6)
    with pytest.raises(error):
        index.add(BASE[:2] + 1, bad)
    assert len(index) == 0 and not index.named


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(
        st.sampled_from([np.float16, np.float32, np.float64, np.dtype(">f4"), np.uint8, np.int32]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=7),
        elements={"min_value": 0, "max_value": 100},
    )
)
def test_any_array_is_taken_or_refused(vectors):
    index = boon.Index(5, "l2")
    try:
        ids = index.add(vectors)
    except (TypeError, ValueError) as error:
        fits = vectors.shape == (5,) or (vectors.ndim == 2 and vectors.shape[1] == 5) or vectors.shape == (0,)
        assert not fits and str(vectors.shape) in str(error)
        assert len(index) == 0
        return
    assert len(ids) == len(index) == vectors.size // 5
    if len(ids):
        np.testing.assert_array_equal(index.get(ids), vectors.reshape(-1, 5).astype(np.float32))
        assert index.search(vectors, 1, exact=True).distances.max() == 0


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=20, unique=True), st.data())
def test_any_names_are_kept(names, data):
    random = np.random.default_rng(len(names))
    index = boon.Index(4)
    vectors = random.normal(size=(len(names), 4))
    index.add(vectors, names)
    gone = data.draw(st.sets(st.sampled_from(names), max_size=len(names) - 1))
    assert index.delete(list(gone)) == len(gone)
    left = [n for n in names if n not in gone]
    for name in left:
        assert index.search(index.get(name), 1).ids.tolist() == [name]
    index.add(random.normal(size=(1, 4)), ["a name that is longer"])
    assert set(index) == {*left, "a name that is longer"}
