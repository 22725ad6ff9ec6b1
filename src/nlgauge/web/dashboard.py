"""The researcher's pages: overview, links, judges, export, the frozen study, the analysis.

While a study runs they show who came, how far and how fast; a verdict only where the plan allows a look. Every action
is a form that is sent by POST and answered by a redirect, so that reloading a page does nothing twice.
"""

from __future__ import annotations

import csv
import io
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from nlgauge.errors import InputError
from nlgauge.report.study.renderers import renderer_of
from nlgauge.report.style import STUDY_CSS
from nlgauge.study.exchange import export, people
from nlgauge.study.file.endings import closings, ending
from nlgauge.study.refusals import Refused
from nlgauge.study.service.progress import STAGES, Seat, in_words, is_machine, pace, stage_of
from nlgauge.study.store import kept_in
from nlgauge.web import figures, login
from nlgauge.web.entrance import Entrance, Visit
from nlgauge.web.site import Site
from nlgauge.web.verdicts import Verdicts, analyse_service

PAGE = 100  # rows of a table on one page
SENDABLE = 500  # addresses shown as text; a download holds them all
TEXTS = 100  # texts of a subject that the study's page shows
FORMATS = {
    "csv": ("CSV", "text/csv; charset=utf-8", "for spreadsheets and R"),
    "jsonl": ("JSON lines", "application/x-ndjson", "one object a line"),
    "parquet": ("Parquet", "application/vnd.apache.parquet", "typed columns, for pandas, Arrow and DuckDB"),
}
ENDS = ("done", "failed", "withdrawn")  # finished, did not pass, did not finish
SAID = {
    "paused": "The study is paused: nothing new is dealt, evaluations on screen may still be answered.",
    "resumed": "The study goes on.",
    "closed": "The study is closed.",
    "reopened": "The study is open again.",
    "links": "Links made: {n}.",
    "released": "Abandoned evaluations returned to the pool: {n}.",
    "forgotten": "The judge is forgotten; judgements erased: {n}.",
    "expired": "Judges forgotten because their retention period has passed: {n}.",
    "password": "The password was changed; every other session has ended.",
}


def routes(site: Site) -> list[Route]:
    """All routes under /dashboard."""
    return Dashboard(site).routes()


