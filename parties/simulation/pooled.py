"""The study's statistics on the pooled data, in the clear: what a private result must equal.

Each statistic brings its own exact computation (`Statistic.plaintext_words`), whole numbers
throughout.
For simulations and tests, where one process holds all data anyway.
"""

from __future__ import annotations

from collections.abc import Sequence

from ppaurora.mpc.words import Words
from ppaurora.protocols.options import Options
from ppaurora.protocols.release.values import Released


def pooled_values(
    options: Options, uploads: Sequence[Words], sizes: Sequence[int] = ()
) -> dict[str, Released]:
    """Each statistic over all uploads (in the clear) together, by the text that asked for it.

    `sizes` are those of the lists in them, in a study of folds.
    """
    pipeline = options.pipeline
    data = pipeline.plaintext(pipeline.lists(uploads, sizes))
    if not any(map(len, uploads)):
        return dict(
            zip(
                options.metrics,
                (statistic.value_without_samples() for statistic in options.statistics),
                strict=True,
            )
        )
    return {
        text: one.decode(
            one.plaintext_words(pipeline.part(one.pipeline, data), options.decimals),
            options.decimals,
        )
        for text, one in zip(options.metrics, options.statistics, strict=True)
    }
