"""All statistics by name, and by the names that other programs have for them.

A statistic is asked for by `name` or `name:key=value,key=value`, the same in a study file, on the
command line and in Python.

`known_as` of a statistic lists functions, as in "scikit-learn roc_auc_score, pROC auc". A word with
a dot or an underscore is the name of a function, and so is the second of two words or before a
bracket. The word of a parameter, such as delong, is found as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from typing import Any

import ppaurora.protocols.statistics as room
from ppaurora.protocols.discovery import implementation, implementations
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.statistics.between_groups import BetweenGroups
from ppaurora.protocols.statistics.in_group import SIGN, InGroup
from ppaurora.protocols.statistics.parameters import (
    OPTION,
    TextChoice,
    hint,
    parameter,
    parameters,
    read_parameters,
)
from ppaurora.protocols.statistics.statistic import Statistic

ENTRIES = re.compile("[,;]")
PAIR = 2
WORDS = re.compile(r"[\w.-]+")


def called_here(name: str, known: Iterable[type[Statistic[Any, Any]]]) -> str:
    """A sentence with this program's name for a function of another one; empty if none lists it.

    Of several statistics those that say the least beside the name. The name may have its module
    before it, as in sklearn.metrics.roc_auc_score.
    """
    names = [
        (rank, others.lower(), text)
        for statistic in known
        for rank, others, text in _names(statistic)
    ]
    for asked in (name, name.rpartition(".")[2]):
        found = [(rank, text) for rank, others, text in names if others == asked.lower()]
        if found:
            least = min(rank for rank, _ in found)
            texts = dict.fromkeys(text for rank, text in found if rank == least)
            return f'"{name}" is called {" or ".join(texts)} here.'
    return ""


def _names(statistic: type[Statistic[Any, Any]]) -> Iterator[tuple[tuple[int, int], str, str]]:
    """Triples of a rank, another program's name for a statistic, and the text for it here."""
    all_words = len(WORDS.findall(statistic.known_as))
    for entry in ENTRIES.split(statistic.known_as):
        words = WORDS.findall(entry)
        for place, word in enumerate(words):
            called = place == 1 and (len(words) == 2 or f"{word}(" in entry)
            if called or "_" in word or "." in word:
                yield (max(2, len(words)), all_words), word, statistic.name
    for key, field in parameters(statistic).items():
        kind = parameter(field)
        for choice in kind.choices if isinstance(kind, TextChoice) else ():
            yield (len(statistic.name), 0), choice, f"{statistic.name}:{key}={choice}"


AnyStatistic = Statistic[Any, Any]
CONTRACT: type[AnyStatistic] = Statistic  # type: ignore[type-abstract]
DIGEST_SAMPLES = (2, 100, 1 << 20)


@cache
def statistics() -> Mapping[str, type[AnyStatistic]]:
    """Every statistic of this room by name, in the order of the names.

    >>> "auroc" in statistics()
    True
    """
    return {statistic.name: statistic for statistic in implementations(room, CONTRACT)}


@cache
def statistic(text: str) -> AnyStatistic:
    """The statistic that a text asks for; one that nobody knows is refused with what is close.

    >>> statistic("auroc").title
    'AUROC, ties counted half'
    >>> statistic("auroc").text
    'auroc'
    """
    if SIGN in text:
        of, *groups = text.split(SIGN)
        if len(groups) == PAIR:
            return BetweenGroups(statistic(of), *groups)
        return InGroup(statistic(of), SIGN.join(groups))
    name, sign, given = text.partition(":")
    kind = implementation(room, name, CONTRACT) or kind_of(name)
    if sign and not given:
        raise OptionRefused(OPTION, f'asks for "{text}"', advice=f"Write it like {kind.usage()}.")
    return kind(**read_parameters(kind, name, given))


def kind_of(name: str) -> type[AnyStatistic]:
    """The statistic of this name or alias; one that nobody knows is refused with what is close."""
    known = statistics()
    by_alias = {alias: found for found in known.values() for alias in found.aliases}
    kind = known.get(name) or by_alias.get(name)
    if kind is None:
        raise OptionRefused(
            OPTION,
            f'names "{name}", which is no statistic here',
            advice=_renamed(name, known)
            or called_here(name, known.values())
            or hint(name.lower(), [*known, *by_alias]).strip()
            or f"Choose from {', '.join(known)}.",
        )
    return kind


REPLACED = {"auroc_bootstrap": "bootstrap:of=auroc"}
"""Names of older versions, and the texts that took their place."""


def _renamed(name: str, known: Mapping[str, type[AnyStatistic]]) -> str:
    """A sentence for a name that a statistic once had, as those of binned scores did."""
    if name in REPLACED:
        return f"Ask for {REPLACED[name]}."
    plain = name.removesuffix("_binned").removesuffix("_bounds")
    if plain == name or plain not in known:
        return ""
    return f'Ask for {plain}, with resolution = "bins:4096" (as many as you like).'


def contract_digest(of: AnyStatistic) -> str:
    """A short name for what this build understands by a statistic: it stands in every handshake.

    Servers whose digests differ would compute or read different things and do not start.
    """
    kind = type(of)
    facts = [
        of.text,
        kind.revision,
        kind.kind,
        kind.pipeline.name,
        *sorted(of.inputs),
        kind.undefined,
        *(f"{key}: {parameter(one).accepts}" for key, one in parameters(kind).items()),
        *(of.words(decimals) for decimals in (1, 15)),
        *(
            of.cost(n, decimals)
            for n in DIGEST_SAMPLES
            for decimals in (1, 15)
            if of.fits(n, decimals)
        ),
    ]
    return sha256("\n".join(map(str, facts)).encode()).hexdigest()[:16]
