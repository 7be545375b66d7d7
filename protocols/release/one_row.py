"""A table of one row, of numbers that are all undefined or none."""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import Table


def one_row(
    name: str,
    columns: tuple[str, ...],
    words: Sequence[int],
    within: PublicRange,
    decimals: int,
    undefined: str,
) -> Table:
    """The numbers behind the words; `undefined` says why there may be none.

    >>> str(one_row("fit", ("a", "b"), [5_012, 4_900], PublicRange(2, 50), 2, "no fit"))
    'a 0.12, b -1.00'
    """
    row = tuple(within.text(name, word, decimals) for word in words)
    if all(cell is None for cell in row):
        return Table(columns, undefined=undefined)
    if None in row:
        raise RemoteProtocolError(
            f"the shares of {name} do not make a result",
            advice="The two proxies hold shares of different runs; ask for the result again.",
        )
    return Table(columns, (row,))
