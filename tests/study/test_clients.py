"""Nothing is kept of a browser but its family and the kind of device."""

from __future__ import annotations

import pytest

from nlgauge.study.exchange.clients import browser

LIKE = "AppleWebKit/537.36 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {LIKE} Chrome/141.0.0.0 Safari/537.36",
            "Chrome, computer",
        ),
        (f"Mozilla/5.0 (Windows NT 10.0) {LIKE} Chrome/141.0 Safari/537.36 Edg/141.0", "Edge, computer"),
        (
            f"Mozilla/5.0 (Linux; Android 15; Pixel 9) {LIKE} Chrome/141.0 Mobile Safari/537.36",
            "Chrome, phone",
        ),
        (f"Mozilla/5.0 (Linux; Android 14; SM-X910) {LIKE} Chrome/141.0 Safari/537.36", "Chrome, tablet"),
        (
            "Mozilla/5.0 (iPhone; CPU OS 18_5) AppleWebKit/605 Version/18 Mobile/15E148 Safari/604.1",
            "Safari, phone",
        ),
        (
            "Mozilla/5.0 (iPad; CPU OS 18_5) AppleWebKit/605 FxiOS/140 Mobile/15E148 Safari/605",
            "Firefox, tablet",
        ),
        ("Mozilla/5.0 (compatible; Something/1.0)", "another browser, computer"),
        ("simulated speeder", "simulated speeder"),
        ("measured by bleu", "measured by bleu"),
        ("", ""),
    ],
)
def test_of_a_browser_family_and_device_are_kept(sent: str, kept: str) -> None:
    assert browser(sent) == kept
    assert browser(kept) == kept
