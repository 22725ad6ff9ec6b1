"""Figures in a real browser: what is drawn lies within the picture, and no name lies on an interval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.cli import main

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
from playwright.sync_api import Browser

NAMES = ("baseline", "transformer-XXL-finetuned-on-everything-we-had-with-beam-5-v2", "M" * 60, "系统" * 30)
# Texts that leave their drawing, and names that touch an interval, a bar or another name.
FAULTS = """() => {
  const faults = [];
  for (const drawing of document.querySelectorAll('svg[role=img]')) {
    const frame = drawing.getBoundingClientRect();
    const boxes = look => Array.from(drawing.querySelectorAll(look), part => [part, part.getBoundingClientRect()]);
    for (const [part, box] of boxes('text')) {
      const inside = box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.bottom <= frame.bottom + 1;
      if (!inside) faults.push(part.textContent);
    }
    const names = boxes('.label:not(.small)');
    for (const [name, a] of names) for (const [other, b] of [...boxes('.range, .part'), ...names]) {
      const apart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 2 || b.bottom <= a.top + 2;
      if (name !== other && !apart) faults.push(`${name.textContent} on ${other.className.baseVal}`);
    }
  }
  return faults;
}"""


@pytest.mark.parametrize("width", [1200, 390])
def test_names_of_sixty_letters_stay_within_figures_and_pages(
    browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    rows = [
        {
            "item": str(item),
            "system": name,
            "hypothesis": f"the cat sat on {'a' if (item + k) % 3 else 'the'} mat {'x ' * (item * k % 4)}",
            "references": ["the cat sat on the mat"],
            "ratings": {"clarity": [1 + (item + judge + k) % 5 for judge in range(3)]},
            "raters": ["x", "y", "z"],
        }
        for k, name in enumerate(NAMES)
        for item in range(12)
    ]
    data, study = tmp_path / "d.jsonl", str(tmp_path / "study")
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["study", "import", study, str(data), "--format", "set", "--scale", "1-5"]) == 0
    for name, command in {
        "compare": ["compare", str(data), "-m", "chrf", "--baseline", NAMES[0], "--trials", "100"],
        "meta": ["meta", str(data), "-m", "chrf", "--level", "system", "--draws", "100"],
        "analyse": ["study", "analyse", study],
    }.items():
        page, figures = tmp_path / f"{name}.html", tmp_path / name
        assert main([*command, "--html", str(page), "--figures", str(figures)]) == 0
        shown = browser.new_page(viewport={"width": width, "height": 900})
        for target in [page, *sorted(figures.iterdir())]:
            shown.goto(target.as_uri())
            assert shown.evaluate(FAULTS) == [], target.name
        shown.goto(page.as_uri())
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        shown.close()
    capsys.readouterr()
