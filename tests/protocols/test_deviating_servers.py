"""What a server that sends anything it likes sees of a whole computation, and attacks that work.

With `merge = "network"` and `ties = "compare"` the verdicts on lists are all that is opened. What a
deviating proxy holds and receives besides is alike for all data; the helper receives the verdicts
and nothing else. Other options open more, and what they open can be turned: these attacks work, and
the ledger of such a study makes no claim.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.primitives import comparison_stock
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import Shared
from ppaurora.mpc.sharing import share
from ppaurora.mpc.words import Words
from ppaurora.protocols.evaluate import evaluate
from ppaurora.protocols.lists import paired as paired_lists
from ppaurora.protocols.lists.paired import WORDS, paired
from ppaurora.protocols.lists.verdicts import Verdicts
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking import ties
from ppaurora.protocols.sorting import SORTS
from tests.mpc.test_deviations import DEVIATIONS, Deviant
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
    "grid": Options(metrics=("auroc_bounds", "brier"), decimals=3, mode="grid", bins=4),
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
        first, second = (views(STUDIES[name], of, attacker, how, runs) for of in DATA)
        if attacker is Role.HELPER:
            assert first.size == second.size == 0, "the helper is sent nothing"
        else:
            assert first.shape == second.shape
            alarm = FALSE_ALARM / len(Role) / 2
            assert not bits_differ(first, second, alarm), (attacker, how)
            assert not bytes_differ(first, second, alarm), (attacker, how)


@pytest.mark.usefixtures("same_keys")
@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.parametrize("how", ["adds words of its choice", "waits and cancels what it received"])
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


def outcomes_of_a_tampered_shuffled_sort(keys: Sequence[int], shift: int) -> float:
    """The share of comparisons that say "above", at a P0 that adds to every difference of keys."""
    outcomes: list[Words] = []
    compare = comparison_stock.Stock.compare

    def shifted(stock: Any, supply: int, key: Words, place: Words) -> Words:
        if stock._party.role is Role.P0:
            key = key + np.uint64(shift)
        found = compare(stock, supply, key, place)
        if stock._party.role is Role.P0:
            outcomes.append(found)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparison_stock.Stock, "compare", shifted)
        halves = [keys[::2], keys[1::2]]
        lists = [share(np.sort(np.array(half, np.uint64))[::-1].copy()) for half in halves]
        try:
            run_local(lambda party, *own: SORTS["shuffled"].of(1).sorted(party, own), *lists)
        except Exception:
            # the outcomes are no order any more; by then the attacker has them
            assert outcomes
    return float(np.concatenate(outcomes).mean())


def test_shuffled_tells_a_deviating_proxy_how_many_keys_are_close_together() -> None:
    """[ppAURORA, erratum]: it adds δ to differences of keys whose comparisons are opened."""
    rng = np.random.default_rng(7)
    for _ in range(10):
        close = rng.integers(1 << 40, (1 << 40) + 1000, 64).tolist()
        apart = rng.permutation(np.arange(64) << 30).tolist()
        told = [outcomes_of_a_tampered_shuffled_sort(keys, 1 << 20) for keys in (close, apart)]
        # all outcomes say the same where keys are closer than δ, half of them elsewhere
        assert told[0] in (0, 1)
        assert 0.2 < told[1] < 0.8


def test_two_scores_tell_a_deviating_proxy_which_rows_are_the_same() -> None:
    """It marks the row numbers of an upload, which are opened after a shuffle."""
    rng = np.random.default_rng(3)
    first, second = (rng.permutation(50).astype(np.uint64) * np.uint64(2) for _ in range(2))
    upload = paired(first, second)
    opened: list[Words] = []
    row_orders = paired_lists.row_orders

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
        patch.setattr(paired_lists, "row_orders", marked)
        run_local(
            lambda party, own: paired_lists.check_paired(party, [own], largest_key=1 << 62),
            share(upload),
        )
    read = {int(word >> np.uint64(32)): int(word & np.uint64(0xFFFFFFFF)) for word in opened[0]}
    numbers = upload[2 * (upload.size // WORDS) :].tolist()
    assert read == dict(enumerate(numbers)), "it knows the order of one score within the other"


def equal_tokens(
    lists: Sequence[Sequence[int]], lasting: dict[Role, bytes], wrong: int, at: int = -1
) -> tuple[int, int]:
    """How many tokens the helper finds equal in a session, and where the sort's last deal stands.

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


def test_ties_by_the_helper_tell_a_deviating_helper_how_far_apart_keys_are() -> None:
    """It shifts two keys by a wrong number in the sort, and counts ties in every session."""
    gap = 2 << 20
    lasting = {role: bytes([role + 1]) * 32 for role in Role}
    for apart in (gap, 3 * gap):
        lists = ([900 * gap, 500 * gap], [500 * gap - apart, 100 * gap])
        honest, last = equal_tokens(lists, lasting, 0)
        counts = {equal_tokens(lists, lasting, gap // 2, last)[0] for _ in range(20)}
        # the sign of the shift is a coin: wrong once in 2^20 tries
        assert (max(counts) == honest + 1) is (apart == gap)
