"""study.toml: strict to read, one hash for one meaning, and written so that it reads back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ConfigurationError
from ppaurora.parties.study.canonical import differences
from ppaurora.parties.study.parts import OPTION_SETS
from ppaurora.parties.study.public_keys import (
    public_text,
)
from ppaurora.parties.study.study import Rule, Scores, Study
from ppaurora.parties.study.toml_table import TomlTable
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.options import Options
from tests.parties.sample import KEYS, study

PRINTABLE = st.text(max_size=30).filter(str.isprintable)


def text(**changes: object) -> str:
    return study_text(study(**changes))


def parse(written: str) -> Study:
    return Study.parse(written, "study.toml")


GRID = Options(metrics=("auroc",), resolution="bins:4096")


@pytest.mark.parametrize("options", [Options(metrics=("auroc", "aupr")), GRID])
def test_what_is_written_reads_back_with_the_same_hash(options: Options) -> None:
    assert parse(text(options=options)) == study(options=options)
    assert parse(text(options=options)).hash == study(options=options).hash


def test_the_bins_change_the_hash_of_a_study() -> None:
    finer = study(options=replace(GRID, resolution="bins:8192"))
    assert finer.hash != study(options=GRID).hash
    assert differences(finer.content(), study(options=GRID).content()) == ["scores.resolution"]
    assert study().content()["protocol"] == {
        "merge": "auto",
        "delta": 1,
        "ties": "compare",
        "assurance": "semi-honest",
    }


def test_a_hash_that_was_computed_is_kept_and_never_for_another_study() -> None:
    first = study()
    assert first.hash is first.hash
    assert replace(first, title="Another").hash == study(title="Another").hash != first.hash
    asked, fresh = study(), study()
    assert asked.hash
    assert (asked, hash(asked), repr(asked)) == (fresh, hash(fresh), repr(fresh))


def test_comments_and_the_order_of_keys_leave_the_hash_alone() -> None:
    lines = text().splitlines()
    start = lines.index("[metrics]")
    lines[start + 1 : start + 3] = ["# another comment", *reversed(lines[start + 1 : start + 3])]
    assert parse("\n".join(lines)).hash == study().hash


def test_every_comment_names_the_values_that_there_are() -> None:
    written = text(options=Options(analysis="noisy"))
    analyses = (
        "comparison or cross-validation or joined or monitoring or noisy or subgroups or survival "
        "or validation"
    )
    assert f"({analyses})" in written
    assert written.count("# the institution that runs this server") == 3


@pytest.mark.parametrize(
    "change",
    [
        {"title": "another"},
        {"resolution": "float32"},
        {"decimals": 5},
        {"metrics": ("aupr", "auroc")},
        {"merge": "delta"},
        {"ties": "helper"},
        {"options": GRID},
        {"scores": Scores(positive="sick", negative="well")},
        {"direction": "lower"},
        {"rule": Rule(least_owners=2, least_samples=101)},
        {"rule": Rule(least_owners=2, keep_days=30.5)},
        {"rule": Rule(least_owners=2, least_list=21)},
        {"rule": Rule(least_owners=2, most_share=0.75)},
        {"rule": Rule(least_owners=2, most_samples=1000)},
        {"participants": study().participants[::-1]},
    ],
)
def test_every_single_option_changes_the_hash(change: dict[str, object]) -> None:
    changed = parse(text(**change))
    assert changed.hash != study().hash
    assert differences(changed.content(), study().content())


@given(
    st.builds(
        Scores,
        positive=PRINTABLE.map(lambda word: "p" + word.strip()),
        negative=PRINTABLE.map(lambda word: "n" + word.strip()),
    ),
    st.sampled_from(["higher", "lower"]),
    PRINTABLE,
)
def test_any_words_survive_being_written(scores: Scores, direction: str, title: str) -> None:
    wanted = study(scores=scores, direction=direction, title=title)
    assert parse(study_text(wanted)) == wanted


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.replace("decimals =", "decimal ="), 'Did you mean "decimals"'),
        (lambda t: t.replace("decimals = 4 ", 'decimals = "4" '), "must be a whole number"),
        (lambda t: t.replace("decimals = 4 ", "decimals = true "), "must be a whole number"),
        (lambda t: t.replace("format = 1", "format = 0"), "format must be 1"),
        (lambda t: t.replace("format = 1", "format = 2"), "format is 2, of a newer version"),
        (lambda t: t.replace('id = "sepsis-1"', 'id = "Sepsis 1"'), "must be a short name"),
        (lambda t: t.replace('"auroc", ', '"auc", '), 'names "auc"'),
        (lambda t: t.replace("delta = 1 ", "delta = 2 "), "delta belongs to the merge"),
        (lambda t: t.replace('"higher" ', '"up" '), 'direction names "up"'),
        (lambda t: t.replace('negative = "0"', 'negative = "1"'), "two different words"),
        (lambda t: t.replace("p0.example.org:7100", "p0.example.org"), 'must read "host:port"'),
        (lambda t: t.replace("[7101, 7102]", "[7101]"), "must list 2 ports for each session"),
        (lambda t: t.replace("[7101, 7102]", "[7101, 7102, 7103]"), "must list 2 ports for each"),
        (lambda t: t.replace("[7101, 7102]", "[]"), "must list 2 ports for each session"),
        (lambda t: t.replace(public_text(KEYS[4]), public_text(KEYS[3])), "one public key twice"),
        (lambda t: t.replace(public_text(KEYS[4]), public_text(KEYS[4])[:-2]), "is not a key"),
        (lambda t: t.replace('name = "ben"', 'name = "ann"'), "one name twice, ann"),
        (
            lambda t: (
                t.rpartition("uploads = true")[0].replace('name = "ben"', 'name = "ann"')
                + "uploads = false"
                + t.rpartition("uploads = true")[2]
            ),
            "names ann as an owner and again as a receiver. Leave out the receiver ann: an owner",
        ),
        (lambda t: t.replace("least_owners = 2", "least_owners = 3"), "only 2 participants"),
        (lambda t: t.replace('"aupr"', '"auroc_sites"'), "at least 5 owners, but only 2"),
        (lambda t: t.replace("keep_days = 30.0", "keep_days = 0"), "a number, more than 0"),
        (
            lambda t: t.replace("least_list = 20", "least_list = 0"),
            "least_list must be a whole number, 1 or more",
        ),
        (lambda t: t.replace("most_share = 0.8", "most_share = 1.1"), "and at most 1"),
        (lambda t: t.replace("most_share = 0.8", "most_share = 0.4"), "among 2 owners somebody"),
        (
            lambda t: t.replace("most_samples = 0", "most_samples = -1"),
            "most_samples must be a whole number, 0",
        ),
        (lambda t: t.replace("most_samples = 0", "most_samples = 99"), "less than the 100"),
        (
            lambda t: t.replace("[protocol]", "[protocol]\nbins = 64"),
            r'protocol.bins is of an older version. Write resolution = "bins:4096"',
        ),
        (
            lambda t: t.replace("[protocol]", '[protocol]\nmode = "exact"'),
            "protocol.mode is of an older version. .* `ppaurora study convert` writes",
        ),
        (
            lambda t: t.replace("[scores]", '[scores]\ncode = "real"'),
            r'scores.code is of an older version. .* range = "any" for "real"',
        ),
        (lambda t: t.replace("range = [0, 1]", "range = [1, 0]"), "range ends at 0"),
        (lambda t: t.replace("range = [0, 1]", 'range = "all"'), 'numbers or "any"'),
        (lambda t: t.replace('"full" ', '"half" '), 'resolution is "half"'),
        (lambda t: t.replace("[servers.helper]", "[servers.p2]"), "servers.helper is missing"),
        (lambda t: t.replace("receives = true", "receives = false"), "nobody who receives"),
        (lambda t: t + "\n= 1", "is not valid TOML"),
        (lambda t: t + "\nmany = " + "1" * 5000, "is not valid TOML"),
        (lambda t: t + "\n" + "a." * 300_000 + "b = 1", "line .* has more than 32 dots outside"),
    ],
)
def test_a_faulty_study_is_refused_with_the_place(
    change: Callable[[str], str], message: str
) -> None:
    faulty = change(text())
    assert faulty != text()
    with pytest.raises(ConfigurationError, match=message) as caught:
        parse(faulty)
    assert str(caught.value).startswith("study.toml")


@pytest.mark.parametrize(
    "key",
    ["a." * 40 + "b", '"#".' * 40 + "b", """ "\\"".'"'.""" + "a." * 40 + 'b = "x" #'],
)
def test_keys_of_many_parts_are_found_beside_texts_and_texts_may_have_many_dots(key: str) -> None:
    names = ", ".join([f'"{number}.toml"' for number in range(40)] + ["'it\\'"])
    listed = TomlTable.parse(f"names = [{names}] # " + "." * 40, "site.toml")
    assert len(listed.take_list("names", str)) == 41
    with pytest.raises(ConfigurationError, match=r"line 2 has more than 32 dots"):
        TomlTable.parse(f"a = 1\n{key} = 1", "site.toml")


