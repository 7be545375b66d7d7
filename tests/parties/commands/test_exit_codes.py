"""One table says which code a command ends with, for every kind of error that there is."""

from __future__ import annotations

import pytest

import ppaurora.bench.errors as of_the_bench
import ppaurora.mpc.errors as of_the_runtime
import ppaurora.parties.errors as of_the_parties
import ppaurora.protocols.errors as of_the_protocols
from ppaurora.mpc.errors import AuroraError
from ppaurora.parties.commands.exit_codes import exit_code

CODES = {
    2: {
        "BoundExceeded",
        "ConfigurationError",
        "DiskFault",
        "FileNotFoundError",
        "LayoutRefused",
        "MeansRefused",
        "OptionRefused",
        "ReportRefused",
        "ToolAbsent",
    },
    3: {"DataError", "DataRefused", "ListsRefused", "UnsoundLists"},
    4: {"PolicyRefusal", "RosterRefused", "TooEarly", "UploadRefused", "UploadWithdrawn"},
    5: {
        "HandshakeMismatch",
        "IdentityRefused",
        "KeyFault",
        "PeerError",
        "PeerLost",
        "PeerRefused",
        "TooManyConnections",
        "PeerSilent",
        "ServerFault",
        "StudyDiffers",
        "StudyStopped",
        "Unreachable",
    },
    6: {
        "AuditBroken",
        "AuroraError",
        "BadFrame",
        "CheatingDetected",
        "DocumentRefused",
        "EvidenceRefused",
        "LocalProtocolError",
        "LocalServerFailed",
        "OwnFault",
        "PeerAborted",
        "ProxiesDisagree",
        "RemoteProtocolError",
        "ResultDiffers",
        "RunFailed",
        "ShareRefused",
        "UploadDamaged",
        "ZeroDivisionError",
    },
    130: {"Interrupted", "KeyboardInterrupt"},
}


def kinds() -> list[type[BaseException]]:
    """Every error of the four rooms, and three that are not theirs."""
    rooms = (of_the_runtime, of_the_protocols, of_the_parties, of_the_bench)
    found = {
        kind
        for room in rooms
        for kind in vars(room).values()
        if isinstance(kind, type) and issubclass(kind, AuroraError)
    }
    strangers = {FileNotFoundError, ZeroDivisionError, KeyboardInterrupt}
    return sorted(found | strangers, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_every_kind_of_error_has_the_code_that_users_know(kind: type[BaseException]) -> None:
    assert [code for code, names in CODES.items() if kind.__name__ in names] == [exit_code(kind)]
