"""The statement of a study: from the frozen design, what a person stated, and what the store tells.

The sections follow Schoch, Yang and Ji (2020, section 4): questions, their presentation, criteria, judges; before them
what was judged, after them quality control, analysis and ethics. Nothing is guessed: what no source tells is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property

from nlgauge.errors import counted
from nlgauge.io.outputs import DATABASE, FROZEN
from nlgauge.study.analysis.sample import Answered, Sample
from nlgauge.study.file.study import Study
from nlgauge.study.file.translations import language_names
from nlgauge.study.freeze.frozen import Frozen
from nlgauge.study.protocols.outputs.passing import percent
from nlgauge.study.statements.agreed import contradictions
from nlgauge.study.statements.agreed import entries as agreement
from nlgauge.study.statements.asked import answered, dealt_fields, translated, wording_entries, wordings
from nlgauge.study.statements.facts import Facts, PanelFacts
from nlgauge.study.statements.keys import Stated, StatedCriterion
from nlgauge.study.statements.told import CriterionTold, Told, access, definitions_read, rendered, told
from nlgauge.study.statements.types import (
    Entry,
    Field,
    Section,
    Source,
    Statement,
    designed,
    entries_of,
    filed,
    imported_section,
    labelled,
    plain,
    stored,
    told_by_hand,
)

ALL = "all languages"
LANGUAGE_QUESTIONS = ("native", "language", "languages", "first_language", "mother_tongue", "proficiency")
"""Questions about the judge that tell how well they know the language, by their id."""


def statement_of(frozen: Frozen, stated: Stated | None = None, facts: Facts | None = None) -> Statement:
    """The statement; without facts it is that of a study that has not been run."""
    stated = stated or frozen.study.statement
    seen = facts.seen if facts is not None else {}
    made = _Maker(frozen, frozen.study, stated, facts, told(frozen, seen))
    sections: tuple[Section, ...] = (
        Section("study", "What was judged", tuple(made.study_fields())),
        Section("questions", "Question design: types, scales, wording", tuple(made.question_fields())),
        Section("presentation", "Presentation: order, questions for each judge", tuple(made.presentation_fields())),
        Section("criteria", "Criteria and their definitions", tuple(made.criterion_fields())),
        Section("judges", "Judges", tuple(made.judge_fields())),
        Section("quality", "Quality control and exclusions", tuple(made.quality_fields())),
        Section("analysis", "Analysis", tuple(made.analysis_fields())),
        Section("ethics", "Ethics and consent", tuple(made.ethics_fields())),
    )
    if frozen.study.imported:
        sections = tuple(imported_section(section) for section in sections)
    remarks = (*_remarks(facts), *(contradictions(facts.agreed, stated) if facts is not None else ()))
    return Statement(frozen.id, frozen.study.called, frozen.study.protocol, sections, made.told.criteria, remarks)


def _remarks(facts: Facts | None) -> Iterator[str]:
    if facts is None:
        yield "the study has not been launched: this is its plan"
        return
    if facts.simulated:
        yield "the judges were simulated: this is a rehearsal"
    if facts.status != "closed" and not facts.complete:
        yield "the study is not complete: counts are those of now"
    if facts.imported:
        yield "the answers were collected elsewhere and imported"
    yield from facts.remarks


def day(at: float) -> str:
    """A date."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


