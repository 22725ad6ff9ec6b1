"""A judge who knows nothing but HTML: reads a page's form, fills it in, sends it, and follows where it leads.

    visitor = Visitor(Client("http://127.0.0.1:8000"), choose=lambda form, name, values: values[0])
    visit = await visitor.visit("/o/…")

The visitor knows neither the protocol nor the site's addresses. Required fields are filled in, a box that stands alone
is ticked, a choice between values is left to a function, the first button is pressed. The visit ends at a page without
form and link to the next one, or where another site begins. If the server goes away, a patient visitor does what people
do: sends the form again, or loads the page again. Simulated judges (`rehearsal.py`) and the load tests visit like this.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from random import Random
from urllib.parse import urlencode, urljoin, urlsplit

from nlgauge.web.client import Answer, Client, Lost
from nlgauge.wording.numbers import in_full

ASIDE = ("language", "leave")
"""The last part of the addresses of forms that are not what the page is about."""

_Attributes = dict[str, str | None]


@dataclass
class Control:
    """One field of a form; radio buttons or checkboxes of one name are one field with several values."""

    name: str
    kind: str  # the input's type, or textarea, or select
    values: list[str] = field(default_factory=list)
    chosen: list[str] = field(default_factory=list)  # what the page has filled in, ticked or selected
    required: bool = False
    number: bool = False  # a number is to be typed
    least: str = ""
    most: str = ""
    longest: int | None = None


@dataclass
class Form:
    """A form as it stands on the page."""

    action: str
    method: str
    controls: dict[str, Control] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)  # name and value, which may be empty

    @property
    def last(self) -> str:
        """The last part of the address."""
        return urlsplit(self.action).path.rstrip("/").rpartition("/")[2]

    def hidden(self, name: str) -> str:
        """The value of a hidden field, or nothing."""
        found = self.controls.get(name)
        return found.chosen[0] if found is not None and found.kind == "hidden" and found.chosen else ""


@dataclass
class Page:
    """The forms of a page, and its links: address and relation (`rel`)."""

    forms: list[Form] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)

    @property
    def main(self) -> Form | None:
        """What the page asks its reader to do: the first form that is not about language or leaving."""
        return next((form for form in self.forms if form.method == "post" and form.last not in ASIDE), None)

    @property
    def next(self) -> str:
        """Where a page leads that asks for nothing, or nothing."""
        return next((address for address, relation in self.links if "next" in relation.split()), "")

    def form(self, last: str) -> Form | None:
        """The form whose address ends so."""
        return next((form for form in self.forms if form.last == last), None)

    def link(self, last: str) -> str:
        """The link whose address ends so, or nothing."""
        return next((address for address, _ in self.links if address.rpartition("/")[2] == last), "")


def read(html: str) -> Page:
    """The forms of a page."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.page