class Dashboard:
    """The pages of one study."""

    def __init__(self, site: Site) -> None:
        self.site, self.service = site, site.service
        self.entrance = Entrance(site)
        self.verdicts = Verdicts(site.service)
        site.templates.globals.update(
            day=figures.day,
            stamp=figures.stamp,
            ago=figures.ago,
            duration=figures.duration,
            report_css=self.sheet,
        )

    def routes(self) -> list[Route]:
        """The routes; only those of the entrance and the style sheet are open."""
        way = self.entrance.route
        return [
            *self.entrance.routes(),
            way("/dashboard", self.overview),
            way("/dashboard/close", self.ask_close),
            way("/dashboard/pause", self.change(self.service.admin.pause, "paused"), "POST"),
            way("/dashboard/resume", self.change(self.service.admin.resume, "resumed"), "POST"),
            way("/dashboard/reopen", self.change(self.service.admin.reopen, "reopened"), "POST"),
            way("/dashboard/close", self.close, "POST"),
            way("/dashboard/analysis", self.analysis),
            way("/dashboard/analysis", self.ask_analysis, "POST"),
            way("/dashboard/links", self.links),
            way("/dashboard/links", self.more_links, "POST"),
            way("/dashboard/links.csv", self.links_csv),
            way("/dashboard/links.txt", self.links_txt),
            way("/dashboard/judges", self.judges),
            way("/dashboard/judges/{judge}/forget", self.ask_forget),
            way("/dashboard/judges/{judge}/forget", self.forget, "POST"),
            way("/dashboard/release", self.release, "POST"),
            way("/dashboard/export", self.show_export),
            way("/dashboard/export", self.export, "POST"),
            way("/dashboard/people", self.people, "POST"),
            way("/dashboard/study", self.study),
            way("/dashboard/expired", self.forget_expired, "POST"),
            way("/dashboard/password", self.show_password),
            way("/dashboard/password", self.password, "POST"),
            Route("/dashboard/report/{digest}.css", report_sheet, methods=["GET"], name="GET report.css"),
        ]

    def page(self, visit: Visit, template: str, here: str, status: int = 200, **values: Any) -> Response:
        """A page with what was just done."""
        query = visit.request.query_params
        number = query.get("n", "")
        said = SAID.get(query.get("said", ""), "").format(
            n=f"{int(number):,}" if number.isdecimal() and len(number) < 9 else ""
        )
        progress = values.pop("progress", None) or self.service.progress.report()
        return self.entrance.page(
            visit, template, status, here=here, said=said, progress=progress, state=state(progress), **values
        )

    def sheet(self) -> str:
        """The address of the style sheet that reports and dashboard share."""
        return self.site.url(f"/dashboard/report/{REPORT_DIGEST}.css")

    # ------------------------------------------------------------------------------------------------- overview

    def overview(self, visit: Visit) -> Response:
        """Progress, times, and the verdict where one may be seen."""
        progress = self.service.progress.report()
        # a machine answers in no time: its answers would spoil the times of people
        study = self.service.study
        answers = [answer for answer in self.service.progress.answered() if not is_machine(study, answer.panel)]
        if self.service.study.imported:  # of imported answers the times may not be known
            answers = [answered for answered in answers if answered.answered_at > 0]
        cards = [
            figures.panel_card(name, numbers, machine=is_machine(study, name))
            for name, numbers in progress["panels"].items()
        ]
        too_fast = self.service.study.too_fast
        return self.page(
            visit,
            "overview.html",
            "overview",
            progress=progress,
            cards=[card for card in cards if not card.machine],
            machines=[card for card in cards if card.machine],
            verdict=self.verdicts.current(),
            pace=pace(answers, too_fast),
            arrivals=figures.arrivals(answers),
            times=figures.seconds_plot(answers, too_fast),
            last=answers[-1].answered_at if answers else None,
            watched=self.service.protocol.watched(self.service),
        )

    def change(self, verb: Callable[[], None], said: str) -> Callable[[Visit], Response]:
        """A handler for a change of the study's status."""

        def changed(visit: Visit) -> Response:
            verb()
            return self.done("", said)

        changed.__doc__ = verb.__doc__
        return changed

    def done(self, path: str, said: str, number: int | None = None) -> Response:
        """Back to a page that says what was done."""
        values = {"said": said} | ({} if number is None else {"n": str(number)})
        return self.entrance.redirect(f"{path}?{urlencode(values)}")

    def ask_close(self, visit: Visit) -> Response:
        """What closing means, and the button."""
        return self.page(visit, "close.html", "overview", ended=self.verdicts.current().ended, unticked=False)

    def close(self, visit: Visit) -> Response:
        """Close, if the box was ticked."""
        if visit.one("confirm") != "yes":
            ended = self.verdicts.current().ended
            return self.page(visit, "close.html", "overview", 422, ended=ended, unticked=True)
        self.service.admin.close()
        return self.done("", "closed")

    def analysis(self, visit: Visit) -> Response:
        """The page of `study analyse`."""
        verdict = self.verdicts.current()
        if verdict.result is None:
            raise InputError(verdict.sentence)  # in words, why not
        body = renderer_of(verdict.result).sections(verdict.result)
        return self.page(visit, "analysis.html", "analysis", body=body, title=verdict.headline)

    def ask_analysis(self, visit: Visit) -> Response:
        """Look at a study that was closed early: after that it stays closed."""
        if self.verdicts.current().waiting:
            analyse_service(self.service)  # the look is in the log from now on
        return self.entrance.redirect("/analysis")

    # ---------------------------------------------------------------------------------------------------- links

    def links(self, visit: Visit) -> Response:
        """The links of each panel and what became of them."""
        base = self.site.address
        panels: list[dict[str, Any]] = []
        for name, panel in self.service.study.panels.items():
            if panel.kind != "people":
                continue
            found = self.service.progress.link_states(name)
            personal = [link_state for link_state in found if link_state.link.kind == "personal"]
            unsent = [base + link_state.link.path for link_state in personal if link_state.state == "not visited"]
            rows, pages = paged(personal, visit.request, f"page-{len(panels)}")
            panels.append(
                {
                    "name": name,
                    "plan": panel,
                    "ends": [ending(self.service.study, name, "platform", kind) for kind in ENDS],
                    "rows": [(row.link.number, base + row.link.path, row.state) for row in rows],
                    "pages": pages,
                    "counts": counted([link_state.state for link_state in personal]),
                    "unsent": unsent[:SENDABLE],
                    "unsent_total": len(unsent),
                    "others": [
                        (link_state.link.kind, base + link_state.link.path, base + f"/p/{link_state.link.token}")
                        for link_state in found
                        if link_state.link.kind != "personal"
                    ],
                }
            )
        return self.page(visit, "links.html", "links", panels=panels)

    def more_links(self, visit: Visit) -> Response:
        """Further personal links."""
        panel, count = visit.one("panel"), visit.one("count").strip()
        if not count.isdecimal() or len(count) > 6:
            raise InputError("the number of links must be a whole number between 1 and 100,000")
        made = self.service.arrivals.more_links(panel, int(count))
        return self.done("/links", "links", len(made))

    def links_csv(self, visit: Visit) -> Response:
        """The links as a table."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(("panel", "number", "kind", "state", "address"))
        base = self.site.address
        for link_state in self.service.progress.link_states(visit.request.query_params.get("panel")):
            link = link_state.link
            state_ = link_state.state if link.kind == "personal" else ""
            writer.writerow((export.inert(link.panel), link.number or "", link.kind, state_, base + link.path))
        return download(out.getvalue(), "text/csv; charset=utf-8", self.filename("links", "csv"))

    def links_txt(self, visit: Visit) -> Response:
        """The addresses, one a line."""
        base = self.site.address
        found = self.service.arrivals.links(visit.request.query_params.get("panel"))
        lines = "".join(f"{base}{link.path}\n" for link in found)
        return download(lines, "text/plain; charset=utf-8", self.filename("links", "txt"))

    def filename(self, what: str, ending: str) -> str:
        """The name of a download: study, content, day."""
        day = datetime.fromtimestamp(self.site.clock(), UTC).strftime("%Y-%m-%d")
        return f"study-{self.service.id[:8]}-{what}-{day}.{ending}"

    # --------------------------------------------------------------------------------------------------- judges

    def judges(self, visit: Visit) -> Response:
        """Every judge by number, never by name."""
        wanted = visit.request.query_params.get("panel", "")
        found = self.service.progress.seats()
        chosen = [seat for seat in reversed(found) if not wanted or seat.panel == wanted]
        shown = [seat for seat in chosen if not seat.machine]
        machines = [seat for seat in chosen if seat.machine]
        rows, pages = paged(shown, visit.request, "page")
        progress = self.service.progress.report()
        stale = sum(numbers["stale"] for numbers in progress["panels"].values())
        reached = Counter(stage_of(seat.stage) for seat in shown)
        stages = {in_words(name): reached[name] for name in STAGES}
        return self.page(
            visit,
            "judges.html",
            "judges",
            progress=progress,
            rows=rows,
            pages=pages,
            total=len(shown),
            stages=stages,
            machines=machines,
            panels=list(dict.fromkeys(seat.panel for seat in found)),
            wanted=wanted,
            stale=stale,
        )

    def ask_forget(self, visit: Visit) -> Response:
        """What is erased, and the button."""
        return self.page(visit, "forget.html", "judges", seat=self._seat(visit), unticked=False)

    def forget(self, visit: Visit) -> Response:
        """Erase what identifies a judge, and the answers if asked to."""
        seat = self._seat(visit)
        if visit.one("confirm") != "yes":
            return self.page(visit, "forget.html", "judges", 422, seat=seat, unticked=True)
        counts = self.service.people.forget(seat.judge, answers=visit.one("answers") == "erase")
        return self.done("/judges", "forgotten", counts["judgements"])

    def _seat(self, visit: Visit) -> Seat:
        judge = self.service.people.find_judge(visit.request.path_params["judge"])
        found = self.service.progress.seats()
        seat = next(row for row in found if row.judge == judge)
        if seat.machine:
            raise Refused("stage", f"{judge} is a machine: nobody stands behind it, so there is nothing to forget")
        return seat

    def release(self, visit: Visit) -> Response:
        """Return abandoned evaluations to the pool."""
        return self.done("/judges", "released", self.service.dealing.release())

    # --------------------------------------------------------------------------------------------------- export

    def show_export(self, visit: Visit, status: int = 200, unticked: bool = False) -> Response:
        """The formats, and what looking at the rows means."""
        ended = self.verdicts.current().ended
        early = [
            event
            for event in self.service.events("exported")
            if not event["data"].get("complete") and event["data"].get("status") != "closed"
        ]
        return self.page(
            visit,
            "export.html",
            "export",
            status,
            formats=FORMATS,
            ended=ended,
            early=early,
            unticked=unticked,
        )

    def export(self, visit: Visit) -> Response:
        """A file with every judgement; before the end only with the box ticked, and noted in the log."""
        kind = format_of(visit)
        ended = self.verdicts.current().ended
        if not ended and visit.one("confirm") != "yes":
            return self.show_export(visit, 422, unticked=True)

        def make(path: Path) -> None:
            written = export.write(self.service.judgements(), path, self.service.quality.excluded())
            self.service.admin.note_export(judgements=written)

        return self.file("judgements", kind, make)

    def people(self, visit: Visit) -> Response:
        """A file with every judge; it tells nothing of who was right, so it may be had at any time."""
        ids = visit.one("platform_ids") == "yes"
        return self.file("judges", format_of(visit), lambda path: people.write(self.service, path, platform_ids=ids))

    def file(self, what: str, kind: str, make: Callable[[Path], object]) -> Response:
        """A file that is made for this answer and gone after it."""
        folder = tempfile.TemporaryDirectory(prefix="nlgauge-")
        try:
            path = Path(folder.name) / f"{what}.{kind}"
            make(path)
        except BaseException:
            folder.cleanup()
            raise
        name = self.filename(what, kind)
        return FileResponse(path, media_type=FORMATS[kind][1], filename=name, background=BackgroundTask(folder.cleanup))

    # ---------------------------------------------------------------------------------------------------- study

    def study(self, visit: Visit) -> Response:
        """The frozen design, readable."""
        frozen = self.service.frozen
        texts = {
            name: [text for text in frozen.texts if text.subject == name and not text.role]
            for name in self.service.study.authors
        }
        return self.page(
            visit,
            "study.html",
            "study",
            frozen=frozen,
            texts={name: found[:TEXTS] for name, found in texts.items()},
            totals={name: len(found) for name, found in texts.items()},
            launched=self.service.progress.launched_at(),
            database=kept_in(self.service.store.engine.url),
            folder=str(self.site.folder),
            base=self.site.address,
            closings=closings(self.service.study),
            about=self.service.protocol.describe(self.service.study),
            asked=self._asked(),
            required=self.service.protocol.required(self.service.study),
        )

    def _asked(self) -> list[tuple[str, Mapping[str, str]]]:
        """What the protocol asks, but for what is said after practice."""
        found = self.service.protocol.wordings(self.service.study)
        return [(path, words) for path, words in found if words and not path.startswith("practice.")]

    def forget_expired(self, visit: Visit) -> Response:
        """Forget all whose retention period has passed."""
        return self.done("/study", "expired", len(self.service.people.forget_expired()))

    def show_password(self, visit: Visit, status: int = 200, wrong: str = "") -> Response:
        """The form for another password."""
        return self.page(visit, "password.html", "study", status, wrong=wrong, rules=login.RULES)

    def password(self, visit: Visit) -> Response:
        """Set another password; every session but this one ends."""
        new = visit.one("password")
        wrong = login.problem_with(new, visit.one("again"), self.service.study.title.values())
        if wrong:
            return self.show_password(visit, 422, wrong)
        wait = self.entrance.check_password(visit, visit.one("present"))
        if wait > 0:
            why = f"The present password could not be confirmed; try again in {math.ceil(wait)} seconds."
            return self.show_password(visit, 403, why)
        self.entrance.vault.set_password(new)
        response = self.done("/study", "password")
        self.entrance.renew(response)
        return response


def format_of(visit: Visit) -> str:
    """The format that was chosen."""
    kind = visit.one("format")
    if kind not in FORMATS:
        raise InputError(f"the format must be one of {', '.join(FORMATS)}")
    return kind


REPORT_SHEET = STUDY_CSS.encode()
REPORT_DIGEST = login.digest(STUDY_CSS)[:12]


def report_sheet(request: Request) -> Response:
    """The style of tables and plots; its hash is in the address, so that browsers may keep it."""
    return Response(
        REPORT_SHEET, media_type="text/css", headers={"cache-control": "public, max-age=31536000, immutable"}
    )


def state(progress: dict[str, Any]) -> str:
    """open, paused, closed, or simulated."""
    return "simulated" if progress["simulated"] and progress["status"] == "open" else str(progress["status"])


def counted(states: list[str]) -> dict[str, int]:
    """How many links are in each state."""
    return {name: states.count(name) for name in dict.fromkeys(("not visited", "begun", "done", *states))}


def paged(rows: list[Any], request: Request, name: str) -> tuple[list[Any], dict[str, Any]]:
    """One page of rows, and the addresses of the pages before and after it."""
    last = max(1, -(-len(rows) // PAGE))
    given = request.query_params.get(name, "1")
    number = min(last, max(1, int(given))) if given.isdecimal() and len(given) < 9 else 1

    def address(target: int) -> str:
        others = {key: value for key, value in request.query_params.items() if key not in (name, "said", "n")}
        return "?" + urlencode(others | {name: str(target)})

    return rows[(number - 1) * PAGE : number * PAGE], {
        "number": number,
        "last": last,
        "before": address(number - 1) if number > 1 else "",
        "after": address(number + 1) if number < last else "",
    }


def download(content: str, kind: str, name: str) -> Response:
    """A small file to be saved."""
    return Response(
        content,
        headers={"content-type": kind, "content-disposition": f'attachment; filename="{quote(name)}"'},
    )