@dataclass(frozen=True)
class _Maker:
    frozen: Frozen
    study: Study
    stated: Stated
    facts: Facts | None
    told: Told

    def study_fields(self) -> Iterator[Field]:
        stated, authors = self.stated, self.study.authors
        called = [f"{name} ({system})" if system and system != name else name for name, system in authors.items()]
        yield filed("title", "Title", self._words(self.study.title))
        yield self.asked("paper", "Paper")
        yield self.asked("resources", "Resources")
        yield self.asked("contact", "Contact", brief=True)
        yield self.asked("task", "Task", brief=True)
        yield designed("systems", "Systems", plain(", ".join(called)), brief=True)
        described = [(name, stated.systems.get(name) or stated.systems.get(own, "")) for name, own in authors.items()]
        whole = described if all(text.strip() for _, text in described) else []
        yield told_by_hand("system_descriptions", "What the systems are", labelled(whole), "systems")
        yield self.asked("input", "Input of the systems")
        yield self.asked("output", "Output of the systems")
        yield self.asked("output_language", "Language of the outputs", brief=True)
        yield self.asked("dataset", "Data set", brief=True)
        yield designed("sample", "Sample", plain(self.told.sample), brief=True)
        yield self.asked("selection", "Selection of the items", brief=True)
        yield stored("dates", "Dates", plain(self._dates()), brief=True)
        yield designed("design_hash", "Design (SHA-256)", plain(self.frozen.digest))

    def question_fields(self) -> Iterator[Field]:
        yield designed("kind", "Type of the questions", plain(self.told.kind), brief=True)
        for place, criterion in enumerate(self.told.criteria or (CriterionTold("", "", {}),), start=1):
            about, suffix = self._about(criterion)
            where = f"criteria.{place}.question" if hasattr(self.study, "criteria") else "question"
            asked = wording_entries(criterion, self._words)
            yield filed(f"wording{suffix}", "Exact wording", asked, where, brief=True, about=about)
            yield designed(f"scale{suffix}", "Scale", self._scale(criterion), brief=True, about=about)
        yield from dealt_fields(self.study, self.facts)
        page: tuple[Source, str] = ("person", "statement.interface") if self._elsewhere() else ("design", FROZEN)
        yield Field("screen", "What a judge sees", plain(self._screen()), *page, brief=True)
        found = self.study.imported  # then the usual values are nobody's choice, and only what is written counts
        read = self.study.languages if found else self.study.spoken
        spoken = ", ".join(self._languages.get(code, code) for code in read)
        yield filed("languages", "Languages of the pages", plain(spoken), brief=True)
        if self.study.pages:
            yield designed("translations", "Pages translated for this study", translated(self.study))
        yield filed("instructions", "Instructions in full", self._words(self.study.instructions))
        none = () if found else plain("none")
        yield filed("context", "Shown above all texts", self._words(self.study.context) or none)
        examples = labelled(self.told.examples) or none
        yield designed("examples", "Examples and practice texts in full", examples)
        reasons = f"in words: {self.study.reasons.text}; by marking words: {self.study.reasons.highlight}"
        yield filed("reasons", "Reasons asked for", () if found else plain(reasons))

    def presentation_fields(self) -> Iterator[Field]:
        yield designed("order", "Order and assignment", plain(self.told.order), brief=True)
        yield designed("planned_balance", "Balance as planned", self._by_panel(self.told.planned))
        yield stored("balance", "Balance as realised", self._by_panel(self.told.realised), brief=True)
        questions = max(1, len(self.told.criteria))
        each, minutes = [], []
        for panel in self._people() if self._named() else ():
            if panel.each is not None:
                every = f"{questions} questions about each" if questions > 1 else ""
                asked = f", {self.told.asked or every}" if self.told.asked or every else ""
                each.append((panel.name, f"{panel.each} (evaluations of a judge{asked})"))
            if panel.minutes is not None:
                minutes.append((panel.name, f"{panel.minutes} (from showing to answer, practice left out)"))
        yield stored("questions_each", "Questions for each judge", self._by_panel(each), brief=True)
        yield stored("minutes_each", "Minutes of each judge", self._by_panel(minutes), brief=True)

    def criterion_fields(self) -> Iterator[Field]:
        for criterion in self.told.criteria:
            about, suffix = self._about(criterion)
            definition = criterion.definition or self.stated.criteria.get(criterion.id, StatedCriterion()).definition
            keyed = " A high answer is a bad one; answers are turned round for the analysis." * criterion.reverse
            unread = " Judges did not read this." * (not (criterion.shown or self.study.imported))
            entries = plain(definition + keyed + unread if definition else "")
            source: tuple[Source, str] = ("design", FROZEN)
            if not criterion.definition:
                source = ("person", f"statement.criteria.{criterion.id}.definition")
            yield Field(f"definition{suffix}", "Definition", entries, *source, brief=True, about=about)
            yield designed(f"origin{suffix}", "Origin of the wording", plain(criterion.origin), about=about)
        if not self.study.imported:
            read = definitions_read(self.told.criteria)
            yield designed("definitions_read", "Definitions read by judges", plain(read))
            if shown := rendered(self.study):
                yield designed("rendering", "How outputs were shown", plain(shown))

    def judge_fields(self) -> Iterator[Field]:
        study, stated = self.study, self.stated
        added = {} if self.facts is None else self.facts.added
        planned = []
        for name, panel in study.panels.items():
            more = f" (and {added[name]:,} added after the launch)" if name in added else ""
            each = f"{counted(panel.evaluations, 'evaluation')} each, {access(panel)}"
            planned.append((name, f"{panel.judges:,} judges{more}, {each}"))
        yield filed("planned", "Judges as planned", () if study.imported else self._by_panel(planned), "panels")
        yield stored("judges", "Judges who came", self._by_panel(self._turnout()), brief=True)
        read = {self._languages.get(code, code): n for code, n in (self.facts.languages if self.facts else {}).items()}
        languages = ", ".join(f"{name} {number:,}" for name, number in read.items())
        yield stored("languages_read", "Languages the judges read", plain(languages))
        yield self._said("demographics", "Demographics", of_language=False)
        yield self._said("language_familiarity", "Familiarity with the language", of_language=True)
        if study.closing:
            rows = answered(self.facts, lambda sample: sample.closing, panels=len(study.panels))
            yield stored("closing_answers", "Answers at the end", labelled(rows))
        yield self._of_panels("expertise", "Background and expertise", "description", stated.expertise)
        yield self._of_panels("recruitment", "Recruitment", "recruitment", stated.recruitment)
        yield self._of_panels("pay", "Compensation", "pay", stated.pay)
        yield self._pay_per_hour()

    def quality_fields(self) -> Iterator[Field]:
        facts, study = self.facts, self.study
        yield designed("practice", "Training and practice", plain(self._practice()), brief=True)
        yield designed("screening", "Screening", plain(self.told.screening))
        checks = "; ".join(name for name in (self.told.checks, self.stated.quality_control) if name)
        yield designed("checks", "Checks of the answers", plain(checks), brief=True)
        fast = ""
        if facts is not None and facts.answered and facts.timed:
            fast = (
                f"{facts.fast:,} answers came in less than {study.too_fast:g} seconds; {facts.fast_judges:,} judges "
                "gave half or more of their answers so fast; none of them is left out for that"
            )
        yield stored("haste", "Answers too fast", plain(fast))
        if facts is not None and facts.declined:
            names = {criterion.id: criterion.name for criterion in self.told.criteria}
            told = "; ".join(
                f"{names.get(name, name)}: {cannot:,} of {asked:,} answers ({percent(cannot / asked)})"
                for name, (cannot, asked) in facts.declined.items()
            )
            told += ". Such answers count in no mean, model or agreement."
            yield stored("cannot_judge", "“I cannot judge this”", plain(told), brief=True)
        yield stored("exclusions", "Exclusions", plain(self._left_out()), brief=True)
        rules = (
            f"abandoned evaluations are dealt again after {study.timeout:g} minutes; late answers to these: "
            f"{study.surplus}; judges beyond the plan: {study.extra}; corrections by judges: {study.corrections}"
        )
        fixed = () if study.imported else plain(rules)
        yield filed("rules", "Rules fixed at launch", fixed, "timeout, surplus, extra, corrections")

    def analysis_fields(self) -> Iterator[Field]:
        yield self.asked("preregistration", "Preregistration", brief=True)
        yield self._either("power", "Power", self.told.power, self.stated.power)
        ours = not self.study.imported or (self.facts is not None and self.facts.analysed)
        told = (self.told.analysis, self.told.significance) if ours else ("", "")
        yield self._either("analysis", "From answers to scores", told[0], self.stated.analysis)
        yield self._either("significance", "Tests", told[1], self.stated.significance)
        agreed = self.facts.agreed if self.facts is not None else ()
        found = agreement(agreed, self.stated, self.told.agreement)
        source: tuple[Source, str] = ("person", "statement.agreement, or run nlgauge study analyse")
        if agreed or (found and self.told.agreement):
            source = ("store", DATABASE) if agreed else ("design", FROZEN)
        yield Field("agreement", "Agreement", found, *source, brief=True)

    def ethics_fields(self) -> Iterator[Field]:
        study = self.study
        ethics, consent = study.ethics, study.consent
        approval = ", ".join(name for name in (ethics.approval, ethics.body) if name)
        stated = plain(approval if ethics.approval else "")
        yield filed("approval", "Ethics approval", stated, "ethics.approval", brief=True)
        words = self._words(consent.text) if consent is not None else ()
        agreed = self._words(consent.agree) if consent is not None else ()
        ticked = tuple(Entry(entry.text, f"{entry.label}, box to tick".lstrip(", ")) for entry in agreed)
        yield filed("consent", "Consent in full", (*words, *ticked), "consent.text")
        asked = "asked for before anything else" if consent is not None else ""
        yield filed("consent_asked", "Consent", plain(asked), "consent", brief=True)
        kept = f"personal data are erased after {ethics.retention_days:,} days" if ethics.retention_days else ""
        yield filed("retention", "Retention", plain(kept), "ethics.retention_days", brief=True)
        yield filed("judges_contact", "Whom judges may ask", plain(ethics.contact), "ethics.contact")
        questions = wordings(study.questions) or (() if study.imported else plain("none"))
        yield filed("personal_questions", "Questions about the judge", questions, "questions")
        if study.closing:
            yield filed("closing_questions", "Questions at the end", wordings(study.closing), "closing")
        yield self.asked("personal_data", "Personal data")

    # ------------------------------------------------------------------------------------------------ small parts

    def asked(self, name: str, title: str, *, brief: bool = False) -> Field:
        """A field that only a person fills."""
        return told_by_hand(name, title, plain(getattr(self.stated, name)), name, brief=brief)

    def _about(self, one: CriterionTold) -> tuple[str, str]:
        """Name and suffix of a criterion's fields, where there are several."""
        return (one.name, f".{one.id}") if len(self.told.criteria) > 1 else ("", "")

    @cached_property
    def _languages(self) -> Mapping[str, str]:
        return {**language_names(self.study.pages), "": ALL}

    def _words(self, words: Mapping[str, str] | None) -> tuple[Entry, ...]:
        """A wording in every language that judges could read it in."""
        return entries_of(words, self.study.spoken, self._languages)

    def _either(self, name: str, title: str, ours: str, theirs: str) -> Field:
        """A person's words go before what the protocol tells."""
        source: Source = "person" if theirs or not ours else "design"
        where = f"statement.{name}" if source == "person" else FROZEN
        return Field(name, title, plain(theirs or ours), source=source, where=where, brief=True)

    def _people(self) -> Sequence[PanelFacts]:
        return self.facts.people if self.facts is not None else ()

    def _by_panel(self, rows: Sequence[tuple[str, str]]) -> tuple[Entry, ...]:
        """One panel needs no name."""
        return labelled(rows if len(self.study.panels) > 1 or len(rows) > 1 else [("", text) for _, text in rows])

    def _dates(self) -> str:
        if self.facts is None or self.facts.first is None or self.facts.last is None:
            return ""
        first, last = day(self.facts.first), day(self.facts.last)
        return first if first == last else f"{first} to {last}"

    def _elsewhere(self) -> bool:
        return self.facts is not None and self.facts.imported

    def _named(self) -> bool:
        return self.facts is None or self.facts.named

    def _screen(self) -> str:
        """What the pages show; of answers that were collected elsewhere only a person knows it."""
        stated = self.stated.interface
        if self._elsewhere():
            return stated
        return "; ".join(name for name in (self.told.screen, stated) if name)

    def _practice(self) -> str:
        return "; ".join(name for name in (self.told.practice, self.stated.training) if name)

    def _turnout(self) -> list[tuple[str, str]]:
        rows = []
        for panel in (
            self.facts.panels if self.facts is not None and self._named() else ()
        ):  # places in lists are nobody
            if not panel.judges:
                continue
            stages = ", ".join(f"{number:,} {stage.replace('_', ' ')}" for stage, number in panel.stages.items())
            who = panel.machine_told or "machine" if panel.machine else f"{panel.judges:,} judges who answered"
            came = "" if panel.machine or self._elsewhere() else f" ({panel.registered:,} registered: {stages})"
            rows.append((panel.name, f"{who}{came}, {panel.answers:,} answers"))
        return rows

    def _said(self, name: str, title: str, *, of_language: bool) -> Field:
        """What the judges said about themselves, else what a person says of them."""

        def asked(sample: Sample) -> list[Answered]:
            return [answer for answer in sample.questions if (answer.question in LANGUAGE_QUESTIONS) == of_language]

        rows = answered(self.facts, asked, panels=len(self.study.panels))
        by_hand = getattr(self.stated, name)
        if rows:
            return stored(name, title, (*labelled(rows), *plain(by_hand)), brief=True)
        return told_by_hand(name, title, plain(by_hand), name, brief=True)

    def _of_panels(self, name: str, title: str, key: str, by_hand: str) -> Field:
        """Of every panel of people, or one statement for all."""
        rows = [(panel, getattr(found, key)) for panel, found in self.study.panels.items() if found.kind == "people"]
        if rows and all(text.strip() for _, text in rows):
            return filed(name, title, self._by_panel(rows), f"panels.*.{key}", brief=True)
        entries = (*labelled(rows), *plain(by_hand)) if by_hand.strip() else ()
        return Field(name, title, entries, source="person", where=f"panels.*.{key} or statement.{name}", brief=True)

    def _pay_per_hour(self) -> Field:
        stated = self.stated
        money = f" {stated.currency}" if stated.currency else ""
        rows = [
            (
                panel.name,
                f"{60 * stated.pay_each / panel.minutes.mean:.2f}{money} ({stated.pay_each:g}{money} for "
                f"{panel.minutes.mean:.1f} minutes on average; reading of instructions and practice left out)",
            )
            for panel in (self._people() if stated.pay_each and not stated.pay_per_hour else ())
            if panel.minutes is not None and panel.minutes.mean > 0
        ]
        found = told_by_hand("pay_per_hour", "Pay by the hour", plain(stated.pay_per_hour), "pay_per_hour", brief=True)
        return replace(found, entries=self._by_panel(rows), source="store") if rows else found

    def _left_out(self) -> str:
        facts, stated = self.facts, self.stated.exclusions
        if facts is None or not facts.answered or self.study.imported:
            return stated
        late = "" if self.study.surplus == "include" else "late, to evaluations dealt again"
        counts = [
            (facts.surplus if late else 0, late),
            (facts.corrected, "replaced by judges' own corrections"),
            (facts.erased, "erased at judges' request"),
            (facts.practice, "of practice"),
        ]
        said = [f"{number:,} {what}" for number, what in counts if number]
        ours = f"answers left out: {', '.join(said)}" if said else "nothing was left out by the program"
        judges = [f"{number:,} excluded: {reason}" for reason, number in facts.excluded]
        if judges:
            ours += f"; judges left out: {', '.join(judges)}"
        if facts.readmitted:
            ours += f"; judges let in again: {facts.readmitted:,}"
        if facts.untested:
            ours += f"; judges who did not pass the comprehension test: {facts.untested:,}"
        if facts.discussed:
            ours += (
                f"; rounds of discussion: {facts.discussed:,}, after which judges answered again (the later answer "
                "counts, both are kept)"
            )
        if facts.beside:
            ours += f"; plain figures with and without: {facts.beside}"
        return f"{ours}; {stated}" if stated else ours

    def _scale(self, one: CriterionTold) -> tuple[Entry, ...]:
        offered = "; or “I cannot judge this”" if one.declinable else ""
        scale = plain(f"{one.scale}{offered}" if one.scale else "")
        return (*scale, *(self._label(value, words) for value, words in one.labels))

    def _label(self, value: str, words: Mapping[str, str]) -> Entry:
        """What stands beside a point of a scale, in every language."""
        said = [f"{entry.text} ({entry.label})" if entry.label else entry.text for entry in self._words(words)]
        return Entry("; ".join(said), f"label at {value}", said[0] if len(said) > 1 else "")
