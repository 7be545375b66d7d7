#!/usr/bin/env python3
"""docs/API.md from the docstrings: each public name with signature, first paragraph and doctest.

    .venv/bin/python docs/api.py           print the page
    .venv/bin/python docs/api.py --write   write docs/API.md

What is public is what a module's `__all__` names. Signatures are taken from the source, so the page
is the same for every version of Python.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from doctest import DocTestParser, Example
from importlib import import_module
from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
PAGE = HOME / "docs" / "API.md"
MODULES = (
    "ppaurora",
    "ppaurora.protocols",
    "ppaurora.mpc",
    "ppaurora.mpc.primitives",
)
WIDTH = 96
HEAD = """# API

The public names, from their docstrings. `docs/api.py --write` makes this page; a test holds that it
is up to date. `[ppAURORA, ...]` and the like are explained in [PAPERS.md](PAPERS.md).
"""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def text() -> str:
    """The whole page."""
    shown: dict[int, str] = {}
    parts = [HEAD]
    for name in MODULES:
        parts += _module(name, shown)
    return "\n".join(parts)


def _module(name: str, shown: dict[int, str]) -> Iterator[str]:
    """The public names of one module; what was shown under another one is only mentioned."""
    module = import_module(name)
    yield f"## `{name}`\n"
    yield from _docstring(inspect.getdoc(module) or "")
    again: dict[str, list[str]] = {}
    for public in module.__all__:
        found = getattr(module, public)
        if public.startswith("__"):
            continue
        if id(found) in shown:
            again.setdefault(shown[id(found)], []).append(f"`{public}`")
            continue
        shown[id(found)] = name
        yield from _object(public, found)
    for home, names in again.items():
        yield f"Also here, as under [`{home}`](#{home.replace('.', '')}): {', '.join(names)}.\n"


def _object(name: str, found: object) -> Iterator[str]:
    yield f"### `{name}`\n"
    found = inspect.unwrap(found) if callable(found) else found
    if not (inspect.isfunction(found) or inspect.isclass(found)):
        yield f"A `{type(found).__name__}`.\n"
        return
    [node] = ast.parse(textwrap.dedent(inspect.getsource(found))).body
    if isinstance(node, ast.ClassDef):
        yield from _fenced(_class_signature(node))
        yield from _docstring(ast.get_docstring(node) or "")
        yield from _members(node)
    elif isinstance(node, Function):
        yield from _fenced(_signature(node))
        yield from _docstring(ast.get_docstring(node) or "")


def _members(node: ast.ClassDef) -> Iterator[str]:
    """The public methods and properties, a line each."""
    lines = [
        f"- `{_call(member, node.name)}`{_said(member)}"
        for member in node.body
        if isinstance(member, Function) and not member.name.startswith("_")
    ]
    if lines:
        yield "\n".join(lines) + "\n"


def _call(node: Function, owner: str) -> str:
    """A method as it is called, a property as it is read."""
    kinds = {ast.unparse(one) for one in node.decorator_list}
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    if "property" in kinds:
        return f"{node.name}{result}"
    of_class = bool(kinds & {"classmethod", "staticmethod"})
    before = "with " if any(kind.endswith("contextmanager") for kind in kinds) else ""
    before += f"{owner}." if of_class else "."
    parameters = ", ".join(_parameters(node, method="staticmethod" not in kinds))
    return f"{before}{node.name}({parameters}){result}"


def _said(node: Function) -> str:
    paragraph = _first_paragraph(ast.get_docstring(node) or "")
    return f": {paragraph}" if paragraph else ""


def _signature(node: Function) -> str:
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return _wrapped(f"{node.name}(", list(_parameters(node, method=False)), f"){result}")


def _class_signature(node: ast.ClassDef) -> str:
    """A class with what makes one of it: the arguments of `__init__`, or a dataclass's fields."""
    methods = {one.name: one for one in node.body if isinstance(one, Function)}
    if "__init__" in methods:
        parameters = list(_parameters(methods["__init__"], method=True))
    else:
        parameters = list(_fields(node))
    bases = [ast.unparse(base) for base in node.bases]
    if not parameters:
        return f"class {node.name}({', '.join(bases)})" if bases else f"class {node.name}"
    return _wrapped(f"class {node.name}(", parameters, ")")


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """The fields of a dataclass, the members of an enumeration."""
    if any("kw_only" in ast.unparse(one) for one in node.decorator_list):
        yield "*"
    for one in node.body:
        if isinstance(one, ast.AnnAssign):
            name, annotation = ast.unparse(one.target), ast.unparse(one.annotation)
            # what begins with an underscore is kept by the object and given by nobody
            if "ClassVar" not in annotation and not name.startswith("_"):
                yield f"{name}: {annotation}{_default(one.value)}"
        elif isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant):
            yield f"{ast.unparse(one.targets[0])} = {ast.unparse(one.value)}"


def _default(value: ast.expr | None) -> str:
    if value is None:
        return ""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
        return " = ..." if any("default" in (key.arg or "") for key in value.keywords) else ""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "option":
        return f" = {ast.unparse(value.args[0])}"
    return f" = {ast.unparse(value)}"


def _parameters(node: Function, *, method: bool) -> Iterator[str]:
    """Each parameter as it is written, without `self` or `cls`."""
    of = node.args
    positional = [*of.posonlyargs, *of.args]
    required = len(positional) - len(of.defaults)
    for place, one in enumerate(positional):
        if method and place == 0:
            continue
        default = of.defaults[place - required] if place >= required else None
        yield f"{ast.unparse(one)}{_default(default)}"
    if of.vararg is not None:
        yield f"*{ast.unparse(of.vararg)}"
    elif of.kwonlyargs:
        yield "*"
    for one, named in zip(of.kwonlyargs, of.kw_defaults, strict=True):
        yield f"{ast.unparse(one)}{_default(named)}"
    if of.kwarg is not None:
        yield f"**{ast.unparse(of.kwarg)}"


def _wrapped(before: str, parameters: list[str], after: str) -> str:
    line = f"{before}{', '.join(parameters)}{after}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([before, *(f"    {parameter}," for parameter in parameters), after])


def _docstring(doc: str) -> Iterator[str]:
    """The first paragraph, and the doctest if there is one."""
    paragraph = _first_paragraph(doc)
    if paragraph:
        yield f"{paragraph}\n"
    examples = [_example(get_example) for get_example in DocTestParser().get_examples(doc)]
    if examples:
        yield from _fenced("\n".join(examples))


def _example(one: Example) -> str:
    first, *rest = one.source.splitlines()
    lines = [f">>> {first}", *(f"... {line}" for line in rest), *one.want.splitlines()]
    return "\n".join(lines)


def _first_paragraph(doc: str) -> str:
    return doc.partition("\n\n")[0].replace("\n", " ")


def _fenced(code: str) -> Iterator[str]:
    yield f"```python\n{code}\n```\n"


if __name__ == "__main__":
    sys.path.insert(0, str(HOME))
    if "--write" in sys.argv[1:]:
        PAGE.write_text(text(), encoding="utf-8")
    else:
        print(text(), end="")
