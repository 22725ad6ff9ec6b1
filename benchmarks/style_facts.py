"""Whether transferred headlines keep names, numbers and what else has a capital, without any classifier.

    python benchmarks/style_facts.py split outputs.jsonl

A fact is a word of the original headline that begins with a capital or a digit and is in the aligned headline too. An
output keeps them if it has all of them, whatever the case. Systems are compared by McNemar's exact test.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from itertools import combinations

from scipy.stats import binomtest

from nlgauge.style.forms import read_split, read_transfers

WORD = re.compile(r"\w+")


def words(text: str) -> set[str]:
    """In lower case."""
    return {word.lower() for word in WORD.findall(text)}


def facts(headline: str, aligned: str) -> set[str]:
    """Words with a capital or a digit that both have."""
    capital = (word for word in WORD.findall(headline) if word[0].isupper() or word[0].isdigit())
    return {word.lower() for word in capital} & words(aligned)


def main() -> None:
    """Print the shares and the tests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("split")
    parser.add_argument("outputs")
    arguments = parser.parse_args()
    articles = {article.id: article for article in read_split(arguments.split)["test"]}
    kept: dict[str, dict[str, dict[str, bool]]] = defaultdict(lambda: defaultdict(dict))
    for transfer in read_transfers(arguments.outputs):
        article = articles[transfer.id]
        asked = facts(article.headline, articles[article.pair].headline)
        kept[transfer.system][transfer.direction][transfer.id] = asked <= words(transfer.text)
    for system, directions in kept.items():
        shares = [f"{direction} {sum(found.values())}/{len(found)}" for direction, found in directions.items()]
        print(f"{system:8}", "  ".join(shares))
    for one, other in combinations(kept, 2):
        both = [_all(kept[one]), _all(kept[other])]
        only = [sum(both[k][id_] and not both[1 - k][id_] for id_ in both[0]) for k in range(2)]
        p = binomtest(only[0], sum(only)).pvalue if sum(only) else 1.0
        print(f"{one} only {only[0]}, {other} only {only[1]}: p = {p:.2g}")


def _all(directions: dict[str, dict[str, bool]]) -> dict[str, bool]:
    return {id_: value for found in directions.values() for id_, value in found.items()}


if __name__ == "__main__":
    main()
