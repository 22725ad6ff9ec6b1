"""What every route gets: the study's verbs, its folder, the secret, and pages from templates and phrases."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jinja2
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from nlgauge.study.exchange.clients import browser
from nlgauge.study.file.study import say
from nlgauge.study.protocols import folders
from nlgauge.study.service import Service
from nlgauge.web import language
from nlgauge.web.language import Phrases
from nlgauge.web.moulds import FoldingLoader, Mould, gap
from nlgauge.web.protocols import pages_of
from nlgauge.web.protocols.base import Pages
from nlgauge.web.security import form_token

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
PROTOCOLS = HERE.parent / "study" / "protocols"
MOST_FOLLOWED = 20_000  # links whose judge is remembered
MOST_FRAGMENTS = 2_000  # parts of pages, and pages with gaps, that are kept
TOKEN = "token-"  # begins the name of a gap for the hidden token of a form


def _name(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def agent(request: Request) -> str:
    """What is kept of what the browser says of itself."""
    return browser(request.headers.get("user-agent", ""))


def asked(request: Request) -> list[tuple[str, str]]:
    """What a recruiting platform put into the address: a form that loads the page again must bring it back."""
    if not request.url.path.startswith("/p/"):
        return []
    return [(name, value) for name, value in request.query_params.multi_items() if name != "lang"]


@dataclass(frozen=True)
class Site:
    """One study's site."""

    service: Service
    folder: Path
    secret: bytes
    base: str = ""  # where the site is reached from outside, for example https://host/prefix
    dashboard: bool = True
    clock: Callable[[], float] = time.time
    address: str = ""  # what links begin with that are to be sent; a request's Host header may be anybody's

    @cached_property
    def prefix(self) -> str:
        """The path under which a proxy shows the site, without a slash at its end."""
        return urlsplit(self.base).path.rstrip("/")

    @cached_property
    def phrases(self) -> Mapping[str, Phrases]:
        """The catalogue of each language of the study."""
        study = self.service.study
        return {code: language.of_study(study, code) for code in study.spoken}

    @cached_property
    def pages(self) -> Pages:
        """The pages of the study's protocol."""
        return pages_of(self.service.study.protocol)

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What the protocol's pages keep while the site runs."""
        return {}

    @cached_property
    def statics(self) -> Mapping[str, bytes]:
        """The site's own files, by name, in memory."""
        return {path.name: path.read_bytes() for path in sorted((HERE / "static").iterdir())}

    @cached_property
    def versions(self) -> Mapping[str, str]:
        """The beginning of each file's hash: it is part of the address, so that a browser may keep the file."""
        return {name: hashlib.sha256(content).hexdigest()[:12] for name, content in self.statics.items()}

    @property
    def folders(self) -> list[Path]:
        """Where templates are looked for: those of the study's protocol first."""
        return [*(PROTOCOLS / name / "templates" for name in folders(self.service.study.protocol)), TEMPLATES]

    @cached_property
    def templates(self) -> jinja2.Environment:
        """The templates, compiled once."""
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(self.folders),
            autoescape=True,
            auto_reload=False,
            cache_size=-1,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        environment.globals.update(
            url=self.url,
            static=self.static,
            study=self.service.study,
            languages=[(code, phrases.name) for code, phrases in self.phrases.items()],
        )
        return environment

    @cached_property
    def _followed(self) -> dict[bytes, str]:
        return {}

    def follow(self, token: str, request: Request) -> str:
        """The judge of a personal link, registered at the first visit.

        Who a link belongs to never changes, so it is asked of the database once; kept under the link's hash.
        """
        name = _name(token)
        judge = self._followed.get(name)
        if judge is None:
            judge = self.service.arrivals.follow(token, language=self.choose(request).code, client=agent(request))
            if len(self._followed) >= MOST_FOLLOWED:
                self._followed.clear()
            self._followed[name] = judge
        return judge

    def followed(self, token: str) -> str | None:
        """The judge of a personal link that was followed before."""
        return self._followed.get(_name(token))

    @cached_property
    def _spoken(self) -> Mapping[str, jinja2.Environment]:
        """The templates of each language; their globals are those of `templates`."""
        return {
            code: self.templates.overlay(
                loader=FoldingLoader(self.folders, phrases.say, self.static, self._values(phrases))
            )
            for code, phrases in self.phrases.items()
        }

    def _values(self, phrases: Phrases) -> dict[str, str]:
        """What every page of a language shows alike."""
        return {
            "code": phrases.code,
            "direction": phrases.direction,
            "study_title": say(self.service.study.title, phrases.code),
        }

    @cached_property
    def _fragments(self) -> dict[Hashable, Markup]:
        return {}

    @cached_property
    def _moulds(self) -> dict[Hashable, Mould]:
        return {}

    def fragment(
        self, template: str, phrases: Phrases, values: Mapping[str, Any], key: Hashable | None = None
    ) -> Markup:
        """A part of a page; with a key it is the same for many judges, made once and kept."""
        name = (template, phrases.code, key)
        made = self._fragments.get(name) if key is not None else None
        if made is None:
            made = Markup(self._spoken[phrases.code].get_template(template).render(values))
            if key is not None:
                if len(self._fragments) >= MOST_FRAGMENTS:
                    self._fragments.clear()
                self._fragments[name] = made
        return made

    def url(self, path: str) -> str:
        """An address on this site as a browser asks for it."""
        return self.prefix + path

    def static(self, name: str) -> str:
        """The address of one of the site's own files."""
        return self.url(f"/static/{self.versions[name]}/{name}")

    def form_token(self, link: str, purpose: str) -> str:
        """The hidden token of a form."""
        return form_token(self.secret, link, purpose)

    def choose(self, request: Request) -> Phrases:
        """The phrases for somebody whose language is not stored: asked for by `lang`, else what the browser prefers."""
        wanted = request.query_params.get("lang", "")
        spoken: Sequence[str] = self.service.study.spoken
        code = wanted if wanted in spoken else language.choose(request.headers.get("accept-language", ""), spoken)
        return self.phrases[code]

    def render(
        self,
        request: Request,
        template: str,
        status: int = 200,
        *,
        phrases: Phrases | None = None,
        headers: Mapping[str, str] | None = None,
        same: Hashable | None = None,
        late: Mapping[str, str] | None = None,
        **values: Any,
    ) -> HTMLResponse:
        """A page: a template with the phrases of a language and the values it shows.

        With `same`, which decides with template and language how the page looks, the page is made once with gaps, and
        `late` says what belongs in them.
        """
        spoken = phrases or self.choose(request)
        address = self.url(values.get("link", ""))
        if same is None or spoken.code not in self._spoken:
            given = {"address": address, "asked": asked(request)}
            page = self._made(template, spoken, {**given, **values, **(late or {})})
        else:
            name = (template, spoken.code, same)
            mould = self._moulds.get(name)
            if mould is None:
                gaps = {key: gap(key) for key in ("address", *(late or ()))}
                hidden = {"hidden": lambda purpose: gap(f"{TOKEN}{purpose}")}
                mould = Mould(self._made(template, spoken, {**values, **gaps, **hidden}))
                if len(self._moulds) >= MOST_FRAGMENTS:
                    self._moulds.clear()
                self._moulds[name] = mould
            own = {"address": address, **(late or {})}

            def value(name: str) -> str:
                token = name.removeprefix(TOKEN)
                return own[name] if token == name else values["hidden"](token)

            page = mould.fill(value)
        return HTMLResponse(page, status, dict(headers or {}))

    def _made(self, template: str, phrases: Phrases, values: Mapping[str, Any]) -> str:
        source = self._spoken.get(phrases.code, self.templates)
        return source.get_template(template).render(
            {"link": "", "asked": (), "say": phrases.say, **self._values(phrases), **values}
        )
