"""Both tie detections; what the helper sees of the tokens, and how many equal ones there are."""

import numpy as np
import pytest

from ppaurora.mpc.link import Kind
from ppaurora.mpc.local import open_locally, run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.mpc.shares import concatenate, is_narrow, narrowed, reconstruct, share
from ppaurora.mpc.streams import Stream
from ppaurora.protocols.options import Options
from ppaurora.protocols.ranking import ties
from ppaurora.protocols.ranking.ties import dummies, labels, tokens
from tests.mpc.test_views import bits_differ
from tests.protocols.studies import Study, owners_of, run


def boundaries(keys, way):
    """con, V and P·N, opened."""

    def program(party, own_keys):
        found = ties.ties(party, own_keys, labels(party, own_keys), way=way)
        return found.con, found.V, found.PN

    at = run_local(program, share(np.array(keys, np.uint64)))
    return [open_locally(list(parts)).tolist() for parts in zip(*at, strict=True)]


def flags(keys, way):
    return boundaries(keys, way)[0]


@pytest.mark.parametrize("way", ["compare", "helper"])
def test_the_last_of_each_group_is_marked(way):
    top = 2**63 - 2
    assert flags([top + 1, top, 21, 21, 20, 19, 18, 3, 2, 1, 0], way) == [
        0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1,
    ]  # fmt: skip
    assert flags([8], way) == [1]
    assert flags([], way) == []
    assert flags([9] * 70, way) == [0] * 69 + [1]


@pytest.mark.parametrize("way", ["compare", "helper"])
def test_with_the_boundaries_come_the_positives_up_to_each_and_the_pairs(way):
    keys = [21, 21, 20, 19, 18, 3, 2, 1, 0]
    con, V, [PN] = boundaries(keys, way)
    TP = np.cumsum([key & 1 for key in keys])
    assert [c * t for c, t in zip(con, TP, strict=True)] == V
    assert TP[-1] * (len(keys) - TP[-1]) == PN
    assert boundaries([9], way) == [[1], [1], [0]]


def test_several_lists_in_one_session_each_have_dummies_of_their_own():
    """Two classifiers ask the helper more than once."""
    words = np.array([9, 9, 6, 4, 4], np.uint64)

    def program(party, own_keys):
        own = labels(party, own_keys)
        names = [f"list {number}" for number in range(3)]
        return concatenate(
            [ties.ties(party, own_keys, own, way="helper", lasting=name).con for name in names]
        )

    shares = run_local(program, share(words))
    assert open_locally(shares).tolist() == [0, 1, 1, 0, 1] * 3


def views(keys, times=1):
    """The pairs of tokens that the helper receives."""
    seen = []

    def spy(first, second):
        seen.append((first.copy(), second.copy()))
        return differ(first, second)

    differ = ties.differ
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ties, "differ", spy)
        for _ in range(times):
            flags(keys, "helper")
    return seen


def equal(first, second):
    return np.all(first == second, axis=1)


def test_the_tokens_show_equality_and_nothing_else():
    [(first, second)] = views([20, 20, 18, 2**40, 2**40][::-1])
    same = equal(first, second)
    assert first.shape == (4 + dummies(4), 2)
    # no token occurs twice but in an equal pair
    distinct = {tuple(token) for token in (*first.tolist(), *second.tolist())}
    assert len(distinct) == 2 * len(first) - np.count_nonzero(same)


def test_tokens_of_unequal_items_do_not_show_the_size_of_the_difference():
    def weights(step):
        count = 20_000
        first = tokens(bytes(range(16)), np.arange(count, dtype=np.uint64))
        second = tokens(bytes(range(16)), np.arange(count, dtype=np.uint64) + np.uint64(step))
        return np.bitwise_count(first ^ second).sum(axis=1).mean()

    # 128 random bits: the mean weight is 64 whatever the difference (as printed: 2.0, 17.2)
    assert weights(1) == pytest.approx(64, abs=0.3)
    assert weights(1 << 30) == pytest.approx(64, abs=0.3)


def test_the_number_of_equal_tokens_is_ties_plus_a_uniform_number_of_dummies():
    real_ties = 3
    counts = [
        int(np.count_nonzero(equal(*view))) for view in views([30, 30, 30, 30, 4, 2, 0], times=40)
    ]
    D = dummies(6)
    assert all(real_ties <= count <= real_ties + D for count in counts)
    assert np.mean(counts) == pytest.approx(real_ties + D / 2, abs=6 * D / np.sqrt(12 * 40))


def test_equal_tokens_stand_in_random_places():
    places = [np.flatnonzero(equal(*view)).mean() for view in views([9] * 500, times=2)]
    assert places[0] != places[1]


def test_the_proxies_hide_their_items_among_as_many_dummies_and_more():
    words = np.array([0, 7], np.uint64)
    mine, other, _ = run_local(lambda party: ties.hidden(party, words))
    assert mine.size == other.size == 2 + dummies(2)
    assert (mine[:2] + other[:2]).tolist() == [0, 0]
    unequal = np.flatnonzero(mine[2:] != other[2:])
    assert unequal.tolist() == list(range(dummies(2) - unequal.size, dummies(2)))


