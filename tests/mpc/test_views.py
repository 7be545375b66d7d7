"""Views reveal nothing: what a party sees is the same whatever the values.

Seen from outside, the trace of frames is identical. Seen from inside, everything that a party
holds, draws, receives and learns by opening, over many runs on two inputs that could not differ
more, is put to three tests, each party's views by themselves:

    bits   how often each bit of each word is set, between the two inputs;
    bytes  the histogram of all byte values, between the two inputs;
    pairs  how often two end bits of two successive runs are equal, be they lowest bits of bytes (in
           packed planes those of the first element) or signs: never far from half the time, so
           that nothing is masked alike, within a run or from one to the next.

Together they raise a false alarm with a probability below `FALSE_ALARM` for each case: Hoeffding's
inequality bounds every count of bits and pairs, Laurent and Massart's bounds the tail of the
chi-squared statistic, and each threshold is set for its share of the probability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import multiply, negative_part, wide_is_negative
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, share
from ppaurora.mpc.wide_shares import share_wide
from ppaurora.mpc.wide_words import plus
from ppaurora.mpc.words import Words
from tests.further import some_of
from tests.mpc.cases import Case
from tests.mpc.every_case import EVERY_CASE, outcome, run

pytestmark = pytest.mark.usefixtures("same_keys")

FALSE_ALARM = 1e-6
RUNS = 200

View = NDArray[np.uint64]
"""A row of words for each run."""

each_case = pytest.mark.parametrize("index", range(len(EVERY_CASE)), ids=map(str, EVERY_CASE))


# -- from outside ----------------------------------------------------------------------------------


@each_case
def test_the_trace_is_the_same_whatever_the_values(index: int) -> None:
    case, n = EVERY_CASE[index], 65
    drawn = outcome(index, n)
    for values in case.extremes:
        other = run(case, [case.filled(value, n) for value in values])
        assert other.traces == drawn.traces
        assert other.traces[Role.P0]


@each_case
def test_the_helper_receives_nothing_but_what_a_primitive_declares(index: int) -> None:
    got = outcome(index, 65)
    received = [moved for moved in got.traces[Role.HELPER] if not moved.sent]
    declared = EVERY_CASE[index].helper_receives
    assert {moved.kind for moved in received} == ({declared} if declared else set())
    assert got.helper_received == 8 * sum(moved.length for moved in received)


@each_case
def test_the_helper_sends_nothing_but_what_it_deals_except_in_a_shuffle(index: int) -> None:
    sent = [moved for moved in outcome(index, 65).traces[Role.HELPER] if moved.sent]
    if EVERY_CASE[index].helper_receives is not Kind.PERMUTED:
        assert {moved.kind for moved in sent} <= {Kind.DEAL}


# -- from inside -----------------------------------------------------------------------------------


class Watch:
    """From now on, everything that a party draws, receives, and learns by opening."""

    def __init__(self, party: Party) -> None:
        self._seen: list[Words] = []
        self._sent: list[Words] = []
        self._answers: list[Words] = []
        self._send, self._receive = party.send, party.receive
        party.send = self._sending  # type: ignore[method-assign]
        party.receive = self._receiving  # type: ignore[method-assign]
        party.masks = self._drawing(party.masks)  # type: ignore[method-assign]
        party.dealt = self._drawing(party.dealt)  # type: ignore[method-assign]

    def _sending(self, peer: Role, kind: Kind, words: Words) -> None:
        if kind is Kind.OPEN:
            self._sent.append(words.copy())
        self._send(peer, kind, words)

    def _receiving(self, peer: Role, kind: Kind, length: int) -> Words:
        words = self._receive(peer, kind, length)
        if kind is not Kind.DEAL:  # drawn or received, it is seen where it is asked for
            self._seen.append(words.copy())
        if kind is Kind.OPEN:
            self._answers.append(words.copy())
        return words

    def _drawing(self, draw: Callable[..., Iterator[Words]]) -> Callable[..., Iterator[Words]]:
        def recorded(*shapes: tuple[int, ...]) -> Iterator[Words]:
            for words in draw(*shapes):
                self._seen.append(words.ravel().copy())
                yield words

        return recorded

    def view(self, own: Sequence[Words]) -> Words:
        """All of it as one row, with the party's shares of the inputs; then begins anew.

        Rows of words are opened by addition, limbs of rows likewise, what is packed of bits by xor.
        """
        opened = (
            _opened(mine, theirs) for mine, theirs in zip(self._sent, self._answers, strict=True)
        )
        row = np.concatenate([*own, *self._seen, *opened, np.empty(0, np.uint64)])
        for words in (self._seen, self._sent, self._answers):
            words.clear()
        return row


def _opened(mine: Words, theirs: Words) -> Words:
    if mine.ndim == 1:
        return mine ^ theirs
    if mine.ndim == 2:
        return mine.ravel() + theirs
    return plus(mine, theirs.reshape(mine.shape)).ravel()


def views(
    call: Callable[..., object], values: Sequence[int], rows: int = 1, *, wide: bool = False
) -> list[View]:
    """The three parties' views of many runs on the same values, freshly shared each time."""

    def program(party: Party, *vectors: Shared) -> View:
        watch = Watch(party)
        runs = []
        for start in range(0, RUNS * rows, rows):
            held = [vector[start : start + rows] for vector in vectors]
            call(party, *held)
            runs.append(watch.view([vector.words.ravel() for vector in held if vector.present]))
        return np.stack(runs)

    shared = share_wide if wide else share
    return run_local(program, *(shared([value] * (RUNS * rows)) for value in values))


