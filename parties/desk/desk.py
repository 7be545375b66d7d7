"""The desk of one owner or receiver: what the commands do, asked for by forms instead.

Every action calls the functions that a command calls, and an error is told in the command's words.
One action runs at a time. Files are named by those that the desk itself has listed,
never by a path. Nothing that is shown holds a private key, a passphrase or a row of a list.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.keys import fingerprint
from ppaurora.mpc.printable import printable
from ppaurora.mpc.role import Role
from ppaurora.parties.columns.tag import JoinBy
from ppaurora.parties.desk.forms import (
    choice,
    file_field,
    form,
    lines_list,
    option_field,
    part,
    text_field,
    tick,
    told,
)
from ppaurora.parties.desk.own_scores import own_scores
from ppaurora.parties.errors import (
    ConfigurationError,
    DataError,
    KeyFault,
    TooEarly,
    TooManyConnections,
    Unreachable,
    sentence_of,
)
from ppaurora.parties.participant.agreement import Agreement
from ppaurora.parties.participant.all_releases import AllReleases, calendar_of
from ppaurora.parties.participant.checkup import Verdict, checkup
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.participant.prepared import Prepared
from ppaurora.parties.participant.ready import keepers, ready, withdrawal
from ppaurora.parties.private_file import make_private_folder, write_public
from ppaurora.parties.reports.files import page_of_file, read_text, result_in, write_report
from ppaurora.parties.reports.html import report_style, section_element
from ppaurora.parties.reports.markup import Element, element, written
from ppaurora.parties.reports.model import Facts, Paragraph, Section, Sheet
from ppaurora.parties.reports.study_status import status_pieces
from ppaurora.parties.reports.study_tables import assumed, learnt_bullets, study_sheets
from ppaurora.parties.reports.verification import proof_lines, released, saved_before, verified
from ppaurora.parties.requests.desk_listener import DeskFile, DeskWork, ListBody
from ppaurora.parties.site.beginning import (
    SITE_FILE,
    USUAL_LEAST_OWNERS,
    USUAL_LEAST_SAMPLES,
    Beginning,
    Task,
)
from ppaurora.parties.site.key_files import is_locked, public_of, public_path
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.policy import check_study
from ppaurora.parties.site.site import Policy, Site
from ppaurora.parties.sources.looked import Looked
from ppaurora.parties.sources.reader import file_source
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.learnt import study_ledger
from ppaurora.parties.study.parts import Scores
from ppaurora.parties.study.public_keys import public_text
from ppaurora.parties.study.releases import (
    next_opening,
    open_until,
    release_at,
    release_meant,
    releases_shown,
)
from ppaurora.parties.study.study import Study
from ppaurora.protocols.analyses.analysis import analyses
from ppaurora.protocols.lists.tags import Side

DROPPED = ".desk"
"""The folder, beside the site file, of the list that was dropped in: on the same disk as it."""
LISTS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", ".parquet", ".pq")
MOST_LISTED = 200
MOST_STUDY_LETTERS = 1 << 20
KEY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,62}")
NOT_IN_NAMES = re.compile(r"[^\w.() -]")
TITLES = {
    "you": "You", "study": "Study", "list": "Your list", "status": "Status", "result": "Result"
}  # fmt: skip
UNREAD = "It could not be read like this. Correct it, or say below how it is written."
ASK_OPERATOR = "Ask its operator whether it runs; then press the button again: nothing is lost."
SEE_STATUS = 'See "Status", and come back a little later.'
HOLDS = "holds"
RELEASE = "Which release (--release)"
HELD = (
    (Side.SCORES.word, "scores: another owner has the labels of these rows"),
    (Side.LABELS.word, "labels: another owner has the scores of these rows"),
    (Side.BOTH.word, "scores and labels of its rows"),
)
FOUND, TO_BE_SENT = "found", "to-be-sent"
SHOWN_BY = {"look": FOUND, "prepare": TO_BE_SENT}
"""The part of the view that an action adds, where the focus goes."""
Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class InView:
    """A list that was looked at: where it lies, how it is written, and what was found."""

    path: Path
    columns: Columns
    facts: tuple[tuple[str, str], ...]
    scores: Section | None = None

    @classmethod
    def of(cls, path: Path, found: Looked, scores: Scores) -> InView:
        """A list that could be read, with what was found in it."""
        facts = (("rows", str(found.rows)), *found.facts(scores))
        return cls(path, found.columns, facts, own_scores(found))


@dataclass(frozen=True, slots=True)
class ToSend:
    """A list that is ready to be sent, by whom, and what its owner was told of it."""

    owner: Participant
    prepared: Prepared
    lines: tuple[str, ...]


@dataclass(slots=True)
class Desk:
    """The desk in a folder, with what its person has done so far."""

    folder: Path
    _busy: threading.Lock = field(default_factory=threading.Lock)
    _progress: tuple[str, int, int] = ("", 0, 0)
    _passphrase: str = field(default="", repr=False)
    _chosen: str = ""
    _release: str = ""
    _looked: InView | None = None
    _ready: ToSend | None = None
    _fault: str = ""
    _begun: Fields = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder = self.folder.absolute()
        if not self.folder.is_dir():
            raise ConfigurationError(
                f"{self.folder} is no folder", advice="Make it first, for this study alone."
            )
        shutil.rmtree(self._dropped, ignore_errors=True)

    def close(self) -> None:
        """Delete the list that was dropped in; an upload that goes on is left to be repeated."""
        shutil.rmtree(self._dropped, ignore_errors=True)

    @property
    def _dropped(self) -> Path:
        return self.folder / DROPPED

    @property
    def files(self) -> dict[str, DeskFile]:
        """The page, its style and its script."""
        own = files(__package__)
        style = report_style() + (own / "desk.css").read_text(encoding="utf-8")
        page, script = (
            (own / name).read_text(encoding="utf-8") for name in ("desk.html", "desk.js")
        )
        return {
            "/": DeskFile(page, "text/html"),
            "/desk.css": DeskFile(style, "text/css"),
            "/desk.js": DeskFile(script, "text/javascript"),
        }

    @property
    def work(self) -> DeskWork:
        """The work behind the page."""
        return DeskWork(self.do, self.progress, self.take)

    # -- asked by the page -------------------------------------------------------------------------

    def do(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Do what a form asks for, if anything, and show a view."""
        view, action, fields = (asked.get(name) for name in ("view", "do", "fields"))
        named = {
            str(name): value
            for name, value in (fields if isinstance(fields, dict) else {}).items()
            if isinstance(value, str)
        }
        shown = view if isinstance(view, str) and view in TITLES else "you"
        wanted = action if isinstance(action, str) else ""
        return self._alone(partial(self._answer, shown, wanted, named))

    def progress(self) -> Mapping[str, Any]:
        """The progress of what goes on."""
        words, done, total = self._progress
        return {"words": words, "done": done, "total": total}

    def take(self, name: str, body: ListBody) -> Mapping[str, Any]:
        """Take a list that was dropped in, and look at it."""
        keep = partial(self._keep, name, body)
        return self._alone(partial(self._answer, "list", "look", {}, keep))

    def _alone(self, work: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        if not self._busy.acquire(blocking=False):
            return {"busy": f"Still at work: {self._progress[0] or 'wait a moment'}"}
        try:
            return work()
        finally:
            self._progress = ("", 0, 0)
            self._busy.release()

    def _answer(
        self,
        view: str,
        action: str,
        fields: Fields,
        work: Callable[[], Element | None] | None = None,
    ) -> Mapping[str, Any]:
        shown: list[Element] = []
        if work is None and action in ACTIONS:
            work = partial(ACTIONS[action], self, fields)
        self._fault = ""
        try:
            if work is not None:
                shown += filter(None, [work()])
        except Exception as error:
            self._fault = _said(error)
            shown.append(_not_done(error))
        try:
            begun = view == "you" or self._site_path.exists()
            shown += VIEWS[view](self) if begun else [_begin_first()]
        except Exception as error:
            shown.append(_not_done(error, "This cannot be shown"))
        return {
            "html": "".join(text for one in shown for text in written(one)),
            "title": TITLES[view],
            "at": SHOWN_BY.get(action, ""),
        }

    # -- what is there -----------------------------------------------------------------------------

    @property
    def _site_path(self) -> Path:
        return self.folder / SITE_FILE

    def _site(self) -> Site:
        return Site.load(self._site_path)

    def _study_path(self, site: Site) -> Path:
        """The study that was chosen, or else the only one."""
        named = {path.name: path for path in site.studies}
        return named.get(self._chosen) or (
            site.studies[0] if len(site.studies) == 1 else site.only_study
        )

    def _opened(self, path: Path) -> str:
        """The passphrase of a locked key."""
        if not self._passphrase:
            raise KeyFault(
                f"The key in {path} is locked with a passphrase, and it was not given yet",
                advice='Type it under "You".',
            )
        return self._passphrase

    def _participant(self) -> Participant:
        """The participant in the study, or in its release that was chosen or else is open."""
        return self._in_release(self._release)

    def _in_release(self, name: str) -> Participant:
        path = self._study_path(self._site())
        return Participant.of(self._site_path, path, name, self._opened)

    def _in_any_release(self) -> Participant:
        """The participant in the study, or in the release that opened last."""
        return self._in_release(release_at(self._agreed_on(), time.time()).period)

    def _agreed_on(self) -> Study:
        """The study; one with a schedule as the agreement that it is."""
        return Study.load(self._study_path(self._site()))

    def _scheduled(self) -> Study | None:
        """The study if it has a schedule; None if not, and if there is none yet."""
        with contextlib.suppress(AuroraError):
            return agreed if (agreed := self._agreed_on()).scheduled else None
        return None

    def _joins(self) -> bool:
        """Return whether the study joins lists: then an owner may hold one half of each row."""
        return any(isinstance(one, JoinBy) for one in self._agreed_on().extra)

    def _lists(self) -> dict[str, Path]:
        """The lists in the folder and the one that was dropped in, by their names."""
        found = {}
        for folder in (self.folder, self._dropped):
            for path in sorted(folder.glob("*"))[:MOST_LISTED]:
                if path.name.lower().endswith(LISTS) and path.is_file():
                    found[path.name] = path
        return found

    def _results(self, site: Site) -> dict[str, Path]:
        return {path.name: path for path in sorted(site.results.glob("*.json"))[-MOST_LISTED:]}

    # -- actions -----------------------------------------------------------------------------------

    def _init(self, fields: Fields) -> Element:
        self._begun = fields
        name = fields.get("name", "")
        if name and not KEY_NAME.fullmatch(name):
            raise ConfigurationError(
                "A name here has letters, digits, - and _ only", advice="For example hospital-a."
            )
        task = Task(fields["task"]) if fields.get("task") in (*Task,) else Task.owner
        beginning = Beginning.of(self.folder, name, "study.toml")
        key = beginning.key_named(name)
        had_key = key.exists()
        task = beginning.task(key, task if beginning.study is None else None) or task
        least = [
            _whole(fields, name, usual)
            for name, usual in (("least", USUAL_LEAST_SAMPLES), ("others", USUAL_LEAST_OWNERS))
        ]
        beginning.make(key, task, *least)
        made = "exists already, and is kept" if had_key else "was made, for you alone"
        return told(
            "Done",
            [
                f"{key.name} {made}. Pass {public_path(key).name} on to the study's author, "
                "and no other file."
            ],
        )

    def _unlock(self, fields: Fields) -> Element:
        typed = fields.get("passphrase", "")
        own_identity(self._site(), lambda _: typed)
        self._passphrase = typed
        return told("Done", ["The key is open until the desk is closed."])

    def _doctor(self, _: Fields) -> Element:
        found = checkup(self._site_path, self._study_path(self._site()), passphrase=self._opened)
        rows, wrong = [], False
        for one in found:
            self._progress = (f"checked: {one.about}", 0, 0)
            rows.append((one.about, str(one.verdict), printable(one.seen, 500)))
            wrong |= one.verdict is Verdict.WRONG
        sheet = Sheet("checks", "Checks", ("check", "verdict", "seen"), tuple(rows))
        title = "Something is wrong" if wrong else "Everything is ready"
        return section_element(Section("checks", title, (sheet,), alarming=wrong))

    def _bring(self, fields: Fields) -> Element:
        text = fields.get("text", "")
        site = self._site()
        place = next((path for path in site.studies if not path.exists()), None)
        if place is None and _sent_from(site):
            raise ConfigurationError(
                f"{site.studies[0].name} is there already, and a list was sent from this folder",
                advice="Withdraw the list first, or make another folder for another study.",
            )
        if len(text) > MOST_STUDY_LETTERS:
            raise ConfigurationError("This is larger than any study", advice="Choose study.toml.")
        study = Study.parse(text, printable(fields.get("name", "this file"), 80))
        kept = place or self._study_path(site)
        write_public(kept, text.encode())
        # what was ready was so for the study before
        self._release, self._looked, self._ready = "", None, None
        instead = "" if place else ", in place of the one before"
        return told("Done", [f"Study {study.id} is kept as {kept.name}{instead}."])

    def _choose(self, fields: Fields) -> None:
        self._chosen, self._release = fields.get("study", ""), ""
        self._looked = self._ready = None

    def _take_release(self, fields: Fields) -> None:
        named = release_meant(self._agreed_on(), fields.get("release", ""), time.time())
        # a list is of one release, so what was ready for another one is not
        self._release, self._looked, self._ready = named.period, None, None

    def _accept(self, fields: Fields) -> Element:
        site = self._site()
        study = Study.load(self._study_path(site))
        _agreed(fields, "compared", "Compare hash and fingerprints with the others by telephone")
        if fields.get("hash") != study.hash.hex():
            raise ConfigurationError(
                "The study's file has changed since it was shown", advice="Read it again."
            )
        said = Agreement.of(site, study, self._opened).accept()
        return told("Accepted", filter(None, [study.hash.hex(), said]))

    def _look(self, fields: Fields) -> None:
        path = self._lists().get(fields.get("file", ""))
        if path is None:
            raise DataError("There is no such list here", advice="Choose one of those shown.")
        self._look_at(path)

    def _look_at(self, path: Path) -> None:
        self._progress = (f"reading {path.name}", 0, 0)
        site = self._site()
        # what is wrong with it may be only how it is said to be written
        self._looked, self._ready = InView(path, site.columns, ()), None
        scores = self._agreed_on().scores
        self._looked = InView.of(path, Looked.at(path, site.columns, scores), scores)

    def _keep(self, name: str, body: ListBody) -> None:
        """Keep a list that comes in, beside the site file, and look at it."""
        plain = NOT_IN_NAMES.sub("_", unquote(name).replace("\\", "/").rpartition("/")[2])[-80:]
        plain = plain.lstrip(". ")
        if not plain.lower().endswith(LISTS):
            raise DataError(
                "The desk takes lists as text or Parquet", advice=f"Name it {', '.join(LISTS)}."
            )
        self._looked = self._ready = None
        shutil.rmtree(self._dropped, ignore_errors=True)
        if body.left > shutil.disk_usage(self.folder).free:
            raise DataError("The list does not fit on this disk", advice="Make room for it.")
        make_private_folder(self._dropped)
        path = self._dropped / plain
        try:
            with open(path, "xb", opener=_private) as file:
                while piece := body.read():
                    file.write(piece)
        except BaseException:
            shutil.rmtree(self._dropped, ignore_errors=True)
            raise
        self._look_at(path)

    def _prepare(self, fields: Fields) -> None:
        looked, self._ready = self._looked, None
        if looked is None:
            raise DataError("No list was looked at", advice="Choose one first.")
        said = {
            name: _typed(one.kind, fields.get(name, ""))
            for name, one in Columns.options().items()
            if name in fields or one.kind is bool
        }
        columns = replace(looked.columns, **said)  # type: ignore[arg-type]
        if columns != looked.columns:
            # what was found is not so if it is written otherwise
            self._looked = InView(looked.path, columns, ())
        self._progress = (f"reading {looked.path.name}, and splitting it", 0, 0)
        lines: list[str] = []
        owner = self._participant()
        source = file_source(looked.path, columns)
        prepared = ready(owner, source, lines.append, one_class=fields.get("one_class") == "yes")
        with contextlib.suppress(AuroraError):  # the study may take less than is shown
            found = Looked.written(looked.path, columns, owner.study.scores)
            self._looked = InView.of(looked.path, found, owner.study.scores)
        self._ready = ToSend(owner, prepared, tuple(lines))

    def _send(self, fields: Fields) -> Element:
        sending = self._ready
        if sending is None:
            raise DataError("No list is ready to be sent", advice="Choose and check one first.")
        _agreed(fields, "agreed", "Nothing is sent without your consent")

        def report(done: int, total: int) -> None:
            self._progress = (f"sending: {done:,} of {total:,} bytes are there", done, total)

        report(0, sending.prepared.size)
        with sending.owner as owner:
            owner.send(sending.prepared, report)
        self._ready = self._looked = None
        shutil.rmtree(self._dropped, ignore_errors=True)
        return told("Sent", [f"Stored by {keepers(sending.owner.study)}."])

    def _withdraw(self, fields: Fields) -> Element:
        _agreed(fields, "agreed", "Nothing is withdrawn without your consent")
        self._progress = ("withdrawing", 0, 0)
        with self._participant() as owner:
            return told("Withdrawal", [withdrawal(owner)])

    def _fetch(self, _: Fields) -> Element:
        self._progress = ("asking both proxies for the result", 0, 0)
        with self._participant() as receiver:
            path = self._site().results / f"{receiver.study.id}.json"
            try:
                fetched = receiver.result()
            except Exception:
                if saved_before(receiver.study, path, receiver.keys) is None:
                    raise
            else:
                fetched.save(path)
                receiver.saved(fetched.session)
            return self._shown(path, receiver)

    def _compute(self, fields: Fields) -> Element:
        _agreed(fields, "agreed", "Lists that come later are not in the result")
        with self._participant() as own:
            own.compute()
            about = f"Study {own.study.id}: P0 starts as soon as all three servers can."
        return told("Asked", [about])

    def _trend(self, _: Fields) -> Element:
        results, agreed = self._site().results, self._agreed_on()
        lines: list[str] = []

        def tell(line: str) -> None:
            lines.append(line)
            self._progress = (line, 0, 0)

        self._progress = ("asking for each release's result", 0, 0)
        found = AllReleases.fetched(agreed, time.time(), results, self._in_release, tell)
        page = found.trend
        (report,) = write_report(page, html=results / f"{agreed.id}.trend.html")
        verified_all = (
            f"{len(found.texts)} of {len(found.opened)} releases that have opened have a result, "
            f"each signed by all three servers. The report is kept as {report.name}."
        )
        return element(
            "div",
            told("Verified: the trend", [verified_all, *lines]),
            part(page.title, element("p", page.subtitle, class_="subtitle")),
            *map(section_element, page.sections),
        )

    def _show(self, fields: Fields) -> Element:
        path = self._results(self._site()).get(fields.get("file", ""))
        if path is None:
            raise DataError("There is no such result here", advice="Choose one of those shown.")
        with self._in_any_release() as receiver:
            return self._shown(path, receiver)

    def _shown(self, path: Path, receiver: Participant) -> Element:
        """The report of a saved result, which is verified and written as a file, too."""
        with result_in(path):
            text = read_text(path)
            agreed_on = released(text, receiver.study.agreement)
            proof = verified(text, agreed_on, receiver.keys.ever_of_servers(agreed_on))
        page = page_of_file(path, text)
        (report,) = write_report(page, html=path.with_suffix(".html"))
        signed = told(
            "Verified: signed by all three servers",
            [
                f"{path.name}, of study {agreed_on.id}. The report is kept as {report.name}.",
                *(f"{role}: {fingerprint(proof.keys[role])}" for role in Role),
            ],
        )
        shown = element(
            "details",
            element("summary", "What they have signed"),
            lines_list(proof_lines(agreed_on, proof)),
        )
        title = part(page.title, element("p", page.subtitle, class_="subtitle"), shown)
        return element("div", signed, title, *map(section_element, page.sections))

    # -- views -------------------------------------------------------------------------------------

    def _view_you(self) -> Iterator[Element]:
        if not self._site_path.exists():
            yield part(
                "Begin",
                element(
                    "p",
                    f"A private key and a site file are made in {self.folder}. "
                    "Nothing that exists is touched.",
                ),
                form(
                    "init",
                    "Make my key",
                    text_field(
                        "name",
                        "Your name, as in file names",
                        self._begun.get("name", ""),
                        hint="For example hospital-a",
                    ),
                    choice(
                        "task",
                        "What you do",
                        [
                            (Task.owner, "I have a list, and may receive the result"),
                            (Task.receiver, "I receive the result only"),
                        ],
                        self._begun.get("task", ""),
                    ),
                    text_field(
                        "least",
                        "An owner: the shortest list that you would send",
                        self._begun.get("least", str(USUAL_LEAST_SAMPLES)),
                        kind="number",
                    ),
                    text_field(
                        "others",
                        "An owner: the fewest other owners that you would join",
                        self._begun.get("others", str(USUAL_LEAST_OWNERS)),
                        kind="number",
                    ),
                ),
            )
            return
        site = self._site()
        public = public_of(site.key)
        yield section_element(
            Section(
                "key",
                "Your key",
                (
                    Facts(
                        (
                            ("private key", f"{site.key.name}: for you alone"),
                            ("to be passed on", public_path(site.key).name),
                            ("public key", public_text(public)),
                            ("fingerprint", fingerprint(public)),
                        )
                    ),
                    Paragraph(
                        "Compare the fingerprint by telephone with whoever has your public key."
                    ),
                ),
            )
        )
        if is_locked(site.key) and site.keys.passphrase_file is None and not self._passphrase:
            yield form(
                "unlock",
                "Open the key",
                text_field("passphrase", "Passphrase of your key", kind="password"),
            )
        yield section_element(
            Section("policy", "What your site allows", (Facts((*_policy(site.policy),)),))
        )
        yield form("doctor", "Check key, study, servers and clocks")

    def _view_study(self) -> Iterator[Element]:
        site = self._site()
        missing = [path.name for path in site.studies if not path.exists()]
        if missing:
            yield part(
                "The study's file",
                element(
                    "p",
                    f"{missing[0]} is not in {self.folder}. "
                    "The study's author gives it to everybody.",
                ),
                file_field("bring", "Choose the study's file, or drop it here", ".toml"),
            )
        there = [path.name for path in site.studies if path.exists()]
        if len(there) > 1:
            yield form(
                "choose",
                "Take this study",
                choice("study", "Which study", [(one, one) for one in there], self._chosen),
            )
        if not there or (len(there) > 1 and self._chosen not in there):
            return
        if not missing and not _sent_from(site):
            yield element(
                "details",
                element("summary", "Choose another study's file"),
                file_field("bring", "It is kept in place of this one", ".toml"),
            )
        study = Study.load(self._study_path(site))
        yield from self._part_in(site, study)
        options, parties = study_sheets(study)
        said = analyses().get(study.options.analysis)
        yield section_element(
            Section(
                "learnt",
                "Who learns what",
                (
                    *([Paragraph(f"The receivers will learn {said.tells}.")] if said else []),
                    *([Paragraph(note)] if (note := study_ledger(study).summary) else []),
                    learnt_bullets(study),
                    *map(Paragraph, assumed(study)),
                ),
            )
        )
        yield section_element(Section("parties", "Who takes part", (parties,)))
        yield section_element(Section("options", "All that was agreed on", (options,)))

    def _part_in(self, site: Site, study: Study) -> Iterator[Element]:
        """The study's name and hash, and what this site has to do with it."""
        yield part(
            f"Study {study.id}",
            element("p", study.title) if study.title else None,
            element("p", "Its hash, which all parties compare:"),
            element("p", " ".join(re.findall(".{8}", study.hash.hex())), class_="hash"),
        )
        try:
            agreement = Agreement.of(site, study, self._opened)
            own = agreement.participant
            if own.role is None and own.member.entry.uploads:
                check_study(site.policy, study)
        except Exception as error:
            yield _not_done(error, "Your part in it")
            return
        if agreement.accepted.find(study.hash) is not None:
            yield told("Your part in it", [f"You are {own.name}. You have accepted this study."])
            return
        yield part(
            "Your part in it",
            element("p", f"You are {own.name}. Your site's policy allows this study."),
            form(
                "accept",
                "Accept this study",
                element("input", type="hidden", name="hash", value=study.hash.hex()),
                tick(
                    "compared",
                    "I have compared this hash, and the fingerprints below, with the others by "
                    "telephone.",
                    required=True,
                ),
            ),
        )

    def _release_part(self) -> Iterator[Element]:
        """The release of a schedule that the view is about, and the others that have opened."""
        agreed, now = self._scheduled(), time.time()
        if agreed is None:
            return
        schedule = agreed.schedule
        opened = schedule.opened_at(now)
        one = self._release or (still[0].name if len(still := schedule.open_at(now)) == 1 else "")
        told_of = open_until(agreed, schedule.period(one), now) if one else ""
        offered = [(period.name, open_until(agreed, period, now)) for period in reversed(opened)]
        yield part(
            f"Release {one}" if one else "Choose a release",
            element("p", f"Everything here is of one release: {told_of}.") if one else None,
            element("p", next_opening(agreed, now)),
            form("release", "Take this release", choice("release", RELEASE, offered, one))
            if offered
            else None,
        )

    def _view_list(self) -> Iterator[Element]:
        yield from self._release_part()
        there = [(name, name) for name in self._lists()]
        yield part(
            "Choose your list",
            element(
                "p", "It stays on this machine. What is sent are two shares, each random by itself."
            ),
            form("look", "Look at it", choice("file", f"A list in {self.folder}", there))
            if there
            else None,
            file_field("list", "Or choose a file, or drop it here", ",".join(LISTS)),
        )
        looked = self._looked
        if looked is not None:
            unseen = UNREAD if self._ready is None else "It was read as it is said below."
            found = Facts(looked.facts) if looked.facts else Paragraph(unseen)
            yield section_element(Section(FOUND, looked.path.name, (found,)))
            if looked.scores is not None:
                yield section_element(looked.scores)
            options = {name: one for name, one in Columns.options().items() if name != HOLDS}
            values = [
                option_field(one, getattr(looked.columns, name)) for name, one in options.items()
            ]
            named = set(re.findall("--([a-z][a-z-]*)", self._fault))
            asked_for = not named.isdisjoint(one.flag for one in options.values())
            yield form(
                "prepare",
                "It is written so: check it",
                choice(HOLDS, "This list holds (--holds)", HELD, looked.columns.holds)
                if self._joins()
                else None,
                element(
                    "details",
                    element("summary", "How the list is written"),
                    *values,
                    open="" if asked_for else None,
                ),
                tick("one_class", "All labels being equal is no mistake (--one-class)"),
            )
        if self._ready is not None:
            study = self._ready.owner.study
            who = ", ".join(
                f"{study.server(role).operator} ({role})"
                for role in self._ready.prepared.at_servers
            )
            yield part(
                "What will be sent",
                lines_list(self._ready.lines),
                form(
                    "send",
                    "Send this list",
                    tick(
                        "agreed",
                        f"Send it in shares to {who}. I have read who learns what of it.",
                        required=True,
                    ),
                ),
                key=TO_BE_SENT,
            )
        yield element(
            "details",
            element("summary", "Withdraw what was sent"),
            form(
                "withdraw",
                "Withdraw my upload",
                tick("agreed", "All servers shall delete my upload.", required=True),
            ),
        )

    def _view_status(self) -> Iterator[Element]:
        yield from self._calendar()
        yield from self._release_part()
        self._progress = ("asking all three servers", 0, 0)
        agreed, now = self._agreed_on(), time.time()
        shown = [one.period for one in releases_shown(agreed, now)]
        for period in [self._release] if self._release else shown:
            with self._in_release(period) as own:
                pieces = tuple(status_pieces(own.status(), own.study))
                warnings = tuple(map(Paragraph, own.member.key_warnings))
            key = f"now-{period}" if period else "now"
            yield section_element(Section(key, f"Study {own.study.id}", (*pieces, *warnings)))
        yield form("ask", "Ask again")
        if agreed.rule.start == "request":
            yield form(
                "compute",
                "Have it computed",
                tick("agreed", "Compute it with the lists that are there.", required=True),
            )

    def _calendar(self) -> Iterator[Element]:
        """All releases of a schedule, and what this site has sent and saved of each."""
        agreed = self._scheduled()
        if agreed is not None:
            with self._in_any_release() as own:
                sheet = calendar_of(own, time.time(), self._site().results)
            yield section_element(Section("releases", f"Releases of {agreed.id}", (sheet,)))

    def _view_result(self) -> Iterator[Element]:
        yield from self._release_part()
        there = [(name, name) for name in self._results(self._site())]
        yield part(
            "Fetch or show a result",
            element(
                "p",
                "Both proxies give a share; they are put together on this machine, and verified.",
            ),
            form("fetch", "Fetch the result"),
            form("trend", "Fetch all releases, and show the trend")
            if self._scheduled() is not None
            else None,
            form("show", "Verify and show", choice("file", "A saved result", there))
            if there
            else None,
        )


def _policy(policy: Policy) -> Iterator[tuple[str, str]]:
    """The site's policy in words; what breaks it is refused before anything is sent."""
    yield "shortest list", f"{policy.least_own_samples} samples"
    yield "fewest other owners", str(policy.least_other_owners)
    usual = "any that together tell little of few samples"
    yield "statistics", ", ".join(policy.metrics) or usual
    yield "most decimals", str(policy.most_decimals)
    if policy.most_epsilon is not None:
        yield "privacy budget", f"ε {float(policy.most_epsilon):g}, of data set {policy.data_set}"
    if policy.same_cuts:
        yield "cuts", f"the same in all studies of data set {policy.data_set}"


def _begin_first() -> Element:
    """The part that stands in every view but the first one as long as there is no key."""
    return part('Begin under "You"', element("p", "Make your key there; then come back here."))


def _sent_from(site: Site) -> bool:
    """Return whether an upload of this site is under way or was sent, and was not withdrawn."""
    return any(site.participant_state.glob("*.secret"))


def _not_done(error: Exception, title: str = "Not done") -> Element:
    return told(title, [_said(error)], alarming=True)


def _said(error: Exception) -> str:
    """The error in words, with the page's own advice where that of a terminal does not help."""
    match error:
        case TooManyConnections():
            pass
        case Unreachable():
            error.advice = ASK_OPERATOR
        case TooEarly() if "`ppaurora" in error.advice:
            error.advice = SEE_STATUS
    return sentence_of(error)


def _agreed(fields: Fields, name: str, advice: str) -> None:
    if fields.get(name) != "yes":
        raise ConfigurationError("You have not ticked the sentence", advice=f"{advice}.")


def _whole(fields: Fields, name: str, usual: int) -> int:
    text = fields.get(name, "").strip() or str(usual)
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ConfigurationError(f"{printable(text, 20)} is no whole number", advice="Correct it.")
    return int(text)


def _typed(kind: type, text: str) -> object:
    """The typed text as the option has it."""
    if kind is bool:
        return text == "yes"
    if kind is tuple:
        return tuple(one.strip() for one in text.split(";") if one.strip())
    return text


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


ACTIONS: dict[str, Callable[[Desk, Fields], Element | None]] = {
    "init": Desk._init,
    "unlock": Desk._unlock,
    "doctor": Desk._doctor,
    "bring": Desk._bring,
    "choose": Desk._choose,
    "release": Desk._take_release,
    "accept": Desk._accept,
    "look": Desk._look,
    "prepare": Desk._prepare,
    "send": Desk._send,
    "withdraw": Desk._withdraw,
    "compute": Desk._compute,
    "fetch": Desk._fetch,
    "trend": Desk._trend,
    "show": Desk._show,
}
VIEWS: dict[str, Callable[[Desk], Iterable[Element]]] = {
    "you": Desk._view_you,
    "study": Desk._view_study,
    "list": Desk._view_list,
    "status": Desk._view_status,
    "result": Desk._view_result,
}
