"""Three institutions take part by the desk, in a real browser, against three real servers.

`python3 scripts/browser.py` runs these; they need a browser and axe-core, and fail without. With
PPAURORA_PICTURES=FOLDER each view is kept as a picture, at 320, 500 and 1280 pixels.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from ppaurora.parties.site.key_files import public_of
from ppaurora.parties.study.study import ParticipantEntry, Rule, Study
from ppaurora.protocols.options import Options
from tests.parties.desk.open_desk import desk_process
from tests.parties.reports.browsing import AUDIT, Browsing
from tests.parties.world import World, csv
from tests.until import until

pytestmark = [pytest.mark.browser, pytest.mark.zeromq]

OWNERS = ("north", "south", "west")
WIDTHS = (320, 500, 1280)
TOO_WIDE = """
[document.documentElement, ...document.querySelectorAll('main *')]
    .filter(one => !one.closest('.sheet') && !one.closest('svg'))
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1).map(one => one.outerHTML)
"""

SKIPPABLE = "NavigationEntryMarkedSkippable"
"""Said of links that a script follows, as these tests do, and nobody has clicked."""


class Sitting:
    """Somebody at a desk: what they click, type and read."""

    def __init__(self, browsing: Browsing, folder: Path, axe: str) -> None:
        self.browsing, self.folder, self.axe = browsing, folder, axe
        self.looked_at = 0

    def sit_down(self, address: str) -> None:
        self.browsing.open("about:blank")
        self.browsing.open(address)
        self.wait()

    def wait(self) -> None:
        """Until nothing goes on any more."""
        until(
            lambda: self.browsing.evaluate(
                "!document.querySelector('main').hasAttribute('aria-busy')"
                " && !!document.querySelector('main h2')"
            ),
            120,
        )

    def go(self, view: str) -> str:
        self.browsing.evaluate(f"document.querySelector('nav a[href=\"#{view}\"]').click()")
        # the hash changes in a task of its own
        until(lambda: self.browsing.evaluate(f"location.hash === '#{view}'"))
        self.browsing.evaluate("new Promise(done => setTimeout(done, 50))")
        self.wait()
        return self.text()

    def fill(self, **fields: str) -> None:
        for name, value in fields.items():
            self.browsing.evaluate(
                f"document.querySelector('[name={name}]').value = {json.dumps(value)}"
            )

    def tick(self, name: str) -> None:
        self.browsing.evaluate(f"document.querySelector('input[name={name}]').click()")

    def click(self, action: str) -> str:
        self.browsing.evaluate(f"document.querySelector('form[data-do={action}] button').click()")
        self.wait()
        return self.text()

    def begin_by_keyboard(self, name: str) -> str:
        """Fill in the first form without a mouse: the focus is on its heading, then goes on."""
        for typed in (name, "", "10", "1"):
            self.browsing.press("Tab")
            if typed:
                self.browsing.evaluate("document.activeElement.select()")
                self.browsing.ask("Input.insertText", text=typed)
        self.browsing.press("Tab", "Enter")
        until(lambda: "Done" in self.text())
        self.wait()
        return self.text()

    def give(self, kind: str, file: Path) -> str:
        self.browsing.give_file(f"#file-{kind}", file)
        self.browsing.evaluate("new Promise(done => setTimeout(done, 100))")
        self.wait()
        return self.text()

    def text(self) -> str:
        return str(self.browsing.evaluate("document.querySelector('main').innerText"))

    def look(self, name: str) -> None:
        """Nothing keeps anybody from reading this view, at any width, in light and in dark."""
        pictures = os.environ.get("PPAURORA_PICTURES")
        for scheme in ("light", "dark"):
            for width in WIDTHS:
                self.browsing.show(scheme, width=width)
                assert self.browsing.evaluate(TOO_WIDE) == [], (name, width)
                assert self.browsing.evaluate("document.documentElement.scrollWidth") <= width
                if pictures:
                    kept = Path(pictures) / f"{name}-{width}-{scheme}.png"
                    self.browsing.picture(kept)
            self.browsing.evaluate(self.axe + ";0")
            assert self.browsing.evaluate(AUDIT) == [], (name, scheme)
        self.browsing.show()
        self.looked_at += 1


def test_three_institutions_take_part_and_meet_every_failure(
    tmp_path: Path, browsing: Browsing, axe: str
) -> None:
    for name in (*OWNERS, "stranger"):
        (tmp_path / name).mkdir()

    def sitting(name: str) -> Sitting:
        return Sitting(browsing, tmp_path / name, axe)

    # everybody makes a key
    for name in (*OWNERS, "stranger"):
        one = sitting(name)
        with desk_process(one.folder) as (address, _):
            one.sit_down(address)
            if name == "north":
                one.look("begin")
            if name == "west":
                assert f"Pass {name}.key.pub on" in one.begin_by_keyboard(name)
                continue
            # south's site sends no short list
            one.fill(name=name, least="1000" if name == "south" else "10", others="1")
            assert f"Pass {name}.key.pub on" in one.click("init")
    publics = {name: public_of(tmp_path / name / f"{name}.key") for name in OWNERS}

    entries = tuple(ParticipantEntry(name, publics[name]) for name in OWNERS)

    def change(study: Study) -> Study:
        rule = Rule(least_owners=3, least_samples=150, least_list=40, most_share=0.5)
        return replace(
            study, participants=entries, rule=rule, options=Options(metrics=("auroc", "auroc_ci"))
        )

    with World(tmp_path, OWNERS, change=change) as world:
        study = tmp_path / "study.toml"
        faulty = tmp_path / "faulty.csv"
        faulty.write_text("score,label\n0.5,1\nNaN,0\n0.25,0\n")
        risk = csv(world.tables["west"]).replace("score,label", "risk;outcome").replace(",", ";")
        (tmp_path / "west" / "west.csv").write_text(risk)
        one = sitting("north")
        with desk_process(one.folder) as (address, _):
            one.sit_down(address)
            assert "fingerprint" in one.text()
            one.look("you")
            assert "study.toml is not in" in one.go("study")
            assert "is kept as study.toml" in one.give("bring", study)
            assert "You are north" in one.text(), one.text()[:1500]
            one.look("study")
            one.tick("compared")
            assert "Accepted" in one.click("accept")
            # a file with a fault
            one.go("list")
            assert "NaN, which is no score" in one.give("list", faulty)
            one.look("faulty")
            assert "score, from" in one.give("list", tmp_path / "north.csv")
            assert "40 samples, which all parties will know" in one.click("prepare")
            one.look("list")
            # no server is there yet
            assert "gives no status" in one.go("status")
            one.look("status-down")
            one.go("list")
            one.tick("agreed")
            assert "P0" in one.click("send")
            assert "Not done" in one.text()
            one.look("send-down")
            world.start()
            one.browsing.evaluate(
                "document.querySelector('form[data-do=send] [name=agreed]').click()"
            )
            assert "Stored by both proxies" in one.click("send")
            assert "not yet: south, west" in one.go("status")
            one.look("status-waiting")
            one.go("result")
            assert "Not done" in one.click("fetch")
        # somebody whose key is not in the study
        one = sitting("stranger")
        with desk_process(one.folder) as (address, _):
            one.sit_down(address)
            one.go("study")
            assert "is not in study" in one.give("bring", study)
            one.look("stranger")
        # a site whose policy forbids the list
        one = sitting("south")
        with desk_process(one.folder) as (address, _):
            one.sit_down(address)
            one.go("study")
            one.give("bring", study)
            one.go("list")
            one.give("list", tmp_path / "south.csv")
            assert "1000 samples" in one.click("prepare")
            assert "Nothing was sent" in one.text()
            one.look("policy")
            site = one.folder / "site.toml"
            text = site.read_text()
            site.write_text(text.replace("least_own_samples = 1000", "least_own_samples = 10"))
            one.go("list")
            one.click("prepare")
            one.tick("agreed")
            assert "Stored" in one.click("send")
        # a list in the folder, with a form of its own
        one = sitting("west")
        with desk_process(one.folder) as (address, _):
            one.sit_down(address)
            one.go("study")
            one.give("bring", study)
            one.go("list")
            assert "column risk" in one.click("look")
            one.click("prepare")
            one.tick("agreed")
            assert "Stored" in one.click("send")
            one.go("status")
            until(lambda: "computed" in one.click("ask"), 120)
            one.look("status-done")
            one.go("result")
            shown = one.click("fetch")
            assert "Verified: signed by all three servers" in shown
            value = str(world.pooled()["auroc"])
            assert value in shown
            one.look("result")
            assert value in one.click("show")
            # no request left this machine, and nothing was complained of
            assert {one.partition("/")[0] for one in browsing.requested} <= {"http:", "data:"}
            assert all(
                asked.startswith((address.partition("#")[0], "data:"))
                for asked in browsing.requested
            )
            assert [one for one in browsing.said if SKIPPABLE not in json.dumps(one)] == []
            # the address works once
            one.sit_down(address)
            assert "was used before" in one.text()
            one.look("used")
        saved = json.loads(next((tmp_path / "west" / "results").glob("*.json")).read_text())
        assert saved["study"]["id"] == world.study.id
        assert value in next((tmp_path / "west" / "results").glob("*.html")).read_text()
