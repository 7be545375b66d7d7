"""Tags: one for one person in one study, different ones elsewhere, each once at an owner."""

from __future__ import annotations

import hashlib
import hmac
import math

import numpy as np
import pytest

from ppaurora.protocols.errors import DataRefused
from ppaurora.protocols.lists.folds import FoldRule
from ppaurora.protocols.lists.tags import (
    DOMAIN,
    LARGEST_TAG,
    Side,
    collision_bound,
    of_side,
    side_of,
    sides,
    tag_of,
    tags,
)

KEY = bytes(range(32))


def test_a_tag_is_the_first_62_bits_of_the_code_of_domain_study_and_canonical_identifier():
    text = b"ppAURORA join tag 1\0trial\0zo\xc3\xab m\xc3\xbcller"
    bits = "".join(f"{byte:08b}" for byte in hmac.new(KEY, text, hashlib.sha256).digest())
    assert tag_of("  ZOE\u0308  Müller", "text-nfkc", KEY, "trial") == int(bits[:62], 2)


def test_writings_of_one_identifier_have_one_tag_and_studies_keys_and_people_their_own():
    usual = tag_of("0012", "number", KEY, "trial")
    assert tag_of("12 ", "number", KEY, "trial") == usual
    others = {
        tag_of("13", "number", KEY, "trial"),
        tag_of("12", "number", KEY, "other"),
        tag_of("12", "number", bytes(32), "trial"),
        # no study's name and identifier run into each other
        tag_of("2", "text-nfkc", KEY, "trial1"),
        tag_of("12", "text-nfkc", KEY, "trial") + 1,
    }
    assert usual not in others
    assert len(others) == 5


def test_a_tag_is_apart_from_a_fold_of_the_same_key():
    many = FoldRule(1 << 62, "number")
    assert many.fold_of("12", KEY) != tag_of("12", "number", KEY, "trial")
    assert DOMAIN.endswith(b"\0")


def test_rows_of_one_person_are_refused_with_their_number_and_places_and_unrepeated():
    people = ["anna", "bert", "ANNA ", "carl", "bert", "anna"]
    with pytest.raises(DataRefused) as refused:
        tags(people, "text-nfkc", KEY, "trial", column="patient")
    told = str(refused.value)
    assert 'In column "patient"' in told
    assert "is on several rows of this list in rows 1, 2, 3, 5, 6" in told
    assert not any(one in told.casefold() for one in ("anna", "bert", "carl"))
    assert "one person is one row" in refused.value.advice


def test_what_is_no_identifier_is_refused_by_its_rows():
    with pytest.raises(DataRefused, match=r"not written in the digits 0 to 9 alone in row 2"):
        tags(["1", "x"], "number", KEY, "trial", column="patient")


@pytest.mark.parametrize("side", Side)
def test_a_side_goes_with_the_tags_and_comes_back(side):
    found = tags(["1", "2", "3"], "number", KEY, "trial", column="id")
    assert found.dtype == np.uint64
    keys = of_side([np.arange(3, dtype=np.uint64), found], side)
    assert (sides(keys[1]) == side).all()
    assert (keys[1] & np.uint64(LARGEST_TAG) == found).all()
    assert side_of(side.word) is side


def test_the_bound_of_collisions_is_above_the_exact_probability():
    for rows in (2, 550, 8000, 1 << 20):
        bound = rows**2 / 2**63
        exact = -math.expm1(-rows * (rows - 1) / 2 / 2**62)
        assert exact <= bound
        said = float(collision_bound(rows).rpartition(" ")[2].replace(",", ""))
        assert bound <= 1 / said < 11 * bound
