"""The code makes the bytes of the test vectors, and refuses each that has to be refused."""

from __future__ import annotations

import hmac
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR

from ppaurora.mpc.errors import AuroraError, BadFrame
from ppaurora.mpc.handshake import Hello
from ppaurora.mpc.keys import PublicKey, verify
from ppaurora.mpc.link.frame import Abort, Header
from ppaurora.mpc.local import run_local
from ppaurora.mpc.party import Party
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import ConfigurationError, KeyFault
from ppaurora.parties.evidence.statement import checked
from ppaurora.parties.participant.fetching import Fetching
from ppaurora.parties.participant.participant import Participant
from ppaurora.parties.requests.messages import ResultPart
from ppaurora.parties.requests.session_facts import Signed
from ppaurora.parties.requests.wire import decode_reply, open_envelope
from ppaurora.parties.site.key_files import load_identity
from ppaurora.parties.site.site import Policy
from ppaurora.parties.study.canonical import content_of
from ppaurora.parties.study.public_keys import parse_public
from ppaurora.parties.study.runs import StudyRun
from ppaurora.parties.study.study import Study
from ppaurora.protocols.errors import DataRefused, ShareRefused
from ppaurora.protocols.lists.outsourcing import SHARE_OF, received
from ppaurora.protocols.lists.scale import encode
from ppaurora.protocols.lists.verdicts import Verdicts, judged
from ppaurora.protocols.release.values import Interval, Released
from tests.vectors.example_studies import EXAMPLES, OWNER, SECRET
from tests.vectors.make import FILES, FOLDER, text_of


@cache
def vectors(name: str) -> Any:
    """The vectors of a file, as any program reads them."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="ascii"))


@cache
def study_of(name: str) -> Study:
    """A study of the vectors, from its canonical text."""
    [text] = [one["canonical"] for one in vectors("study")["good"] if one["name"] == name]
    return Study.restore(text.encode(), name)


def cases(name: str, entry: str) -> Any:
    """A test for each of these vectors, called by what it is."""
    return pytest.mark.parametrize(
        "case", vectors(name)[entry], ids=lambda one: one.get("why") or one.get("name")
    )


@pytest.mark.parametrize("name", FILES)
def test_the_code_makes_these_very_bytes(name: str) -> None:
    renew = "run `.venv/bin/python -m tests.vectors.make --write`"
    assert text_of(name) == (FOLDER / f"{name}.json").read_text(encoding="ascii"), renew


def test_every_file_is_made_and_there_is_no_other() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(FILES)


# -- keys ------------------------------------------------------------------------------------------


@cases("keys", "refused_private")
def test_no_other_line_is_a_private_key(case: Mapping[str, str], tmp_path: Path) -> None:
    path = tmp_path / "a.key"
    path.touch(mode=0o600)
    path.write_text(case["line"])
    with pytest.raises(KeyFault):
        load_identity(path)


@cases("keys", "refused_public")
def test_no_other_line_is_a_public_key(case: Mapping[str, str]) -> None:
    with pytest.raises(KeyFault):
        parse_public(case["line"])


def test_the_lines_are_read_and_the_signatures_are_of_their_messages(tmp_path: Path) -> None:
    for number, case in enumerate(vectors("keys")["good"]):
        (path := tmp_path / f"{number}.key").touch(mode=0o600)
        path.write_text(case["private_line"] + "\n")
        public = parse_public(case["public_line"])
        assert load_identity(path).public == public
        assert public.to_bytes().hex() == case["exchange"] + case["signing"]
        message, signature = (bytes.fromhex(case[name]) for name in ("message", "signature"))
        assert verify(public, message, signature)
    for case in vectors("keys")["refused_signature"]:
        assert not verify(public, bytes.fromhex(case["message"]), bytes.fromhex(case["by"]))


# -- what travels ----------------------------------------------------------------------------------

DECODERS: Mapping[tuple[str, str], Callable[[bytes], object]] = {
    ("frame", "refused"): Header.decode,
    ("frame", "refused_aborts"): Abort.decode,
    ("hello", "refused"): Hello.decode,
    ("requests", "refused"): lambda data: open_envelope(data).request(),
    ("requests", "refused_replies"): decode_reply,
}


@pytest.mark.parametrize(("name", "entry"), DECODERS)
def test_what_has_to_be_refused_is_no_message(name: str, entry: str) -> None:
    assert vectors(name)[entry]
    for case in vectors(name)[entry]:
        with pytest.raises(BadFrame):
            DECODERS[name, entry](bytes.fromhex(case["bytes"]))


def test_requests_and_replies_come_back() -> None:
    for entry, decode in (
        ("good", lambda data: open_envelope(data).request()),
        ("replies", decode_reply),
    ):
        for case in vectors("requests")[entry]:
            found = decode(bytes.fromhex(case["bytes"]))
            assert type(found).__name__ == case["name"]
            assert [one.name for one in fields(found)] == [*case["fields"]]


# -- studies ---------------------------------------------------------------------------------------


def test_a_file_and_its_canonical_text_are_one_study() -> None:
    files = [case for case in vectors("study")["good"] if "toml" in case]
    assert len(files) > 5
    for case in files:
        found = Study.parse(case["toml"], "study.toml")
        assert found.hash.hex() == case["hash"]
        assert found == study_of(case["name"])


@cases("study", "refused")
def test_no_other_file_is_a_study(case: Mapping[str, str]) -> None:
    with pytest.raises(ConfigurationError):
        Study.parse(case["toml"], "study.toml")


@cases("study", "refused_canonical")
def test_no_other_text_is_canonical(case: Mapping[str, str]) -> None:
    with pytest.raises(ValueError, match="not a canonical text"):
        content_of(case["text"].encode())


# -- uploads ---------------------------------------------------------------------------------------


def stream(seed: bytes, count: int) -> list[int]:
    """The words of P0's share, from the ciphers alone."""
    key = hmac.digest(seed, b"ppaurora stream\0outsourced list\x01", "sha256")[:16]
    data = Cipher(AES(key), CTR(bytes(16))).encryptor().update(bytes(8 * count))
    return [*struct.unpack(f"<{count}Q", data)]


