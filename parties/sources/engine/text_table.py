"""A delimited text as a table for queries: every column a text, an empty field NULL.

The file is first read by our own rules, which refuse what is no table; DuckDB is then told all that
it would otherwise guess, and has to find as many rows.
"""

from __future__ import annotations

from ppaurora.parties.sources.columns.header import check_unique
from ppaurora.parties.sources.engine.engine import literal, path_text
from ppaurora.parties.sources.source import Relation
from ppaurora.parties.sources.text.dialect import dialect_of
from ppaurora.parties.sources.text.records import blocks
from ppaurora.parties.sources.text.text_file import TextFile

__all__ = ["text_table"]


def text_table(file: TextFile, delimiter: str = "") -> Relation:
    """The file as DuckDB sees it; a column without a name is called by its place, as `column1`."""
    dialect = dialect_of(file, delimiter)
    names = [name.strip() or f"column{place}" for place, name in enumerate(dialect.names, start=1)]
    check_unique(names, str(file))
    rows = sum(len(block) for block in blocks(file, dialect))
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    options = {
        "auto_detect": "false",
        "columns": f"{{{columns}}}",
        "header": "true",
        "skip": "0",
        "delim": literal(dialect.delimiter),
        "quote": "'\"'",
        "escape": "'\"'",
        "comment": "''",
        "nullstr": "''",
        "encoding": literal(file.encoding),
        "compression": "'gzip'" if file.packed else "'none'",
        "strict_mode": "true",
        "null_padding": "false",
        "ignore_errors": "false",
        "normalize_names": "false",
        "filename": "false",
        "union_by_name": "false",
        "hive_partitioning": "false",
    }
    stated = ", ".join(f"{name} = {value}" for name, value in options.items())
    return Relation(f"read_csv({path_text(file.path)}, {stated})", (file.path,), rows)
