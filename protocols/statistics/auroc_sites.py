"""The AUROC from hospital to hospital: a random-effects summary of the sites' own AUROCs.

Debray et al., BMJ 356:i6460 (2017), and Snell et al., Statistical Methods in Medical Research
27:3505-3522 (2018): each site's AUROC is taken on the logit scale,

    θ = logit A,    v = Var A/(A·(1 - A))²,    Var A that of DeLong,

computed by its owner in the clear over its own rows, and rounded there to 2^-40 and 2^-58; then
`ppaurora.protocols.statistics.across_sites`. An AUROC of 0 or 1, one whose variance is 0, and one
of fewer than two samples of a class is left out. Mean and limits are released on the scale of the
AUROC. They can be wrong by one unit of their last decimal only if the exact one lies within 10^-11
of a rounding boundary, where the level is at most .999; to at most eight decimals.

Nobody learns anything. 198 hops, 18 for the way back, and five for every two decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.party import Party
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.wide_shares import WideShared
from ppaurora.protocols.arithmetic.logistic import Logistic
from ppaurora.protocols.lists.within_site import SiteNumber
from ppaurora.protocols.pipelines.pipeline import Inputs
from ppaurora.protocols.ranking.random_effects import LIMIT_BITS
from ppaurora.protocols.release.class_counts import few_samples_warnings
from ppaurora.protocols.release.random_effects import logistic
from ppaurora.protocols.statistics.across_sites import LIMITS, AcrossSites
from ppaurora.protocols.statistics.parameters import flag, number


@dataclass(frozen=True, slots=True)
class AurocSites(AcrossSites):
    """Mean AUROC of the sites with its interval and a prediction interval."""

    name: ClassVar[str] = "auroc_sites"
    short: ClassVar[str] = "AUROC across hospitals"
    reference: ClassVar[str] = (
        "DerSimonian and Laird, Controlled Clinical Trials 1986; Hartung and Knapp, Statistics in "
        "Medicine 2001; Debray et al., BMJ 2017"
    )
    title: ClassVar[str] = (
        "AUROC across hospitals: mean of their own AUROCs by random effects, with its confidence "
        "interval and a prediction interval for another hospital"
    )
    known_as: ClassVar[str] = "metamisc valmeta, metafor rma.uni of logit AUROCs with DL and knha"
    inputs: ClassVar[Inputs] = frozenset({SiteNumber.AREA})
    estimate: ClassVar[SiteNumber] = SiteNumber.AREA
    mean: ClassVar[str] = "auroc"
    undefined: ClassVar[str] = (
        "fewer than five owners have an AUROC between 0 and 1 with a standard error"
    )
    level: Fraction = number("the level of both intervals", "0.95", closed=False)
    heterogeneity: bool = flag("also release tau² and I², which tell more about single hospitals")

    def back(self, party: Party, limits: WideShared, decimals: int) -> Shared:
        return Logistic(LIMIT_BITS, decimals).of(party, limits)

    def back_cost(self, decimals: int) -> Cost:
        return Logistic(LIMIT_BITS, decimals).cost(LIMITS)

    def back_plaintext(self, limit: Decimal) -> Fraction:
        return Fraction(logistic(limit))

    def warnings(self, sizes: Sequence[int], decimals: int) -> tuple[str, ...]:
        return few_samples_warnings(self.text, sizes)
