"""Write, check and show the file all parties share."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ppaurora.mpc.address import split_address
from ppaurora.mpc.keys import PublicKey
from ppaurora.mpc.role import Role
from ppaurora.parties.columns.column import Extras, in_study
from ppaurora.parties.columns.group import GroupBy
from ppaurora.parties.commands.accept import accept, diff
from ppaurora.parties.commands.declared_options import with_declared_options
from ppaurora.parties.commands.end import end
from ppaurora.parties.commands.group import group
from ppaurora.parties.commands.options import ExplainOption, Format, is_named
from ppaurora.parties.commands.restart import restart
from ppaurora.parties.errors import ConfigurationError, PolicyRefusal
from ppaurora.parties.reports.console import err, out
from ppaurora.parties.reports.study_tables import show_study
from ppaurora.parties.site.key_files import read_public
from ppaurora.parties.site.keyring import Keyring
from ppaurora.parties.site.own_key import own_identity
from ppaurora.parties.site.passphrase import asked
from ppaurora.parties.site.policy import check_study, with_enough_samples
from ppaurora.parties.site.site import MOST_SAMPLES, Policy, Site
from ppaurora.parties.sources.source import Columns
from ppaurora.parties.study.converting import converted
from ppaurora.parties.study.learnt import study_ledger
from ppaurora.parties.study.parts import (
    About,
    ParticipantEntry,
    Rule,
    Scores,
    ServerEntry,
)
from ppaurora.parties.study.releases import next_opening
from ppaurora.parties.study.schedule import Schedule, day
from ppaurora.parties.study.study import Study
from ppaurora.parties.study.writing import study_text
from ppaurora.protocols.analyses.analysis import analyses
from ppaurora.protocols.evaluate import most_samples
from ppaurora.protocols.options import Options

app = group(__doc__)


FileArgument = Annotated[Path, typer.Argument(help="The study file.")]
ServerOption = Annotated[str, typer.Option(help="host:port=PUBLIC KEY or .pub file")]


@app.command()
@with_declared_options()
def new(
    context: typer.Context,
    file: FileArgument,
    id: Annotated[str, typer.Option(help="A short name, never used twice.")],
    p0: ServerOption,
    p1: ServerOption,
    helper: ServerOption,
    options: Options,
    scores: Scores,
    about: About,
    extra: Extras,
    rule: Rule,
    schedule: Schedule,
    owner: Annotated[
        list[str] | None, typer.Option(help="name=PUBLIC KEY or .pub file; one for each owner")
    ] = None,
    receiver: Annotated[
        list[str] | None, typer.Option(help="name=KEY: receives the result, uploads nothing")
    ] = None,
    title: Annotated[str, typer.Option(help="A title for people.")] = "",
    like: Annotated[
        Path | None,
        typer.Option(help="A list of yours: resolution, range and labels are as it has them."),
    ] = None,
    slots: Annotated[
        int, typer.Option(help="Sets of link ports: with more, beside sessions of other studies.")
    ] = 1,
) -> None:
    """Write a new study file with a comment on every option."""
    if not options.analysis and not is_named(context, "metric"):
        raise ConfigurationError(
            "Nothing is asked of the lists: what is told of them must be chosen",
            advice="Say --analysis validation (or another, see `ppaurora statistics`), or name "
            "each statistic with --metric.",
        )
    if like is not None:
        options, scores = _like(context, like, options, scores)
    participants = [_participant(text, uploads=True) for text in owner or []]
    participants += [_participant(text, uploads=False) for text in receiver or []]
    study = Study(
        id=id,
        title=title,
        options=options.with_table,
        scores=scores,
        rule=rule,
        servers=(
            _server(Role.P0, p0, slots),
            _server(Role.P1, p1, slots),
            _server(Role.HELPER, helper, slots),
        ),
        participants=tuple(participants),
        extra=in_study(extra, options),
        about=about,
        schedule=schedule,
    )
    asked = study
    if not any(is_named(context, name) for name in ("least-list", "least-samples", "group-least")):
        study = with_enough_samples(asked)
    _write(study, file)
    _tell_analysis(study)
    _tell_least(asked, study)
    _tell_refused(study)
    _tell_limit(study)
    _tell_schedule(study)
    _tell_notes(study, explain=False)
    err().print(f"Give {file} to every party; each checks it with `ppaurora study check {file}`.")


def _like(
    context: typer.Context, file: Path, options: Options, scores: Scores
) -> tuple[Options, Scores]:
    """The options with the resolution, the range and the labels of a list, unless they are said."""
    from ppaurora.parties.sources.looked import Looked

    found = Looked.at(file, Columns(), scores)
    chosen: dict[str, Any] = {"range": found.range, "resolution": found.resolution}
    chosen = {name: value for name, value in chosen.items() if not is_named(context, name)}
    if not is_named(context, "metric"):
        # those of an analysis depend on the range
        chosen["metrics"] = ()
    options = replace(options, **chosen)
    err().print(
        f"As in {file}: resolution {options.resolution}, range "
        f"{','.join(map(str, options.range))}. What another list has besides is refused there."
    )
    return options, found.columns.words(scores)


@app.command()
def extend(
    file: FileArgument,
    new: Annotated[Path, typer.Argument(help="The file to write.")],
    owner: Annotated[list[str], typer.Option(help="name=PUBLIC KEY or .pub file; repeatable")],
) -> None:
    """Write a version of a study with more owners, to take its place before it is computed."""
    before = Study.load(file)
    added = tuple(_participant(text, uploads=True) for text in owner)
    participants = (*before.participants, *added)
    _write(replace(before, participants=participants, follows=before.hash.hex()), new)
    err().print(
        f"Give {new} to every party; operators and owners run `ppaurora study accept {new}`."
    )


@app.command()
def convert(
    file: FileArgument, new: Annotated[Path, typer.Argument(help="The file to write.")]
) -> None:
    """Write a study file of an older version, which had modes and codes, in today's form."""
    try:
        text = converted(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{file} cannot be read ({type(error).__name__})", advice="Check the path you gave."
        ) from None
    _write(Study.parse(text, str(new)), new)
    err().print(
        f"Another study, with another hash: give {new} to every party, to check and accept it."
    )


