"""[Thesis, Figure 5.5]: the error of the differentially private average precision against ε."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ppaurora.bench.papers.experiment import Results, Settings
from ppaurora.bench.papers.private_error import ERROR, QUICK, PrivateError
from ppaurora.protocols.release.sensitivity import Table, of_average_precision_as_printed

SHARP, PRINTED = "Laplace, δ = .01, sharp", "Laplace, δ = .01, Thm 5.3"


class PrivatePrecisionError(PrivateError):
    """Cauchy and Laplace noise as printed, Laplace noise by the sharp bound, the public scale."""

    __slots__ = ()

    name: ClassVar[str] = "thesis-private-precision"
    paper: ClassVar[str] = "Thesis"
    what: ClassVar[str] = "Figure 5.5"
    title: ClassVar[str] = "Error of the differentially private average precision"
    settings: ClassVar[str] = (
        "As for Figure 5.4. Laplace noise of δ = .01 by Theorem 5.3 and by the sharp bound; "
        "`public scale` with half of a class as the least count of positives."
    )
    printed: ClassVar[str] = (
        "A figure without numbers. The text: as for AUROC, with much higher error and a slower "
        "decay."
    )
    exact: ClassVar[str] = "average_precision"
    local: ClassVar[Table] = of_average_precision_as_printed
    quick_settings: ClassVar[Sequence[Settings]] = QUICK

    def mechanisms(self, n: int) -> dict[str, str]:
        smooth = "average_precision_dp:epsilon={},mechanism=smooth,delta=0.01"
        return {
            PRINTED: f"{smooth},sensitivity=printed",
            SHARP: smooth,
            "public scale": f"average_precision_dp:epsilon={{}},least_class={n // 2}",
        }

    def deviations(self, results: Results) -> Sequence[str]:
        told = ["The sharp sensitivity halves the noise [Thesis, erratum 8]"]
        at = [results.get((name, 1000, 1.0)) for name in (PRINTED, SHARP)]
        if at[0] is not None and at[1] is not None:
            printed, sharp = (one[ERROR].root_mean_square for one in at if one is not None)
            told.append(
                f": at 1,000 of each class and ε = 1 the error is {sharp / printed:.2f} times"
            )
        return [
            "".join(told) + ".",
            "Of each mechanism of this system the noise of every release was drawn by three "
            "parties; what is compared below is the value before the noise.",
        ]
