"""Two ways to hear a page: by what the browser tells screen readers, and by Orca, which is one.

`Tree` says of each control that gets the focus what stands in the browser's accessibility tree, in
Orca's words, and of live regions what they announce. Orca itself is in `orca.py`.
"""

from __future__ import annotations

from typing import Protocol

from tests.parties.reports.browsing import Browsing
from tests.until import until

ROLES = {
    "button": "push button",
    "checkbox": "check box",
    "combobox": "combo box",
    "textbox": "entry",
    "spinbutton": "spin button",
    "group": "panel",
}
"""Roles of the tree that Orca calls otherwise."""
LISTENER = """
window.announced = [];
new MutationObserver(changes => {
  for (const change of changes) {
    const at = change.target.nodeType === 1 ? change.target : change.target.parentElement;
    const region = at && at.closest('[role=status], [role=alert], [aria-live]');
    if (region && region.textContent.trim()) announced.push(region.textContent.trim());
    // of what comes into the page only an alert is announced by itself
    for (const added of change.addedNodes) {
      if (added.nodeType !== 1) continue;
      for (const one of [added, ...added.querySelectorAll('[role=alert]')])
        if (one.matches('[role=alert]')) announced.push(one.innerText.trim());
    }
  }
}).observe(document, { subtree: true, childList: true, characterData: true });
"""
MOST_TABS = 80


class Hearing(Protocol):
    """Somebody who has a keyboard and hears the page."""

    def open(self, address: str) -> None:
        """Open the page."""

    def press(self, key: str) -> str:
        """Press "Tab", "Shift+Tab", "Enter" or " "; what is said on it."""

    def write(self, text: str) -> None:
        """Type a text into the field that has the focus."""

    def heard(self) -> str:
        """Everything that was said since the last key, by now."""

    def reads(self, words: str) -> bool:
        """Return whether these words are met by whoever reads on from the focus."""


def go_to(hearing: Hearing, words: str, key: str = "Tab") -> str:
    """Press a key until a control is said by these words; every control on the way has a name."""
    for _ in range(MOST_TABS):
        said = hearing.press(key)
        assert said.strip(), f"nothing is said on the way to {words}"
        if words in said:
            return said
    raise AssertionError(f"there is no {words}")


def enter(hearing: Hearing, *awaited: str, key: str = "Enter") -> None:
    """Press a key, and wait until all of these words were said."""
    hearing.press(key)
    try:
        until(lambda: all(words in hearing.heard() for words in awaited), 120)
    except AssertionError:
        raise AssertionError(f"{awaited} in {hearing.heard()}") from None


class Tree:
    """The words that the browser tells screen readers, without one."""

    def __init__(self, browsing: Browsing) -> None:
        self._browsing = browsing
        self._focus = ""
        self._said: list[str] = []
        browsing.ask("Accessibility.enable")
        browsing.ask("Page.addScriptToEvaluateOnNewDocument", source=LISTENER)

    def open(self, address: str) -> None:
        self._browsing.open("about:blank")
        self._browsing.open(address)
        self._focus, self._said = "", []
        until(lambda: "heading level 2" in self.heard(), 120)

    def press(self, key: str) -> str:
        self.heard()
        self._said = []
        self._browsing.press(key)
        return self.heard()

    def write(self, text: str) -> None:
        self._browsing.ask("Input.insertText", text=text)

    def heard(self) -> str:
        focus = self._focused()
        if focus != self._focus:
            self._focus = focus
            self._said.append(focus)
        self._said += self._browsing.evaluate("announced.splice(0)")
        return "\n".join(self._said)

    def reads(self, words: str) -> bool:
        nodes = self._browsing.ask("Accessibility.getFullAXTree")["nodes"]
        told = [node.get("name", {}).get("value", "") for node in nodes if not node["ignored"]]
        return words in " ".join(told)

    def _focused(self) -> str:
        found = self._browsing.ask("Runtime.evaluate", expression="document.activeElement")
        place = found["result"]["objectId"]
        told = self._browsing.ask(
            "Accessibility.getPartialAXTree", objectId=place, fetchRelatives=False
        )
        (node,) = told["nodes"]
        if node["ignored"]:
            return ""
        kind = node["role"]["value"]
        name = node.get("name", {}).get("value", "")
        facts = {one["name"]: one["value"].get("value") for one in node.get("properties", ())}
        words = [name, ROLES.get(kind, kind)]
        if "level" in facts:
            words.append(f"level {facts['level']}")
        if "checked" in facts:
            words.append("checked" if facts["checked"] == "true" else "not checked")
        words += [
            node[kind]["value"]
            for kind in ("value", "description")
            if node.get(kind, {}).get("value")
        ]
        assert name.strip() or kind in ("RootWebArea", "main"), f"a {kind} without a name"
        return " ".join(map(str, words)) + "."
