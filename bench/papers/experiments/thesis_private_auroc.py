"""[Thesis, Figure 5.4]: the error of the differentially private AUROC against ε."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ppaurora.bench.papers.experiment import Results, Settings
from ppaurora.bench.papers.private_error import QUICK, PrivateError, root_mean_square
from ppaurora.protocols.release.sensitivity import Table, of_auroc


class PrivateAurocError(PrivateError):
    """Cauchy noise as printed, Laplace noise of both δ, and the public scale."""

    __slots__ = ()

    name: ClassVar[str] = "thesis-private-auroc"
    paper: ClassVar[str] = "Thesis"
    what: ClassVar[str] = "Figure 5.4"
    title: ClassVar[str] = "Error of the differentially private AUROC"
    settings: ClassVar[str] = (
        "As many negatives as positives, smooth sensitivity, output cut off at 0 and 1, as "
        "printed. The thesis takes subsets of the UCI adult and a Kaggle data set, which need a "
        "download; here scores are N(1, 1) and N(0, 1): the error hardly depends on the data. "
        "δ = .01 and .0001; `public scale` is this system's usual mechanism, with half of a class "
        "as its least count and δ below 2^-40. 400 releases of 4 data sets for each point."
    )
    printed: ClassVar[str] = (
        'A figure without numbers. The text: reasonable accuracy "for ε > 0.25" with 1,000 of '
        "each class; Cauchy noise approaches zero error more slowly."
    )
    exact: ClassVar[str] = "auroc"
    local: ClassVar[Table] = of_auroc
    quick_settings: ClassVar[Sequence[Settings]] = QUICK

    def mechanisms(self, n: int) -> dict[str, str]:
        return {
            "Laplace, δ = .01": "auroc_dp:epsilon={},mechanism=smooth,delta=0.01",
            "Laplace, δ = .0001": "auroc_dp:epsilon={},mechanism=smooth,delta=0.0001",
            "public scale": f"auroc_dp:epsilon={{}},least_class={n // 2}",
        }

    def deviations(self, results: Results) -> Sequence[str]:
        told = [
            f"{name}: {root_mean_square(results[name, 1000, 0.25])}"
            for name in self.names
            if (name, 1000, 0.25) in results
        ]
        return [
            f"At 1,000 of each class and ε = .25: {'; '.join(told) or 'not computed'}.",
            "Cauchy noise is drawn at the printed scale 6·S/ε, three times what is needed "
            "[Thesis, erratum 1]; it has no variance, and its error is that of the cut.",
            "Of each mechanism of this system the noise of every release was drawn by three "
            "parties; what is compared below is the value before the noise.",
        ]
