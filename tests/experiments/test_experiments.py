"""Experiments: designs and their refusals, cells that are kept, effects that were planted, the ready-made designs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from nlgauge.cli import main
from nlgauge.errors import InputError
from nlgauge.experiments.analysis import LEVEL, Values, adjusted, analyse, effect, needed
from nlgauge.experiments.bias import frequency_bias, summary
from nlgauge.experiments.cells import cells_of, make
from nlgauge.experiments.design import READY, Claim, Design, Needed, System, read_design, read_designs
from nlgauge.experiments.run import experiment

CORPUS = {
    "lexicalisations": {"job": ["{subject} was a {object}", "{subject} worked as a {object}"]},
    "known": ["Ada | job | mason", "Bo | job | pilot", "Cy | job | baker"],
    "train": 4,
    "tests": {"test": 6},
}
COPY = (
    "import json, sys; rows = [json.loads(line) for line in open(sys.argv[1])]; "
    "open(sys.argv[2], 'w').writelines(json.dumps(dict(item=row['item'], hypothesis=row['source'][0][0] + ' was a ' + "
    "row['source'][0][2] + '.')) + chr(10) for row in rows); assert open(sys.argv[3]).read()"
)


def command(code: str, places: str) -> str:
    doubled = code.replace("{", "{{").replace("}", "}}")
    return f'{sys.executable} -c "{doubled}" {places}'


MINE = command(COPY, "{inputs} {output} {train}")


def written(folder: Path, **changes: Any) -> Path:
    """A tiny design of two cells and two seeds."""
    content: dict[str, Any] = {
        "corpus": CORPUS,
        "factors": {"templates.number": [1, 2]},
        "systems": {"mine": {"command": MINE}},
        "seeds": 2,
        "claims": [
            {
                "says": "harder",
                "factor": "templates.number",
                "levels": [1, 2],
                "expect": "lower",
                "measure": "strict",
            }
        ],
    }
    path = folder / "design.yaml"
    path.write_text(
        yaml.safe_dump({name: value for name, value in {**content, **changes}.items() if value is not None})
    )
    return path


def test_a_tiny_design_runs_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, home = written(tmp_path), tmp_path / "out"
    page = tmp_path / "page.html"
    assert main(["corpus", "experiment", str(path), "-o", str(home), "--html", str(page), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    files = sorted(file.name for file in (home / "cells").iterdir())
    assert files == ["001-seed-1001.json", "001-seed-1002.json", "002-seed-1001.json", "002-seed-1002.json"]
    strict = [row for row in found["experiments"][0]["means"] if row["measure"] == "strict"]
    assert [row["estimate"] for row in strict] == [1.0, 1.0]
    (claim,) = found["experiments"][0]["claims"]
    assert (claim["verdict"], claim["bound"], claim["effect"]["p"]) == ("not shown", "ceiling", 1.0)
    assert "templates.number" in page.read_text() and "<svg" in page.read_text()
    kept = home / "cells" / files[1]
    kept.write_text(kept.read_text().replace('"strict": 1.0', '"strict": 0.25'))
    (home / "cells" / files[0]).unlink()
    result = experiment(read_designs(str(path)), home)  # makes the one again, keeps the other as it is
    values = [row.estimate for row in result.experiments[0].analysis.means if row.measure == "strict"]
    assert values == [0.625, 1.0]
    with pytest.raises(InputError, match="another design"):
        experiment(read_designs(str(written(tmp_path, seeds=3))), home)
    with pytest.raises(InputError, match="no folder of an experiment"):
        experiment(read_designs(str(path)), tmp_path)


def test_the_terminal_has_claims_effects_and_means(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "experiment", str(written(tmp_path)), "-o", str(tmp_path / "o"), "--seeds", "3"]) == 0
    told = capsys.readouterr()
    assert "not shown (ceiling)" in told.out and "Means, test" in told.out and "3 seeds from 1001" in told.out
    assert told.err.endswith("cells: 6 of 6\n")


def test_a_generator_and_a_parser_of_ones_own(tmp_path: Path) -> None:
    """The generator writes as many facts as the configuration says; the parser finds every other text wrong."""
    generator = command(
        "import json, pathlib, sys; config = json.load(open(sys.argv[1])); folder = pathlib.Path(sys.argv[3]); "
        "rows = [dict(item=str(k), source=[['A' + str(k), 'job', 'B']], references=['A was B.']) for k in range(40)]; "
        "[ (folder / name).write_text(chr(10).join(map(json.dumps, part))) for name, part in "
        "(('train.jsonl', rows[:10]), ('mine.jsonl', rows[10:10 + config['size']]))]",
        "{config} {seed} {folder}",
    )
    parser = command(
        "import json, sys; rows = [json.loads(line) for line in open(sys.argv[1])]; "
        "open(sys.argv[2], 'w').write(chr(10).join(json.dumps(dict(item=row['item'], strict=k % 2 == 0, "
        "templates=['job/' + str(k % 4)])) for k, row in enumerate(rows)))",
        "{outputs} {output}",
    )
    changes = {"generator": generator, "parser": parser, "corpus": {"size": 4}, "factors": {"size": [4, 8]}}
    path = written(tmp_path, **changes, claims=None)
    means = experiment([read_design(path)], tmp_path / "o").experiments[0].analysis.means
    found = {(row.measure, row.levels["size"]): row.estimate for row in means if row.test == "mine"}
    assert found == {
        **{("strict", size): 0.5 for size in "48"},
        **{("credit", size): 0.5 for size in "48"},
        **{("templates", size): 4.0 for size in "48"},
        **{("entropy", size): 2.0 for size in "48"},
    }
    lacking = read_design(written(tmp_path, **{**changes, "parser": None}, claims=None))
    with pytest.raises(InputError, match=r"made no manifest.json with the rules; let it write one, or name a parser"):
        experiment([lacking], tmp_path / "p")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"factor": {}}, r"line \d+, column 1: there is no key 'factor'; did you mean factors"),
        (
            {"factors": {"template.number": [1, 2]}},
            r"line \d+, column 3: .*no key 'template'; did you mean templates",
        ),
        (
            {"factors": {"templates.number": [1, "x"]}},
            r"line \d+.*templates.number must be a whole number, not 'x'",
        ),
        ({"factors": {"templates.number": [1]}}, "must be a list of two levels or more"),
        ({"factors": {"templates.number": [1, 1]}}, "has a level twice"),
        ({"factors": {"examples.jobs": [1, 2]}, "claims": None}, "examples.jobs is no predicate used"),
        ({"corpus": None}, "the key 'corpus' is missing"),
        ({"corpus": "nowhere.yaml"}, "nowhere.yaml"),
        ({"corpus": {**CORPUS, "tests": None}}, "tests"),
        ({"set": {"order": "sideways"}}, "order cannot be 'sideways'"),
        ({"systems": {"lstn": {}}}, "neither network nor command; did you mean lstm"),
        ({"systems": {"a": {"network": "lstm", "width": 6}}}, "width must be a multiple of 4, not 6"),
        ({"systems": {"a": {"network": "lstm", "command": MINE}}}, "leave one of them out"),
        ({"systems": {"a": {"command": "run {train} {inputs}"}}}, r"has no \{output\}"),
        ({"systems": {"a": {"command": "run {train} {input} {output}"}}}, "cannot be read"),
        ({"systems": {"a": {"command": "run {train} {dev} {inputs} {output}"}}}, "add dev: 50"),
        ({"measures": ["strct"]}, "no measure 'strct'; did you mean strict"),
        (
            {"claims": [{"says": "a", "factor": "template", "levels": [1, 2], "expect": "lower"}]},
            "no factor 'template'",
        ),
        (
            {"claims": [{"says": "a", "factor": "templates.number", "levels": [1, 3], "expect": "lower"}]},
            "no level '3'",
        ),
        (
            {"claims": [{"says": "a", "factor": "templates.number", "levels": [1], "expect": "lower"}]},
            "expected two",
        ),
        ({"needed": {"over": "train", "reach": 0.5}}, "no factor 'train'"),
        (
            {"small": {"factors": {"templates.number": [1, 3]}}},
            "small form of templates.number has no level '2'",
        ),
        ({"generator": "make {config}"}, r"has no \{folder\}"),
        ({"corpus": [1]}, "line 9, column 1: corpus must be keys of a configuration"),
        ({"factors": {"seed": [1, 2]}}, "line 2[0-9], column .*seed is no factor"),
    ],
)
def test_refusals_say_where_and_what(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    path = written(tmp_path, **changes)
    if "factor" in changes:
        path.write_text(path.read_text() + "factor: {}\n")
    with pytest.raises(InputError, match=said) as refused:
        read_design(path)
    assert "design.yaml" in str(refused.value) or "nowhere.yaml" in str(refused.value)


def test_commands_that_fail_are_told(tmp_path: Path) -> None:
    failing = System(command=command("import sys; sys.exit('out of order')", "{train} {inputs} {output}"))
    silent = System(command=command("import sys; open(sys.argv[1], 'w')", "{output} {train} {inputs}"))
    absent = System(command="no-such-program {train} {inputs} {output}")
    for system, said in (
        (failing, "templates.number 1, seed 1001, mine, test: .*ended with code 1: out of order"),
        (silent, "wrote no text for the item test-"),
        (absent, "no-such-program cannot be run"),
    ):
        design = read_design(written(tmp_path))
        changed = Design(**{**vars(design), "systems": {"mine": system}})
        with pytest.raises(InputError, match=said):
            make(cells_of(changed)[0], tmp_path)
    assert main(["corpus", "experiment", "predictoins", "-o", str(tmp_path / "o")]) == 2


def test_what_cannot_be_made_is_refused_before_anything_is_trained(tmp_path: Path) -> None:
    home = tmp_path / "out"
    impossible = read_design(written(tmp_path, factors={"templates.number": [1, 99]}, claims=[]))
    with pytest.raises(InputError, match=r"templates.number 99, seed 1001: .*asks for 99 templates"):
        experiment([impossible], home)
    assert not home.exists()
    failing = System(command=command("import sys; sys.exit('x')", "{train} {inputs} {output}"))
    design = read_design(written(tmp_path))
    with pytest.raises(InputError, match="code 1"):
        experiment([Design(**{**vars(design), "systems": {"mine": failing}})], home)
    experiment([design], home)  # no cell was finished: the folder may have another design
    with pytest.raises(InputError, match="another design"):
        experiment([Design(**{**vars(design), "seeds": 1})], home)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("b'caf\\xe9'", "outputs.jsonl, line 1 is no JSON in UTF-8"),
        ("b'[1]'", "line 1 is no row with keys"),
    ],
)
def test_files_of_commands_that_are_no_rows(tmp_path: Path, content: str, said: str) -> None:
    bad = System(command=command(f"import sys; open(sys.argv[1], 'wb').write({content})", "{output} {train} {inputs}"))
    design = read_design(written(tmp_path))
    with pytest.raises(InputError, match=said):
        make(cells_of(Design(**{**vars(design), "systems": {"mine": bad}}))[0], tmp_path)


def cells(values: dict[tuple[str, int], float], factor: str = "f") -> list[dict[str, Any]]:
    return [
        {"levels": {factor: level}, "seed": seed, "systems": {"s": {"measures": {"test": {"strict": value}}}}}
        for (level, seed), value in values.items()
    ]


def planted(shift: float, rng: np.random.Generator, seeds: int = 10) -> Any:
    """Two levels that differ by so much, and seeds that differ more."""
    own = rng.normal(0.5, 0.2, seeds)
    values = {("a", seed): float(own[seed]) for seed in range(seeds)} | {
        ("b", seed): float(own[seed] + shift + rng.normal(0, 0.05)) for seed in range(seeds)
    }
    design = Design(
        factors={"f": ["a", "b"]},
        systems={"s": System("lstm")},
        measures=("strict",),
        claims=(Claim("more", "f", ("a", "b"), "higher"), Claim("less", "f", ("a", "b"), "lower")),
    )
    return analyse(design, cells(values))


def test_planted_effects_have_their_sign_and_limits_their_coverage() -> None:
    rng = np.random.default_rng(1)
    found = planted(0.3, rng)
    assert [row.verdict for row in found.verdicts] == ["holds", "opposite"]
    assert found.effects[0].p == pytest.approx(2 / 2**10) and found.effects[0].size > 2
    found = planted(-0.3, rng)
    assert [row.p_adjusted for row in adjusted([found])[0].verdicts] == [pytest.approx(4 / 2**10)] * 2
    assert [row.verdict for row in found.verdicts] == ["opposite", "holds"]
    trials = [planted(0.1, rng).effects[0] for _ in range(400)]
    covered = np.mean([row.low <= 0.1 <= row.high for row in trials])
    assert LEVEL - 0.035 < covered < LEVEL + 0.03
    wrong = [planted(0.0, rng).verdicts[0].verdict != "not shown" for _ in range(200)]
    assert np.mean(wrong) < 0.1


def test_pairs_need_the_same_other_levels() -> None:
    values: Values = {
        (("f", "a"), ("g", "x")): {1: 0.1, 2: 0.2},
        (("f", "b"), ("g", "x")): {1: 0.3, 2: 0.5},
        (("f", "b"), ("g", "y")): {1: 0.9, 2: 0.9},  # nothing with level a to stand beside
    }
    found = effect(values, "f", ("a", "b"), about=("s", "t", "strict"))
    assert found.baseline_mean == pytest.approx(0.15) and found.level_mean == pytest.approx(0.4)
    assert found.seeds == 2


def test_how_many_are_needed_lies_between_levels_or_beyond_them() -> None:
    def curve(*shares: float) -> Any:
        return {(("n", str(2**k)), ("g", "x")): {1: share} for k, share in enumerate(shares)}

    asked = Needed("n", 0.5)
    for shares, reached, beyond in (
        ((0.0, 0.25, 0.75), 1.5, 0),
        ((0.5, 0.6, 0.9), 0.0, 1),
        ((0.0, 0.1, 0.2), 3.0, 1),
    ):
        found, counted = needed(curve(*shares), asked)
        assert found == {(("g", "x"),): {1: pytest.approx(reached)}} and counted == (beyond, 1)


def test_one_factor_at_a_time_leaves_the_others_at_their_first_level() -> None:
    design = Design(factors={"a": [1, 2, 3], "b": [1, 2], "n": [1, 2]}, crossing="single", needed=Needed("n", 0.5))
    pairs = [(found["a"], found["b"], found["n"]) for found in design.combinations]
    assert len(pairs) == len(set(pairs)) == 8 and ("2", "2", "1") not in pairs


@pytest.mark.parametrize("name", [part for parts in READY.values() for part in parts])
def test_ready_made_designs_make_their_corpora(name: str, tmp_path: Path) -> None:
    """Every combination of the small form, with a command in place of networks; texts conform where they should."""
    (design,) = read_designs(name)
    (tmp_path / "cells").mkdir()
    silent = command(
        "import json, sys; rows = [json.loads(line) for line in open(sys.argv[1])]; "
        "empty = [json.dumps(dict(item=row['item'], hypothesis='')) for row in rows]; "
        "open(sys.argv[2], 'w').write(chr(10).join(empty)); open(sys.argv[3])",
        "{inputs} {output} {train}",
    )
    small = Design(**{**vars(design.made_small()), "systems": {"none": System(command=silent)}, "seeds": 1})
    some = cells_of(small)
    for cell in (some[0], some[-1]):
        make(cell, tmp_path)
        found = json.loads(cell.path(tmp_path).read_text())
        assert found["levels"] == cell.levels
        for counted in found["systems"]["none"]["measures"].values():
            assert counted["strict"] == counted["credit"] == counted["said"] == 0


def test_diverse_values_change_only_the_values(tmp_path: Path) -> None:
    """Words of training, their counts and the templates are alike at every level; unseen pairs have seen words."""
    from nlgauge.corpus.generate import generate
    from nlgauge.experiments.systems import read_rows

    (design,) = read_designs("diverse-values")
    counts = []
    for levels in design.combinations:
        folder = tmp_path / levels["values.number"]
        generate(design.config(levels, 1), folder, beside=Path(design.beside))
        train, unseen = (read_rows(folder / f"{name}.jsonl", "test") for name in ("train", "unseen"))
        pairs = {(row["source"][0][1], row["source"][0][2]) for row in train}
        new = {(row["source"][0][1], row["source"][0][2]) for row in unseen}
        assert not pairs & new and {value for _, value in new} <= {value for _, value in pairs}
        assert len(pairs) == 8 * int(levels["values.number"])
        words = sorted(word for row in train for word in row["references"][0].removesuffix(".").split()[1:-1])
        towns = np.unique([row["source"][0][2] for row in train], return_counts=True)[1]
        counts.append((words, sorted(towns.tolist())))
    assert counts[0] == counts[1] == counts[2]


def test_frequency_bias_over_seeds(tmp_path: Path) -> None:
    found = frequency_bias(tmp_path / "o", [1, 2], size=50)
    assert {row.human for row in found.rows} == {True, False} and found.seeds == (1, 2)
    kept = [json.loads((tmp_path / "o" / "cells" / f"seed-{seed}.json").read_text()) for seed in (1, 2)]
    assert summary(kept, (1, 2), found.seconds) == found  # what is kept is enough
    ranks = {"pcru-greedy": 1, "rules": 2}
    turned = {"pcru-greedy": 2, "rules": 1}
    biased = {"columns": [{"by": "m", "human": False, "ranks": ranks}, {"by": "h", "human": True, "ranks": turned}]}
    fair = {"columns": [{"by": "m", "human": False, "ranks": turned}, {"by": "h", "human": True, "ranks": turned}]}
    assert summary([biased, biased, fair, fair], (1, 2, 3, 4), 0.0).biased.estimate == 0.5
    with pytest.raises(InputError, match="another experiment"):
        frequency_bias(tmp_path / "o", [1], size=70)


def test_networks_learn_a_corpus_of_one_template(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be trained")
    torch.set_num_threads(1)
    (design,) = read_designs("unique-ratio")
    systems = {name: System(name, width=16, steps=150, rate=0.01) for name in ("transformer", "lstm")}
    easy = Design(**{**vars(design), "systems": systems, "set": {**design.set, "only": ["school", "trial"]}})
    (tmp_path / "cells").mkdir()
    make(cells_of(easy)[0], tmp_path)
    found = json.loads(cells_of(easy)[0].path(tmp_path).read_text())
    for name in systems:
        assert found["systems"][name]["measures"]["test"]["strict"] > 0.8, name
