"""Whole studies in one process: lists are outsourced, evaluated by three threads, and released."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ppaurora.mpc.committed import CommittedDealing
from ppaurora.mpc.link.limits import Limits
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Moved, Party, Phase
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, reconstruct
from ppaurora.mpc.streams import KEY_BYTES
from ppaurora.mpc.words import Words
from ppaurora.protocols.evaluate import Evaluation, evaluate, helpers_part
from ppaurora.protocols.lists.outsourcing import split
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.options import Options
from ppaurora.protocols.pipelines.classes import CLASS_SCORES
from ppaurora.protocols.pipelines.clusters import CLUSTER
from ppaurora.protocols.pipelines.models import OTHER_SCORES
from ppaurora.protocols.pipelines.times import TIME
from tests.protocols import pooled

ALL_METRICS = tuple(pooled.METRICS)
PATIENT = Limits(deadline=600.0)
"""Of one process on a machine that has more to do: a helper that is ahead waits for the proxies."""
BATCH = 10
"""So many studies are run in one session."""


@dataclass(frozen=True)
class Owner:
    """One data owner's list; `against` are the scores of another model, or of several models.

    `parts` are the folds, groups or clusters of its rows, in a study that has them, and `weights`
    their weights in steps, 1 unless they are given; where rows are joined, `beside` are their
    groups, folds or weights, and `weights` weights beside groups. `classes` are the classes of its
    rows in a study of several, for which `against` are the scores of all but the first. `times` are
    their times in a study that asks for these; labels then say which end with an event. `shows`
    says that its own values may be shown by its name.
    """

    scores: Sequence[float]
    labels: Sequence[int]
    against: Sequence[float] | Sequence[Sequence[float]] | None = None
    parts: Sequence[int] | None = None
    classes: Sequence[int] | None = None
    weights: Sequence[int] | None = None
    beside: Sequence[int] | None = None
    times: Sequence[float] | None = None
    shows: bool = False


@dataclass(frozen=True)
class Study:
    """The lists of all owners, and what is asked of them."""

    owners: tuple[Owner, ...]
    options: Options
    direction: str = "higher"

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", replace(self.options, direction=self.direction))

    @property
    def scores(self) -> list[float]:
        """All scores, higher ones speaking for the positive class."""
        sign = 1 if self.direction == "higher" else -1
        return [sign * float(score) for owner in self.owners for score in owner.scores]

    @property
    def labels(self) -> list[int]:
        return [int(label) for owner in self.owners for label in owner.labels]

    def expected(self) -> dict[str, str]:
        """The texts that the pooled data give."""
        return {
            name: pooled.released(name, self.scores, self.labels, self.options.decimals)
            for name in self.options.metrics
        }

    def shares(self) -> list[tuple[Words, Words]]:
        """Each owner's two halves."""
        return [shares_of(owner, self.options) for owner in self.owners]

    @property
    def sizes(self) -> list[int]:
        return sizes_of(self.owners, self.options)


@dataclass
class Outcome:
    """The released values of a session and its cost: sums over the three parties, lists by role."""

    results: dict[str, str]
    refused: tuple[int, ...]
    samples: int
    hops: int = 0
    bytes: int = 0
    payload: int = 0
    traces: list[list[Moved]] = field(default_factory=list)
    phases: list[list[Phase]] = field(default_factory=list)


def keys_of(owner: Owner, options: Options) -> list[Words]:
    """The keys of its rows; scores of other models only where the study compares models.

    Behind them its times and events where the study asks for these, and in a study of folds or
    groups those: the owner's own, or row by row another.
    """
    labels = np.asarray(owner.labels, int)
    keys = [encode(np.asarray(owner.scores, float), labels, options.scale)]
    if OTHER_SCORES in options.pipeline.columns:
        assert owner.against is not None
        others = np.atleast_2d(np.asarray(owner.against, float))
        keys.append(np.stack([encode(one, labels, options.scale) for one in others], axis=1))
    if CLASS_SCORES in options.pipeline.columns:
        assert owner.against is not None
        assert owner.classes is not None
        none = np.zeros(len(labels), int)
        others = [*np.atleast_2d(np.asarray(owner.against, float))]
        # tests that have too few scores take them from the other end
        others += [1 - others[-1]] * (len(options.classes) - 1 - len(others))
        keys.append(np.stack([encode(one, none, options.scale) for one in others], axis=1))
        keys.append(np.asarray(owner.classes, np.uint64))
    if TIME in options.pipeline.columns:
        times = np.arange(1, len(keys[0]) + 1) if owner.times is None else owner.times
        keys.append(options.times.places(np.asarray(times, float)).astype(np.uint64))
        keys.append(np.asarray(owner.labels, np.uint64))
    if options.least_join and len(options.pipeline.columns) > 1:
        both = options.weighted and len(options.pipeline.columns) > 2
        for words in (owner.beside, owner.weights)[: 1 + both]:
            found = [0] * len(keys[0]) if words is None else words
            keys.append(np.asarray(found, np.uint64))
    if (lists := options.pipeline.lists_each) > 1:
        parts = np.arange(len(keys[0])) % lists if owner.parts is None else owner.parts
        keys.append(np.asarray(parts, np.uint64))
    if CLUSTER in options.pipeline.columns:
        clusters = np.arange(len(keys[0])) // 2 if owner.parts is None else owner.parts
        keys.append(np.asarray(clusters, np.uint64))
    if options.weighted and not options.least_join:
        weights = [1] * len(keys[0]) if owner.weights is None else owner.weights
        keys.append(np.asarray(weights, np.uint64))
    return keys