@app.command()
def check(
    file: FileArgument,
    site: Annotated[
        Path | None, typer.Option("--site", "-s", help="Also: does it fit this site?")
    ] = None,
    explain: ExplainOption = False,
) -> None:
    """Check a study file, and whether it fits your site's key and policy; print its hash."""
    study = Study.load(file)
    if site is not None:
        _check_site(study, Site.load(site))
    out().print(study.hash.hex())
    _tell_limit(study)
    _tell_schedule(study)
    _tell_notes(study, explain=explain)


@app.command()
def show(file: FileArgument, format: Annotated[Format, typer.Option()] = Format.table) -> None:
    """Show a study: its hash, options, parties, fingerprints, and who learns what."""
    study = Study.load(file)
    if format is Format.table:
        show_study(study)
        return
    content = {
        "hash": study.hash.hex(),
        "study": study.content(),
        "ledger": study_ledger(study).to_json(),
    }
    out().print_json(json.dumps(content))


app.command()(accept)
app.command()(diff)
app.command()(end)
app.command()(restart)


def _write(study: Study, file: Path) -> None:
    """Write a new study file, if it can be read again, and print its hash."""
    if file.exists():
        raise ConfigurationError(
            f"{file} exists already and is left alone", advice="Choose another file name."
        )
    text = study_text(study)
    Study.parse(text, str(file))
    file.write_text(text, encoding="utf-8")
    out().print(study.hash.hex())


def _tell_analysis(study: Study) -> None:
    """Print the facts that the receivers of an analysis learn, for the person who decides."""
    if one := analyses().get(study.options.analysis):
        err().print(f"The receivers will learn {one.tells}.")


