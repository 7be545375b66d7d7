"""Run a notebook's cells from top to bottom, and keep what they show beside them.

.venv/bin/python docs/notebook.py --write        # renews examples/study.ipynb
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parent.parent / "examples" / "study.ipynb"


def executed(text: str) -> str:
    """The notebook with what its cells show when they are run in their order, in this process."""
    notebook = json.loads(text)
    names: dict[str, Any] = {"__name__": "__main__"}
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell["execution_count"] = number
            cell["outputs"] = _shown("".join(cell["source"]), names, number)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _shown(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run one cell; what it prints, and its last line's value if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        value = (
            eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
            if isinstance(last, ast.Expr)
            else None
        )
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        text = printed.getvalue().splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": text})
    if value is not None:
        outputs.append(
            {
                "data": _forms(value),
                "execution_count": number,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return outputs


def _forms(value: Any) -> dict[str, list[str]]:
    """The forms of a value that a notebook keeps: HTML if it has some, else its text."""
    markup = getattr(value, "_repr_html_", None)
    if markup is not None:
        return {"text/html": markup().splitlines(keepends=True)}
    return {"text/plain": repr(value).splitlines(keepends=True)}


if __name__ == "__main__":
    made = executed(NOTEBOOK.read_text(encoding="utf-8"))
    if "--write" in sys.argv[1:]:
        NOTEBOOK.write_text(made, encoding="utf-8")
    else:
        sys.stdout.write(made)
