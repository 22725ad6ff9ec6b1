"""One wording against the rules of its language, and a study as a whole: criteria without definitions or that overlap,
the order of questions, and how much is asked.

The limits of a study are conventions and not findings: fatigue sets in gradually, and how soon depends on the texts.
"""

# ruff: noqa: E501 - sentences read better in one piece

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from nlgauge.errors import NlgaugeError
from nlgauge.study.criteria import anchors, compare, find
from nlgauge.study.criteria.types import Criterion
from nlgauge.study.question_review.book import Book, Piece, Remark, Rule, book, languages
from nlgauge.study.question_review.doubles import double, doubled
from nlgauge.study.question_review.reading import LONGEST, Sentence, plain, sentences
from nlgauge.study.question_review.rewording import balanced_labels, is_sound, labelled, reword, split, without
from nlgauge.study.question_review.scales import (
    Label,
    contradictory,
    labels,
    lopsided,
    one_sided,
    unbalanced,
    unlabelled,
)
from nlgauge.study.question_review.second import BIASED, NEUTRAL, SURELY, is_known, odds, opinion
from nlgauge.study.question_review.sources import study_tree, value_of

_GENTLE = {"title", "consent", "definition"}  # nothing is asked there, but a hint is a hint
_CLAIMS = {"stated score"}  # what a definition says of a text is what is to be judged, not a verdict
_ASKING = {"line", "question", "instructions"}
_SCALES = {"unbalanced scale", "unlabelled scale"}
_MENDINGS = 4  # objections that one wording is mended of, one after the other
ADVICE = "Ask for one judgement in words that praise and blame nothing, with answers for both sides and for neither."
_NO_LABELS = "unlabelled"  # of the reader's labels, the one that a scale told elsewhere refutes


def review_piece(piece: Piece) -> list[Remark]:
    """The remarks about one wording, one for each kind; none for a language without rules.

    All of them end in one neutral wording, in which the review finds nothing any more; where none can be made, each
    ends in the advice for its kind.
    """
    found = _remarks(piece)
    if not found:
        return []
    if neutral := _neutral(piece, found):
        return [replace(remark, rewording=neutral, advice=False) for remark in found]
    advised = book(piece.language).advice
    return [
        remark if remark.advice else replace(remark, rewording=advised.get(remark.kind, ADVICE), advice=True)
        for remark in found
    ]


def _neutral(piece: Piece, found: Sequence[Remark]) -> str:
    """The wording with one objection after the other mended, once nothing is left to object to; else nothing."""
    for _ in range(_MENDINGS):
        text = next((remark.rewording for remark in found if not remark.advice and is_sound(remark.rewording)), "")
        if not text:
            return ""
        found = _remarks(replace(piece, text=text))
        if not found:
            return text
    return ""


def _remarks(piece: Piece) -> list[Remark]:
    if piece.language not in languages() or piece.role == "example" or not piece.text.strip():
        return []
    rules, text = book(piece.language), plain(piece.text)
    found: dict[str, Remark] = {}
    remarks = _labels(piece, text, rules) if piece.role == "labels" else _all(piece, text, rules)
    for remark in remarks:
        found.setdefault(remark.kind, remark)
    return _second(piece, text, list(found.values()), rules) if piece.role in _ASKING else list(found.values())


def _second(piece: Piece, text: str, found: list[Remark], rules: Book) -> list[Remark]:
    """The remarks after the second opinion: doubtful ones are dropped, and where there are none one may be added."""
    if not is_known(text, rules.language):
        return found
    sure = [remark for remark in found if remark.kind in rules.sure]
    if len(found) > len(sure):
        limit = SURELY if any(remark.kind in _SCALES for remark in found) else NEUTRAL
        return found if odds(text, rules.language) > limit else sure
    if sure:
        return sure
    if odds(text, rules.language) < BIASED:
        return []
    second = opinion(text, rules)
    if second is None or second.label not in rules.seen or (piece.labelled and second.label == _NO_LABELS):
        return []
    seen = rules.seen[second.label]
    reason = seen["reason"].format(words=f"“{second.words}”")
    read = list(sentences(text, rules.patterns))
    rest = without(second.sentence, read, rules)
    return [_remark(piece, seen["kind"], seen["bias"], second.words, reason=reason, rewording=rest)]


def _all(piece: Piece, text: str, rules: Book) -> Iterator[Remark]:
    read = list(sentences(text, rules.patterns))
    for rule in rules.rules:
        if piece.role in _GENTLE and rule.bias == "framing" and rule.kind != "leading":
            continue
        if (rule.roles and piece.role not in rule.roles) or (piece.role == "definition" and rule.kind in _CLAIMS):
            continue
        for sentence in read:
            words = met(rule, sentence, text)
            if words and not (rule.last and _known(sentence, text, rules)):
                told = {
                    "reason": rule.reason.format(words=words),
                    "rewording": reword(rule, words, sentence, read, rules),
                }
                yield _remark(piece, rule.kind, rule.bias, words, **told)
                break
    if piece.role not in _GENTLE and "double" in rules.reasons:
        yield from _doubles(piece, read, rules)
    if piece.role not in _GENTLE and "unlabelled" in rules.reasons:
        yield from _scales(piece, text[: 5 * LONGEST], rules)


def _known(sentence: Sentence, text: str, rules: Book) -> bool:
    """Whether a rule that is no last resort is met by the sentence."""
    return any(met(rule, sentence, text) for rule in rules.rules if not rule.last)


def met(rule: Rule, sentence: Sentence, text: str) -> str:
    """The words of a sentence that meet a rule, or nothing."""
    if (sentence.mood == "answers" and not rule.answers) or (rule.moods and sentence.mood not in rule.moods):
        return ""
    words = sentence.shown if rule.quotes else sentence.masked
    if rule.answers:
        words = sentence.text[:LONGEST] if not sentence.material else ""
    found = next((hit for pattern in rule.find if (hit := pattern.search(words))), None)
    if found is None or not all(pattern.search(words) for pattern in rule.needs):
        return ""
    if any(pattern.search(words) for pattern in rule.unless):
        return ""
    if any(pattern.search(text) for pattern in rule.unless_text):
        return ""
    start, end = found.span()
    return " ".join(sentence.text[start:end].split()).strip(" ,;:")


_KINDS = {  # by the name of their reason in the rules: the kind of remark, and the bias
    "double": ("double-barrelled", "framing"),
    "unbalanced": ("unbalanced scale", "framing"),
    "contradictory": ("contradictory scale", "questionnaire design"),
    "unlabelled": ("unlabelled scale", "framing"),
}


def _told(piece: Piece, name: str, words: str, rules: Book, rewording: str = "") -> Remark:
    """The remark whose reason has a name in the rules."""
    reason = rules.reasons[name].format(words=f"“{words}”")
    return _remark(piece, *_KINDS[name], words, reason=reason, rewording=rewording)


def _doubles(piece: Piece, read: list[Sentence], rules: Book) -> Iterator[Remark]:
    for sentence in read:
        if words := double(sentence, rules):
            yield _told(piece, "double", words, rules, split(sentence, words, rules))
            return
    listed = any(sentence.text.startswith(("(1)", "1)", "1.", "a)", "(a)")) for sentence in read)
    words = doubled(read, rules) if piece.role in ("line", "question") and not listed else ""
    if words:
        yield _told(piece, "double", words, rules)


def _scales(piece: Piece, text: str, rules: Book) -> Iterator[Remark]:
    procedure = rules.procedures is not None and rules.procedures.search(text)
    uneven, listed = lopsided(text), _uneven(text, rules)
    if uneven or (listed and not procedure):
        yield _unbalanced(piece, uneven, listed, rules)
    if turned := contradictory(text, rules):
        yield _told(piece, "contradictory", turned, rules)
    scale = "" if piece.labelled else unlabelled(text, rules)
    if scale:
        yield _told(piece, "unlabelled", scale, rules, labelled(text, scale, rules))


def _uneven(text: str, rules: Book) -> list[Label]:
    return next((points for points in labels(text, rules) if unbalanced(points) or one_sided(points, rules)), [])


def _unbalanced(piece: Piece, uneven: str, listed: list[Label], rules: Book) -> Remark:
    words = uneven or " / ".join(label.text for label in listed)
    return replace(_told(piece, "unbalanced", words, rules, balanced_labels(listed)), advice=True)


def _labels(piece: Piece, text: str, rules: Book) -> Iterator[Remark]:
    """The points of one scale; only their balance is looked at."""
    if "unbalanced" in rules.reasons and (listed := _uneven(f"Scale: {text}", rules)):
        yield _unbalanced(piece, "", listed, rules)


# with a proposed rewording, or none; `review_piece` looks whether it serves
_remark = partial(Remark.of, advice=False)


