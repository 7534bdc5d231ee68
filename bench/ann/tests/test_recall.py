from __future__ import annotations

import numpy as np

from ann.data import exact
from ann.recall import recall, repeated, table

BASE = np.array([[0.0], [1.0], [1.0], [3.0], [9.0]], np.float32)
QUERY = np.zeros((1, 1), np.float32)


def test_all_found_is_one() -> None:
    assert recall([[1, 0]], QUERY, BASE, np.array([[0, 1]])) == 1.0


def test_another_row_as_near_as_the_last_counts() -> None:
    assert recall([[0, 2]], QUERY, BASE, np.array([[0, 1]])) == 1.0


def test_a_farther_row_does_not_count() -> None:
    assert recall([[0, 3]], QUERY, BASE, np.array([[0, 1]])) == 0.5


def test_an_answer_given_twice_counts_once() -> None:
    assert recall([[0, 0]], QUERY, BASE, np.array([[0, 1]])) == 0.5


def test_missing_and_impossible_ids_do_not_count() -> None:
    assert recall([[0]], QUERY, BASE, np.array([[0, 1]])) == 0.5
    assert recall([[-1, 77]], QUERY, BASE, np.array([[0, 1]])) == 0.0


def test_only_queries_that_were_asked_count() -> None:
    queries = np.zeros((3, 1), np.float32)
    assert recall([[0, 1]], queries, BASE, np.array([[0, 1]] * 3)) == 1.0


def test_answers_longer_than_k_are_cut() -> None:
    assert table([[4, 3, 2], np.array([1], np.uint64)], 2).tolist() == [[4, 3], [1, -1]]


def test_repeated_marks_all_but_the_first() -> None:
    assert repeated(np.array([[5, 7, 5, 5]])).tolist() == [[False, False, True, True]]


def test_exact_search_agrees_with_sorting_all_distances() -> None:
    draw = np.random.default_rng(0)
    base, queries = (draw.standard_normal((n, 6)).astype(np.float32) for n in (200, 7))
    distances = ((queries[:, None] - base[None]) ** 2).sum(axis=2)
    assert (exact(base, queries, 5, at_once=3) == np.argsort(distances, axis=1)[:, :5]).all()
