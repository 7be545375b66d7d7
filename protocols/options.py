"""Options of a study: statistics, decimals, and the choice among interchangeable protocols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from ppaurora.mpc.committed import FEWEST_DEALINGS, MOST_DEALINGS
from ppaurora.protocols.analyses.analysis import analyses
from ppaurora.protocols.arithmetic.rounding import decimal
from ppaurora.protocols.errors import OptionRefused
from ppaurora.protocols.grid.cuts import AtCutPoints, Cutting, HeldByLeastCell
from ppaurora.protocols.grid.least_cell import LEAST_CELL
from ppaurora.protocols.grid.time_grid import TimeGrid
from ppaurora.protocols.lists.folds import TEXT, NotCanonical, canonical
from ppaurora.protocols.lists.own_value import ShowsOwnValues
from ppaurora.protocols.lists.scale import ANY, DIRECTIONS, MOST_CELLS, Resolution, Scale
from ppaurora.protocols.lists.tags import Side
from ppaurora.protocols.option import OptionSet, option
from ppaurora.protocols.pipelines.classes import FEWEST_CLASSES, MOST_CLASSES
from ppaurora.protocols.pipelines.folds import FOLD, TIES
from ppaurora.protocols.pipelines.groups import ByGroup
from ppaurora.protocols.pipelines.histogram import Histogram
from ppaurora.protocols.pipelines.joined import OF_SIDES, Joined
from ppaurora.protocols.pipelines.models import MOST_MODELS
from ppaurora.protocols.pipelines.pipeline import MOST_FOLDS, Inputs, Pipeline
from ppaurora.protocols.pipelines.together import Together
from ppaurora.protocols.pipelines.weighted import LARGEST_WEIGHT, WEIGHTED_KINDS
from ppaurora.protocols.ranking.ties import WAYS
from ppaurora.protocols.release.privacy import Privacy
from ppaurora.protocols.sorting import SORTS
from ppaurora.protocols.sorting.auto import AutoSort
from ppaurora.protocols.sorting.sort import USUAL, Conditions
from ppaurora.protocols.statistics.auroc_groups_equal import EqualAreas
from ppaurora.protocols.statistics.between_groups import BetweenGroups, GroupDifference
from ppaurora.protocols.statistics.every_label import FromEveryLabel
from ppaurora.protocols.statistics.in_group import SIGN, InGroup
from ppaurora.protocols.statistics.of_classes import OfClasses
from ppaurora.protocols.statistics.of_models import FIRST_MODEL, OfModels
from ppaurora.protocols.statistics.of_times import OfTimes
from ppaurora.protocols.statistics.registry import AnyStatistic, statistic, statistics
from ppaurora.protocols.statistics.samples_dp import NoisySamples

MOST_DECIMALS = 15
SORTED, COUNTED, EITHER = "sorted", "counted", "auto"
FEW_CELLS = 1 << 11
"""So many cells cost less than a sort of a few thousand samples."""
MOST_GROUPS, LONGEST_GROUP = 20, 40
UNWEIGHTED = "Leave it out, or say how large a weight may be (weights.most)."
SEMI_HONEST = "semi-honest"
COVERT = "covert"
ONLY_DEALING = "network"
"""The sort that can be checked, of those which `auto` chooses from."""
USUAL_METRICS = ("auroc",)
ONE_SIDE = (Side.SCORES.word, Side.LABELS.word)
UNSORTED = "Leave it out: nothing is sorted for these metrics."


def _sorts(options: Options) -> bool:
    return any(kind.sorts for kind in options.parts)


def _decimals(options: Options) -> bool:
    return options.scale.kind is Resolution.DECIMALS


def _weighted(options: Options) -> bool:
    return options.weighted


def _one_side(title: str, kind: str, *, flag: str) -> Any:
    """An option that says which lists have a column, where lists are joined."""

    def applies(options: Options) -> bool:
        asked = {"folds": options.folds, "groups": options.groups, "weights": options.weighted}
        # what is said before groups are found in the lists of a simulation is kept
        said = getattr(options, f"{kind}_from") != ONE_SIDE[0]
        return said or bool(options.least_join and asked[kind])

    return option(
        ONE_SIDE[0],
        f"{title}, where lists are joined",
        table=kind,
        key="from",
        flag=flag,
        choices=ONE_SIDE,
        detail="those that hold scores or those that hold labels; those with both have it, too",
        applies=applies,
    )


def _covert(options: Options) -> bool:
    return options.covert


@dataclass(frozen=True, kw_only=True)
class Options(OptionSet):
    """The choices that all parties must share; checked when made.

    - `analysis`: the question, whose statistics are the metrics if none are named.
    - `metrics`: the statistics, `name` or `name:key=value,...`, in the order of the results; those
      of the analysis, or the AUROC, if none are named.
    - `decimals`: how many are released, correctly rounded (half up).
    - `merge`: the sort: `auto` is `network` or `shuffled`, by the sizes and the conditions;
      `network` opens nothing; `shuffled` opens comparisons of elements that nobody can tell apart,
      in few hops; `delta` is the paper's merge with the odd parameter `delta`, which opens
      comparisons for `delta` > 1 (see the ledger).
    - `ties`: `compare` leaks nothing; `helper` shows the helper the number of ties plus dummies.
    - `resolution` and `range`: what a score may be (`ppaurora.protocols.lists.scale`).
    - `table`: from what statistics of the curve are computed where scores have few decimals:
      `sorted` scores, or scores that were `counted`, a cell for each; `auto` counts few of them.
      Binned scores always are counted, others always sorted.
    - `least_cell`: at least so many samples of each class lie between any two cuts at which
      something is released: at thresholds in every owner's eyes
      (`ppaurora.protocols.grid.least_cell`), at ranks and rates in those of all together
      (`ppaurora.protocols.grid.hidden_cuts`).
    - `direction`: which scores speak for the positive class, `higher` or `lower`. A sample is
      called positive at a threshold if its score is that or higher, or that or lower.
    - `conditions`: the network between the servers, for `auto`; of a session, not of a study.
    - `against`: the columns of the other models' scores of the same samples, where metrics compare
      models; metrics of one score are of the first.
    - `classes`: the names of several classes, of which each sample is in one, where metrics are of
      several; metrics of two classes are of the first one against the rest.
    - `folds`: how many folds cross-validation has, of each of which a list is uploaded; 0 of none.
      Where lists are joined, the folds are those of the lists of `folds_from`.
    - `least_join`: where scores and labels are at different owners and joined by identifiers, the
      fewest joined rows of which there is a number; 0 where each row has both.
    - `groups`: the public categories of the samples, such as the two sexes, of each of which all
      metrics are released as well. Where lists are joined, lists of `groups_from` have the column,
      those of scores or those of labels, and lists with both.
    - `most_weight`: the largest weight of a sample, where samples count with weights; 0 where each
      counts once. Weights are multiples of `weight_step`, and where lists are joined in the lists
      of `weights_from`.
    - `time_edges`, or `time_width` and `time_horizon`, and `times_apart`: the public grid of times,
      for metrics of times to an event (`ppaurora.protocols.grid.time_grid`).
    - `assurance`: `semi-honest` computes once; `covert` three times with rotated roles, where of
      `dealings` committed dealings all but one are opened, and only equal results are accepted.

    >>> Options(metrics=("auroc", "aupr"), decimals=6).statistics[1].title
    'area under the precision-recall curve, by trapezoids'
    """

    analysis: str = option(
        "",
        "the question that the statistics answer",
        table="metrics",
        choices=("", *analyses()),
        detail="; ".join(f"{name}: {one.title}" for name, one in analyses().items()),
        applies=lambda options: bool(options.analysis),
    )
    metrics: tuple[str, ...] = option(
        (),
        "the statistics to release",
        table="metrics",
        key="names",
        flag="metric",
        detail="those that `ppaurora statistics` lists, such as auroc or auroc_ci:level=0.9",
        offered=statistics,
    )
    decimals: int = option(
        4,
        "decimals that are released, correctly rounded",
        table="metrics",
        least=1,
        most=MOST_DECIMALS,
    )
    resolution: str = option(
        Resolution.FULL.value,
        "what a score may be",
        table="scores",
        detail="full: any double; float32: what a float32 can say; decimals:D: at most D decimals; "
        "bins:M: any double, counted in M bins of equal width",
    )
    range: tuple[float | str, ...] = option(
        (0, 1),
        "the numbers between which scores lie",
        table="scores",
        detail='two numbers, as in 0,20; or "any", for the resolutions full and float32',
        joined=",",
        words=(ANY,),
    )
    direction: str = option(
        "higher",
        "whether higher or lower scores mean positive",
        table="scores",
        choices=DIRECTIONS,
    )
    against: tuple[str, ...] = option(
        (),
        "the columns of the scores of other models for the same samples, where metrics compare "
        "models; metrics of one score are of the first",
        table="scores",
        detail="a column of all lists, of at most 15 other models",
        applies=lambda options: bool(options.against),
    )
    classes: tuple[str, ...] = option(
        (),
        "the names of several classes, of each of which samples have a score; the first one is the "
        "positive class of metrics of two",
        table="classes",
        key="names",
        flag="class-name",
        detail="a value of the column that --class-by names; but for the first, the scores of a "
        "class are in the column of its name",
        applies=lambda options: bool(options.classes),
    )
    table: str = option(
        EITHER,
        "from what statistics of the curve are computed where scores have few decimals",
        table="protocol",
        choices=(EITHER, SORTED, COUNTED),
        detail="sorted: from all scores in order; counted: from how many samples have each score, "
        "for any number of samples; auto: counted where there are at most 2048 scores and all "
        "metrics can be computed so",
        applies=_decimals,
        without=f'Leave it out, or take resolution = "{Resolution.DECIMALS}:...".',
    )
    least_cell: int = option(
        LEAST_CELL,
        "fewest samples of each class between two cuts that are released",
        table="release",
        detail="a threshold, rank or rate with fewer beside it is withheld; 1: none is",
        least=1,
    )
    merge: str = option(
        "auto",
        "how lists are merged",
        table="protocol",
        choices=SORTS,
        detail="; ".join(f"{name}: {sort.title}" for name, sort in SORTS.items()),
        applies=_sorts,
        without=UNSORTED,
    )
    delta: int = option(
        1,
        'the odd parameter of the merge "delta"; more than 1 opens comparisons',
        table="protocol",
        least=1,
        applies=_sorts,
        without=UNSORTED,
    )
    ties: str = option(
        "compare",
        "how ties are found",
        table="protocol",
        choices=WAYS,
        detail="compare: nobody learns of them; helper: the helper sees their number, hidden among "
        "dummies",
        applies=_sorts,
        without=UNSORTED,
    )
    folds: int = option(
        0,
        "folds of a cross-validation, for the metrics that end in _folds",
        table="folds",
        key="count",
        least=0,
        applies=lambda options: bool(options.folds),
    )
    folds_from: str = _one_side(
        "the lists whose identifiers say the folds", "folds", flag="fold-from"
    )
    least_join: int = option(
        0,
        "fewest joined rows of which there is a number, where lists are joined by identifiers",
        table="join",
        key="least",
        detail="fewer look like none; 0: each row has a score and a label",
        least=0,
        applies=lambda options: bool(options.least_join),
    )
    groups: tuple[str, ...] = option(
        (),
        "the groups of samples, of each of which every metric is released beside that of all",
        table="groups",
        key="values",
        flag="group",
        detail="a value of the column that --group-by names, as lists write it",
        applies=lambda options: bool(options.groups),
    )
    groups_from: str = _one_side(
        "the lists that have the column of groups", "groups", flag="group-from"
    )
    most_weight: float = option(
        0.0,
        "the largest weight of a sample, a multiple of the step",
        table="weights",
        key="most",
        flag="weight-most",
        least=0,
        applies=_weighted,
    )
    weight_step: float = option(
        1.0,
        "the number of which every weight is a multiple",
        table="weights",
        key="step",
        flag="weight-step",
        detail="1, or a decimal such as 0.01; weights that are no multiples are refused",
        above=0,
        applies=_weighted,
        without=UNWEIGHTED,
    )
    weights_from: str = _one_side(
        "the lists that have the column of weights", "weights", flag="weight-from"
    )
    time_edges: tuple[str, ...] = option(
        (),
        "the ends of the cells of a public grid of times, of which the last is the horizon",
        table="times",
        key="edges",
        detail="30/90/365: at most 30, more than 30 and at most 90, ...; the metrics of times are "
        "of these cells",
        joined="/",
        applies=lambda options: bool(options.time_edges),
    )
    time_width: str = option(
        "",
        "the width of the cells of times, instead of their ends",
        table="times",
        key="width",
        applies=lambda options: bool(options.time_width),
    )
    time_horizon: str = option(
        "",
        "the last of the ends of cells of this width; what comes later is not uploaded",
        table="times",
        key="horizon",
        applies=lambda options: bool(options.time_horizon),
    )
    times_apart: bool = option(
        False,
        "there are no times between the ends of cells, so that the grid holds each time apart",
        table="times",
        key="apart",
        applies=lambda options: options.times_apart,
    )
    assurance: str = option(
        SEMI_HONEST,
        "what holds where one server computes wrongly",
        table="protocol",
        choices=(SEMI_HONEST, COVERT),
        detail="semi-honest: nothing, it is computed once; covert: it is computed three times with "
        "rotated roles, and only equal results are accepted",
    )
    dealings: int = option(
        4,
        "dealings committed in each of three runs, of which all but one are opened",
        table="protocol",
        least=FEWEST_DEALINGS,
        most=MOST_DEALINGS,
        detail="of K dealings, a server that deals wrongly escapes with probability 1/K",
        applies=_covert,
        without=f'Leave them out, or choose assurance = "{COVERT}".',
    )
    conditions: Conditions = USUAL

    def complete(self) -> None:
        """Take the statistics of the analysis where none are named, and names without blanks."""
        object.__setattr__(self, "against", tuple(name.strip() for name in self.against))
        if not self.metrics:
            of = analyses().get(self.analysis)
            found: tuple[str, ...] = USUAL_METRICS
            if of:
                for_study = of.over_join if self.least_join else of.metrics
                found = for_study(self.scale, self.models)
            object.__setattr__(self, "metrics", found)

    def check(self) -> None:
        """Refuse choices of which one undoes the other, or which nothing is computed by."""
        if self.table == COUNTED and self.scale.top >= MOST_CELLS:
            raise OptionRefused(
                "table",
                f'is "{COUNTED}", and there are {self.scale.top + 1} scores of '
                f"{self.scale.number} decimals, more than {MOST_CELLS} cells",
                advice=f'Take table = "{SORTED}", or fewer decimals.',
            )
        self._refuse_other_models()
        self._refuse_other_classes()
        self._refuse_other_weights()
        _refuse_repeated(self.metrics, self.asked)
        self._refuse_other_groups()
        self._refuse_other_times()
        self._refuse_every_cell()
        self._refuse_exact_beside_noisy()
        self._refuse_other_folds()
        self._refuse_other_least_classes()
        self._refuse_beside_joins()
        self._refuse_what_undoes_privacy(self.pipeline)
        if self.covert:
            self._refuse_what_cannot_be_recomputed()

    def _refuse_every_cell(self) -> None:
        """Refuse to release every label beside a least cell, which would say otherwise."""
        each = [one.text for one in self.statistics if isinstance(one, FromEveryLabel)]
        if each and self.least_cell > 1:
            raise OptionRefused(
                "least_cell",
                f"is {self.least_cell}, and {' and '.join(each)} would tell every label",
                advice="Leave such metrics out, or say least_cell = 1, so that everybody sees it.",
            )

    def _refuse_other_folds(self) -> None:
        """Statistics of folds need them, and others cannot be computed from them."""
        if self.folds and not 2 <= self.folds <= MOST_FOLDS:
            raise OptionRefused("folds", f"must be a whole number from 2 to {MOST_FOLDS}")
        folded = FOLD in self.pipeline.columns
        if folded and not self.folds:
            raise OptionRefused(
                "folds",
                "are missing: a metric is the mean over folds",
                advice="Say how many, and by which column (`study new` and `simulate`: "
                "--folds K --fold-by COLUMN).",
            )
        if self.folds and not folded:
            raise OptionRefused(
                "folds",
                "are made, but no metric is the mean over them",
                advice=f"Ask for {', '.join(_names_of_folds())}, or the analysis "
                "cross-validation, or leave the folds out.",
            )

    def _refuse_other_least_classes(self) -> None:
        """Refuse own values of several least classes, which would tell a hospital's in between."""
        shown = [one for one in self.asked if isinstance(one, ShowsOwnValues)]
        if len({one.own_value.least_class for one in shown}) > 1:
            raise OptionRefused(
                "metrics",
                f"ask for {' and '.join(one.text for one in shown)}: a hospital that one of them "
                "names and another does not has class counts in between",
                advice="Take the same least_class for all.",
            )

    def _refuse_other_models(self) -> None:
        """Refuse columns of scores that cannot be told apart, and too many of them."""
        if self.models > MOST_MODELS:
            raise OptionRefused("against", f"must be at most {MOST_MODELS - 1} columns")
        names = [FIRST_MODEL, *self.against]
        if not all(self.against) or len(set(names)) < len(names):
            raise OptionRefused(
                "against",
                f'must be different names of columns, and "{FIRST_MODEL}" is that of the first '
                "model here, whatever lists call it",
            )

    def _refuse_other_classes(self) -> None:
        """Refuse classes that cannot be told apart, or that no metric is of, or the reverse."""
        needed = any(isinstance(one, OfClasses) for one in self.asked)
        if needed and not self.classes:
            raise OptionRefused(
                "classes",
                "are missing: a metric is of several classes",
                advice="Name each of them, and the column that says which one a sample is in "
                "(`study new` and `simulate`: --class-name NAME for each, --class-by COLUMN).",
            )
        if self.classes and not needed:
            raise OptionRefused(
                "classes",
                "are named, but no metric is of several classes",
                advice="Ask for auroc_classes or auroc_multiclass, or leave them out.",
            )
        if not self.classes:
            return
        if not FEWEST_CLASSES <= len(self.classes) <= MOST_CLASSES:
            raise OptionRefused(
                "classes",
                f"must be {FEWEST_CLASSES} to {MOST_CLASSES}",
                advice="Two classes are the positive and the negative label: leave them out.",
            )
        if not told_apart(self.classes):
            raise OptionRefused(
                "classes",
                f"must be different words of at most {LONGEST_GROUP} letters; case and blanks at "
                "the ends make no difference",
            )

    def _refuse_beside_joins(self) -> None:
        """Refuse what is not known to hold for rows of which nobody knows how many there are."""
        if not self.least_join:
            return
        if self.scale.kind is Resolution.BINS or self.table == COUNTED:
            raise OptionRefused(
                "least_join",
                "joins lists row by row, and the study counts scores in cells",
                advice='Take a resolution of "full", "float32" or "decimals:...", with table = '
                f'"{SORTED}".',
            )
        if self.covert:
            raise OptionRefused(
                "assurance",
                f'is "{COVERT}", which is not made for lists that are joined',
                advice=f'Take assurance = "{SEMI_HONEST}".',
            )

    @property
    def _says_times(self) -> bool:
        return bool(self.time_edges or self.time_width or self.time_horizon or self.times_apart)

    @cached_property
    def times(self) -> TimeGrid:
        """The grid of times, of a study that has one."""
        if not self._says_times:
            raise OptionRefused(
                "time_edges",
                "are missing: a metric is of times to an event, on a public grid of times",
                advice="Name its edges (--time-edges 30/90/365), or say a width and a horizon "
                "(--time-width 30 --time-horizon 3600), in the unit of the lists' times.",
            )
        return TimeGrid.of(
            self.time_edges, self.time_width, self.time_horizon, apart=self.times_apart
        )

    def _refuse_other_times(self) -> None:
        """Refuse a grid of times that no statistic is of."""
        if self._says_times and not any(isinstance(one, OfTimes) for one in self.asked):
            raise OptionRefused(
                "time_edges",
                "or another option of times is there, and no metric is of times to an event",
                advice="Ask for c_index, or the analysis survival, or leave it out.",
            )

    def _refuse_other_groups(self) -> None:
        """Refuse groups that cannot be told apart, and statistics that none of them has."""
        if not self.groups:
            if not self.analysis:
                # those of an analysis may be found in the lists, for a simulation
                self.check_compared()
            return
        if not 2 <= len(self.groups) <= MOST_GROUPS:
            raise OptionRefused("groups", f"must be 2 to {MOST_GROUPS}")
        if not told_apart(self.groups):
            raise OptionRefused(
                "groups",
                f"must be different words of at most {LONGEST_GROUP} letters, without {SIGN}; case "
                "and blanks at the ends make no difference",
            )
        if self.ties != TIES and any(kind.sorts for kind in self.parts):
            raise OptionRefused(
                "ties",
                f'is "{self.ties}", which tells of every group by itself, and groups are small',
                advice=f'Take ties = "{TIES}" in a study of groups.',
            )
        wrong = [
            one.text
            for one in self.asked
            if not one.pipeline.of_groups or one.privacy(self.decimals) is not None
        ]
        if wrong:
            raise OptionRefused(
                "groups",
                f"are made, and {' and '.join(wrong)} cannot be released by group: folds, sites "
                "and noise are of all samples",
                advice="Leave them out, or make a study for each.",
            )

    def check_compared(self) -> None:
        """Refuse statistics that compare groups where there are none."""
        comparing = [one.text for one in self.asked if one.compares_groups]
        if comparing and not self.groups:
            raise OptionRefused(
                "metrics",
                f"ask for {' and '.join(comparing)}, and the study has no groups",
                advice="Say by which column and for which values (`study new` and `simulate`: "
                "--group-by COLUMN --group VALUE --group VALUE), or leave it out.",
            )

    @property
    def models(self) -> int:
        """The number of models whose scores each sample has."""
        return 1 + len(self.against)

    def _refuse_other_weights(self) -> None:
        """Refuse weights that are no whole numbers of steps, and what is not of weighted lists."""
        if not self.weighted:
            return
        steps = _exactly(self.most_weight) / _exactly(self.weight_step)
        if steps.denominator > 1 or steps > LARGEST_WEIGHT:
            raise OptionRefused(
                "most_weight",
                f"is {self.most_weight:g}, which is not a whole number of steps of "
                f"{self.weight_step:g}, at most {LARGEST_WEIGHT}",
                advice="Say a multiple of weights.step, or a larger step.",
            )
        if self.scale.kind is Resolution.BINS or self.table == COUNTED:
            raise OptionRefused(
                "most_weight",
                "is said, and scores are counted in cells: samples with weights are sorted",
                advice='Take a resolution of "full", "float32" or "decimals:...", with '
                'table = "sorted"; or make a study without weights.',
            )
        if self.folds or (self.groups and not self.least_join):
            raise OptionRefused(
                "most_weight",
                "is said, and the study has groups or folds, which are of samples without weights "
                "but for groups of joined rows",
                advice="Make a study for each.",
            )

    @cached_property
    def privacy(self) -> Privacy | None:
        """The privacy loss of all numbers together, if they are differentially private."""
        costs = [statistic.privacy(self.decimals) for statistic in self.statistics]
        return Privacy.together(cost for cost in costs if cost) if any(costs) else None

    @property
    def exact(self) -> tuple[str, ...]:
        """The texts of the numbers that have no noise."""
        named = zip(self.texts, self.statistics, strict=True)
        return tuple(text for text, one in named if one.privacy(self.decimals) is None)

    def _refuse_exact_beside_noisy(self) -> None:
        """Refuse an exact number of the same lists, which would undo the protection by noise.

        The number of joined rows may stand beside exact ones: these tell it roughly at most.
        """
        noisy = [one for one in self.statistics if one.privacy(self.decimals) is not None]
        if self.least_join and all(isinstance(one, NoisySamples) for one in noisy):
            return
        if self.exact and noisy:
            raise OptionRefused(
                "metrics",
                "ask for differentially private numbers beside exact ones "
                f"({', '.join(self.exact)})",
                advice="Of the same lists release either the ones or the others.",
            )

    def _refuse_what_undoes_privacy(self, pipeline: Pipeline[Any, Any]) -> None:
        """Refuse a choice by which a server learns anything about the lists of a noisy number."""
        every = {*pipeline.proxies_learn(), *pipeline.helper_learns(2, self.inputs)}
        # sizes are public, by what rows hold as well
        learned = every - {OF_SIDES}
        if self.privacy is not None and learned:
            raise OptionRefused(
                "metrics",
                "are differentially private, and the servers would learn about the lists",
                advice='Take merge = "network" and ties = "compare".',
            )

    def _refuse_what_cannot_be_recomputed(self) -> None:
        """A dealing is checked by computing it again, and a result by comparing three of it."""
        if self.privacy is not None:
            raise OptionRefused(
                "assurance",
                f'is "{COVERT}", and the numbers have noise, which each of its three runs would '
                "draw for itself",
                advice="Ask for exact numbers, or leave the assurance out.",
            )
        if not self.pipeline.helper_only_deals():
            raise OptionRefused(
                "assurance",
                f'is "{COVERT}", and the helper of this computation is sent more than the verdicts '
                "on the lists: what it deals cannot be recomputed",
                advice='Take merge = "network", ties = "compare", and no metric that compares '
                "models; or leave the assurance out.",
            )

    @property
    def covert(self) -> bool:
        """True if cheating by a server is noticed before a wrong number is released."""
        return self.assurance == COVERT

    @property
    def sort(self) -> str:
        """The name of the sort; of what `auto` chooses from, a covert study can have one only."""
        return ONLY_DEALING if self.covert and self.merge == AutoSort.name else self.merge

    @cached_property
    def statistics(self) -> tuple[AnyStatistic, ...]:
        """The statistics that are released, each of all samples and then of each group.

        Or, if they compare groups, of each pair of them.
        """
        return tuple(one for asked in self.asked for one in self._released(asked))

    def _released(self, asked: AnyStatistic) -> tuple[AnyStatistic, ...]:
        """The statistics that are released of one that is asked for."""
        if isinstance(asked, GroupDifference):
            return tuple(BetweenGroups(asked, *pair) for pair in asked.pairs_of(self.groups))
        return (asked, *(InGroup(asked, group) for group in self._groups_of(asked)))

    def _groups_of(self, asked: AnyStatistic) -> tuple[str, ...]:
        """The groups of each of which a statistic is released."""
        return self.groups if asked.by_group else ()

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts by which the results of `statistics` are called."""
        return tuple(
            SIGN.join([text, *filter(None, () if isinstance(one, EqualAreas) else one.groups)])
            for text, asked in zip(self.metrics, self.asked, strict=True)
            for one in self._released(asked)
        )

    @cached_property
    def asked(self) -> tuple[AnyStatistic, ...]:
        """The statistics of all samples, in the order in which they were asked for."""
        return tuple(self._in_study(self._program(statistic(text))) for text in self.metrics)

    def _in_study(self, asked: AnyStatistic) -> AnyStatistic:
        """A statistic with this study's cut points, or with its models."""
        if isinstance(asked, HeldByLeastCell):
            return asked.in_study(
                AtCutPoints(self.scale, self.least_cell, self.unit, bool(self.least_join))
            )
        if isinstance(asked, EqualAreas) and self.groups:
            return asked.in_study(self.groups)
        if isinstance(asked, OfClasses) and self.classes:
            return asked.in_study(self.classes)
        if isinstance(asked, OfModels) and self.against:
            return asked.in_study((FIRST_MODEL, *self.against))
        return asked

    @cached_property
    def scale(self) -> Scale:
        """The scores that there may be, and which of them mean positive."""
        return Scale.of(self.resolution, self.range, self.direction)

    @cached_property
    def counted(self) -> bool:
        """True if statistics of the curve are computed from cells, and not from sorted scores."""
        match self.scale.kind:
            case Resolution.BINS:
                return True
            case Resolution.DECIMALS if self.weighted:
                return self.table == COUNTED
            case Resolution.DECIMALS if self.table == EITHER:
                asked = map(statistic, self.metrics)
                few = self.scale.top < FEW_CELLS and not self.least_join
                return few and all(one.cells or not one.pipeline.sorts for one in asked)
            case _:
                return self.table == COUNTED

    @property
    def with_table(self) -> Options:
        """The options with the table that is used, where `table` leaves the choice open."""
        if self.scale.kind is not Resolution.DECIMALS or self.table != EITHER:
            return self
        return replace(self, table=COUNTED if self.counted else SORTED)

    def _program(self, asked: AnyStatistic) -> AnyStatistic:
        """The program of a statistic for the table of this study."""
        asked.check_scale(self.scale)
        self._refuse_thresholds_beyond(asked)
        if self.least_join:
            if self.weighted:
                asked.over_weights()
            return asked.over_join()
        if self.weighted:
            return asked.over_weights()
        if isinstance(asked, OfTimes):
            return asked.on_grid(self.times, self.scale, self.least_cell)
        if self.counted:
            if not asked.pipeline.sorts:
                return asked
            return asked.over_cells(certain=self.scale.kind is not Resolution.BINS)
        if asked.pipeline is Histogram:
            raise OptionRefused(
                "metrics",
                f"asks for {asked.text}, which is computed from bins of the scores, in a study "
                f'whose resolution is "{self.resolution}"',
                advice='Leave it out, or take a resolution of bins, such as "bins:4096".',
            )
        return asked

    def _refuse_thresholds_beyond(self, asked: AnyStatistic) -> None:
        """Refuse thresholds at which all samples, or none, would be called positive."""
        low, high = self.scale.low, self.scale.high
        if not isinstance(asked, Cutting) or low is None or high is None:
            return
        beyond = [decimal(at) for at in asked.named if not low <= at <= high]
        if beyond:
            raise OptionRefused(
                "metrics",
                f"asks for {asked.text}, and {' and '.join(beyond)} is not within the scores' "
                f"range, from {decimal(low)} to {decimal(high)}",
                advice="Thresholds are scores, in the owners' own units; see range.",
            )

    @cached_property
    def parts(self) -> tuple[type[Pipeline[Any, Any]], ...]:
        """The pipelines that have a part in each upload, those that sort first."""
        if self.least_join:
            return (Joined,)
        kinds = {statistic.pipeline for statistic in self.statistics}
        if self.weighted:
            kinds = {WEIGHTED_KINDS[kind] for kind in kinds}
        fed = {other for kind in kinds for other in kind.feeds}
        parts = sorted(kinds - fed, key=lambda kind: (not kind.sorts, kind.name))
        lists = [kind for kind in parts if kind.sorts]
        if len(parts) > 1 and any(kind.alone for kind in parts):
            others = [one.text for one in self.statistics if not one.pipeline.alone]
            raise OptionRefused(
                "metrics",
                f"are of times to an event, and {' and '.join(others)} of labels alone: what comes "
                "behind the horizon is no event, and would be told by the difference",
                advice="Make a study for each.",
            )
        if len(lists) > 1 or len({kind.folded for kind in parts}) > 1:
            listing = ", ".join(
                f"{statistic.text}: {statistic.pipeline.name}" for statistic in self.statistics
            )
            raise OptionRefused(
                "metrics",
                f"are of lists of different kinds ({listing}): scores of different models, as "
                "folds have them, or of lists in another order have no number together",
                advice="Make a study for each.",
            )
        return tuple(parts)

    @cached_property
    def pipeline(self) -> Pipeline[Any, Any]:
        """The source of all that the statistics are computed from, with this study's choices."""
        parts: list[Pipeline[Any, Any]] = [kind.of(self) for kind in self.parts]
        if self.groups and not self.least_join:
            parts = [ByGroup(part, self.groups) for part in parts]
        return parts[0] if len(parts) == 1 else Together(tuple(parts))

    @property
    def weighted(self) -> bool:
        """True if samples count with weights."""
        return self.most_weight > 0

    @cached_property
    def unit(self) -> Fraction | None:
        """The step of weights, as exact as it is written; None where every sample counts once."""
        return _exactly(self.weight_step) if self.weighted else None

    @property
    def largest_weight(self) -> int:
        """The most steps that a sample may count, 1 where every sample counts once."""
        return int(_exactly(self.most_weight) / _exactly(self.weight_step)) if self.weighted else 1

    def decided(self, sizes: Sequence[int]) -> Options:
        """The options with the sort for lists of these sizes, where `merge` leaves it open.

        >>> Options().decided([1000] * 8).merge
        'shuffled'
        """
        merge = self.pipeline.merge(sizes)
        return self if merge is None else replace(self, merge=merge)

    @cached_property
    def inputs(self) -> Inputs:
        """The inputs that the statistics together ask of the pipeline."""
        return frozenset().union(*(statistic.inputs for statistic in self.statistics))


def told_apart(names: Sequence[str]) -> bool:
    """True if all names can be shown, and differ in more than case and blanks at the ends."""
    try:
        plain = {canonical(name, TEXT) for name in names}
    except NotCanonical:
        return False
    fine = (SIGN not in one and one.isprintable() and len(one) <= LONGEST_GROUP for one in names)
    return len(plain) == len(names) and all(fine)


def _exactly(number: float) -> Fraction:
    """The decimal fraction that a number is written as."""
    return Fraction(repr(number))


def _names_of_folds() -> list[str]:
    return [name for name, one in statistics().items() if FOLD in one.pipeline.columns]


def _refuse_repeated(texts: Sequence[str], asked: Sequence[AnyStatistic]) -> None:
    first: dict[AnyStatistic, str] = {}
    for text, one in zip(texts, asked, strict=True):
        if one in first:
            same = first[one]
            what = "names a metric twice" if same == text else f'means the same by "{same}"'
            raise OptionRefused("metrics", f'{what}: "{text}"', advice="Leave one of them out.")
        first[one] = text