SHOWN = [case for case in vectors("shares")["good"] if "words" in case]
"""Uploads that are told in full."""


@pytest.mark.parametrize("case", SHOWN, ids=lambda one: one["study"])
def test_the_parts_of_an_upload_add_up_to_its_words(case: Mapping[str, Any]) -> None:
    runs = study_of(case["study"]).options.pipeline.form(case["samples"]).runs
    sizes = [each for count, each in runs for _ in range(count)]
    parts = {name: bytes.fromhex(part) for name, part in case["parts"].items()}
    n = sum(sizes)
    # of each run the server with the seed, and the one with the words, and where they stand
    places = [("P0", 0, "P1", 0), ("P1", n, "helper", 0), ("helper", n, "P0", 32)]
    for seed, (first, at, second, begin) in zip(case["seeds"], places, strict=False):
        assert parts[first][at : at + 32].hex() == seed
        stretched, place = stream(bytes.fromhex(seed), len(sizes)), begin
        for word, other, size in zip(case["words"], stretched, sizes, strict=True):
            share = int.from_bytes(parts[second][place : place + size], "little")
            assert (share + other - int(word, 16)) % 256**size == 0
            place += size
    assert sum(map(len, parts.values())) == len(case["seeds"]) * (32 + n)


@pytest.mark.parametrize(("name", "form"), [("full", ">dq"), ("float32", ">fi")])
def test_a_key_is_the_place_of_its_score_and_its_label(name: str, form: str) -> None:
    [case] = [one for one in SHOWN if one["study"] == name]
    keys = [
        2 * struct.unpack(f">{form[2]}", struct.pack(form[:2], abs(float(score))))[0] + int(label)
        for score, label in zip(case["scores"], case["labels"], strict=True)
    ]
    assert [int(word, 16) for word in case["words"]] == sorted(keys, reverse=True)


def test_an_owner_sends_the_parts_of_the_secret_that_it_keeps(tmp_path: Path) -> None:
    example = EXAMPLES["full"]
    [case] = [one for one in SHOWN if one["study"] == "full"]
    name = f"{example.study.id}-{example.study.hash.hex()[:16]}-{OWNER.public.exchange.hex()[:16]}"
    (tmp_path / f"{name}.secret").write_bytes(SECRET)
    with Participant(OWNER, example.study, Policy(metrics=("auroc",)), tmp_path) as owner:
        prepared = owner.prepare(example.table)
    assert {str(server): part.hex() for server, part in prepared.parts.items()} == case["parts"]


