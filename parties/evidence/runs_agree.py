"""Whether the runs of one computation tell the same; if they do not, somebody cheats or fails.

In each run another server deals, and the other two hold the shares, so no server alone brings the
same wrong number about in all of them unless the dealings that it falsified are not opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ppaurora.mpc.committed import same_in_all
from ppaurora.mpc.errors import CheatingDetected
from ppaurora.parties.errors import EvidenceRefused
from ppaurora.parties.evidence.proof import Proven
from ppaurora.parties.requests.session_facts import Agreed

__all__ = ["check_proofs_agree", "check_runs_agree"]


def check_runs_agree(agreed: Sequence[Agreed]) -> None:
    """Raise `CheatingDetected` unless the runs were over the same lists and refused the same."""
    first = agreed[0]
    if any(replace(one, session=first.session) != first for one in agreed):
        raise CheatingDetected(
            "the runs of the computation do not accept the same lists",
            advice="A server or an owner has cheated, or failed. No result is released.",
        )


def check_proofs_agree(proofs: Sequence[Proven]) -> None:
    """Raise `CheatingDetected` unless all runs prove the same values, word by word.

    All must be of the same servers with the same keys.
    """
    check_runs_agree([one.agreed for one in proofs])
    if any(one.keys != proofs[0].keys for one in proofs):
        raise EvidenceRefused("The runs of the computation are signed by different keys")
    if len(proofs) > 1:
        same_in_all([one.words for one in proofs])