class _Reader(HTMLParser):
    """Collects forms. A field outside every form is nobody's, as the `form` attribute is not understood."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self._form: Form | None = None
        self._area: Control | None = None
        self._select: Control | None = None
        self._option: _Attributes | None = None
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "form":
            attributes = dict(attrs)
            self._form = Form(attributes.get("action") or "", (attributes.get("method") or "get").lower())
            self.page.forms.append(self._form)
        elif tag == "a":
            attributes = dict(attrs)
            self.page.links.append((attributes.get("href") or "", attributes.get("rel") or ""))
        elif self._form is not None:
            self._field(tag, dict(attrs), self._form)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "textarea":
            self._end_area()
        elif tag == "option":
            self._end_option()
        elif tag == "select":
            self._end_option()
            self._end_select()

    def handle_data(self, data: str) -> None:
        if self._area is not None or self._option is not None:
            self._text.append(data)

    def _field(self, tag: str, attributes: _Attributes, form: Form) -> None:
        kind = (attributes.get("type") or ("submit" if tag == "button" else "text")).lower()
        if tag == "option":
            self._end_option()
            self._option, self._text = attributes, []
        elif tag not in ("input", "button", "textarea", "select") or "disabled" in attributes:
            return
        elif tag == "button" or kind in ("submit", "image", "button", "reset"):
            if kind in ("submit", "image"):
                form.buttons.append((attributes.get("name") or "", attributes.get("value") or ""))
        elif attributes.get("name") and kind != "file":
            control = _control(form, kind if tag == "input" else tag, attributes)
            if tag == "input":
                _take(control, attributes)
            elif tag == "textarea":
                self._area, self._text = control, []
            else:
                self._select = control

    def _end_area(self) -> None:
        if self._area is not None:
            written = "".join(self._text).removeprefix("\n")
            self._area.chosen = [written] if written else []
            self._area = None

    def _end_option(self) -> None:
        option, self._option = self._option, None
        if option is None or self._select is None or "disabled" in option:
            return
        value = option.get("value")
        value = " ".join("".join(self._text).split()) if value is None else value
        self._select.values.append(value)
        if "selected" in option:
            self._select.chosen = [value]

    def _end_select(self) -> None:
        if self._select is not None and not self._select.chosen:  # a browser shows the first
            self._select.chosen = self._select.values[:1]
        self._select = None


def _control(form: Form, kind: str, attributes: _Attributes) -> Control:
    name = attributes["name"] or ""
    control = form.controls.setdefault(name, Control(name, kind))
    control.required |= "required" in attributes or attributes.get("aria-required") == "true"
    control.number |= kind in ("number", "range") or attributes.get("inputmode") in ("numeric", "decimal")
    control.least, control.most = attributes.get("min") or "", attributes.get("max") or ""
    longest = attributes.get("maxlength") or ""
    control.longest = int(longest) if longest.isdecimal() else None
    return control


def _take(control: Control, attributes: _Attributes) -> None:
    ticked = control.kind in ("radio", "checkbox")
    value = attributes.get("value")
    value = ("on" if ticked else "") if value is None else value
    control.values.append(value)
    if "checked" in attributes if ticked else value:
        control.chosen.append(value)


MOST_PAGES = 10_000  # a site that leads in circles is left
PAUSE = 0.25  # seconds before what was lost is tried again
WORDS = "it reads differently"
WORDS_MARKED = "mark"  # boxes of words, of which nobody must tick one
NUMBER = 40.0

Chooser = Callable[[Form, str, list[str]], str]
"""Which value to choose: the form, the field's name, its values."""
Writer = Callable[[Form, str], str | None]
"""Which number or words to type into a line: the form, the field's name; None: any that fit."""


@dataclass(frozen=True)
class Sent:
    """A form that the server acknowledged."""

    path: str
    fields: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str:
        """The first value of a field, or nothing."""
        return next((value for key, value in self.fields if key == name), "")


@dataclass
class Visit:
    """How a visit went."""

    pages: int = 0
    sent: list[Sent] = field(default_factory=list)
    status: int = 0  # of the last page
    page: Page = field(default_factory=Page)  # the last one
    address: str = ""  # where it stands, or the other site's address
    lost: int = 0  # requests without an answer
    left: bool = False