def bits_differ(first: View, second: View, alarm: float) -> bool:
    """True if any bit is set more often in one than in the other than chance explains.

    Both counts sum R independent bits of the same law: P(|difference| >= t) <= 2·exp(-t²/R).
    """
    runs, width = first.shape
    threshold = sqrt(runs * log(2 * 64 * width / alarm))
    counts = [
        np.unpackbits(view.view(np.uint8), axis=1).sum(0, np.int64) for view in (first, second)
    ]
    return bool(np.abs(counts[0] - counts[1]).max() >= threshold)


def bytes_differ(first: View, second: View, alarm: float) -> bool:
    """True if the two histograms of byte values differ more than chance explains.

    The statistic is chi-squared with k = 255: P(X >= k + 2·sqrt(k·x) + 2·x) <= exp(-x).
    """
    a, b = (np.bincount(view.view(np.uint8).ravel(), minlength=256) for view in (first, second))
    statistic = float((((a - b) ** 2) / np.maximum(a + b, 1)).sum())
    x = log(1 / alarm)
    return statistic >= 255 + 2 * sqrt(255 * x) + 2 * x


def end_bits(view: View) -> NDArray[np.uint8]:
    """The lowest bit of each byte and the highest of each word."""
    octets = view.view(np.uint8)
    return np.concatenate([octets & 1, octets[:, 7::8] >> 7], axis=1)


def pairs_agree(first: View, second: View, alarm: float) -> bool:
    """True if two end bits agree, or disagree, more often than chance explains.

    Each row is made of two successive runs. A sum of R signs: P(|sum| >= t) <= 2·exp(-t²/2R).
    """
    ends = [end_bits(view.reshape(len(view) // 2, -1)) for view in (first, second)]
    # padding, and what is opened by name, is the same in every run on either input
    varies = np.ptp(np.concatenate(ends), axis=0) > 0
    if not varies.any():
        return False
    for bits in ends:
        signs = 1 - 2 * bits[:, varies].astype(np.float32)
        runs, width = signs.shape
        threshold = sqrt(2 * runs * log(2 * width**2 / alarm))
        room = np.empty(256 * width, np.float32)
        for start in range(0, width, 256):
            # each of some columns with all that follow it
            some, rest = signs[:, start : start + 256].T, signs[:, start:]
            sums = room[: len(some) * rest.shape[1]].reshape(len(some), -1)
            np.matmul(some, rest, out=sums)
            np.fill_diagonal(sums, 0)
            if max(sums.max(), -sums.min()) >= threshold:
                return True
    return False


def leaks(first: View, second: View) -> list[str]:
    """The tests that see a difference between views on two inputs, or words masked alike."""
    if first.shape != second.shape:
        return ["length"]
    if first.size == 0:
        return []
    alarm = FALSE_ALARM / len(Role) / 3
    found = {
        "bits": bits_differ(first, second, alarm),
        "bytes": bytes_differ(first, second, alarm),
        "pairs": pairs_agree(first, second, alarm),
    }
    return [name for name, leak in found.items() if leak]


def assert_alike(case: Case) -> None:
    first, second = (
        views(case.call, values, case.fewest, wide=case.wide) for values in case.extremes
    )
    for role in Role:
        # two shares of an opened word fit together in every run
        allowed = {"pairs"} if case.opens_words and role is not Role.HELPER else set()
        assert set(leaks(first[role], second[role])) <= allowed, role
    assert first[Role.P0].size
    assert first[Role.P1].size


MADE_OF_OTHERS = {
    "compare_exchange",
    "divide, 1 digits, base 10",
    "divide, 2 digits, base 3",
    "divide, 3 digits, base 10, at once",
    "inner_product",
    "square",
    "truncate, 62 bits",
    "where_negative",
    "whole_quotient, 3 digits, base 10, at once",
    "wide_divide, 2 digits, base 3",
    "wide_divide_to_wide, 2 digits, base 3",
    "wide_multiply",
    "wide_root, 2 digits, base 3",
    "wide_root_to_wide, 2 digits, base 3",
}
"""Their views are put together from those of others, or from the same with another parameter."""
WEEKLY = {
    "compare_exchange, 32 bits",
    "compare_exchange_columns, 32 bits",
    "is_negative",
    "negative_part",
    "negative_parts",
    "negative_times, 32 bits",
    "negative_times, values of 32 bits",
    "whole_quotient, 3 digits, base 10",
    "wide_is_negative",
}
"""Of the same messages as another case: of another width, of fewer digits, or with products."""


def marks_of(case: Case) -> list[pytest.MarkDecorator]:
    if case.name in MADE_OF_OTHERS:
        return [pytest.mark.soak]
    return [pytest.mark.weekly] if case.name in WEEKLY else []


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, marks=marks_of(case)) for case in EVERY_CASE if not case.opens_all],
    ids=str,
)
def test_views_of_two_inputs_are_statistically_alike(case: Case) -> None:
    assert_alike(case)


