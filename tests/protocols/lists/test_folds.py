"""Equal identifiers come into equal folds however they are written; others are refused."""

from __future__ import annotations

import hashlib
import hmac
import sys
import unicodedata
from collections.abc import Iterable
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.protocols.errors import DataRefused
from ppaurora.protocols.lists.folds import (
    CHECKED,
    FORMS,
    TEXT,
    FoldRule,
    NotCanonical,
    canonical,
    fits,
    key_commitment,
)

KEY = bytes(range(32))
NAMES = st.text(st.characters(categories=["L", "N", "P", "Mn"]), min_size=1, max_size=30)


def visible(text: str) -> str:
    """The canonical form, and nothing where there is none."""
    try:
        return canonical(text, TEXT)
    except NotCanonical:
        return ""


@given(NAMES)
def test_writings_that_differ_in_unicode_form_case_and_blanks_are_one_text(text: str) -> None:
    plain = visible(text)
    for form in ("NFC", "NFD"):
        assert visible(unicodedata.normalize(form, text)) == plain
    assert visible(f" \t{text} \u00a0") == plain
    assert visible(text.casefold()) == plain


@given(NAMES, NAMES)
def test_blanks_between_words_count_as_one_and_are_not_left_out(one: str, other: str) -> None:
    assert visible(f"{one}  \t {other}") == visible(f"{one} {other}")
    assert visible(f"{one} {other}") != visible(one + other)


@given(NAMES)
def test_a_canonical_form_is_its_own(text: str) -> None:
    assert visible(visible(text)) == visible(text) or not visible(text)


@pytest.mark.parametrize(
    ("one", "other"), [("Müller", "MÜLLER"), ("STRASSE", "straße"), ("Σίσυφος", "ΣΊΣΥΦΟΣ")]
)
def test_case_counts_in_no_script(one: str, other: str) -> None:
    assert canonical(one, TEXT) == canonical(other, TEXT)


WRITINGS = {
    "full-width and half-width letters and digits": ("\uff11\uff12\uff13\uff2a", "123j"),
    "half-width katakana": ("\uff76\uff9e", "\u30ac"),
    "hyphens and dashes as word processors set them": ("A\u20101\u20112\u20133", "a-1-2-3"),
    "a minus sign": ("7\u22125", "7-5"),
    "an apostrophe as a right quotation mark": ("O\u2019Neill", "o'neill"),
    "an apostrophe as an accent or a prime": ("O\u00b4Neill O\u2032Neill", "o'neill o'neill"),
    "quotation marks of several countries": ("\u201eA\u201d \u00abB\u00bb", '"a" "b"'),
    "ligatures and numbers in circles": ("\ufb01sh \u2460", "fish 1"),
    "blanks of several widths": ("A\u3000B\u2003C", "a b c"),
}


@pytest.mark.parametrize(("writing", "plain"), WRITINGS.values(), ids=WRITINGS)
def test_compatible_writings_dashes_and_quotation_marks_are_one_text(
    writing: str, plain: str
) -> None:
    assert canonical(writing, TEXT) == plain
    rule = FoldRule(1000, TEXT)
    assert rule.fold_of(writing, KEY) == rule.fold_of(plain, KEY)


def check_characters(codes: Iterable[int]) -> None:
    """Each is written as it was once folded, in every form of Unicode, in capitals or small."""
    for code in codes:
        for text in (chr(code), f"a{chr(code)}", f"{chr(code)}1"):
            plain = visible(text)
            assert visible(plain) == plain, hex(code)
            for form in ("NFC", "NFD") if code in TAKEN_APART else ("NFC", "NFD", "NFKC", "NFKD"):
                assert visible(unicodedata.normalize(form, text)) == plain, (form, hex(code))
            assert visible(text.casefold()) == visible(text.lower()) == plain, hex(code)
            assert visible(text.upper()) == plain or code == DOTLESS_I, hex(code)


DOTLESS_I = 0x131
"""Its capital is I, whose small letter is i."""
TAKEN_APART = {0xB4, 0x1FFD, 0x2033, 0x2036}
"""Quotation marks that NFKC makes two characters of: an accent on a blank, or two primes."""


def test_characters_of_every_kind_have_one_form() -> None:
    check_characters(range(0x500))
    check_characters(range(0x500, sys.maxunicode, 97))


@pytest.mark.soak
def test_all_of_unicode_has_one_form() -> None:
    check_characters(one for one in range(sys.maxunicode + 1) if not 0xD800 <= one < 0xE000)


@pytest.mark.parametrize(
    "text", ["A\u200bB", "A\u00adB", "A\x00B", "\ufeffA", "A\ue000", "", " \t"]
)
def test_texts_with_what_does_not_show_are_refused(text: str) -> None:
    with pytest.raises(NotCanonical):
        canonical(text, TEXT)


@given(st.dates())
def test_a_day_in_iso_form_is_itself(day: date) -> None:
    assert canonical(f" {day.isoformat()} ", "date") == day.isoformat()


@pytest.mark.parametrize(
    "text",
    ["09.03.1967", "3/9/1967", "1967-3-9", "19670309", "1967-02-30", "1967-03-09 00:00:00", "",
     "1967-W10-4", "0000-01-01", "٢٠٠٠-01-01", "67-03-09", "1967/03/09"],
)  # fmt: skip
def test_days_written_otherwise_are_refused(text: str) -> None:
    with pytest.raises(NotCanonical):
        canonical(text, "date")


