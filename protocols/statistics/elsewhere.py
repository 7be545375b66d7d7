"""Statistics by the names that other programs have for them.

`known_as` of a statistic lists functions, as in "scikit-learn roc_auc_score, pROC auc". A word with
a dot or an underscore is the name of a function, and so is the second of two words or before a
bracket. The word of a parameter, such as delong, is found as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ppaurora.protocols.statistics.parameters import Word, parameter, parameters
from ppaurora.protocols.statistics.statistic import Statistic

ENTRIES = re.compile("[,;]")
WORDS = re.compile(r"[\w.-]+")


def called_here(name: str, known: Iterable[type[Statistic[Any, Any]]]) -> str:
    """What a name of elsewhere is called here, in a sentence; empty where nobody lists it.

    Of several statistics those that say the least beside the name. The name may have its module
    before it, as in sklearn.metrics.roc_auc_score.
    """
    names = [(rank, others.lower(), text) for one in known for rank, others, text in _names(one)]
    for asked in (name, name.rpartition(".")[2]):
        found = [(rank, text) for rank, others, text in names if others == asked.lower()]
        if found:
            least = min(rank for rank, _ in found)
            texts = dict.fromkeys(text for rank, text in found if rank == least)
            return f'"{name}" is called {" or ".join(texts)} here.'
    return ""


def _names(one: type[Statistic[Any, Any]]) -> Iterator[tuple[tuple[int, int], str, str]]:
    """How much stands beside a name of elsewhere, the name, and what it is called here."""
    if one.twin:
        return
    all_words = len(WORDS.findall(one.known_as))
    for entry in ENTRIES.split(one.known_as):
        words = WORDS.findall(entry)
        for place, word in enumerate(words):
            called = place == 1 and (len(words) == 2 or f"{word}(" in entry)
            if called or "_" in word or "." in word:
                yield (max(2, len(words)), all_words), word, one.name
    for key, field in parameters(one).items():
        kind = parameter(field)
        for choice in kind.choices if isinstance(kind, Word) else ():
            yield (len(one.name), 0), choice, f"{one.name}:{key}={choice}"
