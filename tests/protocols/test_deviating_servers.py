"""The view of a server that sends anything it likes in a whole computation, and attacks.

With `merge = "network"` and `ties = "compare"` the verdicts on lists are all that is opened. What a
deviating proxy holds and receives besides is alike for all data; the helper receives the verdicts
and nothing else. Other options open more, and what they open can be turned: these attacks work, and
the ledger of such a study makes no claim.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.cost import costs
from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.link import Kind, Limits
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives.placed_comparison import ToldOrder
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared, share
from ppaurora.mpc.words import Words
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.lists import same_rows as lists_of_rows
from ppaurora.protocols.lists import verdicts as verdicts_module
from ppaurora.protocols.lists.same_rows import same_rows, words_of
from ppaurora.protocols.lists.verdicts import Verdicts
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking import ties
from ppaurora.protocols.sorting import SORTS
from tests.mpc.test_deviations import DEVIATIONS, Deviant, break_message
from tests.mpc.test_views import FALSE_ALARM, View, bits_differ, bytes_differ
from tests.protocols.studies import Owner, Study

SCORES = ([0.1, 0.5, 0.9], [0.5, 0.7])
DATA = (
    # a perfect ranking, and one class only, all tied
    tuple(Owner(scores, [int(score > 0.4) for score in scores]) for scores in SCORES),
    tuple(Owner([0.5] * len(scores), [0] * len(scores)) for scores in SCORES),
)
STUDIES = {
    "network": Options(metrics=("auroc", "average_precision"), decimals=3, merge="network"),
    "delta 1": Options(metrics=("auroc",), decimals=3, merge="delta", delta=1),
    "grid": Options(metrics=("auroc", "brier"), decimals=3, resolution="bins:4"),
}
VIEWED = {
    **STUDIES,
    "network of one decimal": replace(STUDIES["network"], metrics=("auroc",), decimals=1),
    "grid of one decimal": replace(STUDIES["grid"], decimals=1),
}


# -- claimed ---------------------------------------------------------------------------------------


def views(options: Options, of: tuple[Owner, ...], attacker: Role, how: str, runs: int) -> View:
    """All that the attacker draws and receives in whole computations after the verdicts."""
    study = Study(of, options)
    shares = [one for _ in range(runs) for one in study.shares()]
    sizes = [len(owner.scores) for owner in of]
    sound = Verdicts(dict.fromkeys(range(len(of)), True))

    def program(party: Party, *lists: Shared) -> View | None:
        rows = []
        for start in range(0, len(lists), len(of)):
            own = lists[start : start + len(of)]
            evaluate(party, options, own, sizes=sizes, verdicts=sound)
            if party.role is attacker:
                deviant.let_go(party)
                rows.append(deviant.view([one.words for one in own if one.present]))
        return np.stack(rows) if rows else None

    with pytest.MonkeyPatch.context() as patch:
        deviant = Deviant(patch, attacker, how)
        view: View = run_local(program, *shares)[attacker]
    return view


def check(name: str, how: str, runs: int) -> None:
    for attacker in Role:
        # there is nothing to count in the helper's
        seen = runs if attacker is not Role.HELPER else 2
        first, second = (views(VIEWED[name], of, attacker, how, seen) for of in DATA)
        if attacker is Role.HELPER:
            assert first.size == second.size == 0, "the helper is sent nothing"
        else:
            assert first.shape == second.shape
            alarm = FALSE_ALARM / len(Role) / 2
            assert not bits_differ(first, second, alarm), (attacker, how)
            assert not bytes_differ(first, second, alarm), (attacker, how)


@pytest.mark.usefixtures("same_keys")
@pytest.mark.parametrize(
    ("name", "how"),
    [
        pytest.param("network", "adds words of its choice", marks=pytest.mark.weekly),
        ("network of one decimal", "waits and cancels what it received"),
        ("delta 1", "adds words of its choice"),
        pytest.param("grid", "waits and cancels what it received", marks=pytest.mark.weekly),
        ("grid of one decimal", "waits and cancels what it received"),
    ],
)
def test_after_the_verdicts_a_deviating_server_sees_nothing_of_the_lists(
    name: str, how: str
) -> None:
    check(name, how, runs=34)


@pytest.mark.soak
@pytest.mark.usefixtures("same_keys")
@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("how", DEVIATIONS)
def test_two_hundred_views_of_each_deviation_are_alike(name: str, how: str) -> None:
    check(name, how, runs=200)


# -- not claimed: attacks that work ----------------------------------------------------------------


def outcomes_of_a_tampered_shuffled_sort(keys: Sequence[int], shift: int, by: Role) -> float:
    """The share of comparisons that say "above", where P0 adds to every difference of keys, or the
    helper to every mask for which it deals."""
    outcomes: list[Words] = []
    ask, deal, told = (getattr(ToldOrder, name) for name in ("ask", "deal", "told"))

    def asking(own: Any, z: Words, w: Words) -> None:
        ask(own, z + np.uint64(shift) if by is Role.P0 is own._party.role else z, w)

    def dealing(own: Any, r: Words, s: Words) -> None:
        deal(own, r - np.uint64(shift) if by is Role.HELPER else r, s)

    def listening(own: Any, pairs: int) -> Words:
        found: Words = told(own, pairs)
        if own._party.role is by:
            outcomes.append(found)
        return found

    with pytest.MonkeyPatch.context() as patch:
        for name, instead in (("ask", asking), ("deal", dealing), ("told", listening)):
            patch.setattr(ToldOrder, name, instead)
        halves = [keys[::2], keys[1::2]]
        lists = [share(np.sort(np.array(half, np.uint64))[::-1].copy()) for half in halves]
        try:
            run_local(lambda party, *own: SORTS["shuffled"].of(1).sorted(party, own), *lists)
        except Exception:
            # the outcomes are no order any more; by then the attacker has them
            assert outcomes
    return float(np.concatenate(outcomes).mean())


@pytest.mark.parametrize("by", [Role.HELPER])
def test_shuffled_tells_a_deviating_server_how_many_keys_are_close_together(by: Role) -> None:
    """[ppAURORA, erratum]: δ is added to differences of keys whose comparisons are opened."""
    rng = np.random.default_rng(7)
    for _ in range(10):
        close = rng.integers(1 << 40, (1 << 40) + 1000, 64).tolist()
        apart = rng.permutation(np.arange(64) << 30).tolist()
        told = [outcomes_of_a_tampered_shuffled_sort(keys, 1 << 20, by) for keys in (close, apart)]
        # all outcomes say the same where keys are closer than δ, half of them elsewhere
        assert told[0] in (0, 1)
        assert 0.2 < told[1] < 0.8


def check_two_scores(seed: int) -> None:
    """It marks the row numbers of an upload, which are opened after a shuffle."""
    rng = np.random.default_rng(seed)
    first, second = (rng.permutation(50).astype(np.uint64) * np.uint64(2) for _ in range(2))
    upload = same_rows([first, second])
    opened: list[Words] = []
    row_orders = lists_of_rows.row_orders

    def marked(party: Party, numbers: Shared, *given: Any, **named: Any) -> Any:
        receive = party.receive

        def reading(peer: Role, kind: Kind, length: int) -> Words:
            words = receive(peer, kind, length)
            if kind is Kind.OPEN:
                opened.append(sent[-1].ravel() + words)
            return words

        sent: list[Words] = []
        send = party.send

        def sending(peer: Role, kind: Kind, words: Words) -> None:
            sent.append(words.copy())
            send(peer, kind, words)

        if party.role is Role.P0:
            marks = np.arange(len(numbers), dtype=np.uint64) << np.uint64(32)
            numbers = Shared.from_words(party.role, numbers.words + marks)
            party.receive, party.send = reading, sending  # type: ignore[method-assign]
        return row_orders(party, numbers, *given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists_of_rows, "row_orders", marked)
        run_local(
            lambda party, own: lists_of_rows.check_same_rows(
                party, [own], lists=2, largest_key=1 << 62
            ),
            share(upload),
        )
    read = {int(word >> np.uint64(32)): int(word & np.uint64(0xFFFFFFFF)) for word in opened[0]}
    numbers = upload[2 * (upload.size // words_of(2)) :].tolist()
    assert read == dict(enumerate(numbers)), "it knows the order of one score within the other"


def test_two_scores_tell_a_deviating_proxy_which_rows_are_the_same() -> None:
    check_two_scores(3)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_twenty_uploads_of_two_scores_tell_which_rows_are_the_same(seed: int) -> None:
    check_two_scores(seed)


def equal_tokens(
    lists: Sequence[Sequence[int]], lasting: dict[Role, bytes], wrong: int, at: int = -1
) -> tuple[int, int]:
    """The equal tokens that the helper finds in a session, and the place of the sort's last deal.

    It adds `wrong` to the number by which the deal at this place moves its first pair of keys.
    """
    counted: list[int] = []
    deals: list[bool] = []
    plain, differ = Party.deal, ties.differ

    def deal(party: Party, xor: Sequence[Words] = (), add: Any = (), wide: Any = ()) -> None:
        if len(deals) == at:
            add = [one.copy() for one in add]
            add[1].reshape(-1)[:1] += np.uint64(wrong)
        deals.append(len(add) > 1)
        plain(party, xor, add, wide)

    def counting(first: Words, second: Words) -> Words:
        found = differ(first, second)
        counted.append(int((found == 0).sum()))
        return found

    def program(party: Party, *own: Shared) -> None:
        keys = SORTS["network"].of(1).sorted(party, own)
        ties.ask_helper(party, ties.steps(keys))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Party, "deal", deal)
        patch.setattr(ties, "differ", counting)
        shares = [share(np.array(one, np.uint64)) for one in lists]
        run_local(program, *shares, lasting_keys=lasting)
    return sum(counted), max(place for place, moves in enumerate(deals) if moves)


def check_ties_by_the_helper(seed: int) -> None:
    """It shifts two keys by a wrong number in the sort, and counts ties in every session."""
    gap = 2 * ((1 << 20) + seed)
    lasting = {role: bytes([seed, role + 1]) * 16 for role in Role}
    for apart in (gap, 3 * gap):
        lists = ([900 * gap, 500 * gap], [500 * gap - apart, 100 * gap])
        honest, last = equal_tokens(lists, lasting, 0)
        counts = {equal_tokens(lists, lasting, gap // 2, last)[0] for _ in range(20)}
        # the sign of the shift is a coin: wrong once in 2^20 tries
        assert (max(counts) == honest + 1) is (apart == gap)


def test_ties_by_the_helper_tell_a_deviating_helper_how_far_apart_keys_are() -> None:
    check_ties_by_the_helper(1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20))
def test_twenty_studies_with_ties_by_the_helper_tell_it_how_far_apart_keys_are(seed: int) -> None:
    check_ties_by_the_helper(seed)


# -- how sessions end for the others ---------------------------------------------------------------

OTHERS = {Role.P0: [Role.P1], Role.P1: [Role.P0], Role.HELPER: [Role.P0, Role.P1]}
"""The honest proxies. The helper is sent nothing, and may be done before it hears of an end."""
MISSING = ("stops", "sends a message twice", "sends a word less", "sends another kind")


@dataclass(frozen=True, slots=True)
class Kept(Verdicts):
    """Verdicts, and those that this session has found."""

    found: dict[int, bool] = field(default_factory=dict)

    def keep(self, found: Mapping[int, bool]) -> None:
        self.found.update(found)


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a session for the honest proxies, and the verdicts that both had found."""

    said: tuple[str, ...]
    verdicts: tuple[tuple[bool, ...], ...]


