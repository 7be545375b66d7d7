"""A released word as a decimal text: exactly the decimals that the study asked for."""

from __future__ import annotations

from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.primitives import undefined


def decimal_text(word: int, decimals: int) -> str:
    """word·10^-decimals, with all its decimals.

    >>> decimal_text(8250, 4), decimal_text(10_000, 4), decimal_text(7, 1)
    ('0.8250', '1.0000', '0.7')
    """
    one = 10**decimals
    return f"{word // one}.{word % one:0{decimals}d}"


def signed_text(number: int, decimals: int) -> str:
    """number·10^-decimals, which may be negative, with all its decimals.

    >>> signed_text(-8250, 4), signed_text(0, 2)
    ('-0.8250', '0.00')
    """
    return "-" * (number < 0) + decimal_text(abs(number), decimals)


def ratio_text(name: str, word: int, decimals: int) -> str | None:
    """The text of a ratio between 0 and 1, None where it is undefined.

    Any other word comes of no division and is refused: the two shares are of different runs.

    >>> ratio_text("auroc", 8250, 4), ratio_text("auroc", undefined(4), 4)
    ('0.8250', None)
    """
    if word == undefined(decimals):
        return None
    if not 0 <= word <= 10**decimals:
        raise RemoteProtocolError(
            f"the shares of {name} do not make a result",
            advice="The two proxies hold shares of different runs; ask for the result again.",
        )
    return decimal_text(word, decimals)
