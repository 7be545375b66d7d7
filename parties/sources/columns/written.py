"""How numbers are written in a text, where its owner states that they are not written plainly.

    decimal comma    0,25 for 0.25
    percent          12.5 or 12.5 % for 0.125
    thousands        1.234,5 or 1'234.5: marks before every three digits, or before none

What is stated holds for the whole column, and nothing is concluded from the numbers themselves. A
number is rewritten in decimal and then rounded once, so that 12.5 % is the double nearest to 0.125.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ppaurora.parties.errors import ConfigurationError

__all__ = ["PLAINLY", "Written"]

THOUSANDS = {"": "", ",": ",", ".": "[.]", "'": "['’]", " ": "[ \u00a0\u202f]"}
"""The marks that may be stated, and the signs that each stands for."""


@dataclass(frozen=True, slots=True)
class Written:
    """What is stated of the numbers in a text; without a statement they are written plainly.

    >>> Written(decimal_comma=True, thousands=".").plain("-1.234,5")
    '-1234.5e0'
    >>> Written(percent=True).plain("12.5 %")
    '12.5e-2'
    """

    decimal_comma: bool = False
    percent: bool = False
    thousands: str = ""

    def __post_init__(self) -> None:
        if self.thousands not in THOUSANDS or self.thousands == self.mark:
            raise ConfigurationError(
                "--thousands names no mark that can stand between thousands here",
                advice="Say , or . or ' or a blank, but not the mark before the decimals.",
            )

    @property
    def mark(self) -> str:
        """The mark before the decimals."""
        return "," if self.decimal_comma else "."

    @property
    def stated(self) -> tuple[str, ...]:
        """The options that state it."""
        given = {
            "--decimal-comma": self.decimal_comma,
            "--percent": self.percent,
            "--thousands": bool(self.thousands),
        }
        return tuple(option for option, is_given in given.items() if is_given)

    @property
    def comma_only(self) -> bool:
        """Whether nothing is stated but a decimal comma."""
        return self == Written(decimal_comma=True)

    def plain(self, text: str) -> str | None:
        """The number as it is written plainly; None for what is no number in this writing."""
        group = THOUSANDS[self.thousands]
        whole = f"[0-9]+|[0-9]{{1,3}}(?:{group}[0-9]{{3}})+" if group else "[0-9]+"
        mark = re.escape(self.mark)
        sign = "(?:[ \u00a0\u202f]*%)?" if self.percent else ""
        found = re.fullmatch(
            f"([+-]?)(?:({whole})(?:{mark}([0-9]*))?|{mark}([0-9]+))(?:[eE]([+-]?[0-9]+))?{sign}",
            text,
        )
        if found is None:
            return None
        minus, digits, behind, alone, exponent = found.groups()
        before = re.sub("[^0-9]", "", digits or "0")
        shift = int(exponent or 0) - 2 * self.percent
        return f"{minus}{before}.{behind or alone or '0'}e{shift}"


PLAINLY = Written()