def endings(
    options: Options,
    of: tuple[Owner, ...],
    attacker: Role,
    how: str,
    runs: int,
    known: Mapping[int, bool],
) -> Counter[Ending]:
    """The number of times that each ending was seen. With `known` verdicts none is opened.

    `how` is a deviation in every message, or says why the third message is none.
    """
    study = Study(of, options)
    return Counter(ending(study, attacker, how, known) for _ in range(runs))


def ending(study: Study, attacker: Role, how: str, known: Mapping[int, bool]) -> Ending:
    """The end of one session."""
    sizes = [len(owner.scores) for owner in study.owners]
    said: dict[Role, str] = {}
    kept = {role: Kept(known) for role in Role}

    def program(party: Party, *own: Shared) -> None:
        if party.role is attacker and how in MISSING:
            break_message(party, how, number=3)
        try:
            found = evaluate(party, study.options, own, sizes=sizes, verdicts=kept[party.role])
            if party.role is attacker and how in DEVIATIONS:
                deviant.let_go(party)
            said[party.role] = f"ends without {found.refused}"
        except AuroraError as error:
            # who passes it on first is chance
            told = re.sub(", says [^:]*", "", error.what)
            said[party.role] = f"{type(error).__name__}: {told}"
            raise

    with pytest.MonkeyPatch.context() as patch, suppress(AuroraError):
        if how in DEVIATIONS:
            deviant = Deviant(patch, attacker, how)
        limits = replace(Limits(), deadline=60.0, goodbye=60.0)
        run_local(program, *study.shares(), limits=limits)
    verdicts = tuple(tuple(kept[role].found.values()) for role in (Role.P0, Role.P1))
    return Ending(tuple(said[role] for role in OTHERS[attacker]), verdicts)


