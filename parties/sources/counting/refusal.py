"""Why an engine did not run a query: its own words only where they cannot repeat a value.

An engine's words about a column or the grammar repeat the query, which its author knows. Those
about values repeat the values.
"""

from __future__ import annotations

from ppaurora.parties.errors import DataError

__all__ = ["refusal"]

OF_THE_QUERY = "42"
"""The class of SQLSTATE for faults of grammar, names and rights."""
READ_ONLY = "25006"


def refusal(error: Exception, source: str) -> DataError:
    """The error for whatever a driver raised."""
    state = str(getattr(error, "sqlstate", None) or getattr(error, "pgcode", None) or "")
    if state == READ_ONLY:
        return DataError(
            f"{source} would change something in the database",
            advice="Give a SELECT that only reads.",
        )
    speaks = state.startswith(OF_THE_QUERY) if state else _is_about_the_query(error)
    words = _first_line(error) if speaks else f"it says {type(error).__name__} {state}".rstrip()
    return DataError(
        f"{source} cannot be run by the database: {words}",
        advice="Run it by itself to see why; where scores are texts, cast them to numbers in it.",
    )


def _is_about_the_query(error: Exception) -> bool:
    """Whether it is what PEP 249 has for a wrong name or wrong grammar.

    DuckDB has as such a fault also a value that a function does not take.
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    return "ProgrammingError" in kinds and "InvalidInputException" not in kinds


def _first_line(error: Exception) -> str:
    """Without what a driver puts before the engine's own words."""
    line = next(iter(str(error).splitlines()), type(error).__name__)
    return line.rpartition("ERROR:")[2].strip().rstrip(".")
