"""A judge who knows nothing but HTML, for `golden.py`: reads a page's forms and fills them in, always alike."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit


class Page(HTMLParser):
    """The forms of a page and the link that leads on."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[dict[str, Any]] = []
        self.next = ""
        self.inside = False
        self.select: dict[str, Any] | None = None
        self.feed(text)

    def main(self) -> dict[str, Any] | None:
        """What the page asks for: the first form that is not about language or leaving."""
        aside = ("language", "leave", "logout")
        return next(
            (
                form
                for form in self.forms
                if form["method"] == "post"
                and urlsplit(form["action"]).path.rstrip("/").rpartition("/")[2] not in aside
            ),
            None,
        )

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.inside = True
            method = given.get("method", "get").lower()
            self.forms.append({"action": given.get("action", ""), "method": method, "fields": []})
        elif tag == "a" and "next" in given.get("rel", "").split():
            self.next = given.get("href", "")
        elif self.inside and tag in ("input", "textarea", "select", "button") and "disabled" not in given:
            kind = given.get("type", "submit" if tag == "button" else "text") if tag in ("input", "button") else tag
            self.forms[-1]["fields"].append(given | {"kind": kind, "options": []})
            self.select = self.forms[-1]["fields"][-1] if tag == "select" else None
        elif tag == "option" and self.select is not None:
            self.select["options"].append(given.get("value", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False


def hidden(form: dict[str, Any]) -> list[tuple[str, str]]:
    return [(part["name"], part.get("value", "")) for part in form["fields"] if part["kind"] == "hidden"]


def fill(form: dict[str, Any], number: int, *, thorough: bool) -> list[tuple[str, str]]:
    """What somebody sends: choices in turn, all boxes that stand alone, words and numbers where they are asked for."""
    sent, radios = hidden(form), {}
    boxes: dict[str, list[dict[str, Any]]] = {}
    for part in form["fields"]:
        name, kind = part.get("name", ""), part["kind"]
        if kind == "radio":
            radios.setdefault(name, []).append(part.get("value", "on"))
        elif kind == "checkbox":
            boxes.setdefault(name, []).append(part)
        elif kind == "select":
            options = [value for value in part["options"] if value]
            sent += [(name, options[number % len(options)])] if options else []
        elif kind in ("range", "number") or part.get("inputmode") in ("numeric", "decimal"):
            least, most = float(part.get("min") or 0), float(part.get("max") or 1e9)
            sent.append((name, f"{min(max(40 + number, least), most):g}"))
        elif kind in ("text", "textarea", "email", "search") and ("required" in part or thorough):
            sent.append((name, "judge@example.org" if kind == "email" else "it reads differently"))
    sent += [(name, values[(number + place) % len(values)]) for place, (name, values) in enumerate(radios.items())]
    for name, group in boxes.items():
        if len(group) == 1 or thorough or any("required" in part for part in group):
            sent.append((name, group[0].get("value", "on")))
    buttons = [part for part in form["fields"] if part["kind"] in ("submit", "image")]
    if buttons and all(part.get("name") for part in buttons):
        sent.append((buttons[0]["name"], buttons[0].get("value", "")))
    return sent
