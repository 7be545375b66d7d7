"""DPPE-AUC's program, run on plain integers in place of phe and gmpy2."""

from __future__ import annotations

import importlib.util
import json
import secrets
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from ppaurora.bench.peers.contestants import PROGRAMS

# Primes.
P, Q = 2**128 - 159, 2**128 - 173


class PublicKey:
    """Paillier's, as far as the program uses phe's."""

    def __init__(self, n: int) -> None:
        self.n = n

    def raw_encrypt(self, plain: int) -> int:
        square = self.n**2
        return (
            (1 + plain * self.n) * pow(secrets.randbelow(self.n - 1) + 1, self.n, square) % square
        )


class PrivateKey:
    """The key that opens what `PublicKey` encrypts."""

    def __init__(self, public: PublicKey, p: int, q: int) -> None:
        self.public, self.p, self.q = public, p, q

    def raw_decrypt(self, cipher: int) -> int:
        n, order = self.public.n, (self.p - 1) * (self.q - 1)
        return (pow(cipher, order, n * n) - 1) // n * pow(order, -1, n) % n


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The program as a module."""
    gmpy2: Any = ModuleType("gmpy2")
    gmpy2.mpz, gmpy2.powmod = int, pow
    gmpy2.invert = lambda value, modulus: pow(value, -1, modulus)
    gmpy2.to_binary = lambda value: value.to_bytes(-(-value.bit_length() // 8), "big")
    gmpy2.from_binary = lambda words: int.from_bytes(words, "big")
    phe: Any = ModuleType("phe")
    phe.PaillierPublicKey, phe.PaillierPrivateKey = PublicKey, PrivateKey
    phe.generate_paillier_keypair = lambda n_length: (
        PublicKey(P * Q),
        SimpleNamespace(p=P, q=Q),
    )
    monkeypatch.setitem(sys.modules, "gmpy2", gmpy2)
    monkeypatch.setitem(sys.modules, "phe", phe)
    spec = importlib.util.spec_from_file_location("dppe_auroc", PROGRAMS / "dppe_auroc.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LISTS = {
    "ties within and between owners": [[(3, 1), (2, 0), (2, 1)], [(2, 0), (1, 0), (3, 0), (9, 1)]],
    "all scores equal": [[(5, 1), (5, 0)], [(5, 0)]],
    "perfect": [[(9, 1), (8, 1)], [(3, 0), (1, 0), (0, 0)]],
    "inverse": [[(0, 1)], [(7, 0), (7, 0)]],
    "codes of 62 bits": [[(2**62 - 1, 1), (2**62 - 2, 0)], [(2**62 - 3, 1), (0, 0)]],
}


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("lists", LISTS.values(), ids=LISTS)
def test_dppe_auc_is_the_auroc_of_the_pooled_lists(
    program: Any, tmp_path: Path, lists: list[list[tuple[int, int]]], short: bool
) -> None:
    data = tmp_path / "keys.npz"
    keys = {
        f"owner{place}": np.array([2 * score + label for score, label in rows])
        for place, rows in enumerate(lists)
    }
    np.savez(data, **keys)  # type: ignore[arg-type]
    plan = {"data": str(data), "folder": str(tmp_path), "short": short}
    program.keys(plan)
    program.draw(plan)
    for owner in range(len(lists)):
        program.station(plan, owner)
    program.aggregate(plan)
    found = Fraction(*program.open_result(plan))

    rows = [row for each in lists for row in each]
    pairs = [(high, low) for high, one in rows if one for low, other in rows if not other]
    wins = sum(Fraction((high > low) + (high >= low), 2) for high, low in pairs)
    assert found == wins / len(pairs)
    if max(score for score, _ in rows) < 2**53:
        scores, labels = zip(*rows, strict=True)
        assert float(found) == pytest.approx(roc_auc_score(labels, scores), abs=1e-15)


def test_the_map_of_scores_keeps_their_order_and_their_ties(program: Any) -> None:
    scores = [0, 1, 2, 3, 10**5, 2**53, 2**62 - 2, 2**62 - 1]
    for factor in (20_000, 20_001, 99_999, 100_000):
        images = [program.obscured(score, factor) for score in scores]
        assert images == sorted(set(images))


def test_one_row_in_eleven_is_false_and_has_a_score_that_exists(program: Any) -> None:
    rows = [(score, 1, 1) for score in range(100)]
    mixed = program.with_fakes(rows)
    fakes = [row for row in mixed if row[2] == 0]
    assert len(fakes) == 10
    assert all(label == 0 and score in range(100) for score, label, _ in fakes)
    assert sorted(row for row in mixed if row[2]) == rows


def test_a_step_prints_its_figures(program: Any, capsys: pytest.CaptureFixture[str]) -> None:
    program.measured(lambda: [3, 4])
    figures = json.loads(capsys.readouterr().out)
    assert figures["values"] == [3, 4]
    assert figures["bytes_sent"] == 0
