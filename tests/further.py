"""Parameters of a test of which CI runs some; the further cases run in the weekly run only."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet


def some_of(values: Iterable[Any], in_ci: Collection[Any]) -> list[ParameterSet]:
    """All of the values as parameters; those not named as of CI run by `-m weekly` only."""
    given = list(values)
    if missing := [one for one in in_ci if one not in given]:
        raise ValueError(f"not among the cases: {missing}")
    return [
        pytest.param(*_parts(one), marks=() if one in in_ci else pytest.mark.weekly)
        for one in given
    ]


def _parts(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
