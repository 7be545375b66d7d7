"""Nobody signs before both commitments are there, and what is not said alike to both is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

import pytest

from ppaurora.mpc.errors import AuroraError
from ppaurora.mpc.link import Kind, Limits, Link, memory_links
from ppaurora.mpc.role import Role
from ppaurora.parties.errors import EvidenceRefused
from ppaurora.parties.evidence.exchange import agreed_statements
from ppaurora.parties.evidence.statement import Statement, checked
from ppaurora.parties.requests.session_facts import Signed
from ppaurora.parties.study.runs import StudyRun
from tests.parties.evidence.session import SERVERS, SESSION, agreed_on, shares_of
from tests.parties.sample import study

STUDY = study(metrics=("auroc",))
RUN = StudyRun(STUDY)
AGREED, SHARES = agreed_on(STUDY), shares_of([8250])
Meddle = Callable[[Role, Mapping[Role, Link]], None]


def at_the_end(
    meddle: Meddle = lambda role, links: None, *, without: Role | None = None
) -> dict[Role, dict[str, Signed] | AuroraError]:
    """The statements that each of the three servers has in the end, or the reason why not."""
    links = memory_links(limits=Limits(deadline=20.0))
    for role, of_role in links.items():
        for peer, link in of_role.items():
            link.keep_transcripts(bytes([role + peer]) * 32)

    def end(role: Role) -> dict[str, Signed] | AuroraError:
        meddle(role, links[role])
        share = () if role is without else SHARES.get(role, ())
        publics = {one: SERVERS[one].public for one in Role}
        try:
            return agreed_statements(
                links[role], SERVERS[role], RUN, role, SESSION, AGREED, share, "head", publics
            )
        except AuroraError as error:
            for link in links[role].values():
                link.abort("this server refuses what the others commit to")
            return error

    with ThreadPoolExecutor(3) as pool:
        return dict(zip(Role, pool.map(end, Role), strict=True))


def instead(link: Link, kind: Kind, body: bytes) -> None:
    """Have the link send this body in its next frame of this kind."""
    plain = link.send_bytes

    def send(one: Kind, own: bytes) -> None:
        plain(one, body if one is kind else own)

    link.send_bytes = send  # type: ignore[method-assign]


def test_all_three_sign_both_commitments_and_all_keys() -> None:
    for signed in at_the_end().values():
        assert not isinstance(signed, AuroraError), signed
        for found in checked(signed, RUN).values():
            assert {name: len(one) for name, one in found.shares.items()} == {"P0": 64, "P1": 64}
            assert found.keys == {str(role): SERVERS[role].public.to_bytes().hex() for role in Role}
            assert (found.computation, found.run) == (SESSION.hex(), 0)


@pytest.mark.parametrize("proxy", [Role.P0, Role.P1])
@pytest.mark.parametrize("fooled", list(Role))
def test_a_proxy_that_commits_to_two_shares_gets_no_statement_of_its_result_through(
    proxy: Role, fooled: Role
) -> None:
    if proxy is fooled:
        return

    def meddle(role: Role, links: Mapping[Role, Link]) -> None:
        if role is proxy:
            instead(links[fooled], Kind.CLOSING, bytes(32))

    for role, found in at_the_end(meddle).items():
        assert isinstance(found, EvidenceRefused), role
        assert "do not state the same" in found.what


@pytest.mark.parametrize("body", [b"", bytes(31), bytes(33)])
def test_a_commitment_that_is_none_ends_the_session_before_anybody_who_saw_it_signs(
    body: bytes,
) -> None:
    def meddle(role: Role, links: Mapping[Role, Link]) -> None:
        if role is Role.P0:
            for link in links.values():
                instead(link, Kind.CLOSING, body)

    found = at_the_end(meddle)
    for role in (Role.P1, Role.HELPER):
        error = found[role]
        assert isinstance(error, EvidenceRefused)
        assert "do not commit to the shares of one result" in error.what


def test_one_proxy_without_a_result_and_a_helper_with_one_are_refused() -> None:
    assert all(isinstance(one, AuroraError) for one in at_the_end(without=Role.P1).values())

    def meddle(role: Role, links: Mapping[Role, Link]) -> None:
        if role is Role.HELPER:
            for link in links.values():
                instead(link, Kind.CLOSING, bytes(32))

    found = at_the_end(meddle)
    assert isinstance(found[Role.P0], EvidenceRefused)
    assert isinstance(found[Role.P1], EvidenceRefused)


def test_a_statement_says_the_same_whoever_makes_it_but_for_its_own_part() -> None:
    signed = at_the_end()[Role.P0]
    assert not isinstance(signed, AuroraError)
    one, other = (Statement.from_json(signed[name].text) for name in ("P0", "helper"))
    assert one != other
    assert one.says_the_same(other)
