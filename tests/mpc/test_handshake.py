"""The handshake: equal terms give equal keys, any difference is named before any share moves."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppaurora.mpc import handshake
from ppaurora.mpc.errors import (
    AuroraError,
    BadFrame,
    HandshakeMismatch,
    IdentityRefused,
    PeerAborted,
    PeerSilent,
)
from ppaurora.mpc.handshake import Ephemeral, Handshake, Hello, Terms, shake_hands
from ppaurora.mpc.keys import Identity
from ppaurora.mpc.link import Kind, Limits, Link, memory_links
from ppaurora.mpc.link.frame import VERSION
from ppaurora.mpc.role import Role
from ppaurora.mpc.session import give_up

P0, P1, HELPER = Role
SESSION = b"session of tests"
TERMS = Terms(bytes(32), SESSION, {"metric": "auroc", "decimals": 4})
IDENTITIES = {role: Identity.generate() for role in Role}
PUBLICS = {role: identity.public for role, identity in IDENTITIES.items()}
HELLO = Hello(
    VERSION, P0, TERMS.study, SESSION, TERMS.parameters, bytes(32), Ephemeral.generate().public, 1
)
Outcome = Handshake | AuroraError


def links_for(terms: dict[Role, Terms]) -> dict[Role, dict[Role, Link]]:
    links = memory_links(SESSION, Limits(deadline=30.0))
    for role in Role:
        for link in links[role].values():
            link.session = terms[role].session
    return links


def shake(
    terms: dict[Role, Terms] | None = None,
    publics: dict[Role, dict[Role, bytes]] | None = None,
    links: dict[Role, dict[Role, Link]] | None = None,
    instead: dict[Role, Callable[[dict[Role, Link]], Outcome]] | None = None,
    threads: dict[Role, int] | None = None,
) -> dict[Role, Outcome]:
    """Run the handshake at all three roles; what each got, or the error that it met."""
    of_all = dict.fromkeys(Role, TERMS) | (terms or {})
    between = links or links_for(of_all)

    def run(role: Role) -> Outcome:
        try:
            if instead and role in instead:
                return instead[role](between[role])
            known = PUBLICS | (publics or {}).get(role, {})
            own = 1 if threads is None else threads[role]
            return shake_hands(role, IDENTITIES[role], between[role], known, of_all[role], own)
        except AuroraError as error:
            give_up(between[role], error)  # as a session does
            return error

    with ThreadPoolExecutor(3) as pool:
        return dict(zip(Role, pool.map(run, Role), strict=True))


def keys_of(outcome: Outcome) -> dict[Role, bytes]:
    assert isinstance(outcome, Handshake)
    return dict(outcome.keys)


class TestAgreement:
    def test_gives_every_pair_a_key_of_its_own(self) -> None:
        outcome = {role: keys_of(keys) for role, keys in shake().items()}
        assert outcome[P0][P1] == outcome[P1][P0]
        assert outcome[P0][HELPER] == outcome[HELPER][P0]
        assert outcome[P1][HELPER] == outcome[HELPER][P1]
        assert len({outcome[P0][P1], outcome[P0][HELPER], outcome[P1][HELPER]}) == 3

    def test_gives_fresh_keys_every_time(self) -> None:
        assert keys_of(shake()[P0])[P1] != keys_of(shake()[P0])[P1]

    def test_costs_no_hop_and_no_payload(self) -> None:
        links = memory_links(SESSION)
        keys_of(shake(links=links)[P0])
        for link in links[P0].values():
            assert (link.clock.now, link.counters.bytes_sent) == (0, 0)
            assert 36_000 < link.counters.control_bytes_sent < 36_200

    def test_does_not_depend_on_the_order_of_parameters(self) -> None:
        turned = replace(TERMS, parameters=dict(reversed(list(TERMS.parameters.items()))))
        keys_of(shake({P1: turned})[P0])

    def test_is_on_the_fewest_threads_of_a_party(self) -> None:
        for threads in ((3, 2, 8), (1, 1, 1), (256, 9, 9)):
            found = shake(threads=dict(zip(Role, threads, strict=True)))
            assert {role: one.threads for role, one in found.items()} == dict.fromkeys(
                Role, min(threads)
            )


class TestDisagreement:
    @pytest.mark.parametrize("odd_one", Role)
    @pytest.mark.parametrize(
        ("terms", "told"),
        [
            (replace(TERMS, study=b"\1" * 32), ["study", "0" * 16, "01" * 8]),
            # another study whose hash begins alike: so much is found by trying
            (replace(TERMS, study=bytes(8) + b"\1" * 24), ["study", "0" * 16 + "01" * 8]),
            (replace(TERMS, study=bytes(31) + b"\1"), ["study"]),
            (replace(TERMS, session=b"another  session"), ["session", SESSION.hex()]),
            (
                replace(TERMS, parameters={"metric": "auroc", "decimals": 6}),
                ["parameter decimals", "4", "6"],
            ),
            (
                replace(TERMS, parameters={"metric": "auroc", "decimals": "4"}),
                ["parameter decimals", "4"],
            ),
            (
                replace(TERMS, parameters={"metric": "auroc"}),
                ["parameter decimals", "4", "nothing"],
            ),
            (
                replace(TERMS, parameters={**TERMS.parameters, "ties": "helper"}),
                ["parameter ties", "helper", "nothing"],
            ),
        ],
    )
    def test_is_named_at_both_ends_long_before_the_deadline(
        self, odd_one: Role, terms: Terms, told: list[str]
    ) -> None:
        started = time.monotonic()
        outcome = shake({odd_one: terms})
        assert time.monotonic() - started < 10.0
        errors = [each for each in outcome.values() if isinstance(each, AuroraError)]
        assert len(errors) == 3
        assert isinstance(outcome[odd_one], HandshakeMismatch | PeerAborted)
        mismatches = [each for each in errors if isinstance(each, HandshakeMismatch)]
        assert len(mismatches) >= 2
        for mismatch in mismatches:
            assert all(word in str(mismatch) for word in told), str(mismatch)
            assert mismatch.step == "handshake"
        for error in errors:
            if isinstance(error, PeerAborted):
                assert "disagrees" in error.reason or "session" in error.reason

    def test_about_the_version_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def older(links: dict[Role, Link]) -> Outcome:
            hello = replace(HELLO, version=VERSION - 1, role=HELPER)
            for link in links.values():
                link.send_bytes(Kind.HELLO, hello.encode())
            return {}

        outcome = shake(instead={HELPER: older})
        error = outcome[P0]
        assert isinstance(error, HandshakeMismatch)
        assert f"helper disagrees about the version: {VERSION - 1} there" in str(error)

    def test_about_the_frames_version_is_named(self) -> None:
        def newer(links: dict[Role, Link]) -> Outcome:
            for link in links.values():
                link.transmit(bytes([VERSION + 1]) + SESSION, b"")
            return {}

        error = shake(instead={HELPER: newer})[P0]
        assert isinstance(error, HandshakeMismatch)
        assert f"helper sent a header of version {VERSION + 1}, not {VERSION}" in str(error)

    def test_about_the_role_is_named(self) -> None:
        def impostor(links: dict[Role, Link]) -> Outcome:
            for link in links.values():
                link.send_bytes(Kind.HELLO, HELLO.encode())
            return {}

        error = shake(instead={P1: impostor})[HELPER]
        assert isinstance(error, HandshakeMismatch | PeerAborted)
        assert "role: P0 there, P1 here" in str(error)

    def test_about_a_key_is_found_before_any_share_moves(self) -> None:
        outcome = shake(publics={P0: {P1: Identity.generate().public}})
        assert isinstance(outcome[P0], IdentityRefused | PeerAborted)
        assert isinstance(outcome[P1], IdentityRefused | PeerAborted)

    def test_a_proof_that_is_only_sent_back_is_none(self) -> None:
        """By a relay that holds no key, and hands the two ends' words on as it likes."""
        links = links_for(dict.fromkeys(Role, TERMS))
        own, other = links[P0][P1], links[P1][P0]
        for here in (own, other):
            send, sent = here.send_bytes, []

            def turned_back(
                kind: Kind, data: bytes, here: Link = here, sent: list[bytes] = sent, send=send
            ) -> None:
                sent.append(data)
                send(kind, data)

            here.send_bytes = turned_back  # type: ignore[method-assign]
            receive, heard = here.receive_bytes, []

            def mirrored(
                kind: Kind,
                *,
                max_bytes: int,
                sent: list[bytes] = sent,
                heard: list[bytes] = heard,
                receive=receive,
            ) -> bytes:
                heard.append(receive(kind, max_bytes=max_bytes))
                return sent[1] if len(heard) == 2 else heard[-1]

            here.receive_bytes = mirrored  # type: ignore[method-assign]
        outcome = shake(links=links)
        for role in (P0, P1):
            assert isinstance(outcome[role], IdentityRefused | PeerAborted)

    def test_a_silent_peer_is_named(self) -> None:
        links = memory_links(SESSION, Limits(deadline=0.2))
        outcome = shake(links=links, instead={HELPER: lambda _: {}})
        errors = (outcome[P0], outcome[P1])
        assert any(isinstance(e, PeerSilent) and "helper said nothing" in str(e) for e in errors)

    def test_a_name_from_the_other_side_cannot_play_with_the_terminal(self) -> None:
        nasty = replace(TERMS, parameters={"\x1b[2J" + "x" * 500: "\x07\n" * 99})
        error = shake({P1: nasty})[P0]
        assert isinstance(error, HandshakeMismatch)
        assert str(error).isprintable()
        assert len(str(error)) < 500