def _tell_least(asked: Study, study: Study) -> None:
    """Print which least sizes are larger than usual, and why."""
    if study == asked:
        return
    groups = [one.least for one in study.extra if isinstance(one, GroupBy)]
    in_group = f", and of a group {groups[0]} in all" if groups else ""
    err().print(
        f"note: an owner needs {study.rule.least_list} samples at least{in_group}: of fewer the "
        "numbers could tell labels, and a site's policy would send nothing. Fewer decimals or "
        "numbers need fewer samples; --least-list and --group-least say others."
    )


def _tell_refused(study: Study) -> None:
    """Print why owners would send nothing under the usual policy, and which sizes would do."""
    try:
        check_study(Policy(), study)
    except PolicyRefusal as refusal:
        err().print(
            f"note: as it stands, every owner with the usual policy refuses it. {refusal.what}."
            f"{_enough(study)}"
        )


def _enough(study: Study) -> str:
    """A sentence on the options under which the usual policy allows it, if sizes are enough."""
    larger = with_enough_samples(study)
    try:
        check_study(Policy(), larger)
    except PolicyRefusal:
        return ""
    said = []
    if larger.rule != study.rule:
        said.append(f"--least-list {larger.rule.least_list}")
    if larger.extra != study.extra:
        least = max(one.least for one in larger.extra if isinstance(one, GroupBy))
        said.append(f"--group-least {least}")
    return f" Its list would be sent with {' and '.join(said)}."


def _tell_limit(study: Study) -> None:
    """For how many samples the decimals are right, where servers would take more."""
    most = most_samples(study.options)
    if most < MOST_SAMPLES and not study.rule.most_samples:
        err().print(
            f"note: {study.options.decimals} decimals are right for {most} samples or fewer; "
            "servers refuse more. See most_samples under [rule]."
        )


def _tell_schedule(study: Study) -> None:
    """Print when the releases of a schedule open, and when the next one does."""
    if not study.scheduled:
        return
    first, last = study.schedule.periods[0], study.schedule.periods[-1]
    err().print(
        f"note: {study.schedule.releases} releases, of {first.name} to {last.name}; the first one "
        f"takes lists from {day(study.schedule.opens(first))} to "
        f"{day(study.schedule.closes(first))}. {next_opening(study, time.time())}"
    )


def _tell_notes(study: Study, *, explain: bool) -> None:
    """Print what the ledger says of the fewest samples that the study may have."""
    told = study_ledger(study)
    if told.summary:
        err().print(f"note: with as few samples as its rule allows: {told.summary}")
    for warning in told.warnings if explain else ():
        err().print(f"  {warning}")
    if told.warnings and not explain:
        err().print("note: `ppaurora study check FILE --explain` says what each number tells")


def _check_site(study: Study, site: Site) -> None:
    from ppaurora.parties.participant.participant import Participant

    keys = Keyring(site.keys).in_force()
    client = Participant(own_identity(site, asked), study, keys=keys)
    if client.role is None:
        check_study(site.policy, study)
    err().print(f"You are {client.name} in this study.")


def _split(text: str) -> tuple[str, PublicKey]:
    left, sign, key = text.partition("=")
    if not sign:
        raise ConfigurationError(
            f'"{text}" has no "=" between the name or address and the key',
            advice="For example --owner hospital-a=hospital-a.key.pub",
        )
    return left, read_public(key)


def _server(role: Role, text: str, slots: int) -> ServerEntry:
    left, public = _split(text)
    address = split_address(left)
    if address is None:
        raise ConfigurationError(
            f'"{left}" does not read host:port',
            advice=f"For example --{str(role).lower()} p0.example.org:7100=p0.key.pub",
        )
    host, port = address
    ports = tuple(range(port + 1, port + 1 + slots * (Role.HELPER - role)))
    return ServerEntry(role, str(role), public, host, port, ports)


def _participant(text: str, *, uploads: bool) -> ParticipantEntry:
    name, public = _split(text)
    return ParticipantEntry(name, public, uploads=uploads)
