"""Word lists of the scene-graph rules: closed classes and a few words that mean quantity, colour or size."""

from __future__ import annotations


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _counted(words: str) -> dict[str, str]:
    return {word: str(value) for value, word in enumerate(words.split())}


# Nouns that only quantify what follows their "of" (Schuster and Manning 2016 call them quantificational modifiers).
QUANTIFIERS = _listed(
    "group lot number bunch couple pair handful dozen ton plenty majority variety crowd pack herd flock set series "
    "collection load heap hundred thousand dozens hundreds thousands lots tons one both all some each none any most "
    "many several few two three four five six seven eight nine ten half"
)
# Nouns whose plural is one thing: "a pair of" them is no two, and their base form ends in s.
PLURAL_ONLY = _listed(
    "sunglasses goggles jeans pants shorts trousers overalls scissors binoculars pyjamas pajamas tights leggings "
    "headphones earphones clothes tongs pliers spectacles briefs dungarees bleachers"
)
NUMBERS = _counted(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
) | {
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "hundred": "100",
    "thousand": "1000",
    "dozen": "12",
    "couple": "2",
}
# Adjectives that point at something and describe nothing.
POINTING = _listed("other another same such own only certain various different each every first last next")
# Prepositions of more than one word, as their first word followed by the others.
_COMPLEX = (
    "in front of, in back of, on top of, on board of, in between, next to, close to, out of, off of, inside of, "
    "outside of, ahead of, away from, along with, together with, across from, because of, instead of, near to"
)
COMPLEX = {tuple(words.split()) for words in _COMPLEX.split(", ")}
# Verbs that only introduce the verb they govern: "tries to catch".
INTRODUCING = _listed(
    "try attempt begin start prepare continue appear seem want get go stop finish help learn be use have manage "
    "pretend about ready need like love come proceed"
)
# Verbs that link a subject with what it is: "looks happy".
LINKING = _listed("be look seem appear become feel stay remain get turn sound")
NOT_OBJECTS = _listed(
    "someone somebody something anyone anybody anything everyone everybody everything nobody nothing one other "
    "there way while"
)
FEMALE = _listed("woman girl lady mother grandmother daughter sister wife aunt queen actress waitress bride female")
MALE = _listed("man boy guy father grandfather son brother husband uncle king actor waiter groom male gentleman")
MANY_IN_ONE = _listed("couple family team people crowd band")
COLORS = _listed(
    "red orange yellow green blue purple violet pink brown black white grey gray beige tan turquoise teal gold "
    "golden silver maroon navy cream crimson scarlet magenta cyan indigo lavender olive colored colorful coloured "
    "colourful blond blonde brunette dark light bright multicolored"
)
SIZES = _listed(
    "big large small little tiny huge giant enormous tall short long wide narrow thick thin massive gigantic mini "
    "miniature immense great vast high low deep shallow fat"
)