class TestBinding:
    """Both statements are in the session key, besides being compared."""

    changed = replace(
        HELLO,
        version=VERSION + 1,
        role=HELPER,
        study=b"\1" * 32,
        session=b"another  session",
        parameters={"metric": "auroc", "decimals": 5},
        nonce=b"\1" * 32,
        threads=2,
    )

    @pytest.mark.parametrize("name", [field.name for field in fields(Hello)])
    @pytest.mark.parametrize("sender", [P0, P1])
    def test_a_field_that_arrives_changed_gives_no_session_even_if_nobody_compares(
        self, monkeypatch: pytest.MonkeyPatch, name: str, sender: Role
    ) -> None:
        monkeypatch.setattr(handshake, "_difference", lambda *_: "")
        links = links_for(dict.fromkeys(Role, TERMS))
        link = links[sender][P1 if sender is P0 else P0]
        send = link.send_bytes
        stated: list[Hello] = []

        def send_changed(kind: Kind, data: bytes) -> None:
            if not stated:
                stated.append(Hello.decode(data.rstrip(b"\0")))
                data = replace(stated[0], **{name: getattr(self.changed, name)}).encode()
            send(kind, data)

        monkeypatch.setattr(link, "send_bytes", send_changed)
        outcome = shake(links=links)
        assert getattr(stated[0], name) != getattr(self.changed, name)
        for role in (P0, P1):
            assert isinstance(outcome[role], IdentityRefused | PeerAborted)
        assert any("does not hold the key" in str(outcome[role]) for role in (P0, P1))

    def test_every_link_has_an_ephemeral_key_and_a_nonce_of_its_own(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        seen: list[Hello] = []
        receive = handshake._receive_hello
        monkeypatch.setattr(
            handshake, "_receive_hello", lambda link: seen.append(hello := receive(link)) or hello
        )
        shake()
        assert len({hello.ephemeral for hello in seen}) == 6
        assert len({hello.nonce for hello in seen}) == 6

    def test_an_ephemeral_key_that_makes_a_known_secret_is_refused(self) -> None:
        def weak(links: dict[Role, Link]) -> Outcome:
            for link in links.values():
                link.send_bytes(Kind.HELLO, replace(HELLO, role=P1, ephemeral=bytes(32)).encode())
            return {}

        error = shake(instead={P1: weak})[P0]
        assert isinstance(error, IdentityRefused)
        assert "P1 gives a key that is none" in str(error)


class TestHello:
    good = replace(HELLO, parameters={"b": 1, "a": "x"})

    def test_comes_back(self) -> None:
        assert Hello.decode(self.good.encode()) == self.good

    @given(st.binary(max_size=200))
    def test_of_noise_is_refused(self, data: bytes) -> None:
        with pytest.raises(BadFrame):
            Hello.decode(data)

    @given(st.data())
    def test_is_read_only_in_its_one_canonical_form(self, data: st.DataObject) -> None:
        encoded = bytearray(self.good.encode())
        place = data.draw(st.integers(0, len(encoded) - 1))
        encoded[place] = data.draw(st.integers(0, 255))
        try:
            hello = Hello.decode(bytes(encoded))
        except BadFrame:
            return
        assert hello.encode() == encoded

    @pytest.mark.parametrize(
        "odd",
        [
            replace(good, study=bytes(31)),
            replace(good, nonce=bytes(33)),
            replace(good, ephemeral=bytes(31)),
            replace(good, threads=0),
            replace(good, threads=257),
            replace(good, threads=True),
            replace(good, session=b""),
            replace(good, role="P0"),  # type: ignore[arg-type]
            replace(good, version=True),
            replace(good, parameters={"x": 1.5}),  # type: ignore[dict-item]
            replace(good, parameters={"x": True}),
            replace(good, parameters={"x": {"y": "z"}}),  # type: ignore[dict-item]
        ],
    )
    def test_of_the_wrong_types_is_refused(self, odd: Hello) -> None:
        with pytest.raises(BadFrame, match="cannot be read"):
            Hello.decode(odd.encode())

    def test_ends_before_the_zeros_that_fill_it_up(self) -> None:
        # the last byte of a statement is a zero as well
        outcome = shake(threads=dict.fromkeys(Role, 256))
        assert [outcome[role].threads for role in Role] == [256] * 3  # type: ignore[union-attr]

    @pytest.mark.parametrize(
        ("frame", "why"), [(0, "sent a hello that cannot be read"), (1, "does not hold the key")]
    )
    def test_with_anything_else_behind_it_or_the_proof_is_refused(
        self, frame: int, why: str
    ) -> None:
        links = links_for(dict.fromkeys(Role, TERMS))
        send = links[P1][P0].send_bytes
        frames = count()
        links[P1][P0].send_bytes = (  # type: ignore[method-assign]
            lambda kind, data: send(kind, data[:-1] + b"x" if next(frames) == frame else data)
        )
        error = shake(links=links)[P0]
        assert isinstance(error, BadFrame | IdentityRefused)
        assert f"P1 {why}" in str(error)

    def test_too_long_is_refused(self) -> None:
        terms = replace(TERMS, parameters={"x": "y" * 20_000})
        error = shake({P1: terms})[P0]
        assert isinstance(error, BadFrame)
        assert "at most 16384" in str(error)


def test_terms_have_fixed_sizes() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Terms(b"short", SESSION)
    with pytest.raises(ValueError, match="16"):
        Terms(bytes(32), b"short")
