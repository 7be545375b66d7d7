"""Each hospital's own AUROC, O/E or calibration slope, by its name, where its policy allows it.

The rows of a caterpillar plot. Each owner computes its number in the clear over its own rows, with
limits θ ± z·√v on the scale of the summaries across hospitals, as the forest plots of Debray et
al., BMJ 356:i6460 (2017), have them, rounds it, and uploads it in two shares, with a bit: 1 if its
site lets it be shown and it has at least `least_class` samples of each class
(`ppaurora.protocols.lists.own_value`).

The gate. A mean over k hospitals is an equation in the numbers of all of them, and so are its
interval and prediction interval, τ² and I², and the AUROC within hospitals: beside k - 1 rows any
of them tells the last one. So of h hospitals that are not shown, rows are released if and only if
h = 0 or h >= 5, whatever else the study asks for or another one has released. With h >= 5 these are
as well protected as the fewest of which there is a summary: one of them alone solves for nobody,
all of them but one for the last.

The servers read at the secret h a public table, which is 1 at 0 and from 5 on, and multiply. The
words of up to 64 owners, in the order of the roster, are: 1 for one that is withheld and 2 for one
that is shown, 0 behind the last of them; then values, lower and upper limits, 0 where there is
none. Why a row is withheld is not opened: a site's word, few samples and the gate look the same.
The value is correctly rounded, a slope but for 10^-11; limits can be wrong by one unit of their
last decimal only if the exact one lies within 10^-11 of a rounding boundary, of O/E within 10^-11
of itself.

Nobody else learns anything. Three hops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from ppaurora.mpc.cost import Cost
from ppaurora.mpc.errors import RemoteProtocolError
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import lookup, multiply, products
from ppaurora.mpc.primitives.lookup import address_bits
from ppaurora.mpc.shares import Shared, concatenate
from ppaurora.protocols.lists.own_value import NUMBERS, OwnValue, ShowsOwnValues
from ppaurora.protocols.lists.scale import Scale
from ppaurora.protocols.lists.within_site import SiteNumber
from ppaurora.protocols.pipelines.sites import MOST_SHOWN, PerSite, PooledSites, Sites
from ppaurora.protocols.ranking.random_effects import LEAST_SITES
from ppaurora.protocols.ranking.wilson import with_limits
from ppaurora.protocols.release.public_range import PublicRange
from ppaurora.protocols.release.values import NO_SAMPLES, WITHHELD, Released, Table, ValueKind
from ppaurora.protocols.statistics.across_sites import MOST_DECIMALS, AcrossSites
from ppaurora.protocols.statistics.auroc_sites import AurocSites
from ppaurora.protocols.statistics.calibration_slope_sites import CalibrationSlopeSites
from ppaurora.protocols.statistics.observed_expected_sites import ObservedExpectedSites
from ppaurora.protocols.statistics.parameters import choice, number, whole
from ppaurora.protocols.statistics.statistic import Statistic, Topic

SITE = "site"
"""The first column: the owner's name."""
NONE, KEPT, SHOWN = range(3)
SUMMARIES: dict[str, type[AcrossSites]] = {
    "area": AurocSites,
    "ratio": ObservedExpectedSites,
    "slope": CalibrationSlopeSites,
}
"""The summaries across hospitals of what hospitals may show."""
CALLED = {
    "area": "AUROC of each hospital",
    "ratio": "Observed / expected of each hospital",
    "slope": "Calibration slope of each hospital",
}


