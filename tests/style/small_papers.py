"""Two or three small invented papers that tell of the same events, each in its own way, and their split by rule."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from nlgauge.style.forms import PARTS, Article

WHO = ["mayor", "bishop", "judge", "pilot", "farmer", "actor"]
DOES = {"opens": "inaugurates", "leaves": "abandons", "buys": "acquires", "blames": "accuses"}
WHAT = ["bridge", "school", "bank", "museum", "harbour", "club"]
SOURCES = ("courier", "gazette", "herald")


def headline(source: str, who: str, does: str, what: str) -> str:
    """An event as each paper puts it."""
    if source == "courier":
        return f"{who.title()} {does} {what}"
    if source == "gazette":
        return f"{what.upper()}: {DOES[does]} the {who}"
    return f'"{what}", says the {who}, who {does}'


def split(number: int, sources: tuple[str, ...] = SOURCES[:2], seed: int = 1) -> dict[str, list[Article]]:
    """So many events in each part; the articles of an event are aligned with the next source's, in a circle."""
    random = Random(seed)
    found: dict[str, list[Article]] = {}
    for part in PARTS:
        found[part] = []
        for event in range(number):
            who, does, what = random.choice(WHO), random.choice(list(DOES)), random.choice(WHAT)
            name = f"name{random.randrange(10_000)}"
            ids = [f"{source[0]}{part}{event}" for source in sources]
            for place, source in enumerate(sources):
                pair = "" if part == "rest" else ids[(place + 1) % len(sources)]
                text = f"Today the {who} {name} {does} the {what}. Nobody was surprised."
                found[part].append(Article(ids[place], source, None, headline(source, who, does, what), text, pair))
    return found


def write_split(folder: Path, parts: dict[str, list[Article]]) -> Path:
    """As files."""
    folder.mkdir(exist_ok=True)
    for part, articles in parts.items():
        lines = (json.dumps(article.to_row()) + "\n" for article in articles)
        (folder / f"{part}.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder
