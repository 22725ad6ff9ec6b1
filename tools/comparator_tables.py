"""The tables of docs/comparators.md, printed as Markdown, or as JSON with --json.

    comparator_tables.py e2e DATA_FOLDER CACHE FOLDS    comparators learnt by comparator_folds.py, on E2E outputs that
                                                        they did not learn from, beside metrics
    comparator_tables.py transfer DATA_FOLDER MODEL     one comparator, a folder or a name that ships, on other pairs
    comparator_tables.py show FILE …                    tables of what --json printed

CACHE keeps the scores of metrics, so that a table is made again without reading a text twice.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from comparator_folds import ARMS, CRITERIA, FLAT, ITEM_FOLDS, SETS, SYSTEM_FOLDS, fold, read
from comparator_measures import (
    Array,
    Figure,
    Played,
    Said,
    Score,
    accuracies,
    aligned,
    always,
    between_people,
    by_comparator,
    by_difference,
    drawn,
    draws,
    means,
    ratings,
    spearman,
)
from nubia_tables import scored

from nlgauge.io import load_pairs
from nlgauge.judging.asking import OUTCOMES
from nlgauge.learned.comparator import TIE, A, B, Comparator, Written, context_of, verdicts
from nlgauge.learned.trained import opened
from nlgauge.metrics.spec import parse
from nlgauge.wording.numbers import interval, number, p_value, signed

OURS, HELD, NEVER, PEOPLE = "comparator", "comparator, systems held out", "always a tie", "two people"
WHOLE = "nothing"  # left out
FULL = "full"
METRICS = {
    "BLEU": "sentbleu",
    "chrF": "chrf",
    "BERTScore": "bertscore",
    "softmatch": "softmatch",
}
PAIRS = {"PandaLM": "pandalm_pairwise.jsonl.gz", "StoryER": "storyer_pairwise.jsonl.gz"}
TARGETS = {
    "ratings": "people's ratings",
    "within": "means within sets",
    "capped": "means up to 100",
    "raw": "raw means",
    "groups": "people's ratings within groups",
}
WITHOUT = {
    "no-ties": "ties",
    "no-comparison": "comparison (tells people's texts from systems')",
    "no-strong": "strong supervision",
    "no-weak": "weak supervision",
    "no-contexts": "altered contexts",
    "no-human": "people's preferences",
    "no-pretrained": "the pre-trained encoder",
}
Result = dict[str, Any]
Comparing = Callable[[Sequence[Written], Sequence[Written]], Array]  # the chances of each outcome, (n, 3)


def judged(data: Path, criterion: str) -> tuple[Played, list[dict[str, Any]]]:
    """A game for each two outputs that a judge saw together, and all outputs."""
    rows = list(read(data / FLAT))
    place = {(row["item"], row["system"]): number for number, row in enumerate(rows)}
    games: list[tuple[int, int, int]] = []
    scores: list[Score] = []
    for shown in read(data / SETS):
        if shown["dataset"] != f"e2e17/{criterion}":
            continue
        given = shown["ratings"][criterion]
        outputs = [place[shown["item"], system] for system in shown["systems"]]
        standard = (given - np.mean(given)) / (np.std(given) or 1.0)
        scores += map(Score, outputs, given, standard.tolist())
        for (one, first), (other, second) in combinations(zip(outputs, given, strict=True), 2):
            games.append((one, other, TIE if first == second else A if first > second else B))
    ones, others, outcomes = np.array(games).T
    items = np.unique([row["item"] for row in rows], return_inverse=True)[1]
    systems = np.array([row["system"] for row in rows])
    return Played(items, systems, ones, others, outcomes, tuple(scores)), rows


def made(folder: Path, name: str, rows: Sequence[Mapping[str, Any]]) -> Array | None:
    """What a comparator made of the outputs of its fold, by output; not a number for those of other folds."""
    path = folder / f"{name}.npz"
    if not path.is_file():
        return None
    place = {(row["item"], row["system"]): number for number, row in enumerate(rows)}
    whole = np.full((len(rows), 2), np.nan)
    with np.load(path) as kept:
        keys = zip(kept["items"].tolist(), kept["systems"].tolist(), strict=True)
        whole[[place[key] for key in keys]] = kept["made"]
    return whole


def joined(parts: Sequence[Array]) -> Array:
    """The folds of one arm in one table."""
    whole = parts[0].copy()
    for part in parts[1:]:
        own = np.isfinite(part[:, 0])
        whole[own] = part[own]
    return whole


class E2E:
    """The judgements of one criterion, the verdicts of all judges, and the results."""

    def __init__(self, data: Path, cache: Path, folder: Path, criterion: str, ours: str = FULL) -> None:
        self.ours = ours
        self.played, self.rows = judged(data, criterion)
        self.folds = np.array([fold(row["item"], ITEM_FOLDS) for row in self.rows])
        self.groups = np.array([fold("s" + row["system"], SYSTEM_FOLDS) for row in self.rows])
        self.made = {
            (arm, number): found
            for arm in dict.fromkeys([*ARMS, ours])
            for number in range(ITEM_FOLDS)
            if (found := made(folder, f"{arm}-{criterion}-{number}", self.rows)) is not None
        }
        self.metrics = {
            name: by_difference(self.played, scored(parse(spec), self.rows, cache), self.folds)
            for name, spec in METRICS.items()
        }

    def arm(self, name: str) -> list[Array]:
        """The folds of an arm."""
        return [found for (arm, _), found in self.made.items() if arm == name]

    def chosen(self, table: Array) -> tuple[Played, dict[str, Said]]:
        """The games between outputs that were read, and what the metrics say of them."""
        kept = np.isfinite(table[:, 0])
        games = kept[self.played.ones] & kept[self.played.others]
        return self.played.only(kept), {name: said.some(games) for name, said in self.metrics.items()}

    def results(self) -> Result:
        """Every table for which there are comparators."""
        found: Result = {}
        if self.arm(self.ours):
            table = joined(self.arm(self.ours))
            played, metrics = self.chosen(table)
            said = {OURS: by_comparator(played, table), **metrics}
            found |= {
                "games": len(played),
                "items": len(np.unique(played.clusters)),
                "accuracy": self.accuracy(played, said),
                "systems": systems(played, {**said, **without_bands(metrics)}, OURS),
            }
            if self.arm(FULL) and {arm for arm, _ in self.made} & WITHOUT.keys():
                found["ablations"] = self.ablations()
        if len(self.arm("systems")) == SYSTEM_FOLDS:
            found["systems held out"] = self.held_out()
        return found

    def accuracy(self, played: Played, said: Mapping[str, Said]) -> Result:
        """Of single games."""
        judges = {**said, NEVER: always(TIE, len(played))}
        told: Result = accuracies(played.outcomes, judges, played.clusters, OURS)
        pairs: dict[tuple[int, int], list[int]] = {}
        for one, other, outcome in zip(
            played.ones.tolist(), played.others.tolist(), played.outcomes.tolist(), strict=True
        ):
            turned = (B, A, TIE)[outcome]
            pairs.setdefault((min(one, other), max(one, other)), []).append(outcome if one < other else turned)
        told[PEOPLE] = between_people((int(played.items[one]), said) for (one, _), said in pairs.items())
        return told

    def held_out(self) -> Result:
        """Each system by the comparator that learnt of none of its outputs."""
        texts = [f"{row['item']}\n{row['hypothesis']}" for row in self.rows]
        table = aligned(self.arm("systems"), texts)
        played, metrics = self.chosen(table)
        said = {HELD: by_comparator(played, table), **metrics}
        within = self.groups[played.ones] == self.groups[played.others]
        own = played.some(within)
        judges = {name: judge.some(within) for name, judge in said.items()}
        said |= without_bands(metrics)
        found = systems(played, said, HELD)
        groups = self.groups_apart(played, said)
        for name in said:
            found[name]["groups"] = drawn(groups[name])
            if name != HELD:
                found[name]["groups_lead"] = drawn(groups[HELD] - groups[name])
        return {
            "games": len(played),
            "games_within_groups": len(own),
            "accuracy": accuracies(own.outcomes, judges, own.clusters, HELD),
            "systems": found,
        }

    def groups_apart(self, played: Played, said: Mapping[str, Said]) -> dict[str, Array]:
        """Spearman among the systems that one comparator had not seen, the mean over comparators by systems."""
        weights = draws(played.items[played.ones])
        found: dict[str, list[Array]] = {name: [] for name in said}
        sizes = []
        for group in range(SYSTEM_FOLDS):
            games = (self.groups[played.ones] == group) & (self.groups[played.others] == group)
            own = played.some(games)
            people = ratings(own, own.people, weights)
            sizes.append(people.shape[1])
            for name, judge in said.items():
                found[name].append(spearman(ratings(own, judge.some(games), weights), people))
        return {name: np.average(values, axis=0, weights=sizes) for name, values in found.items()}

    def ablations(self) -> Result:
        """Each arm, on the folds that all of them have; no system of these data left checkpoints."""
        arms = [arm for arm in (FULL, *WITHOUT) if any(known == arm for known, _ in self.made)]
        common = [k for k in range(ITEM_FOLDS) if all((arm, k) in self.made for arm in arms)]
        tables = {arm: joined([self.made[arm, k] for k in common]) for arm in arms}
        played, _ = self.chosen(tables[FULL])
        said = {arm: by_comparator(played, table) for arm, table in tables.items()}
        return {
            "folds": common,
            "games": len(played),
            "accuracy": accuracies(played.outcomes, said, played.clusters, FULL),
            "systems": systems(played, said, FULL),
        }


def without_bands(metrics: Mapping[str, Said]) -> dict[str, Said]:
    """The metrics as judges that tie equal scores alone: a band serves single games, and may cost ratings."""
    return {f"{name}, no band": said.decided for name, said in metrics.items()}


def systems(played: Played, judges: Mapping[str, Said], against: str) -> Result:
    """Spearman of skill ratings with people's ratings from the same games, and with their means; differences."""
    weights = draws(played.items[played.ones])
    people = ratings(played, played.people, weights)
    targets = {"ratings": people, **means(played, weights)}
    values = {name: ratings(played, said, weights) for name, said in judges.items()}
    found = {name: {key: spearman(own, to) for key, to in targets.items()} for name, own in values.items()}
    told: Result = {name: {key: drawn(own) for key, own in rows.items()} for name, rows in found.items()}
    for name in judges:
        if name != against:
            for key in targets:
                told[name][f"{key}_lead"] = drawn(found[against][key] - found[name][key])
    told["people"] = {key: drawn(spearman(people, to)) for key, to in targets.items() if to is not people}
    return told


