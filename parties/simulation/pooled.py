"""The study's statistics on the pooled data, in the clear: what a private result must equal.

Each statistic brings its own exact computation (`Statistic.plaintext_words`), whole numbers
throughout.
For simulations and tests, where one process holds all data anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ppaurora.mpc.words import Words
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.pipeline import Pipeline
from ppaurora.protocols.prepared import data_of_plaintext
from ppaurora.protocols.release.values import Released


def _samples(pipeline: Pipeline[Any, Any], upload: Words) -> int:
    """The samples of an upload that is made of one list, by its length, if that tells them."""
    fixed = pipeline.words(0)
    each = pipeline.words(1) - fixed
    return (len(upload) - fixed) // each if each else 0


def pooled_values(
    options: Options,
    uploads: Sequence[Words],
    sizes: Sequence[int] = (),
    owners: Sequence[str] = (),
) -> dict[str, Released]:
    """Each statistic over all uploads (in the clear) together, by the text that asked for it.

    `sizes` are those of the lists in them, where there are several in each. Of `owners`, the names
    stand in rows of single ones; without them, their places.
    """
    pipeline = options.pipeline
    sizes = sizes or [_samples(pipeline, upload) for upload in uploads]
    data = pipeline.plaintext(uploads, sizes)
    if not any(map(len, uploads)):
        return dict(
            zip(
                options.texts,
                (statistic.value_without_samples() for statistic in options.statistics),
                strict=True,
            )
        )
    values = {
        text: (one, one.decode(one.plaintext_words(own, options.decimals), options.decimals))
        for text, one, own in zip(
            options.texts, options.statistics, data_of_plaintext(options, data), strict=True
        )
    }
    return {
        text: one.of_owners(value, owners) if owners else value
        for text, (one, value) in values.items()
    }
