"""An owner takes part by the keyboard alone, by what a screen reader says.

The whole way, failures among it, is gone by what the browser tells screen readers (`python3
scripts/browser.py`, with every change), and its first part by Orca (`python3 scripts/browser.py
--orca`).
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.parties.site.key_files import public_of
from ppaurora.parties.study.study import Rule, Study
from ppaurora.protocols.options import Options
from tests.parties.desk.open_desk import desk_process
from tests.parties.desk.orca import orca
from tests.parties.desk.spoken import Hearing, Tree, enter, go_to
from tests.parties.reports.browsing import Browsing
from tests.parties.world import World, csv

pytestmark = [pytest.mark.browser, pytest.mark.zeromq]

OWNERS = ("north", "south", "west")
BACK = "Shift+Tab"


def take_part(hearing: Hearing, folder: Path, *, to_the_fault: bool = False) -> None:
    """From no key to a verified result, and every control and message by its words.

    Or only `to_the_fault` of the first list.
    """
    north = folder / "north"
    north.mkdir()
    with desk_process(north) as (address, _):
        hearing.open(address)
        go_to(hearing, "Status link", BACK)
        enter(hearing, 'Begin under "You" heading level 2')
        go_to(hearing, "You link", BACK)
        enter(hearing, "Begin heading level 2")
        field = go_to(hearing, "Your name, as in file names entry")
        assert "For example hospital-a" in field
        hearing.write("north")
        go_to(hearing, "What you do combo box")
        go_to(hearing, "An owner: the shortest list that you would send")
        hearing.write("10")
        go_to(hearing, "the fewest other owners that you would join")
        hearing.write("1")
        go_to(hearing, "Make my key push button")
        enter(hearing, "Working", "Done", "Pass north.key.pub on")
    publics = {"north": public_of(north / "north.key")}

    def change(study: Study) -> Study:
        entries = (
            replace(one, public=publics.get(one.name, one.public)) for one in study.participants
        )
        rule = Rule(least_owners=3, least_samples=150, least_list=40, most_share=0.5)
        options = Options(metrics=("auroc", "auroc_ci"))
        return replace(study, participants=tuple(entries), rule=rule, options=options)

    with World(folder, OWNERS, change=change) as world, desk_process(north) as (address, _):
        (north / "study.toml").write_text((folder / "study.toml").read_text())
        (north / "faulty.csv").write_text("score,label\n0.5,1\nNaN,0\n0.25,0\n")
        (north / "north.csv").write_text(csv(world.tables["north"]))
        hearing.open(address)
        go_to(hearing, "Study link", BACK)
        enter(hearing, "Study trial heading level 2")
        tick = go_to(hearing, "I have compared this hash")
        assert "check box not checked" in tick
        assert "checked" in hearing.press(" ")
        go_to(hearing, "Accept this study push button")
        enter(hearing, "Accepted", world.study.hash.hex())
        # a faulty list comes first, by its name
        go_to(hearing, "Your list link", BACK)
        enter(hearing, "Choose your list heading level 2")
        assert "faulty.csv" in go_to(hearing, "A list in")
        go_to(hearing, "Look at it push button")
        enter(hearing, "NaN, which is no score")
        if to_the_fault:
            return
        (north / "faulty.csv").unlink()
        go_to(hearing, "Your list link", BACK)
        enter(hearing, "Choose your list heading level 2")
        go_to(hearing, "A list in")
        go_to(hearing, "Look at it push button")
        enter(hearing, "north.csv heading level 2")
        assert hearing.reads("rows")
        go_to(hearing, "It is written so: check it push button")
        enter(hearing, "What will be sent heading level 2")
        assert hearing.reads("40 samples, which all parties will know")
        # no server is there
        go_to(hearing, "Send it in shares to")
        hearing.press(" ")
        go_to(hearing, "Send this list push button")
        enter(hearing, "is not running")
        world.start()
        go_to(hearing, "Send it in shares to")
        hearing.press(" ")
        go_to(hearing, "Send this list push button")
        enter(hearing, "Sent", "Stored by both proxies")
        go_to(hearing, "Status link", BACK)
        enter(hearing, "Study trial heading level 2")
        assert hearing.reads("not yet: south, west")
        go_to(hearing, "Table: Servers")
        go_to(hearing, "Table: Uploads")
        world.upload("south", "west")
        world.result("south")
        go_to(hearing, "Ask again push button")
        enter(hearing, "Study trial heading level 2")
        go_to(hearing, "Result link", BACK)
        enter(hearing, "Fetch or show a result heading level 2")
        go_to(hearing, "Fetch the result push button")
        enter(hearing, "Verified: signed by all three servers")
        assert hearing.reads(str(world.pooled()["auroc"]))


def test_the_whole_way_is_told_to_screen_readers(tmp_path: Path, browsing: Browsing) -> None:
    take_part(Tree(browsing), tmp_path)


@pytest.mark.skipif("PPAURORA_ORCA" not in os.environ, reason="by scripts/browser.py --orca")
def test_orca_says_the_way_to_a_fault(tmp_path: Path) -> None:
    """Beyond it Orca 43 says a field of the page where the browser has the heading focused."""
    (tmp_path / "study").mkdir()
    with orca(tmp_path) as hearing:
        take_part(hearing, tmp_path / "study", to_the_fault=True)
