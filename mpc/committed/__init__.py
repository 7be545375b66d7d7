"""A helper that commits to what it deals, and is checked by chance: one run of a covert study.

The helper prepares K dealings and commits to each; all but one, which the proxies toss for, are
opened and recomputed; the run uses the one that is left. Six hops before the run begins:

    1  helper -> P0, P1   for each dealing a commitment to P0's seed and frames, and one to P1's
    2  P0 <-> P1          the hash of all commitments, and a commitment to this proxy's toss
    3  P0 <-> P1          the toss: 32 random bytes; both together choose the dealing j
    4  P0, P1 -> helper   j
    5  helper -> P0, P1   both openings of every other dealing; of the dealing j each proxy its own
       P0 and P1          recompute the K - 1 dealings, each by itself, and compare
    6  all -> all         that they are done
       the run            with the seeds of the dealing j as the keys between helper and proxies
       P0 and P1          compare what was dealt to them with its commitment

in 384·K + 66 bytes. The helper computes K dealings and deals one of them once more; a proxy
computes K - 1.

What each sees. A commitment hides seed and frames: a nonce of 32 random bytes is hashed with them.
The opened dealings are used for nothing. Of the dealing j a proxy sees its own seed and frames, as
in any run, and the helper answers both proxies only if they name the same j.

Why a wrong dealing passes with probability 1/K at most. The proxies compare that both got the same
commitments before either shows its toss, and j does not depend on them. An opened dealing must be
the one that its seeds give, and the one that is used must be the committed one. So a helper whose
dealing is wrong must have committed to it, and to right ones for all other numbers: it passes if
and only if j is that number. With more than one wrong dealing it never passes. It cannot leave
instead of opening and try again: a helper that opens nothing after the toss counts as one that
cheats. This is against one server that cheats: a cheating proxy has an honest helper. That both
proxies toss costs a hop more than if one did, and neither has to trust the other for it.

`CommittedDealing` is what a session uses:

    committed = CommittedDealing(role, program, dealings)
    with open_session(role, connect, agree=lambda links: committed.keys(links, agree(links)), ...):
        result = ...                       the same computation as `program`
        committed.confirm()                before anything of the result leaves this server

where `program` is the computation as the helper runs it, of a study
`ppaurora.protocols.evaluate.helpers_part`. It may deal, and be told that all is sound; where it
does more, it cannot be recomputed. It is the first thing that the party of the session runs, since
its steps and streams are counted from there. All three roles do the same calls. `keys` takes as
long as K dealings and waits for others until `Limits.goodbye`.

`role_in` says which role a server has in each of the three runs of a study, and `same_in_all`
compares the words of their results.
"""

from ppaurora.mpc.committed.exchange import (
    FEWEST_DEALINGS,
    MOST_DEALINGS,
    CommittedDealing,
    commitment_cost,
)
from ppaurora.mpc.committed.rehearsal import HelperProgram
from ppaurora.mpc.committed.three_runs import RUNS, role_in, same_in_all, server_of

__all__ = [
    "FEWEST_DEALINGS",
    "MOST_DEALINGS",
    "RUNS",
    "CommittedDealing",
    "HelperProgram",
    "commitment_cost",
    "role_in",
    "same_in_all",
    "server_of",
]
