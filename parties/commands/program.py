"""The commands of `ppaurora`, and what stands before any of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import typer

from ppaurora.parties.commands import PROGRAM
from ppaurora.parties.commands.registered import Commands, Own


class OwnCommands(Commands):
    """The commands of `ppaurora`, in the order of the help text.

    The summary is the first sentence of the command's help text.
    """

    own: ClassVar[Mapping[str, Own]] = {
        "init": Own(
            "init:init",
            "Make a key and a site.toml, asking for what is not given; nothing that exists "
            "is touched.",
        ),
        "doctor": Own(
            "doctor:doctor",
            "Check key, permissions, studies, policy, servers, clocks and your list; sends "
            "no list.",
        ),
        "demo": Own(
            "simulation:demo",
            "See it work: three generated hospitals, three servers, private values beside "
            "pooled ones.",
        ),
        "simulate": Own(
            "simulation:simulate_command",
            "Run a study over your files with three real servers, and compare with the "
            "pooled data.",
        ),
        "statistics": Own(
            "statistics:statistics_command",
            "List the analyses and the statistics by the questions that they answer.",
        ),
        "plan": Own(
            "plan:plan",
            "Tell how many samples a study needs, what it costs and what it tells, before there "
            "is data.",
        ),
        "keys": Own(
            "keys:app",
            "Make, show, replace and revoke keys.",
        ),
        "study": Own(
            "study:app",
            "Write, check and show the file all parties share.",
        ),
        "folds": Own(
            "folds:app",
            "Assign the rows of an owner's list to folds as all other owners do, by a key "
            "that they share.",
        ),
        "server": Own(
            "server:server",
            "Serve all studies of the site until SIGTERM; logs are JSON lines on stderr.",
        ),
        "health": Own(
            "health:health",
            "Ask this machine's server how it is, at [server] health in site.toml.",
        ),
        "desk": Own(
            "desk:desk",
            "Take part from a page in your browser, without a terminal: for owners and receivers.",
        ),
        "check": Own(
            "check:check",
            "Look at a list before there is a study: how it is written, and what scores it has.",
        ),
        "outsource": Own(
            "outsource:outsource",
            "Check your list, show what will be sent, and send it to P0 and P1 in two shares.",
        ),
        "compute": Own(
            "result:compute",
            "Ask for the computation to start with the uploads that are there.",
        ),
        "result": Own(
            "result:result",
            "Fetch both shares of the result, put them together here, save and show it.",
        ),
        "status": Own(
            "status:status",
            "Ask all three servers how the study stands; the exit code tells, too.",
        ),
        "report": Own(
            "report:report",
            "Make a report of a result, for people: one HTML file that fetches nothing.",
        ),
        "verify": Own(
            "verify:verify",
            "Check a saved result against the signatures of the study's three servers.",
        ),
        "audit": Own(
            "audit:audit",
            "Check every line of a server's audit log, and show it.",
        ),
        "attack": Own(
            "attack:app",
            "Try what a released number tells somebody who knows much: on your own data, or "
            "generated.",
        ),
        "completion": Own(
            "completion:completion",
            'Print the completion script of a shell: `eval "$(ppaurora completion bash)"`.',
        ),
    }


app = typer.Typer(
    name=PROGRAM,
    cls=OwnCommands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Exact AUROC, AUPR and their kin over several data owners, "
    "without showing a score or a label.",
)


def _show_version(asked: bool) -> None:
    if asked:
        from ppaurora.mpc.kernels import in_use as arithmetic_in_use
        from ppaurora.parties.build import build

        typer.echo(f"{PROGRAM} {build()}, {arithmetic_in_use()}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version, a digest of the sources, and what computes.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """The options before any command."""