@dataclass(frozen=True, slots=True)
class SiteValues(Statistic[PerSite, PooledSites], ShowsOwnValues):
    """A row for each owner: its value and both limits."""

    name: ClassVar[str] = "site_values"
    title: ClassVar[str] = (
        "each hospital's own value with its confidence interval, of those whose policy lets it be "
        "shown"
    )
    reference: ClassVar[str] = "Debray et al., BMJ 2017"
    known_as: ClassVar[str] = "metafor forest, metamisc forest: the studies' own rows"
    topic: ClassVar[Topic] = Topic.SITES
    kind: ClassVar[ValueKind] = ValueKind.TABLE
    pipeline: ClassVar[type[Sites]] = Sites
    undefined: ClassVar[str] = (
        "the hospital's number has no standard error, as where the classes are separated"
    )
    of: str = choice(
        "AUROC, observed over expected, or calibration slope", "area", tuple(SUMMARIES)
    )
    least_class: int = whole("positives, and negatives, that a hospital must have", 20, least=2)
    level: Fraction = number("of the interval", "0.95", closed=False)

    @property
    def summary(self) -> type[AcrossSites]:
        """The summary of the same values."""
        return SUMMARIES[self.of]

    @property
    def short(self) -> str:  # type: ignore[override]
        return CALLED[self.of]

    @property
    def within(self) -> PublicRange:
        """The range of its numbers."""
        return self.summary.within

    @property
    def own_value(self) -> OwnValue:
        return OwnValue(self.summary.estimate, self.level, self.least_class, self.within)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return (SITE, *with_limits((self.summary.mean,)))

    def check_scale(self, scale: Scale) -> None:
        if self.summary.estimate is not SiteNumber.AREA:
            self._check_probabilities(scale)

    def private(self, party: Party, data: PerSite, decimals: int) -> Shared:
        shown, *numbers = data.numbers[self.own_value]
        k = len(shown)
        table = np.array([opens(k - there) for there in range(k + 1)], np.uint64)
        [gate] = lookup(party, shown.sum(), [table])
        opened = multiply(party, shown, gate.repeat(k))
        values = products(party, [opened, *numbers], [(0, 1 + at) for at in range(NUMBERS)])
        behind = Shared.zeros(party.role, MOST_SHOWN - k)
        return concatenate([part for one in (opened + KEPT, *values) for part in (one, behind)])

    def cost(self, n: int, decimals: int) -> Cost:
        gate = lookup.cost(bits=address_bits(n + 1)).of(1)
        values = products.cost(factors=1 + NUMBERS, pairs=NUMBERS).of(n)
        return gate + multiply.cost().of(n) + values

    def plaintext_words(self, data: PooledSites, decimals: int) -> Sequence[int]:
        rows = data.numbers[self.own_value]
        gate = opens(sum(not shown for shown, *_ in rows))
        words = [
            [SHOWN, *numbers] if shown and gate else [KEPT] + [0] * NUMBERS
            for shown, *numbers in rows
        ]
        words += [[NONE] + [0] * NUMBERS] * (MOST_SHOWN - len(rows))
        return [word for column in zip(*words, strict=True) for word in column]

    def words(self, decimals: int) -> int:
        return MOST_SHOWN * (1 + NUMBERS)

    def decode(self, words: Sequence[int], decimals: int) -> Released:
        # the columns stand one behind the other
        rows = [words[at::MOST_SHOWN] for at in range(MOST_SHOWN)]
        found = []
        for place, (state, *numbers) in enumerate(rows, 1):
            if state != SHOWN and any(numbers):
                raise self._refused
            if state == SHOWN:
                cells = [self.within.text(self.text, word, decimals) for word in numbers]
                if 0 < cells.count(None) < NUMBERS:
                    raise self._refused
                found.append((str(place), *cells))
            elif state == KEPT:
                found.append((str(place), *[WITHHELD] * NUMBERS))
            elif state != NONE:
                raise self._refused
        states = [row[0] for row in rows]
        if states != sorted(states, key=lambda state: state == NONE) or not found:
            raise self._refused
        kept, none = (any(word in row for row in found) for word in (WITHHELD, None))
        return Table(
            self.columns,
            tuple(found),
            undefined=self.undefined if none else "",
            withheld=self.why if kept else "",
        )

    @property
    def _refused(self) -> RemoteProtocolError:
        return RemoteProtocolError(
            f"the shares of {self.text} do not make a result",
            advice="The two proxies hold shares of different runs; ask for the result again.",
        )

    @property
    def why(self) -> str:
        """The reasons for which a row is withheld, one of which holds."""
        return (
            "the hospital's policy does not let its own value be shown, or it has fewer than "
            f"{self.least_class} positives or negatives; or one to four hospitals are not shown, "
            "and then none is, since the others and a mean over all would tell it"
        )

    def of_owners(self, value: Released, owners: Sequence[str]) -> Released:
        if not isinstance(value, Table) or not value.rows:
            return value
        if len(owners) != len(value.rows):
            raise self._refused
        rows = tuple((name, *cells) for name, (_, *cells) in zip(owners, value.rows, strict=True))
        return replace(value, rows=rows)

    def value_without_samples(self) -> Released:
        return Table(self.columns, undefined=NO_SAMPLES)

    def fits(self, n: int, decimals: int) -> bool:
        return n == 0 or decimals <= MOST_DECIMALS

    def label_digits(self, decimals: int) -> int:
        # of a slope nearly every set of labels makes another one; the other two have few values
        return NUMBERS * decimals if self.summary.estimate is SiteNumber.SLOPE else 0

    def leaks(self, decimals: int) -> str:
        # the limits of O/E follow from it, its class counts and nothing else
        exact = self.summary.estimate is SiteNumber.RATIO
        counts = "nearly exactly, or exactly," if exact else "roughly"
        return (
            "by name the released decimals of each owner whose own policy lets them be shown and "
            f"which has at least {self.least_class} samples of each class, and with them {counts} "
            "how many of each class it has; of each other owner that it is not shown; none is "
            "shown where one to four owners are not, as the last of them would follow from the "
            "others and a mean over all, its limits, tau² or I²; where five or more are not, one "
            "of these alone cannot solve for another beside such a mean, and all but one together "
            "can"
        )


def opens(hidden: int) -> int:
    """The gate: 1 if rows are shown beside so many that are not, else 0.

    >>> [opens(hidden) for hidden in range(7)]
    [1, 0, 0, 0, 0, 1, 1]
    """
    return int(hidden == 0 or hidden >= LEAST_SITES)
