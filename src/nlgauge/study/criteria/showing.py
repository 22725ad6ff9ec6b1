"""What judges see while they judge: what must be there, what must never be, and what must not be there yet.

In question answering the plausibility of an answer is asked before its passage is shown; in question generation the
answers are withheld so that they do not bias the judge (Sai, Mohankumar and Khapra 2022, section 3.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from nlgauge.study.criteria.types import Criterion


def needs(criterion: Criterion, who: str | None = None) -> frozenset[str]:
    """What must be shown with a criterion: to one kind of judge, or to any."""
    if who is None:
        return criterion.shown
    return frozenset(criterion.judges.get(who, criterion.judges.get("monolingual", ()) if who == "expert" else ()))


def hidden(criterion: Criterion) -> frozenset[str]:
    """What must not be in sight when the criterion is asked."""
    return frozenset((*criterion.withheld, *criterion.before))


def may_judge(criterion: Criterion, who: str) -> bool:
    """Whether a kind of judge can judge a criterion; an expert can judge what a monolingual reader can."""
    return who in criterion.judges or (who == "expert" and "monolingual" in criterion.judges)


def stages(asked: Sequence[Criterion], who: str | None = None) -> tuple[tuple[Criterion, ...], ...]:
    """The criteria grouped by page: nothing is shown before every criterion that must be judged without it is done.

    Within a page the order given is kept. Where two criteria each show what the other hides, no order serves; they
    share a page and `conflicts` says so.
    """
    left, pages = list(asked), []
    while left:
        page = [
            criterion
            for criterion in left
            if not any(needs(criterion, who) & hidden(other) for other in left if other is not criterion)
        ]
        pages.append(tuple(page or left))
        left = [criterion for criterion in left if page and criterion not in page]
    return tuple(pages)


def in_order(asked: Sequence[Criterion], who: str | None = None) -> tuple[Criterion, ...]:
    """The criteria in an order in which each can be asked; as given where nothing stands against it."""
    return tuple(criterion for page in stages(asked, who) for criterion in page)


def conflicts(
    asked: Sequence[Criterion], shown: Iterable[str] = (), who: str | None = None, *, paged: bool = False
) -> Iterator[str]:
    """What is wrong with asking these criteria in this order of the same judges, with these things shown throughout.

    Where a study is `paged`, what must be asked before something is shown has a page of its own without it.
    """
    seen = frozenset(shown)
    early = [criterion for criterion in asked if paged and seen.intersection(criterion.before)]
    if early and len(early) < len(asked):
        yield from _first_page(early, seen, who)
    for place, criterion in enumerate(asked):
        if who is not None and not may_judge(criterion, who):
            yield (
                f"{criterion.id} cannot be judged by {_called(who)} judges; it is for "
                f"{' or '.join(map(_called, criterion.judges))} judges"
            )
        elif who is not None and not criterion.wording.fits(who):
            yield (
                f"{criterion.id}: the question “{criterion.wording.say('en')}” is for "
                f"{' or '.join(map(_called, criterion.wording.judges))} judges; choose another wording"
            )
        for thing in sorted(seen & hidden(criterion)):
            before = f"{criterion.id} must be asked before the {thing} is shown"
            if thing in criterion.withheld:
                shown_too = f"the {thing}, which is shown; leave it out for these judges"
                yield f"{criterion.id} must be judged without {shown_too}"
            elif not paged:
                yield f"{before}; show it on the next page only"
            elif not 0 < len(early) < len(asked):
                left = f"leave the {thing} out, or ask something that is judged with it"
                yield f"{before}, and nothing is asked after it; {left}"
        for earlier in asked[:place]:
            for thing in sorted((needs(earlier, who) & hidden(criterion)) - seen):
                yield (
                    f"{criterion.id} must be judged without the {thing}, but {earlier.id}, asked before it, shows it; "
                    f"ask {criterion.id} first, or of other judges"
                )


def _first_page(early: Sequence[Criterion], seen: frozenset[str], who: str | None) -> Iterator[str]:
    """What a question of the first page must show although another must not."""
    for shown in early:
        for other in early:
            for thing in sorted(needs(shown, who) & seen.intersection(other.before)):
                yield (
                    f"{other.id} must be asked before the {thing} is shown, but {shown.id}, asked on the same page, "
                    "shows it; ask them in two studies"
                )


def _called(who: str) -> str:
    return who.replace("_", " ")
