"""A page's forms and links as a browser without scripts sees them. Only the standard library's parser.

page = read(html)
page.main.controls["answer"].values        # ["0", "1", "2"]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlsplit

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
