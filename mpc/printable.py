"""Text from the other side, made fit to be shown."""

from __future__ import annotations


def printable(text: str, most: int) -> str:
    """`text` cut to `most` letters, with "?" for whatever is not printable.

    A name or an error that a peer sent may hold control characters, which could rewrite what stands
    on a terminal or in a log.
    """
    return "".join(letter if letter.isprintable() else "?" for letter in text[:most])