MANY = 100
"""Questions a judge is asked in one session from which fatigue is warned of."""


def review_whole(folder: str | Path) -> list[Remark]:
    """Remarks about the study file as a whole."""
    tree, path = study_tree(folder)
    values: Mapping[str, Any] = value_of(tree)
    lines = {str(key.value): key.start_mark.line + 1 for key, _ in tree.value}
    found = [*_criteria(tree, values, lines), *_fatigue(values, lines), *_order(values, lines)]
    return [replace(remark, file=str(path)) for remark in found]


def _criteria(tree: Any, values: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[Remark]:
    entries, line = values.get("criteria"), lines.get("criteria", 0)
    if not isinstance(entries, list):
        return
    nodes = next(node.value for key, node in tree.value if key.value == "criteria")
    known: list[Criterion] = []
    for place, (entry, node) in enumerate(zip(entries, nodes, strict=True), 1):
        name = entry if isinstance(entry, str) else str(entry.get("id", "")) if isinstance(entry, dict) else ""
        criterion = _criterion(node, f"criteria.{place}")
        if criterion is not None:
            known.append(criterion)
        elif isinstance(entry, str) or (isinstance(entry, dict) and not entry.get("definition")):
            whole = Piece(name or f"criterion {place}", line=node.start_mark.line + 1, key=f"criteria.{place}")
            reason = "judges and readers of the report cannot know what is measured, as names of criteria mean different things in different studies"
            mended = f"Add a definition to criteria.{place}, and show it to judges."
            yield Remark.of(whole, "no definition", "presentation", whole.text, reason=reason, rewording=mended)
    listed = values.get("criteria_order", "listed") == "listed"
    near = {(anchor.comparison.first, anchor.comparison.second) for anchor in anchors(known) if listed}
    for first, second in combinations(known, 2):
        pair, both = compare(first, second), Piece(f"{first.id}, {second.id}", line=line, key="criteria")
        if (first.id, second.id) in near:
            what = "the same thing" if pair.relation == "same" else "similar things"
            reason = (
                f"asked one after the other they ask for {what} ({pair.why}), so the first answer anchors the second"
            )
            mended = (
                "Put another question between them, ask only one of them, or vary the order (criteria_order: random)."
            )
            yield Remark.of(both, "similar neighbours", "anchoring", both.text, reason=reason, rewording=mended)
        elif pair.relation == "same":
            told = {
                "reason": f"by their definitions the two measure the same ({pair.why})",
                "rewording": "Ask only one of them.",
            }
            yield Remark.of(both, "overlapping criteria", "presentation", both.text, **told)


def _criterion(node: Any, where: str) -> Criterion | None:
    from nlgauge.study.criteria.entries import from_node

    try:
        return find(node.value) if isinstance(node.value, str) else from_node(node, where)
    except NlgaugeError:
        return None


def _fatigue(values: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[Remark]:
    criteria = values.get("criteria")
    each = len(criteria) if isinstance(criteria, list) and criteria else 1
    panels = values.get("panels")
    for name, panel in panels.items() if isinstance(panels, dict) else ():
        wanted = panel.get("evaluations", panel.get("items")) if isinstance(panel, dict) else None
        if not isinstance(wanted, str) or not wanted.isdigit() or panel.get("kind") == "machine":
            continue
        asked = int(wanted) * each
        if asked > MANY:
            whole = Piece(f"{asked} questions", line=lines.get("panels", 0), key=f"panels.{name}")
            reason = f"each judge of panel {name} is asked {asked} questions ({wanted} × {each}): answers get worse as people tire"
            mended = f"Ask at most {MANY} of each judge, with more judges, or plan breaks."
            told: dict[str, Any] = {"reason": reason, "rewording": mended}
            told["figures"] = {"questions": asked, "panel": name}
            yield Remark.of(whole, "fatigue", "presentation", whole.text, **told)


def _order(values: Mapping[str, Any], lines: Mapping[str, int]) -> Iterator[Remark]:
    for key in ("order", "design"):
        given = values.get(key)
        order = given.get("order") if isinstance(given, dict) else given
        if isinstance(order, str) and order in ("fixed", "same", "as listed", "file", "none"):
            whole = Piece(f"{key}: {order}", line=lines.get(key, 0), key=key)
            reason = "every judge meets the texts in one order, so place and system cannot be told apart"
            mended = "Use a random or balanced order."
            yield Remark.of(whole, "fixed order", "presentation", whole.text, reason=reason, rewording=mended)