def sizes_of(owners: Iterable[Owner], options: Options) -> list[int]:
    """The number of samples of each list."""
    return [size for one in owners for size in options.pipeline.sizes(keys_of(one, options))]


def upload_of(owner: Owner, options: Options) -> Words:
    """The words that the owner shares."""
    pipeline = options.pipeline.showing(owner.shows)
    return pipeline.repeatable(keys_of(owner, options), bytes(KEY_BYTES))


def shares_of(owner: Owner, options: Options) -> tuple[Words, Words]:
    shares = split(upload_of(owner, options))
    return shares[Role.P0].words(), shares[Role.P1].words()


def run(study: Study, *, keep_trace: bool = False) -> Outcome:
    """One study in a session of its own, with its figures; of a covert study one of its runs."""
    parties: list[Party] = []

    def program(party: Party, *lists: Shared) -> Evaluation:
        parties.append(party)
        return evaluate(party, study.options, lists, sizes=study.sizes)

    shares = study.shares()
    committed = None
    if study.options.covert:
        part = helpers_part(study.options, [own.size for own, _ in shares], sizes=study.sizes)
        committed = {role: CommittedDealing(role, part, study.options.dealings) for role in Role}
    evaluations = run_local(
        program, *shares, limits=PATIENT, keep_trace=keep_trace, committed=committed
    )
    outcome = released(study.options, evaluations)
    parties.sort(key=lambda party: party.role)
    outcome.hops = max(party.hops for party in parties)
    outcome.bytes = sum(party.bytes_sent for party in parties)
    outcome.payload = sum(
        link.counters.bytes_sent for party in parties for link in party.links.values()
    )
    outcome.traces = [party.trace or [] for party in parties]
    outcome.phases = [party.phases for party in parties]
    return outcome


def run_all(studies: Sequence[Study]) -> list[Outcome]:
    """Many studies one after the other in one session: the threads and links are set up once."""
    shares = [one for study in studies for one in study.shares()]

    def program(party: Party, *lists: Shared) -> list[Evaluation]:
        rest = iter(lists)
        return [
            evaluate(party, study.options, [next(rest) for _ in study.owners], sizes=study.sizes)
            for study in studies
        ]

    by_role = run_local(program, *shares, limits=PATIENT)
    return [
        released(study.options, list(evaluations))
        for study, evaluations in zip(studies, zip(*by_role, strict=True), strict=True)
    ]


def checked(studies: Sequence[Study], check: Callable[[Study, dict[str, str]], int]) -> int:
    """Run studies and check the results of each; the sum of what the checks count."""
    counted = 0
    for start in range(0, len(studies), BATCH):
        batch = studies[start : start + BATCH]
        for study, outcome in zip(batch, run_all(batch), strict=True):
            counted += check(study, outcome.results)
    return counted


def released(options: Options, evaluations: Sequence[Evaluation]) -> Outcome:
    """The result that a receiver puts together from the proxies' shares."""
    p0, p1, helper = evaluations
    assert p0.refused == p1.refused == helper.refused
    assert p0.samples == p1.samples == helper.samples
    results = {}
    for text, one in zip(options.texts, options.statistics, strict=True):
        words = reconstruct(p0.results[text].words, p1.results[text].words).tolist()
        assert len(words) == one.words(options.decimals)
        value = one.decode(words, options.decimals) if p0.samples else one.value_without_samples()
        results[text] = str(value)
    return Outcome(results, p0.refused, p0.samples)


def owners_of(
    scores: Sequence[float], labels: Sequence[int], sizes: Iterable[int]
) -> tuple[Owner, ...]:
    """The pooled rows dealt out in order to owners of these sizes."""
    owners, start = [], 0
    for size in sizes:
        owners.append(Owner(scores[start : start + size], labels[start : start + size]))
        start += size
    return tuple(owners)


def interval(value: object, lower: object, upper: object) -> str:
    """The text of an interval, with a word for one that has no width."""
    return f"{value} ({lower} to {upper}{', no width' if lower == upper else ''})"