def test_an_opening_shows_in_the_views() -> None:
    [case] = [case for case in EVERY_CASE if case.opens_all]
    first, second = (views(case.call, values) for values in case.extremes)
    # together with its own share, what a proxy receives makes up the value
    assert "pairs" in leaks(first[Role.P0], second[Role.P0])
    assert "pairs" in leaks(first[Role.P1], second[Role.P1])


def test_an_unmasked_word_shows_in_the_views() -> None:
    def leaky(party: Party, x: Shared) -> None:
        if party.role is Role.HELPER:
            party.step()
            return
        party.step()
        # P0 holds everything, as if nobody had shared it
        mine = x.words - x.words + np.uint64(7) if party.role is Role.P1 else x.words
        party.exchange(mine)

    def of_one_value(value: int) -> list[View]:
        return views(
            lambda party, x: leaky(party, Shared.public(party.role, [value] * len(x))), [0]
        )

    first, second = of_one_value(0), of_one_value(-1)
    assert leaks(first[Role.P1], second[Role.P1]) == ["bits", "bytes", "pairs"]


def test_a_mask_used_twice_shows_in_the_views() -> None:
    def same_masks(party: Party, x: Shared) -> None:
        if not party.is_helper:
            draw = party.masks

            def again(*shapes: tuple[int, ...]) -> Iterator[Words]:
                for words in draw(*shapes):
                    words[1:] = words[0]
                    yield words

            party.masks = again  # type: ignore[method-assign]
        multiply(party, x, x)

    first, second = (views(same_masks, [value]) for value in (0, -1))
    assert "pairs" in leaks(first[Role.P0], second[Role.P0])


def test_a_stream_read_again_in_the_next_run_shows_in_the_views() -> None:
    def rewound(party: Party, x: Shared) -> None:
        for sections in [*party._masks.values(), *party._deals.values()]:
            sections._streams.clear()
            sections._family._opened.clear()
        negative_part(party, x)

    first, second = (views(rewound, [value]) for value in (0, -1))
    assert "pairs" in leaks(first[Role.P0], second[Role.P0])
    assert "pairs" in leaks(first[Role.P1], second[Role.P1])


@pytest.mark.parametrize(
    ("compare", "section", "wide"),
    some_of(
        [(negative_part, section, False) for section in (1, 2, 3)]
        + [(wide_is_negative, section, True) for section in (1, 2, 3, 4)],
        in_ci=[(negative_part, 1, False), (negative_part, 3, False), (wide_is_negative, 2, True)],
    ),
)
def test_an_unmasked_wire_shows_in_the_views(
    compare: Callable[..., object], section: int, wide: bool
) -> None:
    def unmasked(party: Party, x: Shared) -> None:
        draw, draw_both = party.masks, party.both_masks

        def cleared(number: int, words: Words) -> Words:
            return np.zeros_like(words) if number == section else words

        party.masks = lambda *shapes: (  # type: ignore[method-assign]
            cleared(number, words) for number, words in enumerate(draw(*shapes))
        )
        party.both_masks = lambda *shapes: (  # type: ignore[method-assign]
            (cleared(number, p0), cleared(number, p1))
            for number, (p0, p1) in enumerate(draw_both(*shapes))
        )
        compare(party, x)
        party.masks, party.both_masks = draw, draw_both  # type: ignore[method-assign]

    first, second = (views(unmasked, [value], wide=wide) for value in (0, -1))
    for role in (Role.P0, Role.P1):
        assert leaks(first[role], second[role]) != []
