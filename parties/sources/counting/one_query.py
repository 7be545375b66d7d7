"""Whether a text is one query that may stand within another statement, whatever the engine.

Engines differ in their SQL, so little is asked: parentheses close, texts end, nothing follows a
semicolon. What some engines read otherwise than others is refused: comments, backslashes within
quotes, and texts within dollar signs. That the query changes nothing is the engine's to see to,
with a transaction that only reads where there is one.
"""

from __future__ import annotations

import re

from ppaurora.parties.errors import ConfigurationError

__all__ = ["one_query"]

BEGINS = re.compile(r"[\s(]*(SELECT|WITH|VALUES|TABLE|FROM)\b", re.IGNORECASE)
QUOTES = "'\"`"
COMMENTS = ("--", "/*", "*/")
DOLLARS = re.compile(r"\$\w*\$")
ADVICE = "Give one SELECT statement, which can be run by itself."


def one_query(text: str) -> str:
    """The query without a semicolon behind it; refused unless it is one, as far as can be seen."""
    query = text.strip().removesuffix(";").rstrip()
    if not BEGINS.match(query):
        raise ConfigurationError("The query does not begin with SELECT or WITH", advice=ADVICE)
    depth, quote = 0, ""
    for place, sign in enumerate(query):
        if quote:
            if sign == "\\":
                raise _refused("holds a backslash within quotes, which engines read differently")
            quote = "" if sign == quote else quote
        elif sign in QUOTES:
            quote = sign
        elif query.startswith(COMMENTS, place):
            raise _refused("holds a comment")
        elif DOLLARS.match(query, place):
            raise _refused("holds a text within dollar signs, which not all engines know")
        elif sign == ";":
            raise _refused("holds more than one statement")
        else:
            depth += (sign == "(") - (sign == ")")
            if depth < 0:
                raise _refused("closes a parenthesis that it has not opened")
    if quote or depth:
        raise _refused("leaves a quote or a parenthesis open")
    return query


def _refused(what: str) -> ConfigurationError:
    return ConfigurationError(f"The query {what}", advice=ADVICE)