def check_endings(name: str, how: str, runs: int) -> None:
    sound = dict.fromkeys(range(len(SCORES)), True)
    for attacker in Role:
        first, second = (endings(STUDIES[name], of, attacker, how, runs, sound) for of in DATA)
        # one ending, in all runs: no frequency is compared, and none can differ by chance
        assert first == second, (attacker, how)
        assert len(first) == 1, (attacker, how)


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("how", ["adds words of its choice", "sends a word less", "stops"])
def test_a_session_ends_for_the_others_as_on_any_other_data(name: str, how: str) -> None:
    check_endings(name, how, runs=2)


@pytest.mark.soak
@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("how", [*DEVIATIONS, *MISSING])
def test_ten_sessions_of_each_deviation_end_alike(name: str, how: str) -> None:
    check_endings(name, how, runs=10)


def check_before_verdicts(how: str, attacker: Role, runs: int) -> None:
    by_verdicts: dict[object, set[bool]] = defaultdict(set)
    for of in DATA:
        for one in endings(STUDIES["network"], of, attacker, how, runs, {}):
            by_verdicts[one.verdicts].add(one.said[0].startswith("ends without"))
    assert all(len(ends) == 1 for ends in by_verdicts.values()), by_verdicts


@pytest.mark.parametrize("attacker", [Role.P1, Role.HELPER])
@pytest.mark.parametrize("how", ["adds words of its choice", "sends zeros"])
def test_of_data_that_differ_nothing_but_verdicts_decides_how_a_session_ends(
    how: str, attacker: Role
) -> None:
    """The declared difference: where a deviating server opens verdicts, these are what differs."""
    check_before_verdicts(how, attacker, runs=2)


