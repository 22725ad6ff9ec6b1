"""A real browser before a real server: studies served by their own process, and visits that are watched.

Everything a page does is recorded: where its requests go, what it writes to the console, what its policy refuses.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import yaml

from nlgauge.study.file import study
from nlgauge.study.service import Service, launch
from nlgauge.study.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ROOT = Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / "build" / "screenshots"
sys.path.insert(0, str(ROOT / "tools"))
import system  # noqa: E402

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP, PHONE, NARROW = (
    {"width": 1280, "height": 900},
    {"width": 375, "height": 740},
    {"width": 320, "height": 640},
)
PATIENCE = 30_000  # milliseconds for anything a page does
PATIENCE_START = 20  # seconds for a server

ENGLISH = (
    [
        f"A south-westerly wind of {k} knots will freshen during the afternoon, and rain will reach the isles by dusk."
        for k in range(10, 22)
    ],
    [
        f"Wind SW {k} kt, increasing in the afternoon. Rain over the isles in the evening, clearing overnight."
        for k in range(10, 22)
    ],
)
ARABIC = (
    [
        f"تهب رياح جنوبية غربية سرعتها {k} عقدة، ثم تشتد بعد الظهر ويصل المطر إلى الجزر عند الغروب."
        for k in range(10, 22)
    ],
    [f"رياح جنوبية غربية {k} عقدة تزداد بعد الظهر. أمطار على الجزر مساءً ثم تصفو السماء ليلًا." for k in range(10, 22)],
)


def why_not() -> str:
    """Why there is no browser, or nothing."""
    try:
        import playwright  # noqa: F401
    except ModuleNotFoundError:
        return 'the package playwright is not installed: pip install "nlgauge[test]"'
    return "" if system.chromium() else f"Chromium is not installed: {system.PARTS[0].line}"


def description(texts: tuple[list[str], list[str]] = ENGLISH, **changes: Any) -> dict[str, Any]:
    """A study file with every page a judge can meet, in English and Arabic; a key set to None is left out."""
    values: dict[str, Any] = {
        "protocol": "triangle",
        "title": "Who wrote these forecasts?",
        "goal": "difference",
        "risks": {"alpha": 0.05, "beta": 0.05, "p_d": 0.5},
        "subjects": {"A": {"texts": texts[0]}, "B": {"texts": texts[1]}},
        "question": {
            "en": "Select the text that you think was written by a different author.",
            "ar": "اختر النص الذي تعتقد أن كاتبًا آخر كتبه.",
        },
        "instructions": {
            "en": "You will see three texts. Two were written by the same author, one by another.",
            "ar": "سترى ثلاثة نصوص. كتب مؤلف واحد اثنين منها، وكتب الثالث مؤلف آخر.",
        },
        "consent": {
            "text": {
                "en": "Taking part is voluntary and you may stop at any time.",
                "ar": "المشاركة طوعية ويمكنك التوقف في أي وقت.",
            }
        },
        "questions": [
            {
                "id": "reads",
                "text": {"en": "How often do you read forecasts?", "ar": "كم مرة تقرأ النشرة الجوية؟"},
                "options": [{"en": "every day", "ar": "كل يوم"}, {"en": "sometimes", "ar": "أحيانًا"}],
                "required": True,
            },
            {"id": "age", "text": {"en": "How old are you?", "ar": "كم عمرك؟"}, "type": "number"},
        ],
        "panels": {"readers": {"judges": 6, "evaluations": 3, "access": "links"}},
        "practice": {
            "examples": [
                {
                    "texts": ["A dog barked.", "A hound bayed.", "A dog ran."],
                    "odd": 2,
                    "explanation": {"en": "Only one speaks of a hound.", "ar": "نص واحد فقط يذكر كلب الصيد."},
                }
            ]
        },
        "reasons": {"text": "optional", "highlight": "optional"},
        "completion": {"code": "WIND-2042", "failed_code": "CALM-7"},
        "ethics": {"approval": "none needed: no personal data", "contact": "study@example.org"},
        "seed": 20261115,
    }
    return {key: value for key, value in (values | changes).items() if value is not None}


@dataclass
class Served:
    """A launched study and the process that serves it."""

    folder: Path
    base: str
    links: list[str]  # addresses
    setup: str  # where the dashboard's password is set
    process: subprocess.Popen[str]

    @contextmanager
    def service(self) -> Iterator[Service]:
        """The study's verbs on the same database, beside the server."""
        from nlgauge.study.service import opened

        store = Store.at(self.folder)
        try:
            yield opened(self.folder, store)
        finally:
            store.close()


