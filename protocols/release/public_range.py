"""Numbers within a public range: the words in which they travel, and their texts.

For -shift <= x <= 10^tens - shift the word is round_half_up(10^d·(x + shift)), which a division by
10^tens·D to d + tens digits gives. A number that is undefined is the constant that it gives for
0/0.

`one_row` makes a table of one row of such numbers, which are all undefined or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.primitives import undefined
from ppaurora.protocols.arithmetic.rounding import half_up
from ppaurora.protocols.release.values import WITHHELD, Table, signed_text


@dataclass(frozen=True, slots=True)
class PublicRange:
    """From -shift to 10^tens - shift.

    >>> PublicRange(1, 1).text("youden", 7500, 4), PublicRange().text("ppv", 7500, 4)
    ('-0.2500', '0.7500')
    """

    tens: int = 0
    shift: int = 0

    def missing(self, decimals: int) -> int:
        """The word of a number that is undefined."""
        return undefined(decimals + self.tens)

    def withheld(self, decimals: int) -> int:
        """The word of a number that is kept back."""
        return self.missing(decimals) + 1

    def cell(self, name: str, word: int, decimals: int) -> str | None:
        """The text of a word in a table, None or `WITHHELD` where there is no number.

        >>> PublicRange().cell("ppv", PublicRange().withheld(4), 4)
        'withheld'
        """
        return WITHHELD if word == self.withheld(decimals) else self.text(name, word, decimals)

    def word(self, number: Fraction | None, decimals: int) -> int:
        """The word of a number."""
        if number is None:
            return self.missing(decimals)
        return half_up((number + self.shift) * 10**decimals)

    def scaled_word(self, number: int, bits: int, decimals: int, found: int) -> int:
        """The word of number/2^bits where `found` is 1, and of an undefined number where it is 0.

        The same work for both.

        >>> PublicRange(1, 1).scaled_word(-1, 2, 4, 1)
        7500
        """
        twice = (number + (self.shift << bits)) * 10**decimals * 2 + (1 << bits)
        return (self.missing(decimals), twice >> bits + 1)[found]

    def text(self, name: str, word: int, decimals: int) -> str | None:
        """The text of a word, None where the number is undefined; any other word is refused."""
        if word == self.missing(decimals):
            return None
        if not 0 <= word <= 10 ** (decimals + self.tens):
            raise RemoteProtocolError(
                f"the shares of {name} do not make a result",
                advice="The two proxies hold shares of different runs; ask for the result again.",
            )
        return signed_text(word - self.shift * 10**decimals, decimals)


def one_row(
    name: str,
    columns: tuple[str, ...],
    words: Sequence[int],
    within: PublicRange | Sequence[PublicRange],
    decimals: int,
    undefined: str,
) -> Table:
    """The numbers behind the words, all within one range or each within its own.

    `undefined` says why there may be none.

    >>> str(one_row("fit", ("a", "b"), [5_012, 4_900], PublicRange(2, 50), 2, "no fit"))
    'a 0.12, b -1.00'
    """
    ranges = [within] * len(words) if isinstance(within, PublicRange) else within
    row = tuple(one.text(name, word, decimals) for one, word in zip(ranges, words, strict=True))
    if all(cell is None for cell in row):
        return Table(columns, undefined=undefined)
    if None in row:
        raise RemoteProtocolError(
            f"the shares of {name} do not make a result",
            advice="The two proxies hold shares of different runs; ask for the result again.",
        )
    return Table(columns, (row,))