@pytest.mark.soak
@pytest.mark.parametrize("attacker", [Role.P1, Role.HELPER])
@pytest.mark.parametrize("how", DEVIATIONS)
def test_ten_sessions_of_each_deviation_end_as_their_verdicts_say(how: str, attacker: Role) -> None:
    check_before_verdicts(how, attacker, runs=10)


def test_a_proxy_that_calls_a_sound_list_unsound_has_it_left_out_and_named() -> None:
    """It waits for the other's part of the verdict. Nobody is deceived about who is missing."""
    opens = verdicts_module.open_zero

    def blaming(party: Party, faults: Shared) -> Words | None:
        if party.role is not Role.P1:
            return opens(party, faults)
        send, receive = party.send, party.receive
        held: list[Words] = []
        hops = opens.cost().of(1).hops

        def keeping(peer: Role, kind: Kind, words: Words) -> None:
            held.append(words)
            if len(held) < hops:
                send(peer, kind, words)

        def answering(peer: Role, kind: Kind, length: int) -> Words:
            words = receive(peer, kind, length)
            if kind is Kind.OPEN and len(held) == hops:
                # all bits become 0 but that of the last list
                mine = words.copy()
                mine.reshape(-1)[0] ^= np.uint64(1 << len(SCORES) - 1)
                held[-1] = mine
                send(peer, kind, mine)
            return words

        party.send, party.receive = keeping, answering  # type: ignore[method-assign]
        opens(party, faults)
        del party.send, party.receive
        return np.array([0] * (len(SCORES) - 1) + [1], np.uint64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verdicts_module, "open_zero", costs(opens.cost)(blaming))
        study = Study(DATA[0], STUDIES["network"])
        sizes = [len(owner.scores) for owner in study.owners]
        found = run_local(
            lambda party, *own: evaluate(party, study.options, own, sizes=sizes), *study.shares()
        )
    assert [one.refused for one in found] == [(0,)] * len(Role)
    assert [one.samples for one in found] == [sizes[1]] * len(Role)