@cases("shares", "refused_lists")
def test_a_list_that_the_study_does_not_take_is_refused(case: Mapping[str, Any]) -> None:
    scores, labels = [*map(float, case["scores"])], [*map(int, case["labels"])]
    with pytest.raises(DataRefused):
        encode(scores, labels, study_of(case["study"]).options.scale)


@cases("shares", "refused_parts")
def test_a_part_of_another_size_is_refused(case: Mapping[str, Any]) -> None:
    form = study_of(case["study"]).options.pipeline.form(case["samples"])
    with pytest.raises(ShareRefused):
        SHARE_OF[Role[case["server"]]].from_bytes(bytes.fromhex(case["part"]), form)


def found_sound(case: Mapping[str, Any]) -> bool:
    """The verdict of three parties on an upload, from the bytes that its owner sent."""
    pipeline = study_of(case["study"]).options.pipeline
    form, sizes = pipeline.form(case["samples"]), case["folds"] or [case["samples"]]

    def verdict(party: Party) -> bool:
        part = None if party.is_helper else bytes.fromhex(case["parts"][str(party.role)])
        uploads = pipeline.lifted(party, [received(party.role, part, form)], sizes)
        [sound] = judged(
            party, uploads, lambda _: pipeline.check(party, uploads, sizes), Verdicts({})
        )
        return sound

    p0, p1, helper = run_local(verdict)
    assert p0 == p1 == helper
    return bool(p0)


@pytest.mark.parametrize(
    "case", [one for one in SHOWN if len(one["seeds"]) == 1], ids=lambda one: one["study"]
)
def test_the_servers_find_an_upload_sound(case: Mapping[str, Any]) -> None:
    assert found_sound(case)


@cases("shares", "unsound")
def test_the_servers_find_an_upload_with_a_hidden_fault(case: Mapping[str, Any]) -> None:
    assert not found_sound(case)


# -- results ---------------------------------------------------------------------------------------


def told(name: str, case: Mapping[str, Any], of: str) -> dict[str, Any]:
    """The case, put together from the good one that it changes."""
    good = vectors(name)["good"][case["of"]] if "of" in case else {}
    whole = {**good, **case}
    instead = {**whole.get(of, {}), **case.get("instead", {})}
    return {**whole, of: {server: one for server, one in instead.items() if one is not None}}


def check_statements(case: Mapping[str, Any]) -> None:
    whole = told("statement", case, "statements")
    signed = {server: Signed(**one) for server, one in whole["statements"].items()}
    checked(signed, StudyRun(study_of(whole["study"]), whole["run"]))


def values_of(case: Mapping[str, Any]) -> Mapping[str, Released]:
    """The values that a receiver puts together from these parts."""
    whole = told("result", case, "parts")
    study, receiver = study_of(whole["study"]), case.get("receiver", vectors("result")["receiver"])
    public = PublicKey.from_bytes(bytes.fromhex(receiver))

    def ask(server: Role, *_: object) -> ResultPart:
        part = whole["parts"][str(server)]
        session, signature = (bytes.fromhex(part[name]) for name in ("session", "signature"))
        words = tuple(int(word, 16) for word in part["words"])
        return ResultPart(session, words, part["about"], signature)

    with Participant(OWNER, study) as owner:
        member = SimpleNamespace(study=study, named=public, keys=owner.keys)
        fetching = Fetching(member, SimpleNamespace(ask=ask))  # type: ignore[arg-type]
        return fetching.result(0, None).values


@pytest.mark.parametrize("case", vectors("statement")["good"])
def test_three_statements_agree(case: Mapping[str, Any]) -> None:
    check_statements(case)


@cases("statement", "refused")
def test_statements_that_prove_nothing_are_refused(case: Mapping[str, Any]) -> None:
    with pytest.raises(AuroraError):
        check_statements(case)


@pytest.mark.parametrize("case", vectors("result")["good"])
def test_the_parts_of_a_result_make_its_values(case: Mapping[str, Any]) -> None:
    for text, value in values_of(case).items():
        expected = case["values"][text]
        if isinstance(value, Interval):
            assert [value.value, value.lower, value.upper] == expected
        else:
            assert value.value == expected


@cases("result", "refused")
def test_parts_that_make_no_result_are_refused(case: Mapping[str, Any]) -> None:
    with pytest.raises(AuroraError):
        values_of(case)