@given(st.integers(0, 10**40), st.integers(0, 5))
def test_zeros_in_front_of_a_number_do_not_count(number: int, zeros: int) -> None:
    assert canonical("0" * zeros + str(number), "number") == str(number)


@pytest.mark.parametrize("text", ["-1", "1.0", "1e3", "1 2", "١٢", "0x1", "", "12a"])
def test_numbers_written_otherwise_are_refused(text: str) -> None:
    with pytest.raises(NotCanonical):
        canonical(text, "number")


def test_a_fold_is_the_keyed_hash_modulo_their_number() -> None:
    digest = hmac.new(KEY, "zoë müller".encode(), hashlib.sha256).hexdigest()
    for k in (2, 5, 100):
        assert FoldRule(k, TEXT).fold_of("ZOË  Müller", KEY) == int(digest, 16) % k


def test_planted_duplicates_of_three_owners_always_share_a_fold() -> None:
    rng = np.random.default_rng(4)
    rule = FoldRule(5, TEXT)
    patients = [f"Patiënt {number:04} Über" for number in range(2000)]
    writings = [
        lambda text: text,
        lambda text: unicodedata.normalize("NFD", text.upper()),
        lambda text: "  " + text.lower().replace(" ", "  ") + "\t",
    ]
    seen: dict[str, set[int]] = {}
    for write in writings:
        own = rng.permutation(patients)[:1200].tolist()
        folds = rule.assigned([write(one) for one in own], KEY, column="patient").tolist()
        for one, fold in zip(own, folds, strict=True):
            seen.setdefault(one, set()).add(fold)
    assert all(len(folds) == 1 for folds in seen.values())
    # a uniform fold has 400 of 2000, with a standard deviation of 18
    sizes = np.bincount([min(folds) for folds in seen.values()], minlength=5) / len(seen)
    assert np.all(np.abs(sizes - 0.2) < 0.05)


def test_another_key_makes_other_folds_and_has_another_commitment() -> None:
    rule = FoldRule(5, "number")
    patients = [str(number) for number in range(500)]
    mine = rule.assigned(patients, KEY, column="id")
    theirs = rule.assigned(patients, bytes(32), column="id")
    assert 0.1 < np.mean(mine == theirs) < 0.3
    assert key_commitment(KEY) != key_commitment(bytes(32))
    assert KEY.hex() not in key_commitment(KEY)


def test_cut_points_begin_a_fold_each_and_no_record_is_without_one() -> None:
    days = FoldRule(3, "date", ("1950-01-01", "1970-01-01"))
    born = ["1899-05-05", "1949-12-31", "1950-01-01", "1969-12-31", "1970-01-01", "2020-02-02"]
    assert days.assigned(born, b"", column="born").tolist() == [0, 0, 1, 1, 2, 2]
    numbers = FoldRule(3, "number", ("9", "100"))
    assert [numbers.fold_of(one, b"") for one in ("8", "009", "99", "100", "1000")] == [
        0,
        1,
        1,
        2,
        2,
    ]


@pytest.mark.parametrize(
    ("cuts", "form", "fine"),
    [
        (("9", "100"), "number", True),
        (("1950-01-01", "1970-01-01"), "date", True),
        (("100", "9"), "number", False),
        (("9", "9"), "number", False),
        (("09", "100"), "number", False),
        (("1.1.1950", "1.1.1970"), "date", False),
        (("9",), "number", False),
        (("k", "s"), "text", False),
    ],
)
def test_cut_points_rise_and_are_written_canonically(
    cuts: tuple[str, ...], form: str, fine: bool
) -> None:
    assert fits(cuts, form, 3) == fine


def test_refused_identifiers_are_told_by_row_and_not_repeated() -> None:
    with pytest.raises(DataRefused) as refused:
        FoldRule(5, "date").assigned(
            ["1967-03-09", "Smith, 9.3.67", "", "1967-03-09", "Jones"], KEY, column="born"
        )
    assert 'column "born"' in str(refused.value)
    assert "not written as YYYY-MM-DD in rows 2, 5" in str(refused.value)
    assert "empty in row 3" in str(refused.value)
    assert "Smith" not in str(refused.value)


def test_what_owners_compare_depends_on_key_folds_form_and_cuts() -> None:
    rules = [
        FoldRule(5, TEXT),
        FoldRule(6, TEXT),
        FoldRule(5, "number"),
        FoldRule(5, "date"),
        FoldRule(2, "date", ("1950-01-01",)),
        FoldRule(2, "date", ("1950-01-02",)),
    ]
    told = {rule.check_text(key) for rule in rules for key in (KEY, bytes(32))}
    assert len(told) == 2 * len(rules)
    assert rules[0].check_text(KEY) == FoldRule(5, TEXT).check_text(KEY)
    assert all(set(one) <= set("0123456789abcdef-") for one in told)


def test_what_owners_compare_changes_if_a_canonical_form_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = FoldRule(5, TEXT).check_text(KEY)
    monkeypatch.setitem(FORMS, TEXT, str.lower)  # type: ignore[arg-type]
    assert FoldRule(5, TEXT).check_text(KEY) != before


def test_every_form_has_public_identifiers_that_it_takes() -> None:
    assert set(CHECKED) == set(FORMS)
    for form, texts in CHECKED.items():
        assert all(canonical(one, form) for one in texts)
