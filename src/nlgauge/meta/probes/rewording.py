"""Perturbations that need English grammar: negation, synonyms, active and passive, contractions.

They are written for precision, not for coverage: a sentence whose structure the few rules do not recognise is
left alone, and the text is reported as one the perturbation could not be applied to.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from nlgauge.meta.probes import english
from nlgauge.meta.probes.agnostic import Given, Plan, edits
from nlgauge.meta.probes.units import Unit, capitalised, cased_like, join, sentences, split

_PLACES = english.words("river riverside lake sea coast road street station house door window fire hour day week year")
_LONGEST = 9  # words in a phrase that still counts as a subject or an object


def negate(given: Given, drawn: random.Random) -> Plan | str:
    """Add or take away negations, one for each verb group; "always" and "never" exchange places."""
    units = split(given.text)
    changed: list[tuple[int, Sequence[Unit]]] = []
    for place, unit in enumerate(units):
        after = units[place + 1].core.lower() if place + 1 < len(units) and not unit.trail else ""
        before = _before(units, place)
        if after in ("not", "n't") and unit.core.lower() in english.AUXILIARIES:
            changed.append((place + 1, ()))
            continue
        new = _negated(unit.core, before, after) if unit.core else None
        if new is not None:
            changed.append((place, (unit.with_core(cased_like(new, unit.core[:1])),)))
    if not changed:
        return "no verb that the lists know"
    drawn.shuffle(changed)
    return edits(units, changed)


def _before(units: Sequence[Unit], place: int) -> list[str]:
    """The words before a place in its clause, the nearest first."""
    found = []
    while place and not units[place - 1].trail and units[place - 1].core:
        place -= 1
        found.append(units[place].core)
    return found


def _negated(core: str, before: Sequence[str], after: str) -> str | None:
    """The word negated, or without its negation; None where it carries no statement that the lists know."""
    word = core.lower().replace("’", "'")
    last = before[0].lower() if before else ""
    if word in english.SHORT_NOT:
        return english.SHORT_NOT[word]
    if word == "cannot":
        return "can"
    if word in english.OPPOSITES:
        return english.OPPOSITES[word]
    if word in english.AUXILIARIES:
        return _auxiliary_negated(word, last, after)
    if word in english.finite() and core.islower() and _has_subject(before, word, after):
        verb, tense = english.finite()[word]
        return f"{'does' if tense == 'third' else 'did'} not {verb.base}"
    if word in english.gerunds() and not _nominal(last):
        return f"not {word}"
    return None


def _auxiliary_negated(word: str, before: str, after: str) -> str | None:
    if before in english.AUXILIARIES or after in english.SUBJECTS or not after:
        return None  # part of a longer group, or a question
    if word in ("do", "does", "did"):
        return f"{word} not" if after in english.verbs() else None
    owned = after not in english.follow_have() and not after.endswith(("ed", "en", "to"))
    if word in ("has", "have", "had") and owned:
        return {"has": "does not have", "have": "do not have", "had": "did not have"}[word]
    return f"{word} not"


def _has_subject(before: Sequence[str], word: str, after: str) -> bool:
    """Whether a subject stands before what may be a verb: a pronoun, a name, or a determiner and a noun."""
    if not before or after in ("by", "of"):
        return False
    last = before[0].lower()
    if last in english.SUBJECTS or last in ("who", "which"):
        return True
    if last in english.PLAIN or any(last in series for series in english.NUMBER_WORDS) or last[:1].isdigit():
        return False
    named = before[0][:1].isupper() and len(before) > 1
    noun = len(before) > 1 and before[1].lower() in english.DETERMINERS
    # -s forms are plurals as often as verbs, most past forms are participles too: they need an object in sight.
    verb, tense = english.finite()[word]
    clear = tense == "past" and verb.past != verb.participle
    return (named or noun) and (clear or after in english.DETERMINERS or after in english.OBJECTS)


def _nominal(before: str) -> bool:
    """Whether an -ing form after this word is a noun, or belongs to a verb that is negated already."""
    known = english.DETERMINERS | english.PREPOSITIONS | english.AUXILIARIES
    return before in known or before in ("not", "of", "been", "be")


def synonym(given: Given, drawn: random.Random) -> Plan | str:
    """Replace words by synonyms of the list; a and an follow."""
    units = split(given.text)
    table = english.synonyms()
    changed: list[tuple[int, Sequence[Unit]]] = []
    for place, unit in enumerate(units):
        others = table.get(unit.core.lower())
        if others is None or (place and unit.core[:1].isupper() and not units[place - 1].trail):
            continue  # inside a sentence a capital makes a name of it: "the Big Apple"
        new = unit.with_core(cased_like(drawn.choice(others), unit.core))
        changed.append((place, (new,)))
    if not changed:
        return "no word of the list"
    drawn.shuffle(changed)

    def write(count: int) -> str:
        instead = dict(changed[:count])
        new = [instead.get(place, (unit,))[0] for place, unit in enumerate(units)]
        for place in range(1, len(new)):
            if place in instead and new[place - 1].core.lower() in ("a", "an"):
                right = english.article(new[place].core)
                new[place - 1] = new[place - 1].with_core(cased_like(right, units[place - 1].core[:1]))
        return join(new)

    return Plan(len(changed), write)


def contraction(given: Given, drawn: random.Random) -> Plan | str:
    """Contract two words into one, or write a contraction out."""
    units = split(given.text)
    joined = dict(english.CONTRACTIONS)
    joined |= {(verb, "not"): short for short, verb in english.SHORT_NOT.items()}
    apart = {short: pair for pair, short in joined.items() if not short.endswith("'s")}
    sites: list[list[tuple[int, Sequence[Unit]]]] = []
    place = 0
    while place < len(units):
        unit, word = units[place], units[place].core.lower().replace("’", "'")
        follower = units[place + 1] if place + 1 < len(units) else None
        short = joined.get((word, follower.core.lower())) if follower and not unit.trail else None
        owned = follower is not None and follower.core.lower() == "have" and not _helps(units, place + 2)
        if short and follower and follower.gap and not follower.trail and not owned:  # not "as good as it is."
            one = replace(follower, lead=unit.lead, core=cased_like(short, unit.core[:1]))
            sites.append([(place, (one,)), (place + 1, ())])
            place += 1
        elif word in apart:
            first, second = apart[word]
            first = "I" if first == "i" else cased_like(first, unit.core[:1])
            sites.append([(place, (unit.with_core(f"{first} {second}"),))])
        place += 1
    if not sites:
        return "nothing to contract and no contraction"
    drawn.shuffle(sites)

    def write(count: int) -> str:
        return edits(units, [edit for site in sites[:count] for edit in site]).write(2 * count)

    return Plan(len(sites), write)


def _helps(units: Sequence[Unit], place: int) -> bool:
    """Whether the word at a place makes an auxiliary of the "have" before it."""
    return place < len(units) and units[place].core.lower() in english.follow_have()


def passive(given: Given, drawn: random.Random) -> Plan | str:
    """Turn active sentences passive and passive ones with an agent active."""
    parts = sentences(given.text)
    turned = [(place, new) for place, part in enumerate(parts) if (new := turn(part))]
    if not turned:
        return "no sentence whose voice the rules can change"
    drawn.shuffle(turned)

    def write(count: int) -> str:
        new = list(parts)
        for place, sentence in turned[:count]:
            new[place] = sentence
        return " ".join(new)

    return Plan(len(turned), write)


def turn(sentence: str) -> str | None:
    """The sentence in the other voice, or None where the rules do not recognise it.

    >>> turn("The dog chased the cat in the garden.")
    'The cat was chased by the dog in the garden.'
    >>> turn("The cat was chased by the dog.")
    'The dog chased the cat.'
    """
    units = split(sentence)
    if len(units) > 1 and not units[-1].core:  # a full stop that stands apart
        units[-2:] = [replace(units[-2], trail=units[-2].trail + units[-2].gap + units[-1].lead, gap="")]
    if len(units) < 3 or any(unit.lead or (unit.trail and unit is not units[-1]) for unit in units):
        return None  # inner punctuation: clauses that the rules do not see through
    return _to_active(units) or _to_passive(units)


def _to_passive(units: Sequence[Unit]) -> str | None:
    low = [unit.core.lower() for unit in units]
    for place in range(1, len(units) - 1):
        verb = _active_verb(low, place)
        if verb is None or not _is_phrase(units[:place], subject=True):
            continue
        end = _phrase_end(low, place + 1)
        if not _is_phrase(units[place + 1 : end], subject=False) or not _harmless(low[end:]):
            return None
        return _reordered(
            units, (place + 1, end), _be(low[place + 1 : end], verb[1], verb[0].participle), (0, place), end
        )
    return None


def _active_verb(low: Sequence[str], place: int) -> tuple[english.Verb, str] | None:
    """The verb at a place and its tense, where the word can be nothing else in an active clause."""
    word, before = low[place], low[place - 1]
    if before in english.AUXILIARIES or before in english.PREPOSITIONS or before in ("to", "not", "be", "been"):
        return None
    known = english.finite().get(word)
    if known is None and (before in english.PLURAL_SUBJECTS or before == "i") and word in english.verbs():
        known = (english.verbs()[word], "third")
    return known if known and known[0].base in english.passive_verbs() else None


def _to_active(units: Sequence[Unit]) -> str | None:
    low = [unit.core.lower() for unit in units]
    for place in range(1, len(units) - 3):
        verb = english.participles().get(low[place + 1])
        if low[place] not in english.BE or verb is None or low[place + 2] != "by":
            continue
        end = _phrase_end(low, place + 3)
        agent = units[place + 3 : end]
        timed = any(unit.core in series for unit in agent for series in english.CALENDAR)
        timed = timed or low[end - 1] in _PLACES
        right = _is_phrase(agent, subject=False) and _is_phrase(units[:place], subject=True)
        if not right or timed or agent[0].core[:1].isdigit() or not _harmless(low[end:]):
            return None
        tense = english.BE[low[place]]
        finite = verb.past if tense == "was" else (verb.base if _plural(low[place + 3 : end]) else verb.third)
        return _reordered(units, (place + 3, end), [finite], (0, place), end)
    return None


def _be(phrase: Sequence[str], tense: str, participle: str) -> list[str]:
    """The passive verb group that agrees with its new subject."""
    if phrase == ["me"]:
        return ["was" if tense == "past" else "am", participle, "by"]
    plural = _plural(phrase)
    be = ("were" if plural else "was") if tense == "past" else ("are" if plural else "is")
    return [be, participle, "by"]


def _plural(phrase: Sequence[str]) -> bool:
    head = phrase[: phrase.index("of")] if "of" in phrase else phrase
    if "and" in phrase or phrase[0] in english.PLURAL_SUBJECTS | {"us", "them"}:
        return True
    if phrase[0] in ("a", "an", "this", "that", "each", "every"):
        return False
    return head[-1].endswith("s") and not head[-1].endswith(("ss", "us", "is", "'s"))


def _phrase_end(low: Sequence[str], start: int) -> int:
    """Where the noun phrase that starts here ends: before the next word that cannot be part of one."""
    end = start
    while end < len(low) and low[end] not in english.STOPS and not low[end].endswith("ly"):
        end += 1
    return end


def _is_phrase(units: Sequence[Unit], *, subject: bool) -> bool:
    """Whether these words look like a noun phrase, and like nothing else."""
    if not 0 < len(units) <= _LONGEST or not all(unit.core for unit in units):
        return False
    low = [unit.core.lower() for unit in units]
    owner = low[0].replace("’", "'").removesuffix("'s")
    if owner != low[0] and owner in english.PLAIN:
        return False  # "it's" is a clause, not an owner
    pronouns = english.SUBJECTS if subject else english.OBJECTS
    if low[0] in english.SUBJECTS or low[0] in english.OBJECTS or low[0] in english.DETERMINERS:
        if len(units) == 1:
            return low[0] in pronouns
        if low[0] not in english.DETERMINERS:
            return False
    elif not (units[0].core[0].isdigit() or (units[0].core[0].isupper() and _named(units))):
        return owner != low[0] and len(units) > 1 and not _verbal(low)
    return not _verbal(low)


def _verbal(low: Sequence[str]) -> bool:
    """Whether a word after the first shows that these are more than a noun phrase."""
    stops = english.STOPS - {"of", "and"}
    for before, word in pairwise(low):
        finite = word in english.finite() and before not in english.DETERMINERS  # "the books" are no verb
        if finite or word in stops or word in english.AUXILIARIES:
            return True
    return False


def _named(units: Sequence[Unit]) -> bool:
    """A name: capitals throughout, but for the words inside that names have."""
    return all(unit.core[0].isupper() or unit.core in ("of", "and", "the", "de", "van") for unit in units)


def _harmless(rest: Sequence[str]) -> bool:
    """Whether what follows the object can stay where it is: nothing, or a phrase without a further verb."""
    return not rest or not any(
        word in english.AUXILIARIES
        or word in english.finite()
        or word in ("and", "or", "but", "to", "that", "which", "who", "because", "while", "when", "as")
        for word in rest
    )


def _reordered(
    units: Sequence[Unit],
    new_subject: tuple[int, int],
    group: Sequence[str],
    new_object: tuple[int, int],
    end: int,
) -> str:
    """New subject, verb group, new object and the rest, with pronouns, capitals and the full stop seen to."""
    first = _phrase(units[slice(*new_subject)], english.OBJECTS, lowered=False)
    second = _phrase(units[slice(*new_object)], english.SUBJECTS, lowered=True)
    rest = [unit.core for unit in units[end:]]
    return " ".join([capitalised(first), *group, second, *rest]) + units[-1].trail


def _phrase(units: Sequence[Unit], pronouns: dict[str, str], *, lowered: bool) -> str:
    cores = [unit.core for unit in units]
    if len(cores) == 1 and cores[0].lower() in pronouns:
        new = pronouns[cores[0].lower()]
        return "I" if new == "i" else new
    if lowered and cores[0].lower() in english.DETERMINERS:
        cores[0] = cores[0].lower()
    return " ".join(cores)