def transfer(data: Path, model: str) -> Result:
    """A comparator on pairs of texts of other kinds, beside simple judges."""
    form = opened(model).form
    if not isinstance(form, Comparator):
        raise SystemExit(f"{model} is no comparator")
    return {name: transferred(data / path, form.probabilities) for name, path in PAIRS.items()}


def transferred(path: Path, comparing: Comparing) -> Result:
    """On one file, against each vote and against the majority."""
    pairs = load_pairs(path, allow_extra=True, coerce=True)
    texts = [
        [Written(text, context_of(pair.source)) for text in (pair.hypothesis_a, pair.hypothesis_b)] for pair in pairs
    ]
    chances = comparing([one for one, _ in texts], [other for _, other in texts])
    words = np.array([[len(text.text.split()) for text in both] for both in texts])
    longer = np.sign(words[:, 0] - words[:, 1]).astype(np.float64)
    judges = {
        OURS: Said(verdicts(chances), chances[:, A] - chances[:, B]),
        "the longer text": Said(np.full(len(pairs), TIE), longer).decided,
        "always a": always(A, len(pairs)),
        NEVER: always(TIE, len(pairs)),
    }
    votes = [[OUTCOMES.index(vote) for vote in pair.preferences] for pair in pairs]
    each = np.repeat(np.arange(len(pairs)), [len(said) for said in votes])
    top = [max(OUTCOMES, key=pair.preferences.count) for pair in pairs]
    sure = [p for p, pair in enumerate(pairs) if 2 * pair.preferences.count(top[p]) > len(pair.preferences)]
    decided = np.array([OUTCOMES.index(top[p]) for p in sure])

    def of(places: Any, outcomes: Any) -> Result:
        said = {name: Said(judge.outcomes[places], judge.leans[places]) for name, judge in judges.items()}
        return accuracies(outcomes, said, np.asarray(places).tolist(), OURS)

    found = {"pairs": len(pairs), "votes": len(each), "majority_pairs": len(sure)}
    found["each vote"] = of(each, np.concatenate(votes)) | {PEOPLE: between_people(enumerate(votes))}
    if len(each) > len(pairs):
        found["majority"] = of(np.array(sure), decided)
    return found


