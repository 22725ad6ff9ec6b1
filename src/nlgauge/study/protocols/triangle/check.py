"""What `study check` says of a triangle test: its texts, what gives them away, the balance, a simulated run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from nlgauge.errors import counted
from nlgauge.stats.carefulness import share_passing
from nlgauge.study.checks.findings import Finding
from nlgauge.study.designs.triangle import counts, role_counts, seat_of
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.triangle.file import triangle_study
from nlgauge.study.protocols.triangle.giveaways import traits
from nlgauge.study.protocols.triangle.pictures import check_pictures
from nlgauge.study.protocols.triangle.plan import concluded_in

FEW_INPUTS = 12  # below this, a conclusion is about these texts and hardly about their authors


def check_design(frozen: Frozen, folder: str | Path, lines: Mapping[str, int], *, simulate: bool) -> Iterator[Finding]:
    """Everything that can be said once the texts are read and dealt."""
    yield from _texts(frozen, lines)
    yield from check_pictures(frozen, folder, lines.get("subjects", 0))
    yield from _balance(frozen, lines)
    yield from _practice(frozen, lines)
    if simulate:
        yield from _rehearsal(frozen)


def _practice(frozen: Frozen, lines: Mapping[str, int]) -> Iterator[Finding]:
    """Whom practice sends away: those who perceive nothing, of whom the conclusion is to speak as well."""
    study = triangle_study(frozen.study)
    practice, p_d = study.practice, study.risks.p_d
    total = practice.triads + len(practice.examples)
    if not practice.required:
        return
    guessing, perceiving = (share_passing([chance] * total, practice.required) for chance in (1 / 3, (1 + 2 * p_d) / 3))
    yield Finding(
        "risk",
        "passing",
        f"{practice.required} of {counted(total, 'practice triad')} must be right, which sends "
        f"{100 * (1 - guessing):.0f} % of judges away who perceive no difference, and {100 * (1 - perceiving):.0f} % "
        f"of those who perceive it with probability {p_d:g}: the judges who remain tell the texts apart more often "
        "than those you recruit, and the conclusion is about them; leave required out, or tell it in the statement",
        lines.get("practice.required", 0) or lines.get("practice", 0),
        {"guessing": round(guessing, 4), "perceiving": round(perceiving, 4)},
    )


def _texts(frozen: Frozen, lines: Mapping[str, int]) -> Iterator[Finding]:
    line = lines.get("subjects", 0)
    texts, study = frozen.served, triangle_study(frozen.study)
    inputs = {subject: {text.item for text in texts if text.subject == subject} for subject in "AB"}
    number = len(inputs["A"] | inputs["B"])
    shown = 3 * len(frozen.slots) / max(1, len(texts))
    figures = {"inputs": number, "texts": len(texts), "showings": round(shown, 2)}
    words = f"{len(texts)} texts from {number} inputs, each shown {shown:.1f} times on average"
    few = (
        ": so few inputs limit the conclusion to these very texts, and one odd text can decide it; "
        f"{FEW_INPUTS} or more are better"
    ) * (number < FEW_INPUTS)
    yield Finding("risk" if few else "note", "texts", f"{words}{few}", line, figures)
    lopsided = inputs["A"] ^ inputs["B"]
    if lopsided and study.inputs == "different":
        yield Finding(
            "risk",
            "texts",
            f"{counted(len(lopsided), 'input has', 'inputs have')} a text by one subject only (for example "
            f"{min(lopsided)!r}); what they are "
            "about can then tell the subjects apart",
            line,
            {"one_subject_only": len(lopsided)},
        )
    yield from _same(frozen, line)
    for trait in traits(texts, seed=study.seed, inputs=study.inputs):
        yield Finding("risk", "give-away", trait.message, line, {"trait": trait.name, **trait.figures})


def _same(frozen: Frozen, line: int) -> Iterator[Finding]:
    written: dict[tuple[str, str], set[str]] = {}
    for text in frozen.served:
        written.setdefault((text.item, text.subject), set()).add(" ".join(text.text.split()))
    same = [
        item for item, subject in written if subject == "A" and written[item, "A"] & written.get((item, "B"), set())
    ]
    if same:
        yield Finding(
            "risk",
            "same text",
            f"for {len(same)} input{'s' * (len(same) > 1)} both subjects wrote the same text (for example "
            f"{same[0]!r}): where such a text is shown nobody can be right but by chance",
            line,
            {"inputs": len(same)},
        )


def _balance(frozen: Frozen, lines: Mapping[str, int]) -> Iterator[Finding]:
    """The design as materialised: triads, roles of the inputs, inputs that one judge sees twice."""
    items = {subject: {text.item for text in frozen.served if text.subject == subject} for subject in "AB"}
    for name, panel in frozen.study.panels.items():
        own, line = [slot for slot in frozen.slots if slot.panel == name], lines.get(f"panels.{name}", 0)
        triads = counts(own)
        shown_in = {role: [by[item] for item in items[role[0]]] for role, by in role_counts(own, frozen.texts).items()}
        spread = max(max(times) - min(times) for times in shown_in.values())
        sheets: dict[int, Counter[str]] = defaultdict(Counter)
        for slot in own if panel.evaluations > 1 else ():
            sheets[seat_of(slot.number, panel.evaluations)].update(frozen.text[text].item for text in slot.texts)
        repeated = sum(any(times > 1 for times in seen.values()) for seen in sheets.values())
        shown = ", ".join(f"{triad} {number}" for triad, number in triads.items())
        even = f"in each role (A or B, odd or paired) the inputs' counts differ by at most {spread}"
        figures = {"triads": triads, "spread": spread, "judges_who_see_an_input_twice": repeated}
        yield Finding("note", "balance", f"panel {name}: {shown}; {even}", line, figures)
        if repeated:
            see = f"{repeated} of {counted(panel.judges, 'judge')} {'sees' if repeated == 1 else 'see'}"
            remedy = f"{3 * panel.evaluations} inputs or more would avoid it"
            yield Finding("risk", "replication", f"panel {name}: {see} an input more than once; {remedy}", line)


def _rehearsal(frozen: Frozen) -> Iterator[Finding]:
    """The plan run once with simulated judges, one in ten of whom goes away: with a difference and without."""
    from nlgauge.study.protocols.triangle.simulation import Pool
    from nlgauge.study.simulation import rehearse
    from nlgauge.study.store import Store

    study = triangle_study(frozen.study)
    risks = study.risks
    goal, wrong, risk = (
        ("a difference", 0.0, f"α = {risks.alpha:g}")
        if study.goal == "difference"
        else ("similarity", risks.p_d, f"β = {risks.beta:g}")
    )
    store = Store.memory()
    for p_d in (0.0, risks.p_d):
        service, outcome = rehearse(frozen, Pool(p_d=p_d, dropouts=0.1), seed=study.seed, store=store)
        for name, result in outcome.panels.items():
            panel = study.panels[name]
            planned = panel.judges * panel.evaluations
            if panel.kind != "people":
                continue
            spread = max(result["triads"].values()) - min(result["triads"].values())
            if result["answers"] != planned or spread > 1:
                ended = f"{result['answers']} of {planned} answers, triads {result['triads']}: please report this"
                yield Finding("error", "simulation", f"panel {name}: the simulated run ended with {ended}")
                continue
            dropped = f"{outcome.dropped} drop-out{'s' * (outcome.dropped != 1)}"
            concluded, used, correct = concluded_in(study, name, service.judgements())
            told = (
                f"panel {name}: a simulated run in which {100 * p_d:g} % of judges perceive a difference, with "
                f"{dropped}, gave {correct} correct answers of {used} and "
                f"{'concluded' if concluded else 'did not conclude'} {goal}"
                + (f": by chance, as in about {risk} of such runs" if concluded and p_d == wrong else "")
            )
            figures = {"p_d": p_d, "correct": correct, "answers": used, "concluded": concluded}
            yield Finding("note", "simulation", told, figures={**figures, "dropped": outcome.dropped})