def test_long_lists_go_in_pieces(monkeypatch):
    monkeypatch.setattr(ties, "_PIECE", 100)
    keys = np.repeat(np.arange(150, 0, -1), 2) * 2
    assert flags(keys, "helper") == [0, 1] * 150


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 15, 30])
def test_longer_lists_are_compared_part_by_part_for_four_hops_more_each(
    monkeypatch, n, narrow, counts
):
    monkeypatch.setattr(ties, "AT_ONCE", 7)
    keys = np.sort(np.random.default_rng(n).integers(0, 20, n))[::-1]

    def program(party, own):
        keys, marked = narrowed(own) if narrow else own, labels(party, own)
        found = ties.ties(party, keys, marked, way="compare", counts=counts)
        assert is_narrow(found.con) is is_narrow(found.V) is counts
        sent = sum(link.counters.bytes_sent for link in party.links.values())
        return [found.con, found.V, marked.TP], party.hops, sent

    at = run_local(program, share(keys))
    first, second = (columns for columns, *_ in at[:2])
    con, V, TP = (reconstruct(a.words, b.words) for a, b in zip(first, second, strict=True))
    last = np.append(keys[1:] // 2 != keys[:-1] // 2, True)
    assert con.tolist() == last.astype(int).tolist()
    assert V.tolist() == (TP * last).tolist()
    told = ties.labels_cost(n) + ties.ties_cost(n, way="compare", narrow=narrow, counts=counts)
    assert (told.hops, told.payload) == (max(h for _, h, _ in at), sum(sent for *_, sent in at))
    assert told.hops == 1 + max(1, 4 * -(-(n - 1) // 7))


def test_repeated_sessions_hide_the_ties_behind_the_same_number_of_dummies():
    keys = np.array([30, 30, 30, 4, 2, 0], np.uint64)

    def equal_pairs(lasting_keys):
        seen = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ties, "differ", lambda a, b: seen.append(equal(a, b)) or differ(a, b))
            run_local(
                lambda party, own: ties.ask_helper(party, own),
                share(keys[:-1] - keys[1:]),
                lasting_keys=lasting_keys,
            )
        return np.count_nonzero(seen[0])

    differ = ties.differ
    lasting = {role: bytes([role]) * 32 for role in Role}
    assert len({equal_pairs(lasting) for _ in range(5)}) == 1
    others = [lasting | {Role.P1: bytes([number]) * 32} for number in range(10, 15)]
    assert len({equal_pairs(other) for other in others}) > 1
    assert equal_pairs(lasting | {Role.P0: b"0" * 32}) == equal_pairs(lasting)


def whole_views(of, runs):
    """All that the helper receives of the tokens in whole evaluations, and which are equal."""
    study = Study(of, Options(metrics=("auroc",), ties="helper", merge="network"))
    received, rows = [], []
    receive = Party.receive

    def watched(party, peer, kind, length):
        words = receive(party, peer, kind, length)
        if party.is_helper and kind is Kind.TELL:
            received.append(words.copy())
        return words

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Party, "receive", watched)
        for _ in range(runs):
            received.clear()
            results = run(study).results
            *verdicts, first, second = received
            same = equal(*(one.reshape(-1, 2) for one in (first, second)))
            rows.append(np.concatenate([*verdicts, first, second, same.astype(np.uint64)]))
    assert results["auroc"]
    return np.stack(rows)


def tied_at(end):
    """Two lists of twelve scores in all, four of them tied, at the upper or at the lower end."""
    apart = np.linspace(0.4, 0.6, 8)
    tied = np.full(4, 0.9 if end == "upper" else 0.1)
    scores = np.concatenate([tied, apart])
    labels = np.arange(12) % 2
    return owners_of(scores.tolist(), labels.tolist(), [7, 5])


RUNS, FALSE_ALARM = 30, 1e-6


@pytest.mark.usefixtures("same_keys")
def test_the_helper_does_not_see_where_the_ties_are():
    """Over whole evaluations: every bit that it gets, and whether tokens are equal, by Hoeffding's
    inequality as in `tests.mpc.test_views`."""
    upper, lower = (whole_views(tied_at(end), RUNS) for end in ("upper", "lower"))
    assert upper.shape == lower.shape == (RUNS, 2 + 5 * (11 + dummies(11)))
    assert not bits_differ(upper, lower, FALSE_ALARM)


@pytest.mark.usefixtures("same_keys")
def test_tokens_that_stand_at_the_places_of_their_items_are_noticed(monkeypatch):
    monkeypatch.setattr(Stream, "permutation", lambda stream, n: np.arange(n))
    upper, lower = (whole_views(tied_at(end), RUNS) for end in ("upper", "lower"))
    assert bits_differ(upper, lower, FALSE_ALARM)


class Drawn:
    """A lasting stream whose next word is said."""

    def __init__(self, word):
        self.word = word

    def words(self, count):
        return np.array([self.word] * count, np.uint64)


def test_equal_dummies_are_from_none_to_all_of_them():
    """As the ledger says: a number drawn uniformly from 0 to D."""
    D = dummies(9)
    drawn = [ties.equal_dummies(Drawn(word), D) for word in range(2 * D + 2)]
    assert drawn == [*range(D + 1)] * 2
    assert f"uniformly from 0 to {D}" in ties.helper_learns(10, way="helper")[0]
