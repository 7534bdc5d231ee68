"""Strings for ids."""

import numpy as np
import pytest

import boon
from boon import errors
from boon._names import Names


@pytest.fixture
def index(random):
    made = boon.Index(5)
    made.add(random.normal(size=(6, 5)), ids=["a", "b", "c", "d", "e", "f"])
    return made


def test_names_in_names_out(index):
    result = index.search(index.get("c"), 2)
    assert result.ids[0] == "c" and result.ids.dtype == object
    table = index.search(index.get(["a", "b"]), 9).ids
    assert table.shape == (2, 9) and table[0, 0] == "a" and table[0, 6:].tolist() == [None] * 3
    assert "a" in index and "z" not in index and 0 not in index
    assert index.contains(["a", "z"]).tolist() == [True, False]
    with pytest.raises(KeyError, match="'z' is not in the index"):
        index.get(["a", "z"])


def test_filters_go_by_name(index):
    query = index.get("a")
    assert set(index.search(query, 3, filter=["c", "zz", "d"]).ids) == {"c", "d"}
    assert set(index.search(query, 6, filter=lambda name: name in "ef").ids) == {"e", "f"}
    with pytest.raises(TypeError, match="mask"):
        index.search(query, 3, filter=np.ones(6, bool))


def test_names_and_numbers_do_not_mix(index, random):
    with pytest.raises(ValueError, match="strings"):
        index.add(random.normal(size=5))
    with pytest.raises(ValueError, match="strings"):
        index.add(random.normal(size=5), ids=7)
    numbers = boon.Index(5)
    numbers.add(random.normal(size=5))
    with pytest.raises(ValueError, match="integers"):
        numbers.add(random.normal(size=5), ids="x")


def test_removed_names_are_free_again(index, random):
    assert index.delete(["b", "zz"]) == 1
    fresh = random.normal(size=(2, 5))
    index.add(fresh, ids=["b", "g"])
    assert sorted(index) == list("abcdefg")
    assert index.search(fresh[0], 1).ids[0] == "b"
    with pytest.raises(errors.AlreadyExists, match="'g'"):
        index.add(fresh, ids=["h", "g"])
    assert "h" not in index
    index.update("g", fresh[0])
    with pytest.raises(KeyError):
        index.update(["g", "q"], fresh)


def test_a_stopped_add_names_what_is_linked(random):
    index = boon.Index(5)
    names = [f"n{i}" for i in range(4000)]
    with pytest.raises(errors.Cancelled):
        index.add(random.normal(size=(4000, 5)), names, progress=lambda done, total: done < 500)
    assert 500 <= len(index) == len(index.ids) < 4000
    assert set(index) <= set(names)
    for name in index.ids[:20]:
        assert index.search(index.get(name), 1).ids[0] == name


def test_damaged_names_are_refused():
    data = Names(["a", "", "b"]).serialise()
    assert Names.parse(data).find("b") == 2
    for size in range(len(data)):
        with pytest.raises(errors.Corrupted):
            Names.parse(data[:size])
    with pytest.raises(errors.Corrupted):
        Names.parse(data + b"x")
