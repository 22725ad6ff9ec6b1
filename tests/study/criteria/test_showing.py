"""What judges may see when: answers withheld, context after plausibility, references for monolingual judges."""

from __future__ import annotations

from nlgauge.study.criteria import conflicts, find, in_order
from nlgauge.study.criteria.showing import may_judge, needs, stages


def test_plausibility_comes_before_the_context() -> None:
    plausible, correct, fluent = map(find, ("plausibility", "correctness", "fluency"))
    (problem,) = conflicts([correct, plausible])
    assert "plausibility must be judged without the context, but correctness, asked before it, shows it" in problem
    assert in_order([correct, fluent, plausible]) == (fluent, plausible, correct)
    assert stages([plausible, fluent, correct]) == ((plausible, fluent), (correct,))
    assert not list(conflicts([plausible, fluent, correct]))


def test_plausibility_with_the_context_in_sight_is_told() -> None:
    (problem,) = conflicts([find("plausibility")], shown=["question", "context"])
    assert problem == "plausibility must be asked before the context is shown; show it on the next page only"


def test_answers_are_withheld_from_judges_of_questions() -> None:
    asked = [find("answerability"), find("question-relevance")]
    problems = list(conflicts(asked, shown=["context", "answer"]))
    assert len(problems) == 2 and all("without the answer, which is shown" in problem for problem in problems)
    assert not list(conflicts(asked, shown=["context"]))
    specific = find("answer-specificity")
    assert stages([specific, *asked]) == (tuple(asked), (specific,))
    assert "ask answerability first, or of other judges" in next(conflicts([specific, *asked]))


def test_who_may_judge_what() -> None:
    adequacy = find("adequacy")
    assert needs(adequacy, "bilingual") == {"source"} and needs(adequacy, "monolingual") == {"reference"}
    assert needs(adequacy, "expert") == {"reference"} and needs(adequacy) == {"source", "reference"}
    assert may_judge(adequacy, "expert") and not may_judge(adequacy, "end_user")
    (problem,) = conflicts([adequacy], who="end_user")
    assert problem == "adequacy cannot be judged by end user judges; it is for bilingual or monolingual judges"
    (problem,) = conflicts([adequacy], who="bilingual")  # the quoted wording names the reference
    assert "is for monolingual judges; choose another wording" in problem


def test_criteria_that_exclude_each_other_share_a_page_and_are_told() -> None:
    from dataclasses import replace

    one = replace(find("fluency"), id="one", judges={"monolingual": ("source",)}, withheld=("reference",))
    other = replace(find("fluency"), id="other", judges={"monolingual": ("reference",)}, withheld=("source",))
    assert stages([one, other]) == ((one, other),)
    assert len(list(conflicts([one, other]))) == 1
