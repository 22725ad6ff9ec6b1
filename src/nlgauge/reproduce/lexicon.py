"""The words and sentence patterns of the generated stories.

What the corpus shares with open-ended text, and why (written before any evaluator ran on it):

* A prompt has thousands of good continuations: each sentence begins with one of 28 words, has one of several patterns,
  and free words in them. Two good stories for one prompt share little but its own words.
* One sentence in three is generic, out of four. Each of these is likelier than any single specific sentence, so that
  likely texts are dull, and dull texts share n-grams with references.
* What makes a story good is seen across sentences and beside the prompt (who, what, where, by which means, in which
  order), not in any n-gram.

Every slot of a pattern is one word, so that a sentence is parsed by comparing it word by word with patterns of its
length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["scene", "try", "find", "use", "end", "generic"]

WOMEN = (
    *("anna", "berta", "clara", "dora", "emma", "frida", "greta", "hanna", "ida", "julia"),
    *("karin", "lena", "mina", "nora", "olga", "paula", "rosa", "sara", "tilda", "vera"),
)
MEN = (
    *("adam", "bruno", "carl", "david", "emil", "felix", "georg", "henry", "igor", "jakob"),
    *("kurt", "leo", "max", "nils", "oskar", "peter", "robert", "simon", "tom", "victor"),
)
JOBS = ("baker", "sailor", "teacher", "painter", "farmer", "doctor", "singer", "writer", "guard", "cook")
PLACES = (
    *("harbour", "station", "market", "farm", "mill", "school", "bakery", "church", "museum", "castle"),
    *("library", "theatre", "bridge", "lake", "tower", "hotel", "garden", "factory", "port", "camp"),
)
HELPERS = (
    *("neighbour", "stranger", "soldier", "fisherman", "nurse", "student", "waiter", "tailor", "shepherd"),
    *("carpenter", "postman", "gardener", "miner", "pilot", "clerk", "priest"),
)
OPENERS = (
    *("slowly", "quietly", "yesterday", "later", "suddenly", "soon", "then", "meanwhile", "afterwards"),
    *("outside", "today", "again", "finally", "first", "next", "now", "once", "still", "early", "eagerly"),
    *("calmly", "bravely", "tonight", "somehow", "indeed", "luckily", "sadly", "gently"),
)
WORDS = {
    "adjective": (
        *("old", "young", "kind", "tired", "cheerful", "tall", "silent", "busy", "clever", "shy", "proud"),
        *("friendly", "lonely", "careful"),
    ),
    "trial": ("shook", "pushed", "kicked", "pulled", "turned", "studied", "touched", "watched", "lifted"),
    "span": ("minute", "hour", "moment", "morning", "week", "while"),
    "feeling": ("worried", "angry", "hopeful", "nervous", "helpless", "curious", "afraid", "restless"),
    "relative": ("mother", "father", "sister", "brother", "uncle", "aunt", "daughter", "son"),
    "weather": ("sky", "wind", "rain", "fog", "snow", "sun", "storm", "moon"),
    "look": ("grey", "cold", "heavy", "pale", "bright", "wild", "soft", "dark"),
    "spot": ("bench", "barrel", "door", "wall", "tree", "cart", "fence", "ladder", "stove", "curtain"),
    "manner": ("care", "patience", "courage", "skill", "luck", "force", "joy", "love"),
    "reaction": ("laughed", "danced", "cried", "sang", "smiled", "slept", "cheered", "whistled"),
    "treat": ("tea", "soup", "cake", "bread", "coffee", "cheese", "wine", "honey"),
}


@dataclass(frozen=True)
class Problem:
    """What is wrong with an object, what it is wrong with, what helps, and how one says that it is well again."""

    verb: str
    objects: tuple[str, ...]
    means: tuple[str, ...]
    solved: tuple[str, ...]


PROBLEMS = (
    Problem(
        "open",
        ("box", "gate", "safe", "chest", "drawer", "trunk", "locker"),
        ("key", "crowbar", "hairpin", "chisel", "drill"),
        ("open", "unlocked"),
    ),
    Problem(
        "mend",
        ("chair", "boat", "violin", "kite", "vase", "clock", "doll"),
        ("hammer", "clamp", "glue", "nail", "screw"),
        ("whole", "repaired"),
    ),
    Problem(
        "clean",
        ("carpet", "window", "statue", "oven", "coat", "mirror", "floor"),
        ("sponge", "brush", "broom", "cloth", "mop"),
        ("spotless", "shining"),
    ),
    Problem(
        "move",
        ("piano", "rock", "statuette", "log", "anvil", "wardrobe", "barricade"),
        ("rope", "lever", "horse", "tractor", "winch"),
        ("away", "moved"),
    ),
    Problem(
        "see",
        ("path", "cave", "well", "cellar", "attic", "tunnel", "stairs"),
        ("lamp", "candle", "torch", "lantern", "match"),
        ("lit", "visible"),
    ),
    Problem(
        "reach",
        ("nest", "shelf", "balloon", "flag", "apple", "roof", "bell"),
        ("stool", "pole", "crane", "stepladder", "net"),
        ("near", "reached"),
    ),
    Problem(
        "read",
        ("letter", "map", "diary", "sign", "book", "poster", "recipe"),
        ("dictionary", "magnifier", "translator", "lens", "primer"),
        ("clear", "understood"),
    ),
    Problem(
        "feed",
        ("dog", "cat", "parrot", "goat", "rabbit", "donkey", "duck"),
        ("bone", "fish", "seed", "carrot", "biscuit"),
        ("full", "fed"),
    ),
)

# In a pattern: WHO is the name or pronoun, OBJECT, PLACE, MEANS and SOLVED those of the prompt's problem, HELPER
# whoever helps, HIS the possessive; what is in brackets is a free word of that kind. An opener goes before.
PATTERNS: tuple[tuple[Role, str], ...] = (
    ("scene", "the (weather) over the PLACE turned (look)"),
    ("scene", "WHO felt (feeling) without HIS (relative)"),
    ("scene", "a (look) (weather) came down"),
    ("scene", "HIS (relative) sent WHOM some (treat)"),
    ("scene", "WHO missed (treat) and (treat)"),
    ("scene", "(weather) and (weather) kept WHOM awake"),
    ("scene", "no (relative) of WHOM was (feeling)"),
    ("scene", "PLACE and (spot) looked (look) to WHOM"),
    ("try", "WHO (trial) the OBJECT for a (span)"),
    ("try", "WHO (trial) and (trial) in vain"),
    ("try", "this OBJECT made WHOM (feeling)"),
    ("try", "WHO stood there like a (adjective) child"),
    ("try", "(manner) alone did nothing to that OBJECT"),
    ("try", "one (span) was not enough for WHOM"),
    ("try", "WHO tried (manner) but stayed (feeling)"),
    ("try", "neither (manner) nor (manner) helped WHOM"),
    ("find", "WHO found a MEANS behind some (spot)"),
    ("find", "WHO asked one (adjective) HELPER for a MEANS"),
    ("find", "a HELPER offered WHOM this MEANS"),
    ("find", "under a (spot) lay some HELPER 's MEANS"),
    ("find", "HIS (relative) had left a MEANS near that (spot)"),
    ("find", "WHO bought a MEANS from two (adjective) people"),
    ("find", "WHO swapped (treat) for a HELPER 's MEANS"),
    ("find", "every HELPER told WHOM to take a MEANS"),
    ("use", "WHO used the MEANS with (manner)"),
    ("use", "with that MEANS and some (manner) WHO began"),
    ("use", "this MEANS suited such a (adjective) OBJECT"),
    ("use", "WHO held HIS MEANS in one hand"),
    ("use", "HIS new MEANS worked within a (span)"),
    ("use", "(manner) guided WHOM and HIS MEANS"),
    ("use", "WHO took MEANS and (treat) along"),
    ("use", "every (span) WHO tried HIS MEANS on it"),
    ("end", "the OBJECT was SOLVED and WHO (reaction)"),
    ("end", "WHO left PLACE and OBJECT because all was SOLVED"),
    ("end", "they had (treat) beside a SOLVED OBJECT"),
    ("end", "WHO told HIS (relative) how it became SOLVED"),
    ("end", "SOLVED at last it made WHOM (feeling) no more"),
    ("end", "HIS OBJECT being SOLVED WHO (reaction) and (reaction)"),
    ("end", "everybody at PLACE (reaction) since it looked SOLVED"),
    ("end", "a (adjective) HELPER (reaction) when it got SOLVED"),
)
GENERIC = (
    ("nobody really knew what to say about it", 0.4),
    ("it was hard to tell what that meant", 0.3),
    ("things went on as they usually do", 0.2),
    ("people say that such is life", 0.1),
)
PROMPTS = (
    "WHO the JOB could not VERB the OBJECT at the PLACE",
    "at the PLACE there was something that WHO the JOB failed to VERB namely the OBJECT",
    "a story about WHO the JOB who wanted to VERB the OBJECT near the PLACE",
)