def test_a_folder_is_not_a_study_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="is a folder, not a file"):
        Study.load(tmp_path)


def test_a_missing_study_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="There is no file"):
        Study.load(tmp_path / "study.toml")


def test_who_is_behind_a_connection_is_found_by_the_key_that_it_shows() -> None:
    own = study()
    for one in (*own.servers, *own.participants):
        assert own.holder_of(one.public.exchange) == one.public
        assert own.holder_of(one.public.signing) is None
    assert own.holder_of(bytes(32)) is None


def test_a_key_is_in_a_study_only_with_both_halves() -> None:
    first, second = KEYS[3], KEYS[4]
    mixed = PublicKey(first.exchange, second.signing)
    assert study().participant_of(first) is not None
    assert study().participant_of(mixed) is None
    with pytest.raises(ConfigurationError, match="one public key twice"):
        parse(
            text().replace(
                public_text(second), public_text(PublicKey(second.exchange, first.signing))
            )
        )


def test_decimals_that_the_most_samples_cannot_hold_are_refused_before_anybody_uploads() -> None:
    """aupr to 15 decimals is right for 2,305 samples at most."""
    precise = text(
        options=Options(metrics=("auroc", "aupr"), decimals=10),
        rule=Rule(least_owners=2, most_samples=50_000),
    )
    assert parse(precise).rule.most_samples == 50_000
    with pytest.raises(ConfigurationError, match=r"decimals do not fit: .* released correctly"):
        parse(precise.replace("decimals = 10", "decimals = 15"))