def cell(figure: Figure | None, *, sign: bool = False) -> str:
    """A figure with its limits."""
    if figure is None:
        return "–"
    said = (signed if sign else number)(figure["estimate"], 3)
    return f"{said} ({interval(figure['low'], figure['high'], 3, sign=sign).replace('–', ' to ')})"


def tested(figure: Figure | None) -> str:
    """A difference with its limits and p."""
    if figure is None:
        return "–"
    p = p_value(figure["p"])
    return f"{cell(figure, sign=True)}, p {'' if p.startswith('<') else '= '}{p}"


def markdown(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the first column holds names, that of the comparator in bold."""
    names = [f"**{name}**" if name in (OURS, HELD, WHOLE) else name for name, *_ in rows]
    lines = [titles, *([name, *row[1:]] for name, row in zip(names, rows, strict=True))]
    head, *body = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join([head, "|---|" + "--:|" * (len(titles) - 1), *body])


def accuracy_table(found: Result) -> str:
    """Judges by accuracy, and how far the comparator is ahead of each."""
    rows = [
        [
            name,
            number(own["ties"], 2) if "ties" in own else "–",
            *(f(own) for kind in ("three_way", "tie_free") for f in _columns(kind, tested)),
        ]
        for name, own in found.items()
        if own is not None
    ]
    return markdown(["judge", "ties said", "three-way", "lead", "tie-free", "lead"], rows)


def _columns(kind: str, lead: Callable[[Figure | None], str]) -> tuple[Callable[[Result], str], ...]:
    """A figure, and what the first judge has more."""
    return lambda own: cell(own[kind]), lambda own: lead(own.get(f"{kind}_lead"))


def systems_table(found: Result) -> str:
    """Judges by rank correlation of the ratings of systems; ▼ and ▲: surely below and above the comparator."""
    shown = {key: title for key, title in TARGETS.items() if any(key in own for own in found.values())}
    rows = [
        [name, *(cell(own.get(key)) + mark(own.get(f"{key}_lead")) for key in shown)] for name, own in found.items()
    ]
    return markdown(["ratings by", *shown.values()], rows)


def mark(lead: Figure | None) -> str:
    """On which side of a judge the comparator is for sure."""
    return "" if lead is None or lead["low"] <= 0 <= lead["high"] else " ▼" if lead["low"] > 0 else " ▲"


def ablation_table(found: Result) -> str:
    """As Zhou and Xu's Table 5, with what removing a part costs."""
    kinds = ("three_way", "tie_free", "ratings")

    def cells(arm: str) -> list[str]:
        if arm not in found["accuracy"]:
            return ["–"] * 6
        own = {**found["accuracy"][arm], **found["systems"][arm]}
        return [f(own) for kind in kinds for f in _columns(kind, lambda figure: cell(figure, sign=True))]

    rows = [[words, *cells(arm)] for arm, words in {FULL: WHOLE, **WITHOUT}.items()]
    return markdown(["without", "three-way", "loss", "tie-free", "loss", "systems", "loss"], rows)


TABLES: dict[str, Callable[[Result], str]] = {
    "accuracy": accuracy_table,
    "systems": systems_table,
    "ablations": ablation_table,
    "each vote": accuracy_table,
    "majority": accuracy_table,
}


def tables(found: Result, within: str = "") -> Iterator[tuple[str, str]]:
    """Each with its title."""
    for name, own in found.items():
        if name in TABLES:
            yield f"{within}, {name}", TABLES[name](own)
        elif isinstance(own, dict):
            yield from tables(own, f"{within}, {name}".removeprefix(", "))


def rounded(value: Any) -> Any:
    """With six decimals, so that a changed result is seen and noise is not."""
    if isinstance(value, dict):
        return {key: rounded(own) for key, own in value.items()}
    if isinstance(value, float):
        return None if np.isnan(value) else round(value, 6)
    return value


def main() -> None:
    """The command line."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, made, given in (
        ("e2e", e2e, ("data", "cache", "folds")),
        ("transfer", transfer, ("data", "model")),
        ("show", kept, ("files",)),
    ):
        command = commands.add_parser(name)
        for word in given:
            command.add_argument(word, type=str if word == "model" else Path, nargs="+" if word == "files" else None)
        if made is e2e:
            command.add_argument("--ours", default=FULL, metavar="ARM", help="the comparator (full), or a trial")
        command.add_argument("--json", action="store_true")
        command.set_defaults(made=made)
    asked = vars(parser.parse_args())
    as_json, make = asked.pop("json"), asked.pop("made")
    found = rounded(make(**asked))
    if as_json:
        print(json.dumps(found, indent=1))
    else:
        print("\n".join(f"### {title}\n\n{table}\n" for title, table in tables(found)))


def e2e(data: Path, cache: Path, folds: Path, ours: str = FULL) -> Result:
    """Everything about E2E, of the criteria for which there are comparators; `ours` is the arm that is told of."""
    learnt = [
        criterion
        for criterion in CRITERIA
        if any(any(folds.glob(f"{arm}-{criterion}-*.npz")) for arm in (ours, "systems"))
    ]
    return {criterion: E2E(data, cache, folds, criterion, ours).results() for criterion in learnt}


def kept(files: Sequence[Path]) -> Result:
    """Results that were kept."""
    return {name: own for path in files for name, own in json.loads(path.read_text(encoding="utf-8")).items()}


if __name__ == "__main__":
    main()