class Visitor:
    """Goes from page to page."""

    def __init__(
        self,
        client: Client,
        choose: Chooser,
        *,
        write: Writer = lambda form, name: None,
        random: Random | None = None,
        leaves: Callable[[Form], bool] = lambda form: False,
        thinks: Callable[[Form], float] = lambda form: 0.0,
        patience: float = 0.0,
        pause: float = PAUSE,
    ) -> None:
        self.client, self.choose, self.leaves, self.thinks = client, choose, leaves, thinks
        self.write = write
        self.patience, self.pause, self.random = patience, pause, random or Random(0)

    async def visit(self, address: str) -> Visit:
        """Follow a link to the end."""
        visit = Visit(address=address)
        answer, _method = await self._send(visit, "GET", address)
        for _ in range(MOST_PAGES):
            answer = await self._arrive(visit, answer)
            form = visit.page.main
            if form is None and visit.page.next:
                visit.address = urljoin(visit.address, visit.page.next)
                answer, _method = await self._send(visit, "GET", visit.address)
                continue
            if form is None:
                break
            if self.leaves(form):
                visit.left = True
                await self._leave(visit)
                break
            seconds = self.thinks(form)
            if seconds:
                await asyncio.sleep(seconds)
            answer = await self._submit(visit, form, thorough=visit.status >= 400)
        self.client.drop()
        return visit

    async def _arrive(self, visit: Visit, answer: Answer) -> Answer:
        """Follow redirects to a page, and read it."""
        visit.page = Page()
        while answer.status in (301, 302, 303, 307, 308):
            visit.address = urljoin(visit.address, answer.headers.get("location", ""))
            if not self._here(visit.address):
                break
            answer, _method = await self._send(visit, "GET", visit.address)
        visit.status, visit.pages = answer.status, visit.pages + 1
        if answer.status < 300 or answer.status == 422:  # other refusals ask for nothing
            visit.page = read(answer.text)
        return answer

    def _here(self, address: str) -> bool:
        parts = urlsplit(address)
        return not parts.netloc or f"{parts.scheme}://{parts.netloc}" == self.client.origin

    async def _submit(self, visit: Visit, form: Form, *, thorough: bool = False) -> Answer:
        fields = tuple(fill(form, self.choose, thorough=thorough, write=self.write))
        path = urljoin(visit.address, form.action)
        if not self._here(path):
            raise Lost(f"the form leads to another site: {path}")
        answer, method = await self._send(visit, "POST", path, urlencode(fields))
        if method == "POST" and answer.status < 400:
            visit.sent.append(Sent(path, fields))
            visit.address = path if answer.status < 300 else visit.address
        return answer

    async def _leave(self, visit: Visit) -> None:
        """Go by the link or form that says so, where there is one; else the window is closed."""
        if visit.page.form("leave") is None and visit.page.link("leave"):
            visit.address = urljoin(visit.address, visit.page.link("leave"))
            answer, _method = await self._send(visit, "GET", visit.address)
            await self._arrive(visit, answer)
        form = visit.page.form("leave")
        if form is not None:
            await self._arrive(visit, await self._submit(visit, form))

    async def _send(self, visit: Visit, method: str, path: str, body: str = "") -> tuple[Answer, str]:
        """The answer to a request, and to which: a lost form is sent again, or its page is loaded again."""
        path = _path(path)
        end = time.monotonic() + self.patience
        while True:
            try:
                answer = await (self.client.post(path, body) if method == "POST" else self.client.get(path))
                return answer, method
            except Lost:
                visit.lost += 1
                if time.monotonic() >= end:
                    raise
            await asyncio.sleep(self.pause * (0.5 + self.random.random()))
            if method == "POST" and self.random.random() < 0.5:
                method, path = "GET", _path(visit.address)


def _path(address: str) -> str:
    parts = urlsplit(address)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def fill(
    form: Form, choose: Chooser, *, thorough: bool = False, write: Writer = lambda form, name: None
) -> Iterator[tuple[str, str]]:
    """The fields to send: hidden ones as they are, required ones filled in; `thorough`: all of them."""
    for control in form.controls.values():
        own = control.number or control.kind in ("hidden", "text", "textarea")
        if own and (typed := write(form, control.name)) is not None:
            yield control.name, typed
            continue
        for value in _value(form, control, choose, thorough):
            yield control.name, value
    # a button without a name sends the form as it is; others may only change it
    name, value = (
        next((button for button in form.buttons if not button[0]), form.buttons[0]) if form.buttons else ("", "")
    )
    if name:
        yield name, value


def _value(form: Form, control: Control, choose: Chooser, thorough: bool) -> list[str]:
    wanted = control.required or thorough
    if control.kind == "hidden":
        return control.chosen or [""]
    if control.kind == "radio":
        return [choose(form, control.name, control.values)]
    if control.kind == "checkbox":
        alone = len(control.values) == 1 and control.name != WORDS_MARKED
        return control.chosen or (control.values[:1] if wanted or alone else [])
    if control.kind == "select":
        offered = [value for value in control.values if value]
        return [choose(form, control.name, offered)] if offered else control.chosen
    if control.chosen or not wanted:
        return control.chosen or [""]
    if control.number:
        return [_number(control)]
    words = {"email": "judge@example.org", "date": "2026-01-01", "url": "https://example.org"}
    return [words.get(control.kind, WORDS)[: control.longest]]


def _number(control: Control) -> str:
    value = NUMBER
    if control.most:
        value = min(value, float(control.most))
    if control.least:
        value = max(value, float(control.least))
    return in_full(value)
