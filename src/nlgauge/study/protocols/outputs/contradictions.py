"""What the keys of any study of outputs allow one by one, but not together."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nlgauge.errors import InputError, counted, shortened, suggest
from nlgauge.study.criteria.entries import CriterionEntry
from nlgauge.study.criteria.showing import conflicts
from nlgauge.study.file.contradictions import subject_problems
from nlgauge.study.protocols import PROTOCOLS, protocol_of
from nlgauge.study.protocols.outputs.file import OutputStudy
from nlgauge.study.protocols.outputs.judge import MachineJudge, Measure, needs_of

Problems = Iterator[tuple[str, str]]


LONGEST_ID = 64


def system_problems(study: OutputStudy) -> Problems:
    """What is wrong with where the texts come from."""
    if study.data and study.subjects:
        yield (
            "data",
            "the texts come either from data (an evaluation set, with systems) or from subjects, not from both; leave "
            "one of them out",
        )
    elif not study.data and not study.subjects:
        yield (
            "",
            "the file does not say where the texts come from; add data: FILE (an evaluation set in the study's folder) "
            "with systems: [...], or subjects",
        )
    if study.render != "plain" and (study.reasons.highlight != "no" or study.protocol == "spans"):
        yield (
            "render",
            f"render: {study.render} changes how a text looks, but words are marked in it as it is written; leave "
            "render out, or let nothing be marked",
        )
    for name in ("systems", "items"):
        if getattr(study, name) and not study.data:
            yield name, f"{name} belongs to data; name the evaluation set (data: …)"
    repeated = [name for name in study.systems if study.systems.count(name) > 1]
    if repeated:
        yield "systems", f"the system {shortened(repeated[0])} is named twice; leave one out"
    for name, subject in study.subjects.items():
        if not name.isprintable() or not name.strip() or len(name) > LONGEST_ID:
            yield (
                f"subjects.{name}",
                f"subjects: the name {shortened(name)} must have 1 to {LONGEST_ID} characters that can be seen",
            )
        yield from subject_problems(f"subjects.{name}", subject)


def criteria_problems(study: OutputStudy, of: Callable[[CriterionEntry, str], Problems]) -> Problems:
    """What is wrong with the criteria; `of` says what is with one of them."""
    if not study.criteria:
        yield "criteria", "criteria is empty; name what is to be judged, for example fluency"
    yield from option_problems(study)
    seen: set[str] = set()
    for number, entry in enumerate(study.criteria, start=1):
        path = f"criteria.{number}"
        if entry.cannot_judge:
            yield from _declining_problems(study, f"{path}.cannot_judge")
        yield from of(entry, path)
        if entry.id in seen:
            yield path, f"two criteria are called {shortened(entry.id)}; leave one out, or give it another id"
        if not entry.id.isprintable() or len(entry.id) > LONGEST_ID:
            yield (
                f"{path}.id",
                f"a criterion's id must have 1 to {LONGEST_ID} characters that can be seen, not {shortened(entry.id)}",
            )
        seen.add(entry.id)
    yield from _wording_problems(study)


def _wording_problems(study: OutputStudy) -> Problems:
    """Wordings that cannot be dealt: a judge reads the one of the same name in every criterion that has several."""
    several = [(number, one) for number, one in enumerate(study.criteria, start=1) if one.wordings]
    if not several:
        return
    (first, leading), *rest = several
    names = list(leading.wordings)
    for number, entry in rest:
        if list(entry.wordings) != names:
            yield (
                f"criteria.{number}.wordings",
                f"the wordings of {entry.id} are {', '.join(entry.wordings)}, those of {leading.id} are "
                f"{', '.join(names)}; a judge reads the same one of all criteria, so name them alike, in one order",
            )
    place = f"criteria.{first}.wordings"
    if study.imported:
        yield place, "who read which wording elsewhere is not known; write the question that was asked"
    for name in study.people:
        if study.panels[name].judges < len(names):
            yield (
                place,
                f"the panel {name} has {counted(study.panels[name].judges, 'judge')} for {len(names)} wordings; plan "
                f"at least {len(names)}, or write one question",
            )


def option_problems(study: OutputStudy) -> Problems:
    """What is wrong with the keys that concern all criteria."""
    unordered = protocol_of(study.protocol).unordered
    if study.criteria_order != "listed" and unordered:
        yield "criteria_order", f"{unordered}, so that there is no order; leave criteria_order out"
    if study.cannot_judge:
        yield from _declining_problems(study, "cannot_judge")


def options_told(protocol: str) -> list[str]:
    """The keys that concern all criteria, as comments of a new study file: those that the protocol takes."""
    several = "# wordings: {neutral: …, positive: …}  # of a criterion, in place of question: each for some judges"
    order = "# criteria_order: random  # for each judge; random-per-screen: on every screen"
    decline = "# cannot_judge: true  # judges may answer “I cannot judge this”; also of single criteria"
    own = protocol_of(protocol)
    return [several] * own.reworded + [order] * (not own.unordered) + [decline] * own.declinable


def _declining_problems(study: OutputStudy, path: str) -> Problems:
    if not protocol_of(study.protocol).declinable or study.imported:
        offered = [name for name in PROTOCOLS if protocol_of(name).declinable]
        why = (
            "a study that was run elsewhere shows no page"
            if study.imported
            else f"the protocol {study.protocol} does not offer “I cannot judge this” ({', '.join(offered)} do)"
        )
        yield path, f"{why}; leave cannot_judge out"


def imported_elsewhere(study: OutputStudy) -> Problems:
    """Keys that a study which was run elsewhere cannot have."""
    for name in ("data", "systems", "items", "subjects"):
        if getattr(study, name) and not study.asked_already:
            yield name, f"{name} comes with the answers of a study that was run elsewhere; leave it out"
    practice = getattr(study, "practice", None)
    if practice is not None and (practice.texts or practice.examples):
        yield "practice", "practice was elsewhere; say what there was under statement.training"


def machine_problems(study: OutputStudy, *, scores: bool = True) -> Problems:
    """What is wrong with panels of machines, and with keys of theirs elsewhere; `scores`: a metric can judge."""
    for name in study.panels:
        path = f"panels.{name}"
        for key, message in _of_panel(study, name, path, scores=scores):
            yield f"{path}.{key}" if key else path, message


def _of_panel(study: OutputStudy, name: str, path: str, *, scores: bool) -> Problems:
    """The same of one panel; the places are keys of the panel."""
    panel = study.panels[name]
    judge = panel.judge
    if panel.kind == "people":
        for key in ("judge", "like"):
            if getattr(panel, key):
                yield key, f"{path}.{key} belongs to a machine's panel; add kind: machine, or leave it out"
        return
    if not study.people:
        yield "kind", "a machine judges what people judge, and there is no panel of people; add one"
    elif panel.like and panel.like not in study.people:
        known = suggest(panel.like, study.people)
        yield "like", f"{path}.like: there is no panel of people {shortened(panel.like)}; {known}"
    for key, given in (("evaluations", panel.evaluations), ("design", panel.own_design), ("who", panel.who)):
        if given and not (key == "evaluations" and study.asked_already):
            yield key, f"a machine judges every screen of the people beside it; leave {path}.{key} out"
    if judge is None:
        yield "", f"{path} does not say which machine judges; add judge: {{kind: openai, metric or command, …}}"
        return
    for place, message in judge.problems(f"{path}.judge"):
        yield place.removeprefix(f"{path}."), message
    if isinstance(judge, Measure) and not scores:
        wrong = f"scores of a metric are no answers of the protocol {study.protocol}; use kind: openai or command"
        yield "judge.kind", wrong
        return
    if judge.both_orders and study.protocol != "pairwise":
        yield "judge.both_orders", "both orders are for pairwise comparisons; leave both_orders out"
    yield from _unseen(study, name, judge)


def _unseen(study: OutputStudy, name: str, judge: MachineJudge) -> Problems:
    """What a metric needs and the panel is not shown."""
    if not isinstance(judge, Measure) or any(judge.problems("")):
        return
    shown = [show.what for show in study.shown_to(name)]
    for what in needs_of(judge.metric):
        if what not in shown and not (what == "source" and "table" in shown):
            said = f"{judge.metric} needs the {what} of each text; add show: [{what}] to the panel {name}"
            yield "judge.metric", f"{said} (people do not see it by that)"


def showing_problems(study: OutputStudy, *, paged: bool = False) -> Problems:
    """What judges of a criterion must not see, and who cannot judge it; `paged`: a screen may have two pages."""
    for path, found in [("show", study.show)] + [
        (f"panels.{name}.show", panel.show) for name, panel in study.panels.items() if panel.show
    ]:
        kinds = [show.what for show in found]
        repeated = [what for what in kinds if kinds.count(what) > 1]
        if repeated:
            yield path, f"the {repeated[0]} is shown twice; leave one out"
    try:
        asked = [study.meant(entry) for entry in study.criteria]
    except InputError as error:
        yield "criteria", str(error)
        return
    known = [criterion for criterion in asked if criterion is not None]
    told: set[str] = set()
    for name, panel in study.panels.items():
        if panel.kind == "machine":  # a metric needs its reference whatever people may see
            continue
        shown = [show.what for show in study.shown_to(name)]
        for message in conflicts(known, shown, panel.who, paged=paged):
            if message not in told:
                told.add(message)
                yield (f"panels.{name}" if "judges" in message else "show"), message
    machine = next((name for name, panel in study.panels.items() if panel.kind == "machine"), None)
    if paged and len(study.parts) > 1 and machine is not None:
        yield (
            f"panels.{machine}.kind",
            "machines cannot judge a text on two pages here yet; leave the panel out, or what is shown later",
        )
    if paged and len(study.parts) > 1 and study.corrections == "allow":
        first = study.questions_asked[study.parts[0][0]].id
        yield (
            "corrections",
            f"{first} is asked before something is shown, and its answer must not be changed afterwards; leave "
            "corrections out",
        )


MOST = 12  # texts on a screen; nobody ranks more at a glance


def single_problems(study: OutputStudy, shows: str, remedy: str = "") -> Problems:
    """Designs with several texts on a screen, where one is shown: the protocol `shows` one at a time."""
    designs = {"design": study.plan} | {
        f"panels.{name}.design": panel.own_design for name, panel in study.panels.items() if panel.own_design
    }
    for path, design in designs.items():
        if getattr(design, "per_screen", 1) != 1:
            yield f"{path}.per_screen", f"{shows} one text at a time; leave {path}.per_screen out{remedy}"


def screen_problems(study: OutputStudy, size: int, least: int) -> Problems:
    """Too few or too many texts on a screen, and designs that cannot have so many."""
    place, kind, systems = "design.per_screen", study.plan.kind, len(study.authors)
    if size < least:
        yield (
            place,
            f"{study.protocol} needs at least {least} texts on a screen, not {size}; set design: {{kind: {kind}, "
            f"per_screen: {least}}}",
        )
    elif size > MOST:
        yield (
            place,
            f"{size} texts on a screen are too many to compare; set design: {{kind: {kind}, per_screen: 4}}, with "
            f"{MOST} at most",
        )
    elif systems:
        try:
            study.plan.describe(1_000, systems)  # whatever the number of items
        except InputError as error:
            fits = f", as in design: {{kind: {kind}, per_screen: {systems}}}" if size > systems else ""
            yield "design", f"design: {error}{fits}"


def practice_problems(study: OutputStudy, unit: str) -> Problems:
    """Fewer inputs than practice takes; `unit` is what is practised with."""
    practice = study.practice
    if practice.items and len(practice.items) < practice.texts:
        yield (
            "practice.items",
            f"{counted(practice.texts, unit)} for practice need as many inputs, not {len(practice.items)}; name more, "
            "or lower texts",
        )


def example_problems(study: OutputStudy, size: int, least: int = 0) -> Problems:
    """Examples of practice with another number of texts than a screen has."""
    for number, example in enumerate(study.examples, start=1):
        texts = len(example.words)
        if texts != (size or texts) or texts < least:
            yield (
                f"practice.examples.{number}",
                f"an example must have as many texts as a screen of the study, {size or f'at least {least}'}, but "
                f"practice.examples.{number} has {texts}; add or remove texts",
            )
