"""All statistics by name, and the one place where a text becomes a statistic.

A statistic is asked for by `name` or `name:key=value,key=value`, the same in a study file, on the
command line and in Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any

import ppaurora.protocols.statistics as room
from ppaurora.protocols.discovery import found_in, in_its_file
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.statistics.elsewhere import called_here
from ppaurora.protocols.statistics.parameters import (
    OPTION,
    hint,
    parameter,
    parameters,
    read_parameters,
)
from ppaurora.protocols.statistics.statistic import Statistic

AnyStatistic = Statistic[Any, Any]
CONTRACT: type[AnyStatistic] = Statistic  # type: ignore[type-abstract]
DIGEST_SAMPLES = (2, 100, 1 << 20)


@cache
def statistics() -> Mapping[str, type[AnyStatistic]]:
    """Every statistic of this room by name, in the order of the names.

    >>> "auroc" in statistics()
    True
    """
    return {one.name: one for one in found_in(room, CONTRACT)}


@cache
def statistic(text: str) -> AnyStatistic:
    """The statistic that a text asks for; one that nobody knows is refused with what is close.

    >>> statistic("auroc").title
    'AUROC, ties counted half'
    >>> statistic("auroc").text
    'auroc'
    """
    name, sign, given = text.partition(":")
    kind = in_its_file(room, name, CONTRACT) or _among_all(name)
    if sign and not given:
        raise OptionRefused(OPTION, f'asks for "{text}"', advice=f"Write it like {kind.usage()}.")
    return kind(**read_parameters(kind, name, given))


def _among_all(name: str) -> type[AnyStatistic]:
    """The statistic of this name or alias."""
    known = statistics()
    by_alias = {alias: found for found in known.values() for alias in found.aliases}
    kind = known.get(name) or by_alias.get(name)
    if kind is None:
        raise OptionRefused(
            OPTION,
            f'names "{name}", which is no statistic here',
            advice=called_here(name, known.values())
            or hint(name.lower(), [*known, *by_alias]).strip()
            or f"Choose from {', '.join(known)}.",
        )
    return kind


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
        *sorted(kind.inputs),
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
