"""The contract of an analysis: everything that is known of one stands in its one file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

import ppaurora.protocols.analyses as room
from ppaurora.protocols.discovery import implementations
from ppaurora.protocols.lists.scale import Scale


class Analysis(ABC):
    """One question about a classifier, and the statistics by which it is answered."""

    name: ClassVar[str]
    """The name by which a study asks for it."""
    title: ClassVar[str]
    """The question in a few words."""
    needs: ClassVar[str] = ""
    """The data and options that it needs beside scores and labels, in words."""
    tells: ClassVar[str]
    """A sentence for the person who decides: what the receivers learn of the samples."""
    instead: ClassVar[Mapping[str, str]] = {}
    """The statistics that take the place of others where lists are joined, "" of none: these would
    tell how many rows are joined, or need more of each row."""
    answers: ClassVar[tuple[str, ...]]
    """The items of reporting guidelines that its numbers serve."""

    @staticmethod
    @abstractmethod
    def metrics(scale: Scale, models: int) -> tuple[str, ...]:
        """The statistics, in the order of a report, for this scale and number of models."""

    @classmethod
    def over_join(cls, scale: Scale, models: int) -> tuple[str, ...]:
        """The statistics where scores and labels are at different owners."""
        found = (cls.instead.get(text, text) for text in cls.metrics(scale, models))
        return tuple(filter(None, found))


@cache
def analyses() -> Mapping[str, type[Analysis]]:
    """Every analysis by name.

    >>> [*analyses()][:4]
    ['comparison', 'cross-validation', 'joined', 'monitoring']
    """
    contract: type[Analysis] = Analysis  # type: ignore[type-abstract]
    return {one.name: one for one in implementations(room, contract)}
