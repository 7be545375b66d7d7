"""Statistics by the names that other programs have for them.

`known_as` of a statistic lists functions, as in "scikit-learn roc_auc_score, pROC auc". A word with
a dot or an underscore is the name of a function, and so is the second of two words or before a
bracket. The word of a parameter, such as delong, is found as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ppaurora.protocols.statistics.parameters import Choice, parameter, parameters
from ppaurora.protocols.statistics.statistic import Statistic

ENTRIES = re.compile("[,;]")
WORDS = re.compile(r"[\w.-]+")


def called_here(name: str, known: Iterable[type[Statistic[Any, Any]]]) -> str:
    """What a name of elsewhere is called here, in a sentence; empty where nobody lists it.

    Of several statistics those that say the least beside the name.
    """
    found = [
        (rank, text)
        for one in known
        if not one.twin
        for rank, others, text in _names(one)
        if others.lower() == name.lower()
    ]
    least = min((rank for rank, _ in found), default=(0, 0))
    texts = list(dict.fromkeys(text for rank, text in found if rank == least))
    return f'"{name}" is called {" or ".join(texts)} here.' if texts else ""


def _names(one: type[Statistic[Any, Any]]) -> Iterator[tuple[tuple[int, int], str, str]]:
    """How much stands beside a name of elsewhere, the name, and what it is called here."""
    all_words = len(WORDS.findall(one.known_as))
    for entry in ENTRIES.split(one.known_as):
        words = WORDS.findall(entry)
        for place, word in enumerate(words):
            called = place == 1 and (len(words) == 2 or f"{word}(" in entry)
            if called or "_" in word or "." in word:
                yield (max(2, len(words)), all_words), word, one.name
    for key, field in parameters(one).items():
        kind = parameter(field)
        for choice in kind.choices if isinstance(kind, Choice) else ():
            yield (len(one.name), 0), choice, f"{one.name}:{key}={choice}"
