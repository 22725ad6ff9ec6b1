"""HMETEOR is METEOR Universal with the post-edits in the place of the references."""

from __future__ import annotations

import pytest

from nlgauge.errors import NlgaugeError
from nlgauge.kernels.batch import Batch
from nlgauge.metrics.meteor_universal import MeteorUniversal
from nlgauge.metrics.post_edited import Hmeteor


def test_post_edits_take_the_place_of_references() -> None:
    plain, edited = MeteorUniversal(paraphrases="none"), Hmeteor(paraphrases="none")
    hypotheses, edits = ["the cats sat", "a dog"], [["the cat sat"], ["a big dog"]]
    try:
        wanted = plain.rows(Batch(hypotheses, edits))
    except NlgaugeError as missing:
        pytest.skip(str(missing))
    batch = Batch(hypotheses, [["nothing alike"], ["nor this"]], post_edits=edits)
    assert edited.rows(batch).tolist() == wanted.tolist()
    assert edited.needs == ("post_edits",)
