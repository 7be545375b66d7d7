"""One mutant for each promise: if a line that keeps it is changed, a test fails.

The list stands beside this file, a TOML file for each kind of promise. A test that passes on a
mutant does not hold the promise, however well it reads.
"""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutants.mutant import HOME, Fate, Mutant, Tree, mutants

MUTANTS = mutants()
TESTS: defaultdict[str, set[str]] = defaultdict(set)
"""The tests of all mutants, by their files."""
for each in (test for one in MUTANTS for test in one.killed_by):
    TESTS[each.split("::")[0]].add(each)
KINDS = (
    *("bounds", "budget", "covert", "durability", "evidence"),
    *("formats", "privacy", "rights"),
)
FEWEST = 200
QUICK = (
    "a line that is taken out is noticed by its number",
    "three runs must give the same words",
)
"""Two mutants that die in a moment."""


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """A copy of the program, one for each process that runs tests."""
    return Tree(tmp_path_factory.mktemp("mutants") / "program")


def named(promise: str) -> Mutant:
    """The one mutant of this promise."""
    [found] = [one for one in MUTANTS if one.promise == promise]
    return found


def test_there_are_mutants_of_every_kind_and_none_twice() -> None:
    assert {one.kind for one in MUTANTS} == set(KINDS)
    assert len(MUTANTS) >= FEWEST
    assert len({(one.file, one.text, one.instead) for one in MUTANTS}) == len(MUTANTS)
    assert len({one.promise for one in MUTANTS}) == len(MUTANTS)


def test_every_mutant_is_an_edit_of_one_place_that_changes_what_is_run() -> None:
    sources = {one.file: (HOME / one.file).read_text(encoding="utf-8") for one in MUTANTS}
    faults = []
    for one in MUTANTS:
        try:
            one.applied(sources[one.file])
        except (ValueError, SyntaxError) as error:
            faults.append(str(error))
    assert not faults


def test_the_pages_and_tests_that_mutants_name_are_there() -> None:
    faults = []
    for one in MUTANTS:
        assert one.killed_by, one.name
        if not (HOME / one.page).exists():
            faults.append(f"{one.name}: {one.page}")
        for test in one.killed_by:
            path, *names = test.split("::")
            text = (HOME / path).read_text(encoding="utf-8") if (HOME / path).exists() else ""
            if not names or not all(f" {name}(" in text or f" {name}:" in text for name in names):
                faults.append(f"{one.name}: {test}")
    assert not faults


@pytest.mark.parametrize("promise", QUICK)
def test_a_mutant_dies_by_its_own_test(tree: Tree, promise: str) -> None:
    fate, told = tree.fate(named(promise))
    assert fate is Fate.KILLED, told


@pytest.mark.slow
def test_what_breaks_no_promise_survives_and_what_runs_no_test_is_no_death(tree: Tree) -> None:
    mutant = named(QUICK[0])
    harmless = replace(
        mutant,
        text='"A line was taken out or put in before it."',
        instead='"A line was taken out, or put in before it."',
    )
    assert tree.fate(harmless)[0] is Fate.SURVIVED
    path, *_ = mutant.killed_by[0].split("::")
    assert tree.fate(replace(mutant, killed_by=(f"{path}::test_of_nothing",)))[0] is Fate.FAULTY
    broken = replace(mutant, text="from hashlib import sha256", instead="from hashlib import sha")
    assert tree.fate(broken)[0] is Fate.FAULTY
    # and the tree is as before
    assert tree.fate(harmless)[0] is Fate.SURVIVED


@pytest.mark.parametrize("source", [HOME / "mpc" / "role.py"])
def test_a_tree_is_a_copy_and_the_program_itself_stays_as_it_is(
    tmp_path: Path, source: Path
) -> None:
    copied = Tree(tmp_path / "program").home / source.relative_to(HOME)
    assert copied.read_bytes() == source.read_bytes()
    assert not os.path.samefile(copied, source)


@pytest.mark.soak
@pytest.mark.parametrize(
    "path", sorted({test.split("::")[0] for m in MUTANTS for test in m.killed_by})
)
def test_the_tests_of_mutants_pass_where_no_promise_is_broken(tree: Tree, path: str) -> None:
    tests = {test for one in MUTANTS for test in one.killed_by if test.split("::")[0] == path}
    fate, told = tree.tested(sorted(tests), keep_compiled=True)
    assert fate is Fate.SURVIVED, told


@pytest.mark.soak
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: f"{one.kind}: {one.promise}")
def test_every_mutant_dies(tree: Tree, mutant: Mutant) -> None:
    fate, told = tree.fate(mutant)
    assert fate is Fate.KILLED, f"{mutant.name}: {fate.value}\n{told}"