def launched(folder: Path, **changes: Any) -> Path:
    """A folder with a launched study."""
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(description(**changes), sort_keys=False, allow_unicode=True)
    (folder / study.FILE).write_text(text, encoding="utf-8")
    store = Store.at(folder)
    launch(study.load(folder), folder, store)
    store.close()
    return folder


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    """`nlgauge study serve` on a free port of this machine, until the end of the block."""
    command = [sys.executable, "-m", "nlgauge", "study", "serve", str(folder), "--port", "0", "--json"]
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=dict(os.environ))
    try:
        assert process.stdout is not None
        lines = list(iter(process.stdout.readline, "}\n"))  # printed when the port is bound: requests wait for the rest
        assert process.poll() is None, (folder / "server.log").read_text()
        said = json.loads("".join(lines) + "}")
        yield Served(folder, said["base"], said["links"], said.get("setup") or "", process)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE_START)


@dataclass
class Watch:
    """What the pages of a context did."""

    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def follow(self, context: BrowserContext) -> None:
        """Record from now on."""
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("console", lambda message: self._console(message.type, message.text))
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("response", self._response)

    def _console(self, kind: str, text: str) -> None:
        # Chromium reports the status of a refused page as an error; statuses are judged in `_response`
        if kind in ("error", "warning") and not text.startswith("Failed to load resource: the server responded"):
            self.complaints.append(f"console {kind}: {text}")

    def _response(self, response: Any) -> None:
        if response.status >= 500 or (response.status >= 400 and response.request.resource_type != "document"):
            self.complaints.append(f"{response.status} for {response.request.resource_type} {response.url}")

    def check(self) -> None:
        """Nothing left this machine, and nothing was complained of: neither script, nor policy, nor resource."""
        assert self.requests
        hosts = {urlsplit(url).hostname for url in self.requests if not url.startswith("data:")}
        assert hosts == {"127.0.0.1"}, hosts
        assert not self.complaints, self.complaints


@contextmanager
def visiting(browser: Browser, size: dict[str, int] = DESKTOP, **options: Any) -> Iterator[Page]:
    """A page in a fresh context, like a device of its own; what it did is checked at the end."""
    touch = {"has_touch": True, "is_mobile": True} if size["width"] < 600 else {}
    context = browser.new_context(viewport=size, reduced_motion="reduce", **(touch | options))
    context.set_default_timeout(PATIENCE)
    watch = Watch()
    watch.follow(context)
    try:
        yield context.new_page()
        watch.check()
    finally:
        context.close()


def screenshot(page: Page, name: str) -> None:
    """Keep a picture of the whole page as an artefact of the tests."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True, animations="disabled")


def fits(page: Page) -> None:
    """The page does not scroll sideways."""
    seen = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert seen[0] <= seen[1], f"{page.url} is {seen[0]} pixels wide in a window of {seen[1]}"


def barriers(page: Page, script: str, *rules: str) -> list[str]:
    """What axe-core calls a serious or critical violation, of all its rules or of some."""
    if not page.evaluate("typeof window.axe === 'object'"):
        page.evaluate(script)  # as the test's own code: the page's policy forbids scripts from elsewhere
    only = {"runOnly": list(rules)} if rules else {}
    found = page.evaluate("options => axe.run(document, options)", {"resultTypes": ["violations"], **only})
    return [
        f"{violation['impact']}: {violation['id']}: {violation['help']}: "
        + "; ".join(node["html"][:160] for node in violation["nodes"][:3])
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
    ]


def heading(page: Page) -> str:
    """The page's first heading."""
    return page.locator("h1").first.inner_text().strip()


def go(page: Page, selector: str, *, clicks: int = 1) -> None:
    """Click what leads to another page, and wait for that."""
    from playwright.sync_api import Error

    try:
        with page.expect_navigation():
            page.locator(selector).first.click(click_count=clicks)
    except Error as error:
        if clicks == 1 or "ERR_ABORTED" not in str(error):
            raise
        page.wait_for_load_state()  # the second click takes the place of the first, whose page never comes


def appears(page: Page, selector: str, count: int = 1) -> None:
    """Wait until so many elements are there."""
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_have_count(count, timeout=PATIENCE)


def pick(page: Page, control: str) -> None:
    """Tick or choose a control by its words, as people do."""
    page.locator(f"label[for={control}]").click()


def shown_texts(page: Page) -> list[str]:
    """The three texts as they are on screen."""
    return [part.inner_text().strip() for part in page.locator(".words").all()]


def clean_screenshots() -> None:
    """An empty folder for this run's pictures."""
    shutil.rmtree(SCREENSHOTS, ignore_errors=True)
