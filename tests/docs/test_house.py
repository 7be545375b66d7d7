"""docs/house.py: the lines of the program, and of what serves the features of an older commit."""

from __future__ import annotations

from docs.house import counted


def test_what_is_left_and_what_is_left_out_are_the_whole_program() -> None:
    rows = [line.strip("| ").split(" | ") for line in counted().splitlines()[2:]]
    everything, *left_out, left = (
        [int(number.replace(",", "")) for number in row[1:]] for row in rows
    )
    for whole, *parts in zip(everything, *left_out, left, strict=True):
        assert sum(parts) == whole
        assert all(parts)
