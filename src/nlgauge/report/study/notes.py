"""The words of notes (`study.analysis.notes`), and one note for several criteria where all say the same.

Three notes that differ in two numbers are read by nobody: the figures that differ stand side by side, in the order of
the criteria that head the note.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from string import Formatter
from typing import Any

from nlgauge.errors import counted, first_of
from nlgauge.stats.discrimination.wording import people
from nlgauge.stats.mixed.results import UNFINISHED
from nlgauge.study.analysis.notes import Note, distinct
from nlgauge.study.protocols.outputs.criteria import UNKNOWN
from nlgauge.wording.numbers import listing, p_digits, p_sign


class Figure(str):
    """A figure in a sentence: where notes differ in nothing else, those of all criteria are told."""


class Names(str):
    """The first few of many names, which are not told where notes of several criteria are one."""


Said = list[str]
"""A sentence in parts: words, and among them figures and names."""


def say(template: str, **values: Any) -> Said:
    """A sentence with its values: numbers are figures, written as the template says; parts stay what they are.

    >>> say("{done:,} of {planned:,} answers by {who}", done=3, planned=1200, who="m")
    ['3', ' of ', '1,200', ' answers by ', 'm']
    """
    said: Said = []
    for words, name, form, _ in Formatter().parse(template):
        said += [words] if words else []
        if name is not None:
            said += _part(values[name], form or "")
    return said


def _part(value: Any, form: str) -> Said:
    if form in FORMS:
        value = FORMS[form](value)
    elif isinstance(value, int | float):
        value = Figure(format(value, form))
    return [value] if isinstance(value, str) else list(value)


def p_part(value: float) -> Said:
    """`p = 0.012`; whether it is below a bound is no matter of figures."""
    return [f"p {p_sign(value)} ", Figure(p_digits(value))]


def joined(parts: Iterable[Said], between: str = "; ") -> Said:
    """Several parts of one sentence."""
    said: Said = []
    for part in parts:
        said += [between, *part] if said else part
    return said


def mean(value: float | None, places: int | None) -> Figure:
    """A mean as tables have it; a ratio where there are no `places`."""
    if value is None or math.isnan(value):
        return Figure("n/a")
    if places is None:
        return Figure(f"{value:.3g}" if value < 0.1 or value >= 100 else f"{value:.2f}")
    return Figure(f"{value:.{places}f}".replace("-", "−"))


def _first(names: Sequence[str]) -> str:
    shown = f" ({first_of(names, MOST)})"
    return Names(shown) if len(names) > MOST else shown


MOST = 5  # names in a note

# ------------------------------------------------------------------------------------------------- words by kind

SKEWED = (
    "amounts from 0 up are skewed: systems are tested on square roots (of simulated studies without a difference "
    "3.6 to 4.7 % found one, on the amounts themselves 2.4 to 4.0 %); means and limits are of the amounts. The "
    "permutation test within items and the bootstrap over items take these judges as given: where judges favour "
    "systems, 9 to 10 %"
)
OFTEN = (
    " (with 5 judges and 15 items without a difference the ordinal model found one in 8.0 % of simulated studies, the "
    "linear one in 5.0 %)"
)
FEW_JUDGES = 10  # below which the ordinal model is known to find differences too often
INCOMPLETE = {
    "means": "the design is incomplete, and plain means compare systems on other judges and items; rely on the mixed "
    "model",
    "strengths": "the design is incomplete, and systems may have met others on other items",
}
MODELS = {
    "implied pairs": "Bradley and Terry's model of the pairs that the answers tell",
    "maxdiff": "the maxdiff model",
    "Davidson's ties": "the model with Davidson's ties",
    "degrees of preference": "the degrees of preference",
}
WHY_UNKNOWN = {
    "diagnosed": "see the diagnosis",
    "few": "too few judged the same to say why",
    "unnamed": "why cannot be said, as judges are not named",
}
TEMPLATES = {
    # of texts and systems
    "empty texts": "{empty:,} of the {texts:,} texts of {system} are empty or say null: find out whether the system "
    "failed or the texts are missing, and say in the paper how they were judged",
    # of models
    "smaller model": "a smaller mixed model was fitted: {reason}",
    "unfinished": f"linear model: {UNFINISHED}",
    "no mixed model": "there is no mixed model: {reason}",
    "no ordinal model": "there is no {model} mixed model: {reason}",
    "one value": "standardised means: {number} of {judges} judges gave one value only and count as {neutral:g} "
    "throughout{names:first}",
    "few ratings": "standardised means: {number} of {judges} judges gave fewer than {least} ratings, which is little "
    "to know their scale by{names:first}",
    "one judge": "there is one judge: nothing is known of other judges, and the limits do not hold beyond it",
    "one item": "there is one item: nothing is known of others, and the limits do not hold beyond it",
    "in the noise": "every rating has its own {name}, so that its variance is part of the noise",
    "favouring": "the model leaves out that judges may favour systems: {pairs:,} pairs of them would take minutes; "
    "where they do, the limits are too narrow",
    "skewed": SKEWED,
    "turned": "square roots, in which few grave errors weigh less than many slight ones, place {pairs:listed}, other "
    "than the means: report the permutation test of the amounts too",
    "no shared items": "systems share no items, so that Wilcoxon's test could not match them",
    "no test by ranks": "there is no test by ranks: {reason}",
    "adjusted": "means are the model's, which allows for who judged what; plain means, which nlgauge compare shows, "
    "are of the ratings as they are",
    # of judges
    "times unknown": "how long answers took is not known, so that nothing is said about haste",
    "order unknown": "in which order answers were given is not known, so that runs of one answer are not looked at",
    "spread untested": "too many judges and outputs to test the spread of each judge's ratings",
    "no weights": "judges have no weights: {reason}",
    "of panel": "panel {panel}: {note}",
    # of panels
    "absent": "the panel {panel} was planned and has no answers: nothing is said about it",
    "few in panel": "panel {panel} has {judges:people}: too few to generalise to other judges",
    "incomplete": "panel {panel} has {done:,} of {planned:,} planned answers: {figures:incomplete}",
    "few items": "panel {panel} judged {items:items}: too few to generalise to other items",
    # of machines
    "no people": "panel {panel}: a machine's answers are not answers of people: its panel is shown apart and never "
    "pooled with theirs",
    "one machine": "panel {panel}: its {judges} judges are one machine asked {judges} times; limits over judges say no "
    "more",
    "measured": "panel {panel}: its numbers are the machine's own, on no scale of the study",
    "left open": "panel {panel} left {left:,} of {planned:,} screens open: if they are harder or easier than the "
    "others, its figures are not those of all",
    "beside": "{machine} beside {people}, {criterion}: {reason}",
    # of agreement
    "agree little": "judges agree little (Krippendorff's alpha {alpha:.2f}, below {fine}); {why:why}",
    "unsettled": "whether judges agree enough is not settled (Krippendorff's alpha {alpha:.2f}, its interval holds "
    "{fine}); {why:why}",
    "agreement unknown": "agreement is not known: {reason}",
    "alike": "{first} and {second} correlate with r = {r:.2f} (outputs, n = {n:,}{p:test}): judges may not tell "
    "them apart",
    # of comparisons
    "never compared": "nothing is known of {systems:listed}: no comparison with them counts",
    "no strengths": "there are no strengths: {reason}",
    "places matter": "{places} ({p:p}): places matter, and balance alone protects the order",
    "other order": "by {model:model} {first} is strongest, not {best}; report both",
    "far off": "{criterion}: {far:,} of {numbers:,} numbers are more than {times:g} times as large or small as the "
    "judge's geometric mean (the farthest by {judge} for {item}): they may be slips of the hand, and are counted",
    "of ranking": "{where}: {text}",
    # of the study
    "broken off": "{broken:,} conversations broke off because the system did not reply, and were not rated "
    "({systems:numbers}): the means are of the others, which flatters systems that fail",
    "below chance": "{questions:,} questions were answered rightly less often than by guessing (for example {question} "
    "about {item}): check their key",
    "asked before": "{texts:,} texts were read by judges who had been asked the same questions about another system's "
    "text: they may have answered from memory",
    "remark": "{text}",
    "elsewhere": "the study was not run here: its answers were collected elsewhere and imported",
    "judges not named": "judges are not named: what they differ by is noise, and limits speak of other items, not of "
    "other judges",
}


def _few_levels(values: Mapping[str, Any]) -> Said:
    levels = [say("{n} levels of {name}", n=n, name=name) for name, n in values["levels"]]
    return ["linear model: ", *joined(levels, " and "), " are few for estimating a variance"]


def told_judges(values: Mapping[str, Any]) -> Said:
    """Who gave most of the ratings of a system."""
    return joined(
        say(
            "judge {judge} gave {own:,} of the {ratings:,} ratings of {system} and {rest:,} of the {others:,} of other "
            "systems",
            judge=judge,
            own=own,
            rest=rest,
            **{key: values[key] for key in ("ratings", "system", "others")},
        )
        for judge, own, rest in values["judges"]
    )


def _severe(values: Mapping[str, Any]) -> Said:
    return [
        *told_judges(values),
        ": how severe the judge is and how good the system is cannot be told apart, and the model's mean, limits and "
        f"tests of {values['system']} are not to be relied on",
    ]


def told_means(values: Mapping[str, Any]) -> Said:
    """Both means of a system."""
    model, plain = (mean(values[name], values["places"]) for name in ("model", "plain"))
    words = "the model's mean of {system} is {model}, the plain mean {plain}"
    return say(words, system=values["system"], model=[model], plain=[plain])


def _apart(values: Mapping[str, Any]) -> Said:
    return [
        *told_means(values),
        f": where {values['system']} stands depends on which of them is taken; report both, and why they differ",
    ]


def _models_disagree(values: Mapping[str, Any]) -> Said:
    words = "the linear model says {linear:p} for all systems, the ordinal one {ordinal:p}; report both"
    return [*say(words, **values), *([OFTEN] if values["judges"] < FEW_JUDGES else [])]


def split(pairs: Iterable[tuple[str, str, Mapping[str, float]]]) -> Said:
    """Neighbours about which tests disagree."""
    told = [
        [
            f"about {better} and {worse}: ",
            *joined((say("{test} {p:p}", test=test, p=p) for test, p in tests.items()), ", "),
        ]
        for better, worse, tests in pairs
    ]
    return ["tests disagree (p after Holm's correction) ", *joined(told)]


def _tests_disagree(values: Mapping[str, Any]) -> Said:
    return [*split(values["pairs"]), "; report all of them"]


def _unknown(values: Mapping[str, Any]) -> Said:
    what = "the exact questions, and give them" if len(values["names"]) > 1 else "the exact question, and give it"
    return [
        f"{', '.join(values['names'])}: {UNKNOWN}; nobody can say what these figures measure, or repeat the study: "
        f"find {what} in the study file"
    ]


def _failed(values: Mapping[str, Any]) -> Said:
    failed, judges, figures = values["failed"], values["judges"], values["figures"]
    beside = (
        f"the {figures} without them stand beside"
        if failed < judges
        else f"nobody is left to show {figures} by; see the checks of care for who failed which"
    )
    return say("panel {panel}: {failed} of {judges:people} failed a check of care; {beside}", beside=beside, **values)


def _pooled(values: Mapping[str, Any]) -> Said:
    *read, last = (f"“{name}” ({counted(judges, 'judge')})" for name, judges in values["judges"].items())
    found = "makes a difference" if values["matters"] else "was not found to make a difference"
    return [
        f"{values['name']} was asked in {len(values['judges'])} wordings, {', '.join(read)} and {last}, whose answers "
        f"are pooled: the wording {found}"
    ]


def _unread(values: Mapping[str, Any]) -> Said:
    return say(
        "no answer that counts was given to the wording{s} {names}: what the wording does cannot be told without "
        "judges of each",
        s="s" * (len(values["names"]) > 1),
        names=listing([f"“{name}”" for name in values["names"]]),
    )


FORMS: Mapping[str, Callable[[Any], Said | str]] = {
    "p": p_part,
    "people": people,
    "items": lambda number: f"{number} {'item' if number == 1 else 'items'}",
    "listed": ", ".join,
    "first": _first,
    "test": lambda p: "" if p is None else [", ", *p_part(p)],
    "numbers": lambda by: ", ".join(f"{name} {number:,}" for name, number in by.items()),
    "model": lambda name: MODELS[name],
    "why": lambda key: WHY_UNKNOWN[key],
    "incomplete": lambda what: INCOMPLETE[what],
}
MADE: Mapping[str, Callable[[Mapping[str, Any]], Said]] = {
    "few levels": _few_levels,
    "severe judges": _severe,
    "means apart": _apart,
    "models disagree": _models_disagree,
    "tests disagree": _tests_disagree,
    "questions unknown": _unknown,
    "failed checks": _failed,
    "pooled wordings": _pooled,
    "unread wordings": _unread,
}


# ------------------------------------------------------------------------------------------------ notes in words


def parts(note: Note) -> Said:
    """What a note says, without the criterion that it is said of."""
    if note.kind == "of panel":
        return say("panel {panel}: {note}", panel=note.values["panel"], note=parts(note.values["note"]))
    made = MADE.get(note.kind)
    return say(TEMPLATES[note.kind], **note.values) if made is None else made(note.values)


def words(note: Note) -> str:
    """A note in words, without a full stop."""
    return f"{place(note)}: {''.join(parts(note))}" if note.where else "".join(parts(note))


def place(note: Note) -> str:
    """The criterion, with its panel where there are several."""
    return called(note.where if note.known else f"{note.where} ({UNKNOWN})", note.panel)


def called(label: str, panel: str) -> str:
    """A criterion and its panel, where that is to be told."""
    return f"{label}, panel {panel}" if panel else label


def merged(notes: Iterable[Note]) -> list[str]:
    """The notes in words, those of several criteria that differ at most in figures as one."""
    groups: dict[object, list[tuple[Note, Said]]] = {}
    for note in distinct(notes):
        said = parts(note)
        groups.setdefault(_shape(said) if note.where else words(note), []).append((note, said))
    return list(dict.fromkeys(_one(group) for group in groups.values()))


def _shape(said: Said) -> tuple[str | None, ...]:
    """A sentence without its figures, and without names that are not all told."""
    return tuple(None if isinstance(part, Figure) else part for part in said if not isinstance(part, Names))


def _one(group: Sequence[tuple[Note, Said]]) -> str:
    notes = [note for note, _ in group]
    if len(group) == 1:
        return words(notes[0])
    heads = [place(note) for note in notes]
    if len(set(heads)) < len(heads):  # two notes of one criterion: which figures belong to which would be lost
        return "; ".join(map(words, notes))
    said = [sentence for _, sentence in group]
    if any(sentence != said[0] for sentence in said):
        said = [[part for part in sentence if not isinstance(part, Names)] for sentence in said]
    told = [column[0] if len(set(column)) == 1 else " / ".join(column) for column in zip(*said, strict=True)]
    return f"{_heads(notes)}: {''.join(told)}"


def _heads(notes: Sequence[Note]) -> str:
    """Several criteria; what is said of the questions of all stands once."""
    if not any(note.known or note.panel for note in notes):
        return f"{', '.join(note.where for note in notes)} ({UNKNOWN})"
    heads = list(map(place, notes))
    return ("; " if any(", " in head for head in heads) else ", ").join(heads)
