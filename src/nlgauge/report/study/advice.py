"""What to do where judges agree little.

The advice follows the reason that the diagnosis finds likeliest (Amidei, Piwek and Willis 2018): error, guidelines, or
texts that are truly ambiguous.
"""

from __future__ import annotations

from collections.abc import Mapping

from nlgauge.stats.diagnosis import SCALE, listed
from nlgauge.study.protocols.outputs.analysis.agreeing import Agreeing

ADVICE: Mapping[str, str] = {
    "judges apart from the rest": "look at these judges' times and checks of care (which look at haste, runs of one "
    "answer and copies, and may be passed by who disagrees), and report the means without them beside the others",
    "different use of the scale": "judges follow each other but use other parts of the scale: report standardised "
    "means, and show examples next time",
    "ambiguous items": "these texts divide judges who agree elsewhere: read them, and say in the guidelines how such "
    "texts are to be judged, or report that opinions differ",
    "none found": "by the answers alone no judge and no text stands out: the definition or the guidelines are the "
    "likeliest place to look; try them on a few texts with a talk afterwards before the next study",
}
OF_PREFERENCES: Mapping[str, str] = {
    "judges apart from the rest": "look at these judges' times and places, and report the strengths without them "
    "as well",
    "different use of the scale": "judges differ in how readily they see a difference: say in the guidelines when two "
    "texts count as the same",
    "none found": "by the preferences alone no judge stands out: where systems are close, judges toss coins, so look "
    "at the strengths first, and then at the definition and the guidelines",
}
FOLLOW = "judges follow each other but use other parts of the scale: report standardised means beside the others"
OF_SCALES: Mapping[str, str] = {
    "measured": "judges follow each other, but some find more than others: say in the guidelines what counts and how "
    "much, with examples, and let judges practise on them",
    "ratios": "judges follow each other but spread their numbers more or less: show examples next time",
    "slider": f"{FOLLOW}, and show texts for several places of the slider next time",
    "labelled": f"{FOLLOW}, and show an example of each point next time",
    "points": f"{FOLLOW}, and give every point a label or an example next time",
}
SMALL = (
    "no single reason explains it: look at the definition and the guidelines first, and try them on a few texts with a "
    "talk afterwards before the next study"
)


def advice(agreeing: Agreeing) -> str:
    """What to do about low agreement, for every reason that is given; empty where it is not low."""
    diagnosis = agreeing.diagnosis
    if diagnosis is None:
        return ""
    told = OF_PREFERENCES if agreeing.answers == "preferences" else dict(ADVICE)
    if agreeing.answers in OF_SCALES:
        told = {**told, SCALE: OF_SCALES[agreeing.answers]}
    reasons = diagnosis.explaining or (diagnosis.reason,)
    advised = [told[reason] for reason in reasons if reason in told]
    if diagnosis.reasons and not diagnosis.explaining:
        advised = [SMALL]
    if agreeing.failed:  # look there first: a judge may fail every check and have answers like the others'
        them = "this judge" if len(agreeing.failed) == 1 else "them"
        advised.insert(0, f"{listed(agreeing.failed)} failed a check of care: begin with the figures without {them}")
    return "; ".join(advised)