def test_decimals_that_the_fewest_samples_cannot_hold_are_refused_without_a_limit() -> None:
    precise = text(
        options=Options(metrics=("aupr",), decimals=10),
        rule=Rule(least_owners=2, least_samples=50_000),
    )
    assert parse(precise).rule.most_samples == 0
    with pytest.raises(ConfigurationError, match="decimals do not fit: 50000 samples"):
        parse(precise.replace("decimals = 10", "decimals = 15"))


def test_what_a_result_tells_is_foreseen_for_lists_as_uneven_as_the_rule_allows() -> None:
    assert study(rule=Rule(least_owners=2, least_samples=100)).least_sizes == [80, 20]
    assert study(rule=Rule(least_owners=2, least_samples=100, least_list=40)).least_sizes == [
        60,
        40,
    ]
    assert study(
        rule=Rule(least_owners=2, least_samples=10, least_list=1, most_share=0.5)
    ).least_sizes == [5, 5]
    assert study(rule=Rule(least_owners=1, least_samples=100, start="request")).least_sizes == [100]


@pytest.mark.parametrize(
    "nasty", ["\x1b[2J", "two\nlines", "\x07", "\u202eright to left", "\x9b1m"]
)
@pytest.mark.parametrize("place", ["title", "operator", "positive", "names", "key"])
def test_what_could_rewrite_a_terminal_is_in_no_study(nasty: str, place: str) -> None:
    quoted = json.dumps(nasty)
    changed = {
        "title": lambda t: re.sub(r"(?m)^title = .*$", lambda _: f"title = {quoted}", t),
        "operator": lambda t: t.replace('operator = "one"', f"operator = {quoted}"),
        "positive": lambda t: t.replace('positive = "1"', f"positive = {quoted}"),
        "names": lambda t: t.replace('["auroc", ', f'["auroc", {quoted}, '),
        "key": lambda t: t.replace("[rule]", f"[rule]\n{quoted} = 1"),
    }[place](text())
    with pytest.raises(ConfigurationError, match="cannot be printed") as caught:
        parse(changed)
    assert str(caught.value).isprintable()


def test_a_study_may_have_link_ports_for_several_sessions() -> None:
    several = text().replace("[7101, 7102]", "[7101, 7102, 7103, 7104]")
    assert parse(several).slots == 1
    both = parse(several.replace("link_ports = [7101]", "link_ports = [7101, 7105]"))
    assert both.slots == 2
    assert [both.server(Role.P0).link_port(Role.HELPER, slot) for slot in (0, 1)] == [7102, 7104]
    assert [both.server(Role.P1).link_port(Role.HELPER, slot) for slot in (0, 1)] == [7101, 7105]
    assert both.server(Role.HELPER).slots == ()


def test_the_page_on_studies_explains_every_option() -> None:
    page = Path("docs/STUDIES.md").read_text(encoding="utf-8")
    for one in (one for kind in OPTION_SETS for one in kind.options().values()):
        table, key = one.table, one.key
        row = re.search(rf"\|[^|]*(`{table}\.{key}`|`{table}\.\w+`[^|]*, `\.{key}`).*", page)
        assert row, key
        for choice in filter(None, one.choices):
            assert f"`{choice}`" in row[0], (key, choice)
