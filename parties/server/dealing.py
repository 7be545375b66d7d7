"""How the randomness of a run is dealt: by a trusted helper, or by one that commits to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ppaurora.mpc.committed import CommittedDealing
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.session import Links, SessionKeys
from ppaurora.mpc.shares import Shared
from ppaurora.protocols.errors import ListsRefused
from ppaurora.protocols.evaluate import Evaluation, evaluate, helpers_part
from ppaurora.protocols.lists.verdicts import Verdicts
from ppaurora.protocols.options import Options

__all__ = ["TrustedDealing", "dealing_of", "evaluated"]


class TrustedDealing:
    """The randomness as the helper deals it, which is trusted to follow the protocol."""

    def keys(self, links: Links, session_keys: SessionKeys) -> SessionKeys:
        """The session keys as the handshake made them."""
        return session_keys

    def confirm(self) -> None:
        """Nothing was committed to."""


def dealing_of(
    options: Options,
    role: Role,
    lengths: Sequence[int],
    sizes: Sequence[int],
    threads: int,
    checking: Callable[[bool], None],
    known: Mapping[int, bool],
) -> TrustedDealing | CommittedDealing:
    """How the options have it dealt, for uploads of so many words, with lists of these sizes.

    `known` are the verdicts on uploads that are known already, by their places. `checking` is told
    when a check of dealings begins and ends, see `CommittedDealing`.
    """
    if not options.covert:
        return TrustedDealing()
    program = helpers_part(options, lengths, sizes=sizes, verdicts=Verdicts(known))
    return CommittedDealing(role, program, options.dealings, threads=threads, checking=checking)


def evaluated(
    party: Party,
    options: Options,
    uploads: Sequence[Shared],
    sizes: Sequence[int],
    verdicts: Verdicts,
) -> Evaluation:
    """The evaluation; one without results where a covert computation stops at unsound lists."""
    try:
        return evaluate(party, options, uploads, sizes=sizes, verdicts=verdicts)
    except ListsRefused as refusal:
        return Evaluation({}, refusal.refused, 0)
