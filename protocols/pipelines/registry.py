"""All pipelines by name, and the modes of a study that they are for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import ppaurora.protocols.pipelines as room
from ppaurora.protocols.discovery import found_in
from ppaurora.protocols.pipelines.pipeline import Pipeline


@cache
def pipelines() -> Mapping[str, type[Pipeline[Any, Any]]]:
    """Every pipeline of this room, in the order of the names.

    >>> list(pipelines())
    ['folds', 'histogram', 'pairs', 'sorted list', 'sorted list with negatives first']
    """
    found = found_in(room, Pipeline)  # type: ignore[type-abstract]
    return {one.name: one for one in found}


def modes() -> tuple[str, ...]:
    """What a study may say for `mode`.

    >>> modes()
    ('exact', 'grid')
    """
    return tuple(sorted({one.mode for one in pipelines().values()}))
