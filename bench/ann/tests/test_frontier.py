from __future__ import annotations

import math

import pytest

from ann.frontier import Point, choose, frontier, qps_at

LINE = [Point(0.8, 1000, "a"), Point(0.9, 100, "b"), Point(0.99, 10, "c")]


def test_points_that_another_beats_in_both_are_left_out() -> None:
    assert frontier([*LINE, Point(0.85, 90), Point(0.8, 900)]) == LINE


def test_of_equal_recall_the_faster_stays() -> None:
    assert frontier([Point(0.9, 5), Point(0.9, 7)]) == [Point(0.9, 7)]


def test_between_two_points_the_logarithm_is_linear() -> None:
    assert qps_at(0.85, LINE) == pytest.approx(math.sqrt(1000 * 100))


def test_at_a_point_it_is_that_point() -> None:
    assert qps_at(0.9, LINE) == 100


def test_below_the_first_point_its_own_speed_holds() -> None:
    assert qps_at(0.5, LINE) == 1000


def test_beyond_the_last_point_there_is_none() -> None:
    assert qps_at(0.995, LINE) is None
    assert qps_at(0.5, []) is None


def test_choice_keeps_both_sides_of_each_target() -> None:
    line = [Point(r / 1000, 2000 - r) for r in range(800, 1000, 5)]
    chosen = choose(line, 6)
    assert [p.recall for p in chosen] == [0.895, 0.9, 0.945, 0.95, 0.985, 0.99]


def test_choice_spreads_what_is_left() -> None:
    line = [Point(r / 1000, 2000 - r) for r in range(500, 1000, 5)]
    chosen = choose(line, 10)
    assert len(chosen) == 10
    assert min(p.recall for p in chosen) < 0.6
