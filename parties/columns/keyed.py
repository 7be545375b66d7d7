"""Columns of identifiers whose owners share a key, and what the key must be."""

from __future__ import annotations

import re
from abc import ABC
from dataclasses import dataclass

from ppaurora.parties.columns.column import ExtraColumn
from ppaurora.protocols.errors import OptionRefused

HASH = re.compile(r"[0-9a-f]{64}")
"""SHA-256 in hexadecimal digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedColumn(ExtraColumn, ABC):
    """A column of identifiers; `key` is the commitment to the key that the owners share."""

    key: str = ""

    def check(self) -> None:
        """Refuse what stands for no key, such as the key itself."""
        ExtraColumn.check(self)
        if self.key and not HASH.fullmatch(self.key):
            raise OptionRefused(
                "key",
                "must be the 64 hexadecimal digits that stand for the owners' key",
                advice="Write the line that `ppaurora keys owners` prints, never the key itself.",
            )

    def check_agreed(self) -> None:
        if not self.key:
            raise OptionRefused(
                "key",
                "must be there",
                advice="Write the line that `ppaurora keys owners` prints.",
            )

    @property
    def commitment(self) -> str:
        return self.key
